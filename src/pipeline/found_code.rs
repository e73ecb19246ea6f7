//! What is there of the code of each side: files found for the objects of its recordings, and censuses in packs.

use std::path::PathBuf;

use pdiff_ingest::PackedCensus;

use super::run::Run;

/// A file that stands for an object of a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FoundFile {
    /// The object's path in the profile.
    pub(crate) path: String,
    /// The file that was read.
    pub(crate) file: PathBuf,
}

/// What is there of the code of one side's objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundCode {
    /// Files.
    pub(crate) files: Vec<FoundFile>,
    /// Censuses of packs, by the object's path.
    pub(crate) censuses: Vec<(String, PackedCensus)>,
    /// Whether packs stand for the binaries.
    pub(crate) is_packed: bool,
}

/// What was found of a side's code, each file once.
pub(super) fn found_code(runs: &[Run]) -> FoundCode {
    let mut code = FoundCode::default();
    for run in runs {
        code.files.extend_from_slice(&run.files);
        code.censuses.extend_from_slice(&run.censuses);
        code.is_packed |= run.is_packed;
    }
    code.files.sort_by(|a, b| (&a.path, &a.file).cmp(&(&b.path, &b.file)));
    code.files.dedup();
    code
}
