//! The instructions of a function of x86-64 that every call which returns runs: all ways from its entry to where it is left lead through
//! them (the post-dominators of the entry).

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::disassembly::steps::{Step, following};

/// The instructions that every call runs, in the order of one way; `None` if a way leads into no instruction, or no way leads out.
///
/// One way is taken, and the others are followed from each of its instructions in turn: what the farthest one passes by is not run by
/// all. Each instruction is looked at once.
pub(super) fn always_run(steps: &BTreeMap<u64, Step>, entry: u64) -> Option<Vec<u64>> {
    let way = way_out(steps, entry)?;
    let place_of: FxHashMap<u64, usize> = way.iter().enumerate().map(|(place, at)| (*at, place)).collect();
    let (mut seen, mut farthest) = (FxHashSet::default(), 0);
    let mut found = Vec::new();
    for (place, at) in way.iter().enumerate() {
        if farthest <= place {
            found.push(*at);
        }
        let mut open = vec![*at];
        while let Some(from) = open.pop() {
            let step = steps.get(&from)?;
            if step.leaves {
                farthest = way.len();
            }
            for to in following(steps, step) {
                match place_of.get(&to) {
                    Some(of_way) => farthest = farthest.max(*of_way),
                    None if seen.insert(to) => open.push(to),
                    None => {}
                }
            }
        }
    }
    Some(found)
}

/// The instructions of a shortest way from the entry to where the function is left.
fn way_out(steps: &BTreeMap<u64, Step>, entry: u64) -> Option<Vec<u64>> {
    let mut came_from: FxHashMap<u64, u64> = FxHashMap::default();
    let mut layer = vec![entry];
    while !layer.is_empty() {
        let mut next = Vec::new();
        for at in layer {
            let step = steps.get(&at)?;
            if step.leaves {
                let mut way = vec![at];
                while let Some(from) = way.last().filter(|at| **at != entry).and_then(|at| came_from.get(at))
                {
                    way.push(*from);
                }
                way.reverse();
                return Some(way);
            }
            for to in following(steps, step).filter(|to| *to != entry) {
                came_from.entry(to).or_insert_with(|| {
                    next.push(to);
                    at
                });
            }
        }
        layer = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::call_targets::CallTargets;
    use crate::disassembly::steps::steps;

    fn check(code: &[u8], expected: Option<&[u64]>) {
        let steps = steps(&[(0x1000, code)], (&[], &CallTargets::default()), &|_| false).expect("code");
        let found = always_run(&steps, 0x1000);
        let expected = expected.map(|places| places.iter().map(|place| 0x1000 + place).collect::<Vec<u64>>());
        assert_eq!(found, expected, "{code:02x?}");
    }

    #[test]
    fn what_no_way_passes_by_is_always_run() {
        // nop; ret
        check(b"\x90\xc3", Some(&[0, 1]));
        // nop; test %edi,%edi; je 1f; nop; 1: ret
        check(b"\x90\x85\xff\x74\x01\x90\xc3", Some(&[0, 1, 3, 6]));
        // test %edi,%edi; je 1f; nop; ret; 1: nop; ret: nothing behind the jump.
        check(b"\x85\xff\x74\x02\x90\xc3\x90\xc3", Some(&[0, 2]));
        // test %edi,%edi; je 1f; nop; test %esi,%esi; je 2f; nop; 2: 1: nop; ret
        check(b"\x85\xff\x74\x06\x90\x85\xf6\x74\x01\x90\x90\xc3", Some(&[0, 2, 10, 11]));
        // 1: dec %edi; jne 1b; nop; ret: a loop runs at least once.
        check(b"\xff\xcf\x75\xfc\x90\xc3", Some(&[0, 2, 4, 5]));
        // test %edi,%edi; je 0x3000 (a tail call); nop; ret
        check(b"\x85\xff\x0f\x84\xf8\x1f\x00\x00\x90\xc3", Some(&[0, 2]));
        // test %edi,%edi; je 1f; jmp 2f; 1: nop; jmp 2f; 2: ret: both ways join again.
        check(b"\x85\xff\x74\x02\xeb\x03\x90\xeb\x00\xc3", Some(&[0, 2, 9]));
    }

    #[test]
    fn of_a_function_that_is_never_left_nothing_is_known() {
        // 1: jmp 1b
        check(b"\xeb\xfe", None);
    }
}
