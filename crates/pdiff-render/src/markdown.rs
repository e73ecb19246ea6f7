//! A comparison as markdown.

use pdiff_analysis::Comparison;

use crate::options::TableOptions;

/// The comparison as markdown.
#[must_use]
pub fn markdown(_comparison: &Comparison, _options: &TableOptions) -> String {
    String::new()
}
