//! How much a frame changed, in the terms asked for, and whether that is more than noise.

use pdiff_analysis::noise::{Floor, RunVariation};
use pdiff_analysis::{Comparison, Cost, FrameChange, TreeNode, assumed_log_half};

use super::{FlameColor, FlameTerms};

/// The terms of one picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms<'a> {
    color: FlameColor,
    cost: Option<&'a Cost>,
    /// Half of the 95 % interval of the logarithm of the cost per operation.
    cost_half: f64,
    /// The smallest change that matters.
    floor: Floor,
    side_weights: [u64; 2],
}

/// A frame's measure on both sides, and what can be said of the change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Change {
    pub(super) before: f64,
    pub(super) after: f64,
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
        tree_weights: [u64; 2],
        options: (FlameColor, FlameTerms),
    ) -> Self {
        let (color, terms) = options;
        let cost = comparison.cost.as_ref().filter(|_| terms == FlameTerms::PerOperation);
        let (RunVariation::Assumed { cv } | RunVariation::Measured { cv, .. }) =
            comparison.noise.run_variation;
        let measured = |cost: &Cost| cost.log_interval.map(|(low, high)| (high - low) / 2.0);
        let cost_half = cost.map_or(0.0, |cost| measured(cost).unwrap_or_else(|| assumed_log_half(cv)));
        Self { color, cost, cost_half, floor: comparison.noise.floor, side_weights: tree_weights }
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
            None => Change { before: of.before_pct, after: of.after_pct, significant: of.significant },
            Some(cost) => self.per_operation(node, &of, cost),
        })
    }

    /// The cost's own interval and the share's are independent; both must be overcome, and the floor of changes that
    /// matter is the comparison's, as a part of Before's cost.
    fn per_operation(&self, node: &TreeNode, of: &FrameChange, cost: &Cost) -> Change {
        let weights = match self.color {
            FlameColor::OwnSelf => [node.before.self_weight, node.after.self_weight],
            FlameColor::Total => [node.before.total_weight, node.after.total_weight],
        };
        let [before_weight, after_weight] = self.side_weights;
        let per_op = |weight: u64, side: u64, cost: f64| {
            if side == 0 { 0.0 } else { weight as f64 / side as f64 * cost }
        };
        let before = per_op(weights[0], before_weight, cost.per_op.before);
        let after = per_op(weights[1], after_weight, cost.per_op.after);
        let share_half = (of.ci_high_pp - of.ci_low_pp) / 200.0 * cost.per_op.before.max(cost.per_op.after);
        let common_half = self.cost_half * (before + after) / 2.0;
        let delta = (after - before).abs();
        let floor =
            (self.floor.points / 100.0 * cost.per_op.before).max(self.floor.relative * before.max(after));
        let significant = delta > share_half.hypot(common_half) && delta >= floor;
        Change { before, after, significant }
    }
}
