//! Cutting the text into blocks at the edges of samples.
//!
//! A block is read by bounded `read`s, so pipes work and memory stays at a block per worker. It ends after a blank line,
//! or, where samples are single lines, before a line that begins a sample. A sample longer than [`MAX_BLOCK_BYTES`] is cut
//! at a line end, and the block after it says that it continues one. Where blocks are cut does not change the result.

use std::collections::VecDeque;
use std::io::{self, Read};

use super::header_line;

/// How much is read for a block: it stays in the second-level cache between the kernel's copy and the parser.
pub(super) const BLOCK_BYTES: usize = 256 << 10;

/// The most that a block grows to in search of a sample's edge.
pub(super) const MAX_BLOCK_BYTES: usize = 32 << 20;

/// The most kept of one line.
pub(super) const MAX_LINE_BYTES: usize = 64 << 10;

/// How far from its end a block is searched for an edge before all of it is.
const EDGE_WINDOW_BYTES: usize = 64 << 10;

/// A piece of the text that holds whole samples.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The text: whole lines, each with its end.
    pub(super) text: Buffer,
    /// Its number in the order of the text.
    pub(super) index: u32,
    /// It begins with the rest of a sample that did not fit in the block before.
    pub(super) continues: bool,
    /// The end of the input: a line without its end was dropped.
    pub(super) dropped_line: Option<Vec<u8>>,
    /// The end of the input.
    pub(super) is_last: bool,
}

/// Bytes that grow and shrink without being cleared each time they are read into.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    len: usize,
}

impl Buffer {
    /// What it holds.
    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&self.bytes)
    }

    fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    fn extend_from_slice(&mut self, more: &[u8]) {
        let end = self.len + more.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        if let Some(room) = self.bytes.get_mut(self.len..end) {
            room.copy_from_slice(more);
        }
        self.len = end;
    }

    /// Reads until `goal` bytes are held; true at the end of the input.
    fn read_up_to(&mut self, reader: &mut impl Read, goal: usize) -> io::Result<bool> {
        if self.bytes.len() < goal {
            self.bytes.resize(goal, 0);
        }
        while let Some(room @ [_, ..]) = self.bytes.get_mut(self.len..goal) {
            match reader.read(room) {
                Ok(0) => return Ok(true),
                Ok(read) => self.len += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }
}

/// The blocks of a text.
pub(super) struct BlockReader<R> {
    reader: R,
    block_bytes: usize,
    /// Read beyond the edge of the last block.
    carry: Vec<u8>,
    next_index: u32,
    next_continues: bool,
    is_done: bool,
    /// Blocks taken back, to be given out first.
    waiting: VecDeque<Block>,
}

impl<R: Read> BlockReader<R> {
    /// Blocks of about `block_bytes`.
    pub(super) fn new(reader: R, block_bytes: usize) -> Self {
        Self {
            reader,
            block_bytes: block_bytes.max(1),
            carry: Vec::new(),
            next_index: 0,
            next_continues: false,
            is_done: false,
            waiting: VecDeque::new(),
        }
    }

    /// Puts the next block into `block`, whose memory is used again; false at the end.
    pub(super) fn read_block(&mut self, block: &mut Block) -> io::Result<bool> {
        if let Some(waiting) = self.waiting.pop_front() {
            *block = waiting;
            return Ok(true);
        }
        if self.is_done {
            return Ok(false);
        }
        self.start(block);
        let result = self.fill(block);
        self.is_done |= result.is_err();
        result?;
        self.next_index += 1;
        Ok(true)
    }

    /// Takes blocks back, to be read again in this order.
    pub(super) fn put_back(&mut self, blocks: Vec<Block>) {
        self.waiting = blocks.into();
    }

    /// Gives out no further block.
    pub(super) fn stop(&mut self) {
        self.is_done = true;
        self.waiting.clear();
    }

    fn start(&mut self, block: &mut Block) {
        block.text.truncate(0);
        block.text.extend_from_slice(&self.carry);
        self.carry.clear();
        block.index = self.next_index;
        block.continues = std::mem::take(&mut self.next_continues);
        block.dropped_line = None;
        block.is_last = false;
    }

    fn fill(&mut self, block: &mut Block) -> io::Result<()> {
        let mut goal = self.block_bytes;
        loop {
            if block.text.read_up_to(&mut self.reader, goal)? {
                self.is_done = true;
                end_last(block);
                return Ok(());
            }
            if let Some(edge) = find_edge(block.text.as_slice()) {
                self.cut(block, edge);
                return Ok(());
            }
            if block.text.len < MAX_BLOCK_BYTES {
                goal = block.text.len.saturating_mul(2).max(goal + 1);
                continue;
            }
            if let Some(newline) = memchr::memrchr(b'\n', block.text.as_slice()) {
                self.next_continues = true;
                self.cut(block, newline + 1);
                return Ok(());
            }
            self.skip_long_line(block)?;
        }
    }

    fn cut(&mut self, block: &mut Block, edge: usize) {
        self.carry.extend_from_slice(block.text.as_slice().get(edge..).unwrap_or(b""));
        block.text.truncate(edge);
    }

    /// The block is one line without an end: keeps its start, so that the parser sees that it is too long.
    fn skip_long_line(&mut self, block: &mut Block) -> io::Result<()> {
        let mut piece = Vec::with_capacity(BLOCK_BYTES);
        block.text.truncate(MAX_LINE_BYTES + 1);
        loop {
            piece.clear();
            let read = self.reader.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut piece)?;
            if let Some(newline) = memchr::memchr(b'\n', &piece) {
                block.text.extend_from_slice(piece.get(newline..).unwrap_or(b""));
                return Ok(());
            }
            if read == 0 {
                return Ok(());
            }
        }
    }
}

/// Drops a last line that is cut off in the middle; completes one that only lacks its end.
fn end_last(block: &mut Block) {
    block.is_last = true;
    let start = memchr::memrchr(b'\n', block.text.as_slice()).map_or(0, |newline| newline + 1);
    let line = block.text.as_slice().get(start..).unwrap_or(b"").trim_ascii_end();
    if line.is_empty() {
        return;
    }
    if line.ends_with(b")") || line.starts_with(b"#") {
        block.text.extend_from_slice(b"\n");
    } else {
        block.dropped_line = Some(line.to_vec());
        block.text.truncate(start);
    }
}

/// Where the last sample of `text` that is not known to be whole begins.
fn find_edge(text: &[u8]) -> Option<usize> {
    let window = text.len().saturating_sub(EDGE_WINDOW_BYTES);
    [window, 0]
        .into_iter()
        .find_map(|from| after_blank_line(text, from).or_else(|| before_header(text, from)))
}

/// After the last blank line. A second blank line before frames is the empty header of a sample; frames behind one blank
/// line belong to nothing, and begin nothing.
fn after_blank_line(text: &[u8], from: usize) -> Option<usize> {
    let window = text.get(from..)?;
    memchr::memrchr_iter(b'\n', window).find_map(|newline| {
        let next = window.get(newline + 1)?;
        match window.get(..newline)? {
            [.., b'\n', b'\n'] if *next == b'\t' => Some(from + newline),
            [.., b'\n'] if *next != b'\t' => Some(from + newline + 1),
            _ => None,
        }
    })
}

/// Before the last line that for certain begins a sample.
fn before_header(text: &[u8], from: usize) -> Option<usize> {
    let mut end = memchr::memrchr(b'\n', text)?;
    loop {
        let start = memchr::memrchr(b'\n', text.get(from..end)?)? + from + 1;
        let line = text.get(start..end)?;
        if !line.starts_with(b"\t") && header_line::parse(line).is_some_and(|header| !header.needs_frames) {
            return Some(start);
        }
        end = start - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str, block_bytes: usize) -> Vec<String> {
        let mut reader = BlockReader::new(text.as_bytes(), block_bytes);
        let (mut block, mut found) = (Block::default(), Vec::new());
        while reader.read_block(&mut block).unwrap() {
            let dropped = block
                .dropped_line
                .take()
                .map_or(String::new(), |line| format!("<dropped {}>", String::from_utf8_lossy(&line)));
            found.push(String::from_utf8_lossy(block.text.as_slice()).into_owned() + &dropped);
        }
        found
    }

    #[test]
    fn blocks_end_after_a_blank_line() {
        assert_eq!(blocks("h\n\t1 a\n\nh\n\t1 b\n\nh\n\n", 8), ["h\n\t1 a\n\n", "h\n\t1 b\n\nh\n\n"]);
    }

    #[test]
    fn an_empty_header_stays_with_its_frames() {
        assert_eq!(blocks("\n\t1 a\n\n\n\t1 b\n\n", 8), ["\n\t1 a\n\n", "\n\t1 b\n\n"]);
        assert_eq!(blocks("h\n\t1 a\n\n\t1 b\n\n", 12), ["h\n\t1 a\n\n\t1 b\n\n"]);
    }

    #[test]
    fn flat_samples_are_cut_before_a_header() {
        let text = "x 1 1.000001: 1 c:      5571cb855236 a\n  t.c:8\nx 1 1.000001: 1 c:      5571cb855236 b\n  t.c:9\n";
        let (first, second) = text.split_at(text.len() / 2);
        assert_eq!(blocks(text, text.len() - 4), [first, second]);
    }

    #[test]
    fn a_last_line_without_end_is_completed_or_dropped() {
        assert_eq!(blocks("h\n\t1 a (b)", 999), ["h\n\t1 a (b)\n"]);
        assert_eq!(blocks("h\n\t1 a (", 999), ["h\n<dropped \t1 a (>"]);
    }
}
