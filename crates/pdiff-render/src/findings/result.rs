//! The result of a comparison in sentences: the change of throughput and of CPU per operation.

use std::borrow::Cow;

use pdiff_analysis::{Comparison, Cost, FindingKind, Gap, Row, SideSummary};

use crate::document::number::{CostUnit, fixed, grouped, interval, percent_of_log, signed};
use crate::document::visible_text::visible;
use crate::findings::rest::outside;

/// A change of cost without an interval that is worth telling, on a log scale: a tenth.
const UNSURE_COST_LOG: f64 = 0.1;

/// Busy waiting below this many percent of CPU does not change how costs read.
const LEAST_POLLING_PCT: f64 = 5.0;

/// What is compared if operations are not known.
pub(super) fn basis_of_shares(comparison: &Comparison) -> String {
    format!(
        "shares of {}, because operations are not known: give --windows, or --operations-before and --operations-after, to see what \
         an operation costs",
        measured(comparison)
    )
}

/// What shares are shares of.
pub(crate) fn measured(comparison: &Comparison) -> Cow<'_, str> {
    visible(comparison.measured())
}

pub(super) fn result_text(comparison: &Comparison) -> String {
    let (before, after) = (&comparison.before.label, &comparison.after.label);
    match (&comparison.cost, comparison.cost.as_ref().and_then(|cost| cost.gap.as_ref())) {
        (Some(cost), Some(gap)) => {
            let throughput = throughput_text(before, after, gap, runs_text(comparison));
            // Where operations/s say nothing, as of a fixed amount of work on a busy machine, the cost is the result.
            let is_told_by_cost = match cost.log_interval {
                Some(interval) => excludes_zero(interval),
                None => cost.log_ratio.abs() >= UNSURE_COST_LOG,
            };
            if excludes_zero(gap.interval_pct) || !is_told_by_cost {
                return throughput;
            }
            let unsure =
                if cost.log_interval.is_none() { ", but how much of that is noise is not known" } else { "" };
            format!("{}{unsure}; {throughput}", cost_change_text(comparison, cost))
        }
        (Some(cost), None) => cost_change_text(comparison, cost),
        (None, _) if comparison.has_nothing_in_common() => {
            format!("what changed between {before} and {after} is not known: the sides cannot be compared")
        }
        (None, _) => share_text(comparison),
    }
}

fn cost_change_text(comparison: &Comparison, cost: &Cost) -> String {
    let (before, after) = (&comparison.before.label, &comparison.after.label);
    let change = percent_of_log(cost.log_ratio);
    let more = if change < 0.0 { "less" } else { "more" };
    let what = measured(comparison);
    format!("an operation costs {} % {more} {what} in {after} than in {before}", fixed(change.abs(), 1))
}

fn excludes_zero((low, high): (f64, f64)) -> bool {
    low > 0.0 || high < 0.0
}

/// Without operations: the first part that is one place.
fn share_text(comparison: &Comparison) -> String {
    let (before, after) = (&comparison.before.label, &comparison.after.label);
    let (list, what) = (&comparison.findings.list, measured(comparison));
    // A share of CPU in a function is that of one place: spread parts are only some of the places below theirs.
    let Some(first) = list.iter().find(|finding| finding.kind != FindingKind::Spread) else {
        if let Some(row) = changed_row(comparison).filter(|_| list.is_empty()) {
            return format!(
                "{after} spends {} % of {what} in {}, {before} {} %: the largest change of a row",
                fixed(row.after.self_pct, 1),
                visible(&row.name),
                fixed(row.before.self_pct, 1),
            );
        }
        return match list.len() {
            0 if has_few_samples(comparison) => {
                format!("what changed between {before} and {after} is not known: {}", few_samples(comparison))
            }
            0 => format!("{after} spends its {what} on the same parts as {before}, as far as noise shows"),
            _ => format!("{after} spends its {what} on other parts than {before}, in many small changes"),
        };
    };
    // With what it calls, a function may vary too much to be a part.
    if let Some((row, _)) = outside(comparison).filter(|(_, left)| *left > first.delta_pp().abs()) {
        return format!(
            "{after} spends {} % of {what} in {} itself, {before} {} %: the largest growth of a function",
            fixed(row.after.self_pct, 1),
            visible(&row.name),
            fixed(row.before.self_pct, 1),
        );
    }
    format!(
        "{after} spends {} % of {what} in {}, {before} {} %: the largest {} in one place",
        fixed(first.after.pct, 1),
        visible(&first.name),
        fixed(first.before.pct, 1),
        if first.delta_pp() > 0.0 { "growth" } else { "drop" }
    )
}

/// Fewer samples of a side show no change but that of the whole program.
const FEW_SAMPLES: u64 = 100;

/// Whether that nothing was found says nothing.
pub(super) fn has_few_samples(comparison: &Comparison) -> bool {
    comparison.noise.tests == 0 || comparison.before.samples.min(comparison.after.samples) < FEW_SAMPLES
}

/// Why nothing was found.
pub(super) fn few_samples(comparison: &Comparison) -> String {
    let (before, after) = (comparison.before.samples, comparison.after.samples);
    format!("too few samples, {} before and {} after", grouped(before), grouped(after))
}

/// The significant row that changed most.
fn changed_row(comparison: &Comparison) -> Option<&Row> {
    comparison.rows.iter().find(|row| row.significant)
}

fn throughput_text(before: &str, after: &str, gap: &Gap, runs: String) -> String {
    let (low, high) = gap.interval_pct;
    let assumed = if gap.assumed { ", run-to-run variation assumed" } else { "" };
    let numbers = format!(
        "{} -> {} ({} %, 95 % interval {}; {runs}{assumed})",
        rate(gap.tps.before),
        rate(gap.tps.after),
        signed(gap.gap_pct, 1),
        interval((low, high), 0),
    );
    let size = gap.gap_pct.abs();
    let size = fixed(size, if size < 1.0 { 2 } else { 0 });
    let is_nothing = size.parse() == Ok(0.0);
    match (low > 0.0 && !is_nothing, high < 0.0 && !is_nothing) {
        (_, true) => format!("{after} completes {size} % fewer operations/s than {before}: {numbers}"),
        (true, _) => format!("{after} completes {size} % more operations/s than {before}: {numbers}"),
        _ => format!(
            "{after} completes neither clearly more nor clearly fewer operations/s than {before}: {numbers}"
        ),
    }
}

/// A rate as a whole number, with decimals where it is small; rates are positive and far below 2^53.
fn rate(rate: f64) -> String {
    match rate {
        ..10.0 => fixed(rate, 2),
        ..100.0 => fixed(rate, 1),
        _ => grouped(rate.round().max(0.0) as u64),
    }
}

fn runs_text(comparison: &Comparison) -> String {
    match (comparison.before.runs.len(), comparison.after.runs.len()) {
        (1, 1) => "one run a side".to_owned(),
        (before, after) if before == after => format!("{before} runs a side"),
        (before, after) => format!("{before} and {after} runs"),
    }
}

pub(super) fn cost_text(comparison: &Comparison, cost: &Cost) -> String {
    let unit = CostUnit::of(cost);
    let what = if cost.is_time { "CPU" } else { "of the event" };
    let noise = match cost.log_interval {
        Some((low, high)) => {
            format!(", 95 % interval {}", interval((percent_of_log(low), percent_of_log(high)), 1))
        }
        None => String::new(),
    };
    let cores = cost.gap.map_or_else(String::new, |gap| {
        format!(" on {} -> {} cores", fixed(gap.cores.before, 1), fixed(gap.cores.after, 1))
    });
    let lacks = match cost.cpu_coverage.filter(|_| cost.lacks_cpu) {
        Some(part) => format!(
            "; only sampled CPU counts, {} % of what was measured before, {} % after",
            fixed(100.0 * part.before, 0),
            fixed(100.0 * part.after, 0)
        ),
        None => String::new(),
    };
    let text = format!(
        "{} -> {} {} {what} per operation ({} %{noise}){cores}{lacks}{}",
        unit.fixed(cost.per_op.before),
        unit.fixed(cost.per_op.after),
        unit.name,
        signed(percent_of_log(cost.log_ratio), 1),
        polling_text(comparison)
    );
    text.replace("  ", " ")
}

/// Busy waiting, where there is enough of it to change how costs read.
fn polling_text(comparison: &Comparison) -> String {
    let (before, after) = (comparison.before.spin_pct, comparison.after.spin_pct);
    if before.max(after) < LEAST_POLLING_PCT {
        return String::new();
    }
    let known = [&comparison.after, &comparison.before].map(has_code);
    let at_least = |is_known: bool| if is_known { "" } else { "at least " };
    let hint =
        if known == [true, true] { "" } else { " (recognised by name; give binaries to find the rest)" };
    // Where polling is known on one side alone, what is left is not comparable.
    let without =
        comparison.cost.as_ref().filter(|_| known == [true, true]).map_or_else(String::new, |cost| {
            let (unit, left) = (CostUnit::of(cost), cost.per_op_without_spin);
            let change = 100.0 * (left.after / left.before - 1.0);
            format!(
                ", without it {} -> {} ({} %)",
                unit.fixed(left.before),
                unit.fixed(left.after),
                signed(change, 1)
            )
        });
    format!(
        "; {}{} -> {}{} % of CPU is polling{without}{hint}",
        at_least(known[1]),
        fixed(before, 1),
        at_least(known[0]),
        fixed(after, 1)
    )
}

/// Whether the code of a side's program was read: loops that busy-wait are found in it, while names tell a few only.
pub(crate) fn has_code(of: &SideSummary) -> bool {
    let program = of.objects.iter().find(|object| !object.path.contains(".so"));
    program.is_none_or(|program| program.object_id.is_some())
}

#[cfg(test)]
mod tests {
    use crate::compare::sample;

    #[test]
    fn a_cost_that_changed_is_the_result_where_operations_per_second_did_not() {
        let text = |interval_pct, log_interval| {
            let mut of = sample::full();
            let cost = of.cost.as_mut().unwrap();
            cost.log_interval = log_interval;
            cost.gap.as_mut().unwrap().interval_pct = interval_pct;
            super::result_text(&of)
        };
        let noisy = text((-22.0, 79.0), Some((0.1, 0.4)));
        assert!(
            noisy.starts_with(
                "an operation costs 31.0 % more CPU in 80 than in 57; 80 completes neither clearly more nor clearly fewer"
            ),
            "{noisy}"
        );
        assert!(
            text((-40.0, -22.0), Some((0.1, 0.4)))
                .starts_with("80 completes 32 % fewer operations/s than 57: ")
        );
        let unsure = text((-22.0, 79.0), Some((-0.1, 0.4)));
        assert!(
            unsure.starts_with("80 completes neither clearly more nor clearly fewer operations/s than 57")
        );
        // With one run a side, the text says the cost, and that it may be noise.
        let one_run = text((-22.0, 79.0), None);
        assert!(
            one_run
                .contains("31.0 % more CPU in 80 than in 57, but how much of that is noise is not known; 80")
        );
    }

    #[test]
    fn a_small_gap_has_its_digits_and_none_is_no_difference() {
        let text = |gap_pct, interval_pct| {
            let gap =
                pdiff_analysis::Gap { gap_pct, interval_pct, ..sample::full().cost.unwrap().gap.unwrap() };
            super::throughput_text("a", "b", &gap, String::new())
        };
        assert!(text(-0.4, (-0.5, -0.3)).starts_with("b completes 0.40 % fewer operations/s than a"));
        assert!(
            text(0.0, (-1e-9, -1e-12))
                .starts_with("b completes neither clearly more nor clearly fewer operations/s than a")
        );
    }

    #[test]
    fn a_side_with_few_samples_is_not_said_to_be_like_the_other() {
        let mut of = pdiff_analysis::Comparison { cost: None, ..sample::full() };
        of.rows.iter_mut().for_each(|row| row.significant = false);
        assert!(super::result_text(&of).contains("on the same parts as"));
        of.before.samples = 5;
        let text = super::result_text(&of);
        assert!(text.ends_with("is not known: too few samples, 5 before and 10,000 after"), "{text}");
    }
}
