//! One panel of a plot: values over places from left to right, as lines of dots with their intervals.

use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{plain_texts, ticks_at_most};
use super::canvas::Canvas;
use super::{GRID, INK, NEUTRAL, line_style};
use crate::error::Error;

/// Narrow enough for a window of 400 pixels.
pub(crate) const WIDTH: i32 = 400;

/// Room for the words of the upright axis.
const LEFT: i32 = 62;

const RIGHT: i32 = 16;

/// The height of a panel, without its heading and the words below it.
const HEIGHT: i32 = 170;

/// From the heading of a panel to its upper edge.
const HEADING: i32 = 24;

/// The height of what is below a panel.
const FOOT: i32 = 26;

/// From the upper edge of one panel's heading to that of the next.
pub(crate) const PANEL: i32 = HEADING + HEIGHT + FOOT + 10;

/// Pixels of a letter, more rather than less.
const LETTER: i32 = 7;

/// Intervals may make a panel's axis this many times as long as its values alone.
const MOST_STRETCH: f64 = 3.0;

/// A value at a place, with its interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// From 0 (left) to 1 (right).
    pub(crate) place: f64,
    pub(crate) value: f64,
    pub(crate) interval: Option<(f64, f64)>,
}

/// Dots that are joined where neighbours are known.
#[derive(Clone, Debug)]
pub(crate) struct PlotLine {
    pub(crate) name: String,
    pub(crate) points: Vec<Option<Point>>,
}

/// Where a panel is, and the values that it shows.
pub(crate) struct Panel {
    top: i32,
    low: f64,
    high: f64,
}

impl Panel {
    /// A panel below `top` that shows all values of the lines, and `also`.
    pub(crate) fn new(top: i32, lines: &[PlotLine], also: f64) -> Self {
        let points = || lines.iter().flat_map(|line| &line.points).flatten();
        let ends = |range: (f64, f64), value: f64| (range.0.min(value), range.1.max(value));
        let (low, high) = points().map(|point| point.value).fold((also, also), ends);
        let room = (high - low).max(0.05 * high.abs()).max(f64::MIN_POSITIVE);
        let most = (low - (MOST_STRETCH - 1.0) * room, high + (MOST_STRETCH - 1.0) * room);
        let whiskers = points().filter_map(|point| point.interval).flat_map(|(low, high)| [low, high]);
        let (low, high) = whiskers.map(|end| end.clamp(most.0, most.1)).fold((low, high), ends);
        // An axis that begins at nothing begins there.
        let margin = 0.06 * (high - low).max(room);
        let low = if also == 0.0 { 0.0 } else { low - margin };
        Self { top: top + HEADING, low, high: high + margin }
    }

    /// The height of a value; `None` outside the panel.
    pub(crate) fn y(&self, value: f64) -> Option<i32> {
        let part = (value - self.low) / (self.high - self.low);
        (-1e-9..=1.0 + 1e-9)
            .contains(&part)
            .then(|| self.bottom() - (f64::from(HEIGHT) * part).round() as i32)
    }

    pub(crate) fn x(place: f64) -> i32 {
        LEFT + 14 + (f64::from(WIDTH - LEFT - RIGHT - 28) * place).round() as i32
    }

    pub(crate) fn top(&self) -> i32 {
        self.top
    }

    pub(crate) fn bottom(&self) -> i32 {
        self.top + HEIGHT
    }

    /// Heading, values of the axis, and the line that values are compared with.
    pub(crate) fn draw_axis(&self, canvas: &Canvas<'_>, heading: &str, reference: f64) -> Result<(), Error> {
        canvas.text((12, self.top - HEADING + 2), heading, HPos::Left, VPos::Top, INK)?;
        let ticks = ticks_at_most(self.low, self.high, 5);
        for (tick, text) in ticks.iter().zip(plain_texts(&ticks)) {
            let Some(y) = self.y(*tick) else { continue };
            canvas.line((LEFT, y), (WIDTH - RIGHT, y), GRID)?;
            canvas.text((LEFT - 6, y), &text, HPos::Right, VPos::Center, INK)?;
        }
        match self.y(reference) {
            Some(y) => canvas.line((LEFT, y), (WIDTH - RIGHT, y), NEUTRAL),
            None => Ok(()),
        }
    }

    /// The names of the places; of names that would run into each other only some.
    pub(crate) fn draw_places(&self, canvas: &Canvas<'_>, places: &[(f64, String)]) -> Result<(), Error> {
        for (place, name) in readable(places) {
            let x = Self::x(*place);
            canvas.line((x, self.bottom()), (x, self.bottom() + 4), NEUTRAL)?;
            // What lies at an edge is moved inwards.
            let half = half_width(name);
            let at = x.clamp(half + 4, WIDTH - 4 - half);
            canvas.text((at, self.bottom() + 8), name, HPos::Center, VPos::Top, INK)?;
        }
        Ok(())
    }

    /// Each line with its dots; dots of several lines at one place are set apart.
    pub(crate) fn draw_lines(&self, canvas: &Canvas<'_>, lines: &[PlotLine]) -> Result<(), Error> {
        for (at, line) in lines.iter().enumerate() {
            let (color, shape) = line_style(at);
            let aside = 4 * at as i32 - 2 * (lines.len() as i32 - 1);
            let here = |point: &Point| Some((Self::x(point.place) + aside, self.y(point.value)?));
            for pair in line.points.windows(2) {
                if let [Some(from), Some(to)] = pair
                    && let (Some(from), Some(to)) = (here(from), here(to))
                {
                    canvas.path(vec![from, to], color)?;
                }
            }
            for point in line.points.iter().flatten() {
                let Some((x, y)) = here(point) else { continue };
                if let Some((low, high)) = point.interval {
                    // An end beyond the panel has no stroke.
                    canvas.line(
                        (x, self.y(low).unwrap_or(self.bottom())),
                        (x, self.y(high).unwrap_or(self.top)),
                        color,
                    )?;
                    for end in [low, high].into_iter().filter_map(|end| self.y(end)) {
                        canvas.line((x - 3, end), (x + 3, end), color)?;
                    }
                }
                canvas.mark((x, y), shape, color)?;
            }
        }
        Ok(())
    }
}

fn half_width(name: &str) -> i32 {
    LETTER * name.chars().count() as i32 / 2
}

/// The names that can be read side by side: every one, every second, and so on.
fn readable(places: &[(f64, String)]) -> Vec<&(f64, String)> {
    let apart = |chosen: &[&(f64, String)]| {
        chosen.windows(2).all(|pair| {
            let (left, right) = (&pair[0], &pair[1]);
            Panel::x(right.0) - Panel::x(left.0) >= half_width(&left.1) + half_width(&right.1) + LETTER
        })
    };
    let every = |step: usize| places.iter().step_by(step).collect::<Vec<_>>();
    (1..=places.len()).map(every).find(|chosen| apart(chosen)).unwrap_or_default()
}

/// One entry for each line, with its dot, in as many rows as it needs below `top`.
pub(crate) fn draw_legend(canvas: &Canvas<'_>, top: i32, names: &[String]) -> Result<(), Error> {
    for (at, ((x, y), name)) in legend_places(names).into_iter().zip(names).enumerate() {
        let (color, shape) = line_style(at);
        canvas.mark((x + 6, top + y + 8), shape, color)?;
        canvas.text((x + 16, top + y + 8), name, HPos::Left, VPos::Center, INK)?;
    }
    Ok(())
}

const LEGEND_ROW: i32 = 20;

/// The height of a legend.
pub(crate) fn legend_height(names: &[String]) -> i32 {
    legend_places(names).last().map_or(0, |(_, y)| y + LEGEND_ROW)
}

fn legend_places(names: &[String]) -> Vec<(i32, i32)> {
    let (mut x, mut y) = (12, 0);
    let place = |name: &String| {
        let width = 30 + LETTER * name.chars().count() as i32;
        if x > 12 && x + width > WIDTH - 6 {
            (x, y) = (12, y + LEGEND_ROW);
        }
        let here = (x, y);
        x += width;
        here
    };
    names.iter().map(place).collect()
}

const NOTE_ROW: i32 = 18;

/// Letters of a line of notes.
const MOST_NOTE_LETTERS: usize = 56;

/// Notes below a plot, as lines that fit it.
pub(crate) fn note_lines(notes: &[String]) -> Vec<String> {
    notes.iter().flat_map(|note| crate::document::visible_text::wrap(note, MOST_NOTE_LETTERS)).collect()
}

/// The height of lines of notes.
pub(crate) fn notes_height(lines: &[String]) -> i32 {
    NOTE_ROW * lines.len() as i32 + 8
}

pub(crate) fn draw_notes(canvas: &Canvas<'_>, top: i32, lines: &[String]) -> Result<(), Error> {
    lines.iter().zip(0i32..).try_for_each(|(line, at)| {
        canvas.text((12, top + NOTE_ROW * at), line, HPos::Left, VPos::Top, NEUTRAL)
    })
}
