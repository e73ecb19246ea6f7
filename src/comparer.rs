//! How two builds are compared: recordings, where their code is, and what rows, shares and verdicts are made of.

use std::num::NonZeroUsize;

use pdiff_analysis::classify::{CallCounts, Demands};
use pdiff_analysis::inlines::InlineReasons;
use pdiff_analysis::noise::NoiseSettings;
use pdiff_analysis::{
    Aliases, Architectural, CompareSettings, Filters, Inlines, Preset, SettingsKnowledge, Share, SpinList,
    Subsystems, Templates, ThreadGroups, WaitList, settings_diff,
};
use pdiff_ingest::{ReadOptions, Windows};
use pdiff_profile::names::MatchLevel;
use pdiff_profile::{PerSide, ServerSettings};

use crate::build::Build;
use crate::error::Error;
use crate::evidence::EvidenceGiven;
use crate::inferred_names::inferred_names;
use crate::lookup::Lookup;
use crate::prepared::{Given, Prepared};
use crate::progress::{Progress, Watcher};
use crate::read::{Reading, choose_event};
use crate::recording::Recording;
use crate::sides::{neutral, normalised, preset_of, sides};
use crate::waits::ReadWaits;

/// How two builds are compared.
///
/// ```no_run
/// use pdiff::{Build, By, Comparer};
///
/// let prepared = Comparer::new()
///     .before(Build::recordings(["57.perf"]).binary("57/bin/mysqld"))
///     .after(Build::recordings(["80.perf"]).binary("80/bin/mysqld"))
///     .prepare()?;
/// for row in prepared.compare(By::Function).rows.iter().filter(|row| row.significant) {
///     println!("{:+.2} points  {}", row.delta_self_pp(), row.name);
/// }
/// # Ok::<(), pdiff::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Comparer {
    before: Build,
    after: Build,
    windows: Option<Windows>,
    event: Option<String>,
    reading: Reading,
    settings: CompareSettings,
    evidence: EvidenceGiven,
    /// Recordings of waiting.
    waits: Option<PerSide<Vec<Recording>>>,
    /// Chosen by the name of the program if none is given.
    preset: Option<Preset>,
    forgets_preset_aliases: bool,
    takes_facts: bool,
}

impl Comparer {
    /// Functions by their qualified names, inlined ones with rows of their own, shares of all samples, binaries where the
    /// recordings name them.
    pub fn new() -> Self {
        Self {
            before: Build::default(),
            after: Build::default(),
            windows: None,
            event: None,
            reading: Reading { lookup: Some(Lookup::new()), ..Reading::default() },
            settings: CompareSettings { knowledge: neutral(), ..CompareSettings::default() },
            evidence: EvidenceGiven::default(),
            waits: None,
            preset: Some(Preset::Neutral),
            forgets_preset_aliases: false,
            takes_facts: true,
        }
    }

    /// The base build.
    pub fn before(self, build: Build) -> Self {
        Self { before: build, ..self }
    }

    /// The build compared with it.
    pub fn after(self, build: Build) -> Self {
        Self { after: build, ..self }
    }

    /// Sets the operations and CPU of the runs, by the stems of the recordings.
    pub fn windows(self, windows: Windows) -> Self {
        Self { windows: Some(windows), ..self }
    }

    /// The event compared. Else it is the heaviest like cycles that all recordings have.
    pub fn event(self, name: impl Into<String>) -> Self {
        Self { event: Some(name.into()), ..self }
    }

    /// Continues even if many lines of a recording cannot be parsed.
    pub fn lenient(mut self, lenient: bool) -> Self {
        self.reading.lenient = lenient;
        self
    }

    /// Number of worker threads that read. The result does not depend on it.
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.reading.threads = Some(threads.min(ReadOptions::MAX_WORKERS));
        self
    }

    /// Where binaries are looked for beyond those that the builds name.
    pub fn lookup(mut self, lookup: Lookup) -> Self {
        self.reading.lookup = Some(lookup);
        self
    }

    /// No binary is read: names are perf's own.
    pub fn without_binaries(mut self) -> Self {
        self.reading.lookup = None;
        self
    }

    /// Keeps debug information that is inflated for the addresses of samples until [`Prepared::verdicts`] has read it, too.
    /// That saves time and changes no result; without it, memory is smaller until verdicts are asked for.
    pub fn before_verdicts(mut self) -> Self {
        self.reading.lookup = self.reading.lookup.map(Lookup::keeping);
        self
    }

    /// Bases verdicts on names and samples only; binaries give only names.
    pub fn without_binary_facts(self) -> Self {
        Self { takes_facts: false, ..self }
    }

    /// How strictly functions of two builds are identified.
    pub fn match_level(mut self, level: MatchLevel) -> Self {
        self.settings.policy.match_level = level;
        self
    }

    /// Whether inlined functions have rows of their own.
    pub fn inlines(mut self, inlines: Inlines) -> Self {
        self.settings.policy.inlines = inlines;
        self
    }

    /// Whether the instances of a template have rows of their own.
    pub fn templates(mut self, templates: Templates) -> Self {
        self.settings.policy.templates = templates;
        self
    }

    /// What shares are shares of.
    pub fn denominator(mut self, share: Share) -> Self {
        self.settings.share = share;
        self
    }

    /// Which samples count.
    pub fn filters(mut self, filters: Filters) -> Self {
        self.settings.filters = filters;
        self
    }

    /// Sets the built-in knowledge about the program. Without a preset, there is none.
    pub fn preset(mut self, preset: Preset) -> Self {
        self.preset = Some(preset);
        self
    }

    /// Chooses the preset by the name of the program's file.
    pub fn preset_by_program(mut self) -> Self {
        self.preset = None;
        self
    }

    /// Known renames, before those of the preset.
    pub fn aliases(mut self, aliases: Aliases) -> Self {
        self.settings.knowledge.aliases = self.settings.knowledge.aliases.with(aliases);
        self
    }

    /// Forgets the renames of the preset.
    pub fn without_preset_aliases(mut self) -> Self {
        self.forgets_preset_aliases = true;
        self
    }

    /// Parts of the program, before the built-in ones.
    pub fn subsystems(mut self, subsystems: Subsystems) -> Self {
        self.settings.knowledge.subsystems = subsystems.or(self.settings.knowledge.subsystems);
        self
    }

    /// Groups of threads, instead of the built-in ones.
    pub fn thread_groups(mut self, groups: ThreadGroups) -> Self {
        self.settings.knowledge.thread_groups = groups;
        self
    }

    /// Functions that busy-wait, instead of the built-in ones.
    pub fn spin_list(mut self, spin: SpinList) -> Self {
        self.settings.knowledge.spin = spin;
        self
    }

    /// Sets functions that wait for their callers, and where idle threads wait, instead of the built-in list.
    pub fn wait_list(mut self, waits: WaitList) -> Self {
        self.settings.knowledge.waits = waits;
        self
    }

    /// Recordings of waiting under the same load: `sched:sched_switch` with call chains, or folded stacks of `offcputime`.
    pub fn waits(self, before: Vec<Recording>, after: Vec<Recording>) -> Self {
        Self { waits: Some(PerSide { before, after }), ..self }
    }

    /// How noise is judged.
    pub fn noise(mut self, noise: NoiseSettings) -> Self {
        self.settings.noise = noise;
        self
    }

    /// Costs of design, for verdicts, instead of those of the preset.
    pub fn architectural(mut self, architectural: Architectural) -> Self {
        self.evidence.architectural = Some(architectural);
        self
    }

    /// Calls per operation, where counted, for verdicts.
    pub fn counts(mut self, counts: CallCounts) -> Self {
        self.evidence.counts = Some(counts);
        self
    }

    /// Sets the compilers' remarks on calls, for verdicts: of the base build, and of the other.
    pub fn inline_reasons(mut self, reasons: PerSide<Option<InlineReasons>>) -> Self {
        self.evidence.inline_reasons = reasons;
        self
    }

    /// How much proof verdicts on inlining need.
    pub fn demands(mut self, demands: Demands) -> Self {
        self.evidence.demands = demands;
        self
    }

    /// The settings of the servers recorded. [`Self::settings_knowledge`] is to be said before.
    pub fn server_settings(mut self, before: &ServerSettings, after: &ServerSettings) -> Self {
        self.evidence.settings = Some(settings_diff(before, after, &self.evidence.settings_knowledge));
        self
    }

    /// Sets the knowledge about settings, for verdicts.
    pub fn settings_knowledge(mut self, knowledge: SettingsKnowledge) -> Self {
        self.evidence.settings_knowledge = knowledge;
        self
    }

    /// Is told what happens meanwhile.
    pub fn watch(mut self, watch: impl Fn(Progress<'_>) + Send + Sync + 'static) -> Self {
        self.reading.watcher = Watcher::new(watch);
        self
    }

    /// Reads both builds and prepares them for every view.
    ///
    /// # Errors
    /// Returns an error if a recording or a binary cannot be read, if the recordings have no event in common, or if the
    /// filters leave no samples on a side.
    pub fn prepare(mut self) -> Result<Prepared, Error> {
        let mut recordings = self.before.recordings.iter().chain(&self.after.recordings);
        self.settings.scale_to_cpu_seconds =
            recordings.any(|recording| recording.measures.cpu_seconds.is_some());
        if let Some(windows) = &self.windows {
            self.before = self.before.listed(windows)?;
            self.after = self.after.listed(windows)?;
        }
        let builds = Build::called_apart(self.before, self.after);
        let mut warnings = Vec::new();
        let mut read = self.reading.read_both(&builds, &mut warnings)?;
        choose_event(read.as_mut().into_array(), self.event.as_deref())?;
        let preset = self.preset.unwrap_or_else(|| preset_of(&sides(&read)));
        if !self.forgets_preset_aliases {
            self.settings.knowledge.aliases = preset.aliases().with(self.settings.knowledge.aliases);
        }
        if let Some(lookup) = &self.reading.lookup {
            let inferred = inferred_names(&read, &builds, lookup);
            self.settings.knowledge.aliases = self.settings.knowledge.aliases.with(inferred);
        }
        let normal = normalised(&read, &self.settings)?;
        let waits = self.waits.map(|waits| ReadWaits::read(waits, &builds, &self.reading, &mut warnings));
        let waits = waits.transpose()?;
        self.reading.watcher.finished("prepare", None);
        let given = Given {
            builds,
            reading: self.reading,
            settings: self.settings,
            evidence: self.evidence,
            preset,
            takes_facts: self.takes_facts,
        };
        Ok(Prepared::new(given, read, normal, waits, warnings))
    }
}

impl Default for Comparer {
    fn default() -> Self {
        Self::new()
    }
}
