//! The change of one measure: of its share, and of its cost per operation.

use pdiff_profile::{PerSide, Side};

use crate::noise::{Excess, RowNoise, Test, Untested};

/// The change of one of a row's measures.
#[derive(Clone, PartialEq, Debug)]
pub struct MeasureChange {
    /// Lower end of the 95 % interval of the change, in points.
    pub ci_low_pp: f64,
    /// Upper end of the 95 % interval of the change, in points.
    pub ci_high_pp: f64,
    /// The test of "it did not change".
    pub test: Test,
    /// Beyond noise, and large enough to matter.
    pub significant: bool,
    /// Number of samples behind it on the base side.
    pub before_samples: u64,
    /// Number of samples behind it on the other side.
    pub after_samples: u64,
    /// Of each side without samples: the largest share that it may still have (95 %), in percent; `None` if both have samples.
    pub bounds_pct: Option<Box<PerSide<Option<f64>>>>,
    /// Standard error of the change, in points.
    pub se_pp: f64,
    /// Degrees of freedom of the t distribution that `se_pp` is used with.
    pub degrees_of_freedom: f64,
    /// Its change beyond the typical function; `None` if that was not tested.
    pub beyond_typical: Option<Box<Excess>>,
    /// The change per operation; `None` where that was not tested.
    pub cost_change: Option<Box<CostChange>>,
}

/// The change of a measure's cost per operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CostChange {
    /// 100 (after / before - 1), from share and cost of the profile; `None` without weight on the base side.
    pub pct: Option<f64>,
    /// Lower end of its 95 % interval, in which the noise of the profile's cost is.
    pub ci_low_pct: Option<f64>,
    /// Upper end of it.
    pub ci_high_pct: Option<f64>,
    /// Smallest false discovery rate at which the cost changed at all, among changes large enough to matter; 1 for others.
    pub q_value: f64,
    /// The change beyond that of the typical function; `None` if too few functions were sampled.
    pub own: Option<OwnCostChange>,
    /// What that says.
    pub extent: CostExtent,
}

/// The change of a measure's cost per operation beyond that of the typical function: what all have in common, the
/// machine's noise included, cancels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OwnCostChange {
    /// 100 (ratio after / ratio before - 1) of its cost over the typical function's; `None` without weight on the base side.
    pub pct: Option<f64>,
    /// Lower end of its 95 % interval.
    pub ci_low_pct: Option<f64>,
    /// Upper end of it.
    pub ci_high_pct: Option<f64>,
    /// Smallest false discovery rate at which it is a change of its own, among changes large enough to matter; 1 for others.
    pub q_value: f64,
}

/// How far a change of cost per operation is a row's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CostExtent {
    /// No more than noise, or below the floor.
    WithinNoise,
    /// Beyond noise, but as the median function's: the profile as a whole costs more or less.
    Shared,
    /// Beyond noise, but too few functions were sampled to know what all have in common.
    NotToldApart,
    /// Beyond what the typical function's cost changed, more than noise, and in the same direction as the cost itself.
    Own,
}

impl CostExtent {
    /// Its name in output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WithinNoise => "within-noise",
            Self::Shared => "shared",
            Self::NotToldApart => "not-told-apart",
            Self::Own => "own",
        }
    }
}

impl MeasureChange {
    /// The number of samples on one side.
    #[must_use]
    pub fn samples(&self, side: Side) -> u64 {
        match side {
            Side::Before => self.before_samples,
            Side::After => self.after_samples,
        }
    }

    /// The largest share that a side without samples may still have, in percent.
    #[must_use]
    pub fn bound_pct(&self, side: Side) -> Option<f64> {
        self.bounds_pct.as_ref().and_then(|bounds| bounds[side])
    }
}

impl From<RowNoise> for MeasureChange {
    /// Without samples, which the noise of a share does not tell.
    fn from(noise: RowNoise) -> Self {
        Self {
            ci_low_pp: noise.ci_low_pp,
            ci_high_pp: noise.ci_high_pp,
            test: noise.test,
            significant: noise.significant,
            bounds_pct: noise.bounds_pct,
            se_pp: noise.se_pp,
            degrees_of_freedom: noise.degrees_of_freedom,
            ..Self::default()
        }
    }
}

impl Default for MeasureChange {
    /// No change of nothing, not tested.
    fn default() -> Self {
        Self {
            ci_low_pp: 0.0,
            ci_high_pp: 0.0,
            test: Test::Untested(Untested::FewSamples),
            significant: false,
            before_samples: 0,
            after_samples: 0,
            bounds_pct: None,
            se_pp: 0.0,
            degrees_of_freedom: 0.0,
            beyond_typical: None,
            cost_change: None,
        }
    }
}
