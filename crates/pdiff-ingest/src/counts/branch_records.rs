//! Branch records, as `perf script -F ip,sym,brstacksym` prints them (perf 6.1): the last taken branches before each sample.
//!
//! ```text
//!     55d1 leaf+0x4  lookup+0x12/leaf+0x0/P/-/-/3  main+0x40/lookup+0x0/P/-/-/7
//! ```
//!
//! A branch to the first byte of another function is a call of it (or a jump in tail position, which enters it as well). A branch to the
//! first byte of its own function counts if perf prints its type and that is a call. The counts are a sample: only ratios are known.

use pdiff_profile::{CallSource, CountedCalls};

use super::{CountsFileError, qualified};

pub(super) fn is_format<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    lines.into_iter().any(|line| next_branch(line).is_some() || has_addresses(line))
}

pub(super) fn parse(text: &str) -> Result<CountedCalls, CountsFileError> {
    let mut counts = CountedCalls::new(CallSource::BranchRecords);
    let mut has_branch = false;
    for line in text.lines() {
        let mut rest = line;
        while let Some((branch, left)) = next_branch(rest) {
            rest = left;
            has_branch = true;
            let is_call = branch.kind.contains("CALL");
            if branch.is_entry && (branch.from != branch.to || is_call) {
                counts.add_entries(&qualified(branch.from), &qualified(branch.to), 1.0);
            }
        }
    }
    if !has_branch && text.lines().any(has_addresses) {
        return Err(CountsFileError::Addresses);
    }
    Ok(counts)
}

struct Branch<'a> {
    from: &'a str,
    to: &'a str,
    is_entry: bool,
    kind: &'a str,
}

/// The first branch of a line, and what is after it. A name may have spaces: `operator new(unsigned long)+0x0`.
fn next_branch(line: &str) -> Option<(Branch<'_>, &str)> {
    let (from, _, rest) = place(line)?;
    let (to, offset, rest) = place(rest)?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (flags, rest) = rest.split_at_checked(end)?;
    if flags.split('/').count() < 4 {
        return None;
    }
    // The sample's own address and symbol are before the first branch, two spaces away.
    let from = from.rsplit_once("  ").map_or(from, |(_, name)| name).trim();
    Some((Branch { from, to, is_entry: offset == 0, kind: flags }, rest))
}

/// `NAME+0xOFFSET/`: the name, the offset, and what is after it.
fn place(text: &str) -> Option<(&str, u64, &str)> {
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

/// `0xFROM/0xTO/P/-/-/3`.
fn has_addresses(line: &str) -> bool {
    line.split_whitespace().any(|word| {
        let mut fields = word.split('/');
        let mut is_address = || fields.next().is_some_and(|field| field.starts_with("0x"));
        is_address() && is_address() && fields.count() >= 4
    })
}
