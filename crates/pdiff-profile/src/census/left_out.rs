//! The names of functions that a part of a census does not hold, so that what is left out never reads as absent.
//!
//! A name is kept as a hash of [`HASH_BITS`] bits: of 80,000 names one in 850,000 others is taken for one of them.
//! Sorted and written as differences, a name takes three bytes.

use crate::codec::{ByteReader, ByteWriter};

/// Bits of a hash. Each more costs a bit a name; each less doubles the names that are mistaken for others.
const HASH_BITS: u32 = 36;

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

    pub(super) fn write(&self, out: &mut ByteWriter) {
        out.count(self.0.len());
        let mut before = 0;
        for hash in &self.0 {
            out.number(hash - before);
            before = *hash;
        }
    }

    pub(super) fn read(reader: &mut ByteReader<'_>) -> Option<Self> {
        let count = reader.count(1)?;
        let mut before = 0_u64;
        let mut hashes = Vec::with_capacity(count);
        for _ in 0..count {
            before = before.checked_add(reader.number()?)?;
            hashes.push(before);
        }
        Some(Self(hashes))
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
        assert!(others <= 1, "{others} mistaken");
        let mut out = ByteWriter::new();
        left_out.write(&mut out);
        let bytes = out.into_bytes();
        assert!(bytes.len() < 4 * names.len());
        assert_eq!(LeftOut::read(&mut ByteReader::new(&bytes)), Some(left_out));
    }
}
