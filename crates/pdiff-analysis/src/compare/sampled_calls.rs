//! Who called whom in the sampled stacks, for the rows that changed.
//!
//! A call is one function right above another in a stack, inlined levels included, counted once a stack however often
//! it stands there. Chains lose callers (a frameless leaf hides its direct caller), so these are lower bounds.
//!
//! Cost: three times unique stacks x depth; only pairs with a changed row, or with what a changed row calls, are kept.

use pdiff_profile::{PerSide, Side, StackId, Weight};
use rustc_hash::{FxHashMap, FxHashSet};

use super::matching::Renames;
use super::measure_change::CostExtent;
use super::pointer_calls::{CallPlace, PointerCalls};
use super::prepare::{Prepared, PreparedRun};
use super::row::Row;
use crate::normalize::{KeyId, Level};

/// What the stacks show of calls.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SampledCalls {
    /// Calls to or from rows whose self, self by symbol or total changed, and all calls of what these call; by caller, then
    /// callee.
    pub calls: Vec<SampledCall>,
    /// The same of functions with code of their own alone, where stacks have inlined functions in between: whose code calls whom.
    pub of_code: Vec<SampledCall>,
}

/// A function right above another in stacks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SampledCall {
    /// The caller's name.
    pub caller: String,
    /// The caller's object.
    pub caller_object: String,
    /// The caller's file, if known.
    pub caller_file: Option<String>,
    /// The callee's name.
    pub callee: String,
    /// The callee's object.
    pub callee_object: String,
    /// The callee's file, if known.
    pub callee_file: Option<String>,
    /// Weight of stacks with the call on the base side.
    pub before: Weight,
    /// The same on the other side.
    pub after: Weight,
    /// From how many places in the caller's code it was called through a pointer, on each side. A place with less than a tenth of these
    /// samples does not count; zero if places are not known.
    pub pointer_places: PerSide<u32>,
}

/// The part of the samples of calls through pointers that a place must have.
const PART_OF_PLACE: f64 = 0.1;

impl SampledCall {
    /// One side's weight.
    #[must_use]
    pub fn weight(&self, side: Side) -> Weight {
        match side {
            Side::Before => self.before,
            Side::After => self.after,
        }
    }
}

/// Whether a row changed, so that all calls to and from it are kept.
pub(crate) fn has_calls(row: &Row) -> bool {
    let costs = [&row.cost_change, &row.booked.cost_change, &row.total.cost_change];
    row.significant
        || row.booked.significant
        || row.total.significant
        || costs.into_iter().flatten().any(|change| change.extent == CostExtent::Own)
}

/// By caller and callee: the weight on each side.
type Pairs = FxHashMap<(KeyId, KeyId), PerSide<Weight>>;

/// By caller and callee: the weight on each side by the place of the call, where it went through a pointer.
type Places = FxHashMap<(KeyId, KeyId), PerSide<FxHashMap<CallPlace, u64>>>;

pub(super) fn sampled_calls(prepared: &Prepared<'_>, rows: &[Row]) -> SampledCalls {
    let changed: FxHashSet<(&str, &str)> =
        rows.iter().filter(|row| has_calls(row)).map(|row| (&*row.name, &*row.object)).collect();
    let wanted: Vec<bool> =
        prepared.keys.iter().map(|(_, key)| changed.contains(&(&*key.name, &*key.object))).collect();
    let mut called = wanted.clone();
    for run in &prepared.runs {
        mark_called(run, prepared.renames, &wanted, &mut called);
    }
    let (runs, renames) = (&prepared.runs, prepared.renames);
    let ((pairs, of_code), places) = rayon::join(
        || {
            let of = (&*wanted, &*called);
            rayon::join(|| pairs_of_levels(runs, renames, of), || pairs_of_code(runs, renames, of))
        },
        || {
            let mut places = Places::default();
            runs.iter().for_each(|run| count_places(run, renames, &wanted, &mut places));
            places
        },
    );
    let call = |((caller, callee), weight): ((KeyId, KeyId), PerSide<Weight>)| {
        let PerSide { before, after } = weight;
        let pointer_places = places.get(&(caller, callee)).map_or_else(PerSide::default, number_of_places);
        let (caller, callee) = (prepared.keys.get(caller), prepared.keys.get(callee));
        SampledCall {
            caller: caller.name.to_string(),
            caller_object: caller.object.to_string(),
            caller_file: caller.file().map(str::to_owned),
            callee: callee.name.to_string(),
            callee_object: callee.object.to_string(),
            callee_file: callee.file().map(str::to_owned),
            before,
            after,
            pointer_places,
        }
    };
    let [calls, of_code] = [pairs, of_code].map(|pairs| {
        let mut calls: Vec<SampledCall> = pairs.into_iter().map(call).collect();
        calls.sort_by(|a, b| order(a).cmp(&order(b)));
        calls
    });
    SampledCalls { calls, of_code }
}

/// The pairs of functions with code of their own, one above the other, that some stack has inlined functions between.
fn pairs_of_code(runs: &[PreparedRun<'_>], renames: &Renames, of: (&[bool], &[bool])) -> Pairs {
    let (mut pairs, mut apart) = (Pairs::default(), FxHashSet::default());
    for run in runs {
        count_run(run, of, &mut pairs, |levels, of_stack| {
            let machine = || levels.iter().enumerate().filter(|(_, level)| !level.inlined);
            for ((above, caller), (below, callee)) in machine().zip(machine().skip(1)) {
                let pair = (renames.canonical(caller.key), renames.canonical(callee.key));
                of_stack.push(pair);
                if below - above > 1 {
                    apart.insert(pair);
                }
            }
        });
    }
    pairs.retain(|pair, _| apart.contains(pair));
    pairs
}

/// The pairs of functions one above the other, inlined ones, too.
fn pairs_of_levels(runs: &[PreparedRun<'_>], renames: &Renames, of: (&[bool], &[bool])) -> Pairs {
    let mut pairs = Pairs::default();
    for run in runs {
        count_run(run, of, &mut pairs, |levels, of_stack| {
            let canonical = levels.iter().map(|level| renames.canonical(level.key));
            of_stack.extend(canonical.clone().zip(canonical.skip(1)));
        });
    }
    pairs
}

/// How many places have a good part of the weight.
fn number_of_places(by_place: &PerSide<FxHashMap<CallPlace, u64>>) -> PerSide<u32> {
    PerSide::from_fn(|side| {
        let weights = by_place[side].values();
        let least = PART_OF_PLACE * weights.clone().sum::<u64>() as f64;
        weights.filter(|weight| **weight as f64 >= least).count() as u32
    })
}

/// What calls are sorted by: names, then objects and files.
fn order(call: &SampledCall) -> ([&str; 4], [Option<&str>; 2]) {
    let names = [&*call.caller, &*call.callee, &*call.caller_object, &*call.callee_object];
    (names, [call.caller_file.as_deref(), call.callee_file.as_deref()])
}

/// Marks what rows of a set call.
fn mark_called(run: &PreparedRun<'_>, renames: &Renames, wanted: &[bool], called: &mut [bool]) {
    for (stack, _) in (0_u32..).zip(run.stack_weights()).filter(|(_, weight)| *weight > 0) {
        for pair in run.stacks.get(StackId(stack)).windows(2) {
            let [caller, callee] = pair else { continue };
            if wanted.get(renames.canonical(caller.key).0 as usize).copied().unwrap_or(false) {
                let callee = called.get_mut(renames.canonical(callee.key).0 as usize);
                callee.into_iter().for_each(|called| *called = true);
            }
        }
    }
}

/// Adds the pairs that stacks of one run have, each once a stack, of which the caller is wanted or the callee is called by one that is.
fn count_run(
    run: &PreparedRun<'_>,
    (wanted, called): (&[bool], &[bool]),
    pairs: &mut Pairs,
    mut add_pairs: impl FnMut(&[Level], &mut Vec<(KeyId, KeyId)>),
) {
    let is_of = |keys: &[bool], key: KeyId| keys.get(key.0 as usize).copied().unwrap_or(false);
    let mut of_stack: Vec<(KeyId, KeyId)> = Vec::new();
    for (stack, weight) in (0_u32..).zip(run.stack_weights()).filter(|(_, weight)| *weight > 0) {
        of_stack.clear();
        add_pairs(run.stacks.get(StackId(stack)), &mut of_stack);
        of_stack.retain(|(caller, callee)| is_of(wanted, *caller) || is_of(called, *callee));
        of_stack.sort_unstable();
        of_stack.dedup();
        for pair in &of_stack {
            pairs.entry(*pair).or_default()[run.side] += Weight(weight);
        }
    }
}

/// Adds the places from which one run called changed rows through pointers.
fn count_places(run: &PreparedRun<'_>, renames: &Renames, wanted: &[bool], places: &mut Places) {
    let Some(calls) = PointerCalls::new(run.input) else { return };
    let is_wanted = |key: KeyId| wanted.get(key.0 as usize).copied().unwrap_or(false);
    for (stack, weight) in (0..).map(StackId).zip(run.stack_weights()).filter(|(_, weight)| *weight > 0) {
        let levels = run.stacks.get(stack);
        let machine = || (0..).zip(levels).filter(|(_, level): &(usize, _)| !level.inlined);
        if !levels.iter().any(|level| is_wanted(renames.canonical(level.key))) {
            continue;
        }
        let called_from = calls.of(stack);
        // A stack that callers were put back in is not the recorded one.
        if called_from.len() != machine().count() {
            continue;
        }
        for ((at, callee), place) in machine().zip(called_from) {
            let caller = at.checked_sub(1).and_then(|at| levels.get(at));
            let (Some(caller), Some(place)) = (caller, place) else { continue };
            let (caller, callee) = (renames.canonical(caller.key), renames.canonical(callee.key));
            if is_wanted(callee) {
                let by_place = &mut places.entry((caller, callee)).or_default()[run.side];
                let sum = by_place.entry(place).or_default();
                *sum = sum.saturating_add(weight);
            }
        }
    }
}
