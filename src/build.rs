//! One build: its recordings, its binaries, and what to call it.

use std::path::PathBuf;

use pdiff_ingest::{TimeWindow, Windows};

use crate::error::Error;
use crate::recording::Recording;

/// One build of the program: recordings of it, and where its code is.
#[derive(Clone, Debug, Default)]
pub struct Build {
    label: Option<String>,
    pub(crate) recordings: Vec<Recording>,
    pub(crate) binaries: Vec<PathBuf>,
    pub(crate) time: TimeWindow,
}

impl Build {
    /// A build with these recordings, as replicates of one another.
    #[must_use]
    pub fn recordings(recordings: impl IntoIterator<Item = impl Into<Recording>>) -> Self {
        Self { recordings: recordings.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// A binary or debug file of it, found by build-id or name. May be said of several.
    #[must_use]
    pub fn binary(mut self, path: impl Into<PathBuf>) -> Self {
        self.binaries.push(path.into());
        self
    }

    /// What to call it. Else it is called by the stem of its first recording.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Only the samples of this part of each recording.
    #[must_use]
    pub fn time(mut self, time: TimeWindow) -> Self {
        self.time = time;
        self
    }

    /// Whether one of its recordings is read from standard input.
    #[must_use]
    pub fn reads_stdin(&self) -> bool {
        self.recordings.iter().any(Recording::is_stdin)
    }

    /// What it is called.
    pub(crate) fn name(&self) -> String {
        let of_first = || self.recordings.first().map_or_else(String::new, Recording::stem);
        self.label.clone().unwrap_or_else(of_first)
    }

    /// With what a table of windows says of its recordings.
    pub(crate) fn listed(mut self, windows: &Windows) -> Result<Self, Error> {
        let recordings = self.recordings.into_iter().map(|recording| recording.listed(windows));
        self.recordings = recordings.collect::<Result<_, _>>()?;
        Ok(self)
    }
}
