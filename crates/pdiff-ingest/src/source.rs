//! Where a recording is read from.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

/// Where to read from. Which path is meant, the caller decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// A file, or anything that opens like one.
    Path(PathBuf),
    /// Standard input.
    Stdin,
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
    /// Opens it for one pass.
    pub(crate) fn open(&self) -> io::Result<OpenSource> {
        match self {
            Self::Stdin => {
                Ok(OpenSource { reader: Box::new(io::stdin()), len: None, is_regular_file: false })
            }
            Self::Path(path) => {
                let file = File::open(path)?;
                let metadata = file.metadata()?;
                if metadata.is_dir() {
                    return Err(io::Error::from(io::ErrorKind::IsADirectory));
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
            Self::Stdin => f.write_str("standard input"),
        }
    }
}
