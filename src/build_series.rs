//! Many builds in order: each is read and symbolised once, and each pair of them is prepared once.

use pdiff_analysis::{CompareSettings, Comparison, GroupBy, PreparedSides, Sides, Subsystems};
use pdiff_ingest::Windows;
use pdiff_profile::PerSide;

use crate::build::Build;
use crate::error::Error;
use crate::lookup::Lookup;
use crate::progress::{Progress, Warning, Watcher};
use crate::read::{ReadBuild, Reading, choose_event};
use crate::sides::{check_samples, neutral, preset_of};

/// How many builds are read.
#[derive(Clone, Debug)]
#[must_use]
pub struct Series {
    builds: Vec<Build>,
    windows: Option<Windows>,
    reading: Reading,
    settings: CompareSettings,
    by_program: bool,
}

/// Builds in order, with all their recordings in memory as unique stacks.
#[derive(Debug)]
pub struct ReadSeries {
    builds: Vec<ReadBuild>,
    settings: CompareSettings,
    by_program: bool,
    warnings: Vec<Warning>,
}

impl Series {
    /// Builds in their order, compared as [`crate::Comparer::new`] compares two.
    pub fn new(builds: impl IntoIterator<Item = Build>) -> Self {
        Self {
            builds: builds.into_iter().collect(),
            windows: None,
            reading: Reading { lookup: Some(Lookup::new()), ..Reading::default() },
            settings: CompareSettings { knowledge: neutral(), ..CompareSettings::default() },
            by_program: false,
        }
    }

    /// Sets the operations and CPU of the runs, by the stems of the recordings.
    pub fn windows(self, windows: Windows) -> Self {
        Self { windows: Some(windows), ..self }
    }

    /// Where binaries are looked for; `None` if they are not to be.
    pub fn lookup(mut self, lookup: Option<Lookup>) -> Self {
        self.reading.lookup = lookup;
        self
    }

    /// Chooses the preset of each pair by the name of its program.
    pub fn preset_by_program(self) -> Self {
        Self { by_program: true, ..self }
    }

    /// Parts of the program, before the built-in ones.
    pub fn subsystems(mut self, subsystems: Subsystems) -> Self {
        self.settings.knowledge.subsystems = subsystems.or(self.settings.knowledge.subsystems);
        self
    }

    /// Is told what happens meanwhile.
    pub fn watch(mut self, watch: impl Fn(Progress<'_>) + Send + Sync + 'static) -> Self {
        self.reading.watcher = Watcher::new(watch);
        self
    }

    /// Reads and symbolises; all recordings give the same event.
    ///
    /// # Errors
    /// If a recording or a binary cannot be read, or if the recordings have no event in common.
    pub fn read(self) -> Result<ReadSeries, Error> {
        let mut builds = self.builds;
        if let Some(windows) = &self.windows {
            builds = builds.into_iter().map(|build| build.listed(windows)).collect::<Result<_, _>>()?;
        }
        let mut warnings = Vec::new();
        let mut read = self.reading.read_each(&builds, &mut warnings)?;
        choose_event(&mut read, None)?;
        Ok(ReadSeries { builds: read, settings: self.settings, by_program: self.by_program, warnings })
    }
}

impl ReadSeries {
    /// Compares two of the builds, given by their index in the order, with rows of several kinds.
    ///
    /// # Errors
    /// Returns an error if a side has no samples, or if there is no build with that index.
    pub fn compare<const N: usize>(
        &self,
        before: usize,
        after: usize,
        by: [GroupBy; N],
    ) -> Result<[Comparison; N], Error> {
        let build = |number: usize| {
            self.builds.get(number).ok_or(Error::NoBuild { number, builds: self.builds.len() })
        };
        let pair = PerSide::new(build(before)?, build(after)?);
        let sides = Sides { before: pair.before.side(), after: pair.after.side() };
        let mut settings = self.settings.clone();
        if self.by_program {
            settings.knowledge.aliases = preset_of(&sides).aliases();
        }
        let normal = PreparedSides::new(&sides, &settings);
        check_samples(&normal, &sides, pair, &settings.filters)?;
        Ok(by.map(|group_by| {
            settings.group_by = group_by;
            normal.compare_rows(&sides, &settings)
        }))
    }

    /// Warnings about odd input.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}
