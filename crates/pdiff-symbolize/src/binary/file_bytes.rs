//! The bytes of a file, mapped into memory.
//!
//! A binary with debug information has 200 MB, of which a profile needs a few per cent; reading it whole costs 60 ms,
//! mapping it nothing. This file is the one place with `unsafe` in it.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::time::SystemTime;

use memmap2::{Mmap, UncheckedAdvice};

/// A file's bytes.
#[derive(Debug)]
pub(crate) struct FileBytes {
    map: Option<Mmap>,
    modified: Option<SystemTime>,
}

impl FileBytes {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        // Asked before it is opened: to open a pipe is to wait for its writer.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let modified = metadata.modified().ok();
        if metadata.len() == 0 {
            return Ok(Self { map: None, modified });
        }
        #[expect(unsafe_code, reason = "a mapping is the only way to read parts of a large file at no cost")]
        // SAFETY: the mapping is private and read-only. Another process that truncates the file meanwhile ends this
        // one by SIGBUS, as it would any debugger; binaries and debug files are replaced, not rewritten in place.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self { map: Some(map), modified })
    }

    /// When the file was last written before it was opened, where the system tells.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        self.modified
    }

    /// Gives the memory back that a part of the file takes, which was read and is not needed soon. What is read again comes
    /// from the file again. (Compressed debug information of a server of 195 MB takes 50 MB.)
    pub(crate) fn forget(&self, part: &[u8]) {
        let Some(map) = &self.map else { return };
        let start = part.as_ptr().addr().checked_sub(map.as_ptr().addr());
        let Some(start) = start.filter(|start| start.saturating_add(part.len()) <= map.len()) else { return };
        #[expect(
            unsafe_code,
            reason = "the system counts pages of a mapping as the program's until it is told"
        )]
        // SAFETY: the mapping is private, read-only, and of a file, so that a page that was given back is filled with
        // the same bytes when it is read again.
        let _best_effort =
            unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, start, part.len()) };
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_is_read_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let content: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        std::fs::write(&path, &content).unwrap();
        let bytes = FileBytes::open(&path).unwrap();
        bytes.forget(&bytes[5000..300_000]);
        bytes.forget(b"elsewhere");
        assert!(*bytes == *content);
        std::fs::write(&path, b"").unwrap();
        FileBytes::open(&path).unwrap().forget(b"");
    }
}
