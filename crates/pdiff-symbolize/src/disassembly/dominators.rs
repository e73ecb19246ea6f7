//! Which instructions of a function of x86-64 all ways from its entry to another lead through: the dominators.
//!
//! Each instruction's nearest one is found by going backwards through the ways in the order in which they are first left (Cooper, Harvey
//! and Kennedy, A Simple, Fast Dominance Algorithm, 2001).
//!
//! Cost: the instructions, for code whose loops are entered at one place.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::disassembly::steps::{Step, following};

/// The dominators of all instructions that ways from the entry lead to, up to calls of the callee.
pub(super) struct Dominators {
    /// The numbers of the instructions: each way leaves those with larger ones first, and the entry has the largest.
    number: FxHashMap<u64, usize>,
    at: Vec<u64>,
    /// The nearest dominator of each, by number; the entry's is itself.
    nearest: Vec<usize>,
    /// The instructions right before each, by number.
    before: Vec<Vec<usize>>,
    /// Those of which each is the nearest dominator, by number.
    children: Vec<Vec<usize>>,
}

impl Dominators {
    /// `None` if a way leads into no instruction.
    pub(super) fn new(steps: &BTreeMap<u64, Step>, entry: u64) -> Option<Self> {
        let at = left_last(steps, entry)?;
        let number: FxHashMap<u64, usize> = at.iter().enumerate().map(|(number, at)| (*at, number)).collect();
        let mut before = vec![Vec::new(); at.len()];
        for (from, address) in at.iter().enumerate() {
            for to in following(steps, steps.get(address)?) {
                before.get_mut(*number.get(&to)?)?.push(from);
            }
        }
        let nearest = nearest(&before)?;
        let mut children = vec![Vec::new(); at.len()];
        for (of, nearest) in nearest.iter().enumerate().filter(|(of, nearest)| of != *nearest) {
            children.get_mut(*nearest)?.push(of);
        }
        Some(Self { number, at, nearest, before, children })
    }

    /// The instructions that are reached only through the edge `from` to `to`.
    pub(super) fn only_by(&self, (from, to): (u64, u64)) -> Vec<u64> {
        let (Some(from), Some(to)) = (self.number.get(&from), self.number.get(&to)) else {
            return Vec::new();
        };
        // Whatever else leads there must be behind it.
        let comes_only_so = |number: usize| {
            let mut others = self.before.get(number).into_iter().flatten();
            others.all(|other| other == from || self.dominates(number, *other))
        };
        let is_entry = *to + 1 == self.at.len();
        if is_entry || !comes_only_so(*to) {
            return Vec::new();
        }
        let (mut open, mut found) = (vec![*to], Vec::new());
        while let Some(number) = open.pop() {
            found.extend(self.at.get(number));
            open.extend(self.children.get(number).into_iter().flatten());
        }
        found
    }

    fn dominates(&self, above: usize, mut below: usize) -> bool {
        while below < above {
            match self.nearest.get(below) {
                Some(nearest) if *nearest > below => below = *nearest,
                _ => return false,
            }
        }
        below == above
    }
}

/// The instructions that ways from the entry lead to, in the order in which a search in depth leaves them.
fn left_last(steps: &BTreeMap<u64, Step>, entry: u64) -> Option<Vec<u64>> {
    let (mut seen, mut left) = (FxHashSet::default(), Vec::new());
    let mut open: Vec<(u64, bool)> = vec![(entry, false)];
    while let Some((at, is_done)) = open.pop() {
        if is_done {
            left.push(at);
        } else if seen.insert(at) {
            open.push((at, true));
            open.extend(
                following(steps, steps.get(&at)?).filter(|to| !seen.contains(to)).map(|to| (to, false)),
            );
        }
    }
    Some(left)
}

/// The nearest dominator of each instruction by number, of which the last is the entry, by those right before each.
fn nearest(before: &[Vec<usize>]) -> Option<Vec<usize>> {
    let entry = before.len().checked_sub(1)?;
    let mut nearest: Vec<Option<usize>> = vec![None; before.len()];
    *nearest.last_mut()? = Some(entry);
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for number in (0..entry).rev() {
            let known =
                before.get(number)?.iter().filter(|of| nearest.get(**of).is_some_and(Option::is_some));
            let common = known.copied().reduce(|one, other| meet(&nearest, one, other));
            if common.is_some() && nearest.get(number) != Some(&common) {
                *nearest.get_mut(number)? = common;
                has_changed = true;
            }
        }
    }
    nearest.into_iter().collect()
}

/// The nearest common dominator of two instructions.
fn meet(nearest: &[Option<usize>], mut one: usize, mut other: usize) -> usize {
    let above = |of: usize| nearest.get(of).copied().flatten().unwrap_or(usize::MAX);
    while one != other {
        if one < other {
            one = above(one);
        } else {
            other = above(other);
        }
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::call_targets::CallTargets;
    use crate::disassembly::steps::steps;

    fn only_by(code: &[u8], from: u64, to: u64) -> Vec<u64> {
        let steps = steps(&[(0x1000, code)], (&[], &CallTargets::default()), &|_| false).expect("code");
        let dominators = Dominators::new(&steps, 0x1000).expect("ways");
        let mut found = dominators.only_by((0x1000 + from, 0x1000 + to));
        found.sort_unstable();
        found.into_iter().map(|at| at - 0x1000).collect()
    }

    #[test]
    fn what_one_way_of_a_jump_alone_leads_to_is_behind_it() {
        // 0: test %edi,%edi; 2: je 7; 4: nop; 5: nop; 6: ret; 7: nop; 8: ret
        let apart = b"\x85\xff\x74\x03\x90\x90\xc3\x90\xc3";
        assert_eq!(only_by(apart, 2, 4), [4, 5, 6]);
        assert_eq!(only_by(apart, 2, 7), [7, 8]);
        // 0: test %edi,%edi; 2: je 5; 4: nop; 5: ret: both ways join.
        let joined = b"\x85\xff\x74\x01\x90\xc3";
        assert_eq!(only_by(joined, 2, 4), [4]);
        assert_eq!(only_by(joined, 2, 5), [0_u64; 0]);
        // 0: test %edi,%edi; 2: je 9; 4: nop; 5: dec %esi; 7: jne 4; 9: ret: what jumps back there is behind it.
        let looping = b"\x85\xff\x74\x05\x90\xff\xce\x75\xfb\xc3";
        assert_eq!(only_by(looping, 2, 4), [4, 5, 7]);
        // 0: dec %esi; 2: jne 0; 4: ret: the function is entered where the jump leads.
        assert_eq!(only_by(b"\xff\xce\x75\xfc\xc3", 2, 0), [0_u64; 0]);
        // 0: test %edi,%edi; 2: je 6; 4: jmp 9; 6: nop; 7: jmp 9; 9: nop; 10: test %esi,%esi; 12: je 15; 14: nop; 15: ret
        let twice = b"\x85\xff\x74\x02\xeb\x03\x90\xeb\x00\x90\x85\xf6\x74\x01\x90\xc3";
        assert_eq!(only_by(twice, 2, 6), [6, 7]);
        assert_eq!(only_by(twice, 12, 14), [14]);
    }

    #[test]
    fn a_loop_that_is_entered_at_two_places_has_no_head() {
        // 0: test %edi,%edi; 2: je 5; 4: nop; 5: nop; 6: dec %esi; 8: jne 4; 10: ret
        let code = b"\x85\xff\x74\x01\x90\x90\xff\xce\x75\xfa\xc3";
        assert_eq!(only_by(code, 2, 4), [0_u64; 0]);
        assert_eq!(only_by(code, 8, 10), [10]);
    }
}
