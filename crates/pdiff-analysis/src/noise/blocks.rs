//! The data of one run for a denominator and for a row: weights, and sums over its time blocks.
//!
//! A run is cut into blocks of a second: shorter blocks split single bursts, longer ones leave too few blocks. With w_b the
//! row's weight and n_b the denominator's weight in block b, the share is p = sum w / sum n, and the spread of w_b around p
//! n_b is the run's own noise, queueing and bursts included, without any assumption on samples being independent. Only four
//! sums are kept, so that a row costs the same whatever the length of the run.
//!
//! Deliberately not here: any comparison of two runs (`side.rs`, `model.rs`), any stack or name.

/// Fine blocks in a coarse one: the two lengths are compared to see drift.
const COARSE_FACTOR: usize = 4;

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
    /// The machine that the run is of, as a number from 0 that both sides use; `None` if runs are compared and not machines.
    pub host: Option<u32>,
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
            host: None,
        }
    }

    /// The same run with its denominator `factor` times as large.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self {
            total: self.total * factor,
            sum_n2: self.sum_n2 * factor * factor,
            coarse_sum_n2: self.coarse_sum_n2 * factor * factor,
            ..*self
        }
    }
}

impl RowRun {
    /// Sums a row's weight per fine block; `denominator` contains the denominator's weight in the same blocks.
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

    /// Takes the run's denominator to be `factor` times as large.
    pub(super) fn scale_denominator(&mut self, factor: f64) {
        self.sum_wn *= factor;
        self.coarse_sum_wn *= factor;
    }
}

/// How many coarse blocks there are: a rest goes to the last one.
pub(crate) fn coarse_blocks(fine_blocks: usize) -> usize {
    (fine_blocks / COARSE_FACTOR).max(fine_blocks.min(1))
}

/// Whether a fine block, by its place, is the last one of a coarse one.
pub(crate) fn ends_coarse_block(at: usize, fine_blocks: usize) -> bool {
    let (ended, rest) = ((at + 1) / COARSE_FACTOR, (at + 1) % COARSE_FACTOR);
    at + 1 == fine_blocks || (rest == 0 && ended < coarse_blocks(fine_blocks))
}

/// Sums fine blocks into coarse ones.
fn coarsen(weights: &[f64]) -> Vec<f64> {
    let mut coarse = Vec::with_capacity(coarse_blocks(weights.len()));
    let mut sum = 0.0;
    for (at, weight) in weights.iter().enumerate() {
        sum += weight;
        if ends_coarse_block(at, weights.len()) {
            coarse.push(std::mem::take(&mut sum));
        }
    }
    coarse
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_goes_to_the_last_coarse_block() {
        let check = |fine: usize, expected: &[f64]| {
            assert_eq!(coarsen(&vec![1.0; fine]), expected, "{fine}");
            assert_eq!(coarse_blocks(fine), expected.len(), "{fine}");
        };
        check(0, &[]);
        check(1, &[1.0]);
        check(4, &[4.0]);
        check(7, &[7.0]);
        check(8, &[4.0, 4.0]);
        check(11, &[4.0, 7.0]);
    }
}
