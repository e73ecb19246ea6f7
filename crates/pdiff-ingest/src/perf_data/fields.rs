//! Numbers and texts in a recording's bytes, in the byte order of the machine that recorded.

/// The byte order of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// The number in two bytes.
    pub(super) fn number16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    /// The number in four bytes.
    pub(super) fn number32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }

    /// The number in eight bytes.
    pub(super) fn number64(self, bytes: [u8; 8]) -> u64 {
        match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        }
    }

    /// The numbers of eight bytes in a row; what is left over is dropped.
    pub(super) fn numbers64(self, bytes: &[u8]) -> impl DoubleEndedIterator<Item = u64> + '_ {
        bytes.as_chunks().0.iter().map(move |bytes| self.number64(*bytes))
    }
}

/// The unread rest of some bytes, read from the front. A number that is cut off is `None`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    order: ByteOrder,
}

impl<'a> Fields<'a> {
    /// All of `bytes`.
    pub(super) fn new(bytes: &'a [u8], order: ByteOrder) -> Self {
        Self { rest: bytes, order }
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `len` bytes.
    #[inline]
    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    /// Passes over `len` bytes.
    #[inline]
    pub(super) fn skip(&mut self, len: usize) -> Option<()> {
        self.take(len).map(drop)
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    #[inline]
    pub(super) fn number16(&mut self) -> Option<u16> {
        Some(self.order.number16(self.take(2)?.try_into().ok()?))
    }

    #[inline]
    pub(super) fn number32(&mut self) -> Option<u32> {
        Some(self.order.number32(self.take(4)?.try_into().ok()?))
    }

    #[inline]
    pub(super) fn number64(&mut self) -> Option<u64> {
        Some(self.order.number64(self.take(8)?.try_into().ok()?))
    }

    /// A count of things of `size` bytes each, if the bytes for them are there.
    pub(super) fn count64(&mut self, size: usize) -> Option<usize> {
        let count = usize::try_from(self.number64()?).ok()?;
        (count.checked_mul(size)? <= self.rest.len()).then_some(count)
    }

    /// A length in four bytes and that many bytes, of which the text ends at the first NUL: perf's header string.
    pub(super) fn header_text(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.number32()?).ok()?;
        self.take(len).map(until_nul)
    }
}

/// The bytes before the first NUL.
pub(super) fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_byte_order() {
        let bytes = [1, 0, 0, 0, 0, 0, 0, 2];
        assert_eq!(Fields::new(&bytes, ByteOrder::Little).number64(), Some(0x0200_0000_0000_0001));
        assert_eq!(Fields::new(&bytes, ByteOrder::Big).number64(), Some(0x0100_0000_0000_0002));
        assert_eq!(Fields::new(&bytes[..7], ByteOrder::Big).number64(), None);
    }

    #[test]
    fn a_count_without_the_bytes_it_counts_is_none() {
        let bytes = [2, 0, 0, 0, 0, 0, 0, 0, 7, 7];
        assert_eq!(Fields::new(&bytes, ByteOrder::Little).count64(1), Some(2));
        assert_eq!(Fields::new(&bytes, ByteOrder::Little).count64(2), None);
    }
}
