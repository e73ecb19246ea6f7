//! How steady the recordings are: CPU in use second by second, and the functions whose share drifts.
//!
//! Runs of a side follow each other, with a gap between them. Each strip starts at zero, so a small waver looks small.

use pdiff_analysis::RunSeconds;
use pdiff_profile::PerSide;

use super::ReportInput;
use super::text::escaped;
use crate::document::number::fixed;

/// Narrow enough for the letters to be read in a window of 400 pixels.
const WIDTH: f64 = 460.0;

/// Height of a strip.
const HEIGHT: f64 = 44.0;

/// Room above a strip for its words.
const HEAD: f64 = 18.0;

/// Room below the strips for the seconds.
const FOOT: f64 = 18.0;

/// Points between two runs.
const GAP: usize = 1;

/// Drifting functions that get strips of their own.
const MOST_DRIFTING: usize = 3;

const NS: f64 = 1e9;

/// One strip: both sides over time.
struct Strip {
    /// Markup.
    name: String,
    /// What the largest value is.
    full: String,
    sides: PerSide<Vec<Vec<f64>>>,
}

/// The strips; words alone where the recordings tell no times.
pub(super) fn picture(input: &ReportInput<'_>) -> String {
    let runs = &input.seconds.runs;
    if runs.values().any(Vec::is_empty) {
        return "<p class=\"line dim\"><b>over time</b> Not known: a recording has no times of its samples, or is shorter than \
                four seconds.</p>\n"
            .to_owned();
    }
    let strips = strips(input);
    let foot = (HEAD + HEIGHT + 6.0) * strips.len() as f64;
    let height = foot + FOOT;
    let mut out = format!(
        "<h3>Over time</h3>\n<div class=\"plot\"><svg class=\"strips\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"{}\">\n",
        escaped(&spoken(input))
    );
    for (at, strip) in strips.iter().enumerate() {
        push_strip(strip, at as f64 * (HEAD + HEIGHT + 6.0), &mut out);
    }
    let steps: Vec<usize> = runs.values().flatten().map(|run| run.step).collect();
    let step = steps.iter().copied().max().unwrap_or(1);
    let longest = strips.iter().map(|strip| longest(&strip.sides)).max().unwrap_or(1);
    out.push_str(&format!(
        "<text x=\"0\" y=\"{0}\">0 s</text><text x=\"{WIDTH}\" y=\"{0}\" text-anchor=\"end\">{1} s</text></svg></div>\n",
        foot + FOOT - 5.0,
        longest * step
    ));
    let points = if step > 1 { format!(" Each point is up to {step} seconds.") } else { String::new() };
    out.push_str(&format!(
        "<p class=\"dim\"><span class=\"swatch before\"></span> before <span class=\"swatch after\"></span> after; the whole \
         seconds of each run, one run after the other.{points}</p>\n{}",
        drift_text(input)
    ));
    out
}

fn strips(input: &ReportInput<'_>) -> Vec<Strip> {
    let whole = |runs: &Vec<RunSeconds>| runs.iter().map(|run| run.per_second.clone()).collect::<Vec<_>>();
    let sides = input.seconds.runs.as_ref().map(whole);
    let is_time = input.comparison.cost.as_ref().is_some_and(|cost| cost.is_time);
    let most = largest(&sides);
    let full = if is_time { format!("{} CPUs", fixed(most / NS, 2)) } else { "largest second".to_owned() };
    let mut strips = vec![Strip { name: "<tspan>CPU in use</tspan>".to_owned(), full, sides }];
    for name in input.comparison.noise.drifting.iter().take(MOST_DRIFTING) {
        let Some(at) = input.seconds.functions.iter().position(|(function, _)| function == name) else {
            continue;
        };
        let share = |runs: &Vec<RunSeconds>| {
            runs.iter().map(|run| run.share_pct.get(at).cloned().unwrap_or_default()).collect::<Vec<_>>()
        };
        let sides = input.seconds.runs.as_ref().map(share);
        let full = format!("{} % of samples", fixed(largest(&sides), 1));
        let name = format!(
            "<tspan class=\"drifts\">drifts:</tspan> <tspan class=\"name\">{}</tspan>",
            escaped(name)
        );
        strips.push(Strip { name, full, sides });
    }
    strips
}

fn largest(sides: &PerSide<Vec<Vec<f64>>>) -> f64 {
    sides.values().flatten().flatten().copied().fold(0.0, f64::max)
}

/// Points of the longer side, with the gaps behind its runs.
fn longest(sides: &PerSide<Vec<Vec<f64>>>) -> usize {
    let points = |side: &Vec<Vec<f64>>| side.iter().map(|run| run.len() + GAP).sum::<usize>();
    sides.values().map(points).max().unwrap_or(1).max(2)
}

fn push_strip(strip: &Strip, top: f64, out: &mut String) {
    let full = largest(&strip.sides).max(f64::MIN_POSITIVE);
    let (zero, step) = (top + HEAD + HEIGHT, WIDTH / longest(&strip.sides) as f64);
    out.push_str(&format!(
        "<text x=\"0\" y=\"{}\">{}</text><text x=\"{WIDTH}\" y=\"{}\" text-anchor=\"end\">top: {}</text>\n\
         <line x1=\"0\" x2=\"{WIDTH}\" y1=\"{zero}\" y2=\"{zero}\"/>\n",
        top + HEAD - 5.0,
        strip.name,
        top + HEAD - 5.0,
        strip.full
    ));
    for (of, side) in strip.sides.iter() {
        let class = of.as_str();
        let mut first = 0;
        for run in side {
            let place = |(at, value): (usize, &f64)| {
                format!(
                    "{},{}",
                    fixed((first + at) as f64 * step, 1),
                    fixed(zero - HEIGHT * (value / full).clamp(0.0, 1.0), 1)
                )
            };
            let line: Vec<String> = run.iter().enumerate().map(place).collect();
            out.push_str(&format!("<polyline class=\"{class}\" points=\"{}\"/>\n", line.join(" ")));
            first += run.len() + GAP;
        }
    }
}

/// What the picture says, for readers who do not see it.
fn spoken(input: &ReportInput<'_>) -> String {
    let side = |runs: &Vec<RunSeconds>| {
        let all: Vec<f64> = runs.iter().flat_map(|run| run.per_second.iter().copied()).collect();
        let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let pct = |value: f64| fixed(100.0 * value / mean.max(f64::MIN_POSITIVE), 0);
        format!("{} to {} % of its mean", pct(least), pct(all.iter().copied().fold(0.0, f64::max)))
    };
    let PerSide { before, after } = input.seconds.runs.as_ref().map(side);
    format!("CPU in use by second: before from {before}, after from {after}")
}

fn drift_text(input: &ReportInput<'_>) -> String {
    let drifting = &input.comparison.noise.drifting;
    if drifting.is_empty() {
        return "<p class=\"line\"><b>drift</b> None found: no heavy function's share wanders over seconds more than its \
                second-to-second noise explains.</p>\n"
            .to_owned();
    }
    let names: Vec<String> =
        drifting.iter().take(8).map(|name| format!("<code>{}</code>", escaped(name))).collect();
    let more = match drifting.len().saturating_sub(names.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "<p class=\"line warning\"><b>drift</b> The share of {}{more} wanders over seconds more than its second-to-second noise \
         explains: its interval is too narrow. Repeat the run, or cut the warm-up off.</p>\n",
        names.join(", ")
    )
}
