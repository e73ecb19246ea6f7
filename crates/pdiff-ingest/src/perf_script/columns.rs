//! Whether samples without a time have an event: decided once from the beginning of the text, because a single line does
//! not show whether `cycles:` is a thread's name or an event.
//!
//! In: the first bytes of the text, the same number for any blocks and workers. Out: [`Columns`]. perf prints the same
//! columns on every sample, so one sample that certainly has no word with a colon at its end proves that such words are
//! names. One case stays ambiguous: chains under nothing but `cycles:` count as samples of that event.

use super::cursor::Cursor;
use super::header_line::{Columns, event_token, holds_time, is_bare_sample};
use super::{comment_line, frame_line, record_line};

/// How much of the text is looked at.
pub(super) const HEAD_BYTES: usize = 256 << 10;

/// Times on at least one line in so many are the samples'; fewer are words in names.
const TIMES_ONE_IN: usize = 10;

/// Looks at the first [`HEAD_BYTES`] of a text.
pub(super) fn decide(head: &[u8]) -> Columns {
    let whole_lines = memchr::memrchr(b'\n', head).map_or(0, |end| end + 1);
    let mut cursor = Cursor::new(head.get(..whole_lines).unwrap_or(head));
    let (mut with_event, mut with_time, mut samples) = (0_usize, 0_usize, 0_usize);
    while let Some(line) = cursor.next_line() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let is_other = line.is_empty()
            || line.starts_with(b"\t")
            || line.ends_with(b" (inlined)")
            || comment_line::is_comment(line)
            || record_line::parse(line).is_some();
        let is_followed = || {
            cursor.is_at_frame() && cursor.peek_line().is_some_and(|line| frame_line::parse(line).is_some())
        };
        let has_time = holds_time(line);
        if is_other || !(has_time || is_bare_sample(line) || is_followed()) {
            continue;
        }
        samples += 1;
        with_time += usize::from(has_time);
        with_event += usize::from(event_token(line).is_some());
    }
    match samples {
        0 => Columns::ByLine,
        _ if with_time * TIMES_ONE_IN > samples => Columns::ByLine,
        _ if with_event == samples => Columns::Event,
        _ => Columns::Neither,
    }
}
