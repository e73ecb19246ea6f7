//! Why a store could not be read or written.

use std::io;
use std::path::PathBuf;

/// What is wrong with a store, a run, or a file in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no store at this place.
    #[error("{} is not a store; hint: `pdiff store add` makes one in a new or empty directory", path.display())]
    NotAStore {
        /// The directory.
        path: PathBuf,
    },
    /// The directory has other files in it.
    #[error("{} is not a store and not empty; hint: name a new directory", path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// The store has another version of the layout.
    #[error("{} says '{found}', this program reads version {expected}; hint: use the pdiff that wrote it", path.display())]
    OtherVersion {
        /// The file that has the version.
        path: PathBuf,
        /// What it says.
        found: String,
        /// The version that this program reads.
        expected: u32,
    },
    /// A file or directory could not be read or written.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A table of a run is not what this package wrote.
    #[error("{}: {what}; hint: `pdiff store check` lists all damaged files", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A service, build, host or day that cannot be stored.
    #[error("{column} '{value}' {why}")]
    Key {
        /// Which of them.
        column: &'static str,
        /// What was given.
        value: String,
        /// Why not.
        why: &'static str,
    },
    /// A run that cannot be stored.
    #[error("this recording cannot be stored: {what}")]
    Unstorable {
        /// What is wrong with it.
        what: String,
    },
}

impl StoreError {
    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    pub(crate) fn damaged(path: &std::path::Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }
}
