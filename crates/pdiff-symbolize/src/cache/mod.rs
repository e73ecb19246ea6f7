//! Facts about a binary that are kept between runs: one file per object, with a section for each view of it.

mod cache_file;
mod packed_blocks;

pub(crate) use cache_file::{CacheFile, Damage, Section, SectionTag, Stamp};
pub(crate) use packed_blocks::{pack, unpack};
