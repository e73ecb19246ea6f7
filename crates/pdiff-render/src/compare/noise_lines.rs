//! How noise was judged, and what could have been seen.

use pdiff_analysis::noise::{Method, RunVariation};
use pdiff_analysis::{Comparison, NoiseSummary};

use crate::document::number::{fixed, grouped};
use crate::document::visible_text::cut_middle;
use crate::document::{Block, Line, Tone};

/// How many rows are named.
const NAMED: usize = 3;

/// The longest name in such a list.
const LONGEST_NAME: usize = 40;

/// The lines on noise.
pub(crate) fn blocks(comparison: &Comparison) -> Vec<Block> {
    let noise = &comparison.noise;
    let mut blocks = vec![Line::block("noise", method_text(noise))];
    blocks.extend(detectable_text(noise).map(|text| Line::block("seen", text)));
    if !noise.drifting.is_empty() {
        blocks.push(Line::toned("drift", drift_text(&noise.drifting), Tone::Warning));
    }
    if !noise.phased.is_empty() {
        blocks.push(Line::toned("phases", phases_text(&noise.phased), Tone::Warning));
    }
    blocks
}

fn method_text(noise: &NoiseSummary) -> String {
    let method = match noise.method {
        Method::SingleRun => "single run a side: time blocks",
        Method::Replicates => "replicates: shares of runs",
    };
    let variation = variation_text(noise.run_variation);
    let within = if noise.assumed_dispersion { "; noise within runs assumed (no time stamps)" } else { "" };
    format!(
        "{method}, {variation}{within}; {} rows tested, {} significant",
        grouped(noise.tests as u64),
        grouped(noise.significant as u64)
    )
}

/// How much recordings of one build differ.
pub(crate) fn variation_text(variation: RunVariation) -> String {
    match variation {
        RunVariation::Assumed { cv } => format!("run-to-run variation of {} % assumed", fixed(100.0 * cv, 1)),
        RunVariation::Measured { cv, assumed_part, .. } => measured_text(cv, assumed_part),
    }
}

fn measured_text(cv: f64, assumed_part: f64) -> String {
    let percent = fixed(100.0 * cv, 1);
    match (100.0 * assumed_part).round() {
        0.0 => format!("run-to-run variation of {percent} % measured"),
        100.0 => {
            format!(
                "run-to-run variation of {percent} % assumed (the runs differ by no more than sampling does)"
            )
        }
        assumed => {
            format!("run-to-run variation of {percent} % ({assumed:.0} % of that assumed, the rest measured)")
        }
    }
}

fn detectable_text(noise: &NoiseSummary) -> Option<String> {
    let at = |(share, change): &(f64, Option<f64>)| match change {
        Some(change) => format!("{} at {share} %", fixed(*change, 2)),
        None => format!("none at {share} %"),
    };
    let texts: Vec<String> = noise.detectable.iter().map(at).collect();
    (!texts.is_empty()).then(|| {
        format!("smallest detectable growth in points (90 % power even if nothing else changed), by share before: {}", texts.join(", "))
    })
}

fn drift_text(names: &[String]) -> String {
    let named = some_of(names);
    format!(
        "shares drift over seconds, so their noise is understated and a change may come from the load: {named}"
    )
}

fn phases_text(names: &[String]) -> String {
    let named = some_of(names);
    format!(
        "shares vary at least 3 times as much inside the runs as between them, so the load runs in phases that every run repeats; \
         record the same phases in all runs: {named}"
    )
}

fn some_of(names: &[String]) -> String {
    let named: Vec<_> = names.iter().take(NAMED).map(|name| cut_middle(name, LONGEST_NAME)).collect();
    match names.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_of_the_variation_is_told() {
        assert!(measured_text(0.05, 0.0).ends_with("5.0 % measured"));
        assert!(measured_text(0.05, 0.4).ends_with("(40 % of that assumed, the rest measured)"));
        assert!(measured_text(0.05, 1.0).contains("5.0 % assumed (the runs differ by no more than sampling"));
    }
}
