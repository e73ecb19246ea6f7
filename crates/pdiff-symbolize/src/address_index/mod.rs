//! The view by address: from an address to its chain of functions.
//!
//! In: the files of an object and the addresses asked for. Out: the bytes of an index, which are what is cached.
//!
//! ```text
//! build ----> function_tree   a unit's functions with what is inlined into them
//!       ----> label           their names
//!       ----> unit_index      both, and lines, of one unit
//!       ----> builder         the units put together as bytes
//! index       the bytes as they are read
//! ```

mod build;
mod builder;
mod flatten;
mod function_tree;
mod index;
mod label;
mod unit_index;

pub(crate) use build::{Gaps, index_bytes};
pub(crate) use builder::Names;
pub(crate) use function_tree::Wanted;
pub(crate) use index::{AddressIndex, ChainTexts, Cursor, Found};
pub use index::{Chain, FrameRef};
