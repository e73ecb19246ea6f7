//! The callers of a row in words: those where a change of inlining is confirmed, else those that contain copies.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pdiff_analysis::inlines::{Change, Flip, FunctionComparison, InlineComparison};
use pdiff_profile::census::{Census, Function, FunctionId};

use crate::document::number::grouped;
use crate::document::short_name::shorten;
use crate::document::visible_text::visible;

/// Callers that are named.
const MOST_CALLERS: usize = 3;

/// What its sites and the comma after them take.
const SITES: usize = 8;

/// A name of a caller gets at least this much room.
const LEAST_NAME: usize = 20;

/// The callers of a row, with their call sites, for about `room` columns.
pub(crate) fn callers_text(
    comparison: &InlineComparison<'_>,
    row: &FunctionComparison,
    room: usize,
) -> String {
    let held = |census, function: Option<FunctionId>| held_by(census, function, room);
    let lost = flips(comparison.before, &row.confirmed_lost, |flip| flip.caller_before, room);
    let gained = flips(comparison.after, &row.confirmed_gained, |flip| flip.caller_after, room);
    match (row.change, lost.is_empty(), gained.is_empty()) {
        (Change::Lost, true, _) => format!("not confirmed: {}", held(comparison.before, row.before)),
        (Change::Gained, _, true) => format!("not confirmed: {}", held(comparison.after, row.after)),
        (Change::Mixed, true, true) => "partly, in some callers".to_owned(),
        (Change::Mixed, false, true) => format!("lost in {lost}"),
        (Change::Mixed, true, false) => format!("gained in {gained}"),
        (Change::Mixed, false, false) => format!("lost in {lost}; gained in {gained}"),
        (Change::Lost, ..) => lost,
        (Change::Gained, ..) => gained,
        (Change::New, ..) => held(comparison.after, row.after),
        _ => held(comparison.before, row.before),
    }
}

fn flips(census: &Census, flips: &[Flip], caller: impl Fn(&Flip) -> FunctionId, room: usize) -> String {
    list(census, flips.iter().map(|flip| (caller(flip), flip.sites)).collect(), room)
}

fn held_by(census: &Census, function: Option<FunctionId>, room: usize) -> String {
    let target = function.and_then(|id| census.function(id)).map(Function::target);
    let callers = target.into_iter().flat_map(|target| census.inlined_into(target));
    list(census, callers.map(|into| (into.caller, into.sites)).collect(), room)
}

/// `name x2, other x1, +5`: most sites first; overloads are one.
fn list(census: &Census, callers: Vec<(FunctionId, u64)>, room: usize) -> String {
    let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
    for (caller, sites) in callers {
        *by_name.entry(census.function(caller).map_or("", Function::name)).or_default() += sites;
    }
    let mut callers: Vec<(&str, u64)> = by_name.into_iter().collect();
    callers.sort_unstable_by_key(|(name, sites)| (Reverse(*sites), *name));
    let named = (room / (LEAST_NAME + SITES)).clamp(1, MOST_CALLERS).min(callers.len());
    let each = (room / named.max(1)).saturating_sub(SITES).max(LEAST_NAME);
    let mut words: Vec<String> = callers
        .iter()
        .take(named)
        .map(|(name, sites)| format!("{} x{}", shorten(&visible(name), each), grouped(*sites)))
        .collect();
    if callers.len() > named {
        words.push(format!("+{}", grouped((callers.len() - named) as u64)));
    }
    words.join(", ")
}
