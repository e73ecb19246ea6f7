//! How much a frame changed, in the terms asked for, and whether that is more than noise.

use pdiff_analysis::noise::{CommonFactor, Floor, ShareChange, judge_excesses};
use pdiff_analysis::{Comparison, Cost, FrameChange, Quantities, Row, TreeNode};
use pdiff_profile::PerSide;

use super::{FlameColor, FlameInput, FlameTerms};

/// The terms of one picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms<'a> {
    color: FlameColor,
    cost: Option<OfCost<'a>>,
    side_weights: PerSide<u64>,
}

/// How changes per operation are judged: as those of the parts of the answer are.
#[derive(Clone, Copy, Debug)]
struct OfCost<'a> {
    cost: &'a Cost,
    /// What the change of the whole's cost does to shares.
    factor: CommonFactor,
    /// The smallest change that matters.
    floor: Floor,
    /// The false discovery rate.
    most_q: f64,
    /// The largest p-value of a change beyond noise: the rate is kept over frames or rows.
    most_p: f64,
}

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
        let noise = &comparison.noise;
        let cost = comparison.cost.as_ref().zip(comparison.cost_factor());
        let cost = cost.filter(|_| terms == FlameTerms::PerOperation).map(|(cost, factor)| OfCost {
            cost,
            factor,
            floor: noise.floor,
            most_p: noise.q_threshold,
            most_q: noise.q_threshold,
        });
        Self { color, cost, side_weights: tree_weights }
    }

    /// The same, with the false discovery rate kept over some frames.
    pub(super) fn of_frames(self, nodes: &[TreeNode]) -> Self {
        let changes = nodes.iter().filter(|node| node.parent.is_some()).filter_map(|node| self.judged(node));
        let tested = changes.filter(|change| change.tested);
        self.over(tested.map(|change| change.share_change()).collect())
    }

    /// The same, with the false discovery rate kept over some rows.
    pub(super) fn of_rows(self, rows: &[Row]) -> Self {
        self.over(rows.iter().filter_map(Row::self_change).collect())
    }

    fn over(mut self, shares: Vec<ShareChange>) -> Self {
        if let Some(of) = &mut self.cost {
            let excesses: Vec<_> = shares.into_iter().map(|share| Some(of.factor.excess(share))).collect();
            let judged = judge_excesses(&excesses, &of.floor, of.most_q);
            let beyond = judged.into_iter().flatten().filter(|judged| judged.significant);
            // No p-value is as small where nothing is beyond noise.
            of.most_p = beyond.map(|judged| judged.p).fold(-1.0, f64::max);
        }
        self
    }

    /// The cost of an operation, where frames are coloured by it.
    pub(super) fn cost(&self) -> Option<&'a Cost> {
        self.cost.map(|of| of.cost)
    }

    pub(super) fn color(&self) -> FlameColor {
        self.color
    }

    /// The frame's measure that gives its colour, as it was judged.
    fn judged(&self, node: &TreeNode) -> Option<FrameChange> {
        let changes = node.changes?;
        Some(match self.color {
            FlameColor::OwnSelf => changes.of_self,
            FlameColor::Total => changes.of_total,
        })
    }

    /// The change that gives a frame's colour; `None` where nothing was judged.
    pub(super) fn change(&self, node: &TreeNode) -> Option<Change> {
        let of = self.judged(node)?;
        let Some(cost) = self.cost else {
            return Some(Change {
                before: of.before_pct,
                after: of.after_pct,
                half: (of.ci_high_pp - of.ci_low_pp) / 2.0,
                significant: of.significant,
            });
        };
        let weights = match self.color {
            FlameColor::OwnSelf => [node.before.self_weight, node.after.self_weight],
            FlameColor::Total => [node.before.total_weight, node.after.total_weight],
        };
        let per_op = |weight: u64, side: u64, cost: f64| {
            if side == 0 { 0.0 } else { weight as f64 / side as f64 * cost }
        };
        let PerSide { before, after } = self.side_weights;
        let before = per_op(weights[0], before, cost.cost.per_op.before);
        let after = per_op(weights[1], after, cost.cost.per_op.after);
        Some(cost.change((before, after), of.share_change(), of.tested))
    }

    /// The change of a row's self per operation; `None` without operations.
    fn of_row(&self, row: &Row) -> Option<Change> {
        let per_op = |of: &Quantities| of.self_per_op().unwrap_or(0.0);
        let share = ShareChange {
            before_pct: row.before.self_pct,
            after_pct: row.after.self_pct,
            se_pp: row.se_pp,
            degrees_of_freedom: row.degrees_of_freedom,
        };
        let is_tested = row.self_change().is_some();
        Some(self.cost?.change((per_op(&row.before), per_op(&row.after)), share, is_tested))
    }
}

impl OfCost<'_> {
    fn change(&self, (before, after): (f64, f64), share: ShareChange, is_tested: bool) -> Change {
        let excess = self.factor.excess(share);
        let significant = is_tested && excess.is_large(&self.floor) && excess.p() <= self.most_p;
        Change { before, after, half: self.cost.half_per_op(&excess), significant }
    }
}

/// How self and total of frames and rows changed per operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostTerms<'a> {
    own: Terms<'a>,
    total: Terms<'a>,
    row: Terms<'a>,
}

impl<'a> CostTerms<'a> {
    pub(crate) fn new(input: &FlameInput<'a>) -> Self {
        Self::over_rows(input, &input.comparison.rows)
    }

    /// The same, for rows of another list than the comparison's.
    pub(crate) fn over_rows(input: &FlameInput<'a>, rows: &[Row]) -> Self {
        let of =
            |color| Terms::new(input.comparison, input.tree.side_weights, (color, FlameTerms::PerOperation));
        Self {
            own: of(FlameColor::OwnSelf).of_frames(&input.tree.nodes),
            total: of(FlameColor::Total).of_frames(&input.tree.nodes),
            row: of(FlameColor::OwnSelf).of_rows(rows),
        }
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
        self.row.of_row(row).map(|change| (change.half, change.significant))
    }

    /// What an operation costs.
    pub(super) fn cost(&self) -> Option<&'a Cost> {
        self.own.cost()
    }
}
