//! A comparison as table.

use pdiff_analysis::Comparison;

use crate::options::TableOptions;

/// The comparison as table.
#[must_use]
pub fn table(_comparison: &Comparison, _options: &TableOptions) -> String {
    String::new()
}
