//! The name of a symbol: where it is in the file, read when it is asked for.
//!
//! The names of a large server take 30 MB, and a profile asks for a few hundred of them. Who reads all of them, one after the other, has a
//! part of them in memory.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use object::read::StringTable;

use crate::binary::file_bytes::FileBytes;

/// After so many names the memory of those that were read is given back.
pub(crate) const NAMES_IN_MEMORY: u32 = 1 << 12;

/// The table of names of a file.
#[derive(Debug)]
pub(crate) struct NameTable {
    bytes: Arc<FileBytes>,
    range: Range<u64>,
    /// How many names were read.
    read: AtomicU32,
}

/// The name of a symbol.
#[derive(Clone, Debug)]
pub(crate) enum SymbolName {
    /// Made for it.
    Made(Box<str>),
    /// At a position of a table.
    InTable(Arc<NameTable>, u32),
}

impl NameTable {
    /// The string table: `size` bytes at `offset` of the file.
    pub(crate) fn new(bytes: Arc<FileBytes>, (offset, size): (u64, u64)) -> Self {
        Self { bytes, range: offset..offset.saturating_add(size), read: AtomicU32::new(0) }
    }

    /// The size of the table.
    pub(crate) fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// The name that begins at a position; empty if there is none.
    pub(crate) fn get(&self, at: u32) -> &[u8] {
        let bytes: &[u8] = &self.bytes;
        let read = self.read.fetch_add(1, Ordering::Relaxed);
        if read % NAMES_IN_MEMORY == NAMES_IN_MEMORY - 1 {
            let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
            let table = bytes.get(place(self.range.start)..place(self.range.end));
            table.into_iter().for_each(|table| self.bytes.forget(table));
        }
        StringTable::new(bytes, self.range.start, self.range.end).get(at).unwrap_or(&[])
    }
}

impl SymbolName {
    /// The name at a position of a table.
    pub(crate) fn in_table(table: &Arc<NameTable>, at: u32) -> Self {
        Self::InTable(Arc::clone(table), at)
    }

    /// The name, with marks in the place of what is not a text.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Made(name) => Cow::Borrowed(name),
            Self::InTable(table, at) => {
                let bytes = table.get(*at);
                std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
            }
        }
    }
}

impl From<String> for SymbolName {
    fn from(name: String) -> Self {
        Self::Made(name.into())
    }
}
