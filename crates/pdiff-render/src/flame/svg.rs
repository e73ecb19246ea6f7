//! The picture: laid out and written by inferno from numbered frames, then each frame's text, title and colour put in.

use std::io::Write;

use inferno::flamegraph::{self, Direction, Options, TextTruncateDirection};

use super::change::Terms;
use super::frames::{Drawn, Frames};
use super::paint::{self, fill, tone};
use super::title::{Title, Titles};
use super::xml_text::{plain, push_escaped};
use super::{FlameInput, FlameOptions, legend};
use crate::error::Error;

/// Width before a browser fits the picture to its window, in pixels.
const WIDTH: usize = 1200;

/// Writes the tree as an SVG file.
///
/// # Errors
/// If `out` does not take it.
pub fn write_flame_svg(
    input: &FlameInput<'_>,
    options: &FlameOptions,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let terms = Terms::new(input.comparison, input.tree.side_weights, (options.color, options.terms))
        .of_frames(&input.tree.nodes);
    let frames = Frames::new(input, options.view, &terms);
    let lines = legend::lines(input, options, &terms, frames.width);
    let picture = Picture {
        title: legend::title(input, options),
        about: legend::subtitle(input),
        full: full_change(input, &frames, &terms),
        titles: Titles::new(*input, terms),
        band_height: legend::height(&lines, input.is_single()),
        input,
        terms,
        frames: &frames,
    };
    let laid_out = lay_out(input, options, &frames)?;
    let band = legend::band(&lines, &terms, picture.full, input.is_single(), BAND_TOP);
    let svg = picture.finish(&laid_out, &band);
    out.write_all(svg.as_bytes()).map_err(|source| Error::Write { source })
}

/// Where the band's first line stands: below inferno's title and subtitle.
const BAND_TOP: usize = FONT_SIZE * 5 + 8;

/// What a search found is in a line of its own below what the frame under the pointer says, which takes three lines.
const MATCHED_LINE: usize = 3 * 15 + 4;

/// inferno's font size.
const FONT_SIZE: usize = flamegraph::defaults::FONT_SIZE;

/// inferno's picture of numbered frames.
fn lay_out(input: &FlameInput<'_>, options: &FlameOptions, frames: &Frames) -> Result<String, Error> {
    let mut drawing = Options::default();
    drawing.title = plain(&legend::title(input, options)).into_owned();
    drawing.subtitle = Some(plain(&legend::subtitle(input)).into_owned());
    drawing.direction = if options.inverted { Direction::Inverted } else { Direction::Straight };
    drawing.min_width = 0.0;
    drawing.no_sort = true;
    drawing.deterministic = true;
    drawing.name_type = String::new();
    drawing.text_truncate_direction = TextTruncateDirection::Right;
    drawing.search_color = "#f5e642".parse().unwrap_or(drawing.search_color);
    drawing.bgcolors = "#ffffff".parse().ok();
    let mut svg = Vec::new();
    let lines = frames.lines.iter().map(String::as_str);
    flamegraph::from_lines(&mut drawing, lines, &mut svg).map_err(|source| Error::Write { source })?;
    Ok(String::from_utf8_lossy(&svg).into_owned())
}

/// So many of the frames beyond noise lie within the colour scale: a change of everything must not take all of it.
const SCALE_PART: f64 = 0.95;

/// The change that has the full colour: nearly the greatest of the frames drawn that changed beyond noise.
fn full_change(input: &FlameInput<'_>, frames: &Frames, terms: &Terms<'_>) -> f64 {
    let nodes = frames.drawn.iter().filter_map(|drawn| match drawn {
        Drawn::Node(index) => input.tree.nodes.get(*index),
        Drawn::Panel(_) | Drawn::Nothing => None,
    });
    let changes = nodes.filter_map(|node| terms.change(node)).filter(|change| change.significant);
    let mut sizes: Vec<f64> = changes.map(|change| change.delta().abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let last = sizes.len().saturating_sub(1);
    sizes.get((SCALE_PART * last as f64) as usize).copied().unwrap_or(0.0)
}

struct Picture<'a> {
    title: String,
    about: String,
    input: &'a FlameInput<'a>,
    terms: Terms<'a>,
    frames: &'a Frames,
    titles: Titles<'a>,
    full: f64,
    band_height: usize,
}

/// What inferno writes before each frame, and at its parts.
const FRAME_START: &str = "<g><title>";
const FRAME_END: &str = "</g>";
const FRAMES_START: &str = "<svg id=\"frames\"";

/// What is behind inferno's script and replaces some of its functions.
const SCRIPT: &str = include_str!("../../assets/flame.js");

impl Picture<'_> {
    fn finish(&self, laid_out: &str, band: &str) -> String {
        let (head, body) = laid_out.find(FRAMES_START).map_or((laid_out, ""), |at| laid_out.split_at(at));
        let mut out = String::with_capacity(laid_out.len() * 2);
        out.push_str(&self.head(head));
        out.push_str(band);
        let mut rest = body;
        if let Some(after) = rest.strip_prefix(FRAMES_START) {
            let about = "tabindex=\"0\" role=\"img\" aria-label=\"Frames: arrow keys move\"";
            out.push_str(&format!("{FRAMES_START} y=\"{}\" {about}", self.band_height));
            rest = after;
        }
        while let Some((before, frame)) = rest.split_once(FRAME_START) {
            out.push_str(before);
            let Some((frame, after)) = frame.split_once(FRAME_END) else { break };
            self.push_frame(frame, &mut out);
            rest = after;
        }
        let (frames, end) = rest.rsplit_once("</svg>").unwrap_or((rest, ""));
        out.push_str(frames);
        out.push_str(&format!("<script type=\"text/ecmascript\"><![CDATA[\n{SCRIPT}]]></script></svg>{end}"));
        out
    }

    /// Everything before the frames, made higher by the band.
    fn head(&self, head: &str) -> String {
        let height = attribute(head, "height").and_then(|text| text.parse::<usize>().ok()).unwrap_or(0);
        let higher = height + self.band_height + MATCHED_LINE;
        let mut text = head
            .replace(&format!("height=\"{height}\""), &format!("height=\"{higher}\""))
            .replace(
                &format!("viewBox=\"0 0 {WIDTH} {height}\""),
                &format!("viewBox=\"0 0 {WIDTH} {higher}\""),
            )
            .replace("<defs>", &format!("{}<defs>{}", self.names(), paint::patterns()))
            .replacen("<svg ", "<svg role=\"group\" aria-labelledby=\"name description\" ", 1)
            .replace("<text id=\"details\"", "<text id=\"details\" role=\"status\"")
            .replace("<text id=\"search\"", "<text id=\"search\" tabindex=\"0\" role=\"button\"");
        for (id, by) in [("details", self.band_height), ("matched", self.band_height + MATCHED_LINE)] {
            text = lowered(&text, id, by);
        }
        text
    }

    /// What the picture is, for screen readers and the browser's own title.
    fn names(&self) -> String {
        let mut out = String::from("<title id=\"name\">");
        push_escaped(&mut out, &plain(&self.title));
        out.push_str("</title><desc id=\"description\">");
        let what = "Flame graph. Arrow keys move from frame to frame, Enter zooms, Escape resets.";
        push_escaped(&mut out, &format!("{what} {}", plain(&self.about)));
        out.push_str("</desc>");
        out
    }

    /// One frame: inferno's title and text contain its number.
    fn push_frame(&self, frame: &str, out: &mut String) {
        let number = frame.split(' ').next().unwrap_or_default();
        let drawn = number.parse::<usize>().ok().and_then(|number| self.frames.drawn.get(number));
        let plain = paint::Tone::Plain;
        let (title, tone) = match drawn {
            Some(Drawn::Node(index)) => match self.input.tree.nodes.get(*index) {
                Some(node) if self.input.is_single() => (self.titles.of_node(node), plain),
                Some(node) => {
                    (self.titles.of_node(node), tone(self.input.tree, node, &self.terms, self.full))
                }
                None => (nothing(), plain),
            },
            Some(Drawn::Panel(side)) => (self.titles.of_panel(*side), plain),
            Some(Drawn::Nothing) => (nothing(), plain),
            None => (self.titles.of_root(), plain),
        };
        let is_node_alone = self.input.is_single() && matches!(drawn, Some(Drawn::Node(_)));
        let color = if is_node_alone { paint::fill_by_name(&title.name) } else { fill(tone) };
        let mark = paint::mark(tone);
        if mark.is_empty() {
            out.push_str(FRAME_START);
        } else {
            out.push_str(&format!("<g data-mark=\"{mark}\"><title>"));
        }
        push_escaped(out, &title.name);
        out.push_str(" (");
        push_escaped(out, &title.details);
        out.push_str(")</title>");
        let rect = frame.find("<rect").map_or("", |at| &frame[at..]);
        let (before, rest) = rect.split_once("fill=\"").unwrap_or((rect, ""));
        let rest = rest.split_once('"').map_or("", |(_, rest)| rest);
        let (rest, text) = rest.split_once("<text").unwrap_or((rest, ">"));
        let (place, _) = text.split_once('>').unwrap_or((text, ""));
        out.push_str(before);
        out.push_str("fill=\"");
        out.push_str(&color);
        out.push('"');
        out.push_str(rest);
        out.push_str("<text");
        out.push_str(place);
        out.push('>');
        let width =
            attribute(rect, "width").and_then(|width| width.trim_end_matches('%').parse::<f64>().ok());
        push_escaped(out, &label(&format!("{mark}{}", title.name), width.unwrap_or(0.0)));
        out.push_str("</text>");
        out.push_str(FRAME_END);
    }
}

/// The text element of this id moved down.
fn lowered(text: &str, id: &str, by: usize) -> String {
    let Some(at) = text.find(&format!("<text id=\"{id}\"")) else { return text.to_owned() };
    let (before, element) = text.split_at(at);
    let Some(y) = attribute(element, "y") else { return text.to_owned() };
    let lower = y.parse::<f64>().unwrap_or(0.0) + by as f64;
    let moved = element.replacen(&format!("y=\"{y}\""), &format!("y=\"{lower:.2}\""), 1);
    format!("{before}{moved}")
}

fn nothing() -> Title {
    Title { name: "nothing".to_owned(), details: "there is no such stack".to_owned() }
}

/// As much of the name as fits before a script fits it again.
fn label(name: &str, width_pct: f64) -> String {
    let column = FONT_SIZE as f64 * flamegraph::defaults::FONT_WIDTH;
    let fitting = (width_pct / 100.0 * (WIDTH - 20) as f64 / column) as usize;
    if fitting < 3 {
        String::new()
    } else {
        crate::document::visible_text::cut_end(name, fitting).into_owned()
    }
}

/// The value of the first attribute of this name.
fn attribute<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let start = format!(" {name}=\"");
    let (_, rest) = text.split_once(&start)?;
    rest.split_once('"').map(|(value, _)| value)
}
