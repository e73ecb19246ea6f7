//! The geometric mean of what several runs measured, and how well it is known.

use pdiff_analysis::noise::critical_t;

/// Intervals miss the truth this often.
const ALPHA: f64 = 0.05;

/// The mean of logarithms, and how far the runs lie apart.
#[derive(Clone, Copy)]
pub(super) struct LogMean {
    pub(super) mean: f64,
    /// Squared standard error of the mean; `None` with one run.
    squared_error: Option<f64>,
    pub(super) runs: usize,
}

impl LogMean {
    /// Of one logarithm a run; there is at least one.
    pub(super) fn of(logs: &[f64]) -> Self {
        let runs = logs.len();
        let mean = logs.iter().sum::<f64>() / runs as f64;
        let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
        let squared_error = (runs > 1).then(|| squares / (runs - 1) as f64 / runs as f64);
        Self { mean, squared_error, runs }
    }

    /// The 95 % interval of the geometric mean.
    pub(super) fn interval(self) -> Option<(f64, f64)> {
        let half = critical_t(ALPHA, (self.runs - 1) as f64) * self.squared_error?.sqrt();
        Some(((self.mean - half).exp(), (self.mean + half).exp()))
    }

    /// The 95 % interval of the ratio to another mean, both with their own variation (Welch).
    pub(super) fn ratio_to(self, base: Self) -> Option<(f64, f64)> {
        let (own, other) = (self.squared_error?, base.squared_error?);
        let log = self.mean - base.mean;
        let sum = own + other;
        let half = if sum > 0.0 {
            let squares = own.powi(2) / (self.runs - 1) as f64 + other.powi(2) / (base.runs - 1) as f64;
            critical_t(ALPHA, sum.powi(2) / squares) * sum.sqrt()
        } else {
            0.0
        };
        Some(((log - half).exp(), (log + half).exp()))
    }
}
