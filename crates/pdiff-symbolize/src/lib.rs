//! Addresses of ELF files to functions, with the functions inlined there.
//!
//! In: a profile (or addresses of one file) and where to look for files. Out: a chain of functions for each address,
//! outermost first, or the reason why there is none. Nothing here reads the environment or prints.

mod address_map;
mod error;
mod options;
mod resolve;
mod symbolizer;

pub use address_map::{AddressKind, AddressMap};
pub use error::Error;
pub use options::{Fetch, SymbolizeOptions, Wanted};
pub use resolve::{Resolved, ResolvedObject, resolve_profile};
pub use symbolizer::symbolize;
