//! Calls counted by other tools, on one side: the format is recognised by content, each has a reader of its own.
//!
//! Names become qualified names, as rows have them. What is not a count of calls is left out: times, instructions, counters.

mod branch_records;
mod callgrind;
mod funccount;
mod perf_stat;
mod table;

use pdiff_profile::names::{FunctionName, MatchLevel};
use pdiff_profile::{CallSource, CountedCalls, Side};

/// An error in a file of counted calls.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountsFileError {
    /// None of the formats.
    #[error(
        "its format is not one of the known formats of call counts; hint: callgrind output, perf.data of `perf record -b` or its text \
         (`perf script -F period,ip,sym,brstacksym`), bpftrace or funccount text, `perf stat -x,` with probes, or lines of function<TAB>calls"
    )]
    Unknown,
    /// A line that the format does not allow.
    #[error("line {line}: not {expected} ({format})", format = .source_format)]
    Malformed {
        /// Which line, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
        /// Which format the file has.
        source_format: CallSource,
    },
    /// A name that a table has twice.
    #[error("line {line}: a name that is in the table twice")]
    Twice {
        /// Which line, from 1.
        line: usize,
    },
    /// The format is known, but no call is in it.
    #[error("it has no calls ({0})")]
    Empty(CallSource),
    /// Branch records of addresses without names.
    #[error(
        "branch records without names; hint: give perf.data itself, or print the functions: perf script -F period,ip,sym,brstacksym"
    )]
    Addresses,
}

/// Reads the counts of one side. From a table with both sides, it takes the column of that side.
///
/// # Errors
/// Returns an error if the format is not recognised, a line is malformed, or the file has no calls.
pub fn parse_counts(text: &str, side: Side) -> Result<CountedCalls, CountsFileError> {
    let counts = match format_of(text).ok_or(CountsFileError::Unknown)? {
        CallSource::Callgrind => callgrind::parse(text)?,
        CallSource::BranchRecords => branch_records::parse(text)?,
        source @ (CallSource::Bpftrace | CallSource::Funccount) => funccount::parse(text, source)?,
        CallSource::PerfStat => perf_stat::parse(text)?,
        CallSource::Table => table::parse(text, side)?,
    };
    match counts.functions.is_empty() {
        true => Err(CountsFileError::Empty(counts.source)),
        false => Ok(counts),
    }
}

/// Lines looked at to recognise a format.
const LOOKED_AT: usize = 200;

fn format_of(text: &str) -> Option<CallSource> {
    let lines = || text.lines().take(LOOKED_AT).filter(|line| !line.trim().is_empty());
    if callgrind::is_format(lines()) {
        return Some(CallSource::Callgrind);
    }
    if funccount::is_bpftrace(lines()) {
        return Some(CallSource::Bpftrace);
    }
    if funccount::is_funccount(lines()) {
        return Some(CallSource::Funccount);
    }
    if table::is_format(lines()) {
        return Some(CallSource::Table);
    }
    if perf_stat::is_format(lines()) {
        return Some(CallSource::PerfStat);
    }
    branch_records::is_format(lines()).then_some(CallSource::BranchRecords)
}

/// The qualified name of what a tool printed.
fn qualified(symbol: &str) -> Box<str> {
    FunctionName::parse(symbol.trim()).at(MatchLevel::Qualified).into()
}

/// A count: finite, zero or more.
fn count(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|count: &f64| count.is_finite() && *count >= 0.0)
}

#[cfg(test)]
mod tests;
