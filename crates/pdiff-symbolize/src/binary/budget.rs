//! A limit on what is derived from a file, in proportion to its size.
//!
//! A small file can expand to a lot: sections that inflate a hundred times, thousands of functions that share one list of
//! thousands of ranges, names that are the ends of one another. Everything derived from its entries, ranges and names is
//! counted, over the whole file, and everything beyond the budget is left out. Real programs are far below it: 8.0.33 (195
//! MB) has 2 million entries and ranges that count.

use std::sync::atomic::{AtomicU64, Ordering};

/// What every file may have, however small.
const FREE: u64 = 1 << 18;
/// What a byte of the file allows on top.
const PER_BYTE: u64 = 2;

/// What is left of a file's budget of entries and ranges; threads share it.
#[derive(Debug)]
pub(crate) struct Budget {
    left: AtomicU64,
}

impl Budget {
    /// For a file of a size.
    pub(crate) fn new(file_bytes: u64) -> Self {
        Self { left: AtomicU64::new(FREE.saturating_add(file_bytes.saturating_mul(PER_BYTE))) }
    }

    /// Takes some of it.
    ///
    /// # Errors
    /// If so much is not left; see [`OVER_BUDGET`].
    pub(crate) fn take(&self, count: usize) -> gimli::Result<()> {
        let take = |left: u64| left.checked_sub(count as u64);
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.map(|_| ()).map_err(|_| OVER_BUDGET)
    }

    /// Takes as much as is left, at most `count`: how much. What is not needed must be given back.
    ///
    /// # Errors
    /// If nothing is left; see [`OVER_BUDGET`].
    pub(crate) fn take_up_to(&self, count: usize) -> gimli::Result<usize> {
        let take = |left: u64| Some(left.saturating_sub(count as u64));
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).unwrap_or(0);
        match usize::try_from(left).map_or(count, |left| left.min(count)) {
            0 => Err(OVER_BUDGET),
            taken => Ok(taken),
        }
    }

    /// Gives back what was taken and not needed.
    pub(crate) fn give_back(&self, count: usize) {
        self.left.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// The error of a unit that goes beyond the budget; no reader of units has another use for it.
pub(crate) const OVER_BUDGET: gimli::Error = gimli::Error::TooManyRegisterRules;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_grows_with_the_file_and_ends() {
        let budget = Budget::new(100);
        assert_eq!(budget.take((FREE + 150) as usize), Ok(()));
        assert_eq!(budget.take(51), Err(OVER_BUDGET));
        assert_eq!(budget.take(50), Ok(()));
        assert_eq!(budget.take(1), Err(OVER_BUDGET));
        assert_eq!(budget.take_up_to(8), Err(OVER_BUDGET));
        budget.give_back(10);
        assert_eq!((budget.take_up_to(8), budget.take_up_to(8)), (Ok(8), Ok(2)));
    }
}
