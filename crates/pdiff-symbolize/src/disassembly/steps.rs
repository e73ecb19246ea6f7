//! The instructions of a function of x86-64, and what may follow each: the ways through its code.
//!
//! A way ends at a return, at a jump out of the function, at code that traps, at a call of a function that is known not to return or
//! a jump to it, and at a call of the callee that is asked for or a jump to it. A jump through a table leads to all of its cases. Where
//! another jump through a register leads is not known, and then there are no ways; but a call in tail position leads out of the function.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::binary::call_targets::CallTargets;
use crate::binary::ranges::range_at;
use crate::disassembly::conditions::Asked;
use crate::disassembly::jump_tables::{JumpTables, all_cases};
use crate::disassembly::pointer_jumps::PointerJumps;

/// What may follow an instruction.
#[derive(Default)]
pub(super) struct Step {
    /// Where the next instruction begins, in memory.
    pub(super) end: u64,
    pub(super) next: Option<u64>,
    /// Where a call of the callee returns to.
    pub(super) back: Option<u64>,
    /// Where it jumps to in the function.
    pub(super) jump: Option<u64>,
    /// Where a switch may jump to.
    pub(super) cases: Vec<u64>,
    /// It may leave the function.
    pub(super) leaves: bool,
    /// It may do so by a jump.
    pub(super) jumps_out: bool,
    /// It may lead to the callee.
    pub(super) calls: bool,
    /// It calls another function, which need not return.
    pub(super) may_stay_away: bool,
    /// What it asks before it jumps.
    pub(super) asks: Option<Box<str>>,
}

/// Whether the function that begins at an address does not return.
pub(super) type NeverReturns<'a> = &'a dyn Fn(u64) -> bool;

/// The instructions by address; `None` if it is not known where one leads.
pub(super) fn steps(
    parts: &[(u64, &[u8])],
    (callees, targets): (&[u64], &CallTargets),
    never_returns: NeverReturns<'_>,
) -> Option<BTreeMap<u64, Step>> {
    let mut ranges: Vec<Range<u64>> =
        parts.iter().map(|(start, code)| *start..start.saturating_add(code.len() as u64)).collect();
    ranges.sort_by_key(|range| range.start);
    let mut steps = BTreeMap::new();
    let (Joins { joins, has_switch }, mut tables) = (joins(parts, targets), BTreeMap::new());
    for (start, code) in parts {
        let (mut asked, mut jumps) = (Asked::default(), PointerJumps::default());
        let mut switches = JumpTables::default();
        for instruction in Decoder::with_ip(64, code, *start, DecoderOptions::NONE) {
            let is_join = joins.contains(&instruction.ip());
            if is_join {
                asked.forget();
            }
            let (target, flow) = targets.step(&instruction);
            let is_tail_call = jumps.is_tail_call(&instruction);
            let table = has_switch.then(|| switches.next(&instruction, is_join)).flatten();
            let calls = target.is_some_and(|target| callees.contains(&target));
            let jump = target.filter(|target| !calls && range_at(&ranges, *target).is_some());
            let leads_out = !calls && jump.is_none();
            let stays_away = leads_out && target.is_some_and(never_returns);
            let leaves = leads_out && !stays_away;
            let end = instruction.next_ip();
            let next = Some(end);
            let step = match flow {
                FlowControl::Next | FlowControl::Interrupt => Step { next, ..Step::default() },
                FlowControl::Call if calls => Step { calls, back: next, ..Step::default() },
                FlowControl::Call if stays_away => Step::default(),
                FlowControl::Call | FlowControl::IndirectCall => {
                    Step { next, may_stay_away: true, ..Step::default() }
                }
                FlowControl::UnconditionalBranch => {
                    Step { jump, leaves, jumps_out: leaves, calls, ..Step::default() }
                }
                FlowControl::ConditionalBranch => {
                    Step { next, jump, leaves, jumps_out: leaves, calls, ..Step::default() }
                }
                FlowControl::Return => Step { leaves: true, ..Step::default() },
                // Such as `ud2`.
                FlowControl::Exception => Step::default(),
                FlowControl::IndirectBranch if is_tail_call => {
                    Step { leaves: true, jumps_out: true, ..Step::default() }
                }
                FlowControl::IndirectBranch => {
                    tables.insert(instruction.ip(), table?);
                    Step::default()
                }
                FlowControl::XbeginXabortXend => return None,
            };
            steps.insert(instruction.ip(), Step { end, asks: asked.next(&instruction), ..step });
        }
    }
    for (jump, cases) in all_cases(&tables, targets, |at| steps.contains_key(&at))? {
        steps.entry(jump).and_modify(|step: &mut Step| step.cases = cases);
    }
    Some(steps)
}

/// The calls of a callee.
pub(super) fn calls(parts: &[(u64, &[u8])], (callees, targets): (&[u64], &CallTargets)) -> Vec<Range<u64>> {
    let decoded =
        parts.iter().flat_map(|(start, code)| Decoder::with_ip(64, code, *start, DecoderOptions::NONE));
    let call = |instruction: Instruction| {
        let (target, flow) = targets.step(&instruction);
        let is_call = matches!(flow, FlowControl::Call | FlowControl::IndirectCall);
        let is_it = is_call && target.is_some_and(|target| callees.contains(&target));
        is_it.then(|| instruction.ip()..instruction.next_ip())
    };
    decoded.filter_map(call).collect()
}

/// So many instructions after a call, on all ways together, another call no longer belongs to it.
const IN_A_ROW: usize = 64;

/// How many calls of a callee lead to another one, in a few instructions and without a jump backwards.
pub(super) fn calls_in_a_row(parts: &[(u64, &[u8])], (callees, targets): (&[u64], &CallTargets)) -> usize {
    let calls = calls(parts, (callees, targets));
    let is_call = |at: u64| calls.iter().any(|call| call.start == at);
    let is_followed = |call: &&Range<u64>| {
        let (mut open, mut seen) = (vec![call.end], FxHashSet::default());
        while let Some(at) = open.pop() {
            if is_call(at) {
                return true;
            }
            if seen.len() == IN_A_ROW || !seen.insert(at) {
                continue;
            }
            let Some(instruction) = instruction_at(parts, at) else { continue };
            let (target, flow) = targets.step(&instruction);
            let is_jump = matches!(flow, FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch);
            if is_jump && target.is_some_and(|target| callees.contains(&target)) {
                return true;
            }
            let forward = target.filter(|target| *target > at);
            match flow {
                FlowControl::Return | FlowControl::Exception | FlowControl::IndirectBranch => {}
                FlowControl::UnconditionalBranch => open.extend(forward),
                FlowControl::ConditionalBranch => {
                    open.extend(forward.into_iter().chain([instruction.next_ip()]))
                }
                _ => open.push(instruction.next_ip()),
            }
        }
        false
    };
    calls.iter().filter(is_followed).count()
}

/// The instruction at an address in a function's code.
fn instruction_at(parts: &[(u64, &[u8])], at: u64) -> Option<Instruction> {
    parts.iter().find_map(|(start, code)| {
        let code =
            code.get(usize::try_from(at.checked_sub(*start)?).ok()?..).filter(|code| !code.is_empty())?;
        Some(Decoder::with_ip(64, code, at, DecoderOptions::NONE).decode())
    })
}

/// Where jumps lead, and whether some lead through a register or a table.
struct Joins {
    joins: FxHashSet<u64>,
    has_switch: bool,
}

fn joins(parts: &[(u64, &[u8])], targets: &CallTargets) -> Joins {
    let decoded =
        parts.iter().flat_map(|(start, code)| Decoder::with_ip(64, code, *start, DecoderOptions::NONE));
    let mut found = Joins { joins: FxHashSet::default(), has_switch: false };
    for instruction in decoded {
        let (target, flow) = targets.step(&instruction);
        let is_jump = matches!(flow, FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch);
        found.joins.extend(target.filter(|_| is_jump));
        found.has_switch |= flow == FlowControl::IndirectBranch;
    }
    found
}

/// Where a way goes on after an instruction that is no call of the callee.
pub(super) fn following<'s>(
    steps: &BTreeMap<u64, Step>,
    step: &'s Step,
) -> impl Iterator<Item = u64> + use<'s> {
    // A call at the very end is of a function that does not return.
    let ends_here = step.may_stay_away && step.next.is_some_and(|next| !steps.contains_key(&next));
    step.next.filter(|_| !ends_here).into_iter().chain(step.jump).chain(step.cases.iter().copied())
}

/// The instructions from which a way leads to such a step, without a call of the callee before.
pub(super) fn leading_to(steps: &BTreeMap<u64, Step>, is_end: impl Fn(&Step) -> bool) -> BTreeSet<u64> {
    let mut leading: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
    for (at, step) in steps {
        following(steps, step).for_each(|to| leading.entry(to).or_default().push(*at));
    }
    let ends = steps.iter().filter(|(_, step)| is_end(step));
    let (mut open, mut found): (Vec<u64>, _) = (ends.map(|(at, _)| *at).collect(), BTreeSet::new());
    while let Some(at) = open.pop() {
        if found.insert(at) {
            open.extend(leading.get(&at).into_iter().flatten());
        }
    }
    found
}

/// The instructions that ways from some lead to, without a call of the callee, or past such calls; `None` if one leads into no
/// instruction.
pub(super) fn reached(
    steps: &BTreeMap<u64, Step>,
    from: impl IntoIterator<Item = u64>,
    may_pass: bool,
) -> Option<BTreeSet<u64>> {
    let (mut open, mut seen): (Vec<u64>, _) = (from.into_iter().collect(), BTreeSet::new());
    while let Some(at) = open.pop() {
        if seen.insert(at) {
            let step = steps.get(&at)?;
            open.extend(following(steps, step).chain(step.back.filter(|_| may_pass)));
        }
    }
    Some(seen)
}

/// The instructions that are reached only without a call of the callee, and from which no such call follows; `None` if no way leads to
/// a call.
pub(super) fn around(steps: &BTreeMap<u64, Step>, entry: u64) -> Option<BTreeSet<u64>> {
    let before_calls = reached(steps, [entry], false)?;
    let backs = steps.values().filter_map(|step| step.back).filter(|back| steps.contains_key(back));
    let after_calls = reached(steps, backs, true)?;
    let leads_to_call = leading_to(steps, |step| step.calls);
    let is_call = |at: &u64| steps.get(at).is_some_and(|step| step.calls);
    before_calls.iter().any(is_call).then_some(())?;
    let is_around = |at: &u64| !leads_to_call.contains(at) && !after_calls.contains(at);
    Some(before_calls.into_iter().filter(is_around).collect())
}

/// The same instructions as ranges of addresses.
pub(super) fn ranges(steps: &BTreeMap<u64, Step>, code: impl IntoIterator<Item = u64>) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for at in code {
        let end = steps.get(&at).map_or(at, |step| step.end);
        match ranges.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end = end,
            None => ranges.push(at..end),
        }
    }
    ranges
}
