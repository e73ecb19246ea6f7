//! Folded stacks, `a;b;c 12`: root first, then a count.
//!
//! What `inferno-collapse-perf` and `stackcollapse-perf.pl` write, and what flame graph tools read:
//!
//! ```text
//! line  = frame *(";" frame) " " count
//! frame = name ["_[k]" | "_[i]" | "_[j]"]        kernel, inlined, generated code; and more: `profiler_name`
//! count = digits ["." digits]                    rounded
//! ```
//!
//! A real line (inferno-collapse-perf 0.12.8 of perf 6.1.187 text): `mysqld;start_thread;handle_connection;do_command 12`.
//! There are no addresses, no times and no objects; the count is a number of samples, or their weight (`counted_samples`), and
//! the first name, which may be a comm, is a frame like the others, unless a profiler says that it is a thread. A file and a line that a profiler writes beside a function are not part of its name.

use std::io::{self, BufRead, BufReader, Read};

use pdiff_profile::{
    NoteKind, Notes, Profile, ProfileBuilder, Resolutions, StackTable, Thread, ThreadState, Weight,
};

use crate::counted_samples::set_samples;
use crate::digits;
use crate::error::Error;
use crate::named_frames::NamedFrames;
use crate::options::ReadOptions;
use crate::perf_script::{TextInput, excerpt, too_many_unparsed};
use crate::profiler_name::{ThreadName, is_process};
use crate::time_window::TimeWindow;

/// How many bytes are read between two reports of progress.
const BUFFER_BYTES: usize = 1 << 20;

/// The most read of one line, which is a whole stack: as many frames as are kept, with names of 4 kB.
const MAX_LINE_BYTES: usize = 16 << 20;

const NS_PER_US: u64 = 1000;

/// Parses folded stacks; with the files and lines of functions, where a profiler wrote them.
pub(crate) fn parse<R: Read>(
    input: TextInput<'_, R>,
    options: &ReadOptions<'_>,
) -> Result<(Profile, Option<Resolutions>), Error> {
    if options.time != TimeWindow::All {
        return Err(Error::NoTimes { path: input.path.into() });
    }
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, input.text);
    let mut folded = Folded::new(options.waits);
    let (mut line, mut since_tick) = (Vec::new(), 0);
    loop {
        let len = read_line(&mut reader, &mut line).map_err(input.on_error)?;
        if len == 0 {
            break;
        }
        since_tick += len;
        if since_tick >= BUFFER_BYTES {
            (input.tick)();
            since_tick = 0;
        }
        folded.line(&line, len);
    }
    (input.tick)();
    folded.finish(input.path, options.lenient)
}

/// One line without its end into `line`, cut at the greatest length kept. The length is the line's own.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    line.clear();
    let mut total = 0;
    loop {
        let buffer = reader.fill_buf()?;
        let (len, is_end) = match memchr::memchr(b'\n', buffer) {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        let room = (MAX_LINE_BYTES + 1).saturating_sub(line.len());
        line.extend_from_slice(buffer.get(..len.min(room)).unwrap_or(buffer));
        reader.consume(len);
        total += len;
        if is_end {
            return Ok(total);
        }
    }
}

struct Folded {
    /// Microseconds of waiting, as `offcputime -f` prints them.
    waits: bool,
    builder: ProfileBuilder,
    named: NamedFrames,
    notes: Notes,
    lines: u64,
    unparsed: u64,
}

impl Folded {
    fn new(waits: bool) -> Self {
        Self {
            waits,
            builder: ProfileBuilder::new(),
            named: NamedFrames::default(),
            notes: Notes::new(),
            lines: 0,
            unparsed: 0,
        }
    }

    fn line(&mut self, line: &[u8], len: usize) {
        self.lines += 1;
        let text = line.trim_ascii_end();
        if text.is_empty() || text.starts_with(b"#") {
            return;
        }
        let number = self.lines;
        let example = || format!("line {number}: {}", excerpt(text));
        let is_too_long = len > MAX_LINE_BYTES + 1;
        let Some((stack, count)) = split_line(text).filter(|_| !is_too_long) else {
            self.unparsed += 1;
            let kind = if is_too_long { NoteKind::LineTooLong } else { NoteKind::UnparsedLine };
            return self.notes.add(kind, 1, Weight::ZERO, example);
        };
        if count > 0 {
            self.count(stack, count, example);
        }
    }

    fn count(&mut self, stack: &[u8], count: u64, example: impl Fn() -> String) {
        let text = String::from_utf8_lossy(stack);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            self.notes.add(NoteKind::NotUtf8, 1, Weight(count), &example);
        }
        let mut names: Vec<&str> = text.split(';').collect();
        let (comm, tid) = if self.waits {
            // What `offcputime -d` puts between the program and the kernel.
            names.retain(|name| *name != "-");
            // offcputime prints the thread's name in the root's place.
            (if names.len() > 1 { names.remove(0) } else { "" }, None)
        } else {
            // A thread has frames of its own below it, and may have its process above it.
            let at = usize::from(names.first().is_some_and(|name| is_process(name)));
            let has_frames = names.len() > at + 1;
            let thread = names.get(at).filter(|_| has_frames).and_then(|name| ThreadName::parse(name));
            if thread.is_some() {
                names.remove(at);
            }
            thread.map_or(("", None), |thread| (thread.comm, thread.tid))
        };
        let (event, weight) = match self.waits {
            true => (ThreadState::Blocked.event(), count.saturating_mul(NS_PER_US)),
            false => ("", count),
        };
        let from = names.len().saturating_sub(StackTable::MAX_DEPTH);
        if from > 0 {
            self.notes.add(NoteKind::StackTooDeep, 1, Weight(count), &example);
        }
        let mut frames = Vec::with_capacity(names.len() - from);
        let mut caller = None;
        for name in names.into_iter().skip(from) {
            let (frame, object) = self.named.frame(&mut self.builder, name, caller);
            caller = Some(object);
            frames.push(frame);
        }
        let comm = self.builder.string(comm);
        let thread = self.builder.thread(Thread { comm, pid: None, tid });
        let event = self.builder.event(event);
        let stack = self.builder.stack(&frames);
        // The text does not say how often a thread waited.
        let samples = if self.waits { 1 } else { u32::try_from(count).unwrap_or(u32::MAX) };
        self.builder.count(event, 0, thread, stack, samples, Weight(weight));
    }

    fn finish(mut self, path: &str, lenient: bool) -> Result<(Profile, Option<Resolutions>), Error> {
        let examples = |notes: &Notes| {
            notes.get(NoteKind::UnparsedLine).map_or(Vec::new(), |note| note.examples.clone())
        };
        if too_many_unparsed(self.unparsed, self.lines) && !lenient {
            let (unparsed, lines, examples) = (self.unparsed, self.lines, examples(&self.notes));
            return Err(Error::TooManyUnparsed { path: path.into(), unparsed, lines, examples });
        }
        self.builder.notes = self.notes;
        if !self.waits {
            let event = self.builder.event("");
            set_samples(&mut self.builder, event, None);
        }
        let profile = self.builder.finish().map_err(|source| Error::Build { path: path.into(), source })?;
        if profile.cells.is_empty() {
            let examples = examples(&profile.notes);
            return Err(Error::NoSamples { path: path.into(), lines: self.lines, examples });
        }
        let named = self.named.into_resolutions(profile.frames.len());
        Ok((profile, named))
    }
}

/// The stack of a line without its end, and its count; `None` if it has no such form.
pub(crate) fn split_line(line: &[u8]) -> Option<(&[u8], u64)> {
    let (stack, count) = line.split_at_checked(memchr::memrchr(b' ', line)?)?;
    let stack = Some(stack.trim_ascii_end()).filter(|stack| !stack.is_empty())?;
    Some((stack, parse_count(count)?))
}

/// A count; fractions, which some profilers write, are rounded.
fn parse_count(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii();
    match memchr::memchr(b'.', text).map(|point| text.split_at(point)) {
        None => digits::decimal(text),
        Some((whole, fraction)) => {
            let tenths = fraction.get(1..)?;
            digits::decimal(tenths)?;
            let up = u64::from(*tenths.first()? >= b'5');
            digits::decimal(whole)?.checked_add(up)
        }
    }
}
