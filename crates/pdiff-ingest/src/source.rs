//! Where a recording is read from.

use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;

/// Where to read from. Which path is meant, the caller decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// A file, or anything that opens like one.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Bytes that the caller holds, as a file would contain them.
    Bytes {
        /// What messages call it.
        name: Box<str>,
        /// The bytes, plain or compressed.
        bytes: Arc<[u8]>,
    },
}

/// What messages call standard input.
const STDIN: &str = "standard input";

/// A source as a command takes it, for hints.
pub(crate) fn in_command(path: &str) -> &str {
    if path == STDIN { "FILE" } else { path }
}

/// An opened source.
pub(crate) struct OpenSource {
    /// Its bytes, as they are stored.
    pub(crate) reader: Box<dyn Read + Send>,
    /// Their number, where it is known beforehand.
    pub(crate) len: Option<u64>,
    /// Whether it can be opened a second time for the same bytes.
    pub(crate) is_regular_file: bool,
}

impl Source {
    /// Its bytes as they are stored, from the first on.
    ///
    /// # Errors
    /// Returns an error if a file cannot be opened or is a directory.
    pub fn reader(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(self.open()?.reader)
    }

    /// Opens it for one pass.
    pub(crate) fn open(&self) -> io::Result<OpenSource> {
        match self {
            Self::Stdin => {
                Ok(OpenSource { reader: Box::new(io::stdin()), len: None, is_regular_file: false })
            }
            Self::Bytes { bytes, .. } => {
                let (len, reader) = (bytes.len() as u64, Box::new(Cursor::new(Arc::clone(bytes))));
                Ok(OpenSource { reader, len: Some(len), is_regular_file: true })
            }
            Self::Path(path) => {
                let file = File::open(path)?;
                let metadata = file.metadata()?;
                if metadata.is_dir() {
                    return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
                }
                let is_regular_file = metadata.is_file();
                let len = is_regular_file.then_some(metadata.len());
                Ok(OpenSource { reader: Box::new(file), len, is_regular_file })
            }
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Stdin => f.write_str(STDIN),
            Self::Bytes { name, .. } => f.write_str(name),
        }
    }
}
