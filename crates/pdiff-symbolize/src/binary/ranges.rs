//! Ranges of addresses that do not overlap, and which of them contains an address.

use std::ops::Range;

/// The ranges by address, each from where those before it end; what is empty is left out.
pub(crate) fn disjoint(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut end = 0;
    for range in &mut ranges {
        range.start = range.start.max(end);
        end = end.max(range.end);
    }
    ranges.retain(|range| !range.is_empty());
    ranges
}

/// The one of disjoint ranges that contains an address.
pub(crate) fn range_at(ranges: &[Range<u64>], addr: u64) -> Option<&Range<u64>> {
    let at = ranges.partition_point(|range| range.end <= addr);
    ranges.get(at).filter(|range| range.start <= addr)
}

/// The parts of a range that lie in none of some disjoint ranges.
pub(crate) fn without(range: &Range<u64>, disjoint: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut parts = Vec::new();
    let mut start = range.start;
    let from = disjoint.partition_point(|other| other.end <= start);
    for other in disjoint.iter().skip(from).take_while(|other| other.start < range.end) {
        parts.push(start..other.start);
        start = other.end;
    }
    parts.push(start..range.end);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_overlap_hold_the_same_addresses_as_before() {
        let ranges = [0..10, 2..4, 6..14, 14..16, 20..20, Range { start: 25, end: 21 }, 30..31];
        let parts = disjoint(ranges.to_vec());
        assert!(parts.windows(2).all(|pair| pair[0].end <= pair[1].start), "{parts:?}");
        let rest = without(&(1..38), &parts);
        for addr in 1..38 {
            assert_eq!(
                range_at(&rest, addr).is_some(),
                range_at(&parts, addr).is_none(),
                "{addr} in {rest:?}"
            );
        }
        for addr in 0..40 {
            let is_held = ranges.iter().any(|range| range.contains(&addr));
            assert_eq!(range_at(&parts, addr).is_some(), is_held, "{addr} in {parts:?}");
        }
    }
}
