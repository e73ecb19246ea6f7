//! One recording sample by sample as it was read, for inspection.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use pdiff_analysis::Pattern;
use pdiff_ingest::{CpuList, TimeWindow};
use pdiff_profile::{Cell, Profile, Resolutions, TakenSample};

use crate::build::Build;
use crate::error::Error;
use crate::lookup::Lookup;
use crate::progress::{Progress, Warning, Watcher};
use crate::read::{Reading, Run};
use crate::recording::Recording;

/// How a recording is read sample by sample.
#[derive(Clone, Debug)]
#[must_use]
pub struct SampleReader {
    build: Build,
    reading: Reading,
}

/// The samples of one recording in the order of their times, with the functions of their frames.
#[derive(Debug)]
pub struct Samples {
    run: Run,
    taken: Vec<TakenSample>,
    are_single: bool,
}

impl SampleReader {
    /// Of one recording, with binaries where it names them.
    pub fn new(recording: impl Into<Recording>) -> Self {
        let reading = Reading { lookup: Some(Lookup::new()), ..Reading::default() };
        Self { build: Build::recordings([recording.into()]), reading }
    }

    /// A binary or debug file of the build.
    pub fn binary(mut self, path: impl Into<PathBuf>) -> Self {
        self.build = self.build.binary(path);
        self
    }

    /// The part of the recording that is read.
    pub fn time(mut self, time: TimeWindow) -> Self {
        self.build = self.build.time(time);
        self
    }

    /// The samples that are read, by CPU.
    pub fn cpus(mut self, cpus: CpuList) -> Self {
        self.build = self.build.cpus(cpus);
        self
    }

    /// The samples that are read, by the path of their cgroup. May be said of several.
    pub fn cgroup(mut self, path: Pattern) -> Self {
        self.build = self.build.cgroup(path);
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

    /// Is told what happens meanwhile.
    pub fn watch(mut self, watch: impl Fn(Progress<'_>) + Send + Sync + 'static) -> Self {
        self.reading.watcher = Watcher::new(watch);
        self
    }

    /// Reads all samples and finds their functions. Memory follows the number of samples: 48 bytes each.
    ///
    /// # Errors
    /// If the recording or a binary cannot be read.
    pub fn read(self) -> Result<Samples, Error> {
        let mut warnings: Vec<Warning> = Vec::new();
        let (run, mut taken) = self.reading.read_samples(&self.build, &mut warnings)?;
        let are_single = !taken.is_empty();
        if !are_single {
            taken = run.profile.cells.iter().map(|cell| together(&run.profile, cell)).collect();
        }
        taken.sort_by_key(|sample| sample.time_ns);
        Ok(Samples { run, taken, are_single })
    }
}

impl Samples {
    /// The name of the recording in messages.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.run.path
    }

    /// Names, frames, stacks and threads.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.run.profile
    }

    /// The functions of the frames, if binaries or the recording give them.
    #[must_use]
    pub fn resolutions(&self) -> Option<&Resolutions> {
        self.run.resolutions.as_ref()
    }

    /// The samples, in the order of their times.
    #[must_use]
    pub fn taken(&self) -> &[TakenSample] {
        &self.taken
    }

    /// Whether each entry is one sample. In text, folded stacks, pprof profiles and packs, samples with the same thread,
    /// second and stack are one entry, with the sum of their weights.
    #[must_use]
    pub fn are_single(&self) -> bool {
        self.are_single
    }
}

/// The samples of a cell as one.
fn together(profile: &Profile, cell: &Cell) -> TakenSample {
    const NS: u64 = 1_000_000_000;
    let Cell { event, block, thread, stack, weight, .. } = *cell;
    let time_ns = profile.span.map(|_| u64::from(block) * NS);
    TakenSample { event, time_ns, cpu: None, thread, stack, weight }
}
