//! What no part holds, where that is a large part of the change: whether it is many places or what all have in common.

use pdiff_analysis::{Comparison, Cost};

use crate::document::number::{CostUnit, signed};
use crate::document::{Block, Line};

/// The part of the whole change from which it is told what the rest is.
const LEAST_PART: f64 = 0.2;

/// The part of the rest's change, as logarithms, that the median place must have changed, so that it is most of it.
const MOST: f64 = 0.5;

/// Says that most of what the parts leave is a change of all places, where it is.
pub(super) fn shared(comparison: &Comparison) -> Option<Block> {
    let (cost, rest) = (comparison.cost.as_ref()?, &comparison.findings.rest);
    let (before, after) = (rest.before.per_op?, rest.after.per_op?);
    let whole = cost.per_op.after - cost.per_op.before;
    let (median, of_rest) = (rest.median_cost_ratio?.ln(), (after / before).ln());
    let is_large = (after - before) / whole >= LEAST_PART;
    let is_most = median / of_rest >= MOST;
    (is_large && is_most).then(|| Line::block("all else", text(cost, (before, after), median.exp())))
}

fn text(cost: &Cost, (before, after): (f64, f64), median: f64) -> String {
    let unit = CostUnit::of(cost);
    let percent = |ratio: f64| signed(100.0 * (ratio - 1.0), 0);
    format!(
        "{} -> {} {} ({} %), and the median place of the program {} %: most of it is no single place, but what all code \
         shares, such as the machine, its load, or the compiler and its options",
        unit.fixed(before).trim(),
        unit.fixed(after).trim(),
        unit.name,
        percent(after / before),
        percent(median),
    )
}

#[cfg(test)]
mod tests {
    use crate::compare::sample;

    #[test]
    fn what_all_places_share_is_told_where_it_is_most_of_the_rest() {
        let mut of = sample::with_findings();
        let told = |of: &pdiff_analysis::Comparison| super::shared(of).is_some();
        of.findings.rest.median_cost_ratio = Some(1.5);
        // The rest costs less, the median place more.
        assert!(!told(&of));
        of.findings.rest.before.per_op = Some(20_000.0);
        of.findings.rest.after.per_op = Some(30_000.0);
        assert!(told(&of));
        of.findings.rest.median_cost_ratio = Some(1.1);
        assert!(!told(&of));
        // Little of the change is left.
        of.findings.rest.median_cost_ratio = Some(1.5);
        of.findings.rest.before.per_op = Some(28_000.0);
        assert!(!told(&of));
    }
}
