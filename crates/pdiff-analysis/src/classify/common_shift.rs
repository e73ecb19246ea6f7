//! The factor by which the share of an unchanged function falls or rises.
//!
//! Shares sum to 100, so new cost in one place takes share from everything else. If operations are known, the factor is
//! that of the cost per operation. Else it is the median over functions of the program that both runs sampled well. If
//! enough of these have equal code in both builds, only those count, because nothing can have changed in them.

use pdiff_profile::Side;

use super::builds::Builds;
use super::case::Case;
use super::cause::Judged;
use super::input::ClassifyInput;
use crate::compare::Row;
use crate::noise::{FLOOR_PP, FLOOR_RELATIVE, MIN_SAMPLES};
use crate::policy::Share;

/// A median of fewer functions says nothing: the factor is then 1.
const LEAST_FUNCTIONS: usize = 8;

/// A share within this factor of what the common one makes of it did not change: the practical floor of every row.
const TOLERANCE: f64 = 1.0 + FLOOR_RELATIVE;

/// After's share over Before's of a function that did not change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct CommonShift(f64);

impl CommonShift {
    pub(super) fn new(input: &ClassifyInput<'_>, builds: &Builds<'_>, cases: &[Case<'_>]) -> Self {
        if let Some(cost) = input.comparison.cost.as_ref().filter(|_| input.comparison.share == Share::All) {
            return Self((-cost.log_ratio).exp());
        }
        let of_program = cases.iter().filter(|case| case.of_program);
        let ratios: Vec<(f64, bool)> = of_program
            .filter_map(|case| Some((ratio(case.row)?, builds.same_code(&case.ids) == Some(true))))
            .collect();
        let same: Vec<f64> = ratios.iter().filter(|(_, same)| *same).map(|(ratio, _)| *ratio).collect();
        let all: Vec<f64> = ratios.iter().map(|(ratio, _)| *ratio).collect();
        let factor = median(same).or_else(|| median(all));
        Self(factor.unwrap_or(1.0))
    }

    /// The factor.
    pub(super) fn factor(self) -> f64 {
        self.0
    }

    /// The rest of a change without the shift that all functions share, in points of After's shares.
    pub(super) fn own_change_pp(self, before_pct: f64, after_pct: f64) -> f64 {
        after_pct - self.0 * before_pct
    }

    /// Whether the row's change of a measure is no more than the shift that all functions share: what is left is within
    /// a tenth, below the floor, inside the row's own interval, or goes the other way.
    pub(super) fn explains(self, row: &Row, judged: Judged) -> bool {
        self.explains_shares(judged.shares(row), judged.half_width_pp(row))
    }

    /// Whether self changed only because weight went between the function and what is inlined into it: both together
    /// changed no more than all functions did, or the other way.
    pub(super) fn explains_own_code(self, row: &Row) -> bool {
        let has_helpers = row.before.x_pct > row.before.self_pct || row.after.x_pct > row.after.self_pct;
        let half_pp = Judged::OwnSelf.half_width_pp(row).max(Judged::Booked.half_width_pp(row));
        let (before, after) = (row.before.x_pct, row.after.x_pct);
        let is_other_way = (after - before) * row.delta_self_pp() < 0.0;
        has_helpers && (is_other_way || self.explains_shares((before, after), half_pp))
    }

    fn explains_shares(self, (before, after): (f64, f64), half_pp: f64) -> bool {
        if before <= 0.0 || after <= 0.0 {
            return false;
        }
        let own_pp = self.own_change_pp(before, after);
        let is_like = (after / (self.0 * before)).ln().abs() <= TOLERANCE.ln();
        let is_other_way = own_pp * (after - before) <= 0.0;
        // Seen from either side, so that swapped sides agree.
        let (largest, middle) = (own_pp.abs().max(own_pp.abs() / self.0), own_pp.abs() / self.0.sqrt());
        is_like || is_other_way || largest < FLOOR_PP || middle < half_pp
    }
}

/// The ratio of a row's booked shares, where both are well sampled.
fn ratio(row: &Row) -> Option<f64> {
    let is_sampled = Side::BOTH.iter().all(|side| row.booked.samples(*side) >= MIN_SAMPLES);
    let ratio = row.after.booked_self_pct / row.before.booked_self_pct;
    (is_sampled && !row.unresolved && ratio.is_finite() && ratio > 0.0).then_some(ratio)
}

/// The median on a log scale, so that swapped sides give the inverse.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = |at: usize| values.get(at).map(|value| value.ln());
    let (low, high) = (middle(values.len().saturating_sub(1) / 2)?, middle(values.len() / 2)?);
    (values.len() >= LEAST_FUNCTIONS).then(|| ((low + high) / 2.0).exp())
}
