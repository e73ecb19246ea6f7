//! The byte form of stacks, which share most of their frames.
//!
//! ```text
//! count  back*  shared*  own*  frame*
//! ```
//!
//! A stack is the first `shared` frames (from the root) of the stack `back` places before, then `own` frames of its own.
//! 16,000 stacks of 25 frames share four frames in five.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::bytes::{ByteReader, ByteWriter};
use super::newest::Newest;
use crate::id::{FrameId, StackId};
use crate::stack::StackTable;

/// The most frames that all stacks of a byte form may have together: a gigabyte of them. One has
/// [`StackTable::MAX_DEPTH`] at most.
pub const MAX_STACK_FRAMES: usize = 1 << 28;

/// How a stack is made from one before: the number of frames that they share, and how many places before.
#[derive(Clone, Copy, Default)]
struct Share {
    back: u32,
    shared: u32,
}

pub(super) fn write_stacks(out: &mut ByteWriter, stacks: &StackTable) {
    let shares = Prefixes::new(stacks).shares();
    out.count(shares.len());
    shares.iter().for_each(|share| out.number(u64::from(share.back)));
    shares.iter().for_each(|share| out.number(u64::from(share.shared)));
    let own = |(stack, share): (&[FrameId], &Share)| stack.len() - share.shared as usize;
    stacks.iter().zip(&shares).for_each(|stack| out.count(own(stack)));
    let mut newest = Newest::default();
    for (stack, share) in stacks.iter().zip(&shares) {
        stack.iter().skip(share.shared as usize).for_each(|frame| newest.write(out, frame.0));
    }
}

pub(super) fn read_stacks(reader: &mut ByteReader<'_>) -> Option<StackTable> {
    let count = reader.count(3)?;
    let column =
        |reader: &mut ByteReader<'_>| -> Option<Vec<u32>> { (0..count).map(|_| reader.number32()).collect() };
    let (back, shared, own) = (column(reader)?, column(reader)?, column(reader)?);
    let mut newest = Newest::default();
    let mut frames: Vec<FrameId> = Vec::new();
    let mut ends: Vec<u32> = Vec::with_capacity(count);
    for (id, ((back, shared), own)) in back.into_iter().zip(shared).zip(own).enumerate() {
        let [back, shared, own] = [back, shared, own].map(|number| number as usize);
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

/// The prefixes that the stacks so far share, as a tree. A node is where stacks part, or where one ends; the frames between two
/// nodes are those of a stack that has both. So there are at most two nodes a stack, however deep it is.
struct Prefixes<'a> {
    stacks: &'a StackTable,
    nodes: Vec<Node>,
    /// All nodes but the root, by the node above and the first frame after that.
    children: HashTable<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    /// The node above.
    parent: u32,
    /// A stack that begins with the prefix.
    stack: StackId,
    /// The last stack that does.
    last: StackId,
    /// The length of the prefix.
    len: u32,
}

impl<'a> Prefixes<'a> {
    /// No prefix of any frames.
    const ROOT: u32 = 0;

    fn new(stacks: &'a StackTable) -> Self {
        let root = Node { parent: Self::ROOT, stack: StackId(0), last: StackId(0), len: 0 };
        Self { stacks, nodes: vec![root], children: HashTable::new() }
    }

    /// What each stack shares with those before it: the longest prefix that one of them has, and the last that has it.
    fn shares(mut self) -> Vec<Share> {
        (0..).map(StackId).take(self.stacks.len()).map(|id| self.add(id)).collect()
    }

    fn add(&mut self, id: StackId) -> Share {
        let stack = self.stacks.get(id);
        let (mut at, mut share) = (Self::ROOT, Share::default());
        while let Some(first) = stack.get(share.shared as usize) {
            let Some(child) = self.child(at, *first) else {
                self.add_node(Node { parent: at, stack: id, last: id, len: stack.len() as u32 });
                break;
            };
            let known = self.nodes[child as usize];
            let from = share.shared as usize;
            let both = stack[from..].iter().zip(&self.stacks.get(known.stack)[from..known.len as usize]);
            let shared = share.shared + both.take_while(|(ours, theirs)| ours == theirs).count() as u32;
            share = Share { back: id.0 - known.last.0, shared };
            if shared < known.len {
                at = self.part(child, shared);
            } else {
                at = child;
            }
            self.nodes[at as usize].last = id;
        }
        share
    }

    /// Puts a node above another one, in the middle of the frames between that and its parent.
    fn part(&mut self, below: u32, len: u32) -> u32 {
        let known = self.nodes[below as usize];
        let first = first_frame(&self.nodes, self.stacks, &known);
        let middle = self.nodes.len() as u32;
        let entry = self.children.find_mut(hash(known.parent, first), |node| *node == below);
        if let Some(entry) = entry {
            *entry = middle;
        }
        self.nodes.push(Node { len, ..known });
        self.nodes[below as usize].parent = middle;
        self.index(below);
        middle
    }

    fn add_node(&mut self, node: Node) {
        self.nodes.push(node);
        self.index(self.nodes.len() as u32 - 1);
    }

    fn index(&mut self, node: u32) {
        let of_node = |node: &u32| {
            let node = &self.nodes[*node as usize];
            hash(node.parent, first_frame(&self.nodes, self.stacks, node))
        };
        self.children.insert_unique(of_node(&node), node, of_node);
    }

    fn child(&self, parent: u32, first: FrameId) -> Option<u32> {
        let is_it = |node: &u32| {
            let node = &self.nodes[*node as usize];
            node.parent == parent && first_frame(&self.nodes, self.stacks, node) == first
        };
        self.children.find(hash(parent, first), is_it).copied()
    }
}

/// The first frame of a node that its parent does not have.
fn first_frame(nodes: &[Node], stacks: &StackTable, node: &Node) -> FrameId {
    stacks.get(node.stack)[nodes[node.parent as usize].len as usize]
}

fn hash(parent: u32, first: FrameId) -> u64 {
    FxBuildHasher.hash_one((parent, first))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Each stack against every one before it.
    fn by_pairs(stacks: &StackTable) -> Vec<(u32, u32)> {
        let shared =
            |a: &[FrameId], b: &[FrameId]| a.iter().zip(b).take_while(|(a, b)| a == b).count() as u32;
        let of_stack = |(id, stack): (usize, &[FrameId])| {
            let before = stacks.iter().take(id).enumerate();
            let all = before.map(|(other, of)| (shared(stack, of), other));
            let (shared, last) = all.max().filter(|(shared, _)| *shared > 0)?;
            Some(((id - last) as u32, shared))
        };
        stacks.iter().enumerate().map(|stack| of_stack(stack).unwrap_or_default()).collect()
    }

    proptest! {
        #[test]
        fn a_stack_shares_the_longest_prefix_with_the_last_stack_that_has_it(
            stacks in prop::collection::vec(prop::collection::vec(0_u32..3, 0..7), 0..60),
        ) {
            let mut table = StackTable::default();
            for stack in stacks {
                table.push(stack.into_iter().map(FrameId));
            }
            let prefixes = Prefixes::new(&table);
            let shares: Vec<_> = prefixes.shares().iter().map(|share| (share.back, share.shared)).collect();
            prop_assert_eq!(shares, by_pairs(&table));
        }
    }
}
