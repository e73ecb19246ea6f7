//! How many calls of a callee every way through a function of x86-64 makes at least.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use crate::binary::call_targets::CallTargets;
use crate::disassembly::steps::{NeverReturns, following, steps};

/// The fewest calls on a way from the entry to where the function is left; `None` if the ways are not known, or none leads out.
///
/// Ways are followed in the order of their calls: those that made a call come after all that made fewer.
pub(super) fn least_calls(
    parts: &[(u64, &[u8])],
    callees: (&[u64], &CallTargets),
    never_returns: NeverReturns<'_>,
) -> Option<u32> {
    let steps = steps(parts, callees, never_returns)?;
    // Nowhere is where it was left by a call in tail position.
    let mut open = VecDeque::from([(Some(parts.first()?.0), 0)]);
    let mut seen = FxHashSet::default();
    while let Some((at, calls)) = open.pop_front() {
        let Some(at) = at else { return Some(calls) };
        if !seen.insert(at) {
            continue;
        }
        let step = steps.get(&at)?;
        if step.leaves {
            return Some(calls);
        }
        following(&steps, step).for_each(|to| open.push_front((Some(to), calls)));
        if step.calls {
            open.push_back((step.back, calls + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &[u8], expected: Option<u32>) {
        let found = least_calls(&[(0x1000, code)], (&[0x2000], &CallTargets::default()), &|_| false);
        assert_eq!(found, expected, "{code:02x?}");
    }

    #[test]
    fn the_way_with_the_fewest_calls_counts() {
        // call 0x2000; test %eax,%eax; jne 1f; call 0x2000; 1: ret: an early return between two calls.
        check(b"\xe8\xfb\x0f\x00\x00\x85\xc0\x75\x05\xe8\xf2\x0f\x00\x00\xc3", Some(1));
        // call 0x2000; call 0x2000; ret
        check(b"\xe8\xfb\x0f\x00\x00\xe8\xf6\x0f\x00\x00\xc3", Some(2));
        // test %edi,%edi; jne 1f; ret; 1: call 0x2000; call 0x2000; ret; and with je 1f; call 0x2000; call 0x2000; 1: ret.
        check(b"\x85\xff\x75\x01\xc3\xe8\xf6\x0f\x00\x00\xe8\xf1\x0f\x00\x00\xc3", Some(0));
        check(b"\x85\xff\x74\x0a\xe8\xf7\x0f\x00\x00\xe8\xf2\x0f\x00\x00\xc3", Some(0));
        // 1: call 0x2000; dec %edi; jne 1b; ret: a loop turns at least once.
        check(b"\xe8\xfb\x0f\x00\x00\xff\xcf\x75\xf7\xc3", Some(1));
        // call 0x2000; jmp 0x2000; and call 0x2000; test %eax,%eax; je 0x2000; ret
        check(b"\xe8\xfb\x0f\x00\x00\xe9\xf6\x0f\x00\x00", Some(2));
        check(b"\xe8\xfb\x0f\x00\x00\x85\xc0\x0f\x84\xf3\x0f\x00\x00\xc3", Some(1));
        // ret; and jmp *%rax
        check(b"\xc3", Some(0));
        check(b"\xff\xe0", None);
        // 1: call 0x2000; jmp 1b
        check(b"\xe8\xfb\x0f\x00\x00\xeb\xf9", None);
    }
}
