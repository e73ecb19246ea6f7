//! The names of functions that a partial census leaves out, so that they are never reported as absent.
//!
//! A name is kept as a hash of [`HASH_BITS`] bits: with 80,000 names, one in 50,000 other names is mistaken for one of them
//! and counts as being in the build. That weakens claims and never makes a false one. Sorted and written as differences, a
//! name takes two bytes.

use crate::codec::{ByteReader, ByteWriter};

/// Bits of a hash. Each more costs a bit a name; each less doubles the names that are mistaken for others.
const HASH_BITS: u32 = 32;

/// The most names that are read: each takes a bit of bytes that pack to nothing. A large server leaves out 80,000.
const MAX_NAMES: usize = 1 << 24;

/// Hashes of names, sorted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct LeftOut(Vec<u64>);

impl LeftOut {
    pub(super) fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut hashes: Vec<u64> = names.map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.binary_search(&hash(name)).is_ok()
    }

    pub(super) fn of_both(&self, other: &Self) -> Self {
        let is_of_both = |hash: &u64| other.0.binary_search(hash).is_ok();
        Self(self.0.iter().copied().filter(is_of_both).collect())
    }

    /// Writes differences in Golomb-Rice code: the upper bits as that many ones and a zero, the lower bits unchanged.
    pub(super) fn write(&self, out: &mut ByteWriter) {
        out.count(self.0.len());
        let low_bits = low_bits(self.0.len());
        let mut bits = BitWriter::default();
        let mut before = 0;
        for hash in &self.0 {
            let step = hash - before;
            (0..step >> low_bits).for_each(|_| bits.push(true));
            bits.push(false);
            (0..low_bits).for_each(|bit| bits.push(step >> bit & 1 == 1));
            before = *hash;
        }
        out.block(&bits.bytes);
    }

    pub(super) fn read(reader: &mut ByteReader<'_>) -> Option<Self> {
        let count = usize::try_from(reader.number()?).ok()?;
        let mut bits = BitReader { bytes: reader.block()?, at: 0 };
        // Each takes a bit at least.
        if count > MAX_NAMES || count > bits.bytes.len().saturating_mul(8) {
            return None;
        }
        let low_bits = low_bits(count);
        let mut before = 0_u64;
        let mut hashes = Vec::with_capacity(count);
        for _ in 0..count {
            let mut high = 0_u64;
            while bits.next()? {
                high += 1;
            }
            let mut step = high.checked_shl(low_bits)?;
            for bit in 0..low_bits {
                step |= u64::from(bits.next()?) << bit;
            }
            before = before.checked_add(step).filter(|hash| *hash >> HASH_BITS == 0)?;
            hashes.push(before);
        }
        Some(Self(hashes))
    }
}

/// The number of low bits of a difference that are written unchanged: about as many as the mean has.
fn low_bits(count: usize) -> u32 {
    (1_u64 << HASH_BITS).checked_div(count as u64).map_or(0, |mean| mean.max(1).ilog2())
}

#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    used: usize,
}

impl BitWriter {
    fn push(&mut self, bit: bool) {
        if self.used.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(byte) = self.bytes.last_mut() {
            *byte |= u8::from(bit) << (self.used % 8);
        }
        self.used += 1;
    }
}

struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl BitReader<'_> {
    fn next(&mut self) -> Option<bool> {
        let byte = self.bytes.get(self.at / 8)?;
        let bit = byte >> (self.at % 8) & 1 == 1;
        self.at += 1;
        Some(bit)
    }
}

/// FNV-1a, whose upper bits are mixed well (RFC draft-eastlake-fnv): the same on every machine and in every version.
fn hash(name: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    let hash = name.bytes().fold(OFFSET, mix);
    // The last bytes of a name reach the upper bits by one product only; fold the lower ones in.
    (hash ^ hash.rotate_left(29)).wrapping_mul(PRIME.wrapping_mul(OFFSET)) >> (u64::BITS - HASH_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_others_are_not() {
        let names: Vec<String> = (0..20_000).map(|number| format!("std::f<{number}>")).collect();
        let left_out = LeftOut::of(names.iter().map(String::as_str));
        assert!(names.iter().all(|name| left_out.contains(name)));
        let others = (0..20_000).filter(|number| left_out.contains(&format!("std::g<{number}>"))).count();
        assert!(others <= 2, "{others} mistaken");
        let mut out = ByteWriter::new();
        left_out.write(&mut out);
        let bytes = out.into_bytes();
        assert!(bytes.len() < 3 * names.len());
        assert_eq!(LeftOut::read(&mut ByteReader::new(&bytes)), Some(left_out));
    }

    #[test]
    fn more_names_than_a_build_has_are_refused() {
        let mut out = ByteWriter::new();
        out.count(MAX_NAMES + 8);
        out.block(&vec![0; 2 * MAX_NAMES]);
        assert_eq!(LeftOut::read(&mut ByteReader::new(&out.into_bytes())), None);
    }
}
