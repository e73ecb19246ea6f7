//! A table: function, calls per operation; or function, before, after, of which the column of the side is taken.
//!
//! ```text
//! function<TAB>calls
//! ha_innobase::info_low<TAB>1.0
//! ha_innobase::info_low -> index_pct_cached<TAB>1.0
//! ```

use pdiff_profile::{CallSource, CountedCalls, Side};
use rustc_hash::FxHashSet;

use super::{CountsFileError, count};

pub(super) fn is_format<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut lines = lines.filter(|line| !line.starts_with('#'));
    let is_row = |line: &str| line.split('\t').nth(1).and_then(count).is_some();
    match lines.next() {
        Some(first) => is_row(first) || (first.starts_with("function\t") && lines.next().is_some_and(is_row)),
        None => false,
    }
}

pub(super) fn parse(text: &str, side: Side) -> Result<CountedCalls, CountsFileError> {
    let mut counts = CountedCalls::new(CallSource::Table);
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    for (index, line) in text.lines().enumerate() {
        let is_heading = seen.is_empty() && line.starts_with("function\t");
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let mut fields = line.split('\t').map(str::trim);
        let name = fields.next().unwrap_or_default();
        let numbers: Option<Vec<f64>> = fields.map(count).collect();
        let calls = match numbers.as_deref() {
            Some([calls]) => Some(*calls),
            Some([before, after]) => Some(if side == Side::Before { *before } else { *after }),
            _ => None,
        };
        let Some(calls) = calls.filter(|_| !name.is_empty()) else {
            if is_heading {
                continue;
            }
            return Err(CountsFileError::Malformed {
                line: index + 1,
                expected: "a name and one or two numbers",
                source_format: CallSource::Table,
            });
        };
        if !seen.insert(name) {
            return Err(CountsFileError::Twice { line: index + 1 });
        }
        match name.split_once(" -> ") {
            Some((caller, callee)) => {
                counts.entries.insert((caller.trim().into(), callee.trim().into()), calls.into());
            }
            None => counts.add(name, calls),
        }
    }
    Ok(counts)
}
