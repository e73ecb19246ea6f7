//! Which units claim which addresses: of several claims to one address the best is kept.

use object::LittleEndian as Le;

use crate::address_index::flatten::{Interval, flatten};
use crate::address_index::index::{AddressIndex, UNKNOWN};
use crate::address_index::unit_index::UnitIndex;

/// Addresses further than this from the first one are left out: no code of one file reaches so far.
const MAX_SPAN: u64 = u32::MAX as u64;

/// What an address belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Claim {
    Old,
    Nothing,
    Function { unit: u32, function: u32 },
}

/// Who claims which addresses.
pub(super) struct Claims {
    claims: Vec<Claim>,
    intervals: Vec<Interval>,
    pub(super) base: u64,
}

/// Neighbouring addresses that one claims.
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) claim: Claim,
}

impl Claims {
    pub(super) fn gather(old: &AddressIndex<'_>, units: &[UnitIndex], nothing: &[u64]) -> Self {
        let mut gathered = Self { claims: Vec::new(), intervals: Vec::new(), base: 0 };
        for addr in nothing {
            gathered.add(*addr, addr.saturating_add(1), 0, Claim::Nothing);
        }
        // Of two intervals of one rank the later is taken, so the units go last to first.
        for (unit, index) in (0..).zip(units).collect::<Vec<(u32, _)>>().into_iter().rev() {
            for (function, tree) in (0..).zip(&index.functions) {
                let rank = if tree.is_symbol { 1 } else { 2 };
                for range in &tree.ranges {
                    gathered.add(range.start, range.end, rank, Claim::Function { unit, function });
                }
            }
        }
        for (start, end) in covered(old) {
            gathered.add(start, end, 3, Claim::Old);
        }
        gathered.base = gathered.intervals.iter().map(|interval| interval.start).min().unwrap_or(0);
        let limit = gathered.base.saturating_add(MAX_SPAN);
        gathered.intervals.retain(|interval| interval.end < limit);
        gathered
    }

    fn add(&mut self, start: u64, end: u64, rank: u32, claim: Claim) {
        if let Ok(node) = u32::try_from(self.claims.len()) {
            self.claims.push(claim);
            self.intervals.push(Interval { start, end, rank, node });
        }
    }

    pub(super) fn pieces(self) -> impl Iterator<Item = Piece> {
        let shown = flatten(self.intervals);
        let claims = self.claims;
        let pairs: Vec<_> = shown.iter().copied().zip(shown.iter().skip(1).map(|next| next.0)).collect();
        pairs.into_iter().filter_map(move |((start, node), end)| {
            let claim = *claims.get(node? as usize)?;
            Some(Piece { start, end, claim })
        })
    }
}

/// The ranges that an index knows.
fn covered(index: &AddressIndex<'_>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    let mut open: Option<u64> = None;
    for (addr, node) in index.segment_addrs.iter().zip(index.segment_nodes) {
        let addr = index.base.saturating_add(u64::from(addr.get(Le)));
        match (open, node.get(Le) == UNKNOWN) {
            (None, false) => open = Some(addr),
            (Some(start), true) => {
                ranges.push((start, addr));
                open = None;
            }
            _ => {}
        }
    }
    ranges
}
