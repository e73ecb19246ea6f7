//! Numbers of CPUs as `perf record -C` takes them: `0-3,7`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Some CPUs of a machine.
///
/// ```
/// use pdiff_ingest::CpuList;
/// let cpus: CpuList = "0-3,7".parse()?;
/// assert!(cpus.contains(2) && cpus.contains(7) && !cpus.contains(4));
/// # Ok::<(), pdiff_ingest::ParseCpuListError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CpuList(Vec<RangeInclusive<u32>>);

/// The reason why a text is not a list of CPUs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{0}' is not a list of CPUs; hint: write numbers and ranges, such as 0-3,7")]
pub struct ParseCpuListError(Box<str>);

impl CpuList {
    /// Whether a CPU is one of them.
    #[must_use]
    pub fn contains(&self, cpu: u32) -> bool {
        self.0.iter().any(|range| range.contains(&cpu))
    }
}

impl FromStr for CpuList {
    type Err = ParseCpuListError;

    fn from_str(text: &str) -> Result<Self, ParseCpuListError> {
        let number = |word: &str| word.trim().parse::<u32>().ok();
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some(first..=last)
        };
        let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
        ranges.map(Self).ok_or_else(|| ParseCpuListError(text.into()))
    }
}

impl fmt::Display for CpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, range) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            match range.start() == range.end() {
                true => write!(f, "{comma}{}", range.start())?,
                false => write!(f, "{comma}{}-{}", range.start(), range.end())?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_reads_back_and_what_is_no_list_is_refused() {
        for text in ["0", "0-3,7", "4294967295"] {
            assert_eq!(text.parse::<CpuList>().unwrap().to_string(), text);
        }
        for text in ["", "3-1", "a", "1,", "-1", "4294967296", "1-2-3"] {
            assert!(text.parse::<CpuList>().is_err(), "{text}");
        }
    }
}
