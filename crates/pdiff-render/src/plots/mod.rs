//! What all plots share: colours, names, axes, and where they are drawn. SVG on a light ground; colours are those that
//! colour-blind readers tell apart (Okabe and Ito 2008), and never the only difference.

pub(crate) mod axis;
pub(crate) mod canvas;
pub(crate) mod panel;

use plotters::prelude::RGBColor;

use crate::document::visible_text::cut_middle;
use crate::flame::plain;
use canvas::Shape;

/// In favour of the target.
pub(crate) const BETTER: RGBColor = RGBColor(0, 114, 178);

/// Against it.
pub(crate) const WORSE: RGBColor = RGBColor(213, 94, 0);

/// Gaps, axes and what is not measured.
pub(crate) const NEUTRAL: RGBColor = RGBColor(110, 110, 110);

pub(crate) const INK: RGBColor = RGBColor(30, 30, 30);

/// Lines of an axis.
pub(crate) const GRID: RGBColor = RGBColor(222, 222, 222);

/// Letters of a name that are shown; the middle of longer ones is left out.
const MOST_LETTERS: usize = 30;

/// Lines that one plot tells apart by colour and shape.
pub(crate) const MOST_LINES: usize = 8;

/// Dark enough for a thin line on white, and lighter in a dark window by as much.
const LINES: [(RGBColor, Shape); MOST_LINES] = [
    (BETTER, Shape::Circle),
    (WORSE, Shape::Square),
    (RGBColor(0, 138, 100), Shape::Triangle),
    (RGBColor(170, 70, 130), Shape::Diamond),
    (RGBColor(150, 105, 0), Shape::Circle),
    (INK, Shape::Square),
    (RGBColor(80, 80, 190), Shape::Triangle),
    (NEUTRAL, Shape::Diamond),
];

/// The colour and the shape of a plot's line.
pub(crate) fn line_style(at: usize) -> (RGBColor, Shape) {
    LINES.get(at % MOST_LINES).copied().unwrap_or((INK, Shape::Circle))
}

/// A name as plots show it.
pub(crate) fn label(name: &str) -> String {
    cut_middle(&plain(name), MOST_LETTERS).into_owned()
}
