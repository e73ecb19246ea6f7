//! The fast path for header lines: a line shaped like an earlier one is read from its event backwards.
//!
//! [`super::header_line`] defines what a header line means. This path answers only where it provably agrees: the event is
//! the text of an earlier header, a period (if that header had one) and a time stand right before it, and what is before
//! the time is the thread text of an earlier header (which therefore contains no time itself, so the time found is the
//! line's first). Everything else is left to the definition.

use memchr::memmem::Finder;

use crate::digits;

use super::header_line::{self, HeaderLine, split_time_value};
use super::memo::TextId;

/// How many shapes are tried: one an event, and events come in groups.
const MAX_SHAPES: usize = 4;

/// The parts that header lines share.
struct Shape {
    /// The event with its colon.
    event_token: Vec<u8>,
    finder: Finder<'static>,
    event: TextId,
    has_period: bool,
}

/// A header line whose thread and event are known texts.
pub(super) struct KnownHeader<'a> {
    /// The line.
    pub(super) header: HeaderLine<'a>,
    /// Number of its thread text.
    pub(super) thread: TextId,
    /// Number of its event.
    pub(super) event: TextId,
}

/// The shapes of the latest header lines, the latest first.
#[derive(Default)]
pub(super) struct HeaderShapes {
    shapes: Vec<Shape>,
}

impl HeaderShapes {
    /// Remembers the shape of a header line that the definition parsed, and the number of its event.
    pub(super) fn learn(&mut self, header: &HeaderLine<'_>, event: TextId) {
        let (Some(_), Some(name)) = (header.time_ns, header.event) else { return };
        let event_token = [name, b":"].concat();
        let has_period = header.period.is_some();
        let is_known = |shape: &Shape| shape.event_token == event_token && shape.has_period == has_period;
        if self.shapes.iter().any(is_known) {
            return;
        }
        let finder = Finder::new(&event_token).into_owned();
        self.shapes.insert(0, Shape { event_token, finder, event, has_period });
        self.shapes.truncate(MAX_SHAPES);
    }

    /// The header line, if one of the shapes fits and `find_thread` knows the thread text.
    #[inline]
    pub(super) fn parse<'a>(
        &mut self,
        line: &'a [u8],
        find_thread: impl Fn(&[u8]) -> Option<TextId>,
    ) -> Option<KnownHeader<'a>> {
        let fits = |shape: &Shape| {
            let header = shape.parse(line)?;
            Some(KnownHeader { header, thread: find_thread(header.thread_text)?, event: shape.event })
        };
        let (place, known) =
            self.shapes.iter().enumerate().find_map(|(place, shape)| Some((place, fits(shape)?)))?;
        if place > 0 {
            self.shapes.swap(0, place);
        }
        Some(known)
    }
}

impl Shape {
    #[inline]
    fn parse<'a>(&self, line: &'a [u8]) -> Option<HeaderLine<'a>> {
        let (before, rest) = self.split(line)?;
        let (before, period) = if self.has_period { split_period(before)? } else { (before, None) };
        let before = trim_blanks(before)?.strip_suffix(b":")?;
        let (thread_text, time_ns) = split_time_value(before)?;
        let event = self.event_token.strip_suffix(b":")?.len();
        let event = line.get(line.len() - rest.len() - event - 1..line.len() - rest.len() - 1)?;
        let header = HeaderLine {
            thread_text: trim_blanks(thread_text)?,
            time_ns: Some(time_ns),
            period,
            event: Some(event),
            ..HeaderLine::default()
        };
        Some(if rest.len() <= 1 { header } else { header_line::parse_rest(rest, header) })
    }

    /// The text before the event and its blank, and the text after its colon.
    #[inline]
    fn split<'a>(&self, line: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let at_end = line.strip_suffix(b" ").and_then(|line| line.strip_suffix(self.event_token.as_slice()));
        let start = match at_end {
            Some(before) => before.len(),
            None => self.finder.find(line)?,
        };
        let (before, from_event) = line.split_at_checked(start)?;
        let rest = from_event.get(self.event_token.len()..)?;
        let is_token = before.ends_with(b" ") && matches!(rest.first(), None | Some(b' '));
        is_token.then_some((before, rest))
    }
}

/// Takes blanks off the end; `None` if other white space is there, which perf does not print.
#[inline]
fn trim_blanks(text: &[u8]) -> Option<&[u8]> {
    let blanks = text.iter().rev().take_while(|byte| **byte == b' ').count();
    let text = text.get(..text.len() - blanks)?;
    (!text.last().is_some_and(u8::is_ascii_whitespace)).then_some(text)
}

/// Takes the period and the blanks around it off the end.
#[inline]
fn split_period(text: &[u8]) -> Option<(&[u8], Option<u64>)> {
    let text = trim_blanks(text)?;
    let len = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, number) = text.split_at(text.len() - len);
    before.ends_with(b" ").then_some(())?;
    Some((before, Some(digits::decimal(number)?)))
}
