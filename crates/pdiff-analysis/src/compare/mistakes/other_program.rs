//! Two programs instead of two builds of one: other names, and hardly a function in common.

use std::collections::BTreeMap;

use pdiff_profile::{PerSide, Side};

use super::super::prepare::Prepared;
use super::super::side_fact::{Concern, Severity, SideFact, Subject};
use super::program::Program;
use crate::normalize::is_nameless;

/// Builds of one program have more of their weight in functions that both have: a library rewritten under new names is still
/// called by the program's own.
const LEAST_SHARED: f64 = 0.1;

/// Less weight in named functions says nothing.
const LEAST_NAMED: f64 = 0.2;

/// An alarm, if the sides are two programs.
pub(super) fn other_program(
    programs: &PerSide<Vec<Program<'_>>>,
    prepared: &Prepared<'_>,
) -> Option<SideFact> {
    let (before, after) = (programs.before.first()?.path, programs.after.first()?.path);
    if without_version(before) == without_version(after) {
        return None;
    }
    let of = [functions(prepared, Side::Before, before), functions(prepared, Side::After, after)];
    let is_other = |mine: &Functions, others: &Functions| {
        let named: f64 = mine.named.values().sum();
        let shared = mine.named.iter().filter(|(name, _)| others.named.contains_key(*name));
        let shared: f64 = shared.map(|(_, weight)| weight).sum();
        named > LEAST_NAMED * mine.weight && shared < LEAST_SHARED * named
    };
    let [a, b] = &of;
    if !(is_other(a, b) && is_other(b, a)) {
        return None;
    }
    let subject = Subject::Programs(PerSide::new(before, after).map(str::to_owned));
    Some(SideFact::new(subject, Severity::Incomparable, Concern::TwoPrograms))
}

/// One side's weight in the code of its program.
struct Functions {
    weight: f64,
    /// By name; what has none is left out.
    named: BTreeMap<String, f64>,
}

fn functions(prepared: &Prepared<'_>, side: Side, path: &str) -> Functions {
    let mut of = Functions { weight: 0.0, named: BTreeMap::new() };
    let file = path.rsplit('/').next().unwrap_or(path);
    for run in prepared.runs.iter().filter(|run| run.side == side) {
        for (id, weight) in run.leaf_functions() {
            let key = prepared.keys.get(prepared.renames.canonical(id));
            // The programs of both sides may be one object by now, `old -> new`.
            if !key.object.split(" -> ").any(|object| object == file) {
                continue;
            }
            of.weight += weight as f64;
            if !is_nameless(&key.name) {
                *of.named.entry(key.name.to_string()).or_default() += weight as f64;
            }
        }
    }
    of
}

/// The name of a program's file without what builds call differently: `server-1.4` and `server-1.5` are both `server`.
fn without_version(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_name = |c: &char| !c.is_ascii_digit() && !".-_".contains(*c);
    name.chars().filter(is_name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_no_part_of_a_programs_name() {
        assert_eq!(without_version("/opt/server-1.4/bin/server_1.4"), without_version("/x/server"));
        assert_eq!(without_version("python3.11"), without_version("python3.12"));
        assert_ne!(without_version("/bin/mysqld"), without_version("/bin/orders"));
    }
}
