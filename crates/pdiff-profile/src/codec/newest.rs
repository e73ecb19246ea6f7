//! Ids that were given in order of first appearance: most are either the next one that was never seen, or a recent one.

use super::bytes::{ByteReader, ByteWriter};

/// A column of such ids: each is written as the difference from the first id not seen yet.
#[derive(Debug, Default)]
pub(super) struct Newest {
    next: u32,
}

impl Newest {
    pub(super) fn write(&mut self, out: &mut ByteWriter, id: u32) {
        out.difference(u64::from(self.next), u64::from(id));
        self.see(id);
    }

    pub(super) fn read(&mut self, reader: &mut ByteReader<'_>) -> Option<u32> {
        let id = reader.difference32(self.next)?;
        self.see(id);
        Some(id)
    }

    fn see(&mut self, id: u32) {
        self.next = self.next.max(id.saturating_add(1));
    }
}
