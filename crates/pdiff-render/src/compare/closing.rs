//! Totals of the rows: cost per operation, the throughput gap and its parts, busy waiting.

use pdiff_analysis::{CPU_SCALE_TOLERANCE, Comparison, Cost, Gap, Pair};

use crate::document::number::{CostUnit, fixed, interval, percent_of_log, signed};
use crate::document::{Block, Line, Tone};
use crate::findings::result::has_code;

/// A share of busy waiting below this many percent prints as nothing.
const LEAST_SPIN_PCT: f64 = 0.005;

/// The lines below the rows.
pub(crate) fn blocks(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = Vec::new();
    match &comparison.cost {
        Some(cost) => {
            blocks.push(cost_line(cost));
            blocks.extend(as_counted_line(cost));
            blocks.extend(coverage_line(cost));
            blocks.extend(scale_line(cost));
            blocks.push(gap_line(cost.gap.as_ref()));
            blocks.extend(cost.gap.as_ref().and_then(uncertain_gap_line));
        }
        None => blocks.push(Line::block(
            "cost",
            "operations are unknown: give --tps-before/--tps-after to get cost per operation",
        )),
    }
    blocks.extend(spin_line(comparison));
    blocks
}

fn cost_line(cost: &Cost) -> Block {
    let unit = CostUnit::of(cost);
    let what = if cost.is_time { "CPU" } else { "of the event" };
    let without = cost.per_op_without_spin;
    let spins = without != cost.per_op;
    let without = if spins {
        format!(
            "; without busy waiting {} -> {}{}",
            unit.fixed(without.before),
            unit.fixed(without.after),
            change(without)
        )
    } else {
        String::new()
    };
    let noise = match cost.log_interval {
        Some((low, high)) => format!(" (95 % {})", interval((percent_of_log(low), percent_of_log(high)), 1)),
        None => String::new(),
    };
    let [before, after] = [unit.fixed(cost.per_op.before), unit.fixed(cost.per_op.after)];
    let text = format!(
        "{before} -> {after} {} {what} per operation: {} %{noise}{without}",
        unit.name,
        signed(percent_of_log(cost.log_ratio), 1)
    );
    Line::block("cost", text.replace("  ", " "))
}

fn change(pair: Pair) -> String {
    format!(" ({} %)", signed(100.0 * (pair.after / pair.before - 1.0), 1))
}

/// The other reading of the cost, where nothing tells which operations belong to the samples.
fn as_counted_line(cost: &Cost) -> Option<Block> {
    let other = cost.per_op_as_counted?;
    let unit = CostUnit::of(cost);
    let text = format!(
        "{} -> {} {} per operation{} if the program was idle outside the samples' span; --cpu-seconds-before/-after \
         decide which is right",
        unit.fixed(other.before),
        unit.fixed(other.after),
        unit.name,
        change(other)
    );
    Some(Line::toned("or", text, Tone::Warning))
}

/// How much of the measured CPU was sampled.
fn coverage_line(cost: &Cost) -> Option<Block> {
    let Pair { before, after } = cost.cpu_coverage?;
    let off = (before - 1.0).abs().max((after - 1.0).abs());
    let text = format!(
        "{} % before, {} % after of the CPU seconds measured",
        fixed(100.0 * before, 1),
        fixed(100.0 * after, 1)
    );
    (off > CPU_SCALE_TOLERANCE).then(|| Line::block("sampled", text))
}

fn scale_line(cost: &Cost) -> Option<Block> {
    let Pair { before, after } = cost.cpu_scale;
    let off = (before - 1.0).abs().max((after - 1.0).abs());
    let tone = if off > CPU_SCALE_TOLERANCE { Tone::Warning } else { Tone::Plain };
    let text = format!(
        "costs are scaled to the measured CPU seconds: x{} before, x{} after",
        fixed(before, 3),
        fixed(after, 3)
    );
    (off > 0.0).then(|| Line::toned("scaled", text, tone))
}

fn gap_line(gap: Option<&Gap>) -> Block {
    let Some(gap) = gap else {
        return Line::block("gap", "the CPU used is unknown, so the throughput gap is not divided up");
    };
    let assumed = if gap.assumed { ", run-to-run variation assumed" } else { "" };
    let parts = match &gap.parts {
        Some(parts) => {
            let outside = match parts.outside_filter_pct {
                0.0 => String::new(),
                outside => format!(", {} % in what the filter leaves out", fixed(outside, 1)),
            };
            format!(
                "of that, {} % is in rows that changed beyond noise, {} % in other rows, {} % in code without names, {} % in the number \
                 of cores used{outside}",
                fixed(parts.explained_pct, 1),
                fixed(parts.not_significant_pct, 1),
                fixed(parts.unresolved_pct, 1),
                fixed(parts.utilisation_pct, 1)
            )
        }
        None => "the gap is not significant, so it is not divided up".to_owned(),
    };
    let text = format!(
        "{} % operations/s (95 % {}{assumed}): {parts}; {} -> {} operations/s on {} -> {} cores",
        signed(gap.gap_pct, 1),
        interval(gap.interval_pct, 1),
        fixed(gap.tps.before, 0),
        fixed(gap.tps.after, 0),
        fixed(gap.cores.before, 2),
        fixed(gap.cores.after, 2),
    );
    Line::toned("gap", text, Tone::Strong)
}

/// A warning beside shares of a gap that is hardly more than noise.
fn uncertain_gap_line(gap: &Gap) -> Option<Block> {
    let text = "the gap may be less than half of what was measured, and functions' shares of it \
                are less certain than their intervals say; record more runs";
    gap.barely_significant.then(|| Line::toned("!", text, Tone::Warning))
}

/// Busy waiting: not a threshold for savings.
fn spin_line(comparison: &Comparison) -> Option<Block> {
    let (before, after) = (comparison.before.spin_pct, comparison.after.spin_pct);
    let least = |side| if has_code(side) { "" } else { "at least " };
    let worth = 100.0 * (1.0 / (1.0 - after / 100.0) - 1.0);
    let worth = match has_code(&comparison.after) {
        true => format!("; removing the spinning gains at most {} %", signed(worth, 1)),
        false => String::new(),
    };
    let text = format!(
        "{}{} % of CPU is busy waiting after, {}{} % before: CPU saved outside the awaited section may turn into more \
         spinning{worth}",
        least(&comparison.after),
        fixed(after, 2),
        least(&comparison.before),
        fixed(before, 2),
    );
    (LEAST_SPIN_PCT..100.0).contains(&after).then(|| Line::block("waiting", text))
}
