//! The instructions of a function of x86-64 that run once in a call: at most, those in no loop; and always.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::binary::call_targets::CallTargets;
use crate::disassembly::always::always_run;
use crate::disassembly::steps::{NeverReturns, Step, following, ranges, steps};

/// The code of a function that a call runs once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunOnce {
    /// Code that runs at most once in a call: in no loop.
    pub at_most: Vec<Range<u64>>,
    /// What of it every call that returns runs; `None` if no way leads out.
    pub always: Option<Vec<Range<u64>>>,
}

/// That code; `None` if the ways through it are not known.
pub(super) fn run_once(
    parts: &[(u64, &[u8])],
    targets: &CallTargets,
    never_returns: NeverReturns<'_>,
) -> Option<RunOnce> {
    let steps = steps(parts, (&[], targets), never_returns)?;
    let in_loops = in_loops(&steps);
    let outside = |at: &u64| !in_loops.contains(at);
    let always = always_run(&steps, parts.first()?.0);
    let always = always.map(|always| always.into_iter().filter(outside).collect::<BTreeSet<u64>>());
    Some(RunOnce {
        at_most: ranges(&steps, steps.keys().copied().filter(outside)),
        always: always.map(|always| ranges(&steps, always)),
    })
}

/// The instructions that lead to themselves: those of strongly connected components of more than one, and those that jump to themselves
/// (Tarjan, Depth-first search and linear graph algorithms, 1972; without recursion).
pub(super) fn in_loops(steps: &BTreeMap<u64, Step>) -> FxHashSet<u64> {
    let mut numbers: FxHashMap<u64, usize> = FxHashMap::default();
    let mut lowest: FxHashMap<u64, usize> = FxHashMap::default();
    let (mut component, mut is_open): (Vec<u64>, FxHashSet<u64>) = (Vec::new(), FxHashSet::default());
    let mut found = FxHashSet::default();
    for start in steps.keys() {
        let mut visits: Vec<(u64, Vec<u64>)> = Vec::new();
        let mut next = Some(*start).filter(|at| !numbers.contains_key(at));
        loop {
            if let Some(at) = next.take() {
                let number = numbers.len();
                numbers.insert(at, number);
                lowest.insert(at, number);
                component.push(at);
                is_open.insert(at);
                let successors = steps.get(&at).into_iter().flat_map(|step| following(steps, step));
                visits.push((at, successors.filter(|to| steps.contains_key(to)).collect()));
            }
            let Some((at, successors)) = visits.last_mut() else { break };
            let at = *at;
            match successors.pop() {
                Some(to) if !numbers.contains_key(&to) => next = Some(to),
                Some(to) => {
                    if to == at {
                        found.insert(at);
                    }
                    if is_open.contains(&to) {
                        lower(&mut lowest, at, numbers[&to]);
                    }
                }
                None => {
                    visits.pop();
                    if let Some((above, _)) = visits.last() {
                        let of_this = lowest[&at];
                        lower(&mut lowest, *above, of_this);
                    }
                    if lowest[&at] == numbers[&at] {
                        let from = component.iter().rposition(|member| *member == at).unwrap_or(0);
                        let members = component.split_off(from);
                        members.iter().for_each(|member| _ = is_open.remove(member));
                        if members.len() > 1 {
                            found.extend(members);
                        }
                    }
                }
            }
        }
    }
    found
}

fn lower(lowest: &mut FxHashMap<u64, usize>, at: u64, number: usize) {
    if let Some(known) = lowest.get_mut(&at) {
        *known = (*known).min(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &[u8], expected: &[(u64, u64)]) {
        let found = run_once(&[(0x1000, code)], &CallTargets::default(), &|_| false);
        let found = found.map(|once| once.at_most);
        let pairs = |code: Vec<Range<u64>>| {
            code.into_iter().map(|range| (range.start, range.end)).collect::<Vec<_>>()
        };
        assert_eq!(found.map(pairs), Some(expected.to_vec()), "{code:02x?}");
    }

    #[test]
    fn what_leads_to_itself_is_in_a_loop() {
        // test %edi,%edi; je 1f; nop; 1: ret: no loop.
        check(b"\x85\xff\x74\x01\x90\xc3", &[(0x1000, 0x1006)]);
        // nop; 1: dec %edi; jne 1b; nop; ret
        check(b"\x90\xff\xcf\x75\xfc\x90\xc3", &[(0x1000, 0x1001), (0x1005, 0x1007)]);
        // nop; 1: jmp 1b
        check(b"\x90\xeb\xfe", &[(0x1000, 0x1001)]);
        // A loop in a loop: 1: nop; 2: dec %edi; jne 2b; dec %esi; jne 1b; ret
        check(b"\x90\xff\xcf\x75\xfc\xff\xce\x75\xf7\xc3", &[(0x1009, 0x100a)]);
        // Two loops, and what is between them: 1: dec %edi; jne 1b; nop; 2: dec %esi; jne 2b; ret
        check(b"\xff\xcf\x75\xfc\x90\xff\xce\x75\xfc\xc3", &[(0x1004, 0x1005), (0x1009, 0x100a)]);
    }

    #[test]
    fn what_every_call_runs_once_is_in_no_loop_either() {
        let once = |code: &[u8]| {
            let once = run_once(&[(0x1000, code)], &CallTargets::default(), &|_| false)?;
            Some(once.always?.into_iter().map(|range| (range.start, range.end)).collect::<Vec<_>>())
        };
        // nop; 1: dec %edi; jne 1b; test %esi,%esi; je 2f; nop; 2: ret
        let code = b"\x90\xff\xcf\x75\xfc\x85\xf6\x74\x01\x90\xc3";
        assert_eq!(once(code), Some(vec![(0x1000, 0x1001), (0x1005, 0x1009), (0x100a, 0x100b)]));
        // jmp *%rax
        assert_eq!(once(b"\xff\xe0"), None);
    }

    #[test]
    fn where_a_jump_leads_must_be_known() {
        // jmp *%rax
        assert_eq!(run_once(&[(0x1000, b"\xff\xe0")], &CallTargets::default(), &|_| false), None);
    }
}
