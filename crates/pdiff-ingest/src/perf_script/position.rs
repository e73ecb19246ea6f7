//! Where something is in the text: the order of everything, whichever worker met it.

/// A line of a block; blocks are numbered in the order of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Position {
    /// Number of the block.
    pub(super) block: u32,
    /// Line within the block, from 0.
    pub(super) line: u32,
}

impl Position {
    /// The same order as one number, for one comparison.
    pub(super) fn key(self) -> u64 {
        u64::from(self.block) << 32 | u64::from(self.line)
    }
}

/// The number of lines before each block, to turn positions into line numbers.
#[derive(Debug, Default)]
pub(super) struct LineNumbers {
    lines_before: Vec<u64>,
    total: u64,
}

impl LineNumbers {
    /// From the number of lines of each block, in any order.
    pub(super) fn new(mut lines_of_blocks: Vec<(u32, u32)>) -> Self {
        lines_of_blocks.sort_unstable();
        let mut numbers = Self::default();
        for (_, lines) in lines_of_blocks {
            numbers.lines_before.push(numbers.total);
            numbers.total += u64::from(lines);
        }
        numbers
    }

    /// The line number of a position, from 1.
    pub(super) fn line_number(&self, position: Position) -> u64 {
        let before = self.lines_before.get(position.block as usize).copied().unwrap_or(0);
        before + u64::from(position.line) + 1
    }

    /// The number of lines of the whole text.
    pub(super) fn total(&self) -> u64 {
        self.total
    }
}
