//! One worker: reads blocks and counts their samples.
//!
//! It never parses the same text twice: thread texts, events, leaf lines and the lines above a leaf are numbered by
//! [`Memo`]s, and a sample is counted by these numbers. What the numbers mean is worked out once, in `merge`.

use memchr::memmem::Finder;
use pdiff_profile::NoteKind;

use crate::time_window::TimeRange;

use super::blocks::{Block, MAX_LINE_BYTES};
use super::comment_line;
use super::counts::{CellKey, Counts};
use super::cursor::Cursor;
use super::frame_line;
use super::header_line::{self, HeaderLine};
use super::header_shape::{HeaderShapes, KnownHeader};
use super::memo::{Memo, TextId};
use super::note_log::NoteLog;
use super::position::Position;
use super::record_line::{self, MapLine, RecordLine};

/// Nanoseconds in a second: the length of a time block.
const BLOCK_NS: u64 = 1_000_000_000;

/// How far time may go backwards from one sample to the next before it is noted: perf sorts what its buffers hold.
pub(super) const BACKWARDS_NS: u64 = 1_000_000_000;

/// How far the blank line that ends a chain is looked for before the chain is read line by line.
const TAIL_WINDOW_BYTES: usize = 256 << 10;

/// What a worker found, apart from the counts.
#[derive(Default)]
pub(super) struct Findings {
    /// Notes.
    pub(super) log: NoteLog,
    /// Maps of code, with their places and build-ids in hexadecimal.
    pub(super) maps: Vec<(Position, OwnedMap)>,
    /// `# key : value` lines.
    pub(super) comments: Vec<(Position, Box<[u8]>)>,
    /// Number and lines of each block.
    pub(super) lines_of_blocks: Vec<(u32, u32)>,
    /// Place of the first time, first and last time of each block that has times.
    pub(super) times_of_blocks: Vec<(Position, u64, u64)>,
    /// Earliest and latest time of the samples kept.
    pub(super) span: Option<(u64, u64)>,
    /// Earliest and latest time of all samples.
    pub(super) seen_span: Option<(u64, u64)>,
    /// Whether a sample was counted.
    pub(super) has_samples: bool,
}

/// A [`MapLine`] that outlives its block.
pub(super) struct OwnedMap {
    /// Process id; `None` for the kernel.
    pub(super) pid: Option<u32>,
    /// First address.
    pub(super) start: u64,
    /// Length in bytes.
    pub(super) len: u64,
    /// Place in the file.
    pub(super) offset: u64,
    /// Build-id in hexadecimal.
    pub(super) build_id: Option<Box<[u8]>>,
    /// Object.
    pub(super) path: Box<[u8]>,
}

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
    shapes: HeaderShapes,
    blank_line: Finder<'static>,
    /// Whether the last chain ended with a blank line (and not with columns to skip).
    ends_blank: bool,
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
    /// Leaf lines; the first is that of samples without frames.
    pub(super) leaves: Memo,
    /// The lines above a leaf, as one text; the first is the empty one.
    pub(super) tails: Memo,
    /// Lines of each tail.
    tail_lines: Vec<u32>,
    /// The counts.
    pub(super) counts: Counts,
    /// All else.
    pub(super) findings: Findings,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Orphans {
    Unparsed,
    Ignored,
    Cut,
}

/// The text of no leaf or no callers.
pub(super) const NO_TEXT: TextId = 0;

impl Worker {
    /// A worker that keeps the samples of a range.
    pub(super) fn new(range: Option<TimeRange>) -> Self {
        let (mut leaves, mut tails) = (Memo::default(), Memo::default());
        leaves.intern(b"");
        tails.intern(b"");
        Self {
            range,
            shapes: HeaderShapes::default(),
            blank_line: Finder::new(b"\n\n"),
            ends_blank: true,
            last_time: None,
            block_times: None,
            orphans: Orphans::Unparsed,
            position: Position { block: 0, line: 0 },
            threads: FirstSeen::default(),
            events: FirstSeen::default(),
            without_period: Vec::new(),
            leaves,
            tails,
            tail_lines: vec![0],
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
        self.counts.close_block();
        self
    }

    #[inline]
    fn read_line(&mut self, line: &[u8], cursor: &mut Cursor<'_>, block: &Block) {
        match line.first() {
            None | Some(b'\r') => {
                self.orphans = Orphans::Unparsed;
                if cursor.is_at_frame() {
                    let known = self.known(HeaderLine::default());
                    self.sample(&known, cursor, block);
                }
            }
            Some(b'\t') => self.orphan(line),
            Some(b'#') if comment_line::is_comment(line) => {
                self.findings.comments.push((self.position, line.into()));
            }
            Some(_) => self.header(line, cursor, block),
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
        let threads = &self.threads.memo;
        match self.shapes.parse(line, |text| threads.find(text)) {
            Some(known) => self.sample(&known, cursor, block),
            None => self.other_header(line, cursor, block),
        }
    }

    #[cold]
    fn other_header(&mut self, line: &[u8], cursor: &mut Cursor<'_>, block: &Block) {
        self.orphans = Orphans::Unparsed;
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
        match header_line::parse(line) {
            Some(header) if !header.needs_frames || is_before_frame(cursor) => {
                let known = self.known(header);
                self.shapes.learn(&header, known.event);
                self.sample(&known, cursor, block);
            }
            _ => self.unparsed(line),
        }
    }

    fn known<'a>(&mut self, header: HeaderLine<'a>) -> KnownHeader<'a> {
        let thread = self.threads.intern(header.thread_text);
        let event = self.events.intern(header.event.unwrap_or(b""));
        KnownHeader { header, thread, event }
    }

    fn record(&mut self, record: &RecordLine<'_>, line: &[u8]) {
        self.orphans = Orphans::Ignored;
        match record {
            RecordLine::Map(map) => self.findings.maps.push((self.position, owned(map))),
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
            self.chain(weight, cursor, block)
        } else if let Some(frame) = header.frame {
            (self.leaves.intern(frame).0, self.source_of_flat(cursor))
        } else {
            self.findings.log.add(NoteKind::NoFrames, weight, self.position, header.thread_text);
            (NO_TEXT, NO_TEXT)
        };
        if has_skipped {
            self.findings.log.add(NoteKind::SkippedField, weight, self.position, b"columns after the event");
        }
        self.count(known, weight, leaf, tail);
    }

    /// The frames of a chain, and the one line that ends it: blank, or columns to skip.
    #[inline]
    fn chain(&mut self, weight: u64, cursor: &mut Cursor<'_>, block: &Block) -> (TextId, TextId) {
        let leaf = cursor.next_line().unwrap_or(b"");
        let leaf = self.leaves.intern(leaf).0;
        let known = if self.ends_blank { self.known_tail(cursor) } else { None };
        if let Some(tail) = known {
            return (leaf, tail);
        }
        let tail = self.tail_by_lines(weight, cursor);
        self.end_of_chain(weight, cursor, block);
        (leaf, tail)
    }

    /// The lines up to the next blank line, if they are those of a known chain.
    #[inline]
    fn known_tail(&self, cursor: &mut Cursor<'_>) -> Option<TextId> {
        if cursor.rest.first() == Some(&b'\n') {
            cursor.take(1, 1);
            return Some(NO_TEXT);
        }
        let window = cursor.rest.get(..TAIL_WINDOW_BYTES).unwrap_or(cursor.rest);
        let end = self.blank_line.find(window)? + 1;
        let tail = self.tails.find(cursor.rest.get(..end)?)?;
        let lines = self.tail_lines.get(tail as usize)?;
        cursor.take(end + 1, lines + 1);
        Some(tail)
    }

    fn tail_by_lines(&mut self, weight: u64, cursor: &mut Cursor<'_>) -> TextId {
        let extent = cursor.chain_extent();
        if extent.kept_bytes < extent.bytes {
            self.findings.log.add(NoteKind::StackTooDeep, weight, self.position, b"a stack of a sample");
        }
        let text = cursor.take(extent.bytes, extent.lines);
        self.intern_tail(text.get(..extent.kept_bytes).unwrap_or(text), extent.lines)
    }

    fn intern_tail(&mut self, text: &[u8], lines: u32) -> TextId {
        let (tail, is_new) = self.tails.intern(text);
        if is_new {
            self.tail_lines.push(lines);
        }
        tail
    }

    fn end_of_chain(&mut self, weight: u64, cursor: &mut Cursor<'_>, block: &Block) {
        self.ends_blank = false;
        match cursor.peek_line() {
            Some(line) if line.trim_ascii().is_empty() => {
                self.ends_blank = line.is_empty();
                cursor.next_line();
            }
            Some([b' ', ..]) => {
                self.findings.log.add(
                    NoteKind::SkippedField,
                    weight,
                    self.position,
                    b"columns after the frames",
                );
                cursor.next_line();
            }
            None if block.is_last && block.dropped_line.is_none() => {
                let example = b"the last sample lacks the blank line that ends it";
                self.findings.log.add(NoteKind::TruncatedSample, weight, self.position, example);
            }
            _ => {}
        }
    }

    /// The source lines under a flat sample: two blanks and a text that is no sample itself.
    #[inline]
    fn source_of_flat(&mut self, cursor: &mut Cursor<'_>) -> TextId {
        let is_source = match cursor.rest {
            [b'|', ..] => true,
            [b' ', b' ', byte, ..] if *byte != b' ' => {
                let line = cursor.peek_line().unwrap_or(b"");
                header_line::parse(line).is_none_or(|header| header.needs_frames)
            }
            _ => false,
        };
        if !is_source {
            return NO_TEXT;
        }
        let (text, lines) = cursor.take_source_lines();
        self.intern_tail(text, lines)
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

fn widen(span: &mut Option<(u64, u64)>, time_ns: u64) {
    let (first, last) = span.unwrap_or((time_ns, time_ns));
    *span = Some((first.min(time_ns), last.max(time_ns)));
}

/// Whether the next line is a frame in earnest, which makes a header of a line that might be anything.
fn is_before_frame(cursor: &Cursor<'_>) -> bool {
    cursor.is_at_frame() && cursor.peek_line().is_some_and(|line| frame_line::parse(line).is_some())
}

/// Whether time goes backwards by more than is normal.
pub(super) fn is_backwards(before_ns: u64, after_ns: u64) -> bool {
    after_ns.saturating_add(BACKWARDS_NS) < before_ns
}

fn owned(map: &MapLine<'_>) -> OwnedMap {
    let MapLine { pid, start, len, offset, build_id, path } = *map;
    OwnedMap { pid, start, len, offset, build_id: build_id.map(Into::into), path: path.into() }
}
