//! A second event beside the one compared: whether a function does more, or the same more slowly. Events are never added up.

use std::collections::HashMap;

use pdiff_profile::{PerSide, Side};

use super::comparison::{Comparison, RunSummary};
use super::cost_parts::{Beside, BesideRow, CostParts};
use super::gap::assumed_log_half;
use super::row::Row;
use crate::noise::{OfRun, common_shift, critical_t, median};

/// The variation of a count of one operation from run to run that is taken for granted where a side has one run: the same work
/// takes the same instructions, but for spinning and retries.
const ASSUMED_CV_OF_COUNTS: f64 = 0.03;

/// Divides the costs of a comparison by the counts of another event, of the same recordings and with the same filters. `None` if
/// operations are not known on both sides.
///
/// `assumed_cv` is the variation of a price between runs that is taken for granted where a side has one run.
#[must_use]
pub fn beside(of: &Comparison, counts: &Comparison, assumed_cv: f64) -> Option<Beside> {
    let per_op = of.cost.as_ref()?.per_op;
    let half = |per_run: fn(&RunSummary, &RunSummary) -> f64, assumed: f64| {
        between_runs(of, counts, per_run).unwrap_or_else(|| assumed_log_half(assumed))
    };
    // Operations of single runs are not at hand; a run's rate of counts varies at least as much as its counts per operation.
    let count_half =
        half(|_, count| count.weight.as_f64() / count.span_s.unwrap_or(1.0), ASSUMED_CV_OF_COUNTS);
    let price_half = half(|cost, count| cost.weight.as_f64() / count.weight.as_f64(), assumed_cv);
    let divided = |weights: [PerSide<f64>; 2], halves: [f64; 2]| {
        let [cost_weight, count_weight] = weights;
        let weight = |side: Side| of.side(side).weight.as_f64();
        let cost = PerSide {
            before: per_op.before * cost_weight.before / weight(Side::Before),
            after: per_op.after * cost_weight.after / weight(Side::After),
        };
        let count = PerSide {
            before: cost.before * count_weight.before / cost_weight.before,
            after: cost.after * count_weight.after / cost_weight.after,
        };
        CostParts::new(cost, count, halves)
    };
    let whole = |comparison: &Comparison| PerSide {
        before: comparison.before.weight.as_f64(),
        after: comparison.after.weight.as_f64(),
    };
    let self_weight = |row: &Row| PerSide {
        before: row.before.self_weight.as_f64(),
        after: row.after.self_weight.as_f64(),
    };
    let has_replicates = Side::BOTH.iter().all(|side| of.side(*side).runs.len() > 1);
    let of_counts: HashMap<_, &Row> = counts.rows.iter().map(|row| (identity(row), row)).collect();
    let mut own_halves = Vec::new();
    let rows = of.rows.iter().filter_map(|row| {
        let other = *of_counts.get(&identity(row))?;
        // Of single runs the variation of counts and prices is taken for granted above: what is left is sampling.
        let sampled = sampling_half(other)?;
        let shares = if has_replicates { share_half(other)? } else { sampled };
        let own_price_half = sampling_half(row)?.hypot(sampled);
        let halves = [count_half.hypot(shares), price_half.hypot(own_price_half)];
        let parts = divided([row, other].map(self_weight), halves)?;
        own_halves.push(own_price_half);
        Some(BesideRow { name: row.name.to_string(), object: row.object.to_string(), parts })
    });
    let mut rows: Vec<BesideRow> = rows.collect();
    mark_own_prices(&mut rows, &own_halves);
    let event = |comparison: &Comparison| {
        let runs = comparison.after.runs.first().or(comparison.before.runs.first());
        runs.map_or_else(String::new, |run| run.event.clone())
    };
    Some(Beside {
        event: event(of),
        beside: event(counts),
        whole: divided([of, counts].map(whole), [count_half, price_half]),
        rows,
    })
}

/// Fewer rows do not tell what is typical.
const LEAST_ROWS: usize = 4;

/// Marks the rows whose price changed beyond that of the median row.
fn mark_own_prices(rows: &mut [BesideRow], halves: &[f64]) {
    if rows.len() < LEAST_ROWS {
        return;
    }
    let log_price = |row: &BesideRow| row.parts.price_ratio.value.ln();
    let typical = median(&mut rows.iter().map(log_price).collect::<Vec<f64>>());
    for (row, half) in rows.iter_mut().zip(halves) {
        let beyond = log_price(row) - typical;
        let is_beyond = beyond.abs() > half.hypot(assumed_log_half(ASSUMED_CV_OF_COUNTS));
        row.parts.is_price_own = is_beyond && beyond * log_price(row) > 0.0;
    }
}

/// The identity of a function in both comparisons.
fn identity(row: &Row) -> (&str, &str, Option<&str>) {
    (&row.name, &row.object, row.file.as_deref())
}

/// Half of the 95 % interval of ln(after / before) of a number of runs, from its variation between them; `None` with one run on a
/// side.
fn between_runs(
    of: &Comparison,
    counts: &Comparison,
    number: impl Fn(&RunSummary, &RunSummary) -> f64,
) -> Option<f64> {
    let numbers = |side: Side| -> Vec<OfRun> {
        let runs = of.side(side).runs.iter().zip(&counts.side(side).runs);
        runs.map(|(of, counts)| OfRun { host: None, value: number(of, counts) }).collect()
    };
    let [before, after] = Side::BOTH.map(numbers);
    if before.len().min(after.len()) < 2 {
        return None;
    }
    let (low, high) = common_shift(&before, &after)?.interval?;
    Some((high - low) / 2.0)
}

/// Half of the 95 % interval of the logarithm of the ratio of a row's shares: both sides are taken to vary alike.
fn share_half(row: &Row) -> Option<f64> {
    let (before, after) = (row.before.self_pct, row.after.self_pct);
    let relative = row.se_pp / before.hypot(after);
    let half = critical_t(0.05, row.degrees_of_freedom) * std::f64::consts::SQRT_2 * relative;
    half.is_finite().then_some(half)
}

/// Half of the 95 % interval of the logarithm of the ratio of two counts of samples.
fn sampling_half(row: &Row) -> Option<f64> {
    let part = |side: Side| 1.0 / row.side(side).samples as f64;
    let half = critical_t(0.05, f64::INFINITY) * (part(Side::Before) + part(Side::After)).sqrt();
    half.is_finite().then_some(half)
}

#[cfg(test)]
mod tests {
    use super::super::cost_parts::Interval;
    use super::*;

    fn parts(after: f64) -> CostParts {
        let pair = |before, after| PerSide { before, after };
        CostParts::new(pair(1.0, after), pair(1.0, 1.0), [0.05, 0.07]).unwrap()
    }

    #[test]
    fn a_price_that_the_typical_row_does_not_have_is_the_rows_own() {
        let row = |after: f64| BesideRow {
            name: String::new(),
            object: String::new(),
            parts: CostParts { price_ratio: Interval { value: after, low: 0.5, high: 2.0 }, ..parts(after) },
        };
        let own = |prices: &[f64]| {
            let mut rows: Vec<BesideRow> = prices.iter().map(|price| row(*price)).collect();
            mark_own_prices(&mut rows, &vec![0.05; prices.len()]);
            rows.iter().map(|row| row.parts.is_price_own).collect::<Vec<_>>()
        };
        assert_eq!(own(&[1.0, 1.5, 1.01, 0.99]), [false, true, false, false]);
        // The machine was slow.
        assert_eq!(own(&[1.5, 1.5, 1.5, 1.5]), [false; 4]);
        assert_eq!(own(&[1.0, 1.5, 1.0]), [false; 3]);
    }
}
