//! Where pictures are drawn: whole pixels, this project's errors, a name, and the reader's theme.

use plotters::prelude::{
    Circle, IntoDrawingArea, PathElement, RGBColor, Rectangle, SVGBackend, ShapeStyle, Text, WHITE,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, TextStyle};

use super::INK;
use crate::error::Error;
use crate::flame::escaped;

/// In a dark window the picture is turned over, hues kept; paper stays light.
const DARK: &str = "@media screen and (prefers-color-scheme: dark) { svg[data-plot] { filter: invert(0.9) hue-rotate(180deg); }}";

type Area<'a> = plotters::drawing::DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// A plotters area in whole pixels, with this project's errors.
pub(super) struct Canvas<'a> {
    area: Area<'a>,
}

impl Canvas<'_> {
    pub(super) fn text(
        &self,
        at: (i32, i32),
        text: &str,
        h: HPos,
        v: VPos,
        color: RGBColor,
    ) -> Result<(), Error> {
        let font = ("sans-serif", 13).into_font();
        let style = TextStyle::from(font).color(&color).pos(Pos::new(h, v));
        self.area.draw(&Text::new(text.to_owned(), at, style)).map_err(failed)
    }

    pub(super) fn line(&self, from: (i32, i32), to: (i32, i32), color: RGBColor) -> Result<(), Error> {
        self.area.draw(&PathElement::new(vec![from, to], color.stroke_width(1))).map_err(failed)
    }

    pub(super) fn fill(&self, from: (i32, i32), to: (i32, i32), color: RGBColor) -> Result<(), Error> {
        self.area.draw(&Rectangle::new([from, to], color.filled())).map_err(failed)
    }

    pub(super) fn tint(
        &self,
        from: (i32, i32),
        to: (i32, i32),
        color: RGBColor,
        strength: f64,
    ) -> Result<(), Error> {
        self.area.draw(&Rectangle::new([from, to], color.mix(strength).filled())).map_err(failed)
    }

    pub(super) fn frame(&self, from: (i32, i32), to: (i32, i32), color: RGBColor) -> Result<(), Error> {
        let style: ShapeStyle = color.mix(0.3).stroke_width(1);
        self.area.draw(&Rectangle::new([from, to], style)).map_err(failed)
    }

    pub(super) fn circle(&self, at: (i32, i32)) -> Result<(), Error> {
        self.area.draw(&Circle::new(at, 3, INK.stroke_width(1))).map_err(failed)
    }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Picture { reason: error.to_string() }
}

/// Draws on a white ground under a title, and gives the SVG text.
pub(super) fn draw(
    (width, height): (i32, i32),
    title: &str,
    paint: impl FnOnce(&Canvas<'_>) -> Result<(), Error>,
) -> Result<String, Error> {
    let mut svg = String::new();
    {
        let size = (width.unsigned_abs(), height.unsigned_abs());
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let canvas = Canvas { area };
        let style = TextStyle::from(("sans-serif", 15).into_font()).color(&INK);
        canvas.area.draw(&Text::new(title.to_owned(), (20, 16), style)).map_err(failed)?;
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

/// Round values between two others, some four to nine of them.
pub(super) fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 8.0;
    if !rough.is_finite() || rough <= 0.0 {
        return vec![0.0];
    }
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().map(|step| step * power).find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|at| at as f64 * step).collect()
}
