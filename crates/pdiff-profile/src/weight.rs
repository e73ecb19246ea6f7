//! Weights: how much was sampled.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// A sum of periods (or a count of samples) of ONE event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Weight(pub u64);

impl Weight {
    /// No weight.
    pub const ZERO: Self = Self(0);

    /// Sum that stops at the greatest value. A profile whose whole weight does not fit is refused when it is made, so
    /// sums over parts of a profile never get there.
    #[must_use]
    pub fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// As a real number, for ratios.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }
}

impl Add for Weight {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

impl AddAssign for Weight {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Weight {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}
