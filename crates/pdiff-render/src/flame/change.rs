//! How much a frame changed, in the terms asked for, and whether that is more than noise.

use pdiff_analysis::noise::{Floor, RunVariation};
use pdiff_analysis::{Comparison, Cost, FrameChange, Quantities, Row, TreeNode, assumed_log_half};
use pdiff_profile::PerSide;

use super::{FlameColor, FlameInput, FlameTerms};

/// The terms of one picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms<'a> {
    color: FlameColor,
    cost: Option<&'a Cost>,
    /// Half of the 95 % interval of the logarithm of the cost per operation.
    cost_half: f64,
    /// The smallest change that matters.
    floor: Floor,
    side_weights: PerSide<u64>,
    /// How many halves of its interval a change per operation must have to be beyond noise: more than one, because there
    /// are many frames.
    cut: f64,
}

/// The false discovery rate among a picture's frames.
const FALSE_DISCOVERY_RATE: f64 = 0.05;

/// Halves of an interval of 95 % in standard errors.
const HALF_IN_ERRORS: f64 = 1.96;

/// A frame's measure on both sides, and what can be said of the change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Change {
    pub(super) before: f64,
    pub(super) after: f64,
    /// Half of the 95 % interval of the change.
    pub(super) half: f64,
    pub(super) significant: bool,
}

impl Change {
    pub(super) fn delta(self) -> f64 {
        self.after - self.before
    }
}

impl<'a> Terms<'a> {
    pub(super) fn new(
        comparison: &'a Comparison,
        tree_weights: PerSide<u64>,
        options: (FlameColor, FlameTerms),
    ) -> Self {
        let (color, terms) = options;
        let cost = comparison.cost.as_ref().filter(|_| terms == FlameTerms::PerOperation);
        let (RunVariation::Assumed { cv } | RunVariation::Measured { cv, .. }) =
            comparison.noise.run_variation;
        let measured = |cost: &Cost| cost.log_interval.map(|(low, high)| (high - low) / 2.0);
        let cost_half = cost.map_or(0.0, |cost| measured(cost).unwrap_or_else(|| assumed_log_half(cv)));
        Self { color, cost, cost_half, floor: comparison.noise.floor, side_weights: tree_weights, cut: 1.0 }
    }

    /// The same, with the false discovery rate kept over some frames (Benjamini-Hochberg).
    pub(super) fn of_frames(mut self, nodes: &[TreeNode]) -> Self {
        if self.cost.is_none() {
            return self;
        }
        let changes = nodes.iter().filter(|node| node.parent.is_some()).filter_map(|node| self.change(node));
        let halves =
            changes.filter(|change| change.half > 0.0).map(|change| change.delta().abs() / change.half);
        let mut halves: Vec<f64> = halves.collect();
        halves.sort_by(|a, b| b.total_cmp(a));
        let count = halves.len() as f64;
        let passes = |(at, half): (usize, &f64)| {
            let rate = FALSE_DISCOVERY_RATE * (at + 1) as f64 / count;
            (two_sided_p(half * HALF_IN_ERRORS) <= rate).then_some(*half)
        };
        let least = halves.iter().enumerate().filter_map(passes).next_back();
        self.cut = least.or_else(|| halves.first().map(|most| most * 2.0)).unwrap_or(1.0).max(1.0);
        self
    }

    /// The cost of an operation, where frames are coloured by it.
    pub(super) fn cost(&self) -> Option<&'a Cost> {
        self.cost
    }

    pub(super) fn color(&self) -> FlameColor {
        self.color
    }

    /// The change that gives a frame's colour; `None` where nothing was judged.
    pub(super) fn change(&self, node: &TreeNode) -> Option<Change> {
        let changes = node.changes?;
        let of = match self.color {
            FlameColor::OwnSelf => changes.of_self,
            FlameColor::Total => changes.of_total,
        };
        Some(match self.cost {
            None => Change {
                before: of.before_pct,
                after: of.after_pct,
                half: (of.ci_high_pp - of.ci_low_pp) / 2.0,
                significant: of.significant,
            },
            Some(cost) => self.per_operation(node, &of, cost),
        })
    }

    fn per_operation(&self, node: &TreeNode, of: &FrameChange, cost: &Cost) -> Change {
        let weights = match self.color {
            FlameColor::OwnSelf => [node.before.self_weight, node.after.self_weight],
            FlameColor::Total => [node.before.total_weight, node.after.total_weight],
        };
        let PerSide { before: before_weight, after: after_weight } = self.side_weights;
        let per_op = |weight: u64, side: u64, cost: f64| {
            if side == 0 { 0.0 } else { weight as f64 / side as f64 * cost }
        };
        let before = per_op(weights[0], before_weight, cost.per_op.before);
        let after = per_op(weights[1], after_weight, cost.per_op.after);
        self.judged(cost, (before, after), (of.ci_high_pp - of.ci_low_pp) / 2.0)
    }

    /// The change of a row's self per operation; `None` without operations.
    pub(super) fn of_row(&self, row: &Row) -> Option<Change> {
        let cost = self.cost?;
        let per_op = |of: &Quantities| of.self_per_op.unwrap_or(0.0);
        let share_half = (row.ci_high_pp - row.ci_low_pp) / 2.0;
        Some(self.judged(cost, (per_op(&row.before), per_op(&row.after)), share_half))
    }

    /// The cost's own interval and the share's are independent; both must be overcome, and the floor of changes that
    /// matter is the comparison's, as a part of Before's cost.
    fn judged(&self, cost: &Cost, (before, after): (f64, f64), share_half_pp: f64) -> Change {
        let share_half = share_half_pp / 100.0 * cost.per_op.before.max(cost.per_op.after);
        let common_half = self.cost_half * (before + after) / 2.0;
        let half = share_half.hypot(common_half);
        let delta = (after - before).abs();
        let floor =
            (self.floor.points / 100.0 * cost.per_op.before).max(self.floor.relative * before.max(after));
        let significant = delta > 0.0 && delta >= self.cut * half && delta >= floor;
        Change { before, after, half, significant }
    }
}

/// The probability that a normal value is so many standard errors from zero or more (Abramowitz and Stegun 7.1.26).
fn two_sided_p(errors: f64) -> f64 {
    let x = errors / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let factors = [0.254_829_592, -0.284_496_736, 1.421_413_741, -1.453_152_027, 1.061_405_429];
    let polynomial = factors.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t);
    polynomial * (-x * x).exp()
}

/// How self and total of frames and rows changed per operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostTerms<'a> {
    own: Terms<'a>,
    total: Terms<'a>,
}

impl<'a> CostTerms<'a> {
    pub(crate) fn new(input: &FlameInput<'a>) -> Self {
        let of = |color| {
            Terms::new(input.comparison, input.tree.side_weights, (color, FlameTerms::PerOperation))
                .of_frames(&input.tree.nodes)
        };
        Self { own: of(FlameColor::OwnSelf), total: of(FlameColor::Total) }
    }

    /// Half the interval of a frame's self and of its total per operation, and whether they changed; `None` where that
    /// is not known.
    pub(super) fn of_node(&self, node: &TreeNode) -> [Option<(f64, bool)>; 2] {
        [self.own, self.total].map(|terms| {
            let change = terms.cost().and_then(|_| terms.change(node))?;
            Some((change.half, change.significant))
        })
    }

    /// The same of a row's self.
    pub(crate) fn of_row(&self, row: &Row) -> Option<(f64, bool)> {
        self.own.of_row(row).map(|change| (change.half, change.significant))
    }

    /// What an operation costs.
    pub(super) fn cost(&self) -> Option<&'a Cost> {
        self.own.cost()
    }
}

#[cfg(test)]
mod tests {
    use super::two_sided_p;

    #[test]
    fn probabilities_are_those_of_the_normal_distribution() {
        for (errors, expected) in [(0.0, 1.0), (1.0, 0.317_311), (1.96, 0.049_996), (3.0, 0.002_700)] {
            assert!((two_sided_p(errors) - expected).abs() < 1e-5, "{errors}");
        }
    }
}
