//! Builds read: their recordings as samples, with the functions of their frames found.

mod recordings;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use pdiff_analysis::{EventError, ObjectFacts, RunInput, SideInput, choose_events};
use pdiff_ingest::{Input, PackedCensus, PackedObject, PackedRun, SymbolPlaces, TimeWindow};
use pdiff_profile::{
    EventId, Notes, ObjectKind, PerSide, Profile, Resolutions, RunMeasures, Side, TakenBranch, TakenSample,
    ThreadState, Uncovered,
};
use pdiff_symbolize::{
    FileKernels, FileUnwinder, Resolved, SymbolizeOptions, name_frames, resolve_indexed, resolve_rest,
};

use crate::build::Build;
use crate::error::Error;
use crate::lookup::Lookup;
use crate::progress::{Progress, Warning, Watcher};
use crate::recording::Recording;
use recordings::{Wanted, read_recordings, read_with_branches, read_with_samples};

/// How builds are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// Go on however many lines cannot be parsed.
    pub(crate) lenient: bool,
    /// Read times between switches of CPUs instead of samples.
    pub(crate) waits: bool,
    /// Number of workers; one per core if none is given.
    pub(crate) threads: Option<NonZeroUsize>,
    /// Where binaries are looked for; `None` if they are not to be.
    pub(crate) lookup: Option<Lookup>,
    pub(crate) watcher: Watcher,
}

/// What reading asks of files.
struct Files {
    /// Finds callers in stacks that were recorded as bytes.
    unwinder: FileUnwinder,
    kernels: FileKernels,
}

/// A recording that was read.
#[derive(Debug)]
struct ReadInput {
    input: Input,
    /// The functions of its frames, where cache files have all of them.
    indexed: Option<Resolved>,
}

/// One build, read.
#[derive(Debug)]
pub(crate) struct ReadBuild {
    pub(crate) label: String,
    pub(crate) runs: Vec<Run>,
    events: Vec<EventId>,
}

impl Reading {
    /// Reads both builds of a comparison.
    pub(crate) fn read_both(
        &self,
        builds: &PerSide<Build>,
        warnings: &mut Vec<Warning>,
    ) -> Result<PerSide<ReadBuild>, Error> {
        let mut inputs = self.inputs(builds.values())?.into_iter();
        PerSide::try_from_fn(|side| self.named(Some(side), &builds[side], &mut inputs, warnings))
    }

    /// Reads builds that are no side of a comparison yet.
    pub(crate) fn read_each(
        &self,
        builds: &[Build],
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<ReadBuild>, Error> {
        let mut inputs = self.inputs(builds.iter())?.into_iter();
        builds.iter().map(|build| self.named(None, build, &mut inputs, warnings)).collect()
    }

    /// The recordings of builds, in order.
    fn inputs<'b>(&self, builds: impl Iterator<Item = &'b Build>) -> Result<Vec<ReadInput>, Error> {
        let of_build =
            |build: &'b Build| build.recordings.iter().map(move |recording| Wanted { recording, build });
        let recordings: Vec<_> = builds.flat_map(of_build).collect();
        Ok(read_recordings(&recordings, self, |wanted, input| self.indexed(wanted.build, input))?)
    }

    /// A recording with the functions that cache files have, which takes little time and memory. Others are found one recording
    /// after the other: debug information is large, and what is found for one recording is there for the next.
    fn indexed(&self, build: &Build, mut input: Input) -> ReadInput {
        let Some(lookup) = &self.lookup else { return ReadInput { input, indexed: None } };
        let (profile, is_nameless) = match &mut input {
            Input::Text(profile) => (profile, true),
            Input::Named(profile, _) => (profile, false),
            Input::Pack(pack) if pack.resolutions.is_none() => (&mut pack.profile, true),
            Input::Pack(_) => return ReadInput { input, indexed: None },
        };
        let options = lookup.options(&build.binaries);
        name_frames(profile, &options);
        let indexed = is_nameless.then(|| resolve_indexed(profile, &options)).flatten();
        ReadInput { input, indexed }
    }

    /// A build whose recordings come first in `inputs`, with the functions of their frames.
    fn named(
        &self,
        side: Option<Side>,
        build: &Build,
        inputs: &mut impl Iterator<Item = ReadInput>,
        warnings: &mut Vec<Warning>,
    ) -> Result<ReadBuild, Error> {
        let mut runs = Vec::with_capacity(build.recordings.len());
        for (recording, input) in build.recordings.iter().zip(inputs) {
            let (run, odd) = find_functions(recording, input, &build.binaries, side, self)?;
            self.warn(odd, warnings);
            runs.push(run);
        }
        self.warn(same_samples(&runs), warnings);
        self.warn(operations_of_part(build), warnings);
        Ok(ReadBuild { label: build.name(), runs, events: Vec::new() })
    }

    /// Reads one recording together with its samples, as far as they are known one by one.
    pub(crate) fn read_samples(
        &self,
        build: &Build,
        warnings: &mut Vec<Warning>,
    ) -> Result<(Run, Vec<TakenSample>), Error> {
        let recording = build.recordings.first().unwrap_or_else(|| unreachable!("one recording was given"));
        let (input, taken) = read_with_samples(&Wanted { recording, build }, self)?;
        let input = self.indexed(build, input);
        let (run, odd) = find_functions(recording, input, &build.binaries, None, self)?;
        self.warn(odd, warnings);
        Ok((run, taken))
    }

    /// Reads one recording and passes on its branch records.
    pub(crate) fn read_branches(
        &self,
        build: &Build,
        each_branch: &(dyn Fn(TakenBranch) + Sync),
    ) -> Result<Run, Error> {
        let recording = build.recordings.first().unwrap_or_else(|| unreachable!("one recording was given"));
        let input = read_with_branches(&Wanted { recording, build }, self, each_branch)?;
        let input = self.indexed(build, input);
        find_functions(recording, input, &build.binaries, None, self).map(|(run, _)| run)
    }

    /// Where the names of code that no binary has are looked for.
    fn symbol_places(&self) -> SymbolPlaces {
        self.lookup.as_ref().map_or_else(SymbolPlaces::default, Lookup::symbol_places)
    }

    /// What reading asks of files.
    fn files(&self, binaries: &[PathBuf]) -> Option<Files> {
        self.lookup.as_ref().map(|lookup| Files {
            unwinder: FileUnwinder::new(lookup.options(binaries)),
            kernels: FileKernels::new(lookup.options(binaries)),
        })
    }

    fn warn(&self, odd: Vec<Warning>, warnings: &mut Vec<Warning>) {
        for warning in odd {
            self.watcher.tell(Progress::Warning(&warning));
            warnings.push(warning);
        }
    }
}

/// Nothing tells whether operations are of the whole recording or of the part that counts.
fn operations_of_part(build: &Build) -> Vec<Warning> {
    let lacks_time = |recording: &&Recording| {
        let of = recording.measures;
        of.operations.is_some() && of.tps.is_none() && of.window_s.is_none() && of.cpu_seconds.is_none()
    };
    let some = build.recordings.iter().filter(|_| build.time != TimeWindow::All).filter(lacks_time);
    some.map(|recording| Warning::OperationsOfPart { path: recording.source.to_string() }).collect()
}

/// A recording that is its own replicate makes noise look smaller than it is: one given twice, a copy, or a run that a store has
/// under two hosts or days.
fn same_samples(runs: &[Run]) -> Vec<Warning> {
    let same = runs.iter().enumerate().filter_map(|(at, run)| {
        let earlier = runs.iter().take(at).find(|earlier| {
            !run.profile.cells.is_empty()
                && earlier.profile.events == run.profile.events
                && earlier.profile == run.profile
        })?;
        let (path, other) = (run.path.clone(), earlier.path.clone());
        Some(if path == other { Warning::Repeated { path } } else { Warning::SameSamples { path, other } })
    });
    same.collect()
}

/// Chooses the event that all recordings are compared by.
pub(crate) fn choose_event<'b>(
    builds: impl IntoIterator<Item = &'b mut ReadBuild>,
    wanted: Option<&str>,
) -> Result<(), EventError> {
    let builds: Vec<&mut ReadBuild> = builds.into_iter().collect();
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
        SideInput { label: self.label.clone(), objects: self.merged_objects(), runs: runs.collect() }
    }

    /// As the analysis wants it, by the event of a state of threads; without runs that have none.
    pub(crate) fn side_in(&self, state: ThreadState) -> SideInput<'_> {
        let runs = self.runs.iter().filter_map(|run| run.input_in(state)).collect();
        SideInput { label: self.label.clone(), objects: self.merged_objects(), runs }
    }

    /// The facts about its objects, each object once.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &ObjectFacts> {
        let mut seen = BTreeSet::new();
        self.runs.iter().flat_map(|run| &run.objects).filter(move |object| seen.insert(&object.path))
    }

    /// The same with what debug information does not describe in any of its recordings. Where the file of an object was read for some
    /// recordings only, functions have two kinds of names, and inlined ones are there for some: none is taken for described.
    fn merged_objects(&self) -> Vec<ObjectFacts> {
        let mut objects: Vec<ObjectFacts> = Vec::new();
        for object in self.runs.iter().flat_map(|run| &run.objects) {
            match objects.iter_mut().find(|known| known.path == object.path) {
                Some(known) => {
                    known.uncovered.merge(&object.uncovered);
                    known.is_unverified |= object.is_unverified;
                }
                None => objects.push(object.clone()),
            }
        }
        for object in &mut objects {
            let of_runs =
                || self.runs.iter().flat_map(|run| &run.objects).filter(|of| of.path == object.path);
            let (all, read) = (of_runs().count(), of_runs().filter(|of| of.object_id.is_some()).count());
            if read < all && of_runs().any(|of| of.has_debug_info) {
                let cause = format!("the binary {} was there for {read} of {all} recordings", object.path);
                object.uncovered.merge(&Uncovered::whole(&cause));
            }
        }
        objects
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

    /// Whether packs represent its binaries.
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

/// Name and version of this program, as packs and stores keep them.
pub(crate) const TOOL_VERSION: &str = concat!("pdiff ", env!("CARGO_PKG_VERSION"));

/// One recording, read and symbolised.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) path: String,
    pub(crate) profile: Profile,
    pub(crate) resolutions: Option<Resolutions>,
    pub(crate) notes: Notes,
    pub(crate) objects: Vec<ObjectFacts>,
    /// The files that were found for its objects.
    pub(crate) files: Vec<FoundFile>,
    /// The censuses that a pack brought along, by the object's path.
    pub(crate) censuses: Vec<(String, PackedCensus)>,
    /// Whether it is a pack that was symbolised where the binaries are.
    pub(crate) is_packed: bool,
    pub(crate) measures: RunMeasures,
    /// The machine, where machines are compared.
    pub(crate) host: Option<String>,
}

/// A file that represents an object of a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FoundFile {
    /// The object's path in the profile.
    pub(crate) path: String,
    /// The file that was read.
    pub(crate) file: PathBuf,
}

/// Finds the functions of a recording that has been read; a pack brings them along.
fn find_functions(
    recording: &Recording,
    read: ReadInput,
    binaries: &[PathBuf],
    side: Option<Side>,
    reading: &Reading,
) -> Result<(Run, Vec<Warning>), Error> {
    let path = recording.source.to_string();
    let host = recording.host.clone();
    let ReadInput { input, indexed } = read;
    let (profile, named, measures) = match input {
        Input::Text(profile) => (profile, None, recording.measures),
        Input::Named(profile, named) => (profile, Some(named), recording.measures),
        Input::Pack(pack) => {
            let measures = recording.measures.or(pack.measures);
            if let Some(resolutions) = pack.resolutions {
                let mut objects = pack.objects;
                let census = |object: &mut PackedObject| Some((object.path.clone(), object.census.take()?));
                let run = Run {
                    path,
                    profile: pack.profile,
                    resolutions: reading.lookup.is_some().then_some(resolutions),
                    notes: pack.notes,
                    censuses: objects.iter_mut().filter_map(census).collect(),
                    objects: objects.into_iter().map(packed_object).collect(),
                    files: Vec::new(),
                    is_packed: true,
                    measures,
                    host,
                };
                return Ok((run, Vec::new()));
            }
            (pack.profile, None, measures)
        }
    };
    let resolved = match (&reading.lookup, named) {
        (Some(lookup), named) => {
            let resolved = match indexed {
                Some(indexed) => indexed,
                None => symbolize(&profile, named, &lookup.options(binaries), side)?,
            };
            let of_side = side.map_or_else(String::new, |side| format!(" {side}"));
            reading.watcher.finished(&format!("symbolise{of_side}"), None);
            Some(resolved)
        }
        (None, named) => named.map(|resolutions| Resolved { resolutions, ..Resolved::default() }),
    };
    let objects = objects(&profile, resolved.as_ref());
    let files = resolved.as_ref().map_or_else(Vec::new, |resolved| found_files(&profile, resolved));
    let odd = match reading.lookup {
        Some(_) => unused_binaries(binaries, side, resolved.as_ref()),
        None => Vec::new(),
    };
    let (resolutions, notes) = match resolved {
        Some(resolved) => (Some(resolved.resolutions), resolved.notes),
        None => (None, Notes::new()),
    };
    let (censuses, is_packed) = (Vec::new(), false);
    Ok((Run { path, profile, resolutions, notes, objects, files, censuses, is_packed, measures, host }, odd))
}

/// Binaries given by the user that no object of the profile is.
fn unused_binaries(binaries: &[PathBuf], side: Option<Side>, resolved: Option<&Resolved>) -> Vec<Warning> {
    let file = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let same = |a: &Path, b: &Path| file(a) == file(b);
    let used = |binary: &Path| {
        let mut objects = resolved.iter().flat_map(|resolved| &resolved.objects);
        objects.any(|object| {
            same(binary, &object.file) || object.debug_file.as_deref().is_some_and(|file| same(binary, file))
        })
    };
    let unused = binaries.iter().filter(|binary| !used(binary));
    unused.map(|binary| Warning::UnusedBinary { path: binary.clone(), side }).collect()
}

fn packed_object(object: PackedObject) -> ObjectFacts {
    ObjectFacts {
        path: object.path,
        object_id: object.object_id,
        build_id: object.build_id,
        producers: object.producers,
        has_debug_info: object.has_debug_info,
        uncovered: object.uncovered,
        is_unverified: object.is_unverified,
        is_other_build: false,
        modified_s: None,
    }
}

impl Run {
    /// As the analysis wants it.
    pub(crate) fn input(&self, event: EventId) -> RunInput<'_> {
        RunInput {
            path: self.path.clone(),
            profile: &self.profile,
            resolutions: self.resolutions.as_ref(),
            notes: Some(&self.notes),
            event,
            measures: self.measures,
            host: self.host.clone(),
        }
    }

    /// The same by the event of a state of threads.
    fn input_in(&self, state: ThreadState) -> Option<RunInput<'_>> {
        let at = self.profile.events.iter().position(|event| &*event.name == state.event())?;
        Some(self.input(EventId(u32::try_from(at).ok()?)))
    }

    /// As a pack contains it, with the census of one object, and those that a pack brought along.
    pub(crate) fn into_pack(self, census: Option<(String, PackedCensus)>) -> PackedRun {
        let mut censuses: Vec<(String, PackedCensus)> = census.into_iter().chain(self.censuses).collect();
        let mut census_of = |object: &str| {
            let at = censuses.iter().position(|(path, _)| path == object)?;
            Some(censuses.remove(at).1)
        };
        let mut object = |object: ObjectFacts| PackedObject {
            census: census_of(&object.path),
            path: object.path,
            object_id: object.object_id,
            build_id: object.build_id,
            has_debug_info: object.has_debug_info,
            uncovered: object.uncovered,
            is_unverified: object.is_unverified,
            producers: object.producers,
        };
        PackedRun {
            tool_version: TOOL_VERSION.to_owned(),
            profile: self.profile,
            resolutions: self.resolutions,
            notes: self.notes,
            objects: self.objects.into_iter().map(&mut object).collect(),
            measures: self.measures,
        }
    }
}

/// Finds the functions of the frames that the recording itself does not name.
fn symbolize(
    profile: &Profile,
    named: Option<Resolutions>,
    options: &SymbolizeOptions,
    side: Option<Side>,
) -> Result<Resolved, Error> {
    let named = named.unwrap_or_else(|| Resolutions::new(profile.frames.len()));
    resolve_rest(profile, named, options).map_err(|source| Error::Symbols { side, source })
}

fn found_files(profile: &Profile, resolved: &Resolved) -> Vec<FoundFile> {
    let found = resolved.objects.iter().filter_map(|found| {
        let object = profile.objects.get(found.object.index())?;
        Some(FoundFile { path: object.path.to_string(), file: found.file.clone() })
    });
    found.collect()
}

/// When a file was last written.
fn modified_s(file: &Path) -> Option<u64> {
    let modified = file.metadata().ok()?.modified().ok()?;
    modified.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// The files of a profile, with what the symboliser found out about them.
fn objects(profile: &Profile, resolved: Option<&Resolved>) -> Vec<ObjectFacts> {
    let files = profile.objects.iter().enumerate().filter(|(_, object)| object.kind == ObjectKind::File);
    let facts = files.map(|(index, object)| {
        let mut found = resolved.iter().flat_map(|resolved| &resolved.objects);
        let found = found.find(|found| found.object.index() == index);
        ObjectFacts {
            path: object.path.to_string(),
            object_id: found.map(|found| found.id.clone()),
            build_id: object.build_id.as_ref().map(ToString::to_string),
            producers: Vec::new(),
            has_debug_info: found.is_some_and(|found| found.has_debug_info),
            uncovered: found.map(|found| found.uncovered.clone()).unwrap_or_default(),
            is_unverified: found.is_some_and(|found| !found.is_verified),
            is_other_build: resolved
                .is_some_and(|resolved| resolved.other_builds.iter().any(|other| other.index() == index)),
            modified_s: found.and_then(|found| modified_s(&found.file)),
        }
    });
    facts.collect()
}
