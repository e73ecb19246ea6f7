//! The cost of a function or subsystem on one build.

use pdiff_analysis::Quantities;

/// Self on one build.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct BuildCost {
    /// Percent of the build's samples.
    pub self_pct: f64,
    /// Nanoseconds of CPU per operation, where operations are known and the event is time.
    pub self_per_op_ns: Option<f64>,
}

impl BuildCost {
    /// Nanoseconds per operation, or percent of the samples.
    pub(super) fn value(&self, per_operation: bool) -> f64 {
        if per_operation { self.self_per_op_ns.unwrap_or(0.0) } else { self.self_pct }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.self_pct += other.self_pct;
        self.self_per_op_ns = match (self.self_per_op_ns, other.self_per_op_ns) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
    }
}

impl From<&Quantities> for BuildCost {
    fn from(of: &Quantities) -> Self {
        Self { self_pct: of.self_pct, self_per_op_ns: of.self_per_op_ns() }
    }
}
