//! The first line of a sample, whatever fields `perf script -F` was asked for. This defines what such a line means; the
//! fast path in [`super::header_shape`] must agree with it.
//!
//! perf prints the fields in this order, each only if it was asked for; the widths are part of the grammar:
//!
//! ```text
//! header  = [comm] [ids] [cpu] [misc] [tod] [time] [period] [event] rest
//! comm    = text with blanks, digits, slashes ...   alone, or right-aligned in 16 columns on flat samples
//! ids     = tid | pid "/" tid                       "  983/1008 "
//! cpu     = "[" digits "]"
//! time    = seconds "." (6 | 9 digits) ":"
//! period  = digits, right-aligned in 10 columns, then a blank
//! event   = name ":"                                "cpu-clock:", "cpu_core/cycles/P:", "sched:sched_switch:"
//! rest    = [trace, flags, addr, weight, ...] [frame]
//! frame   = address right-aligned in 17 columns, then symbol and object; see `frame_line`
//! ```
//!
//! Real lines (perf 6.1.187): a chain's from `perf script --no-inline --pid PID`, a flat sample's from the same without
//! chains, and one from `perf script -F comm,ip,sym`:
//!
//! ```text
//! mysqld 11582 [000]  4502.207801:    1001001 cpu-clock:
//!           mysqld 14474 [000]  5114.614111:    1001001 cpu-clock:            57a9e1 net_before_header_psi+0x1 (/opt/mysqld)
//!            a b c      5571cb855236 leaf
//! ```
//!
//! A line is read from its time, else from its event, else from its address; `thread_text` says what its beginning means.

use crate::digits;
use crate::time_window::NS;

use super::thread_text::{parse_ids, parse_thread};
use super::token::{Token, tokens};

/// The width in which perf right-aligns a frame's address on a header line, the blank before it included.
const ADDRESS_COLUMNS: usize = 17;

/// The width in which perf right-aligns a comm on flat samples.
const COMM_COLUMNS: usize = 16;

/// The width in which perf right-aligns a period.
const PERIOD_COLUMNS: usize = 10;

/// The columns of a text's header lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Columns {
    /// Times, or nothing that is known: each line speaks for itself.
    #[default]
    ByLine,
    /// An event and no time.
    Event,
    /// Neither.
    Neither,
}

/// The contents of a header line. Texts are parts of the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct HeaderLine<'a> {
    /// All that is before time, period and event, without the blanks at its end: the same text names the same thread.
    pub(super) thread_text: &'a [u8],
    /// Time in nanoseconds.
    pub(super) time_ns: Option<u64>,
    /// Period.
    pub(super) period: Option<u64>,
    /// Event, without its colon.
    pub(super) event: Option<&'a [u8]>,
    /// The frame of a flat sample, from its address to the end of the line.
    pub(super) frame: Option<&'a [u8]>,
    /// Whether something is between event and frame that is skipped.
    pub(super) has_skipped: bool,
    /// Whether the line may be a header only if frames follow: it lacks time and event.
    pub(super) needs_frames: bool,
}

/// A header line; `None` if the line fits no form.
pub(super) fn parse(line: &[u8]) -> Option<HeaderLine<'_>> {
    if let Some((before, time_ns, after)) = split_time(line) {
        let after_time = parse_after_time(after)?;
        return Some(HeaderLine {
            thread_text: before.trim_ascii_end(),
            time_ns: Some(time_ns),
            ..after_time
        });
    }
    if let Some((before, event, rest)) = split_event(line) {
        return parse_around_event(before, event, rest);
    }
    parse_without_event(line)
}

/// The same in a text of which it is known what columns it has.
pub(super) fn parse_as(line: &[u8], columns: Columns) -> Option<HeaderLine<'_>> {
    match columns {
        Columns::ByLine => parse(line),
        Columns::Neither => parse_without_event(line),
        Columns::Event => {
            let token = event_token(line)?;
            parse_around_event(line.get(..token.start)?, token.event()?, token.after)
        }
    }
}

/// Whether a word of the line is a time.
pub(super) fn holds_time(line: &[u8]) -> bool {
    split_time(line).is_some()
}

/// Whether the line is a sample of one frame, whatever is before that.
pub(super) fn is_bare_sample(line: &[u8]) -> bool {
    split_frame(line).is_some()
}

/// The event of a line without a time: of the words with a colon at their end that are before the frame the last one, if
/// nothing is between; else as [`split_event`] has it. A word that ends where a comm of 16 columns does is a comm, and so
/// is one before ids: perf prints those before the event.
pub(super) fn event_token(line: &[u8]) -> Option<Token<'_>> {
    let frame = split_frame(line);
    let before = frame.map_or(line, |(before, _)| before);
    let is_comm = |token: &Token<'_>| {
        let end = token.start + token.text.len();
        let is_first = before.iter().take(token.start).all(|byte| *byte == b' ');
        let is_aligned = frame.is_some() && is_first && token.start > 0 && end == COMM_COLUMNS;
        let mut after = before.get(end..).map(tokens).into_iter().flatten().peekable();
        is_aligned || after.peek().is_some() && after.all(|token| is_of_thread(&token))
    };
    let last =
        tokens(before).filter(|token| token.event().is_some()).last().filter(|token| !is_comm(token))?;
    let ends_there =
        before.get(last.start + last.text.len()..).is_some_and(|after| after.trim_ascii().is_empty());
    let start = if ends_there { last.start } else { split_event(before)?.0.len() };
    let start = start + line.get(start..)?.iter().take_while(|byte| **byte == b' ').count();
    Token::at(line, start)
}

/// Whether a word is a number of thread, process or CPU, or a period: too narrow for an address.
fn is_of_thread(token: &Token<'_>) -> bool {
    let is_cpu = token.text.starts_with(b"[") && token.text.ends_with(b"]");
    token.columns < ADDRESS_COLUMNS && (is_cpu || parse_ids(token.text).is_some())
}

/// The last decimal digits of `text` and what is before them.
fn split_last_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let len = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at(text.len() - len)
}

/// The first token that is a time: what is before it, nanoseconds, what is after its colon.
pub(crate) fn split_time(line: &[u8]) -> Option<(&[u8], u64, &[u8])> {
    memchr::memchr_iter(b':', line).find_map(|colon| {
        let (before, after) = line.split_at(colon);
        let after = after.get(1..)?;
        let is_end_of_token = matches!(after.first(), None | Some(b' '));
        let (before, time_ns) = is_end_of_token.then(|| split_time_value(before))??;
        Some((before, time_ns, after))
    })
}

/// The time that ends `text`, in nanoseconds, and what is before it.
pub(super) fn split_time_value(text: &[u8]) -> Option<(&[u8], u64)> {
    let (before, fraction) = split_last_digits(text);
    let scale = match fraction.len() {
        6 => 1000,
        9 => 1,
        _ => return None,
    };
    let (before, seconds) = split_last_digits(before.strip_suffix(b".")?);
    if !matches!(before.last(), None | Some(b' ')) {
        return None;
    }
    let time_ns =
        digits::decimal(seconds)?.checked_mul(NS)?.checked_add(digits::decimal(fraction)? * scale)?;
    Some((before, time_ns))
}

/// Period, event and the rest.
fn parse_after_time(text: &[u8]) -> Option<HeaderLine<'_>> {
    let first = Token::at(text, 0);
    let Some(first) = first else { return Some(HeaderLine::default()) };
    if let Some(event) = first.event() {
        return Some(parse_rest(first.after, HeaderLine { event: Some(event), ..HeaderLine::default() }));
    }
    if first.text.iter().all(u8::is_ascii_digit) {
        let event = Token::at(first.after, 0).and_then(|token| Some((token.event()?, token.after)));
        if let Some((event, after)) = event {
            let period = Some(digits::decimal(first.text)?);
            return Some(parse_rest(
                after,
                HeaderLine { period, event: Some(event), ..HeaderLine::default() },
            ));
        }
        if first.columns < ADDRESS_COLUMNS {
            let period = Some(digits::decimal(first.text)?);
            return Some(parse_rest(first.after, HeaderLine { period, ..HeaderLine::default() }));
        }
    }
    let header = parse_rest(text, HeaderLine::default());
    let has_event_later = || tokens(text).any(|token| token.event().is_some());
    match header.frame {
        Some(_) => Some(header),
        None if has_event_later() => None,
        None => Some(HeaderLine { needs_frames: true, ..header }),
    }
}

/// Parses the text after the event: columns to skip, then perhaps a frame.
pub(super) fn parse_rest<'a>(text: &'a [u8], header: HeaderLine<'a>) -> HeaderLine<'a> {
    match split_frame(text) {
        Some((before, frame)) => {
            HeaderLine { frame: Some(frame), has_skipped: !before.trim_ascii().is_empty(), ..header }
        }
        None => HeaderLine { has_skipped: !text.trim_ascii().is_empty(), ..header },
    }
}

/// The frame of a flat sample and what is before it: the last address in its columns that a symbol follows, else the one
/// that ends the line.
fn split_frame(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut found = None;
    for token in tokens(text) {
        if token.columns < ADDRESS_COLUMNS || digits::hexadecimal(token.text).is_none() {
            continue;
        }
        let is_followed = matches!(token.after, [b' ', next, ..] if *next != b' ');
        let is_last = token.after.trim_ascii().is_empty();
        if is_followed || (is_last && found.is_none()) {
            found = Some(token.start);
        }
    }
    found
        .and_then(|start| text.split_at_checked(start))
        .map(|(before, frame)| (before, frame.trim_ascii_end()))
}

/// Without a time: the event token, the text before and after it. The first token with a colon that follows a number or
/// a CPU, else the first one.
fn split_event(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let mut fallback = None;
    let mut follows_number = false;
    for token in tokens(line) {
        if let Some(event) = token.event() {
            let found = (line.get(..token.start)?, event, token.after);
            if follows_number {
                return Some(found);
            }
            fallback = fallback.or(Some(found));
        }
        follows_number = token.text.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'[')
            && token.text.last().is_some_and(|byte| byte.is_ascii_digit() || *byte == b']');
    }
    fallback
}

fn parse_around_event<'a>(before: &'a [u8], event: &'a [u8], rest: &'a [u8]) -> Option<HeaderLine<'a>> {
    let (thread_text, period) = split_period(before)?;
    let header = HeaderLine { thread_text, period, event: Some(event), ..HeaderLine::default() };
    let header = parse_rest(rest, header);
    let is_as_perf_ends_it = rest.first() == Some(&b' ') && !header.has_skipped;
    let is_tracepoint = event.contains(&b':') && !thread_text.is_empty();
    let needs_frames = header.frame.is_none() && !is_as_perf_ends_it && !is_tracepoint;
    Some(HeaderLine { needs_frames, ..header })
}

/// Takes the period off the end: a number in its columns. `None` if it does not fit in 64 bits.
fn split_period(text: &[u8]) -> Option<(&[u8], Option<u64>)> {
    let text = text.trim_ascii_end();
    let (before, number) = split_last_digits(text);
    let thread_text = before.trim_ascii_end();
    let blank_before = usize::from(!thread_text.is_empty());
    if number.is_empty() || text.len() - thread_text.len() < PERIOD_COLUMNS + blank_before {
        return Some((text, None));
    }
    Some((thread_text, Some(digits::decimal(number)?)))
}

/// Without time and event: an address in its columns, or nothing but ids if frames follow.
fn parse_without_event(line: &[u8]) -> Option<HeaderLine<'_>> {
    let Some((before, frame)) = split_frame(line) else {
        let ids = line.trim_ascii();
        let is_ids = ids.split(|byte| *byte == b'/').all(|id| digits::decimal(id.trim_ascii()).is_some());
        let header = HeaderLine { thread_text: line.trim_ascii_end(), ..HeaderLine::default() };
        let header = HeaderLine { needs_frames: true, ..header };
        return (is_ids || parse_thread(line).tid.is_some() || is_comm_only(line)).then_some(header);
    };
    let (thread_text, period) = split_period(before)?;
    Some(HeaderLine { thread_text, period, frame: Some(frame), ..HeaderLine::default() })
}

/// A comm and nothing else, as `-F comm,ip,sym` prints above a chain.
fn is_comm_only(line: &[u8]) -> bool {
    /// The kernel's `TASK_COMM_LEN` without its NUL.
    const MAX_COMM_BYTES: usize = 15;
    line.trim_ascii().len() <= MAX_COMM_BYTES && line.ends_with(b" ")
}
