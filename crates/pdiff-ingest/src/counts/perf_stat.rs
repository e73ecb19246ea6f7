//! `perf stat -x,` with probes (perf 6.1): value, unit, event, run time, percent of it that was counted.
//!
//! ```text
//! 1203,,probe_mysqld:info_low,10001234567,100.00,,
//! ```
//!
//! With `-I`, a time is before each line and intervals are added. Events that are not probes are left out, and so are the
//! probes of returns (`__return`). What was not counted is not zero.

use pdiff_profile::{CallSource, CountedCalls};

use super::{CountsFileError, count, qualified};

pub(super) fn is_format<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    lines.into_iter().any(|line| event(line).is_some())
}

pub(super) fn parse(text: &str) -> Result<CountedCalls, CountsFileError> {
    let mut counts = CountedCalls::new(CallSource::PerfStat);
    for (index, line) in text.lines().enumerate() {
        let Some((value, probe)) = event(line) else { continue };
        let function = probe.split_once(':').map_or(probe, |(_, function)| function);
        if function.ends_with("__return") || value.starts_with('<') {
            continue;
        }
        let calls = count(value).ok_or(CountsFileError::Malformed {
            line: index + 1,
            expected: "a number of calls",
            source_format: CallSource::PerfStat,
        })?;
        counts.add(&qualified(function), calls);
    }
    Ok(counts)
}

/// The value and the name of a probe.
fn event(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let separator = [',', ';'].into_iter().find(|separator| line.contains(*separator))?;
    let fields: Vec<&str> = line.split(separator).take(5).map(str::trim).collect();
    let at = fields.iter().position(|field| field.starts_with("probe") && field.contains(':'))?;
    let probe = fields.get(at)?;
    // `probe_x:f/modifier` and `probe_x:f:u` have modifiers after the name.
    let end = probe.match_indices([':', '/']).nth(1).map_or(probe.len(), |(end, _)| end);
    Some((*fields.get(at.checked_sub(2)?)?, probe.get(..end)?))
}
