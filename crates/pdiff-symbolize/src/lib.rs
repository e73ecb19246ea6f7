//! Addresses of ELF files to functions, with the functions inlined there.
//!
//! In: a profile (or addresses of one file) and where to look for files. Out: a chain of functions for each address,
//! outermost first, or the reason why there is none. Nothing here reads the environment or prints.

mod address_index;
mod binary;
mod cache;
mod census;
mod disassembly;
mod error;
mod kernel_images;
mod object_census;
mod options;
mod pair_cache;
mod polling;
mod resolve;
mod structure;
mod symbolizer;
mod unwinder;

pub use address_index::{Chain, FrameRef};
pub use binary::kept_sections::KeptSections;
pub use disassembly::{
    BothWays, CallPaths, CodeFile, CodeSamples, RunOnce, TurnsAround, WantedCode, WayAround,
};
pub use error::Error;
pub use kernel_images::FileKernels;
pub use object_census::{
    ObjectCensus, census_of, census_with_late_names, kept_sampled_census, sampled_census,
};
pub use options::{Fetch, SymbolizeOptions, Wanted};
pub use pair_cache::{CachedCensus, PairCache};
pub use resolve::{
    AddressKind, AddressMap, Resolved, ResolvedObject, name_frames, resolve_indexed, resolve_profile,
    resolve_rest,
};
pub use structure::{InferredName, names_by_structure};
pub use symbolizer::{Symbolizer, symbolize};
pub use unwinder::FileUnwinder;
