//! Which of several overlapping ranges an address belongs to.
//!
//! ```text
//! function  |-------------------------------|
//! inlined        |--------------|
//! deeper             |----|
//! shown     fffff iiii dddd iiiii ffffffffff
//! ```
//!
//! The higher rank is taken, and of one rank the later node. What is inside comes after what contains it, so the deepest
//! shows; and of calls that overlap without nesting (GCC 4.1 writes such) the later one, whose source the line table names
//! there.

use std::collections::BinaryHeap;

/// A range of addresses with a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) rank: u32,
    pub(crate) node: u32,
}

/// From each address on, which node it belongs to; sorted, each address once, the last one `None`.
pub(crate) fn flatten(mut intervals: Vec<Interval>) -> Vec<(u64, Option<u32>)> {
    intervals.sort_unstable_by_key(|interval| (interval.start, interval.rank, interval.node));
    let mut flattening =
        Flattening { segments: Vec::with_capacity(intervals.len() * 2), open: BinaryHeap::new() };
    for interval in intervals.into_iter().filter(|interval| interval.start < interval.end) {
        flattening.close_until(interval.start);
        flattening.open(interval);
    }
    flattening.close_until(u64::MAX);
    flattening.segments
}

struct Flattening {
    segments: Vec<(u64, Option<u32>)>,
    /// Rank, node and end of those begun; the greatest one shows. Those under it may have ended.
    open: BinaryHeap<(u32, u32, u64)>,
}

impl Flattening {
    fn open(&mut self, Interval { start, end, rank, node }: Interval) {
        if self.open.peek().is_none_or(|top| *top <= (rank, node, end)) {
            self.show(start, Some(node));
        }
        self.open.push((rank, node, end));
    }

    /// Takes away what ends at or before `limit`; what then shows begins where the other ended.
    fn close_until(&mut self, limit: u64) {
        while let Some((.., end)) = self.open.peek().copied() {
            if end > limit {
                return;
            }
            while self.open.peek().is_some_and(|(.., next)| *next <= end) {
                self.open.pop();
            }
            self.show(end, self.open.peek().map(|(_, node, _)| *node));
        }
    }

    fn show(&mut self, addr: u64, node: Option<u32>) {
        match self.segments.last_mut() {
            Some(last) if last.0 == addr => last.1 = node,
            Some(last) if last.1 == node => return,
            _ => self.segments.push((addr, node)),
        }
        let len = self.segments.len();
        if let [.., before, last] = self.segments.as_slice()
            && before.1 == last.1
        {
            self.segments.truncate(len - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(intervals: &[(u64, u64, u32)], expected: &str) {
        let intervals: Vec<Interval> = intervals
            .iter()
            .zip(0..)
            .map(|((start, end, rank), node)| Interval { start: *start, end: *end, rank: *rank, node })
            .collect();
        let segments = flatten(intervals.clone());
        let node_at = |addr: u64| {
            let at = segments.partition_point(|(start, _)| *start <= addr);
            at.checked_sub(1).and_then(|at| segments[at].1)
        };
        let got: String =
            (0..10).map(|addr| node_at(addr).map_or('.', |n| (b'a' + n as u8) as char)).collect();
        assert_eq!(got, expected, "{intervals:?} {segments:?}");
        assert!(segments.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1));
        assert!(segments.last().is_none_or(|last| last.1.is_none()));
    }

    #[test]
    fn the_deepest_range_shows() {
        check(&[(1, 9, 0)], ".aaaaaaaa.");
        check(&[(1, 9, 0), (3, 6, 1), (4, 5, 2)], ".aabcbaaa.");
        check(&[(1, 9, 0), (1, 9, 1), (1, 9, 2)], ".cccccccc.");
        check(&[(1, 9, 0), (1, 4, 1), (4, 9, 1)], ".bbbccccc.");
        check(&[(1, 4, 0), (6, 9, 0)], ".aaa..bbb.");
        check(&[(0, 4, 0), (4, 9, 0), (2, 6, 1)], "aaccccbbb.");
    }

    #[test]
    fn any_ranges_keep_to_the_law() {
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (random >> 33) % below
        };
        for _ in 0..1000 {
            let intervals: Vec<(u64, u64, u32)> =
                (0..next(9)).map(|_| (next(10), next(11), next(3) as u32)).collect();
            let at = |addr: u64| {
                let holding = intervals
                    .iter()
                    .zip(0_u8..)
                    .filter(|((start, end, _), _)| (*start..*end).contains(&addr));
                holding
                    .max_by_key(|((.., rank), node)| (*rank, *node))
                    .map_or('.', |(_, node)| (b'a' + node) as char)
            };
            let expected: String = (0..10).map(at).collect();
            check(&intervals, &expected);
        }
    }

    #[test]
    fn ranges_that_cross_keep_to_the_law() {
        check(&[(1, 6, 0), (4, 9, 0)], ".aaabbbbb.");
        check(&[(1, 6, 1), (4, 9, 0)], ".aaaaabbb.");
        check(&[(1, 9, 0), (2, 6, 1), (4, 8, 1), (3, 5, 2)], ".abddccca.");
        check(&[(2, 2, 0)], "..........");
    }
}
