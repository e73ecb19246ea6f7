//! pdiff as a library: read recordings, symbolise them, compare them.
//!
//! ```no_run
//! use pdiff::{Source, ReadOptions, read_profile};
//!
//! let before = read_profile(&Source::Path("57.perf".into()), &ReadOptions::new())?;
//! println!("{} stacks", before.stacks.len());
//! # Ok::<(), pdiff::ReadError>(())
//! ```

#![forbid(unsafe_code)]

pub use pdiff_analysis::*;
pub use pdiff_ingest::{Error as ReadError, ReadOptions, Source, TimeWindow, read_profile};
pub use pdiff_profile as profile;
#[cfg(feature = "output")]
pub use pdiff_render as render;
pub use pdiff_symbolize as symbolize;
