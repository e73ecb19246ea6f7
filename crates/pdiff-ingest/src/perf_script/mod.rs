//! The text of `perf script`, in whatever shape `-F` and the recording give it.
//!
//! ```text
//! text   = *(comment | record | sample | blank line)
//! comment = "# " key " : " value                       `--header`
//! record  = ... "PERF_RECORD_" ...                     `--show-mmap-events` and similar; see `record_line`
//! sample  = header newline *(tab frame newline [source newline]) (blank line | columns newline)
//!         | header-with-frame newline [source newline]
//! source  = two blanks text                            `-F +srcline`
//! columns = one blank text                             `-F +iregs,+brstack,...`: skipped
//! ```
//!
//! A sample with a call chain, leaf first (perf 6.1.187, `perf record -a -F 999 -g`, `perf script --no-inline --pid PID`):
//!
//! ```text
//! mysqld 12668 [000]  4676.302384:    1001001 cpu-clock:
//!         ffffffff821fa1fd mutex_unlock+0xd ([kernel.kallsyms])
//!                   10a974 __libc_recv+0x64 (/usr/lib/x86_64-linux-gnu/libc.so.6)
//! ```
//!
//! Without a chain, a sample is one line; see `header_line` and `frame_line`.
//!
//! Every sample is counted once: in a cell of the profile, or in a note. Lines of unknown form are counted in notes.
//!
//! # How it is fast
//!
//! Real text repeats: a million samples of a server are 16,000 different chains above 32,000 different leaf lines. So the
//! text is read in blocks by as many workers as wanted ([`blocks`]), each line or chain is looked up as a text by hash and
//! comparison ([`memo`]), samples are counted by the numbers found ([`counts`]), and the meaning of the texts is worked out
//! once at the end, in the order of the text ([`merge`]), so the result does not depend on which worker read what. Per byte
//! that is one copy by `read`, one search, one hash and one comparison: 1 to 2 GB/s on one core.

mod blocks;
mod chain;
mod chain_memo;
mod columns;
mod comment_line;
mod counts;
mod cursor;
mod findings;
mod frame_line;
mod header_line;
mod header_shape;
mod known_texts;
mod lines;
mod memo;
mod merge;
mod merged_cells;
mod merged_stacks;
mod note_log;
mod numbering;
mod pipeline;
mod position;
mod read_line;
mod record_line;
mod shares;
mod tail_memo;
#[cfg(test)]
mod tests;
mod thread_text;
mod token;
mod worker;

use std::io;

use pdiff_profile::Profile;

use crate::error::Error;
use crate::options::ReadOptions;
use crate::time_window::{TimeRange, TimeWindow};

pub(crate) use comment_line::is_comment;
pub(crate) use header_line::split_time;
pub(crate) use pipeline::parse;
pub(crate) use thread_text::parse_thread;

/// More than one line in so many unparsed is an error.
const MAX_UNPARSED_ONE_IN: u64 = 100;

/// How much of a line an example shows.
const EXCERPT_CHARS: usize = 120;

/// What to parse, and whom to tell.
pub(crate) struct TextInput<'a, R> {
    /// The source's name, for errors.
    pub(crate) path: &'a str,
    /// The text.
    pub(crate) text: R,
    /// Called after each block read.
    pub(crate) tick: &'a (dyn Fn() + Sync),
    /// Makes an error of a failed read.
    pub(crate) on_error: &'a (dyn Fn(io::Error) -> Error + Sync),
}

/// Parses `perf script` text that is in memory; for what is in a file, [`read_profile`](crate::read_profile) needs less
/// memory.
///
/// # Errors
/// [`Error`] if it contains no samples, or has too many lines that cannot be parsed.
///
/// ```
/// use pdiff_ingest::{ReadOptions, parse_perf_script};
/// let text = b"mysqld 12 [000] 1.000001: 100 cycles: \n\t10a974 recv+0x64 (/lib/libc.so.6)\n\t2 main (/bin/mysqld)\n\n";
/// let profile = parse_perf_script(text, &ReadOptions::new())?;
/// assert_eq!((profile.events[0].samples, profile.events[0].weight.0), (1, 100));
/// let root = profile.frames[profile.stacks.iter().next().unwrap()[0].index()];
/// assert_eq!(profile.string(root.symbol.unwrap()), "main");
/// # Ok::<(), pdiff_ingest::Error>(())
/// ```
pub fn parse_perf_script(text: &[u8], options: &ReadOptions<'_>) -> Result<Profile, Error> {
    parse_blocks(text, options, blocks::BLOCK_BYTES)
}

fn parse_blocks(text: &[u8], options: &ReadOptions<'_>, block_bytes: usize) -> Result<Profile, Error> {
    const PATH: &str = "the text";
    if text.is_empty() {
        return Err(Error::Empty { path: PATH.into() });
    }
    let on_error = |source| Error::Unreadable { path: PATH.into(), source };
    let parse = |options: &ReadOptions<'_>| {
        let input = TextInput { path: PATH, text, tick: &|| {}, on_error: &on_error };
        pipeline::parse_blocks(input, options, block_bytes)
    };
    let TimeWindow::Percent { start, end } = options.time else { return parse(options) };
    let span = parse(&ReadOptions { time: TimeWindow::All, ..options.clone() })?.span;
    let span = span.ok_or_else(|| Error::NoTimes { path: PATH.into() })?;
    let time = TimeRange::percent(span.first_ns, span.last_ns, start, end).into();
    parse(&ReadOptions { time, ..options.clone() })
}

/// Whether a line for certain begins a sample.
pub(crate) fn is_header_line(line: &[u8]) -> bool {
    header_line::parse(line).is_some_and(|header| !header.needs_frames)
}

/// Whether so many unparsed lines make an error.
pub(crate) fn too_many_unparsed(unparsed: u64, lines: u64) -> bool {
    unparsed.saturating_mul(MAX_UNPARSED_ONE_IN) > lines
}

/// The start of a line, for people to read: control characters are escaped.
pub(crate) fn excerpt(line: &[u8]) -> String {
    let start = line.get(..EXCERPT_CHARS * 4).unwrap_or(line);
    let text = String::from_utf8_lossy(start);
    let shown: String = text.trim().chars().take(EXCERPT_CHARS).flat_map(char::escape_debug).collect();
    let is_whole = text.trim().chars().nth(EXCERPT_CHARS).is_none();
    if is_whole { shown } else { shown + "..." }
}
