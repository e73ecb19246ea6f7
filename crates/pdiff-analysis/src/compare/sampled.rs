//! A sum of samples: their weight and their number.

use pdiff_profile::Weight;

/// Some samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sampled {
    /// Their weight.
    pub weight: Weight,
    /// Their number.
    pub samples: u64,
}

impl Sampled {
    /// Adds other samples.
    pub fn add(&mut self, other: Self) {
        self.weight += other.weight;
        self.samples += other.samples;
    }
}
