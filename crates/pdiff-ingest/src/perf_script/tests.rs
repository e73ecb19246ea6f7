//! Tests of the parser as a whole: variants by data, laws by generated text.

mod laws;
mod limits;
mod variants;

use std::fmt::Write;
use std::num::NonZeroUsize;

use pdiff_profile::{Frame, Profile};

use crate::error::Error;
use crate::options::ReadOptions;
use crate::time_window::TimeWindow;

use super::blocks::{Block, BlockReader};
use super::columns::{self, HEAD_BYTES};
use super::merge::merge;
use super::parse_blocks;
use super::worker::Worker;

/// The profile of a text, read in one block by one worker.
fn profile(text: &[u8]) -> Profile {
    profile_with(text, 1 << 20, 1)
}

fn profile_with(text: &[u8], block_bytes: usize, threads: usize) -> Profile {
    let options = ReadOptions { threads: NonZeroUsize::new(threads), lenient: true, ..ReadOptions::new() };
    parse_blocks(text, &options, block_bytes).unwrap_or_else(|error| panic!("{error}"))
}

/// The profile of a text whose blocks are dealt to workers in turns, as `turns` says again and again.
fn profile_dealt(text: &[u8], block_bytes: usize, turns: &[usize]) -> Profile {
    let columns = columns::decide(text.get(..HEAD_BYTES).unwrap_or(text));
    let mut workers: Vec<Worker> = turns.iter().map(|_| Worker::new(None, None, columns)).collect();
    let mut blocks = BlockReader::new(text, block_bytes);
    let mut block = Block::default();
    for turn in turns.iter().cycle() {
        if !blocks.read_block(&mut block).unwrap() {
            break;
        }
        workers[*turn].read_block(&block);
    }
    let workers = workers.into_iter().map(Worker::finish).collect();
    merge(workers, "the text", &ReadOptions { lenient: true, ..ReadOptions::new() }).unwrap()
}

fn error(text: &[u8], time: &str) -> Error {
    let time = TimeWindow::parse(time).unwrap();
    parse_blocks(text, &ReadOptions { time, ..ReadOptions::new() }, 1 << 20)
        .expect_err("an error is expected")
}

/// Asserts that a text reads as `expected`, the compact form of [`dump`], however it is cut into blocks.
fn check(text: &str, expected: &str) {
    let trimmed: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let whole = profile(text.as_bytes());
    assert_eq!(dump(&whole).trim_end(), trimmed.join("\n"), "{text}");
    for block_bytes in [1, 40, 100] {
        assert_eq!(profile_with(text.as_bytes(), block_bytes, 1), whole, "blocks of {block_bytes}: {text}");
        let dealt = profile_dealt(text.as_bytes(), block_bytes, &[1, 0, 2, 0]);
        assert_eq!(dealt, whole, "dealt in blocks of {block_bytes}: {text}");
    }
}

/// One line a cell: `event|second|comm pid/tid|root;...;leaf samples weight`, then the notes as `! kind count weight`.
fn dump(profile: &Profile) -> String {
    let mut text = String::new();
    let id = |id: Option<u32>| id.map_or("-".into(), |id| id.to_string());
    for cell in &profile.cells {
        let event = &profile.events[cell.event.index()];
        let thread = profile.threads[cell.thread.index()];
        let frames: Vec<String> = profile
            .stacks
            .get(cell.stack)
            .iter()
            .map(|id| frame(profile, profile.frames[id.index()]))
            .collect();
        let thread = format!("{} {}/{}", profile.string(thread.comm), id(thread.pid), id(thread.tid));
        let counts = format!("{} {}", cell.samples, cell.weight.0);
        writeln!(text, "{}|{}|{thread}|{} {counts}", event.name, cell.block, frames.join(";")).unwrap();
    }
    for note in profile.notes.iter() {
        writeln!(text, "! {} {} {}", note.kind, note.count, note.weight.0).unwrap();
    }
    text
}

/// `address:symbol+offset(object)@source*`, `*` for inlined.
fn frame(profile: &Profile, frame: Frame) -> String {
    let symbol = frame.symbol.map_or("?", |symbol| profile.string(symbol));
    let offset = frame.symbol_offset.map_or(String::new(), |offset| format!("+{offset:x}"));
    let object = profile.objects[frame.object.index()].file_name();
    let source = frame.source.map_or(String::new(), |source| format!("@{}", profile.string(source)));
    let inlined = if frame.inlined { "*" } else { "" };
    format!("{:x}:{symbol}{offset}({object}){source}{inlined}", frame.addr.unwrap_or_default())
}
