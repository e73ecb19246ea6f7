//! Variable-length numbers in bytes: seven bits per byte, lowest first.
//!
//! Reading never panics: past the end or too long is `None`, and a count reserves no more memory than the bytes left
//! can fill.

/// Bytes in the making.
///
/// ```
/// use pdiff_profile::codec::{ByteReader, ByteWriter};
/// let mut writer = ByteWriter::new();
/// writer.number(300);
/// writer.text("main");
/// let bytes = writer.into_bytes();
/// let mut reader = ByteReader::new(&bytes);
/// assert_eq!((reader.number(), reader.text()), (Some(300), Some("main")));
/// assert!(reader.is_empty());
/// ```
#[derive(Debug, Default)]
pub struct ByteWriter(pub(crate) Vec<u8>);

impl ByteWriter {
    /// No bytes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One byte unchanged.
    pub fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// A number of one to ten bytes: small is short.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A difference: small either way is short.
    pub fn difference(&mut self, before: u64, after: u64) {
        let delta = after.wrapping_sub(before) as i64;
        self.number(((delta << 1) ^ (delta >> 63)) as u64);
    }

    /// A number of eight bytes, lowest first.
    pub fn fixed(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// How many rows follow.
    pub fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    /// Length and bytes.
    pub fn block(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    /// Length and UTF-8.
    pub fn text(&mut self, text: &str) {
        self.block(text.as_bytes());
    }

    /// What was written.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Bytes not yet read.
#[derive(Clone, Debug)]
pub struct ByteReader<'a>(pub(crate) &'a [u8]);

impl<'a> ByteReader<'a> {
    /// All of `bytes` is to be read.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether all was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many bytes are not read yet.
    #[must_use]
    pub fn left(&self) -> usize {
        self.0.len()
    }

    /// One byte unchanged.
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A number of one to ten bytes.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        // Most numbers are small.
        let (number, rest) = match self.0 {
            [first @ 0..0x80, rest @ ..] => (u64::from(*first), rest),
            [first, second @ 0..0x80, rest @ ..] => {
                (u64::from(*first & 0x7f) | u64::from(*second) << 7, rest)
            }
            [first, second, third @ 0..0x80, rest @ ..] => {
                let low = u64::from(*first & 0x7f) | u64::from(*second & 0x7f) << 7;
                (low | u64::from(*third) << 14, rest)
            }
            _ => return self.long_number(),
        };
        self.0 = rest;
        Some(number)
    }

    fn long_number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A number that fits in 32 bits.
    #[inline]
    pub(crate) fn number32(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// What comes after `before`.
    #[inline]
    pub fn difference(&mut self, before: u64) -> Option<u64> {
        let zigzag = self.number()?;
        let delta = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
        Some(before.wrapping_add(delta as u64))
    }

    /// Reads the value after `before`, if it fits in 32 bits.
    #[inline]
    pub(crate) fn difference32(&mut self, before: u32) -> Option<u32> {
        u32::try_from(self.difference(u64::from(before))?).ok()
    }

    /// A number of eight bytes.
    pub fn fixed(&mut self) -> Option<u64> {
        let (head, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*head))
    }

    /// The next `len` bytes.
    pub fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(head)
    }

    /// Bytes behind their length.
    pub fn block(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.number()?).ok()?;
        self.take(len)
    }

    /// UTF-8 after its length.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.block()?).ok()
    }

    /// How many rows of at least `row_bytes` bytes follow; `None` if that many cannot be left, so that a damaged count
    /// reserves no memory.
    pub fn count(&mut self, row_bytes: usize) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count.checked_mul(row_bytes)? <= self.0.len()).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [
            0,
            1,
            127,
            128,
            300,
            (1 << 14) - 1,
            1 << 14,
            (1 << 21) - 1,
            1 << 21,
            u64::from(u32::MAX),
            u64::MAX - 1,
            u64::MAX,
        ];
        let mut writer = ByteWriter::default();
        let mut before = 77;
        for number in numbers {
            writer.number(number);
            writer.difference(before, number);
            before = number;
        }
        let mut reader = ByteReader(&writer.0);
        let mut before = 77;
        for number in numbers {
            assert_eq!((reader.number(), reader.difference(before)), (Some(number), Some(number)));
            before = number;
        }
        assert_eq!(reader.byte(), None);
    }

    #[test]
    fn too_long_numbers_are_refused() {
        assert_eq!(ByteReader(&[0xff; 9]).number(), None);
        assert_eq!(ByteReader(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]).number(), None);
        assert_eq!(
            ByteReader(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0]).number(),
            None
        );
    }

    #[test]
    fn counts_that_the_bytes_left_cannot_hold_are_refused() {
        assert_eq!(ByteReader(&[3, 0, 0, 0]).count(1), Some(3));
        assert_eq!(ByteReader(&[3, 0, 0, 0]).count(2), None);
        assert_eq!(ByteReader(&[4, 0, 0, 0]).block(), None);
    }
}
