//! A comparison as JSON.

use pdiff_analysis::Comparison;

use crate::error::Error;

/// The comparison as JSON.
///
/// # Errors
/// If the writer refuses.
pub fn json(_comparison: &Comparison) -> Result<Vec<u8>, Error> {
    Err(Error::Json { reason: "not written yet".to_owned() })
}
