//! The byte forms of [`Profile`](crate::Profile), [`Resolutions`](crate::Resolutions) and [`Notes`](crate::Notes).
//!
//! Each begins with a version, followed by tables: a count, and one column after the other. A column contains
//! variable-length numbers, as differences from the expected value, so that the most common byte is zero; whoever stores
//! the bytes compresses them. There is no checksum either, because whoever stores the bytes knows how they can be damaged.
//!
//! The result of a reader is as valid as that of a builder: every id is checked, cells are in order, sums agree. It never
//! panics, and what it allocates is bounded by the input, or by a named limit if a few bytes expand to many
//! ([`MAX_STACK_FRAMES`]).

mod bytes;
mod cells;
mod chains;
mod codes;
mod frames;
mod newest;
mod notes;
mod objects;
mod profile;
mod resolutions;
mod stacks;
mod texts;

#[cfg(test)]
mod tests;

pub use bytes::{ByteReader, ByteWriter};
pub use stacks::MAX_STACK_FRAMES;
pub(crate) use texts::{read_texts, write_texts};

/// Why bytes are not what they were taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// Another version of the byte form.
    #[error("the bytes have version {found}, this program reads {expected}")]
    OtherVersion {
        /// The version in the bytes.
        found: u64,
        /// The version that this program reads.
        expected: u64,
    },
    /// A table is cut short, names what is not there, or passes a limit.
    #[error("the table of {table} is damaged")]
    Damaged {
        /// Which table.
        table: &'static str,
    },
}

/// Checks the version in front.
pub(crate) fn expect_version(reader: &mut ByteReader<'_>, expected: u64) -> Result<(), CodecError> {
    let found = reader.number().ok_or(CodecError::Damaged { table: "versions" })?;
    if found == expected { Ok(()) } else { Err(CodecError::OtherVersion { found, expected }) }
}

/// What a table gave, or which table is damaged.
fn table<T>(table: &'static str, read: Option<T>) -> Result<T, CodecError> {
    read.ok_or(CodecError::Damaged { table })
}
