//! Sums of cells, and variances of such.

use std::collections::BTreeMap;

/// A sum of cells, each times a number.
pub(super) type Contrast = BTreeMap<usize, f64>;

/// A variance and its degrees of freedom.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct MeanSquare {
    pub(super) variance: f64,
    pub(super) df: f64,
}
