//! Files of what compilers said of inlining.

use std::path::PathBuf;

use anyhow::{Result, bail};
use pdiff::inlines::InlineReasons;
use pdiff::parse_inline_remarks;
use pdiff::profile::PerSide;

use super::{REMARKS, read_file};
use crate::cli::RemarkArgs;

/// Files of a build may have nothing to inline, but not all of them.
const NOTHING: &str = "it and all other reports of its build say nothing about inlining";

/// What the compiler of each build said, where a file of it is given.
pub(crate) fn inline_reasons(args: &RemarkArgs) -> Result<PerSide<Option<InlineReasons>>> {
    let of_side = |paths: &[PathBuf]| -> Result<Option<InlineReasons>> {
        let mut remarks = Vec::new();
        for path in paths {
            remarks.extend(read_file(path, REMARKS, parse_inline_remarks)?);
        }
        if let Some(first) = paths.first().filter(|_| remarks.is_empty()) {
            bail!(
                "{}: {NOTHING}; hint: GCC needs -fopt-info-inline-optimized-missed=FILE, Clang \
                 -fsave-optimization-record=yaml",
                first.display()
            );
        }
        Ok((!paths.is_empty()).then(|| InlineReasons::new(remarks)))
    };
    Ok(PerSide::new(of_side(&args.remarks_before)?, of_side(&args.remarks_after)?))
}
