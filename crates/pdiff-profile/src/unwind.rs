//! Stacks that were recorded as bytes (`perf record --call-graph dwarf`): what it takes to find the callers in them later.
//!
//! Who reads recordings has the bytes, and whoever reads binaries knows how functions keep their callers. This is what the
//! one hands to the other.

use std::ops::Range;

use crate::address::{FileOffset, RuntimeAddr};
use crate::object::Object;

/// The kind of processor that a stack was recorded on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Processor {
    /// `x86_64`.
    X86_64,
    /// `aarch64`.
    Aarch64,
}

/// The registers and the top of the stack of one sample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedStack {
    /// Whose registers they are.
    pub processor: Processor,
    /// Where the program was.
    pub ip: u64,
    /// Where the stack began.
    pub sp: u64,
    /// The frame pointer.
    pub fp: u64,
    /// The link register, where the processor has one.
    pub lr: u64,
    /// The bytes from `sp` on.
    pub bytes: Box<[u8]>,
}

/// A part of a file that a process had mapped as code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MappedCode {
    /// The file.
    pub object: Object,
    /// Where it was mapped.
    pub addrs: Range<RuntimeAddr>,
    /// Position in the file of the first byte.
    pub offset: FileOffset,
}

/// The callers found in a stack.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UnwoundStack {
    /// Leaf first: where the program was, then for each caller the last byte of its call.
    pub addrs: Vec<u64>,
    /// Whether the root was reached.
    pub is_whole: bool,
}

/// Finds callers in recorded stacks.
pub trait Unwinder: Sync {
    /// The callers in stacks of one process, in the order of the stacks.
    fn unwind(&self, code: &[MappedCode], stacks: &[&RecordedStack]) -> Vec<UnwoundStack>;
}
