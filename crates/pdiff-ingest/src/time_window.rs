//! The part of a recording to read, by time, in the words of `perf script --time`.
//!
//! ```text
//! window   = "" | span | percent | slice | relative
//! span     = [seconds] "," [seconds]             "4478.1,4480", "4478.1,", ",4480"   (end included)
//! percent  = number "%-" number "%"              "10%-20%"
//! slice    = number "%/" count                   "10%/2": the second tenth
//! relative = "+" seconds "," ["+" seconds]       "+1,+2.5": from the first sample on
//! ```
//!
//! Seconds have up to nine digits after the point and are exact. As in perf, a percent window leaves its end out unless
//! it is the end of the recording. What perf does not have is the relative form.

use std::str::FromStr;

use crate::digits;

/// Nanoseconds in a second.
pub(crate) const NS: u64 = 1_000_000_000;

/// A time as seconds with nine digits after the point, as windows are written.
pub(crate) fn seconds(ns: u64) -> String {
    format!("{}.{:09}", ns / NS, ns % NS)
}

/// Which samples to keep, by their time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum TimeWindow {
    /// All of them, those without a time included.
    #[default]
    All,
    /// Between two times of the recorder's clock, both included.
    Absolute {
        /// First nanosecond.
        start_ns: u64,
        /// Last nanosecond; `None` for the end of the recording.
        end_ns: Option<u64>,
    },
    /// Between two times counted from the first sample, both included.
    Relative {
        /// First nanosecond.
        start_ns: u64,
        /// Last nanosecond; `None` for the end of the recording.
        end_ns: Option<u64>,
    },
    /// Between two percentages (0 to 100) of the time from the first to the last sample. Needs two passes.
    Percent {
        /// Where it begins.
        start: f64,
        /// Where it ends; left out unless it is 100.
        end: f64,
    },
}

/// Why a text is not a time window.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "'{text}' is not a time window; hint: write START,END in seconds (either may be left out), +START,+END from the \
     first sample, 10%-20%, or 10%/2"
)]
pub struct ParseTimeWindowError {
    text: Box<str>,
}

impl TimeWindow {
    /// The window that `text` describes.
    ///
    /// # Errors
    /// [`ParseTimeWindowError`] if it fits none of the forms, or ends before it begins.
    ///
    /// ```
    /// use pdiff_ingest::TimeWindow;
    /// let window = TimeWindow::parse("1.5,")?;
    /// assert_eq!(window, TimeWindow::Absolute { start_ns: 1_500_000_000, end_ns: None });
    /// # Ok::<(), pdiff_ingest::ParseTimeWindowError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, ParseTimeWindowError> {
        let trimmed = text.trim();
        let window = if trimmed.is_empty() {
            Some(Self::All)
        } else if let Some((percent, slice)) = trimmed.split_once("%/") {
            parse_slice(percent, slice)
        } else if let Some((start, end)) = trimmed.split_once("%-") {
            parse_percent(start, end)
        } else {
            parse_span(trimmed)
        };
        window.filter(|window| window.is_ordered()).ok_or_else(|| ParseTimeWindowError { text: text.into() })
    }

    fn is_ordered(self) -> bool {
        match self {
            Self::All => true,
            Self::Absolute { start_ns, end_ns } | Self::Relative { start_ns, end_ns } => {
                end_ns.is_none_or(|end_ns| start_ns <= end_ns)
            }
            Self::Percent { start, end } => 0.0 <= start && start < end && end <= 100.0,
        }
    }
}

impl FromStr for TimeWindow {
    type Err = ParseTimeWindowError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

fn parse_percent(start: &str, end: &str) -> Option<TimeWindow> {
    let start = start.trim().parse().ok()?;
    let end = end.trim().strip_suffix('%')?.parse().ok()?;
    Some(TimeWindow::Percent { start, end })
}

fn parse_slice(percent: &str, slice: &str) -> Option<TimeWindow> {
    let percent: f64 = percent.trim().parse().ok()?;
    let slice: u32 = slice.trim().parse().ok()?;
    let start = percent * f64::from(slice.checked_sub(1)?);
    (percent > 0.0).then_some(TimeWindow::Percent { start, end: (start + percent).min(100.0) })
}

fn parse_span(text: &str) -> Option<TimeWindow> {
    let (start, end) = text.split_once(',')?;
    let (start, end) = (start.trim(), end.trim());
    let relative = start.starts_with('+') || end.starts_with('+');
    let bound = |bound: &str| match bound.strip_prefix('+') {
        Some(bound) => parse_seconds(bound).map(Some),
        None if bound.is_empty() => Some(None),
        None if relative => None,
        None => parse_seconds(bound).map(Some),
    };
    let (start_ns, end_ns) = (bound(start)?.unwrap_or(0), bound(end)?);
    Some(if relative {
        TimeWindow::Relative { start_ns, end_ns }
    } else {
        TimeWindow::Absolute { start_ns, end_ns }
    })
}

/// Seconds with up to nine digits after the point, as nanoseconds.
fn parse_seconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let fraction = format!("{fraction:0<9}");
    let (whole, nanoseconds) = (digits::decimal(whole.as_bytes())?, digits::decimal(fraction.as_bytes())?);
    if fraction.len() != 9 {
        return None;
    }
    whole.checked_mul(NS)?.checked_add(nanoseconds)
}

/// The same as one closed range of times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimeRange {
    /// First nanosecond kept.
    pub(crate) start_ns: u64,
    /// Last nanosecond kept.
    pub(crate) end_ns: u64,
}

impl TimeRange {
    /// From the first sample's time on.
    pub(crate) fn relative(first_ns: u64, start_ns: u64, end_ns: Option<u64>) -> Self {
        let from_first = |ns: u64| first_ns.saturating_add(ns);
        Self { start_ns: from_first(start_ns), end_ns: end_ns.map_or(u64::MAX, from_first) }
    }

    /// Between percentages of first to last time; the end is left out unless it is the recording's.
    pub(crate) fn percent(first_ns: u64, last_ns: u64, start: f64, end: f64) -> Self {
        let len = last_ns.saturating_sub(first_ns) as f64;
        let at = |percent: f64| first_ns.saturating_add((len * percent / 100.0).round() as u64);
        let end_ns = if end >= 100.0 { last_ns } else { at(end).saturating_sub(1) };
        Self { start_ns: at(start), end_ns }
    }

    /// Whether a sample of that time is kept.
    pub(crate) fn contains(self, time_ns: u64) -> bool {
        self.start_ns <= time_ns && time_ns <= self.end_ns
    }
}

impl From<TimeRange> for TimeWindow {
    fn from(range: TimeRange) -> Self {
        Self::Absolute { start_ns: range.start_ns, end_ns: Some(range.end_ns) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read_as_perf_writes_them() {
        let check = |text: &str, expected| assert_eq!(TimeWindow::parse(text).unwrap(), expected, "{text}");
        let absolute = |start_ns, end_ns| TimeWindow::Absolute { start_ns, end_ns };
        check("", TimeWindow::All);
        check("1,2", absolute(NS, Some(2 * NS)));
        check("4478.000000001,", absolute(4478 * NS + 1, None));
        check(",0.5", absolute(0, Some(NS / 2)));
        check("+1,+2.5", TimeWindow::Relative { start_ns: NS, end_ns: Some(NS * 5 / 2) });
        check("+1,", TimeWindow::Relative { start_ns: NS, end_ns: None });
        check("10%-20%", TimeWindow::Percent { start: 10.0, end: 20.0 });
        check("10%/2", TimeWindow::Percent { start: 10.0, end: 20.0 });
        check("30%/4", TimeWindow::Percent { start: 90.0, end: 100.0 });
    }

    #[test]
    fn what_is_no_window_is_refused_with_a_hint() {
        for text in [
            "1",
            "2,1",
            "a,b",
            "1.0000000001,",
            "20%-10%",
            "10%/0",
            "0%/1",
            "10%-101%",
            "-1,2",
            "+1,2",
            "NaN%-5%",
        ] {
            let error = TimeWindow::parse(text).expect_err(text).to_string();
            assert!(error.contains("hint:"), "{error}");
        }
    }

    #[test]
    fn a_percent_window_leaves_out_its_end_unless_it_is_the_last_sample() {
        assert_eq!(TimeRange::percent(1000, 2000, 10.0, 20.0), TimeRange { start_ns: 1100, end_ns: 1199 });
        assert_eq!(TimeRange::percent(1000, 2000, 90.0, 100.0), TimeRange { start_ns: 1900, end_ns: 2000 });
    }
}
