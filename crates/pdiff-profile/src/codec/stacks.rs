//! The byte form of stacks, which share most of their frames.
//!
//! ```text
//! count  back*  shared*  own*  frame*
//! ```
//!
//! A stack is the first `shared` frames (from the root) of the stack `back` places before, then `own` frames of its own.
//! 16,000 stacks of 25 frames share four frames in five.

use rustc_hash::FxHashMap;

use super::bytes::{ByteReader, ByteWriter};
use super::newest::Newest;
use crate::id::FrameId;
use crate::stack::StackTable;

/// The most frames that all stacks of a byte form may have together: a gigabyte of them. One has
/// [`StackTable::MAX_DEPTH`] at most.
pub const MAX_STACK_FRAMES: usize = 1 << 28;

/// How a stack is made from one before.
#[derive(Clone, Copy)]
struct Share {
    back: u64,
    shared: usize,
    own: usize,
}

pub(super) fn write_stacks(out: &mut ByteWriter, stacks: &StackTable) {
    let mut prefixes = Prefixes::default();
    let shares: Vec<Share> = (0..).zip(stacks.iter()).map(|(id, stack)| prefixes.add(id, stack)).collect();
    out.count(shares.len());
    shares.iter().for_each(|share| out.number(share.back));
    shares.iter().for_each(|share| out.count(share.shared));
    shares.iter().for_each(|share| out.count(share.own));
    let mut newest = Newest::default();
    for (stack, share) in stacks.iter().zip(&shares) {
        stack.iter().skip(share.shared).for_each(|frame| newest.write(out, frame.0));
    }
}

pub(super) fn read_stacks(reader: &mut ByteReader<'_>) -> Option<StackTable> {
    let count = reader.count(3)?;
    let column = |reader: &mut ByteReader<'_>| -> Option<Vec<usize>> {
        (0..count).map(|_| usize::try_from(reader.number()?).ok()).collect()
    };
    let (back, shared, own) = (column(reader)?, column(reader)?, column(reader)?);
    let mut newest = Newest::default();
    let mut frames: Vec<FrameId> = Vec::new();
    let mut ends: Vec<u32> = Vec::with_capacity(count);
    for (id, ((back, shared), own)) in back.into_iter().zip(shared).zip(own).enumerate() {
        let depth = shared.checked_add(own)?;
        if depth > StackTable::MAX_DEPTH || frames.len() + depth > MAX_STACK_FRAMES {
            return None;
        }
        let start = start_of(&ends, id, back, shared)?;
        frames.extend_from_within(start..start.checked_add(shared)?);
        for _ in 0..own {
            frames.push(FrameId(newest.read(reader)?));
        }
        ends.push(u32::try_from(frames.len()).ok()?);
    }
    Some(StackTable::from_parts(frames, ends))
}

/// Where the stack `back` places before `id` starts, if it has `shared` frames.
fn start_of(ends: &[u32], id: usize, back: usize, shared: usize) -> Option<usize> {
    if shared == 0 {
        return Some(0);
    }
    let from = id.checked_sub(back)?;
    let start = from.checked_sub(1).map_or(Some(0), |before| ends.get(before).copied())? as usize;
    let end = *ends.get(from)? as usize;
    (end.checked_sub(start)? >= shared).then_some(start)
}

/// All prefixes of the stacks so far as a tree; each prefix knows the last stack that begins with it.
#[derive(Default)]
struct Prefixes {
    children: FxHashMap<(u32, FrameId), u32>,
    last_stack: Vec<u64>,
}

impl Prefixes {
    /// No prefix of any frames.
    const ROOT: u32 = 0;

    fn add(&mut self, id: u64, stack: &[FrameId]) -> Share {
        let (mut node, mut shared, mut back) = (Self::ROOT, 0, 0);
        for (depth, frame) in (1..).zip(stack) {
            let fresh = self.last_stack.len() as u32 + 1;
            node = *self.children.entry((node, *frame)).or_insert(fresh);
            match self.last_stack.get_mut(node as usize - 1) {
                Some(last) => {
                    (shared, back) = (depth, id - *last);
                    *last = id;
                }
                None => self.last_stack.push(id),
            }
        }
        Share { back, shared, own: stack.len() - shared }
    }
}
