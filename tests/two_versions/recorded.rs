//! The recordings of `fixtures/two-versions`, for the tests that hold verdicts and lines against them.

use std::path::{Path, PathBuf};

/// A file of the fixture.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/two-versions").join(name)
}

/// One side: its recordings, and the binary that explains them.
#[derive(Clone, Copy)]
pub(crate) struct Recorded {
    pub(crate) directory: &'static str,
    pub(crate) runs: &'static [u8],
}

/// The runs of a side.
pub(crate) const ALL: &[u8] = &[1, 2, 3];

/// Both builds by GCC.
pub(crate) const GCC: [Recorded; 2] =
    [Recorded { directory: "gcc/before", runs: ALL }, Recorded { directory: "gcc/after", runs: ALL }];

/// The base build without symbols.
pub(crate) const STRIPPED: Recorded = Recorded { directory: "gcc/before/stripped", runs: &[1, 2] };
