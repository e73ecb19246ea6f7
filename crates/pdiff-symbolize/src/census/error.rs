//! Why no census could be taken. Damaged units are no error; the census counts them.

/// Why no census could be taken of a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum CensusError {
    /// The bytes are not an ELF file.
    #[error("not a usable ELF file: {detail}")]
    NotElf {
        /// What the reader found wrong.
        detail: String,
    },
    /// An ELF file of another word size or byte order.
    #[error("only 64-bit little-endian ELF files can be read")]
    OtherElf,
    /// A section says that it is compressed, and cannot be inflated.
    #[error("section {section} cannot be inflated: it is damaged or of an unknown format")]
    Inflate {
        /// The section's name.
        section: &'static str,
    },
}

impl CensusError {
    /// From what the ELF reader says.
    pub(super) fn not_elf(error: &object::Error) -> Self {
        Self::NotElf { detail: error.to_string() }
    }
}
