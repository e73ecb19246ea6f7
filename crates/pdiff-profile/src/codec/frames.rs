//! The byte form of recorded frames.
//!
//! ```text
//! count  flags*  object*  symbol*  offset*  addr*  source*
//! ```
//!
//! `flags` is one byte per frame that tells which other columns contain it. The expected address is the start of the symbol
//! in the previous frame with that symbol, plus the offset: 15,000 addresses of one program then cost little more than
//! their offsets.

use rustc_hash::FxHashMap;

use super::bytes::{ByteReader, ByteWriter};
use super::newest::Newest;
use crate::address::RawAddr;
use crate::id::{ObjectIndex, StringId};
use crate::profile::Frame;

const HAS_ADDR: u8 = 1;
const HAS_SYMBOL: u8 = 2;
const HAS_OFFSET: u8 = 4;
const HAS_SOURCE: u8 = 8;
const IS_INLINED: u8 = 16;

pub(super) fn write_frames(out: &mut ByteWriter, frames: &[Frame]) {
    out.count(frames.len());
    frames.iter().for_each(|frame| out.byte(flags(frame)));
    frames.iter().for_each(|frame| out.number(u64::from(frame.object.0)));
    write_ids(out, frames.iter().filter_map(|frame| frame.symbol));
    frames.iter().filter_map(|frame| frame.symbol_offset).for_each(|offset| out.number(offset));
    let mut addrs = Addrs::default();
    for frame in frames {
        if let Some(addr) = frame.addr {
            out.difference(addrs.expected(frame), addr.0);
            addrs.see(frame, addr);
        }
    }
    write_ids(out, frames.iter().filter_map(|frame| frame.source));
}

fn flags(frame: &Frame) -> u8 {
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    flag(frame.addr.is_some(), HAS_ADDR)
        | flag(frame.symbol.is_some(), HAS_SYMBOL)
        | flag(frame.symbol_offset.is_some(), HAS_OFFSET)
        | flag(frame.source.is_some(), HAS_SOURCE)
        | flag(frame.inlined, IS_INLINED)
}

pub(super) fn read_frames(reader: &mut ByteReader<'_>) -> Option<Vec<Frame>> {
    let count = reader.count(2)?;
    let flags = reader.take(count)?;
    let mut frames = Vec::with_capacity(count);
    for flags in flags {
        let inlined = flags & IS_INLINED != 0;
        let object = ObjectIndex(reader.number32()?);
        frames.push(Frame { addr: None, symbol: None, symbol_offset: None, object, source: None, inlined });
    }
    let mut column = |flag: u8, read: &mut dyn FnMut(&mut ByteReader<'_>, &mut Frame) -> Option<()>| {
        let with_flag = frames.iter_mut().zip(flags).filter(|(_, flags)| *flags & flag != 0);
        with_flag.map(|(frame, _)| read(reader, frame)).collect::<Option<()>>()
    };
    let (mut symbols, mut sources, mut addrs) = (Newest::default(), Newest::default(), Addrs::default());
    column(HAS_SYMBOL, &mut |reader, frame| {
        frame.symbol = Some(StringId(symbols.read(reader)?));
        Some(())
    })?;
    column(HAS_OFFSET, &mut |reader, frame| {
        frame.symbol_offset = Some(reader.number()?);
        Some(())
    })?;
    column(HAS_ADDR, &mut |reader, frame| {
        let addr = RawAddr(reader.difference(addrs.expected(frame))?);
        addrs.see(frame, addr);
        frame.addr = Some(addr);
        Some(())
    })?;
    column(HAS_SOURCE, &mut |reader, frame| {
        frame.source = Some(StringId(sources.read(reader)?));
        Some(())
    })?;
    Some(frames)
}

fn write_ids(out: &mut ByteWriter, ids: impl Iterator<Item = StringId>) {
    let mut newest = Newest::default();
    ids.for_each(|id| newest.write(out, id.0));
}

/// Where the next address is expected. Differences wrap, so any guess is right in the end, and a good one is short.
#[derive(Default)]
struct Addrs {
    symbol_starts: FxHashMap<(ObjectIndex, StringId), u64>,
    last: FxHashMap<ObjectIndex, u64>,
}

impl Addrs {
    fn expected(&self, frame: &Frame) -> u64 {
        let symbol = frame.symbol.and_then(|symbol| self.symbol_starts.get(&(frame.object, symbol)));
        match (symbol, frame.symbol_offset) {
            (Some(start), Some(offset)) => start.wrapping_add(offset),
            _ => self.last.get(&frame.object).copied().unwrap_or(0),
        }
    }

    fn see(&mut self, frame: &Frame, addr: RawAddr) {
        self.last.insert(frame.object, addr.0);
        if let (Some(symbol), Some(offset)) = (frame.symbol, frame.symbol_offset) {
            self.symbol_starts.insert((frame.object, symbol), addr.0.wrapping_sub(offset));
        }
    }
}
