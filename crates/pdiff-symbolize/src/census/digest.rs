//! A 64-bit digest of bytes, the same on every machine and in every run: body hashes are kept in caches.
//!
//! Eight bytes a step, multiplied to 128 bits and folded, the way of wyhash. Against accident, not malice.

const SEED: u64 = 0x2d35_8dcc_aa6c_78a5;
const FACTOR: u64 = 0x8bb8_4b93_962e_acc9;

/// A digest in the making.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digest(u64);

impl Digest {
    pub(super) fn new() -> Self {
        Self(SEED)
    }

    pub(super) fn number(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number) * u128::from(FACTOR);
        self.0 = (product as u64 ^ (product >> 64) as u64).wrapping_add(self.0.rotate_left(23));
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        let (words, tail) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.number(u64::from_le_bytes(*word)));
        let tail = tail.iter().fold(1, |sum: u64, byte| sum << 8 | u64::from(*byte));
        self.number(tail);
        self.number(bytes.len() as u64);
    }

    pub(super) fn finish(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> u64 {
        let mut digest = Digest::new();
        digest.bytes(bytes);
        digest.finish()
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
