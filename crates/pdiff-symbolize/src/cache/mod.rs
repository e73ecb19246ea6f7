//! What is kept of a binary between runs: one file an object, with a section for each view of it.

mod cache_file;
mod packed_blocks;

pub(crate) use cache_file::{CacheFile, SectionTag};
pub(crate) use packed_blocks::{pack, unpack};
