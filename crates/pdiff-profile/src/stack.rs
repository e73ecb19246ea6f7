//! Stacks of recorded frames, ROOT FIRST, each kept once.

use crate::id::{FrameId, StackId};

/// All stacks of a profile in one flat array.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StackTable {
    frames: Vec<FrameId>,
    ends: Vec<u32>,
}

impl StackTable {
    /// The most frames kept of one stack: perf's own limit (`kernel.perf_event_max_stack`) is 127 by default.
    pub const MAX_DEPTH: usize = 4096;

    /// Adds a stack, root first; whether it is there already is for the builder to know.
    pub(crate) fn push(&mut self, frames: impl IntoIterator<Item = FrameId>) -> StackId {
        self.frames.extend(frames);
        let id =
            StackId(u32::try_from(self.ends.len()).expect("fewer than 2^32 unique stacks fit in memory"));
        self.ends.push(u32::try_from(self.frames.len()).expect("fewer than 2^32 frames fit in memory"));
        id
    }

    /// Gives back the room for more stacks.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.frames.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// All stacks in one array, and where each ends: both in order, the last end at the end.
    pub(crate) fn from_parts(frames: Vec<FrameId>, ends: Vec<u32>) -> Self {
        Self { frames, ends }
    }

    /// The frames of a stack, root first; empty for a sample without frames.
    #[must_use]
    pub fn get(&self, id: StackId) -> &[FrameId] {
        let end = self.ends.get(id.index()).copied().unwrap_or(0) as usize;
        let start = match id.index().checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0) as usize,
            None => 0,
        };
        self.frames.get(start..end).unwrap_or(&[])
    }

    /// Number of stacks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no stack.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All stacks in order, root first.
    pub fn iter(&self) -> impl Iterator<Item = &[FrameId]> {
        (0..self.ends.len()).map(|index| self.get(StackId(index as u32)))
    }
}
