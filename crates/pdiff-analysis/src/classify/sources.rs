//! Whether both builds were compiled from the same source.
//!
//! Debug information gives the line where each function is declared. An added or removed line moves everything after it in
//! the file. If all functions of the program are at the same lines, and the compilers or their options differ, then the
//! source is the same and the code is not. A change that keeps all lines in place is not detected, which is why options
//! must differ. Code of libraries says nothing about the program's source, and compilers tell the lines of templates in two
//! ways: where the declaration begins, or where the name is.

use pdiff_profile::census::{Census, FunctionId};
use rustc_hash::FxHashMap;

use super::background::Foreground;
use super::library::is_of_library;
use crate::matching::{Match, Matching, file_stem};

/// So many functions must be declared in both builds, for anything to be said of the whole program.
const LEAST_FUNCTIONS: usize = 20;

/// The part of them that must be at the same line: compilers tell macros' lines in two ways.
const SAME_PART: f64 = 0.98;

/// The comparison of the lines of both builds.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Both builds come from the same source, compiled differently.
    pub(super) is_rebuilt: bool,
}

impl Sources {
    /// Of the functions that a run sampled: packs tell the lines of these.
    pub(super) fn new(before: &Foreground<'_>, after: &Foreground<'_>, matching: &Matching) -> Self {
        let pairs: Vec<Declared> = matching
            .matches()
            .iter()
            .filter(|found| !found.is_ambiguous && found.level.is_exact())
            .filter_map(|found| Declared::new(before, after, found))
            .collect();
        let same = pairs.iter().filter(|pair| pair.before == pair.after).count();
        let is_same = pairs.len() >= LEAST_FUNCTIONS && same as f64 >= SAME_PART * pairs.len() as f64;
        let is_rebuilt = is_same && producers(before.census()) != producers(after.census());
        Self { is_rebuilt }
    }
}

/// A function of both builds: where it is declared.
struct Declared {
    before: u32,
    after: u32,
}

impl Declared {
    fn new(before: &Foreground<'_>, after: &Foreground<'_>, found: &Match) -> Option<Self> {
        if !before.is_sampled(found.before) || !after.is_sampled(found.after) {
            return None;
        }
        let (b, a) = (before.census().function(found.before)?, after.census().function(found.after)?);
        if is_of_library(b.name(), b.file()) || is_of_library(a.name(), a.file()) {
            return None;
        }
        let (file, other) = (file_stem(b.file()?), file_stem(a.file()?));
        let declared = Self { before: b.line()?, after: a.line()? };
        (file == other).then_some(declared)
    }
}

fn producers(census: &Census) -> Vec<&str> {
    let mut texts: Vec<&str> = census.producers().iter().map(|producer| &*producer.text).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// The sampled functions of a build by file, in the order of their lines.
pub(super) fn by_file<'a>(build: &Foreground<'a>) -> FxHashMap<&'a str, Vec<(u32, FunctionId)>> {
    let mut files: FxHashMap<&str, Vec<(u32, FunctionId)>> = FxHashMap::default();
    for id in build.sampled() {
        let Some(function) = build.census().function(id).filter(|function| function.is_present()) else {
            continue;
        };
        if let (Some(file), Some(line)) = (function.file(), function.line()) {
            files.entry(file_stem(file)).or_default().push((line, id));
        }
    }
    files.values_mut().for_each(|functions| functions.sort_unstable());
    files
}

#[cfg(test)]
mod tests {
    use pdiff_profile::ObjectAddr;
    use pdiff_profile::census::{Body, CensusBuilder, FunctionFacts, Producer, Visibility};

    use super::*;
    use crate::Aliases;
    use crate::matching::match_functions;

    /// A build of functions with the lines at which they are declared.
    fn build(compiler: &str, functions: &[(String, u32)]) -> Census {
        let mut builder = CensusBuilder::new(Visibility::DebugInfo);
        let producer = builder.producer(Producer::from_text(compiler, 1));
        for ((name, line), addr) in functions.iter().zip((0x1000..).step_by(0x1000)) {
            let (name, file) = (builder.text(name), builder.text("/src/a.cc"));
            let facts = FunctionFacts {
                file: Some(file),
                line: *line,
                producer: Some(producer),
                ..FunctionFacts::named(name)
            };
            let id = builder.function(facts);
            builder.body(id, Body::at(ObjectAddr(addr), 80));
        }
        builder.finish()
    }

    fn is_rebuilt(other: &str, compilers: [&str; 2]) -> bool {
        let of = |line: u32| {
            let own = (1..=LEAST_FUNCTIONS as u32).map(|line| (format!("run_{line}"), 10 * line));
            own.chain((0..3).map(|n| (format!("{other}_{n}"), line + n))).collect::<Vec<_>>()
        };
        let (functions, others) = (of(900), of(901));
        let (before, after) = (build(compilers[0], &functions), build(compilers[1], &others));
        let names = || functions.iter().map(|(name, _)| name.as_str());
        let matching = match_functions(&before, &after, &Aliases::default());
        let (of_before, of_after) = (Foreground::new(&before, names()), Foreground::new(&after, names()));
        Sources::new(&of_before, &of_after, &matching).is_rebuilt
    }

    #[test]
    fn lines_of_library_code_do_not_tell_whether_the_source_is_the_same() {
        let compilers = ["GNU C++11 12.2.0 -O2", "clang version 14.0.6"];
        assert!(is_rebuilt("std::vector::insert", compilers));
        assert!(!is_rebuilt("grown", compilers));
        assert!(!is_rebuilt("std::vector::insert", [compilers[0]; 2]));
    }
}
