//! Why bytes are not a pack, or a run cannot be packed.

use pdiff_profile::codec::CodecError;

/// An error in a pack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The bytes do not begin like a pack.
    #[error("this is not a pack; hint: `pdiff pack` makes one from the text of perf script")]
    NotAPack,
    /// Another version of the format.
    #[error("the pack's {section} has format {found}, this program reads {expected}; hint: {}", hint(*found, *expected))]
    OtherVersion {
        /// Which part has it.
        section: &'static str,
        /// The version in the bytes.
        found: u64,
        /// The version that this program reads.
        expected: u64,
    },
    /// The file ends too early.
    #[error("the pack is cut off: it has {found} of {expected} bytes; hint: copy it again")]
    Truncated {
        /// The bytes there are.
        found: u64,
        /// The bytes there should be, as far as is known.
        expected: u64,
    },
    /// Bytes changed after the pack was written.
    #[error("the checksum of the pack's {section} is wrong; hint: the file was damaged, copy it again")]
    Checksum {
        /// Which part was damaged.
        section: &'static str,
    },
    /// The bytes are undamaged, but are not valid contents of a pack.
    #[error("the pack's {section} cannot be read: {what}")]
    Damaged {
        /// Which part.
        section: &'static str,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A part would be larger than a reader accepts, or refers to something that does not exist.
    #[error("the run's {section} cannot be packed: {what}")]
    Unpackable {
        /// Which part.
        section: &'static str,
        /// What is wrong with it.
        what: &'static str,
    },
}

impl PackError {
    /// The error of reading a section that holds `section`.
    pub(super) fn from_codec(section: &'static str, error: CodecError) -> Self {
        match error {
            CodecError::OtherVersion { found, expected } => Self::OtherVersion { section, found, expected },
            CodecError::Damaged { table } => Self::Damaged { section, what: table },
            _ => Self::Damaged { section, what: "unknown" },
        }
    }
}

fn hint(found: u64, expected: u64) -> &'static str {
    if found > expected {
        "it was written by a newer pdiff, read it with that"
    } else {
        "it was written by an older pdiff, make it again from the recording"
    }
}
