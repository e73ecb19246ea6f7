//! Addresses of ELF files to functions, with the functions inlined there.
//!
//! In: a profile (or addresses of one file) and where to look for files. Out: a chain of functions for each address,
//! outermost first, or the reason why there is none. Nothing here reads the environment or prints.

mod address_index;
mod address_map;
mod binary;
mod cache_file;
mod census;
mod content_hash;
mod debug_file;
mod debug_sections;
mod elf_file;
mod entries;
mod error;
mod file_bytes;
mod function_name;
mod function_tree;
mod identity;
mod index_builder;
mod inflate;
mod label;
mod line_rows;
mod name_vote;
mod object_census;
mod object_index;
mod options;
mod packed_blocks;
mod paint;
mod plt;
mod ranges;
mod resolve;
mod scoped_name;
mod source_path;
mod split_dwarf;
mod symbol_name;
mod symbol_table;
mod symbolizer;
mod unit_index;
mod unit_root;
mod units;

pub use address_index::{Chain, FrameRef};
pub use address_map::{AddressKind, AddressMap};
pub use error::Error;
pub use object_census::{ObjectCensus, census_of};
pub use options::{Fetch, SymbolizeOptions, Wanted};
pub use resolve::{Resolved, ResolvedObject, resolve_profile};
pub use symbolizer::{Symbolizer, symbolize};
