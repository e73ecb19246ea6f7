//! Drift: noise that grows with the length of the time block.

/// What drifts.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// Rows (by index) whose dispersion grows with the block length beyond chance.
    pub rows: Vec<usize>,
    /// Rows heavy enough to be looked at.
    pub looked_at: usize,
    /// Largest ratio of the dispersion in coarse blocks to that in fine ones.
    pub worst_ratio: f64,
}
