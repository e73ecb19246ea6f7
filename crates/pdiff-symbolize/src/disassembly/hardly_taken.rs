//! Whether the ways through a function of x86-64 without a certain call are hardly taken, by the samples in its code.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::binary::call_targets::CallTargets;
use crate::disassembly::steps::{NeverReturns, following, steps};

/// Samples in some code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CodeSamples {
    /// Those that are leaves of their stacks.
    pub leaves: u64,
    /// These, and those in what is called there.
    pub all: u64,
}

/// Fewer instructions may have no samples though they run often.
const LEAST_INSTRUCTIONS: u64 = 4;

/// Code with less than so many times as many samples an instruction as the median of the first code runs in hardly any call.
const HARDLY: f64 = 0.1;

/// So many samples must be expected of code that every call runs.
const LEAST_EXPECTED: f64 = 10.0;

/// See [`CallPaths::hardly_skips`](super::CallPaths::hardly_skips).
pub(super) fn hardly_skips(
    parts: &[(u64, &[u8])],
    callees: (&[u64], &CallTargets),
    never_returns: NeverReturns<'_>,
    samples: &dyn Fn(&Range<u64>) -> CodeSamples,
) -> Option<bool> {
    let steps = steps(parts, callees, never_returns)?;
    let entry = parts.first()?.0;
    // Code that runs as a whole, by its first instruction: how many instructions, and up to where.
    let jumps = steps.values().flat_map(|step| step.jump.iter().chain(&step.cases));
    let targets: BTreeSet<u64> = jumps.copied().collect();
    let mut blocks: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    let mut current: Option<u64> = None;
    for (at, step) in &steps {
        let start = current.filter(|_| !targets.contains(at)).unwrap_or(*at);
        let (count, end) = blocks.entry(start).or_insert((0, *at));
        (*count, *end) = (*count + 1, step.end);
        let goes_on = step.jump.is_none() && !step.leaves && step.next == Some(step.end);
        current = Some(start).filter(|_| goes_on && steps.contains_key(&step.end));
    }
    let (_, first_end) = *blocks.get(&entry)?;
    // A loop would make it seem to run more often than the function is called.
    (!targets.contains(&entry)).then_some(())?;
    // One instruction may wait for memory, which says nothing about others: the median does.
    let of_first = steps.range(entry..first_end).map(|(at, step)| samples(&(*at..step.end)).leaves);
    let mut of_first: Vec<u64> = of_first.collect();
    of_first.sort_unstable();
    let by_instruction = of_first.get((of_first.len() - 1) / 2).copied().unwrap_or(0) as f64;
    let hardly_runs = |start: u64| {
        blocks.get(&start).is_some_and(|(count, end)| {
            let expected = by_instruction * *count as f64;
            let is_told = *count >= LEAST_INSTRUCTIONS && expected >= LEAST_EXPECTED;
            is_told && (samples(&(start..*end)).all as f64) < HARDLY * expected
        })
    };
    let (mut open, mut seen) = (vec![entry], BTreeSet::new());
    let (mut has_call, mut is_skipped) = (false, false);
    while let Some(at) = open.pop() {
        if !seen.insert(at) {
            continue;
        }
        let step = steps.get(&at)?;
        (!step.jumps_out).then_some(())?;
        has_call |= step.calls;
        is_skipped |= step.leaves;
        open.extend(following(&steps, step).filter(|to| !hardly_runs(*to)));
    }
    has_call.then_some(!is_skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLEE: u64 = 0x2000;

    #[test]
    fn ways_whose_code_has_hardly_any_samples_are_not_taken() {
        let hardly = |code: &[u8], by_start: &[(u64, u64)]| {
            let samples = |code: &Range<u64>| {
                let within = by_start.iter().filter(|(at, _)| code.contains(at));
                let all = within.map(|(_, samples)| samples).sum();
                CodeSamples { leaves: all, all }
            };
            hardly_skips(&[(0x1000, code)], (&[CALLEE], &CallTargets::default()), &|_| false, &samples)
        };
        // nop; nop; test %edi,%edi; je 1f; call 0x2000; 1: nop; nop; nop; nop; ret: what returns is also behind the call.
        let shared = b"\x90\x90\x85\xff\x74\x05\xe8\xf5\x0f\x00\x00\x90\x90\x90\x90\xc3";
        let first = [(0x1000, 10), (0x1001, 10), (0x1002, 10), (0x1004, 10)];
        let with = |returning: u64| [&first[..], &[(0x100b, returning)]].concat();
        assert_eq!(hardly(shared, &with(2)), Some(true));
        assert_eq!(hardly(shared, &with(30)), Some(false));
        // Too few samples to expect any there, and all at one instruction, which waits.
        assert_eq!(hardly(shared, &[(0x1000, 1), (0x1001, 1), (0x1002, 1), (0x1004, 1)]), Some(false));
        assert_eq!(hardly(shared, &[(0x1000, 1), (0x1001, 400), (0x1002, 1), (0x1004, 1)]), Some(false));
        // The same with 1: nop; ret, which is too short to tell.
        let short = b"\x90\x90\x85\xff\x74\x05\xe8\xf5\x0f\x00\x00\x90\xc3";
        assert_eq!(hardly(short, &first), Some(false));
        // 2: nop; nop; test %edi,%edi; jne 2b; test %esi,%esi; je 1f; call; 1: ...: the first code is a loop.
        let looping = b"\x90\x90\x85\xff\x75\xfa\x85\xf6\x74\x05\xe8\xf1\x0f\x00\x00\x90\x90\x90\x90\xc3";
        assert_eq!(hardly(looping, &first), None);
        // 1: jmp 0x3000: its samples are there.
        let elsewhere = b"\x90\x90\x85\xff\x74\x06\xe8\xf5\x0f\x00\x00\xc3\xe9\xef\x1f\x00\x00";
        assert_eq!(hardly(elsewhere, &first), None);
    }
}
