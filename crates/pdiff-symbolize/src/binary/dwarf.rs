//! DWARF as gimli has it, borrowed from the sections of a file.

use gimli::{EndianSlice, RunTimeEndian};

/// How DWARF is read.
pub(crate) type Slice<'a> = EndianSlice<'a, RunTimeEndian>;
/// The DWARF of a file.
pub(crate) type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;
/// A unit with its abbreviations and line program.
pub(crate) type Unit<'a> = gimli::Unit<Slice<'a>>;
