//! The bytes of a file, mapped into memory.
//!
//! A binary with debug information has 200 MB, of which a profile needs a few per cent; reading it whole costs 60 ms,
//! mapping it nothing. This file is the one place with `unsafe` in it.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

/// A file's bytes.
#[derive(Debug)]
pub(crate) struct FileBytes(Option<Mmap>);

impl FileBytes {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        // Asked before it is opened: to open a pipe is to wait for its writer.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.len() == 0 {
            return Ok(Self(None));
        }
        #[expect(unsafe_code, reason = "a mapping is the only way to read parts of a large file at no cost")]
        // SAFETY: the mapping is private and read-only. Another process that truncates the file meanwhile ends this
        // one by SIGBUS, as it would any debugger; binaries and debug files are replaced, not rewritten in place.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self(Some(map)))
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or(&[])
    }
}
