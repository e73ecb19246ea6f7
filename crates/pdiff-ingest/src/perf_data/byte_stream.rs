//! The bytes of a recording from front to back, through one buffer: a recording may come from a pipe.

use std::io::{self, Read};

/// How much is read at once: more than the longest record, whose length has 16 bits.
const BUFFER_BYTES: usize = 256 << 10;

/// Bytes read from front to back.
pub(super) struct ByteStream<R> {
    reader: R,
    buffer: Box<[u8]>,
    /// The part of the buffer that is filled and not yet consumed.
    filled: std::ops::Range<usize>,
    /// Bytes consumed since the start.
    position: u64,
}

impl<R: Read> ByteStream<R> {
    /// All of `reader`.
    pub(super) fn new(reader: R) -> Self {
        Self { reader, buffer: vec![0; BUFFER_BYTES].into(), filled: 0..0, position: 0 }
    }

    /// Bytes consumed so far.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// The next `len` bytes, which stay; fewer only at the end of the input. `len` is at most 64 kB.
    #[inline]
    pub(super) fn peek(&mut self, len: usize) -> io::Result<&[u8]> {
        if self.filled.len() < len {
            self.fill(len)?;
        }
        let there = self.buffer.get(self.filled.clone()).unwrap_or(&[]);
        Ok(there.get(..len).unwrap_or(there))
    }

    #[cold]
    fn fill(&mut self, len: usize) -> io::Result<()> {
        self.buffer.copy_within(self.filled.clone(), 0);
        self.filled = 0..self.filled.len();
        while self.filled.len() < len {
            let room = self.buffer.get_mut(self.filled.end..).unwrap_or(&mut []);
            match self.reader.read(room) {
                Ok(0) => break,
                Ok(read) => self.filled.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Passes over bytes that were peeked at.
    #[inline]
    pub(super) fn consume(&mut self, len: usize) {
        let len = len.min(self.filled.len());
        self.filled.start += len;
        self.position += len as u64;
    }

    /// Passes over any number of bytes, and says how many were there.
    pub(super) fn skip(&mut self, len: u64) -> io::Result<u64> {
        let mut left = len;
        while left > 0 {
            let there = self.peek(1)?.len();
            if there == 0 {
                break;
            }
            let step = usize::try_from(left).unwrap_or(usize::MAX).min(self.filled.len());
            self.consume(step);
            left -= step as u64;
        }
        Ok(len - left)
    }

    /// The next `len` bytes, or as many as there are: memory follows what is there, not what is asked for.
    pub(super) fn read(&mut self, len: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < len {
            if self.peek(1)?.is_empty() {
                break;
            }
            let left = usize::try_from(len - bytes.len() as u64).unwrap_or(usize::MAX);
            let step = left.min(self.filled.len());
            let taken = self.buffer.get(self.filled.start..self.filled.start + step);
            bytes.extend_from_slice(taken.unwrap_or(&[]));
            self.consume(step);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_once_and_in_order() {
        let bytes: Vec<u8> = (0..1_000_000_u32).map(|number| number as u8).collect();
        let mut stream = ByteStream::new(bytes.as_slice());
        assert_eq!(stream.peek(3).unwrap(), [0, 1, 2]);
        stream.consume(1);
        assert_eq!(stream.skip(400_000).unwrap(), 400_000);
        assert_eq!(stream.read(400_000).unwrap(), bytes[400_001..800_001]);
        assert_eq!(stream.position(), 800_001);
        assert_eq!(stream.skip(u64::MAX).unwrap(), 199_999);
        assert!(stream.peek(8).unwrap().is_empty() && stream.read(u64::MAX).unwrap().is_empty());
    }
}
