//! The heading of an attribution: the runs, their design and noise, and the gap at both ends.

use pdiff_profile::PerSide;
use pdiff_study::ablation::{Attribution, Factor, GapAt, NoiseSource};

use super::PLACES;
use crate::attribution::view::{AttributionView, bounds, value};
use crate::document::number::{fixed, grouped};
use crate::document::{Block, Line, Tone};

/// What was measured, how noisy it is, and the gap with nothing and with everything changed.
pub(super) fn heading(view: &AttributionView<'_>) -> Vec<Block> {
    let of = view.attribution;
    let order = if view.chosen { "" } else { ", in order of their names; --base and --target choose" };
    let mut blocks = vec![
        Line::block(
            "runs",
            format!("{}: {} runs; base {}, target {}{order}", of.path, of.design.runs, of.base, of.target),
        ),
        Line::block("design", design_words(of)),
        Line::block("noise", noise_text(of)),
    ];
    for (label, what, gap) in
        [("gap", "with nothing changed", &of.baseline), ("end", "with every factor changed", &of.end)]
    {
        let text = match gap {
            Some(gap) => format!("{}: {}", what, gap_text(of, gap)),
            None => format!("{what}: not measured"),
        };
        blocks.push(Line::toned(label, text, Tone::Strong));
    }
    blocks
}

/// A gap in percent, with its interval and the throughputs.
pub(crate) fn gap_text(of: &Attribution, gap: &GapAt) -> String {
    let interval = match gap.pct.interval {
        Some(_) => format!(" (95 % {})", bounds(&gap.pct, PLACES)),
        None => String::new(),
    };
    let noise = if gap.pct.is_within_noise() { ", within noise" } else { "" };
    format!(
        "{} %{interval}{noise}; {} {} -> {} {}",
        value(&gap.pct, PLACES),
        of.base,
        metric(of, gap.before),
        metric(of, gap.after),
        of.metric
    )
}

/// A throughput in the unit of the runs.
pub(super) fn metric(of: &Attribution, throughput: f64) -> String {
    let measured = of.metric.from_throughput(throughput);
    match measured {
        _ if !(1e-3..1e15).contains(&measured) => format!("{measured:.3e}"),
        _ if measured >= 1000.0 => grouped(measured.round() as u64),
        _ => fixed(measured, 3),
    }
}

fn design_words(of: &Attribution) -> String {
    let design = &of.design;
    let kind = match (
        design.is_full && design.settings == design.possible,
        design.has_path,
        design.has_each_alone,
    ) {
        (true, _, _) => "full factorial",
        (false, true, true) => "cumulative path and each factor alone",
        (false, true, false) => "cumulative path",
        (false, false, true) => "each factor alone",
        (false, false, false) => "part of a factorial",
    };
    let mut text = format!(
        "{kind}: {} cells of {}, {} of {}; both builds under {} of {} settings",
        design.cells.0, of.base, design.cells.1, of.target, design.settings, design.possible
    );
    for factor in &of.factors {
        if !(factor.in_base && factor.in_target) {
            let has = if factor.in_base { &of.base } else { &of.target };
            text.push_str(&format!("; {} in {has} only", factor.name));
        }
    }
    text
}

fn noise_text(of: &Attribution) -> String {
    match &of.noise {
        NoiseSource::None => {
            "one run per cell, so noise is unknown and there are no intervals; hint: repeat the runs (--columns replicate=NAME)"
                .to_owned()
        }
        NoiseSource::Pooled {
            sd,
            df,
            plots,
            blocks,
            left_out,
            weighted,
            sd_of_builds,
            unnamed_restart,
        } => {
            let mut text =
                format!("log throughput varies by {} between runs of a cell ({df:.0} degrees of freedom)", fixed(*sd, 3));
            let unnamed = |at: usize| unnamed_restart.has(at);
            let needs_restart = |(at, factor): &(usize, &Factor)| factor.restart || unnamed(*at);
            let names: Vec<&str> = of
                .factors
                .iter()
                .enumerate()
                .filter(needs_restart)
                .map(|(_, factor)| factor.name.as_str())
                .collect();
            if let Some(PerSide { before: base, after: target }) = sd_of_builds {
                text.push_str(&format!(
                    ", {} of {} and {} of {}",
                    fixed(*base, 3),
                    of.base,
                    fixed(*target, 3),
                    of.target
                ));
            }
            match (plots, !names.is_empty()) {
                (Some(plots), _) => {
                    text.push_str(&format!(
                        ", and by {} more between restarts ({}; {:.0})",
                        fixed(plots.sd, 3),
                        names.join(", "),
                        plots.df
                    ));
                }
                (None, true) => text.push_str("; restarts cannot be separated from runs here: intervals may be too narrow"),
                (None, false) => text.push_str("; runs are assumed independent, see --restart"),
            }
            match blocks {
                Some(blocks) => text.push_str(&format!("; {blocks} repeats as blocks")),
                None => text.push_str("; cells have different repeats, so repeats are not blocks"),
            }
            if *weighted {
                text.push_str("; weighted least squares, since runs are missing or one build varies more");
            }
            if unnamed_restart.count() > 0 {
                text.push_str(&format!(
                    "; runs with the same {} in one repeat are alike, so these factors are assumed to need a restart; name those that do with --restart",
                    names.join(", ")
                ));
            }
            if !left_out.is_empty() {
                text.push_str(&format!("; left out because some cell lacks it: repeat {}", left_out.join(", ")));
            }
            text
        }
    }
}
