//! One worker: reads blocks and counts their samples.
//!
//! It never parses the same text twice: thread texts, events, leaf lines and the lines above a leaf are numbered by
//! [`Memo`]s, and a sample is counted by these numbers. What the numbers mean is worked out once, in `merge`.

use pdiff_profile::NoteKind;

use crate::cpu_list::CpuList;
use crate::time_window::TimeRange;

use super::blocks::{Block, MAX_LINE_BYTES};
use super::chain_memo::{ChainMemo, NO_TEXT, Place};
use super::comment_line;
use super::counts::{CellKey, Counts};
use super::cursor::Cursor;
use super::findings::{Findings, is_backwards, widen};
use super::frame_line;
use super::header_line::Columns;
use super::header_line::{self, HeaderLine};
use super::header_shape::{HeaderShapes, KnownHeader};
use super::memo::{Memo, TextId};
use super::position::Position;
use super::record_line::{self, RecordLine};
use super::thread_text::cpu_of;

/// Nanoseconds in a second: the length of a time block.
const BLOCK_NS: u64 = 1_000_000_000;

/// Texts of threads or events, and the first sample counted for each.
#[derive(Default)]
pub(super) struct FirstSeen {
    /// The texts.
    pub(super) memo: Memo,
    /// Place of the first sample by text; `None` while none was counted.
    pub(super) firsts: Vec<Option<Position>>,
}

impl FirstSeen {
    fn intern(&mut self, text: &[u8]) -> TextId {
        let (id, is_new) = self.memo.intern(text);
        if is_new {
            self.firsts.push(None);
        }
        id
    }

    #[inline]
    fn count(&mut self, id: TextId, position: Position) {
        if let Some(first @ None) = self.firsts.get_mut(id as usize) {
            *first = Some(position);
        }
    }
}

/// Reads blocks and counts.
pub(super) struct Worker {
    range: Option<TimeRange>,
    /// Samples on other CPUs are left out.
    cpus: Option<CpuList>,
    columns: Columns,
    shapes: HeaderShapes,
    last_time: Option<u64>,
    block_times: Option<(Position, u64, u64)>,
    /// Whether frames here belong to a header that could not be parsed, or to a record.
    orphans: Orphans,
    position: Position,
    /// Thread texts.
    pub(super) threads: FirstSeen,
    /// Events.
    pub(super) events: FirstSeen,
    /// Whether a sample of the event had no period, by event.
    pub(super) without_period: Vec<bool>,
    /// Leaf lines and the lines above them.
    pub(super) chains: ChainMemo,
    /// The counts.
    pub(super) counts: Counts,
    /// Everything else.
    pub(super) findings: Findings,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Orphans {
    Unparsed,
    Ignored,
    Cut,
}

impl Worker {
    /// A worker that keeps the samples of a range.
    pub(super) fn new(range: Option<TimeRange>, cpus: Option<CpuList>, columns: Columns) -> Self {
        Self {
            range,
            cpus,
            columns,
            shapes: HeaderShapes::default(),
            last_time: None,
            block_times: None,
            orphans: Orphans::Unparsed,
            position: Position { block: 0, line: 0 },
            threads: FirstSeen::default(),
            events: FirstSeen::default(),
            without_period: Vec::new(),
            chains: ChainMemo::new(),
            counts: Counts::default(),
            findings: Findings::default(),
        }
    }

    /// Counts the samples of a block. Blocks come in rising order.
    pub(super) fn read_block(&mut self, block: &Block) {
        (self.last_time, self.block_times) = (None, None);
        self.orphans = if block.continues { Orphans::Cut } else { Orphans::Unparsed };
        let mut cursor = Cursor::new(block.text.as_slice());
        loop {
            self.position = Position { block: block.index, line: cursor.line };
            let Some(line) = cursor.next_line() else { break };
            self.read_line(line, &mut cursor, block);
        }
        if let Some(line) = &block.dropped_line {
            self.findings.log.add(NoteKind::TruncatedSample, 0, self.position, line);
            cursor.line += 1;
        }
        self.findings.lines_of_blocks.push((block.index, cursor.line));
        self.findings.times_of_blocks.extend(self.block_times);
    }

    /// The worker's last words: all counts as cells.
    pub(super) fn finish(mut self) -> Self {
        self.counts.finish();
        self
    }

    #[inline]
    fn read_line(&mut self, line: &[u8], cursor: &mut Cursor<'_>, block: &Block) {
        match line {
            [] | [b'\r'] => {
                self.orphans = Orphans::Unparsed;
                if cursor.is_at_frame() {
                    let known = self.known(HeaderLine::default());
                    self.sample(&known, cursor, block);
                }
            }
            [b'\t', ..] => self.orphan(line),
            [b'#', ..] if comment_line::is_comment(line) => {
                self.findings.comments.push((self.position, line.into()));
            }
            _ => self.header(line, cursor, block),
        }
    }

    /// A frame without a header.
    #[cold]
    fn orphan(&mut self, line: &[u8]) {
        match self.orphans {
            Orphans::Unparsed => self.unparsed(line),
            Orphans::Cut => {
                self.findings.log.add(NoteKind::StackTooDeep, 0, self.position, line);
                self.orphans = Orphans::Ignored;
            }
            Orphans::Ignored => {}
        }
    }

    fn unparsed(&mut self, line: &[u8]) {
        self.findings.log.add(NoteKind::UnparsedLine, 0, self.position, line);
    }

    #[inline]
    fn header(&mut self, line: &[u8], cursor: &mut Cursor<'_>, block: &Block) {
        self.orphans = Orphans::Unparsed;
        let threads = &self.threads.memo;
        let is_short = line.len() <= MAX_LINE_BYTES;
        match is_short.then(|| self.shapes.parse(line, |text| threads.find(text))).flatten() {
            Some(known) => self.sample(&known, cursor, block),
            None => self.other_header(line, cursor, block),
        }
    }

    #[cold]
    fn other_header(&mut self, line: &[u8], cursor: &mut Cursor<'_>, block: &Block) {
        let line = match line.get(..MAX_LINE_BYTES) {
            Some(kept) if line.len() > MAX_LINE_BYTES => {
                self.findings.log.add(NoteKind::LineTooLong, 0, self.position, kept);
                kept
            }
            _ => line,
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(record) = record_line::parse(line) {
            return self.record(&record, line);
        }
        match header_line::parse_as(line, self.columns) {
            Some(header)
                if !header.needs_frames || is_before_frame(cursor) || self.is_frameless(line, cursor) =>
            {
                let known = self.known(header);
                self.shapes.learn(&header, known.event);
                self.sample(&known, cursor, block);
            }
            _ => self.unparsed(line),
        }
    }

    /// Whether a line of thread alone is a sample with no frame: perf ends it by a blank, and a blank line follows.
    fn is_frameless(&self, line: &[u8], cursor: &Cursor<'_>) -> bool {
        self.columns == Columns::Neither
            && line.ends_with(b" ")
            && cursor.peek_line().is_some_and(|next| next.is_empty() || next == b"\r")
    }

    fn known<'a>(&mut self, header: HeaderLine<'a>) -> KnownHeader<'a> {
        let thread = self.threads.intern(header.thread_text);
        let event = self.events.intern(header.event.unwrap_or(b""));
        KnownHeader { header, thread, event }
    }

    fn record(&mut self, record: &RecordLine<'_>, line: &[u8]) {
        self.orphans = Orphans::Ignored;
        match record {
            RecordLine::Map(map) => self.findings.maps.push((self.position, map.into())),
            RecordLine::Lost(count) => {
                let example = || super::excerpt(line);
                self.findings.log.add_many(NoteKind::LostSamples, *count, 0, self.position, example);
            }
            RecordLine::Other => {}
        }
    }

    /// Counts the sample of a header and the lines that follow it.
    #[inline]
    fn sample(&mut self, known: &KnownHeader<'_>, cursor: &mut Cursor<'_>, block: &Block) {
        let header = &known.header;
        let weight = header.period.unwrap_or(1);
        let mut has_skipped = header.has_skipped;
        let (leaf, tail) = if cursor.is_at_frame() {
            has_skipped |= header.frame.is_some();
            let is_end_whole = block.is_last && block.dropped_line.is_none();
            let place = Place { position: self.position, weight, is_end_whole };
            self.chains.read_chain(cursor, place, &mut self.findings.log)
        } else if let Some(frame) = header.frame {
            self.chains.read_flat(frame, cursor)
        } else {
            self.findings.log.add(NoteKind::NoFrames, weight, self.position, header.thread_text);
            (NO_TEXT, NO_TEXT)
        };
        if has_skipped {
            self.findings.log.add(NoteKind::SkippedField, weight, self.position, b"columns after the event");
        }
        self.count(known, weight, leaf, tail);
    }

    #[inline]
    fn count(&mut self, known: &KnownHeader<'_>, weight: u64, leaf: TextId, tail: TextId) {
        let position = self.position;
        let KnownHeader { ref header, thread, event } = *known;
        let block = match header.time_ns {
            Some(time_ns) => {
                self.note_time(time_ns);
                u32::try_from(time_ns / BLOCK_NS).unwrap_or(u32::MAX)
            }
            None => {
                self.findings.log.add(NoteKind::NoTime, weight, position, header.thread_text);
                0
            }
        };
        if let Some(cpus) = &self.cpus {
            let cpu = cpu_of(header.thread_text);
            self.findings.has_cpus |= cpu.is_some();
            if !cpu.is_some_and(|cpu| cpus.contains(cpu)) {
                let example = || "a sample on another CPU".into();
                return self.findings.log.add_many(NoteKind::FilteredOut, 1, weight, position, example);
            }
        }
        let is_inside = |range: TimeRange| header.time_ns.is_some_and(|time_ns| range.contains(time_ns));
        if !self.range.is_none_or(is_inside) {
            let example = || "a sample outside the time window".into();
            return self.findings.log.add_many(NoteKind::FilteredOut, 1, weight, position, example);
        }
        if let Some(time_ns) = header.time_ns {
            widen(&mut self.findings.span, time_ns);
        }
        self.findings.has_samples = true;
        self.threads.count(thread, position);
        self.events.count(event, position);
        if header.period.is_none() {
            self.note_no_period(event, header);
        }
        self.counts.add(block, CellKey { thread, event, leaf, tail }, weight, position);
    }

    #[inline]
    fn note_time(&mut self, time_ns: u64) {
        if self.last_time.is_some_and(|last| is_backwards(last, time_ns)) {
            let example = || format!("{time_ns} ns");
            self.findings.log.add_many(NoteKind::TimeBackwards, 1, 0, self.position, example);
        }
        self.last_time = Some(time_ns);
        widen(&mut self.findings.seen_span, time_ns);
        let (position, first, _) = self.block_times.unwrap_or((self.position, time_ns, time_ns));
        self.block_times = Some((position, first, time_ns));
    }

    #[cold]
    fn note_no_period(&mut self, event: TextId, header: &HeaderLine<'_>) {
        let place = event as usize;
        if self.without_period.len() <= place {
            self.without_period.resize(place + 1, false);
        }
        if let Some(flag) = self.without_period.get_mut(place) {
            *flag = true;
        }
        self.findings.log.add(NoteKind::NoPeriod, 1, self.position, header.event.unwrap_or(b""));
    }
}

/// Whether the next line is a frame in earnest, which makes a header of a line that might be anything.
fn is_before_frame(cursor: &Cursor<'_>) -> bool {
    cursor.is_at_frame() && cursor.peek_line().is_some_and(|line| frame_line::parse(line).is_some())
}
