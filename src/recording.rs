//! One recording of a build: its source, and the operations done while it was made.

use std::path::{Path, PathBuf};

use pdiff_ingest::{Source, Windows};
use pdiff_profile::RunMeasures;

use crate::error::Error;

/// One recording: `perf.data`, text of `perf script`, folded stacks, a pprof profile, a flame graph or a pack.
#[derive(Clone, Debug)]
pub struct Recording {
    pub(crate) source: Source,
    pub(crate) measures: RunMeasures,
    pub(crate) host: Option<String>,
}

impl Recording {
    /// A recording of a run about which only the samples are known.
    #[must_use]
    pub fn new(source: Source) -> Self {
        Self { source, measures: RunMeasures::default(), host: None }
    }

    /// So many operations were done.
    #[must_use]
    pub fn operations(mut self, operations: f64) -> Self {
        self.measures.operations = Some(operations);
        self
    }

    /// So many operations were done a second.
    #[must_use]
    pub fn tps(mut self, tps: f64) -> Self {
        self.measures.tps = Some(tps);
        self
    }

    /// The process used so many CPU seconds; weights are scaled to them.
    #[must_use]
    pub fn cpu_seconds(mut self, seconds: f64) -> Self {
        self.measures.cpu_seconds = Some(seconds);
        self
    }

    /// It was made on this machine. If recordings are of several machines, machines are the replicates that are compared, and
    /// those on both sides are compared with themselves.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.host = Some(host.into());
        self
    }

    /// Whether it is read from standard input.
    #[must_use]
    pub fn is_stdin(&self) -> bool {
        self.source == Source::Stdin
    }

    /// The file that it is read from, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::Path(path) => Some(path),
            Source::Stdin | Source::Bytes { .. } => None,
        }
    }

    /// Its name in tables and windows files.
    pub(crate) fn stem(&self) -> String {
        match &self.source {
            Source::Path(path) => stem(path),
            Source::Stdin => "stdin".to_owned(),
            Source::Bytes { name, .. } => stem(Path::new(&**name)),
        }
    }

    /// With what a table of windows says of it, as far as that is not known.
    ///
    /// # Errors
    /// If the table does not list it.
    pub fn listed(mut self, windows: &Windows) -> Result<Self, Error> {
        let stem = self.stem();
        let Some(listed) = windows.get(&stem) else {
            let known: Vec<&str> = windows.captures().take(5).collect();
            return Err(Error::NotListed { recording: stem, known: known.join(", ") });
        };
        // What the user says of the work comes alone: a count here and a rate there are of two windows.
        let has_work = self.measures.operations.is_some() || self.measures.tps.is_some();
        let work = |value: Option<f64>| value.filter(|_| !has_work);
        self.measures = self.measures.or(RunMeasures {
            operations: work(listed.operations),
            tps: work(listed.tps),
            window_s: work(listed.window_s),
            ..listed
        });
        Ok(self)
    }
}

impl From<Source> for Recording {
    fn from(source: Source) -> Self {
        Self::new(source)
    }
}

impl From<PathBuf> for Recording {
    fn from(path: PathBuf) -> Self {
        Self::new(Source::Path(path))
    }
}

impl From<&Path> for Recording {
    fn from(path: &Path) -> Self {
        path.to_owned().into()
    }
}

impl From<&str> for Recording {
    fn from(path: &str) -> Self {
        PathBuf::from(path).into()
    }
}

impl From<String> for Recording {
    fn from(path: String) -> Self {
        PathBuf::from(path).into()
    }
}

impl From<&String> for Recording {
    fn from(path: &String) -> Self {
        PathBuf::from(path).into()
    }
}

/// The file name without the extensions of recordings and compressors.
#[must_use]
pub fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let mut stem: &str = &name;
    for extension in [
        ".gz", ".zst", ".xz", ".txt", ".script", ".data", ".perf", ".folded", ".pdiff", ".pb", ".prof",
        ".pprof", ".svg",
    ] {
        stem = stem.strip_suffix(extension).filter(|rest| !rest.is_empty()).unwrap_or(stem);
    }
    stem.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_has_no_extension_of_recordings_or_compressors() {
        let check = |path: &str, expected: &str| assert_eq!(stem(Path::new(path)), expected);
        check("x/80-aligned-r1.perf.zst", "80-aligned-r1");
        check("base/cpu.pb.gz", "cpu");
        check("base/flamegraph.svg", "flamegraph");
        check("5.7.perf", "5.7");
        check("5.7.perf.data", "5.7");
        check("perf.data", "perf");
        check(".perf", ".perf");
    }
}
