//! Where pictures are drawn: whole pixels, this project's errors, a name, and the reader's theme.

use plotters::prelude::{
    Circle, IntoDrawingArea, PathElement, Polygon, RGBColor, Rectangle, SVGBackend, ShapeStyle, Text, WHITE,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, TextStyle};

use super::INK;
use crate::document::visible_text::wrap;
use crate::error::Error;
use crate::flame::escaped;

/// In a dark window the picture is turned over, hues kept; paper stays light.
const DARK: &str = "@media screen and (prefers-color-scheme: dark) { svg[data-plot] { filter: invert(0.9) hue-rotate(180deg); }}";

type Area<'a> = plotters::drawing::DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// A plotters area in whole pixels, with this project's errors.
pub(crate) struct Canvas<'a> {
    area: Area<'a>,
    letters: i32,
}

/// Pictures narrower than this are made for narrow windows, where letters must be as large as in the text around.
const NARROW: i32 = 500;

impl Canvas<'_> {
    pub(crate) fn text(
        &self,
        at: (i32, i32),
        text: &str,
        h: HPos,
        v: VPos,
        color: RGBColor,
    ) -> Result<(), Error> {
        let font = ("sans-serif", self.letters).into_font();
        let style = TextStyle::from(font).color(&color).pos(Pos::new(h, v));
        self.area.draw(&Text::new(text.to_owned(), at, style)).map_err(failed)
    }

    pub(crate) fn line(&self, from: (i32, i32), to: (i32, i32), color: RGBColor) -> Result<(), Error> {
        self.area.draw(&PathElement::new(vec![from, to], color.stroke_width(1))).map_err(failed)
    }

    /// A line through several points, two pixels wide.
    pub(crate) fn path(&self, points: Vec<(i32, i32)>, color: RGBColor) -> Result<(), Error> {
        self.area.draw(&PathElement::new(points, color.stroke_width(2))).map_err(failed)
    }

    /// A vertical line of short strokes.
    pub(crate) fn dashes(&self, x: i32, from: i32, to: i32, color: RGBColor) -> Result<(), Error> {
        (from..to).step_by(7).try_for_each(|y| self.line((x, y), (x, (y + 4).min(to)), color))
    }

    /// A dot of a shape.
    pub(crate) fn mark(&self, (x, y): (i32, i32), shape: Shape, color: RGBColor) -> Result<(), Error> {
        let polygon = |corners: &[(i32, i32)]| {
            let points: Vec<(i32, i32)> = corners.iter().map(|(right, down)| (x + right, y + down)).collect();
            self.area.draw(&Polygon::new(points, color.filled())).map_err(failed)
        };
        match shape {
            Shape::Circle => self.area.draw(&Circle::new((x, y), 4, color.filled())).map_err(failed),
            Shape::Square => self.fill((x - 4, y - 4), (x + 4, y + 4), color),
            Shape::Triangle => polygon(&[(0, -5), (5, 4), (-5, 4)]),
            Shape::Diamond => polygon(&[(0, -6), (6, 0), (0, 6), (-6, 0)]),
        }
    }

    pub(crate) fn fill(&self, from: (i32, i32), to: (i32, i32), color: RGBColor) -> Result<(), Error> {
        self.area.draw(&Rectangle::new([from, to], color.filled())).map_err(failed)
    }

    pub(crate) fn tint(
        &self,
        from: (i32, i32),
        to: (i32, i32),
        color: RGBColor,
        strength: f64,
    ) -> Result<(), Error> {
        self.area.draw(&Rectangle::new([from, to], color.mix(strength).filled())).map_err(failed)
    }

    pub(crate) fn frame(&self, from: (i32, i32), to: (i32, i32), color: RGBColor) -> Result<(), Error> {
        let style: ShapeStyle = color.mix(0.3).stroke_width(1);
        self.area.draw(&Rectangle::new([from, to], style)).map_err(failed)
    }

    pub(crate) fn circle(&self, at: (i32, i32)) -> Result<(), Error> {
        self.area.draw(&Circle::new(at, 3, INK.stroke_width(1))).map_err(failed)
    }
}

/// What a dot looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
}

/// Letters of a line of a narrow picture's title.
const MOST_TITLE_LETTERS: usize = 50;

/// A title in as many lines as a narrow picture needs.
fn title_lines(title: &str, width: i32) -> Vec<String> {
    if width < NARROW { wrap(title, MOST_TITLE_LETTERS) } else { vec![title.to_owned()] }
}

/// Where a picture may begin below its title.
pub(crate) fn below_title(title: &str, width: i32) -> i32 {
    24 + 20 * title_lines(title, width).len() as i32
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Picture { reason: error.to_string() }
}

/// Draws on a white ground under a title, and gives the SVG text.
pub(crate) fn draw(
    (width, height): (i32, i32),
    title: &str,
    paint: impl FnOnce(&Canvas<'_>) -> Result<(), Error>,
) -> Result<String, Error> {
    let mut svg = String::new();
    {
        let size = (width.unsigned_abs(), height.unsigned_abs());
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let (letters, left) = if width < NARROW { (15, 12) } else { (13, 20) };
        let canvas = Canvas { area, letters };
        let style = TextStyle::from(("sans-serif", letters + 2).into_font()).color(&INK);
        for (line, y) in title_lines(title, width).into_iter().zip((16..).step_by(20)) {
            canvas.area.draw(&Text::new(line, (left, y), style.clone())).map_err(failed)?;
        }
        paint(&canvas)?;
        canvas.area.present().map_err(failed)?;
    }
    // A name for readers who cannot see it, and the theme of readers in the dark.
    let name = escaped(title);
    let start = format!("<svg role=\"img\" aria-label=\"{name}\" data-plot=\"\" ");
    let named = svg.replacen("<svg ", &start, 1);
    let (head, body) = named.find('>').map_or((named.as_str(), ""), |end| named.split_at(end + 1));
    Ok(format!("{head}<style>{DARK}</style>{body}"))
}
