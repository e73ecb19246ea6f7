//! One turn of the loop around a call, as if it were a function: whether a turn can end without the call.
//!
//! A turn begins where the loop is entered, and ends where it goes on with the next one. Ways out of the loop end no turn: a loop that
//! is left does not go on to the call, whatever it did before.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::binary::call_targets::CallTargets;
use crate::disassembly::once::in_loops;
use crate::disassembly::steps::{NeverReturns, Step, around, following, ranges, reached, steps};

/// Loops in loops are followed so deep.
const DEEPEST: usize = 16;

/// The turns of a loop without a certain call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnsAround {
    /// Whether the code has such turns.
    pub can_skip: bool,
    /// Whether a turn may make several calls.
    pub makes_several: bool,
    /// The code that only these run, in order.
    pub code: Vec<Range<u64>>,
    /// The code that runs at most once in a turn, in order: in no loop within the loop.
    pub once: Vec<Range<u64>>,
    /// What is asked where the loop may be left, each once, in order.
    pub exits: Vec<Box<str>>,
    /// How many other calls the loop has.
    pub other_calls: usize,
}

/// The turns without a call of the innermost loop around all calls of the callee; `None` if there is no such loop.
pub(super) fn turns_around(
    parts: &[(u64, &[u8])],
    callees: (&[u64], &CallTargets),
    never_returns: NeverReturns<'_>,
) -> Option<TurnsAround> {
    let steps = steps(parts, callees, never_returns)?;
    let (head, turn) = turn(&steps, parts.first()?.0)?;
    let code = ranges(&turn, around(&turn, head)?);
    let in_loops = in_loops(&turn);
    let once = ranges(&turn, turn.keys().copied().filter(|at| !in_loops.contains(at)));
    let run = reached(&turn, [head], false)?;
    let backs = turn.values().filter_map(|step| step.back);
    let after_calls = reached(&turn, backs, true)?;
    let makes_several = after_calls.iter().any(|at| turn.get(at).is_some_and(|step| step.calls));
    let can_skip = run.iter().any(|at| turn.get(at).is_some_and(|step| step.leaves));
    let inside = || turn.keys().filter_map(|at| Some((*at, steps.get(at)?)));
    let leads_out = |at: u64| successors(&steps, at).any(|to| !turn.contains_key(&to));
    let exits: BTreeSet<Box<str>> =
        inside().filter(|(at, _)| leads_out(*at)).filter_map(|(_, step)| step.asks.clone()).collect();
    let other_calls = inside().filter(|(_, step)| step.may_stay_away).count();
    Some(TurnsAround { can_skip, makes_several, code, once, exits: exits.into_iter().collect(), other_calls })
}

/// The innermost loop that all calls of the callee are in: where a turn begins, and its instructions, of which those that end a turn
/// leave. `None` if there is no such loop, or it can be entered at several places.
fn turn(steps: &BTreeMap<u64, Step>, entry: u64) -> Option<(u64, BTreeMap<u64, Step>)> {
    let mut within: FxHashSet<u64> = reached(steps, [entry], true)?.into_iter().collect();
    let calls: Vec<u64> =
        within.iter().copied().filter(|at| steps.get(at).is_some_and(|step| step.calls)).collect();
    let mut head = None;
    for _ in 0..DEEPEST {
        let turned = cycle(steps, &within, *calls.first()?, head);
        if !calls.iter().all(|call| turned.contains(call)) {
            break;
        }
        head = Some(only_head(steps, entry, &within, &turned)?);
        within = turned;
    }
    let head = head?;
    let inside = |to: Option<u64>| to.filter(|to| within.contains(to) && *to != head);
    let of_turn = |at: &u64| {
        let step = steps.get(at)?;
        let ends = following(steps, step).any(|to| to == head);
        let kept = Step {
            end: step.end,
            next: inside(step.next),
            back: inside(step.back),
            jump: inside(step.jump),
            cases: step.cases.iter().filter_map(|to| inside(Some(*to))).collect(),
            leaves: ends,
            calls: step.calls,
            ..Step::default()
        };
        Some((*at, kept))
    };
    Some((head, within.iter().filter_map(of_turn).collect()))
}

/// Where an instruction leads to, past calls of the callee.
fn successors<'s>(steps: &'s BTreeMap<u64, Step>, at: u64) -> impl Iterator<Item = u64> + use<'s> {
    let step = steps.get(&at);
    step.into_iter().flat_map(move |step| following(steps, step).chain(step.back))
}

/// The instructions within some that an instruction leads to and that lead to it, without going through the head of a loop.
fn cycle(steps: &BTreeMap<u64, Step>, within: &FxHashSet<u64>, of: u64, head: Option<u64>) -> FxHashSet<u64> {
    let allowed = |to: &u64| within.contains(to) && Some(*to) != head;
    let mut before: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
    let (mut open, mut after) = (vec![of], FxHashSet::default());
    while let Some(at) = open.pop() {
        for to in successors(steps, at).filter(allowed) {
            before.entry(to).or_default().push(at);
            if after.insert(to) {
                open.push(to);
            }
        }
    }
    let (mut open, mut found) = (vec![of], FxHashSet::default());
    while let Some(at) = open.pop() {
        for from in before.get(&at).into_iter().flatten() {
            if found.insert(*from) {
                open.push(*from);
            }
        }
    }
    if found.contains(&of) { found } else { FxHashSet::default() }
}

/// The one instruction at which a loop is entered.
fn only_head(
    steps: &BTreeMap<u64, Step>,
    entry: u64,
    within: &FxHashSet<u64>,
    turned: &FxHashSet<u64>,
) -> Option<u64> {
    let outside = within.iter().filter(|at| !turned.contains(at));
    let mut heads: Vec<u64> =
        outside.flat_map(|at| successors(steps, *at)).filter(|to| turned.contains(to)).collect();
    heads.extend(turned.contains(&entry).then_some(entry));
    heads.sort_unstable();
    heads.dedup();
    match heads.as_slice() {
        [head] => Some(*head),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a turn of the code at 0x1000 can go on without a call of 0x2000, and where only such turns are.
    fn turns(code: &[u8]) -> Option<(bool, Vec<(u64, u64)>)> {
        let found = turns_around(&[(0x1000, code)], (&[0x2000], &CallTargets::default()), &|_| false)?;
        Some((found.can_skip, found.code.into_iter().map(|range| (range.start, range.end)).collect()))
    }

    #[test]
    fn a_turn_that_goes_on_without_the_call_is_a_way_around_it() {
        // 1: test %edi,%edi; je 2f; call 0x2000; jmp 3f; 2: nop; nop; 3: dec %esi; jne 1b; ret
        let code = b"\x85\xff\x74\x07\xe8\xf7\x0f\x00\x00\xeb\x02\x90\x90\xff\xce\x75\xef\xc3";
        assert_eq!(turns(code), Some((true, vec![(0x100b, 0x100d)])));
        // 1: call 0x2000; dec %esi; jne 1b; ret
        assert_eq!(turns(b"\xe8\xfb\x0f\x00\x00\xff\xce\x75\xf7\xc3"), Some((false, vec![])));
    }

    #[test]
    fn a_turn_with_two_calls_or_a_loop_around_one_makes_several() {
        let several = |code: &[u8]| {
            let found = turns_around(&[(0x1000, code)], (&[0x2000], &CallTargets::default()), &|_| false);
            found.map(|found| found.makes_several)
        };
        // 1: call 0x2000; dec %esi; jne 1b; ret
        assert_eq!(several(b"\xe8\xfb\x0f\x00\x00\xff\xce\x75\xf7\xc3"), Some(false));
        // 1: call 0x2000; call 0x2000; dec %esi; jne 1b; ret
        assert_eq!(several(b"\xe8\xfb\x0f\x00\x00\xe8\xf6\x0f\x00\x00\xff\xce\x75\xf2\xc3"), Some(true));
        // 1: call 0x2000; 2: call 0x2000; dec %edx; jne 2b; dec %esi; jne 1b; ret: a loop in the turn.
        let code = b"\xe8\xfb\x0f\x00\x00\xe8\xf6\x0f\x00\x00\xff\xca\x75\xf7\xff\xce\x75\xee\xc3";
        assert_eq!(several(code), Some(true));
    }

    #[test]
    fn a_way_out_of_the_loop_is_none() {
        // 1: dec %esi; je 2f; call 0x2000; jmp 1b; 2: ret
        let code = b"\xff\xce\x74\x07\xe8\xf7\x0f\x00\x00\xeb\xf5\xc3";
        assert_eq!(turns(code), Some((false, vec![])));
        let found = |code: &[u8]| {
            let found = turns_around(&[(0x1000, code)], (&[0x2000], &CallTargets::default()), &|_| false);
            let found = found.unwrap();
            (found.exits.iter().map(ToString::to_string).collect::<Vec<_>>(), found.other_calls)
        };
        assert_eq!(found(code), (vec!["dec4 r e".to_owned()], 0));
        // 1: dec %esi; je 2f; test %edi,%edi; je 2f; call 0x2000; call 0x3000; jmp 1b; 2: ret
        let code = b"\xff\xce\x74\x10\x85\xff\x74\x0c\xe8\xf3\x0f\x00\x00\xe8\xee\x1f\x00\x00\xeb\xec\xc3";
        assert_eq!(found(code), (vec!["cmp4 0,r e".to_owned(), "dec4 r e".to_owned()], 1));
    }

    #[test]
    fn of_loops_in_loops_the_innermost_counts() {
        // 1: test %edi,%edi; je 3f; 2: call 0x2000; dec %esi; jne 2b; 3: dec %edx; jne 1b; ret
        let code = b"\x85\xff\x74\x09\xe8\xf7\x0f\x00\x00\xff\xce\x75\xf7\xff\xca\x75\xef\xc3";
        assert_eq!(turns(code), Some((false, vec![])));
        // 1: test %edi,%edi; je 3f; call 0x2000; 2: dec %esi; jne 2b; 3: dec %edx; jne 1b; ret
        let code = b"\x85\xff\x74\x09\xe8\xf7\x0f\x00\x00\xff\xce\x75\xfc\xff\xca\x75\xef\xc3";
        assert_eq!(turns(code), Some((true, vec![])));
    }

    #[test]
    fn without_a_loop_with_one_entry_around_all_calls_there_is_no_answer() {
        // call 0x2000; ret
        assert_eq!(turns(b"\xe8\xfb\x0f\x00\x00\xc3"), None);
        // test %edi,%edi; je 2f; 1: call 0x2000; 2: dec %esi; jne 1b; ret
        assert_eq!(turns(b"\x85\xff\x74\x05\xe8\xf7\x0f\x00\x00\xff\xce\x75\xf7\xc3"), None);
        // call 0x2000; 1: call 0x2000; dec %esi; jne 1b; ret
        let code = b"\xe8\xfb\x0f\x00\x00\xe8\xf6\x0f\x00\x00\xff\xce\x75\xf7\xc3";
        assert_eq!(turns(code), None);
    }
}
