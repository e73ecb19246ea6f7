//! Direct calls between out-of-line functions.

use super::function_facts::FunctionId;

/// The evidence for a call edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeSource {
    /// Call and jump instructions.
    Disassembly,
    /// Call-site entries of the debug information.
    CallSite,
    /// Both; the counts are those of the instructions.
    Both,
}

impl EdgeSource {
    pub(super) const ALL: [Self; 3] = [Self::Disassembly, Self::CallSite, Self::Both];
}

/// Direct calls from the code of one function to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallEdge {
    /// The out-of-line function that contains the calls; clones count as their function.
    pub caller: FunctionId,
    /// The function called; clones folded.
    pub callee: FunctionId,
    /// Call instructions (or call-site entries).
    pub calls: u32,
    /// Jumps to the start of the function: calls in tail position.
    pub tail_jumps: u32,
    /// What tells of it.
    pub source: EdgeSource,
}

impl CallEdge {
    /// The key that identifies and orders rows: caller and callee as one number, for one comparison.
    pub(super) fn key(&self) -> u64 {
        u64::from(self.caller.0) << 32 | u64::from(self.callee.0)
    }

    /// Orders rows by caller and callee, then by evidence, then by number of calls.
    #[must_use]
    pub fn order(&self) -> (u64, EdgeSource, u32, u32) {
        (self.key(), self.source, self.calls, self.tail_jumps)
    }

    /// Adds the counts of a row of the same key. Instructions win over call sites, which name the same calls.
    pub(super) fn absorb(&mut self, other: &Self) {
        match (self.source, other.source) {
            (a, b) if a == b => self.add(other),
            (EdgeSource::CallSite, _) => *self = Self { source: EdgeSource::Both, ..*other },
            (EdgeSource::Both, EdgeSource::Disassembly) => self.add(other),
            (EdgeSource::Disassembly, EdgeSource::Both) => {
                self.add(other);
                self.source = EdgeSource::Both;
            }
            _ => self.source = EdgeSource::Both,
        }
    }

    fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.tail_jumps = self.tail_jumps.saturating_add(other.tail_jumps);
    }
}
