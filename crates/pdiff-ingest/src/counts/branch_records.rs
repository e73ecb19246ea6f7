//! Branch records, as `perf script -F period,ip,sym,brstacksym` prints them: the last taken branches before each sample, latest
//! first.
//!
//! ```text
//! [PERIOD] IP SYMBOL FROM/TO/FLAGS FROM/TO/FLAGS ...     FROM, TO = NAME+0xOFFSET or [unknown]
//!        997      5597c7b0c1ed leaflookup+0x12/leaf+0x0/P/-/-/0/CALL main+0x40/lookup+0x0/M/-/-/0/CALL
//! ```
//!
//! perf 6.1 prints no blank between the sample's symbol and the first branch, and names have blanks, so where the first name begins
//! follows from its neighbours: code runs from where one branch led to where the next one is.
//!
//! A branch to the first byte of another function is a call of it (or a jump in tail position, which enters it as well). A branch to the
//! first byte of its own function counts if perf prints its type and that is a call. With periods, each branch counts its share of
//! the sample's period, otherwise one. The counts are a sample.

use pdiff_profile::names::is_split_part;
use pdiff_profile::{CallSource, Calls, CountedCalls, NamedBranch};

use super::{CountsFileError, qualified};

/// How perf prints a place without a symbol.
const UNKNOWN: &str = "[unknown]";

pub(super) fn is_format<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    lines.into_iter().any(|line| next_branch(line).is_some() || has_addresses(line))
}

pub(super) fn parse(text: &str) -> Result<CountedCalls, CountsFileError> {
    let mut counts = CountedCalls::new(CallSource::BranchRecords);
    let mut has_branch = false;
    for line in text.lines() {
        let branches = branches(line);
        has_branch |= !branches.is_empty();
        let weight = period(line).map_or(1.0, |period| period as f64 / branches.len() as f64);
        let names = branches.iter().map(|branch| [branch.from, branch.to].map(|name| name.map(qualified)));
        let names: Vec<_> = names.collect();
        for (at, (branch, [from, to])) in branches.iter().zip(&names).enumerate() {
            let before = names.get(at + 1).and_then(|[from, _]| from.as_deref());
            counts.add_branch(NamedBranch {
                from: from.as_deref(),
                through: before,
                to: to.as_deref(),
                is_entry: branch.is_entry,
                is_call: branch.flags.contains("CALL") && !branch.goes_on(),
                calls: Calls {
                    count: weight,
                    records: 1,
                    mispredicted: u64::from(branch.flags.starts_with('M')),
                },
            });
        }
    }
    if !has_branch && text.lines().any(has_addresses) {
        return Err(CountsFileError::Addresses);
    }
    Ok(counts)
}

/// A branch; names are absent where perf has no symbol.
#[derive(Clone, Copy)]
struct Branch<'a> {
    from: Option<&'a str>,
    to: Option<&'a str>,
    is_entry: bool,
    flags: &'a str,
}

impl Branch<'_> {
    /// Whether a function may go on here in a part of itself.
    fn goes_on(self) -> bool {
        self.to.is_some_and(is_split_part) && !self.from.is_some_and(is_split_part)
    }
}

/// The branches of a line.
fn branches(line: &str) -> Vec<Branch<'_>> {
    let mut branches = Vec::new();
    let mut rest = line;
    while let Some((branch, left)) = next_branch(rest) {
        rest = left;
        branches.push(branch);
    }
    let before = branches.get(1).and_then(|branch| branch.to);
    if let Some(first) = branches.first_mut() {
        first.from = first.from.and_then(|text| first_name(text, before, first.to));
    }
    branches
}

/// The name at the end of the text before the first offset of a line, which begins with the sample's address and symbol: where the
/// branch before led, else what follows the function that this one led to, in which the sample is.
fn first_name<'a>(text: &'a str, before: Option<&'a str>, to: Option<&str>) -> Option<&'a str> {
    if let Some(before) = before.filter(|before| text.ends_with(before)) {
        return Some(before);
    }
    let without_number = |text: &'a str| {
        let (number, rest) = text.split_once(' ')?;
        number.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| rest.trim_start())
    };
    let text = text.trim();
    let address = if period(text).is_some() { without_number(text)? } else { text };
    let symbols = without_number(address).unwrap_or(address);
    match symbols.rsplit_once("  ") {
        Some((_, name)) => Some(name.trim()),
        None => symbols.strip_prefix(to?).filter(|name| !name.is_empty()),
    }
}

/// The first branch of a line, and what is after it. A name may have spaces: `operator new(unsigned long)+0x0`.
fn next_branch(line: &str) -> Option<(Branch<'_>, &str)> {
    let (from, rest) = place(line)?;
    let (to, rest) = place(rest)?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (flags, rest) = rest.split_at_checked(end)?;
    if flags.split('/').count() < 4 {
        return None;
    }
    let is_entry = to.is_some_and(|(_, offset)| offset == 0);
    Some((Branch { from: from.map(|(name, _)| name), to: to.map(|(name, _)| name), is_entry, flags }, rest))
}

/// `NAME+0xOFFSET/` or `[unknown]/`: the name and the offset, and what is after it.
fn place(text: &str) -> Option<(Option<(&str, u64)>, &str)> {
    let known = known_place(text);
    let unknown = text.find(UNKNOWN).and_then(|at| {
        let rest = text.get(at + UNKNOWN.len()..)?.strip_prefix('/')?;
        Some((at, rest))
    });
    match (known, unknown) {
        (Some((name, ..)), Some((at, rest))) if at < name.len() => Some((None, rest)),
        (None, Some((_, rest))) => Some((None, rest)),
        (Some((name, offset, rest)), _) => Some((Some((name.trim(), offset)), rest)),
        (None, None) => None,
    }
}

fn known_place(text: &str) -> Option<(&str, u64, &str)> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find("+0x") {
        let name = text.get(..from + at)?;
        let digits = text.get(from + at + 3..)?;
        let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        let offset = u64::from_str_radix(digits.get(..end)?, 16).ok();
        if let (Some(offset), Some(rest)) = (offset, digits.get(end..)?.strip_prefix('/')) {
            return Some((name, offset, rest)).filter(|(name, ..)| !name.trim().is_empty());
        }
        from += at + 3;
    }
    None
}

/// The period at the beginning of a line, if perf printed it: an address follows, in 16 columns. A line without it begins with
/// the address, and a symbol follows, which may look like an address (`add`).
fn period(line: &str) -> Option<u64> {
    const ADDRESS_COLUMNS: usize = 16;
    let text = line.trim_start();
    let (period, rest) = text.split_at_checked(text.find(' ')?)?;
    let address = rest.split_whitespace().next()?;
    let columns = rest.find(address)? + address.len();
    let is_address = address.bytes().all(|byte| byte.is_ascii_hexdigit()) && columns > ADDRESS_COLUMNS;
    period.parse().ok().filter(|_| is_address)
}

/// `0xFROM/0xTO/P/-/-/3`.
fn has_addresses(line: &str) -> bool {
    line.split_whitespace().any(|word| {
        let mut fields = word.split('/');
        let mut is_address = || fields.next().is_some_and(|field| field.starts_with("0x"));
        is_address() && is_address() && fields.count() >= 4
    })
}
