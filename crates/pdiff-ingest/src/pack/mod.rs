//! Packs: one recording, symbolised, in one small file.
//!
//! A pack is made where the binaries are and read where the comparison is: it contains the samples by (event, second,
//! thread, stack), the functions of every address with file and line, what is known about the objects, and a census of
//! their code where that was asked for. Everything that can be read from text can be read from a pack, but for time windows
//! finer than a second. `docs/pack-format.md` describes the bytes.
//!
//! ```text
//! write_pack: PackedRun -> sections -> zstd -> checksums -> bytes        read_pack: the way back
//! ```
//!
//! Estimate for 20 MB of text: 0.6 MB of sections, 0.2 MB packed; checksums 0.1 ms, unpacking 1 ms, tables 10 ms.

mod container;
mod error;
mod packed_run;
mod read;
mod restrict;
mod run_facts;
mod stored;
#[cfg(test)]
mod tests;
mod write;

pub use container::is_pack;
pub use error::PackError;
pub use packed_run::{PackedCensus, PackedObject, PackedRun};
pub use read::read_pack;
pub use restrict::RestrictError;
pub use stored::MAX_SECTION_BYTES;
pub use write::{into_pack, write_pack};
