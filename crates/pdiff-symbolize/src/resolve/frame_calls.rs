//! What the calls that return to the frames of one object call.

use pdiff_profile::{Call, FrameId, ObjectAddr, Resolution};
use rayon::prelude::*;

use crate::disassembly::{ReturnCall, ReturnCalls};
use crate::resolve::unnamed::UnnamedFunctions;

/// The calls found, and the functions called.
pub(super) struct CallsFound {
    calls: Vec<(FrameId, ReturnCall)>,
    /// The first bytes of the functions called, sorted, each once.
    pub(super) targets: Vec<ObjectAddr>,
}

impl CallsFound {
    /// Decodes the instruction that holds each address, which is the last byte before a return address.
    pub(super) fn new(asked: &[(FrameId, u64)], code: &ReturnCalls<'_>) -> Self {
        let found = asked.par_iter().filter_map(|(frame, addr)| Some((*frame, code.at(*addr)?)));
        let calls: Vec<(FrameId, ReturnCall)> = found.collect();
        let target = |(_, call): &(FrameId, ReturnCall)| match call {
            ReturnCall::Function(addr) => Some(ObjectAddr(*addr)),
            ReturnCall::Pointer => None,
        };
        let mut targets: Vec<ObjectAddr> = calls.iter().filter_map(target).collect();
        targets.sort_unstable();
        targets.dedup();
        Self { calls, targets }
    }

    /// The calls, with the places in `resolutions` of what they call; those of the targets begin at `first`.
    pub(super) fn named(
        self,
        first: usize,
        unnamed: &mut UnnamedFunctions<'_>,
        resolutions: &mut Vec<Resolution>,
    ) -> Vec<(FrameId, Option<usize>)> {
        // What is inlined at the first byte is not what is called.
        for resolution in resolutions.iter_mut().skip(first).take(self.targets.len()) {
            if let Resolution::Resolved(chain) = resolution {
                chain.truncate_to_outermost();
            }
        }
        let mut named = |addr: u64| {
            let at = first + self.targets.binary_search(&ObjectAddr(addr)).ok()?;
            match resolutions.get(at)? {
                Resolution::Resolved(_) => Some(at),
                Resolution::Unresolved(_) => unnamed.at(addr, resolutions),
            }
        };
        let named = self.calls.into_iter().filter_map(|(frame, call)| match call {
            ReturnCall::Function(addr) => Some((frame, Some(named(addr)?))),
            ReturnCall::Pointer => Some((frame, None)),
        });
        named.collect()
    }
}

/// A call in terms of the profile's resolutions, whose numbers `number` has by place.
pub(super) fn numbered(place: Option<usize>, number: impl Fn(usize) -> Option<u32>) -> Option<Call> {
    place.map_or(Some(Call::Pointer), |at| number(at).map(Call::Function))
}
