//! How often a function calls or contains another in the code of a build, and whether it has code of its own there.

use std::ops::Range;

use pdiff_profile::census::{Body, BodyPart, Census, Function, FunctionId};
use pdiff_profile::{PerSide, Side};

use crate::classify::case::Case;
use crate::classify::code_paths::SamplesOnce;
use crate::classify::context::Context;
use crate::noise::MIN_SAMPLES;

/// The calls of a function in the code of a caller.
pub(in crate::classify) fn calls_in_code(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    side: Side,
) -> u32 {
    let Some(census) = context.builds.census(side) else { return 0 };
    let entries = entries(census, callee, side);
    let pairs = caller.ids[side].iter().flat_map(|from| entries.iter().map(move |to| (*from, *to)));
    pairs.filter_map(|(from, to)| census.call(from, to)).map(|edge| edge.calls + edge.tail_jumps).sum()
}

/// What code of the program calls to enter a function: it, or the linker's stub for one of a library.
fn entries(census: &Census, callee: &Case<'_>, side: Side) -> Vec<FunctionId> {
    match callee.is_of_library() {
        true => census.find(&format!("{}@plt", callee.row.name)).map(Function::id).collect(),
        false => callee.ids[side].clone(),
    }
}

/// The length of a function's code in both builds; 0 where it is not known, or only inlined.
pub(in crate::classify) fn code_bytes(context: &Context<'_>, case: &Case<'_>) -> PerSide<u64> {
    PerSide::from_fn(|side| context.builds.census(side).map_or(0, |census| case.code_bytes(census, side)))
}

/// All calls of a function in the code of a build.
pub(super) fn all_calls_in_code(context: &Context<'_>, case: &Case<'_>, side: Side) -> u32 {
    let Some(census) = context.builds.census(side) else { return 0 };
    let edges = entries(census, case, side).into_iter().flat_map(|id| census.calls_to(id));
    edges.map(|edge| edge.calls + edge.tail_jumps).sum()
}

/// So many samples under the calls of a function tell which of them are made ...
const SURE_OF_CALLS: u64 = 100;

/// ... and one with less than this part of them hardly is.
const PART_OF_CALL: f64 = 0.05;

/// The calls of a function in the code of a caller. Those that the after build has more do not count where the stacks show no more calls
/// that are made than before.
pub(super) fn calls_that_run(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> PerSide<u32> {
    let calls = PerSide::from_fn(|side| calls_in_code(context, caller, callee, side));
    if calls.before == 0 || calls.after <= calls.before {
        return calls;
    }
    let made = |side: Side| {
        let samples = samples_under_calls(context, caller, callee, side)?;
        let all: u64 = samples.iter().sum();
        let least = PART_OF_CALL * all as f64;
        (all >= SURE_OF_CALLS).then(|| samples.iter().filter(|samples| **samples as f64 >= least).count())
    };
    let are_made = made(Side::After).zip(made(Side::Before)).is_none_or(|(after, before)| after > before);
    PerSide::new(calls.before, if are_made { calls.after } else { calls.before })
}

/// The samples of a side under each call of a function in the code of a caller.
fn samples_under_calls(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    side: Side,
) -> Option<Vec<u64>> {
    let (code, entries) = code_and_entries(context, caller, callee, side)?;
    context.input.paths?.samples_under_calls(side, &code, &entries)
}

/// How many more calls of a function follow another one in the code of a caller, and the samples of each side under its calls there; `None`
/// if none more do, or that is not known.
pub(super) fn more_calls_in_a_row(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
) -> Option<(usize, PerSide<Vec<u64>>)> {
    let in_a_row = |side: Side| {
        let (code, entries) = code_and_entries(context, caller, callee, side)?;
        context.input.paths?.calls_in_a_row(side, &code, &entries)
    };
    let (before, after) = (in_a_row(Side::Before)?, in_a_row(Side::After)?);
    let more = after.checked_sub(before).filter(|more| *more > 0)?;
    let samples = |side: Side| samples_under_calls(context, caller, callee, side);
    Some((more, PerSide::new(samples(Side::Before)?, samples(Side::After)?)))
}

/// How many calls of a function every way through a caller's code makes at least, if that is one or more, and after more: an early return
/// between two calls is gone, perhaps. Or a loop is known to turn now, or a helper that makes a call is inlined.
pub(super) fn more_least_calls(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
) -> Option<PerSide<u32>> {
    let least = |side: Side| {
        let (code, entries) = code_and_entries(context, caller, callee, side)?;
        context.input.paths?.least_calls(side, &code, &entries)
    };
    let (before, after) = (least(Side::Before)?, least(Side::After)?);
    (before > 0 && after > before).then(|| PerSide::new(before, after))
}

/// Whether the stacks show that a caller makes calls of a function at more places than before.
pub(super) fn calls_at_more_places(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> bool {
    let places = |side: Side| {
        let samples = samples_under_calls(context, caller, callee, side)?;
        Some(samples.into_iter().filter(|samples| *samples >= FEW_SAMPLES).count())
    };
    places(Side::Before).zip(places(Side::After)).is_some_and(|(before, after)| before > 0 && after > before)
}

/// So many samples on ways without a call tell that they were taken.
pub(super) const FEW_SAMPLES: u64 = 10;

/// The samples of a side in the own code of a function's only copy.
fn samples_once(context: &Context<'_>, case: &Case<'_>, side: Side) -> Option<SamplesOnce> {
    context.input.paths?.samples_once(side, &only_copy(context, case, side)?)
}

/// Whether most of what a function costs is in code that runs once in a call, or that code was sampled before: else its loops may run
/// longer.
pub(super) fn is_told_by_calls(context: &Context<'_>, case: &Case<'_>) -> bool {
    let of = |side: Side| samples_once(context, case, side);
    let is_mostly_once = |of: SamplesOnce| of.once as f64 >= CALLS_PART * of.own as f64;
    of(Side::After).is_some_and(is_mostly_once)
        || of(Side::Before).is_some_and(|before| before.once >= FEW_SAMPLES)
}

/// Code that runs once in a call may cost this part of the times as much that all of a function's code does: else its loops run
/// longer, or wait for other data.
const CALLS_PART: f64 = 0.6;

/// What is called more costs at least so many times as much in such code, by a standard error.
const MORE_ONCE: f64 = 1.3;

/// Code that every call runs explains at least this part of what all of a function's code costs more, on a log scale: else other ways are
/// taken through it, for other data.
const IN_EVERY_CALL: f64 = 0.5;

/// Whether samples show that a function of the same code is called more, rather than that a call costs more: its code outside of loops
/// grew, as all of it did, and code that every call runs does not contradict it, with a standard error in its favour on both sides.
pub(super) fn is_called_more(context: &Context<'_>, case: &Case<'_>) -> bool {
    let of = |side: Side| samples_once(context, case, side);
    let (Some(before), Some(after)) = (of(Side::Before), of(Side::After)) else { return false };
    let number = |samples: u64| samples as f64;
    let (old, new) = (number(before.once), number(after.once));
    let at_least = (new - new.sqrt()) / number(after.all).max(1.0);
    let expected = context.common_shift.factor() * (old + old.sqrt() + 1.0) / number(before.all).max(1.0);
    let has_grown = at_least >= MORE_ONCE * expected;
    // As many samples before as all of its code says, or fewer.
    let expected = number(before.own) * new / number(after.own).max(1.0);
    has_grown
        && old - old.sqrt() <= expected / CALLS_PART + 1.0
        && times_in_every_call(context, case, (before, after), f64::sqrt)
            .is_none_or(|times| times.is_as_expected())
}

/// Whether a function of the same code is hardly called more, by code that every call runs, though a caller calls it that never did. Its
/// calls may take other ways through the function than those of other callers: so a little more is enough.
pub(super) fn is_hardly_called_more(context: &Context<'_>, case: &Case<'_>) -> bool {
    let of = |side: Side| samples_once(context, case, side);
    let of_both = of(Side::Before).zip(of(Side::After));
    let times = of_both.and_then(|of_both| times_in_every_call(context, case, of_both, |_| 0.0));
    times.is_some_and(|times| !times.is_as_expected() && times.in_every_call < MORE_ONCE)
}

/// How many times as much a function costs.
struct EveryCall {
    /// In code that every call runs.
    in_every_call: f64,
    /// In all of its own code.
    own: f64,
}

impl EveryCall {
    /// Whether as many more calls as all of its code would say explain most of it.
    fn is_as_expected(&self) -> bool {
        self.in_every_call >= self.own.powf(IN_EVERY_CALL)
    }
}

/// How many times as much a function costs, without the common factor, where the samples in code that every call runs may be off by an
/// error. `None` if there are few before, or if the builds have other code of it: they may differ in what every call runs.
fn times_in_every_call(
    context: &Context<'_>,
    case: &Case<'_>,
    (before, after): (SamplesOnce, SamplesOnce),
    error: impl Fn(f64) -> f64,
) -> Option<EveryCall> {
    let (old, new) = (before.in_every_call?.samples, after.in_every_call?.samples);
    if old < FEW_SAMPLES || !context.has_like_code(case) {
        return None;
    }
    let number = |samples: u64| samples as f64;
    let (old, new) = (number(old), number(new));
    let factor = context.common_shift.factor() * number(after.all).max(1.0) / number(before.all).max(1.0);
    let times = |old: f64, new: f64| new / (factor * old);
    Some(EveryCall {
        in_every_call: times(old - error(old), new + error(new)),
        own: times(number(before.own), number(after.own)),
    })
}

/// How many times as much code costs that every call of a function runs, without the common factor, where the samples on both sides may be off
/// by an error; `None` if there are few. The builds may have other code of it, so that they differ a little in what every call runs.
pub(super) fn every_call_times(
    context: &Context<'_>,
    case: &Case<'_>,
    error: impl Fn(f64) -> f64,
) -> Option<f64> {
    Some(times_and_bytes_of_every_call(context, case, error)?.0)
}

/// How many times as often a function runs at most, by [`every_call_times`]: if the after build has less code that every call runs, by the
/// samples a byte. A costly check that is gone does not hide calls then.
pub(super) fn runs_at_most(context: &Context<'_>, case: &Case<'_>) -> Option<f64> {
    let (times, bytes) = times_and_bytes_of_every_call(context, case, f64::sqrt)?;
    Some(times * times_shorter(bytes))
}

/// How many times as short code of so many bytes became; 1 if it became no shorter.
pub(super) fn times_shorter(bytes: PerSide<u64>) -> f64 {
    let PerSide { before, after } = bytes.map(|bytes| bytes.max(1) as f64);
    (before / after).max(1.0)
}

/// [`every_call_times`], and the length of the code on each side.
fn times_and_bytes_of_every_call(
    context: &Context<'_>,
    case: &Case<'_>,
    error: impl Fn(f64) -> f64,
) -> Option<(f64, PerSide<u64>)> {
    let of = |side: Side| {
        let of = samples_once(context, case, side)?;
        let code = of.in_every_call.filter(|of| of.samples >= FEW_SAMPLES)?;
        Some((code.samples as f64, of.all.max(1) as f64, code.bytes))
    };
    let ((old, all_old, old_bytes), (new, all_new, new_bytes)) = (of(Side::Before)?, of(Side::After)?);
    let at_most = (new + error(new)) / all_new;
    let times = at_most / (context.common_shift.factor() * (old - error(old)) / all_old);
    Some((times, PerSide::new(old_bytes, new_bytes)))
}

/// Whether each call of a function in the code of a caller has so many times as many samples under it, without the common factor, or there is
/// only one.
pub(super) fn grew_under_each_call(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    times: f64,
) -> bool {
    let of = |side: Side| samples_under_calls(context, caller, callee, side);
    let (Some(before), Some(after)) = (of(Side::Before), of(Side::After)) else { return false };
    let all = |side: Side| samples_once(context, callee, side).map_or(1, |of| of.all.max(1)) as f64;
    let expected = context.common_shift.factor() * all(Side::After) / all(Side::Before);
    let has_grown =
        |(old, new): (&u64, &u64)| *new >= FEW_SAMPLES && *new as f64 >= times * expected * *old as f64;
    let is_as_many = before.len() == after.len() && !before.is_empty();
    is_as_many && (before.len() == 1 || before.iter().zip(&after).all(has_grown))
}

/// The samples that a function has after in code of its own that runs once in a call, under a caller where it has this share: there were
/// as many before, if it was called as often.
pub(super) fn once_under(context: &Context<'_>, case: &Case<'_>, after_pct: f64) -> f64 {
    samples_once(context, case, Side::After)
        .map_or(0.0, |of| of.once as f64 * after_pct / case.row.after.total_pct)
}

/// Whether code that every call of a function runs has so many samples after under a caller where it has this share, that the before run would
/// have some had it been called as often: however little a call cost.
pub(super) fn is_seen_in_every_call(context: &Context<'_>, case: &Case<'_>, after_pct: f64) -> bool {
    let in_every_call = samples_once(context, case, Side::After).and_then(|of| of.in_every_call);
    in_every_call
        .is_some_and(|of| of.samples as f64 * after_pct >= FEW_SAMPLES as f64 * case.row.after.total_pct)
}

/// The part of a side's samples, in percent, in loops of a function's only copy with code of its own: in code that a call may run more
/// than once.
pub(super) fn loops_pct(context: &Context<'_>, case: &Case<'_>, side: Side) -> Option<f64> {
    let of = samples_once(context, case, side)?;
    Some(100.0 * (of.own - of.once) as f64 / of.all.max(1) as f64)
}

/// So many of the samples in a function's own code are at one instruction where it waits for memory.
const AT_ONE_PART: f64 = 0.8;

/// Whether one instruction has nearly all samples of a function's own code in both runs: it waits there, mostly for memory, and may wait
/// longer each time.
pub(super) fn waits_at_one_instruction(context: &Context<'_>, case: &Case<'_>) -> bool {
    Side::BOTH.into_iter().all(|side| {
        let bodies = only_copy(context, case, side);
        let of = bodies.and_then(|bodies| context.input.paths?.samples_at_one(side, &bodies));
        of.is_some_and(|of| of.own >= MIN_SAMPLES && of.most as f64 >= AT_ONE_PART * of.own as f64)
    })
}

/// Whether a function of the after build has no loop in its only copy with code of its own.
pub(super) fn has_no_loop(context: &Context<'_>, case: &Case<'_>) -> bool {
    has_loop(context, case, Side::After) == Some(false)
}

/// Whether the only copy of a function with code of its own has a loop in a build; `None` if that is not known.
pub(in crate::classify) fn has_loop(context: &Context<'_>, case: &Case<'_>, side: Side) -> Option<bool> {
    context.input.paths?.has_loop(side, &only_copy(context, case, side)?)
}

/// How many bytes of the stack the only copy of a function with code of its own takes in a build; `None` if that is not known.
pub(in crate::classify) fn frame_bytes(context: &Context<'_>, case: &Case<'_>, side: Side) -> Option<u64> {
    context.input.paths?.frame_bytes(side, &only_copy(context, case, side)?)
}

/// Where the only copy of a function with code of its own lies, and where a callee can be entered.
pub(super) fn code_and_entries(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    side: Side,
) -> Option<(Vec<Range<u64>>, Vec<u64>)> {
    let (paths, census) = (context.input.paths?, context.builds.census(side)?);
    let code = only_copy(context, caller, side)?;
    let entries: Vec<u64> = match callee.is_of_library() {
        true => paths.ways_to(side, &callee.row.name),
        false => {
            own_bodies(census, callee, side).filter(|body| !is_cold(body)).map(|body| body.addr.0).collect()
        }
    };
    Some((code, entries))
}

/// The code of a function that has one copy of its own: where it begins first, and its cold parts.
pub(super) fn only_copy(context: &Context<'_>, case: &Case<'_>, side: Side) -> Option<Vec<Range<u64>>> {
    let (cold, own): (Vec<&Body>, Vec<&Body>) =
        own_bodies(context.builds.census(side)?, case, side).partition(|body| is_cold(body));
    let range = |body: &Body| body.addr.0..body.addr.0.saturating_add(body.bytes);
    (own.len() == 1).then(|| own.into_iter().chain(cold).map(range).collect())
}

/// How many bodies of its own a function has in a build: those of several functions of one name, or copies for some arguments.
pub(super) fn bodies_in_code(context: &Context<'_>, case: &Case<'_>, side: Side) -> usize {
    let census = context.builds.census(side).into_iter();
    census.flat_map(|census| own_bodies(census, case, side)).filter(|body| !is_cold(body)).count()
}

fn own_bodies<'c>(census: &'c Census, case: &Case<'_>, side: Side) -> impl Iterator<Item = &'c Body> {
    let functions = case.ids[side].iter().filter_map(|id| census.function(*id));
    functions.flat_map(|function| function.bodies())
}

fn is_cold(body: &Body) -> bool {
    body.part == BodyPart::Cold
}

/// The copies of a function in the code of another.
pub(in crate::classify) fn copies_in_code(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    side: Side,
) -> u32 {
    let Some(census) = context.builds.census(side) else { return 0 };
    let pairs = callee.ids[side].iter().flat_map(|of| caller.ids[side].iter().map(move |by| (*of, *by)));
    pairs.flat_map(|(of, by)| census.sites_in(of, by)).map(|site| site.count).sum()
}

/// Whether all functions that the code of one calls at more places after were copied into it before.
pub(super) fn new_calls_were_copies(context: &Context<'_>, case: &Case<'_>) -> bool {
    let (Some(before), Some(after)) =
        (context.builds.census(Side::Before), context.builds.census(Side::After))
    else {
        return false;
    };
    let places = |census: &Census, ids: &[FunctionId], name: &str| {
        let calls = ids.iter().flat_map(|id| census.calls_from(*id));
        let of_it =
            calls.filter(|edge| census.function(edge.callee).is_some_and(|callee| callee.name() == name));
        of_it.map(|edge| edge.calls + edge.tail_jumps).sum::<u32>()
    };
    let was_copied = |name: &str| {
        let mut ids = before.find(name);
        ids.any(|of| case.ids.before.iter().any(|by| !before.sites_in(of.id(), *by).is_empty()))
    };
    let calls = case.ids.after.iter().flat_map(|id| after.calls_from(*id));
    let mut names = calls.filter_map(|edge| Some(after.function(edge.callee)?.name()));
    names.all(|name| {
        places(after, &case.ids.after, name) <= places(before, &case.ids.before, name) || was_copied(name)
    })
}

/// Whether a function of the program has samples and no code of its own in both builds: it runs only inlined.
pub(in crate::classify) fn is_inlined_only(context: &Context<'_>, case: &Case<'_>) -> bool {
    let bytes = |side: Side| context.builds.census(side).map_or(0, |census| case.code_bytes(census, side));
    case.of_program && Side::BOTH.into_iter().all(|side| bytes(side) == 0 && case.is_sampled(side))
}

/// The side whose build only contains a function inlined, if the other build has code of its own for it: the two cannot be
/// compared.
pub(super) fn is_in_other_form(context: &Context<'_>, case: &Case<'_>) -> Option<Side> {
    let bytes = code_bytes(context, case);
    let is_copied = |side: Side| {
        let census = context.builds.census(side);
        let function = |id: &FunctionId| census.and_then(|census| census.function(*id));
        case.ids[side].iter().filter_map(function).any(|function| function.inlined_instances() > 0)
    };
    Side::BOTH.into_iter().find(|side| bytes[*side] == 0 && bytes[side.other()] > 0 && is_copied(*side))
}

/// Whether a build contains it inlined only: it has no code of its own that could be looked for in the other build.
pub(in crate::classify) fn has_no_body(context: &Context<'_>, case: &Case<'_>, with: Side) -> bool {
    let ids = &case.ids[with];
    let function = |id| context.builds.census(with).and_then(|census| census.function(id));
    !ids.is_empty() && ids.iter().filter_map(|id| function(*id)).all(|function| function.bodies().is_empty())
}
