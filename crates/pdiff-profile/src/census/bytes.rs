//! Variable-length numbers in bytes: seven bits per byte, lowest first.
//!
//! Reading never panics: past the end or too long is `None`.

/// Bytes in the making.
#[derive(Debug, Default)]
pub(super) struct ByteWriter(pub(super) Vec<u8>);

impl ByteWriter {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A difference: small either way is short.
    pub(super) fn difference(&mut self, before: u64, after: u64) {
        let delta = after.wrapping_sub(before) as i64;
        self.number(((delta << 1) ^ (delta >> 63)) as u64);
    }

    pub(super) fn fixed(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }
}

/// Bytes not yet read.
#[derive(Debug)]
pub(super) struct ByteReader<'a>(pub(super) &'a [u8]);

impl<'a> ByteReader<'a> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
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

    pub(super) fn number32(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    pub(super) fn difference(&mut self, before: u64) -> Option<u64> {
        let zigzag = self.number()?;
        let delta = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
        Some(before.wrapping_add(delta as u64))
    }

    pub(super) fn difference32(&mut self, before: u32) -> Option<u32> {
        u32::try_from(self.difference(u64::from(before))?).ok()
    }

    pub(super) fn fixed(&mut self) -> Option<u64> {
        let (head, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*head))
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number()?).ok()?;
        let (head, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(head).ok()
    }

    /// How many rows of at least `row_bytes` bytes follow; `None` if that many cannot be left, so that a damaged count
    /// reserves no memory.
    pub(super) fn count(&mut self, row_bytes: usize) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count.checked_mul(row_bytes)? <= self.0.len()).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX];
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
}
