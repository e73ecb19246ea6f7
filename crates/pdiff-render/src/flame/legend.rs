//! The meaning of widths and colours, in the picture itself: a band between the subtitle and the frames.

use pdiff_analysis::{Share, SideSummary};
use pdiff_profile::Side;

use super::change::Terms;
use super::paint::{Tone, fill};
use super::xml_text::push_escaped;
use super::{FlameColor, FlameInput, FlameOptions, FlameView};
use crate::document::number::{CostUnit, fixed, grouped, signed};

/// Pixels from one line of the band to the next.
const LINE_HEIGHT: usize = 17;

/// Pixels from the left edge.
const LEFT: usize = 10;

/// The first line of the picture.
pub(super) fn title(input: &FlameInput<'_>, options: &FlameOptions) -> String {
    let (before, after) = (&input.comparison.before.label, &input.comparison.after.label);
    options.title.clone().unwrap_or_else(|| {
        if input.is_single() {
            return before.clone();
        }
        let what = match options.view {
            FlameView::After => "After",
            FlameView::Before => "Before",
            FlameView::Gone => "Only in Before",
            FlameView::Both => "Before and After",
        };
        format!("{what}: {before} -> {after}")
    })
}

/// The second line: builds and samples.
pub(super) fn subtitle(input: &FlameInput<'_>) -> String {
    let side = |side: Side| side_text(side, input.comparison.side(side));
    if input.is_single() {
        side(Side::Before)
    } else {
        format!("{} | {}", side(Side::Before), side(Side::After))
    }
}

fn side_text(side: Side, of: &SideSummary) -> String {
    let runs = if of.runs.len() == 1 { "1 run".to_owned() } else { format!("{} runs", of.runs.len()) };
    let event = of.runs.first().map_or("", |run| run.event.as_str());
    format!("{side} {}: {runs}, {} samples of {event}", of.label, grouped(of.samples))
}

/// The lines of words.
pub(super) fn lines(
    input: &FlameInput<'_>,
    options: &FlameOptions,
    terms: &Terms<'_>,
    width: u64,
) -> Vec<String> {
    let comparison = input.comparison;
    let whose = match options.view {
        _ if input.is_single() => "the samples' weight",
        FlameView::After => "After's weight",
        FlameView::Before => "Before's weight",
        FlameView::Gone => "Before's weight in stacks that After does not have",
        FlameView::Both if terms.cost().is_some() => "weight per operation, both sides on one scale",
        FlameView::Both => "share of each side's weight",
    };
    let scale = scale_text(input, options.view, terms, width);
    let mut lines = vec![format!("Width: {whose}; with callees.{scale}")];
    if !input.is_single() {
        let measure = match terms.color() {
            FlameColor::OwnSelf => "self",
            FlameColor::Total => "total (with callees)",
        };
        let what = match terms.cost() {
            Some(_) => format!("the frame's {measure} per operation"),
            None => format!("the frame's {measure} as a share of {}", denominator(comparison.share)),
        };
        lines.push(format!("Colour: change of {what}, After minus Before, judged frame by frame."));
    }
    let mut kept = options.remarks.clone();
    if !comparison.filtered.is_empty() {
        kept.push(format!("kept: {}", comparison.filtered));
    }
    if !kept.is_empty() {
        lines.push(kept.join("; "));
    }
    lines
}

/// What the whole width represents.
fn scale_text(input: &FlameInput<'_>, view: FlameView, terms: &Terms<'_>, width: u64) -> String {
    let side = match view {
        FlameView::After => Side::After,
        FlameView::Before | FlameView::Gone => Side::Before,
        FlameView::Both => return String::new(),
    };
    let whole = input.tree.side_weights[side].max(1) as f64;
    let part = width as f64 / whole;
    let share = format!("{} % of {side}'s samples", fixed(100.0 * part, 1));
    let cost = terms.cost().map_or_else(String::new, |cost| {
        let per_op = if side == Side::Before { cost.per_op.before } else { cost.per_op.after };
        let unit = CostUnit::of(cost);
        format!(", {} {} per operation", unit.fixed(part * per_op), unit.name)
    });
    format!(" The whole width: {share}{cost}.")
}

fn denominator(share: Share) -> &'static str {
    match share {
        Share::All => "all samples",
        Share::Object => "its object's samples",
        Share::ThreadGroup => "its thread group's samples",
        Share::Work => "samples outside busy waiting and idling",
    }
}

/// The band's height in pixels.
pub(super) fn height(lines: &[String], is_single: bool) -> usize {
    (lines.len() + usize::from(!is_single)) * LINE_HEIGHT
}

/// The band, its first line at `top`.
pub(super) fn band(lines: &[String], terms: &Terms<'_>, full: f64, is_single: bool, top: usize) -> String {
    let mut out = String::from("<g id=\"legend\">");
    let mut y = top;
    if !is_single {
        push_swatches(&mut out, terms, full, y);
        y += LINE_HEIGHT;
    }
    for line in lines {
        push_text(&mut out, LEFT, y, line);
        y += LINE_HEIGHT;
    }
    out.push_str("</g>");
    out
}

/// Pixels that a character of the band takes at most.
const CHARACTER: usize = 7;

/// Three values of the scale each way, then what the other colours mean.
fn push_swatches(out: &mut String, terms: &Terms<'_>, full: f64, y: usize) {
    let value = |strength: f64, sign: f64| match terms.cost() {
        Some(cost) => CostUnit::of(cost).signed(sign * strength * strength * full),
        None => signed(sign * strength * strength * full, 2),
    };
    let unit = match terms.cost() {
        Some(cost) => format!("{} per operation", CostUnit::of(cost).name),
        None => "points".to_owned(),
    };
    let mut swatches: Vec<(Vec<Tone>, String)> = Vec::new();
    if full > 0.0 {
        let of = |strength: f64| (vec![Tone::Less(strength)], value(strength, -1.0));
        swatches.extend([of(1.0), of(0.7), of(0.4)]);
    }
    swatches.push((vec![Tone::Noise], "within noise".to_owned()));
    if full > 0.0 {
        let of = |strength: f64| (vec![Tone::More(strength)], value(strength, 1.0));
        swatches.extend([of(0.4), of(0.7), of(1.0)]);
        if let Some((_, text)) = swatches.last_mut() {
            *text = format!("{text} {unit}");
        }
    }
    swatches.push((vec![Tone::New, Tone::NewNoise], "new: only in After".to_owned()));
    swatches.push((vec![Tone::Gone, Tone::GoneNoise], "gone: only in Before".to_owned()));
    let mut x = LEFT;
    for (tones, text) in swatches {
        for tone in tones {
            out.push_str(&format!(
                "<rect x=\"{x}\" y=\"{}\" width=\"18\" height=\"12\" fill=\"{}\" stroke=\"#999\" \
                 stroke-width=\"0.5\"/>",
                y.saturating_sub(10),
                fill(tone)
            ));
            x += 19;
        }
        x += 3;
        push_text(out, x, y, &text);
        x += text.chars().count() * CHARACTER + 10;
    }
}

fn push_text(out: &mut String, x: usize, y: usize, text: &str) {
    out.push_str(&format!("<text x=\"{x}\" y=\"{y}\">"));
    push_escaped(out, &super::xml_text::plain(text));
    out.push_str("</text>");
}
