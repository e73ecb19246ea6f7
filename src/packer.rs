//! One recording with its functions, and what verdicts ask of the program's code, in one small file.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use pdiff_analysis::classify::Foreground;
use pdiff_analysis::{CompareSettings, PreparedSides, Program, SideInput, Sides};
use pdiff_ingest::{PackedCensus, into_pack};
use pdiff_profile::census::{Census, Detail};
use pdiff_profile::{EventId, NoteKind, Side};

use crate::binary_facts::{BuildSide, Wanted};
use crate::build::Build;
use crate::error::Error;
use crate::lookup::Lookup;
use crate::progress::{Progress, Warning, Watcher};
use crate::read::{ReadBuild, Reading};
use crate::recording::Recording;
use crate::sides::neutral;

/// What may be missing from a recording that is damaged or was cut off: whoever packs it has it at hand.
const ODD: [NoteKind; 5] = [
    NoteKind::UnparsedLine,
    NoteKind::TruncatedSample,
    NoteKind::LineTooLong,
    NoteKind::DamagedRecord,
    NoteKind::CutRecording,
];

/// How a recording is packed.
#[derive(Clone, Debug)]
#[must_use]
pub struct Packer {
    build: Build,
    reading: Reading,
    is_full: bool,
}

/// A recording that was read to be packed.
pub(crate) struct ReadRun {
    packer: Packer,
    read: ReadBuild,
}

/// What the stacks of one event show of the program.
struct Seen {
    program: Program,
    functions: Vec<String>,
}

impl Packer {
    /// Packs one recording, with binaries where it names them.
    pub fn new(recording: impl Into<Recording>) -> Self {
        let reading = Reading { lookup: Some(Lookup::new()), ..Reading::default() };
        Self { build: Build::recordings([recording.into()]), reading, is_full: false }
    }

    /// A binary or debug file of the build.
    pub fn binary(mut self, path: impl Into<PathBuf>) -> Self {
        self.build = self.build.binary(path);
        self
    }

    /// Where else binaries are looked for; `None` if they are not to be.
    pub fn lookup(mut self, lookup: Option<Lookup>) -> Self {
        self.reading.lookup = lookup;
        self
    }

    /// Continues even if many lines cannot be parsed.
    pub fn lenient(mut self, lenient: bool) -> Self {
        self.reading.lenient = lenient;
        self
    }

    /// Number of worker threads that read.
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.reading.threads = Some(threads);
        self
    }

    /// Also what the run has nothing to do with, for a comparison of all inlining.
    pub fn full_census(self, is_full: bool) -> Self {
        Self { is_full, ..self }
    }

    /// Is told what happens meanwhile.
    pub fn watch(mut self, watch: impl Fn(Progress<'_>) + Send + Sync + 'static) -> Self {
        self.reading.watcher = Watcher::new(watch);
        self
    }

    /// Reads, symbolises and packs.
    ///
    /// # Errors
    /// If the recording or a binary cannot be read, or if all of the code is to be packed and none was found.
    pub fn pack(self) -> Result<Vec<u8>, Error> {
        let read = self.read()?;
        let census = read.census()?;
        read.into_pack(census)
    }

    /// Reads and symbolises.
    pub(crate) fn read(self) -> Result<ReadRun, Error> {
        let mut read = self.reading.read_each(std::slice::from_ref(&self.build), &mut Vec::new())?;
        let read = read.pop().unwrap_or_else(|| unreachable!("one build was read"));
        for run in &read.runs {
            let odd = ODD.into_iter().filter_map(|kind| run.profile.notes.get(kind));
            for note in odd {
                let example = note.examples.first().map(ToString::to_string).unwrap_or_default();
                let (path, kind, count) = (run.path.clone(), note.kind, note.count);
                let warning = Warning::Imperfect { path, kind, count, example };
                self.reading.watcher.tell(Progress::Warning(&warning));
            }
        }
        Ok(ReadRun { packer: self, read })
    }
}

impl ReadRun {
    /// The recording.
    #[cfg(feature = "store")]
    pub(crate) fn run(&self) -> &crate::read::Run {
        self.read.runs.first().unwrap_or_else(|| unreachable!("one recording was read"))
    }

    /// The census to pack, and the path of its object: of the program that has most samples.
    pub(crate) fn census(&self) -> Result<Option<(String, PackedCensus)>, Error> {
        let census = self.found_census()?;
        if census.is_none() && self.packer.is_full { Err(Error::NothingToPack) } else { Ok(census) }
    }

    fn found_census(&self) -> Result<Option<(String, PackedCensus)>, Error> {
        let Some(lookup) = &self.packer.reading.lookup else { return Ok(None) };
        let seen = seen_by_event(&self.read);
        let Some(program) = seen.first().map(|seen| &seen.program) else { return Ok(None) };
        let side = BuildSide { side: Side::Before, given: &self.packer.build, read: &self.read };
        let Some(found) = side.census(program, lookup, Wanted::All)? else { return Ok(None) };
        let of_program = seen.iter().filter(|seen| seen.program.label == program.label);
        let functions = of_program.flat_map(|seen| &seen.functions).map(String::as_str);
        let packed = packed(&found.census, functions, self.packer.is_full)?;
        Ok(program.paths[Side::Before].first().map(|path| (path.clone(), packed)))
    }

    /// The pack.
    pub(crate) fn into_pack(mut self, census: Option<(String, PackedCensus)>) -> Result<Vec<u8>, Error> {
        let run = self.read.runs.pop().unwrap_or_else(|| unreachable!("one recording was read"));
        let path = run.path.clone();
        into_pack(run.into_pack(census)).map_err(|source| Error::NotPacked { path, source })
    }
}

/// What the stacks of each event show of its program.
fn seen_by_event(build: &ReadBuild) -> Vec<Seen> {
    let settings = CompareSettings { knowledge: neutral(), ..CompareSettings::default() };
    let events = build.runs.first().map_or(0, |run| run.profile.events.len());
    let seen = |event: usize| {
        let event = EventId(u32::try_from(event).ok()?);
        let runs = build.runs.iter().map(|run| run.input(event)).collect();
        let before = SideInput { label: String::new(), objects: Vec::new(), runs };
        let after = SideInput::new("", Vec::new());
        let sides = Sides { before, after };
        // Without a program there is nothing to look up, and stacks can be many.
        PreparedSides::program_names(&sides).before.as_ref()?;
        let normal = PreparedSides::new(&sides, &settings);
        let program = normal.program()?.clone();
        let functions = normal.functions_of(&sides, &program.label);
        Some(Seen { functions: functions.into_iter().map(str::to_owned).collect(), program })
    };
    (0..events).filter_map(seen).collect()
}

/// A census as a pack contains it. Parts that the run does not need are left out unless all are wanted.
fn packed<'a>(
    census: &Census,
    functions: impl Iterator<Item = &'a str>,
    is_full: bool,
) -> Result<PackedCensus, Error> {
    let foreground = Foreground::new(census, functions);
    let least = if is_full { Detail::Rows } else { Detail::None };
    let bytes = census.to_packed_bytes(|function| foreground.detail(function).max(least));
    Ok(PackedCensus::from_bytes(&bytes)?)
}
