//! Functions that have another name after: for gates on differences their two rows are one.

use crate::compare::{Comparison, Row};

/// The rows of a function on each side, of which each has one name.
#[derive(Clone, Copy, Debug)]
pub(super) struct RenamedRows<'c> {
    pub(super) before: &'c Row,
    pub(super) after: &'c Row,
}

impl<'c> RenamedRows<'c> {
    /// Those of a comparison.
    pub(super) fn of(comparison: &'c Comparison) -> Vec<Self> {
        let row = |name: &str, object: &str| {
            comparison.rows.iter().find(|row| &*row.name == name && &*row.object == object)
        };
        let both = comparison.renamed.iter().filter_map(|renamed| {
            let names = renamed.names.as_ref().map(|name| row(name, &renamed.object));
            Some(Self { before: names.before?, after: names.after? })
        });
        both.collect()
    }

    pub(super) fn has(&self, row: &Row) -> bool {
        std::ptr::eq(self.before, row) || std::ptr::eq(self.after, row)
    }

    /// The 95 % interval of the change of self of both together, in points.
    pub(super) fn interval_pp(&self) -> (f64, f64) {
        let half = |row: &Row| (row.ci_high_pp - row.ci_low_pp) / 2.0;
        let net = self.before.delta_self_pp() + self.after.delta_self_pp();
        let half = half(self.before).hypot(half(self.after));
        (net - half, net + half)
    }

    /// Whether both together changed by more than noise.
    pub(super) fn has_changed(&self) -> bool {
        let (low, high) = self.interval_pp();
        low > 0.0 || high < 0.0
    }
}
