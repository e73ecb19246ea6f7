//! Choices of the reader of a table or a markdown report. JSON, CSV and Parquet always contain everything.

use std::fmt;
use std::str::FromStr;

/// How a table or markdown report is laid out.
#[derive(Clone, PartialEq, Debug)]
pub struct TableOptions {
    /// Columns of the terminal; `None` for as many as it takes. Markdown has no width.
    pub width: Option<usize>,
    /// Whether escape sequences for colour may be written. Markdown has none.
    pub color: bool,
    /// How many rows are shown; the others are one row of sums. `None` for all.
    pub top: Option<usize>,
    /// Rows whose self changed by less than this many points are not shown; they stay in the sums.
    pub min_delta_pp: Option<f64>,
    /// Order of the rows.
    pub sort: SortBy,
    /// The words of a command that explains a function of the same comparison, without the function's name: the page ends its
    /// answer with it. `None` if there is none; then the page says in words how to make it.
    pub explain: Option<Vec<String>>,
}

/// By what rows are sorted. Changes sort by their size, whatever their sign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SortBy {
    /// Change of self; significant rows come first.
    Delta,
    /// Change of total.
    DeltaTotal,
    /// Change of self by symbol.
    DeltaBooked,
    /// Change of cost per operation.
    DeltaCost,
    /// Share of the throughput gap.
    Gap,
    /// Self before.
    Before,
    /// Self after.
    After,
    /// The larger total of both sides.
    Total,
    /// Name.
    Name,
}

impl SortBy {
    /// All orders.
    pub const ALL: &'static [Self] = &[
        Self::Delta,
        Self::DeltaTotal,
        Self::DeltaBooked,
        Self::DeltaCost,
        Self::Gap,
        Self::Before,
        Self::After,
        Self::Total,
        Self::Name,
    ];

    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delta => "delta",
            Self::DeltaTotal => "delta-total",
            Self::DeltaBooked => "delta-booked",
            Self::DeltaCost => "delta-cost",
            Self::Gap => "gap",
            Self::Before => "before",
            Self::After => "after",
            Self::Total => "total",
            Self::Name => "name",
        }
    }
}

impl fmt::Display for SortBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that names no order.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{word}' is not an order; hint: use {choices}", choices = choices())]
pub struct UnknownOrder {
    /// The word.
    pub word: String,
}

fn choices() -> String {
    SortBy::ALL.iter().map(|order| order.as_str()).collect::<Vec<_>>().join(", ")
}

impl FromStr for SortBy {
    type Err = UnknownOrder;

    fn from_str(word: &str) -> Result<Self, UnknownOrder> {
        let found = Self::ALL.iter().find(|order| order.as_str() == word);
        found.copied().ok_or_else(|| UnknownOrder { word: word.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_read_from_its_own_word() {
        for order in SortBy::ALL {
            assert_eq!(order.to_string().parse(), Ok(*order));
        }
        let error = "size".parse::<SortBy>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "'size' is not an order; hint: use delta, delta-total, delta-booked, delta-cost, gap, before, after, total, name"
        );
    }
}
