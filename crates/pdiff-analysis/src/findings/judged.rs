//! Which groups of samples changed: their shares against noise, and against what all groups have in common.
//!
//! The share of an unchanged place falls if something else is new. So a group is tested for the change of its share beyond
//! a common factor. If operations of several runs are known, the factor is old cost over new cost of an operation, with the
//! run-to-run noise of that cost. Otherwise it is the change of the share of the median place. With one run per side the
//! cost of an operation is too uncertain to be tested, but a finding must not contradict it; and if the median place contradicts
//! it, because most places changed, the cost is the factor, with the variation between runs that is assumed.

use pdiff_profile::PerSide;

use super::groups::Groups;
use super::input::Input;
use crate::compare::Cost;
use crate::noise::{
    CommonFactor, Denominator, MIN_SAMPLES, NoiseSettings, Row, RowNoise, ShareChange, ShownTests, Tested,
    critical_t, judge, typical_factor,
};

/// The tested change of one group.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) noise: RowNoise,
    /// Beyond the common factor, in points; between those of Before and of After, so that swapped sides agree.
    pub(super) points: f64,
    /// The test of "nothing but what all have in common"; `None` for groups that are not tested. A group is shown only if
    /// its change goes the way that the cost goes, and is large enough to matter.
    test: Option<Tested>,
    /// The rate of false ones among nets, where it is one that other evidence than its size asked for.
    net_q: Option<f64>,
}

/// Tests of groups.
pub(super) struct Judge<'a> {
    groups: &'a Groups,
    settings: NoiseSettings,
    cost: Option<&'a Cost>,
    denominator: Denominator,
    /// The factor on the share of an unchanged place.
    common: CommonFactor,
    /// The factor on the share of the median place.
    typical: Option<CommonFactor>,
    /// The changes of the shares of places that both sides sampled well, as logarithms, in order.
    log_changes: Vec<f64>,
    /// The rows that tell how shares vary from run to run.
    rows: Vec<Row>,
    /// The rate of false findings among the nodes that can be shown.
    shown: ShownTests,
}

/// The changes of every node: of all below it, and of its own.
pub(super) struct NodeChanges {
    pub(super) all: Vec<Change>,
    pub(super) own: Vec<Change>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(input: &Input<'a>, groups: &'a Groups) -> (Self, NodeChanges) {
        let PerSide { before, after } = PerSide::from_fn(|side| groups.denominators(side));
        let count = groups.nodes.len();
        let sets: Vec<Vec<usize>> =
            (0..count).map(|node| groups.below(node)).chain((0..count).map(|node| vec![node])).collect();
        let denominator = Denominator { before, after };
        let rows: Vec<Row> = sets.iter().map(|set| row(groups, set)).collect();
        let noise = judge(std::slice::from_ref(&denominator), &rows, &input.noise).rows;
        let log_changes = log_changes(groups, noise.get(count..).unwrap_or(&[]));
        let typical = typical(&log_changes);
        let mut judge = Self {
            groups,
            settings: input.noise,
            cost: input.cost,
            common: common_factor(input, typical),
            typical,
            log_changes,
            denominator,
            rows,
            shown: ShownTests::new(&[]),
        };
        let mut changes: Vec<Change> = noise.into_iter().map(|noise| judge.change(noise)).collect();
        // A node without children is one group, not two.
        let mut tested: Vec<Tested> = changes.iter().take(count).filter_map(|change| change.test).collect();
        let inner = |node: &usize| !groups.nodes[*node].children.is_empty();
        tested.extend((0..count).filter(inner).filter_map(|node| changes[count + node].test));
        judge.shown = ShownTests::new(&tested);
        let own = changes.split_off(count);
        (judge, NodeChanges { all: changes, own })
    }

    /// The changes of groups that the nodes' changes gave rise to.
    pub(super) fn of_sets(&self, sets: &[Vec<usize>]) -> Vec<Change> {
        if sets.is_empty() {
            return Vec::new();
        }
        // The nodes tell how shares vary between runs.
        let mut rows = if self.denominator.before.len().max(self.denominator.after.len()) > 1 {
            self.rows.clone()
        } else {
            Vec::new()
        };
        let first = rows.len();
        rows.extend(sets.iter().map(|set| row(self.groups, set)));
        let noise = judge(std::slice::from_ref(&self.denominator), &rows, &self.settings).rows;
        noise.into_iter().skip(first).map(|noise| self.change(noise)).collect()
    }

    /// The changes of nets: few sets of nodes, chosen for what is known about their code. They are tested among themselves.
    pub(super) fn of_nets(&self, sets: &[Vec<usize>]) -> Vec<Change> {
        let mut changes = self.of_sets(sets);
        let tests: Vec<Tested> = changes.iter().filter_map(|change| change.test).collect();
        let shown = ShownTests::new(&tests);
        for change in &mut changes {
            change.net_q = change.test.map(|test| shown.q_of(test.p));
        }
        changes
    }

    /// Whether a change is more than noise and large enough to matter.
    pub(super) fn is_found(&self, change: &Change) -> bool {
        let is_shown = change.test.is_some_and(|test| test.passes);
        is_shown && self.q(change).is_some_and(|q| q <= self.settings.false_discovery_rate)
    }

    /// The smallest rate of false findings among the nodes shown at which a change is one; `None` if it is not tested.
    pub(super) fn q(&self, change: &Change) -> Option<f64> {
        change.net_q.or_else(|| change.test.map(|test| self.shown.q_of(test.p)))
    }

    /// The factor on the share of an unchanged place.
    pub(super) fn common(&self) -> CommonFactor {
        self.common
    }

    /// The factor on shares from operations: measured, or with the assumed variation between runs.
    pub(super) fn of_cost(&self) -> Option<CommonFactor> {
        Some(self.cost?.factor_or_assumed(self.settings.single_run_cv()))
    }

    /// New over old cost per operation that three of four places reach; `None` if the median is not known, or if it or the whole
    /// cost is within noise.
    pub(super) fn common_cost_ratio(&self) -> Option<f64> {
        let (typical, of_cost) = (self.typical?, self.of_cost()?);
        let (whole, median) = (-of_cost.ratio.ln(), (typical.ratio / of_cost.ratio).ln());
        // The cost varies more than a median does, and its degrees of freedom are fewer.
        let half = |log_se: f64| critical_t(0.05, of_cost.degrees_of_freedom) * log_se;
        let is_told =
            whole.abs() > half(of_cost.log_se) && median.abs() > half(typical.log_se.hypot(of_cost.log_se));
        let part = if whole > 0.0 { REACHED } else { 1.0 - REACHED };
        let at = (part * (self.log_changes.len() - 1) as f64).round() as usize;
        let reached = self.log_changes.get(at)? - of_cost.ratio.ln();
        (is_told && reached * whole > 0.0).then(|| reached.exp())
    }

    fn change(&self, noise: RowNoise) -> Change {
        let share = share_change(&noise);
        let excess = self.common.excess(share);
        let by_cost = self.of_cost().map_or(noise.delta_pp, |factor| factor.excess(share).points);
        let goes_with_cost = by_cost * excess.points > 0.0;
        let floor = &self.settings.floor;
        // Doubt that runs showed is of a ratio; doubt that is only assumed is not made smaller.
        let tested = match self.cost.and_then(Cost::factor_of_shares) {
            Some(_) => excess.tested_as_ratio(floor, goes_with_cost),
            None => excess.tested(floor, goes_with_cost),
        };
        let test = noise.test.p().map(|_| tested);
        Change { noise, points: excess.points, test, net_q: None }
    }
}

/// A change of share as the common factors want it.
pub(super) fn share_change(noise: &RowNoise) -> ShareChange {
    ShareChange {
        before_pct: noise.before_pct,
        after_pct: noise.after_pct,
        se_pp: noise.se_pp,
        degrees_of_freedom: noise.degrees_of_freedom,
    }
}

fn row(groups: &Groups, nodes: &[usize]) -> Row {
    let PerSide { before, after } = PerSide::from_fn(|side| groups.row_runs(nodes, side));
    Row { denominator: 0, before, after }
}

/// The factor on the share of an unchanged place.
fn common_factor(input: &Input<'_>, typical: Option<CommonFactor>) -> CommonFactor {
    if let Some(measured) = input.cost.and_then(Cost::factor_of_shares) {
        return measured;
    }
    // Then only what shares did is known.
    let typical =
        typical.unwrap_or(CommonFactor { ratio: 1.0, log_se: 0.0, degrees_of_freedom: f64::INFINITY });
    let of_cost = input.cost.map(|cost| cost.factor_or_assumed(input.noise.single_run_cv()));
    // The median place of one run varies as the cost does.
    let contradicts =
        |of_cost: &CommonFactor| !of_cost.overlaps(&CommonFactor { ratio: typical.ratio, ..*of_cost });
    of_cost.filter(contradicts).unwrap_or(typical)
}

/// The part of the places that changed less than what all are said to share.
const REACHED: f64 = 0.25;

/// A median whose 95 % interval is wider than this factor either way is of places that have nothing in common.
const UNLIKE: f64 = 1.5;

/// The changes of the shares of places that both sides sampled well, as logarithms, in order.
fn log_changes(groups: &Groups, own: &[RowNoise]) -> Vec<f64> {
    let is_sampled =
        |node: &usize| groups.nodes[*node].own.values().all(|amount| amount.samples >= MIN_SAMPLES);
    let nodes = (0..groups.nodes.len()).filter(is_sampled);
    let logs = nodes.filter_map(|node| own.get(node)).map(|own| (own.after_pct / own.before_pct).ln());
    let mut logs: Vec<f64> = logs.filter(|log| log.is_finite()).collect();
    logs.sort_by(f64::total_cmp);
    logs
}

/// The factor on the share of the median place; `None` if there are only few, or if they changed unlike each other.
fn typical(log_changes: &[f64]) -> Option<CommonFactor> {
    let is_told =
        |factor: &CommonFactor| critical_t(0.05, factor.degrees_of_freedom) * factor.log_se <= UNLIKE.ln();
    typical_factor(log_changes.to_vec()).filter(is_told)
}
