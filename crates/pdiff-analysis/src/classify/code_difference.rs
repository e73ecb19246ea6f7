//! What differs in the code of a function between the builds: what a reader of both listings would note first.
//!
//! In: a case and the reason for its verdict. Out: a [`CodeDifference`], if the files of both builds are at hand and the code that runs for
//! the function is not the same. That is its own code, that of the function which contains it where it runs only inlined, or
//! that of the caller which calls it more.

use std::collections::BTreeMap;

use pdiff_profile::census::{BodyPart, Function, FunctionId};
use pdiff_profile::{OtherNumber, PerSide, Side};

use super::builds::Builds;
use super::case::{Case, share_pct};
use super::context::Context;
use super::library::is_of_library;
use super::named_uses::{NamedUses, named};
use super::reason::Reason;
use super::rules::{code_bytes, conditions_beyond, frame_bytes, has_loop, place};

/// How the code of a function differs between the builds.
#[derive(Clone, PartialEq, Debug)]
pub struct CodeDifference {
    /// The function.
    pub function: String,
    /// The length of its code.
    pub bytes: PerSide<u64>,
    /// The numbers in which it differs, if it differs in nothing else.
    pub numbers: Vec<OtherNumber>,
    /// The functions that it calls at more or fewer places: those first that cost most under it, and then by how many.
    pub calls: Vec<OtherUses>,
    /// The functions of the program of which it contains more or fewer copies, in the same order.
    pub copies: Vec<OtherUses>,
    /// What the conditions of its jumps ask that only a side's code has, sorted; `None` if that is not known.
    pub conditions: PerSide<Option<Vec<String>>>,
    /// Whether it has a loop; `None` if that is not known.
    pub has_loop: PerSide<Option<bool>>,
    /// The bytes of the stack that it takes for itself; `None` if that is not known.
    pub frame_bytes: PerSide<Option<u64>>,
}

/// How often the code of a function calls or contains another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherUses {
    /// The other function.
    pub function: String,
    /// The places in each build.
    pub places: PerSide<u32>,
}

/// What differs in the code that runs for a case, by the reason for its verdict.
pub(super) fn of(context: &Context<'_>, case: &Case<'_>, reason: &Reason) -> Option<CodeDifference> {
    context.input.paths.filter(|paths| paths.has_files())?;
    let caller = match reason {
        Reason::NewEdge { caller, .. }
        | Reason::MoreOnEdge { caller, .. }
        | Reason::UnseenCalls { caller, .. }
        | Reason::MoreCalls { caller: Some(caller), .. }
        | Reason::QuickWayGone { caller: Some(caller), .. }
        | Reason::SelfChanged { under: Some((caller, _)), .. } => {
            // What is called may be of a library.
            let row = context.program_row(caller, None).and_then(|row| context.row_number(row));
            Some(context.cases.get(row?)?)
        }
        _ => None,
    };
    let own = caller.or_else(|| place(context, case)).unwrap_or(case);
    difference(context, own)
}

fn difference(context: &Context<'_>, case: &Case<'_>) -> Option<CodeDifference> {
    let builds = &context.builds;
    let bytes = code_bytes(context, case);
    if bytes.before == 0 || bytes.after == 0 || builds.same_code(&case.ids) != Some(false) {
        return None;
    }
    let shares = shares(context, case);
    let share = |name: &str| shares.get(name).copied().unwrap_or(0.0);
    let uses = |counts: PerSide<BTreeMap<Key, u32>>| {
        let mut others = others(builds, counts);
        others.sort_by(|a, b| {
            let more = |of: &OtherUses| of.places.before.abs_diff(of.places.after);
            share(&b.function).total_cmp(&share(&a.function)).then(more(b).cmp(&more(a)))
        });
        others
    };
    Some(CodeDifference {
        function: case.row.name.to_string(),
        bytes,
        numbers: builds.other_numbers(&case.ids).to_vec(),
        calls: uses(PerSide::from_fn(|side| calls(builds, case, side))),
        copies: uses(PerSide::from_fn(|side| copies(builds, case, side))),
        conditions: conditions(context, case),
        has_loop: PerSide::from_fn(|side| has_loop(context, case, side)),
        frame_bytes: PerSide::from_fn(|side| frame_bytes(context, case, side)),
    })
}

/// What the conditions ask that only a side's code has. The same comparison of a number in memory and in a register, or at another place
/// in memory, is the compiler's choice, or that of a record's layout.
fn conditions(context: &Context<'_>, case: &Case<'_>) -> PerSide<Option<Vec<String>>> {
    let of = |side: Side| conditions_beyond(context, case, side);
    let Some(sides) = PerSide::from_fn(of).both() else { return PerSide::default() };
    let mut after: Vec<String> = sides.after.into_iter().map(String::from).collect();
    let mut before: Vec<String> = sides.before.into_iter().map(String::from).collect();
    before.retain(|asks| {
        let same = after.iter().position(|other| without_place(other) == without_place(asks));
        same.map(|at| after.remove(at)).is_none()
    });
    PerSide::new(Some(before), Some(after))
}

/// What a condition asks, without where the numbers are: `cmp4 5,r e` for `cmp4 5,[+24] e`. Which one comes first follows from that.
fn without_place(asks: &str) -> Vec<&str> {
    let place = |word| if str::starts_with(word, '[') { "r" } else { word };
    let mut words: Vec<&str> = asks.split([' ', ',']).map(place).collect();
    words.sort_unstable();
    words
}

/// The larger of the shares that each function has under another in the stacks, by its name.
fn shares(context: &Context<'_>, case: &Case<'_>) -> BTreeMap<String, f64> {
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    for side in Side::BOTH {
        for call in context.calls_from(case.row, side) {
            let share = share_pct(case.row, side, call.weight(side));
            let known = shares.entry(call.callee.clone()).or_default();
            *known = known.max(share);
        }
    }
    shares
}

/// A function by its id in the after build, or in the before build if that alone has it.
type Key = (Side, FunctionId);

fn key(builds: &Builds<'_>, side: Side, function: FunctionId) -> Key {
    let partner = || builds.after_of(function).filter(|_| side == Side::Before);
    partner().map_or((side, function), |partner| (Side::After, partner))
}

/// Whether what a function calls, or contains, is a part that a compiler split off it, on either side, or what is left: no other function.
fn is_itself(builds: &Builds<'_>, case: &Case<'_>, used: FunctionId, side: Side) -> bool {
    let is_in_parts = |side: Side| {
        let functions = case.ids[side].iter().filter_map(|id| builds.census(side)?.function(*id));
        functions.flat_map(Function::bodies).any(|body| body.part == BodyPart::Part)
    };
    case.ids[side].contains(&used) && Side::BOTH.into_iter().any(is_in_parts)
}

/// How often the code of a function calls, or leaves to, others on a side.
fn calls(builds: &Builds<'_>, case: &Case<'_>, side: Side) -> BTreeMap<Key, u32> {
    let mut calls = BTreeMap::new();
    let Some(census) = builds.census(side) else { return calls };
    let edges = case.ids[side].iter().flat_map(|id| census.calls_from(*id));
    for edge in edges.filter(|edge| !is_itself(builds, case, edge.callee, side)) {
        *calls.entry(key(builds, side, edge.callee)).or_default() += edge.calls + edge.tail_jumps;
    }
    calls
}

/// The copies of functions of the program in the code of a function on a side. Compilers copy those of libraries as they like.
fn copies(builds: &Builds<'_>, case: &Case<'_>, side: Side) -> BTreeMap<Key, u32> {
    let mut copies = BTreeMap::new();
    let Some(census) = builds.census(side) else { return copies };
    let is_own = |of: FunctionId| {
        census.function(of).is_some_and(|of| !is_of_library(of.name(), of.file()))
            && !is_itself(builds, case, of, side)
    };
    for site in
        case.ids[side].iter().flat_map(|id| census.sites_by_caller(*id)).filter(|site| is_own(site.callee))
    {
        *copies.entry(key(builds, side, site.callee)).or_default() += site.count;
    }
    copies
}

/// What is not used as often in both builds. Functions of one name count as one.
fn others(builds: &Builds<'_>, counts: PerSide<BTreeMap<Key, u32>>) -> Vec<OtherUses> {
    let mut uses: BTreeMap<&str, PerSide<NamedUses>> = BTreeMap::new();
    for side in Side::BOTH {
        for ((of, function), count) in &counts[side] {
            let Some(function) = builds.census(*of).and_then(|census| census.function(*function)) else {
                continue;
            };
            let (name, form) = named(function);
            uses.entry(name).or_default()[side].add(form, *count);
        }
    }
    let places = uses.into_iter().map(|(name, uses)| (name, uses.map(|of| of.places())));
    let differing = places.filter(|(_, places)| places.before != places.after);
    differing.map(|(name, places)| OtherUses { function: name.to_owned(), places }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_compared_number_is_makes_no_other_check() {
        assert_eq!(without_place("cmp1 32,[+0] e"), without_place("cmp1 32,r e"));
        assert_eq!(without_place("cmp4 0,[+24] e"), without_place("cmp4 0,[+32] e"));
        assert_ne!(without_place("cmp4 0,r e"), without_place("cmp4 1,r e"));
        assert_ne!(without_place("cmp4 0,r e"), without_place("cmp4 0,r s"));
    }
}
