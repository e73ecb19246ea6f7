//! What can go wrong with files; what is imperfect but continues is a [`pdiff_profile::Note`].

use std::io;
use std::path::PathBuf;

use pdiff_profile::BuildId;

/// Why a file could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no ELF file, or a damaged one.
    #[error("{} is not a usable ELF file: {detail}", path.display())]
    NotElf {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// The file given for an object has another build-id than the object profiled.
    #[error(
        "{} is another build than the {object} that was profiled: build-id {found}, expected {expected}; \
         hint: give the binary that ran; --ignore-build-id uses this one, and functions will be wrong", path.display()
    )]
    WrongBuildId {
        /// The file.
        path: PathBuf,
        /// The object as the profile names it.
        object: Box<str>,
        /// The build-id of the object profiled.
        expected: BuildId,
        /// The build-id of the file, or `none`.
        found: String,
    },
    /// No part of the file given has the size of what the recording says was mapped.
    #[error(
        "{} is another build than the {object} that was profiled: none of its segments has the size of what was mapped; \
         hint: give the binary that ran; --ignore-build-id uses this one, and functions will be wrong", path.display()
    )]
    WrongSize {
        /// The file.
        path: PathBuf,
        /// The object as the profile names it.
        object: Box<str>,
    },
    /// The symbols in the profile are not where the file given has them.
    #[error(
        "{} is another build than the {object} that was profiled: of {checked} functions in the profile only \
         {agree} are at the same place in the file; hint: give the binary that ran; --ignore-build-id \
         takes this one and gives wrong functions", path.display()
    )]
    WrongSymbols {
        /// The file.
        path: PathBuf,
        /// The object as the profile names it.
        object: Box<str>,
        /// Functions that the profile and the file have at the same place.
        agree: usize,
        /// Functions compared.
        checked: usize,
    },
}
