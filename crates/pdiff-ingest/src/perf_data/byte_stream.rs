//! The bytes of a recording from front to back, through buffers: a recording may come from a pipe.
//!
//! A buffer is read into again once nothing in it is needed. Records that wait for their turn stay where they were read, so
//! they are not copied: [`ByteStream::keep_from`] says from which buffer on they wait.

use std::collections::VecDeque;
use std::io::{self, Read};

/// How much is read at once: more than the longest record, whose length has 16 bits.
pub(super) const BUFFER_BYTES: usize = 256 << 10;

/// Bytes read from front to back.
pub(super) struct ByteStream<R> {
    reader: R,
    buffers: Buffers,
    /// The part of the last buffer that is filled and not yet consumed.
    filled: std::ops::Range<usize>,
    /// Bytes consumed since the start.
    position: u64,
    /// The first buffer whose bytes are needed even when they were consumed.
    kept_from: Option<u32>,
    /// Buffers that nobody needs.
    spare: Vec<Box<[u8]>>,
}

/// The buffers whose bytes are there.
#[derive(Debug)]
pub(super) struct Buffers {
    /// The number of the first one.
    first: u32,
    held: VecDeque<Box<[u8]>>,
}

/// Where bytes are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The number of the buffer.
    pub(super) buffer: u32,
    pub(super) start: u32,
}

impl Buffers {
    /// The bytes at a place; empty if they are not there.
    #[inline]
    pub(super) fn get(&self, place: Place, len: usize) -> &[u8] {
        let start = place.start as usize;
        let buffer = self.held.get(place.buffer.wrapping_sub(self.first) as usize);
        buffer.and_then(|bytes| bytes.get(start..start + len)).unwrap_or(&[])
    }

    fn last_number(&self) -> u32 {
        self.first.wrapping_add(self.held.len() as u32).wrapping_sub(1)
    }
}

fn new_buffer() -> Box<[u8]> {
    vec![0; BUFFER_BYTES].into()
}

impl<R: Read> ByteStream<R> {
    /// All of `reader`.
    pub(super) fn new(reader: R) -> Self {
        let buffers = Buffers { first: 0, held: VecDeque::from([new_buffer()]) };
        Self { reader, buffers, filled: 0..0, position: 0, kept_from: None, spare: Vec::new() }
    }

    /// Bytes consumed so far.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// What was peeked at last, and what is kept.
    pub(super) fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// Where the next byte is.
    #[inline]
    pub(super) fn place(&self) -> Place {
        Place { buffer: self.buffers.last_number(), start: self.filled.start as u32 }
    }

    /// Keeps the bytes of this buffer and of those after it; with `None` none that were consumed.
    #[inline]
    pub(super) fn keep_from(&mut self, buffer: Option<u32>) {
        self.kept_from = buffer;
    }

    /// The next `len` bytes, which stay; fewer only at the end of the input. `len` is at most 64 kB.
    #[inline]
    pub(super) fn peek(&mut self, len: usize) -> io::Result<&[u8]> {
        if self.filled.len() < len {
            self.fill(len)?;
        }
        let there = self.last().get(self.filled.clone()).unwrap_or(&[]);
        Ok(there.get(..len).unwrap_or(there))
    }

    fn last(&self) -> &[u8] {
        self.buffers.held.back().map_or(&[], |last| last)
    }

    #[cold]
    fn fill(&mut self, len: usize) -> io::Result<()> {
        self.make_room(len);
        let Some(last) = self.buffers.held.back_mut() else { return Ok(()) };
        while self.filled.len() < len {
            let room = last.get_mut(self.filled.end..).unwrap_or(&mut []);
            match self.reader.read(room) {
                Ok(0) => break,
                Ok(read) => self.filled.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Brings what is not yet consumed to the start of a buffer: of the same one, if the rest of it is not needed. Where it
    /// is, and `len` bytes have room behind it, all stays: a pipe gives little at once.
    fn make_room(&mut self, len: usize) {
        let Buffers { first, held } = &mut self.buffers;
        let last = first.wrapping_add(held.len() as u32).wrapping_sub(1);
        let kept_from = self.kept_from.unwrap_or(last);
        while held.len() > 1 && *first != kept_from {
            self.spare.extend(held.pop_front());
            *first = first.wrapping_add(1);
        }
        let Some(bytes) = held.back_mut() else { return };
        let rest = self.filled.clone();
        if self.kept_from.is_some() && rest.start + len <= BUFFER_BYTES {
            return;
        }
        self.filled = 0..rest.len();
        if self.kept_from.is_none() {
            bytes.copy_within(rest, 0);
            return;
        }
        let mut next = self.spare.pop().unwrap_or_else(new_buffer);
        if let (Some(to), Some(from)) = (next.get_mut(..rest.len()), bytes.get(rest)) {
            to.copy_from_slice(from);
        }
        held.push_back(next);
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
            let taken = self.last().get(self.filled.start..self.filled.start + step);
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

    #[test]
    fn bytes_stay_where_they_are_as_long_as_they_are_kept() {
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|number| (number % 251) as u8).collect();
        let mut stream = ByteStream::new(bytes.as_slice());
        let mut places = Vec::new();
        let mut pass = |stream: &mut ByteStream<&[u8]>, count: usize| {
            for _ in 0..count {
                assert_eq!(stream.peek(999).unwrap().len(), 999);
                places.push((stream.place(), stream.position() as usize));
                stream.consume(999);
            }
            places.clone()
        };
        stream.keep_from(Some(0));
        let places = pass(&mut stream, 1000);
        let is_there = |stream: &ByteStream<&[u8]>, (place, at): (Place, usize)| {
            stream.buffers().get(place, 999) == &bytes[at..at + 999]
        };
        assert!(places.iter().all(|place| is_there(&stream, *place)));
        assert_eq!((stream.buffers.held.len(), stream.spare.len()), (4, 0));
        // From the third on: the two before it are used again.
        stream.keep_from(Some(2));
        let places = pass(&mut stream, 1000);
        let of_kept = |(place, _): &&(Place, usize)| place.buffer >= 2;
        assert!(places.iter().filter(of_kept).all(|place| is_there(&stream, *place)));
        let forgotten = places.iter().filter(|(place, _)| place.buffer < 2);
        assert!(
            forgotten.clone().count() > 500 && forgotten.into_iter().all(|place| !is_there(&stream, *place))
        );
        assert_eq!((stream.buffers.first, stream.buffers.held.len(), stream.spare.len()), (2, 6, 0));
        // Nothing: from here on one buffer does.
        stream.keep_from(None);
        pass(&mut stream, 1000);
        assert_eq!((stream.buffers.held.len(), stream.spare.len()), (1, 5));
    }
}
