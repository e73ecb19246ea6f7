//! Why debug information that a file should have could not be read.

use std::fmt;
use std::path::PathBuf;

use crate::binary::budget::OVER_BUDGET;

/// What is missing of the debug information of some code.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Gap {
    /// The unit, or what it refers to, cannot be read.
    Damaged,
    /// There is no file with the rest of the unit (`.dwo`).
    SplitNotFound(PathBuf),
    /// The file with the rest of the unit is one of another build.
    SplitOfOtherBuild(PathBuf),
    /// It says more than a file of its size can.
    TooLarge,
    /// There is no file that the unit shares parts with (dwz).
    SharedNotFound,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged => f.write_str("debug information is damaged"),
            Self::TooLarge => f.write_str("debug information has more entries than fit a file of its size"),
            Self::SplitNotFound(path) => write!(f, "split debug information {} is not found", path.display()),
            Self::SplitOfOtherBuild(path) => {
                write!(f, "split debug information {} belongs to another build", path.display())
            }
            Self::SharedNotFound => f.write_str("the file with shared debug information (dwz) is not found"),
        }
    }
}

impl From<gimli::Error> for Gap {
    fn from(error: gimli::Error) -> Self {
        if error == OVER_BUDGET { Self::TooLarge } else { Self::Damaged }
    }
}
