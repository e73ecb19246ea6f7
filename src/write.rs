//! Writes results to anything that takes bytes.

use std::io::Write;

use pdiff_analysis::Comparison;
use pdiff_analysis::classify::{Classification, FindingCause};
use pdiff_render::{Error, TableOptions, VerdictDetail};

fn write(bytes: &[u8], mut out: impl Write) -> Result<(), Error> {
    out.write_all(bytes).map_err(|source| Error::Write { source })
}

/// Writes a comparison as a table for a terminal.
///
/// # Errors
/// If it cannot be written.
pub fn write_table(of: &Comparison, options: &TableOptions, out: impl Write) -> Result<(), Error> {
    write(pdiff_render::table(of, options).as_bytes(), out)
}

/// Writes a comparison as markdown.
///
/// # Errors
/// If it cannot be written.
pub fn write_markdown(of: &Comparison, options: &TableOptions, out: impl Write) -> Result<(), Error> {
    write(pdiff_render::markdown(of, options).as_bytes(), out)
}

/// Writes a comparison as JSON, every row (`docs/json.md`).
///
/// # Errors
/// If it cannot be written.
pub fn write_json(of: &Comparison, out: impl Write) -> Result<(), Error> {
    pdiff_render::write_json_with_causes(of, &[], out)
}

/// Writes the rows of a comparison as CSV.
///
/// # Errors
/// If it cannot be written.
pub fn write_csv(of: &Comparison, out: impl Write) -> Result<(), Error> {
    pdiff_render::write_csv(of, out)
}

/// Writes the rows of a comparison as Parquet.
///
/// # Errors
/// If it cannot be written.
#[cfg(feature = "parquet")]
pub fn write_parquet(of: &Comparison, out: impl Write) -> Result<(), Error> {
    write(&pdiff_render::parquet(of)?, out)
}

/// Writes the parts of the change as CSV, each with its cause where there are `causes` (of `finding_causes`).
///
/// # Errors
/// If it cannot be written.
pub fn write_parts_csv(of: &Comparison, causes: &[FindingCause], out: impl Write) -> Result<(), Error> {
    write(&pdiff_render::parts_csv(of, causes)?, out)
}

/// Writes verdicts as a table for a terminal.
///
/// # Errors
/// If it cannot be written.
pub fn write_verdicts_table(
    of: &Comparison,
    verdicts: &Classification,
    detail: VerdictDetail,
    options: &TableOptions,
    out: impl Write,
) -> Result<(), Error> {
    write(pdiff_render::verdict_table(of, verdicts, detail, options).as_bytes(), out)
}

/// Writes verdicts as markdown.
///
/// # Errors
/// If it cannot be written.
pub fn write_verdicts_markdown(
    of: &Comparison,
    verdicts: &Classification,
    detail: VerdictDetail,
    options: &TableOptions,
    out: impl Write,
) -> Result<(), Error> {
    write(pdiff_render::verdict_markdown(of, verdicts, detail, options).as_bytes(), out)
}

/// Writes verdicts as JSON, with all evidence (`docs/json.md`).
///
/// # Errors
/// If it cannot be written.
pub fn write_verdicts_json(of: &Comparison, verdicts: &Classification, out: impl Write) -> Result<(), Error> {
    write(&pdiff_render::verdict_json(of, verdicts)?, out)
}

/// Writes verdicts as CSV.
///
/// # Errors
/// If it cannot be written.
pub fn write_verdicts_csv(verdicts: &Classification, out: impl Write) -> Result<(), Error> {
    write(&pdiff_render::verdict_csv(verdicts)?, out)
}
