//! The conditions under which a function of x86-64 leaves a way to a certain call, and the code on both ways of each.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::binary::call_targets::CallTargets;
use crate::disassembly::dominators::Dominators;
use crate::disassembly::once::in_loops;
use crate::disassembly::steps::{NeverReturns, around, leading_to, ranges, reached, steps};

/// A way through a function without a certain call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WayAround {
    /// What the jump compares that leads there, and how: `cmp4 5,[+24] e`. Registers and places on the stack are left out. Of a switch: to how
    /// many of its cases.
    pub asks: Box<str>,
    /// The code that only this jump leads to, in order. It may have none: ways return at the same place.
    pub code: Vec<Range<u64>>,
    /// The code that only the other way of the jump leads to, up to the calls.
    pub other_way: Vec<Range<u64>>,
    /// What of that is in no loop.
    pub other_way_once: Vec<Range<u64>>,
}

/// A jump that leads around the call.
struct Found {
    asks: Box<str>,
    /// What follows if it does.
    way: BTreeSet<u64>,
    /// What its other way alone leads to.
    other_way: BTreeSet<u64>,
}

/// Functions with more conditions around a call are not looked at.
const MOST_CONDITIONS: usize = 200;

/// See [`CallPaths::conditions_around`](super::CallPaths::conditions_around).
pub(super) fn conditions_around(
    parts: &[(u64, &[u8])],
    callees: (&[u64], &CallTargets),
    never_returns: NeverReturns<'_>,
) -> Option<Vec<WayAround>> {
    let steps = steps(parts, callees, never_returns)?;
    let entry = parts.first()?.0;
    let around = around(&steps, entry)?;
    let (calls, leaves) = (leading_to(&steps, |step| step.calls), leading_to(&steps, |step| step.leaves));
    let mut found: Vec<Found> = Vec::new();
    let run = reached(&steps, [entry], false)?;
    let dominators = Dominators::new(&steps, entry)?;
    for at in &run {
        let step = steps.get(at)?;
        if !step.cases.is_empty() {
            let is_around = |to: &&u64| !calls.contains(to) && leaves.contains(to);
            let past: BTreeSet<u64> = step.cases.iter().filter(is_around).copied().collect();
            if !past.is_empty() && step.cases.iter().any(|to| calls.contains(to)) {
                let asks = format!("switch {} of {}", past.len(), step.cases.len());
                let way = past.into_iter().filter(|way| around.contains(way));
                let way = reached(&steps, way, false)?;
                let calling = step.cases.iter().filter(|to| calls.contains(to));
                let other_way = calling.flat_map(|to| dominators.only_by((*at, *to))).collect();
                found.push(Found { asks: asks.into(), way, other_way });
            }
            continue;
        }
        let Some(asks) = &step.asks else { continue };
        // Of each way: whether it leads to a call, and whether it leads out without one.
        let of = |to: Option<u64>, else_is: (bool, bool)| {
            to.map_or(else_is, |to| (calls.contains(&to), leaves.contains(&to)))
        };
        let (jump, next) = (of(step.jump, (step.calls, step.leaves)), of(step.next, (false, false)));
        let is_around = |(leads, _): (bool, bool), (other_leads, other_leaves): (bool, bool)| {
            leads && !other_leads && other_leaves
        };
        let (way, other) = match (is_around(jump, next), is_around(next, jump)) {
            (true, _) => (step.next, step.jump),
            (_, true) => (step.jump, step.next),
            _ => continue,
        };
        (!asks.is_empty() && found.len() < MOST_CONDITIONS).then_some(())?;
        let way = way.filter(|way| around.contains(way));
        let other_way = match other {
            Some(to) => dominators.only_by((*at, to)).into_iter().collect(),
            None => BTreeSet::new(),
        };
        let way = reached(&steps, way, false)?;
        found.push(Found { asks: asks.clone(), way, other_way });
    }
    let alone = |at: usize| {
        let is_of_others =
            |code: &u64| found.iter().enumerate().any(|(other, of)| other != at && of.way.contains(code));
        let way = found.get(at).map(|of| &of.way).into_iter().flatten().copied();
        ranges(&steps, way.filter(|code| around.contains(code) && !is_of_others(code)))
    };
    let in_loops = in_loops(&steps);
    let mut ways: Vec<WayAround> = found
        .iter()
        .enumerate()
        .map(|(at, of)| WayAround {
            asks: of.asks.clone(),
            code: alone(at),
            other_way: ranges(&steps, of.other_way.iter().copied()),
            other_way_once: ranges(&steps, of.other_way.iter().copied().filter(|at| !in_loops.contains(at))),
        })
        .collect();
    ways.sort_by(|a, b| a.asks.cmp(&b.asks));
    Some(ways)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLEE: u64 = 0x2000;
    const ABORTS: u64 = 0x4000;

    #[test]
    fn conditions_around_a_call_are_those_that_lead_past_it() {
        let conditions = |code: &[u8]| {
            conditions_around(&[(0x1000, code)], (&[CALLEE], &CallTargets::default()), &|to| to == ABORTS)
        };
        let check = |code: &[u8], expected: &[&str]| {
            let found = conditions(code).unwrap_or_default();
            assert_eq!(found.iter().map(|way| &*way.asks).collect::<Vec<_>>(), expected, "{code:02x?}");
        };
        // test %edi,%edi; je 1f; call 0x2000; 1: ret
        check(b"\x85\xff\x74\x05\xe8\xf7\x0f\x00\x00\xc3", &["cmp4 0,r e"]);
        // test %edi,%edi; jne 1f; ret; 1: call 0x2000; ret: the same with the other condition.
        check(b"\x85\xff\x75\x01\xc3\xe8\xf6\x0f\x00\x00\xc3", &["cmp4 0,r e"]);
        // cmpl $5,0x18(%rsi); je 1f; nop; 1: test %edi,%edi; je 2f; call 0x2000; 2: ret: the first leads to the call on both ways.
        let two = b"\x83\x7e\x18\x05\x74\x01\x90\x85\xff\x74\x05\xe8\xf0\x0f\x00\x00\xc3";
        check(two, &["cmp4 0,r e"]);
        // cmpl $5,0x18(%rsi); jle 2f; nop; test %edi,%edi; je 2f; call 0x2000; 2: ret
        let both = b"\x83\x7e\x18\x05\x7e\x0a\x90\x85\xff\x74\x05\xe8\xf0\x0f\x00\x00\xc3";
        check(both, &["cmp4 0,r e", "cmp4 5,[+24] l"]);
        // cmpl $5,0x18(%rsp); je 0x2000 (in tail position); cmpb $1,0x100(%rip); je 0x2000; ret
        let tail = b"\x83\x7c\x24\x18\x05\x0f\x84\xf5\x0f\x00\x00\x80\x3d\x00\x01\x00\x00\x01\x0f\x84\xe8\x0f\x00\x00\xc3";
        check(tail, &["cmp1 1,[static] e"]);
        // test %edi,%edi; je 0x4000, which does not return; call 0x2000; ret
        check(b"\x85\xff\x0f\x84\xf8\x2f\x00\x00\xe8\xf3\x0f\x00\x00\xc3", &[]);
        // Without a call there is no answer: test %edi,%edi; je 1f; 1: ret
        assert_eq!(conditions(b"\x85\xff\x74\x00\xc3"), None);
        // je 1f; call 0x2000; 1: ret: what it asks is not known.
        assert_eq!(conditions(b"\x74\x05\xe8\xf9\x0f\x00\x00\xc3"), None);
        // test %edi,%edi; je 1f; test %esi,%esi; je 2f; call 0x2000; ret; 1: nop; nop; 2: ret: the first has code of its own.
        let shared = b"\x85\xff\x74\x0a\x85\xf6\x74\x08\xe8\xf3\x0f\x00\x00\xc3\x90\x90\xc3";
        let ways = conditions(shared).unwrap_or_default();
        let code: Vec<Option<&Range<u64>>> = ways.iter().map(|way| way.code.first()).collect();
        assert_eq!(code, [Some(&(0x100e..0x1010)), None]);
        // All that follows is past the first; past the second is the call alone, which is not reached if the other way is taken.
        let past = |ways: Vec<WayAround>| {
            let starts_and_ends = |way: WayAround| {
                way.other_way.into_iter().map(|code| (code.start, code.end)).collect::<Vec<_>>()
            };
            ways.into_iter().map(starts_and_ends).collect::<Vec<_>>()
        };
        assert_eq!(past(ways), [[(0x1004, 0x100d)], [(0x1008, 0x100d)]]);
        // The same, but that a third jump leads behind the first: test %edx,%edx; jne 0f; test %edi,%edi; je 1f; 0: ...
        let joined = b"\x85\xd2\x75\x04\x85\xff\x74\x0a\x85\xf6\x74\x08\xe8\xef\x0f\x00\x00\xc3\x90\x90\xc3";
        assert_eq!(past(conditions(joined).unwrap_or_default()), [vec![], vec![(0x100c, 0x1011)]]);
    }

    #[test]
    fn a_switch_is_one_by_how_many_of_its_cases_lead_past_the_call() {
        // cmp $1,%edi; ja 1f; mov %edi,%edi; jmp *0x3000(,%rdi,8); call 0x2000; ret; 1: ret; nop; ret
        let code =
            b"\x83\xff\x01\x77\x0f\x89\xff\xff\x24\xfd\x00\x30\x00\x00\xe8\xed\x0f\x00\x00\xc3\xc3\x90\xc3";
        let asked = |cases: [u64; 2]| {
            let table: Vec<u8> = cases.iter().flat_map(|case| case.to_le_bytes()).collect();
            let targets = CallTargets::of_data(0x3000, &table);
            let ways = conditions_around(&[(0x1000, code)], (&[CALLEE], &targets), &|_| false)?;
            Some(ways.into_iter().map(|way| way.asks.into_string()).collect::<Vec<_>>())
        };
        let bounds = "cmp4 1,r b".to_owned();
        assert_eq!(asked([0x100e, 0x1015]), Some(vec![bounds.clone(), "switch 1 of 2".to_owned()]));
        assert_eq!(asked([0x100e, 0x100e]), Some(vec![bounds]));
        let table: Vec<u8> = [0x100e_u64, 0x1015].iter().flat_map(|case| case.to_le_bytes()).collect();
        let ways =
            conditions_around(&[(0x1000, code)], (&[CALLEE], &CallTargets::of_data(0x3000, &table)), &|_| {
                false
            });
        let switch = ways.unwrap_or_default().into_iter().find(|way| way.asks.starts_with("switch"));
        let leads_to = switch.map(|way| way.other_way).unwrap_or_default();
        assert!(
            matches!(&*leads_to, [Range { start: 0x100e, end: 0x1013 }]),
            "the call's case alone: {leads_to:x?}"
        );
        // No case leads to the call, so none leads past it.
        assert_eq!(asked([0x1014, 0x1015]), None);
        // A case in the middle of an instruction, so the table is another one.
        assert_eq!(asked([0x100e, 0x100f]), None);
    }
}
