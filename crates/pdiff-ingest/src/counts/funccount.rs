//! Counts of chosen functions, as bpftrace and funccount of bcc print them.
//!
//! ```text
//! @calls[_ZN11ha_innobase8info_lowEjb]: 1203
//! @[uprobe:/usr/sbin/mysqld:info_low]: 1203
//!
//! FUNC                                    COUNT
//! row_search_mvcc                          5400
//! ```

use pdiff_profile::{CallSource, CountedCalls};

use super::{CountsFileError, count, qualified};

pub(super) fn is_bpftrace<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    lines.into_iter().any(|line| bpftrace_count(line).is_some())
}

pub(super) fn is_funccount<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    lines.into_iter().any(is_heading)
}

pub(super) fn parse(text: &str, source: CallSource) -> Result<CountedCalls, CountsFileError> {
    let mut counts = CountedCalls::new(source);
    let mut is_in_table = source == CallSource::Bpftrace;
    for (index, line) in text.lines().enumerate() {
        let malformed = || CountsFileError::Malformed {
            line: index + 1,
            expected: "a function and its calls",
            source_format: source,
        };
        if source == CallSource::Bpftrace {
            match bpftrace_count(line) {
                Some((function, calls)) => counts.add(&qualified(function), calls),
                None if line.starts_with('@') => return Err(malformed()),
                None => {}
            }
            continue;
        }
        if is_heading(line) {
            is_in_table = true;
        } else if line.trim().is_empty() || line.starts_with("Detaching") || line.starts_with('^') {
            // Intervals of `-i` have a time and a heading each.
            is_in_table = is_in_table && !line.trim().is_empty();
        } else if is_in_table {
            let (function, calls) = line.trim().rsplit_once(char::is_whitespace).ok_or_else(malformed)?;
            counts.add(&qualified(function), count(calls).ok_or_else(malformed)?);
        }
    }
    Ok(counts)
}

/// `@name[key, key]: N`. The function is the last part of the first key that is not a path.
fn bpftrace_count(line: &str) -> Option<(&str, f64)> {
    let (key, calls) = line.trim().strip_prefix('@')?.rsplit_once("]:")?;
    let key = key.split_once('[')?.1;
    let is_probe = ["uprobe:", "kprobe:", "u:", "k:", "fentry:"].iter().any(|kind| key.starts_with(kind));
    let function = match is_probe {
        // The path has no colon; the name of a function may.
        true => key.splitn(if key.starts_with('u') { 3 } else { 2 }, ':').last()?,
        false => key,
    };
    let function = function.split_once("+0x").map_or(function, |(name, _)| name).trim();
    Some((function, count(calls)?)).filter(|(function, _)| !function.is_empty())
}

fn is_heading(line: &str) -> bool {
    line.split_whitespace().eq(["FUNC", "COUNT"])
}
