//! The two ways of a conditional jump in the code of a function of x86-64, as far as the other way does not lead there.

use std::ops::Range;

use crate::binary::call_targets::CallTargets;
use crate::disassembly::steps::{NeverReturns, ranges, reached, steps};

/// More conditions of one function are not looked at: each is followed through all of its code.
const MOST_CONDITIONS: usize = 64;

/// The two ways of a conditional jump.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BothWays {
    /// What it asks.
    pub asks: Box<str>,
    /// The code that only one of them leads to, and that only the other does.
    pub code: [Vec<Range<u64>>; 2],
}

/// The ways of the conditions that ask one of `wanted`; `None` if these are too many, or the ways are not known.
pub(super) fn both_ways(
    parts: &[(u64, &[u8])],
    callees: (&[u64], &CallTargets),
    never_returns: NeverReturns<'_>,
    wanted: &[String],
) -> Option<Vec<BothWays>> {
    let steps = steps(parts, callees, never_returns)?;
    let mut found = Vec::new();
    for step in steps.values() {
        let Some(asks) = step.asks.as_ref().filter(|asks| wanted.iter().any(|wanted| **wanted == ***asks))
        else {
            continue;
        };
        (found.len() < MOST_CONDITIONS).then_some(())?;
        let [jump, next] = [reached(&steps, step.jump, false)?, reached(&steps, step.next, false)?];
        let code = [(&jump, &next), (&next, &jump)]
            .map(|(one, other)| ranges(&steps, one.difference(other).copied()));
        found.push(BothWays { asks: asks.clone(), code });
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_a_condition_have_code_of_their_own() {
        let ways = |code: &[u8]| {
            let asks = ["cmp4 0,r e".to_owned()];
            let found = both_ways(&[(0x1000, code)], (&[], &CallTargets::default()), &|_| false, &asks);
            let pairs =
                |code: Vec<Range<u64>>| code.into_iter().map(|of| (of.start, of.end)).collect::<Vec<_>>();
            let found = found.into_iter().flatten();
            found.map(|of| (of.asks.into_string(), of.code.map(pairs))).collect::<Vec<_>>()
        };
        // cmpl $5,0x18(%rsi); jne 1f; test %edi,%edi; je 1f; nop; jmp 2f; 1: nop; nop; 2: ret
        let code = b"\x83\x7e\x18\x05\x75\x07\x85\xff\x74\x03\x90\xeb\x02\x90\x90\xc3";
        let expected = [(0x100d, 0x100f), (0x100a, 0x100d)];
        assert_eq!(ways(code), [("cmp4 0,r e".into(), expected.map(|of| vec![of]))]);
        // 1: test %edi,%edi; jne 1b; ret: in a loop, the way round leads to all.
        assert_eq!(ways(b"\x85\xff\x75\xfc\xc3")[0].1, [vec![(0x1000, 0x1004)], Vec::new()]);
    }
}
