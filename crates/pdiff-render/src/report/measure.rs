//! The page's one measure.

use pdiff_analysis::{Comparison, Finding};

use crate::document::number::{CostUnit, fixed, signed};

/// The page's measure: cost per operation where operations are known, else share.
#[derive(Clone, Copy)]
pub(super) enum Measure {
    Cost(CostUnit),
    Points,
}

impl Measure {
    pub(super) fn of(comparison: &Comparison) -> Self {
        comparison.cost.as_ref().map_or(Self::Points, |cost| Self::Cost(CostUnit::of(cost)))
    }

    pub(super) fn title(self) -> String {
        match self {
            Self::Cost(unit) if unit.name.is_empty() => "per operation".to_owned(),
            Self::Cost(unit) => format!("{} per operation", unit.name),
            Self::Points => "points of share".to_owned(),
        }
    }

    /// The unit of amounts.
    pub(super) fn unit(self) -> String {
        match self {
            Self::Cost(_) => self.title(),
            Self::Points => "% of all samples".to_owned(),
        }
    }

    pub(super) fn fixed(self, value: f64) -> String {
        match self {
            Self::Cost(unit) => unit.fixed(value),
            Self::Points => fixed(value, 2),
        }
    }

    pub(super) fn signed(self, value: f64) -> String {
        match self {
            Self::Cost(unit) => unit.signed(value),
            Self::Points => signed(value, 2),
        }
    }

    /// A value as the axis has it.
    pub(super) fn in_unit(self, value: f64) -> f64 {
        match self {
            Self::Cost(unit) => unit.in_unit(value),
            Self::Points => value,
        }
    }

    pub(super) fn delta(self, finding: &Finding) -> f64 {
        match self {
            Self::Cost(_) => finding.delta_per_op().unwrap_or(0.0),
            Self::Points => finding.delta_pp(),
        }
    }

    pub(super) fn interval(self, finding: &Finding) -> Option<(f64, f64)> {
        match self {
            Self::Cost(_) => finding.interval_per_op,
            Self::Points => Some(finding.interval_pp),
        }
    }

    /// Of a change in points, and per operation.
    pub(super) fn of_change(self, (points, per_op): (f64, Option<f64>)) -> f64 {
        match self {
            Self::Cost(_) => per_op.unwrap_or(0.0),
            Self::Points => points,
        }
    }
}
