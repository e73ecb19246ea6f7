//! A 64-bit hash of bytes, the same on every machine and in every run: it names cache files and objects without a
//! build-id, and tells whether two functions have the same code.
//!
//! Eight bytes a step, multiplied to 128 bits and folded, the way of wyhash, about 4 GB/s. It guards against accidents, not
//! against malice: an attacker who can replace a file can do worse.

/// Odd constants without pattern (digits of the golden ratio and of pi).
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const SEED: u64 = 0x2438_8a64_1e4a_3f6b;

/// A hash in the making.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContentHash {
    state: u64,
    len: u64,
}

impl ContentHash {
    pub(crate) fn new() -> Self {
        Self { state: SEED, len: 0 }
    }

    /// Adds a number.
    pub(crate) fn number(&mut self, number: u64) {
        let product = u128::from(self.state ^ number) * u128::from(FACTOR);
        let folded = (product as u64) ^ ((product >> 64) as u64);
        self.state = folded.rotate_left(23) ^ number.wrapping_mul(SEED);
    }

    /// Adds bytes; how they are cut into calls counts.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.number(u64::from_le_bytes(*word)));
        self.number(rest.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)));
        self.len = self.len.wrapping_add(bytes.len() as u64);
        self.number(self.len);
    }

    pub(crate) fn finish(mut self) -> u64 {
        self.number(self.len);
        self.number(FACTOR);
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> u64 {
        let mut hash = ContentHash::new();
        hash.bytes(bytes);
        hash.finish()
    }

    #[test]
    fn every_byte_and_the_length_count() {
        let base = [7_u8; 40];
        let mut seen: Vec<u64> = (0..=40).map(|length| of(&base[..length])).collect();
        for at in 0..40 {
            let mut changed = base;
            changed[at] ^= 1;
            seen.push(of(&changed));
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 81);
    }
}
