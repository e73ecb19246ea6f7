//! The machine code of a function as data: its instructions with their places in the source, and the code blocks that they
//! form.
//!
//! Law: the code blocks are in order of address, none is empty, and each instruction is in exactly one of them.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::address::ObjectAddr;

/// One instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its first byte.
    pub addr: ObjectAddr,
    /// Number of bytes.
    pub length: u8,
    /// As disassemblers print it, in AT&T syntax; with the name of the function that it calls, if known.
    pub text: Box<str>,
    /// The mnemonic and the kinds of its operands: equal for instructions that differ in registers, numbers and addresses
    /// only. All conditional jumps have the same.
    pub opcode: Box<str>,
    /// The function that it calls or jumps to, if that is another function and known.
    pub callee: Option<Box<str>>,
    /// Its place in the source: a position in [`MachineCode::places`].
    pub place: Option<usize>,
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CodePlace {
    /// The innermost function.
    pub function: Arc<str>,
    /// Whether it is inlined here, so that it is another function than the one whose code this is.
    pub inlined: bool,
    /// The source file, if known.
    pub file: Option<Arc<str>>,
    /// The line, from 1, if known.
    pub line: Option<u32>,
}

/// The machine code of a function: all its parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MachineCode {
    instructions: Vec<Instruction>,
    places: Vec<CodePlace>,
    blocks: Vec<Range<usize>>,
}

/// Why there is no machine code of a function to show.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NoCode {
    /// No file of the object was found.
    NoFile,
    /// The recording is a pack, which has no machine code, and the binary was not given.
    Packed,
    /// The file could not be read.
    Unreadable,
    /// The file is for a processor whose instructions are not disassembled.
    OtherProcessor,
    /// The file has no machine code of the function: it is inlined everywhere, or not in this build.
    NoBody,
    /// The function is larger than what is disassembled.
    TooLarge,
}

impl MachineCode {
    /// Instructions in order of address, the places that they refer to, and where code blocks begin.
    #[must_use]
    pub fn new(
        instructions: Vec<Instruction>,
        places: Vec<CodePlace>,
        block_starts: &BTreeSet<ObjectAddr>,
    ) -> Self {
        let is_start =
            |at: &usize| *at == 0 || instructions.get(*at).is_some_and(|of| block_starts.contains(&of.addr));
        let starts: Vec<usize> = (0..instructions.len()).filter(is_start).collect();
        let ends = starts.iter().skip(1).copied().chain([instructions.len()]);
        let blocks = starts.iter().zip(ends).map(|(start, end)| *start..end).collect();
        Self { instructions, places, blocks }
    }

    /// In order of address.
    #[must_use]
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Each once.
    #[must_use]
    pub fn places(&self) -> &[CodePlace] {
        &self.places
    }

    /// The instructions of each code block, as positions.
    #[must_use]
    pub fn blocks(&self) -> &[Range<usize>] {
        &self.blocks
    }

    /// The place of an instruction.
    #[must_use]
    pub fn place(&self, of: &Instruction) -> Option<&CodePlace> {
        self.places.get(of.place?)
    }

    /// The position of the instruction that contains an address.
    #[must_use]
    pub fn at(&self, addr: ObjectAddr) -> Option<usize> {
        let at = self.instructions.partition_point(|of| of.addr <= addr).checked_sub(1)?;
        let of = self.instructions.get(at)?;
        (addr.0 - of.addr.0 < u64::from(of.length)).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(addrs: &[u64], starts: &[u64]) -> MachineCode {
        let instruction = |addr: &u64| Instruction {
            addr: ObjectAddr(*addr),
            length: 2,
            text: "".into(),
            opcode: "".into(),
            callee: None,
            place: None,
        };
        let starts = starts.iter().map(|start| ObjectAddr(*start)).collect();
        MachineCode::new(addrs.iter().map(instruction).collect(), Vec::new(), &starts)
    }

    #[test]
    fn each_instruction_is_in_one_code_block() {
        let check = |starts: &[u64], expected: &[(usize, usize)]| {
            let code = code(&[10, 12, 14, 30], starts);
            let blocks: Vec<(usize, usize)> =
                code.blocks().iter().map(|block| (block.start, block.end)).collect();
            assert_eq!(blocks, expected, "{starts:?}");
        };
        check(&[], &[(0, 4)]);
        check(&[10, 14], &[(0, 2), (2, 4)]);
        // A jump into the middle of an instruction begins no block.
        check(&[13, 30, 99], &[(0, 3), (3, 4)]);
        assert_eq!(code(&[], &[1]).blocks(), []);
    }

    #[test]
    fn an_instruction_is_found_by_any_of_its_bytes() {
        let code = code(&[10, 12, 30], &[]);
        let check = |addr, expected| assert_eq!(code.at(ObjectAddr(addr)), expected, "{addr}");
        check(9, None);
        check(10, Some(0));
        check(13, Some(1));
        check(14, None);
        check(31, Some(2));
        check(32, None);
    }
}
