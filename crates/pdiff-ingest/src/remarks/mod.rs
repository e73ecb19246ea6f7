//! What compilers said of calls that they inlined, and of those that they did not: the format is recognised by content.

mod clang;
mod gcc;

use pdiff_profile::InlineRemark;

/// An error in a compiler's report.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemarksError {
    /// None of the formats.
    #[error(
        "its format is not one of the known compiler reports on inlining; hint: GCC writes one with \
         -fopt-info-inline-optimized-missed=FILE, Clang with -fsave-optimization-record=yaml"
    )]
    Unknown,
    /// LLVM's binary form.
    #[error(
        "optimization records in LLVM's binary form; hint: write text with -fsave-optimization-record=yaml"
    )]
    Binary,
    /// A line that the format does not allow.
    #[error("line {line}: not {expected}")]
    Malformed {
        /// Which line, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
    },
}

/// LLVM's mark of records in binary form.
const BINARY_MARK: &str = "RMRK";

/// Reads a compiler's report: the text of GCC's `-fopt-info`, or Clang's optimization records in YAML. What other passes say is
/// left out. The report of a file without calls is empty, or says nothing about inlining: there is no remark then.
///
/// # Errors
/// Returns an error if the format is not recognised, or a record is malformed.
pub fn parse_inline_remarks(text: &str) -> Result<Vec<InlineRemark>, RemarksError> {
    if text.starts_with(BINARY_MARK) {
        return Err(RemarksError::Binary);
    }
    if text.trim().is_empty() {
        Ok(Vec::new())
    } else if clang::is_format(text) {
        clang::parse(text)
    } else if gcc::is_format(text) {
        Ok(gcc::parse(text))
    } else {
        Err(RemarksError::Unknown)
    }
}

#[cfg(test)]
mod tests;
