//! A time window of a pack. Its samples are known by second, so a window can only begin and end at whole seconds.
//!
//! A bound counts as a whole second if it is one, or if it cuts nothing off. Both ends of a window are included, as in
//! perf; a sample exactly at the end of the last second is not, because its cell does not show that.

use pdiff_profile::{Cell, NoteKind, RunMeasures, Span, Weight};

use super::packed_run::PackedRun;
use crate::time_window::{NS, TimeRange, TimeWindow, seconds};

/// Why a window of a pack cannot be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestrictError {
    /// The samples have no times.
    #[error(
        "its samples have no time, so a time window cannot be applied; hint: print them with `perf script -F +time` and pack that"
    )]
    NoTimes,
    /// No sample lies in the window.
    #[error("no sample is in the time window; hint: its samples are from {} to {} s", seconds(span.first_ns), seconds(span.last_ns))]
    NothingInWindow {
        /// First and last time.
        span: Span,
    },
    /// The window begins or ends within a second.
    #[error(
        "the time window from {} to {} s does not begin and end at whole seconds of the recorder's clock, and a pack \
         keeps samples by second; hint: the nearest one is {from_s},{to_s}, and a finer one needs the text of perf script",
        seconds(*start_ns),
        seconds(*end_ns)
    )]
    NotWholeSeconds {
        /// Its first nanosecond.
        start_ns: u64,
        /// Its last nanosecond.
        end_ns: u64,
        /// The nearest whole second to begin.
        from_s: u64,
        /// The nearest whole second to end.
        to_s: u64,
    },
}

impl PackedRun {
    /// The part of the run in a time window that begins and ends at whole seconds of the recorder's clock. Ids and
    /// resolutions stay unchanged; samples outside are counted in a note. Measures of the whole run are scaled to the part.
    ///
    /// # Errors
    /// [`RestrictError`] if the window cannot be taken, or contains no sample.
    ///
    /// ```
    /// # use pdiff_ingest::{PackedRun, ReadOptions, RestrictError, TimeWindow, parse_perf_script};
    /// # use pdiff_profile::{Notes, RunMeasures};
    /// let text = b"x 1 1.500000: 1 cycles: 12 a (b)\nx 1 2.500000: 1 cycles: 12 a (b)\n";
    /// # let run = PackedRun {
    /// #     tool_version: String::new(),
    /// #     profile: parse_perf_script(text, &ReadOptions::new())?,
    /// #     resolutions: None,
    /// #     notes: Notes::new(),
    /// #     objects: Vec::new(),
    /// #     measures: RunMeasures::default(),
    /// # };
    /// assert_eq!(run.clone().restrict(TimeWindow::parse("2,3")?)?.profile.events[0].samples, 1);
    /// let error = run.restrict(TimeWindow::parse("1.7,3")?).unwrap_err();
    /// assert!(matches!(error, RestrictError::NotWholeSeconds { from_s: 2, to_s: 3, .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restrict(mut self, window: TimeWindow) -> Result<Self, RestrictError> {
        if window == TimeWindow::All {
            return Ok(self);
        }
        let span = self.profile.span.ok_or(RestrictError::NoTimes)?;
        let seconds = Seconds::of(range(window, span), span)?;
        let mut outside = (0, Weight::ZERO);
        self.profile.cells.retain(|cell| {
            let is_inside = seconds.contains(cell);
            if !is_inside {
                outside = (outside.0 + u64::from(cell.samples), outside.1 + cell.weight);
            }
            is_inside
        });
        if self.profile.cells.is_empty() {
            return Err(RestrictError::NothingInWindow { span });
        }
        let part = seconds.span(span);
        self.profile.span = Some(part);
        self.scale_measures(span, part);
        self.sum_events();
        if outside.0 > 0 {
            let example = || format!("outside of {},{} s", seconds.first, seconds.end);
            self.profile.notes.add(NoteKind::FilteredOut, outside.0, outside.1, example);
        }
        Ok(self)
    }

    /// Scales measures of the whole run to a part of it, at the same rate.
    fn scale_measures(&mut self, whole: Span, part: Span) {
        if part == whole {
            return;
        }
        let RunMeasures { operations, tps, cpu_seconds, window_s } = self.measures;
        let from_rate = || operations.zip(tps).map(|(operations, tps)| operations / tps);
        let counted_s = window_s.or_else(from_rate).unwrap_or_else(|| whole.seconds());
        let scale = part.seconds() / counted_s;
        let scaled =
            |value: Option<f64>| Some(value? * scale).filter(|value| value.is_finite() && *value > 0.0);
        self.measures = RunMeasures {
            operations: scaled(operations),
            tps,
            cpu_seconds: scaled(cpu_seconds),
            window_s: None,
        };
        if operations.or(cpu_seconds).is_some() {
            let example = || {
                format!(
                    "operations and CPU were counted over {counted_s:.2} s: rate x {:.2} s is used",
                    part.seconds()
                )
            };
            self.profile.notes.add(NoteKind::Rescaled, 1, Weight::ZERO, example);
        }
    }

    fn sum_events(&mut self) {
        for event in &mut self.profile.events {
            (event.samples, event.weight) = (0, Weight::ZERO);
        }
        for cell in &self.profile.cells {
            if let Some(event) = self.profile.events.get_mut(cell.event.index()) {
                event.samples += u64::from(cell.samples);
                event.weight += cell.weight;
            }
        }
    }
}

fn range(window: TimeWindow, span: Span) -> TimeRange {
    match window {
        TimeWindow::All => TimeRange { start_ns: 0, end_ns: u64::MAX },
        TimeWindow::Absolute { start_ns, end_ns } => {
            TimeRange { start_ns, end_ns: end_ns.unwrap_or(u64::MAX) }
        }
        TimeWindow::Relative { start_ns, end_ns } => TimeRange::relative(span.first_ns, start_ns, end_ns),
        TimeWindow::Percent { start, end } => TimeRange::percent(span.first_ns, span.last_ns, start, end),
    }
}

/// Whole seconds of the recorder's clock.
#[derive(Clone, Copy)]
struct Seconds {
    first: u64,
    /// The first second that is not a part of it.
    end: u64,
}

impl Seconds {
    fn of(range: TimeRange, span: Span) -> Result<Self, RestrictError> {
        if range.end_ns < span.first_ns || span.last_ns < range.start_ns {
            return Err(RestrictError::NothingInWindow { span });
        }
        let (span_first, span_end) = (span.first_ns / NS, span.last_ns / NS + 1);
        let start_ns = range.start_ns.max(span_first * NS);
        let is_open_end = range.end_ns >= span.last_ns;
        let end_ns = if is_open_end { span_end.saturating_mul(NS) } else { range.end_ns };
        let nearest = Self::nearest(start_ns, end_ns, span_first, span_end);
        let is_start = start_ns.is_multiple_of(NS) || range.start_ns <= span.first_ns;
        let is_end = is_open_end || end_ns.is_multiple_of(NS) || (end_ns + 1).is_multiple_of(NS);
        let seconds = Self { first: start_ns / NS, end: end_ns.div_ceil(NS) };
        if is_start && is_end && seconds.first < seconds.end {
            return Ok(seconds);
        }
        let (from_s, to_s) = (nearest.first, nearest.end);
        Err(RestrictError::NotWholeSeconds { start_ns, end_ns, from_s, to_s })
    }

    /// The whole seconds nearest to a window: at least one, and with samples.
    fn nearest(start_ns: u64, end_ns: u64, span_first: u64, span_end: u64) -> Self {
        let round = |ns: u64| ns / NS + u64::from(ns % NS >= NS / 2);
        let first = round(start_ns).clamp(span_first, span_end - 1);
        Self { first, end: round(end_ns).clamp(first + 1, span_end) }
    }

    fn contains(self, cell: &Cell) -> bool {
        (self.first..self.end).contains(&u64::from(cell.block))
    }

    /// The part of the span in these seconds.
    fn span(self, span: Span) -> Span {
        Span {
            first_ns: span.first_ns.max(self.first * NS),
            last_ns: span.last_ns.min(self.end.saturating_mul(NS).saturating_sub(1)),
        }
    }
}
