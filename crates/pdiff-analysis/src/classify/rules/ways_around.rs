//! The ways through a function's code without a call of another, and the conditions that lead there: which are gone, and whether the before
//! run took them.

use pdiff_profile::{PerSide, Side};

use super::checks::{asks_alike, beyond, conditions_beyond, is_telling};
use super::code_counts::{
    FEW_SAMPLES, calls_in_code, code_and_entries, copies_in_code, new_calls_were_copies, only_copy,
};
use super::costs_by_calls::MANY_TIMES;
use crate::classify::case::Case;
use crate::classify::code_paths::{ConditionAround, FewerWays, SampledCode, SamplesAround, TurnsAround};
use crate::classify::context::Context;

/// Whether the code of both builds shows that a function goes on where it returned early: there was a way through it without a call
/// of the callee, and now there is none.
pub(super) fn has_lost_way_around(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> bool {
    PerSide::from_fn(|side| can_skip(context, caller, callee, side)) == PerSide::new(Some(true), Some(false))
}

/// Whether lost ways around a call may be why it costs `times` as much. A check that was never true is gone without an effect, and code
/// that does not run has no sample at all: so many calls less should have left some there. A loop around the call may run more often;
/// then the before run must have taken the ways.
pub(super) fn is_lost_way_why(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    times: f64,
) -> bool {
    let samples = samples_around(context, caller, callee, Side::Before);
    let repeats = || repeats(context, caller, callee);
    // So often that most of what it costs more is for that.
    let was_taken = samples.is_some_and(|of| of.around >= FEW_SAMPLES && explains_by_runs(&of, times));
    let may_be_taken = || samples.is_none_or(|of| may_be_taken(&of, (1.0 - 1.0 / times).max(0.0)));
    was_taken || (repeats() == Some(false) && may_be_taken())
}

/// Whether ways may have been taken in such a part of the runs, by the samples there.
fn may_be_taken(of: &SamplesAround, runs: f64) -> bool {
    let part = of.around_bytes as f64 / of.own_bytes.max(1) as f64;
    of.around > 0 || of.own as f64 * part * runs < SURE_TO_SHOW
}

/// Whether the before run may have taken ways through a function without a call of the callee each time: these have samples, or next to no
/// code.
pub(super) fn may_have_taken_way(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> bool {
    samples_around(context, caller, callee, Side::Before).is_some_and(|of| may_be_taken(&of, 1.0))
}

/// Whether samples show that the before run took ways through a function without a call of the callee.
pub(super) fn took_way_around(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> bool {
    samples_around(context, caller, callee, Side::Before).is_some_and(|of| of.around >= FEW_SAMPLES)
}

/// The samples of the before run on such ways, if they are so many that these were taken often.
pub(super) fn taken_around(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> Option<u64> {
    let of = samples_around(context, caller, callee, Side::Before)?;
    (of.around >= FEW_SAMPLES && of.around as f64 >= OWN_PART * of.own as f64).then_some(of.around)
}

/// Whether a loop of a function of the after build says how often it calls a callee.
fn repeats(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> Option<bool> {
    let (code, entries) = code_and_entries(context, caller, callee, Side::After)?;
    context.input.paths?.repeats(Side::After, &code, &entries)
}

/// How much of what a function costs more, on a log scale, must be for the ways that are gone, where it may call a callee several times.
const EXPLAINED: f64 = 0.5;

/// The part of the runs of a function that took such ways, by the samples a byte there and in all of its code: outside of loops, where
/// such ways have code there.
fn part_around(of: &SamplesAround) -> f64 {
    let by_byte = |of: SampledCode| of.samples as f64 / of.bytes.max(1) as f64;
    let (around, own) = match of.around_once.bytes {
        0 => (
            SampledCode { samples: of.around, bytes: of.around_bytes },
            SampledCode { samples: of.own, bytes: of.own_bytes },
        ),
        _ => (of.around_once, of.own_once),
    };
    by_byte(around) / by_byte(SampledCode { samples: own.samples.max(1), ..own })
}

/// Turns with so few bytes of their own, a jump, have hardly a sample, however often they run.
const NEXT_TO_NOTHING_BYTES: u64 = 16;

/// The turns of the loop in a caller that went on without a call of the callee in the before run, or may have, if the after build has
/// none. Another way out of the loop may have taken their place, or what is called there now may do what they did, or ask what they
/// asked: only calls of what was copied there before do neither, if the turns had no code of their own.
pub(super) fn lost_turns_around(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
) -> Option<PerSide<TurnsAround>> {
    let of = |side: Side| {
        let (code, entries) = code_and_entries(context, caller, callee, side)?;
        context.input.paths?.turns_around(side, &code, &entries)
    };
    let may_show = |turns: &TurnsAround| turns.taken >= FEW_SAMPLES || turns.bytes <= NEXT_TO_NOTHING_BYTES;
    let before = of(Side::Before).filter(|turns| turns.can_skip && may_show(turns))?;
    let has_no_code = before.bytes == 0 && before.taken == 0;
    let is_less = |after: &TurnsAround| {
        !after.can_skip
            && after.exits.iter().all(|asks| before.exits.contains(asks))
            && !after.makes_several
            && (after.other_calls <= before.other_calls
                || (has_no_code && new_calls_were_copies(context, caller)))
    };
    let after = of(Side::After).filter(is_less)?;
    Some(PerSide::new(before, after))
}

/// How many times as often the loop turns at most, by the samples a byte in code that is in no loop within it, and by a standard error;
/// `None` if that had few before. A check that is gone took time and bytes.
pub(super) fn turns_at_most(turns: &PerSide<TurnsAround>) -> Option<f64> {
    let PerSide { before, after } = turns;
    let part = |samples: f64, of: &TurnsAround| samples / of.all.max(1) as f64 / of.own_bytes.max(1) as f64;
    let most = after.own as f64 + (after.own as f64).sqrt() + 1.0;
    (before.own >= FEW_SAMPLES).then(|| part(most, after) / part(before.own as f64, before))
}

/// The samples of a side on the ways through a function without a call of the callee.
fn samples_around(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    side: Side,
) -> Option<SamplesAround> {
    let (code, entries) = code_and_entries(context, caller, callee, side)?;
    context.input.paths?.samples_around(side, &code, &entries)
}

/// Where so many samples are expected, there is one in 19 of 20 runs.
const SURE_TO_SHOW: f64 = 3.0;

/// The share of a callee under a caller that the before run may have had without a sample, in percent.
pub(super) fn unseen_pct(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> Option<f64> {
    let of = samples_around(context, caller, callee, Side::Before)?;
    Some(100.0 * SURE_TO_SHOW / of.all.max(1) as f64)
}

/// Ways that a run takes less than so many times as often are not taken any more.
const HARDLY: f64 = 0.1;

/// Ways with less than this part of the samples in a function's own code hardly tell how often it calls.
const OWN_PART: f64 = 0.1;

/// Ways with less than this part of the samples that are likely there may be taken less for other data.
const LEFT_PART: f64 = 0.5;

/// How the samples of a function that calls another lie in its code, if the before run took ways without a call of the callee, and the
/// after run hardly does. Of builds that are more than a patch apart, the code around these ways may be another one.
pub(super) fn way_not_taken(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
) -> Option<PerSide<SamplesAround>> {
    if !context.is_patched {
        return None;
    }
    let of = |side: Side| samples_around(context, caller, callee, side);
    let was_taken =
        |of: &SamplesAround| of.around >= FEW_SAMPLES && of.around as f64 >= OWN_PART * of.own as f64;
    let before = of(Side::Before).filter(was_taken)?;
    let after = of(Side::After).filter(|of| of.is_hardly_taken)?;
    // Where it asks the same, the data chose the way.
    let asks = |side: Side| asks_around(context, caller, callee, side);
    if asks(Side::Before).is_some_and(|before| asks(Side::After) == Some(before)) {
        return None;
    }
    // As many of all samples.
    let expected = before.around as f64 * after.all as f64 / before.all.max(1) as f64;
    let is_told = expected >= FEW_SAMPLES as f64 && after.around as f64 <= HARDLY * expected;
    is_told.then_some(PerSide::new(before, after))
}

/// How many callers in a row may ask what a function asked before.
const FARTHEST_CALLER: usize = 4;

/// Whether one of the functions that lead to a function has a condition now that the function lost, or a new one under which it does not
/// go on to the function: the check may have moved there, in whatever words. Words that do not tell what is asked are in any code: all of
/// what the function lost must be there.
pub(super) fn is_asked_above(context: &Context<'_>, case: &Case<'_>) -> bool {
    let Some(lost) = conditions_beyond(context, case, Side::Before) else { return false };
    let mut below = case;
    for _ in 0..FARTHEST_CALLER {
        let Some(main) = main_caller(context, below) else { return false };
        let new = conditions_beyond(context, main, Side::After).unwrap_or_default();
        // Through a pointer it may go elsewhere.
        let calls = PerSide::from_fn(|side| calls_in_code(context, main, below, side));
        let is_by_pointer = calls.before > 0 && calls.after == 0;
        let is_asked = new.iter().any(|asks| is_telling(asks) && lost.contains(asks))
            || (!lost.is_empty() && beyond(lost.clone(), new).is_empty());
        if is_asked || is_by_pointer || has_new_way_around(context, main, below) {
            return true;
        }
        below = main;
    }
    false
}

/// Whether a function has a condition after which it returns without a call of the callee, and that it had not before.
fn has_new_way_around(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> bool {
    let of = |side: Side| asks_around(context, caller, callee, side);
    of(Side::Before).zip(of(Side::After)).is_some_and(|(before, after)| !beyond(after, before).is_empty())
}

/// What a function asks where it may leave a way to a callee.
fn asks_around(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    side: Side,
) -> Option<Vec<Box<str>>> {
    let (code, entries) = code_and_entries(context, caller, callee, side)?;
    let conditions = context.input.paths?.conditions_around(side, &code, &entries)?;
    Some(conditions.into_iter().map(|condition| condition.asks).collect())
}

/// Whether a function asks the same in both builds where it may leave a way to a callee: then something else chose the way.
pub(super) fn asks_the_same_around(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> bool {
    let asks = |side: Side| asks_around(context, caller, callee, side);
    asks(Side::Before).is_some_and(|before| !before.is_empty() && asks(Side::After) == Some(before))
}

/// Whether the code of a caller calls a function at as many places as before, and under the same conditions, or always calls it once.
fn calls_as_before(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> bool {
    let calls = PerSide::from_fn(|side| calls_in_code(context, caller, callee, side));
    let asks = |side: Side| {
        let mut asks = asks_around(context, caller, callee, side)?;
        asks.sort_unstable();
        Some(asks)
    };
    let repeats = |side: Side| {
        let (code, entries) = code_and_entries(context, caller, callee, side)?;
        context.input.paths?.repeats(side, &code, &entries)
    };
    let is_same = || {
        asks(Side::Before).is_some_and(|before| asks(Side::After) == Some(before))
            && repeats(Side::Before) == repeats(Side::After)
    };
    let calls_once = |side: Side| Some(!repeats(side)? && !can_skip(context, caller, callee, side)?);
    (calls.before > 0 && calls.before == calls.after && is_same())
        || Side::BOTH.into_iter().all(|side| calls_once(side) == Some(true))
}

/// Whether the code of a function contains another in both builds.
pub(super) fn contains(context: &Context<'_>, above: &Case<'_>, of: &Case<'_>) -> bool {
    Side::BOTH.into_iter().all(|side| copies_in_code(context, above, of, side) > 0)
}

/// Whether a caller of `caller`, which is the function or contains it, calls it as before. What it contains calls the function itself.
pub(super) fn leads_as_before(
    context: &Context<'_>,
    above: &Case<'_>,
    caller: &Case<'_>,
    function: &Case<'_>,
) -> bool {
    let called = if contains(context, above, caller) { function } else { caller };
    calls_as_before(context, above, called)
}

/// The caller that calls a function most in the after run.
fn main_caller<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>) -> Option<&'c Case<'a>> {
    context.calls_to(case.row, Side::After).into_iter().find_map(|call| context.caller(call))
}

/// The conditions under which a function returns without a call of the callee, in both builds, where after has fewer of the same.
struct LostWays {
    conditions: PerSide<usize>,
    /// Those that are gone; of several that ask the same, those with the fewest samples.
    lost: Vec<ConditionAround>,
    /// Those that are left.
    kept: Vec<ConditionAround>,
    samples: PerSide<SamplesAround>,
}

/// The conditions around a call of which some are gone, and none is new. The ways that are left must be taken as before: else the data may
/// have changed.
fn lost_ways(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> Option<LostWays> {
    // What else changed above may ask it for other things, or ask itself what it asked. What contains it differs for that.
    let (mut below, mut main) = (caller, main_caller(context, caller));
    for _ in 0..FARTHEST_CALLER {
        let Some(above) = main.filter(|above| contains(context, above, caller)) else { break };
        (below, main) = (above, main_caller(context, above));
    }
    let is_asked_as_before = main.is_none_or(|main| {
        context.builds.same_code(&main.ids) != Some(false)
            || context.is_relaid(main)
            || leads_as_before(context, main, below, caller)
            || is_behind_pointers(context, main, below)
    });
    if !context.is_patched || !is_asked_as_before {
        return None;
    }
    let of = |side: Side| {
        let (code, entries) = code_and_entries(context, caller, callee, side)?;
        let conditions = context.input.paths?.conditions_around(side, &code, &entries)?;
        Some((conditions, samples_around(context, caller, callee, side)?))
    };
    let ((mut lost, before), (after_ways, after)) = (of(Side::Before)?, of(Side::After)?);
    let known = lost.len();
    // Of several that ask the same, those with the fewest samples may be the ones that are gone: the last ones are kept.
    let mut kept: Vec<ConditionAround> = Vec::new();
    let mut keep = |way: &ConditionAround, is_it: fn(&str, &str) -> bool| {
        let at = lost.iter().rposition(|old| is_it(&old.asks, &way.asks));
        kept.extend(at.map(|at| lost.remove(at)));
        at.is_some()
    };
    let unknown: Vec<&ConditionAround> =
        after_ways.iter().filter(|way| !keep(way, |old, new| old == new)).collect();
    // A compiler may make two checks of one that was there, on two ways.
    let all_before =
        context.input.paths?.conditions(Side::Before, &only_copy(context, caller, Side::Before)?);
    let is_doubled = |way: &ConditionAround| {
        is_telling(&way.asks) && all_before.as_ref().is_some_and(|all| all.contains(&way.asks))
    };
    let mut doubled = 0;
    for way in unknown {
        if !keep(way, asks_alike) {
            if !is_doubled(way) {
                return None;
            }
            doubled += 1;
        }
    }
    let conditions = PerSide::new(known, after_ways.len() - doubled);
    let samples = |ways: &[ConditionAround]| ways.iter().map(|way| way.samples).sum::<u64>();
    let expected = samples(&kept) as f64 * after.all as f64 / before.all.max(1) as f64;
    let is_left_as_before =
        expected < FEW_SAMPLES as f64 || samples(&after_ways) as f64 >= LEFT_PART * expected;
    // Which of those that ask the same is gone is not known: it may be one past which no code ran.
    for way in &mut lost {
        let mut same = kept.iter().filter(|kept| kept.asks == way.asks).map(|kept| kept.other_way);
        way.other_way = same.find(|other_way| !has_run(*other_way, &before)).unwrap_or(way.other_way);
    }
    let is_less = !lost.is_empty() && is_left_as_before;
    is_less.then_some(LostWays { conditions, lost, kept, samples: PerSide::new(before, after) })
}

/// The same of a callee that no call in a run of the caller may follow another of: a loop around it may run more often, and what is after the
/// first call may be asked otherwise.
fn lost_ways_of_one_call(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> Option<LostWays> {
    if repeats(context, caller, callee) == Some(true) { None } else { lost_ways(context, caller, callee) }
}

/// Whether no code of either build has a call by name from a caller to a function, or a copy of it there: a pointer chose it, and does not
/// tell for what.
fn is_behind_pointers(context: &Context<'_>, caller: &Case<'_>, function: &Case<'_>) -> bool {
    Side::BOTH.into_iter().all(|side| {
        calls_in_code(context, caller, function, side) == 0
            && copies_in_code(context, caller, function, side) == 0
    })
}

/// Whether fewer conditions let a function return without a call of the callee, and none is new.
pub(super) fn has_fewer_ways_around(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> bool {
    lost_ways_of_one_call(context, caller, callee).is_some()
}

/// The conditions under which a function returns without a call of the callee, in both builds, if after has fewer of the same, and no
/// other, and the before run took the ways of those that are gone. A check that was never true is gone without an effect, so these
/// ways must have samples of their own, and so many that they count by `is_often`.
pub(super) fn fewer_ways_around(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    is_often: impl Fn(u64, &SamplesAround) -> bool,
) -> Option<FewerWays> {
    let LostWays { conditions, lost, samples, .. } = lost_ways_of_one_call(context, caller, callee)?;
    let taken = lost.iter().map(|way| way.samples).sum();
    let is_proof = taken >= FEW_SAMPLES && is_often(taken, &samples.before);
    let asks = lost.iter().map(|way| way.asks.to_string()).collect();
    is_proof.then_some(FewerWays { conditions, asks, taken, is_of_all_ways: false, all: samples.before.all })
}

/// The same of a callee that the before run did not go on to at all: the ways that are gone were taken, or had next to no code, so that they
/// have hardly a sample, however often they were taken. Then the code past these conditions hardly ran.
pub(super) fn fewer_ways_of_absent(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
) -> Option<FewerWays> {
    let LostWays { conditions, lost, samples, .. } = lost_ways_of_one_call(context, caller, callee)?;
    let is_short = lost.iter().map(|way| way.bytes).sum::<u64>() <= NEXT_TO_NOTHING_BYTES;
    let taken: u64 = lost.iter().map(|way| way.samples).sum();
    // Code that several conditions lead to has the samples of none alone.
    let is_taken = taken >= FEW_SAMPLES || (lost.len() > 1 && samples.before.around >= FEW_SAMPLES);
    let asks = lost.iter().map(|way| way.asks.to_string()).collect();
    let all = samples.before.all;
    let is_told = (is_short && !lost.iter().any(|way| has_run(way.other_way, &samples.before))) || is_taken;
    is_told.then_some(FewerWays { conditions, asks, taken, is_of_all_ways: false, all })
}

/// Conditions that are gone, and how many of the runs went past those that are left.
pub(super) struct LeftPassed {
    /// What those ask that are gone.
    pub(super) asks: Vec<String>,
    /// The part of the runs of the function before that went past each that is left, at least.
    pub(super) part: f64,
}

/// The conditions under which a function returned without a call of the callee and that are gone, if after has no other, and so many runs
/// went past those that are left that these cannot explain why the callee is called so many times as much: no place in the code calls it more
/// often than the function runs. The ways that are gone need no code of their own.
pub(super) fn left_passed(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    times: f64,
) -> Option<LeftPassed> {
    let (code, entries) = code_and_entries(context, caller, callee, Side::After)?;
    if context.input.paths?.calls_in_loop(Side::After, &code, &entries) == Some(true) {
        return None;
    }
    let LostWays { lost, kept, samples, .. } = lost_ways(context, caller, callee)?;
    let by_byte = |samples: f64, bytes: u64| samples / bytes.max(1) as f64;
    let own = samples.before.own_once;
    let passed = |way: &ConditionAround| {
        let past = way.other_way_once.samples as f64;
        by_byte(past - past.sqrt(), way.other_way_once.bytes) / by_byte(own.samples as f64, own.bytes)
    };
    let part = kept.iter().map(passed).fold(1.0, f64::min);
    let is_told = own.samples >= FEW_SAMPLES && part * times >= MANY_TIMES.max(times.powf(EXPLAINED));
    is_told.then(|| LeftPassed { asks: lost.iter().map(|way| way.asks.to_string()).collect(), part })
}

/// One sample may count for the instruction after the one that ran.
const MORE_THAN_ONE: u64 = 2;

/// Whether the code past a condition ran, which leads to a call that was never made: then other conditions led around that.
fn has_run(past: SampledCode, of: &SamplesAround) -> bool {
    let part = past.bytes as f64 / of.own_bytes.max(1) as f64;
    past.samples >= MORE_THAN_ONE && past.samples as f64 > HARDLY * part * of.own as f64
}

/// Whether ways with so many samples were taken so often that they explain most of why a callee costs so many times as much.
pub(super) fn explains(taken: u64, of: &SamplesAround, times: f64) -> bool {
    taken as f64 >= OWN_PART * of.own as f64 && explains_by_runs(of, times)
}

/// Whether so many runs of a function took the ways around a callee that this explains most of why it costs so many times as much.
fn explains_by_runs(of: &SamplesAround, times: f64) -> bool {
    part_around(of) >= 1.0 - times.powf(-EXPLAINED)
}

/// What the conditions asked that a function's code lost, if it has no new ones and the before run took both ways of them; `None` if it
/// lost none.
pub(super) fn lost_conditions(context: &Context<'_>, case: &Case<'_>) -> Option<Vec<String>> {
    if !conditions_beyond(context, case, Side::After)?.is_empty() {
        return None;
    }
    let lost = conditions_beyond(context, case, Side::Before)?;
    let asks: Vec<String> = lost.into_iter().map(String::from).collect();
    let code = only_copy(context, case, Side::Before)?;
    let ways = context.input.paths?.samples_beside(Side::Before, &code, &asks)?;
    // Of several that ask the same, those with the fewest samples may be the ones that are gone: they come first.
    let count = |of: &str| asks.iter().filter(|asks| *asks == of).count();
    let mut distinct = asks.clone();
    distinct.dedup();
    let taken = |of: &String| {
        let ways = ways.iter().filter(|way| *way.asks == **of).take(count(of));
        ways.map(|way| way.samples).sum::<u64>()
    };
    (distinct.iter().map(taken).sum::<u64>() >= FEW_SAMPLES).then_some(asks)
}

/// Whether there is a way through the only copy of a function with code of its own, without a call of the callee.
fn can_skip(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>, side: Side) -> Option<bool> {
    let (code, entries) = code_and_entries(context, caller, callee, side)?;
    context.input.paths?.can_skip(side, &code, &entries)
}
