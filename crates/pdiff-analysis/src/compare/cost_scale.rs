//! The unit in which a comparison's costs are given: one for all that is said of them.

use super::comparison::Cost;

/// A unit of costs, and the decimal places of the whole in it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CostScale {
    /// Its name, `us` or `k`; empty for single events.
    pub name: &'static str,
    /// So many nanoseconds or events are one.
    pub divisor: f64,
    /// Decimal places with which at least three digits of the whole show.
    pub places: usize,
}

/// Times in nanoseconds.
const TIMES: [(&str, f64); 4] = [("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0)];

/// Weights of events that do not measure time.
const COUNTS: [(&str, f64); 4] = [("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0)];

/// The whole has at least this many of the unit.
const LEAST_UNITS: f64 = 10.0;

impl CostScale {
    /// The unit that suits where the whole costs `total`.
    #[must_use]
    pub fn of_total(total: f64, is_time: bool) -> Self {
        let units = if is_time { TIMES } else { COUNTS };
        let fits = |(_, divisor): &&(&str, f64)| total / divisor >= LEAST_UNITS;
        let (name, divisor) =
            units.iter().find(fits).copied().unwrap_or((if is_time { "ns" } else { "" }, 1.0));
        let places = match total / divisor {
            units if units >= 1_000.0 => 0,
            units if units >= 100.0 => 1,
            _ => 2,
        };
        Self { name, divisor, places }
    }
}

impl Cost {
    /// The unit of the comparison's costs.
    #[must_use]
    pub fn scale(&self) -> CostScale {
        CostScale::of_total(self.per_op.before.max(self.per_op.after), self.is_time)
    }
}
