//! Builds read: their recordings as samples, with the functions of their frames found.

mod recordings;
mod run;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use pdiff_analysis::{EventError, ObjectFacts, SideInput, choose_events};
use pdiff_ingest::PackedCensus;
use pdiff_profile::{EventId, Profile, Side};

use crate::build::Build;
use crate::error::Error;
use crate::lookup::Lookup;
use crate::progress::{Progress, Warning, Watcher};
use recordings::read_recordings;
use run::find_functions;
pub(crate) use run::{FoundFile, Run};

/// How builds are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// Go on however many lines cannot be parsed.
    pub(crate) lenient: bool,
    /// Number of workers; one a core if none is given.
    pub(crate) threads: Option<NonZeroUsize>,
    /// Where binaries are looked for; `None` if they are not to be.
    pub(crate) lookup: Option<Lookup>,
    pub(crate) watcher: Watcher,
}

/// One build, read.
#[derive(Debug)]
pub(crate) struct ReadBuild {
    pub(crate) label: String,
    pub(crate) runs: Vec<Run>,
    events: Vec<EventId>,
}

impl Reading {
    /// Reads builds, each with the side that messages speak of.
    pub(crate) fn read<'b>(
        &self,
        builds: &[(Side, &'b Build)],
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<ReadBuild>, Error> {
        for (_, build) in builds {
            self.warn(repeated(build), warnings);
        }
        let of_build = |(_, build): &(Side, &'b Build)| {
            let time = build.time;
            build.recordings.iter().map(move |recording| (recording, time))
        };
        let recordings: Vec<_> = builds.iter().flat_map(of_build).collect();
        let mut inputs = read_recordings(&recordings, self)?.into_iter();
        let mut read = Vec::with_capacity(builds.len());
        for (side, build) in builds {
            let mut runs = Vec::with_capacity(build.recordings.len());
            for (recording, input) in build.recordings.iter().zip(inputs.by_ref()) {
                let (run, odd) = find_functions(recording, input, &build.binaries, *side, self)?;
                self.warn(odd, warnings);
                runs.push(run);
            }
            read.push(ReadBuild { label: build.name(), runs, events: Vec::new() });
        }
        Ok(read)
    }

    fn warn(&self, odd: Vec<Warning>, warnings: &mut Vec<Warning>) {
        for warning in odd {
            self.watcher.tell(Progress::Warning(&warning));
            warnings.push(warning);
        }
    }
}

/// A recording that is its own replicate makes noise look smaller than it is.
fn repeated(build: &Build) -> Vec<Warning> {
    let mut seen = BTreeSet::new();
    let paths = build.recordings.iter().filter_map(|recording| recording.path());
    let twice = paths.filter(|path| std::fs::canonicalize(path).is_ok_and(|real| !seen.insert(real)));
    twice.map(|path| Warning::Repeated { path: path.to_owned() }).collect()
}

/// Chooses the event that all recordings are compared by.
pub(crate) fn choose_event(builds: &mut [ReadBuild], wanted: Option<&str>) -> Result<(), EventError> {
    let runs = builds.iter().flat_map(|build| &build.runs);
    let recordings: Vec<(String, &Profile)> = runs.map(|run| (run.path.clone(), &run.profile)).collect();
    let mut events = choose_events(&recordings, wanted)?.into_iter();
    for build in builds {
        build.events = events.by_ref().take(build.runs.len()).collect();
    }
    Ok(())
}

impl ReadBuild {
    /// As the analysis wants it.
    pub(crate) fn side(&self) -> SideInput<'_> {
        let runs = self.runs.iter().zip(&self.events).map(|(run, event)| run.input(*event));
        SideInput {
            label: self.label.clone(),
            objects: self.objects().cloned().collect(),
            runs: runs.collect(),
        }
    }

    /// What is known of its objects, each once.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &ObjectFacts> {
        let mut seen = BTreeSet::new();
        self.runs.iter().flat_map(|run| &run.objects).filter(move |object| seen.insert(&object.path))
    }

    /// The files that were found for its objects, each once.
    pub(crate) fn files(&self) -> Vec<&FoundFile> {
        let mut files: Vec<&FoundFile> = self.runs.iter().flat_map(|run| &run.files).collect();
        files.sort_by(|a, b| (&a.path, &a.file).cmp(&(&b.path, &b.file)));
        files.dedup();
        files
    }

    /// The censuses that packs brought along, by the object's path.
    pub(crate) fn censuses(&self) -> impl Iterator<Item = &(String, PackedCensus)> {
        self.runs.iter().flat_map(|run| &run.censuses)
    }

    /// Whether packs stand for its binaries.
    pub(crate) fn is_packed(&self) -> bool {
        self.runs.iter().any(|run| run.is_packed)
    }

    /// Some of the names of its threads.
    pub(crate) fn some_threads(&self) -> String {
        /// Thread names that an error lists.
        const MOST: usize = 8;
        let threads = self
            .runs
            .iter()
            .flat_map(|run| run.profile.threads.iter().map(|thread| run.profile.string(thread.comm)));
        let names: BTreeSet<&str> = threads.collect();
        names.into_iter().take(MOST).collect::<Vec<_>>().join(", ")
    }
}
