//! What one run says of a denominator and of a row: weights, and sums over its time blocks.
//!
//! A run is cut into blocks of [`BLOCK_S`] seconds. With w_b the row's weight and n_b the denominator's weight in
//! block b, the share is p = sum w / sum n, and the spread of w_b around p n_b is the run's own noise, queueing and
//! bursts included, without any assumption on samples being independent. Only four sums are kept, so that a row
//! costs the same whatever the length of the run.
//!
//! Deliberately not here: any comparison of two runs (`side.rs`, `moderated.rs`), any stack or name.

/// Length of a fine time block in seconds: shorter ones cut single bursts apart, longer ones leave few blocks.
pub const BLOCK_S: f64 = 1.0;

/// Fine blocks in a coarse one: the two lengths are compared to see drift.
pub const COARSE_FACTOR: usize = 4;

/// One run's denominator: its weight, and the sums over its time blocks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RunBlocks {
    /// Weight of the denominator in this run.
    pub total: f64,
    /// Samples of the denominator in this run.
    pub samples: u64,
    /// Number of fine blocks; 1 (or 0) if the recording has no time.
    pub blocks: usize,
    /// Sum over fine blocks of n_b squared.
    pub sum_n2: f64,
    /// Number of coarse blocks; 0 if not known.
    pub coarse_blocks: usize,
    /// Sum over coarse blocks of n_b squared.
    pub coarse_sum_n2: f64,
}

/// One run's row: its weight, and the sums over the same time blocks as its denominator's.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RowRun {
    /// Weight of the row in this run.
    pub weight: f64,
    /// Samples of the row in this run.
    pub samples: u64,
    /// Sum over fine blocks of w_b squared.
    pub sum_w2: f64,
    /// Sum over fine blocks of w_b times n_b.
    pub sum_wn: f64,
    /// Sum over coarse blocks of w_b squared.
    pub coarse_sum_w2: f64,
    /// Sum over coarse blocks of w_b times n_b.
    pub coarse_sum_wn: f64,
}

impl RunBlocks {
    /// Sums a denominator's weight per fine block, in order of time. A short last block is fine: a ratio does not
    /// mind.
    pub fn from_blocks(weights: &[f64], samples: u64) -> Self {
        let coarse = coarsen(weights);
        Self {
            total: weights.iter().sum(),
            samples,
            blocks: weights.len(),
            sum_n2: dot(weights, weights),
            coarse_blocks: coarse.len(),
            coarse_sum_n2: dot(&coarse, &coarse),
        }
    }
}

impl RowRun {
    /// Sums a row's weight per fine block; `denominator` holds the denominator's weight in the same blocks.
    pub fn from_blocks(weights: &[f64], denominator: &[f64], samples: u64) -> Self {
        let (coarse_w, coarse_n) = (coarsen(weights), coarsen(denominator));
        Self {
            weight: weights.iter().sum(),
            samples,
            sum_w2: dot(weights, weights),
            sum_wn: dot(weights, denominator),
            coarse_sum_w2: dot(&coarse_w, &coarse_w),
            coarse_sum_wn: dot(&coarse_w, &coarse_n),
        }
    }
}

/// Joins every [`COARSE_FACTOR`] blocks; a rest shorter than half of that goes to the last one.
fn coarsen(weights: &[f64]) -> Vec<f64> {
    let mut coarse: Vec<f64> = weights.chunks(COARSE_FACTOR).map(|chunk| chunk.iter().sum()).collect();
    let rest = weights.len() % COARSE_FACTOR;
    if rest > 0 && 2 * rest < COARSE_FACTOR && coarse.len() > 1 {
        let tail = coarse.pop().unwrap_or(0.0);
        if let Some(last) = coarse.last_mut() {
            *last += tail;
        }
    }
    coarse
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
