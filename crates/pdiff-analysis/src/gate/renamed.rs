//! Functions that have another name after: for gates on differences their two rows are one.

use rustc_hash::FxHashSet;

use crate::compare::{Comparison, RenamedFunction, Row};

/// The functions of a comparison that have another name after, and their rows.
#[derive(Default)]
pub(super) struct Renamed<'c> {
    pub(super) functions: Vec<RenamedRows<'c>>,
    rows: FxHashSet<*const Row>,
}

/// The rows of a function on each side, of which each has one name.
#[derive(Clone, Copy)]
pub(super) struct RenamedRows<'c> {
    pub(super) before: &'c Row,
    pub(super) after: &'c Row,
}

impl<'c> Renamed<'c> {
    /// Those of which a row is in the scope.
    pub(super) fn of(comparison: &'c Comparison, is_in_scope: impl Fn(&Row) -> bool) -> Self {
        let rows = comparison.rows.iter().map(|row| (&*row.name, &*row.object, row));
        let pairs = RenamedFunction::pairs(&comparison.renamed, rows).into_iter();
        let functions: Vec<RenamedRows<'c>> = pairs
            .filter(|rows| rows.values().any(|row| is_in_scope(row)))
            .map(|rows| RenamedRows { before: rows.before, after: rows.after })
            .collect();
        let rows = functions.iter().flat_map(|of| [of.before, of.after]).map(std::ptr::from_ref).collect();
        Self { functions, rows }
    }

    /// Whether a row is of one of them.
    pub(super) fn has(&self, row: &Row) -> bool {
        self.rows.contains(&std::ptr::from_ref(row))
    }
}

impl RenamedRows<'_> {
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
