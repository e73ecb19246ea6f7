//! The inputs of a comparison.

use std::sync::LazyLock;

use pdiff_profile::names::MatchLevel;
use pdiff_profile::{EventId, Notes, ObjectId, Profile, Resolutions, RunMeasures, Side, Uncovered};

use crate::filter::Filters;
use crate::knowledge::{Aliases, Requests, SpinList, Subsystems, ThreadGroups, WaitList};
use crate::noise::NoiseSettings;
use crate::policy::{GroupBy, Inlines, Policy, Share, Templates};

/// One recording.
#[derive(Clone, Debug)]
pub struct RunInput<'a> {
    /// Where it was read from, as the user wrote it.
    pub path: String,
    /// The samples.
    pub profile: &'a Profile,
    /// The resolutions of its frames, if there are binaries.
    pub resolutions: Option<&'a Resolutions>,
    /// What was imperfect about them.
    pub notes: Option<&'a Notes>,
    /// The event compared.
    pub event: EventId,
    /// Operations, throughput and CPU time.
    pub measures: RunMeasures,
    /// The machine that it is of, if machines are compared and not single recordings.
    pub host: Option<String>,
}

impl<'a> RunInput<'a> {
    /// A recording as perf wrote it: perf's own symbols, nothing known of operations or CPU time.
    #[must_use]
    pub fn new(path: impl Into<String>, profile: &'a Profile, event: EventId) -> Self {
        let measures = RunMeasures::default();
        Self { path: path.into(), profile, resolutions: None, notes: None, event, measures, host: None }
    }
}

/// Facts about an object of a side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectFacts {
    /// Path as the profile has it.
    pub path: String,
    /// Its identity, where its file was read.
    pub object_id: Option<ObjectId>,
    /// Build-id in hexadecimal, where known.
    pub build_id: Option<String>,
    /// Compilers and flags, where debug information names them.
    pub producers: Vec<String>,
    /// Whether debug information was found for it.
    pub has_debug_info: bool,
    /// Its sampled functions that debug information should describe and does not.
    pub uncovered: Uncovered,
    /// Whether its file was used although nothing confirms that this file is the one that ran.
    pub is_unverified: bool,
    /// Whether the file at its path is another build, which was not used.
    pub is_other_build: bool,
    /// When its file was last written, in seconds since 1970.
    pub modified_s: Option<u64>,
}

/// One build's recordings.
#[derive(Clone, Debug)]
pub struct SideInput<'a> {
    /// Its label: the stem of its first file.
    pub label: String,
    /// One or more recordings of one build.
    pub runs: Vec<RunInput<'a>>,
    /// Facts about its objects beyond the profile.
    pub objects: Vec<ObjectFacts>,
}

impl<'a> SideInput<'a> {
    /// A side of which its recordings are all that is known.
    #[must_use]
    pub fn new(label: impl Into<String>, runs: Vec<RunInput<'a>>) -> Self {
        Self { label: label.into(), runs, objects: Vec::new() }
    }
}

/// Knowledge of the program compared.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// Renames.
    pub aliases: Aliases,
    /// Parts of the program.
    pub subsystems: Subsystems,
    /// Groups of threads.
    pub thread_groups: ThreadGroups,
    /// Busy waiting.
    pub spin: SpinList,
    /// Waiting.
    pub waits: WaitList,
    /// Kinds of requests.
    pub requests: Requests,
}

/// Settings begin with it, whatever they change: to make its patterns takes longer than to read a short recording.
static BUILTIN: LazyLock<Knowledge> = LazyLock::new(|| Knowledge {
    aliases: Aliases::mysqld(),
    subsystems: Subsystems::builtin(),
    thread_groups: ThreadGroups::builtin(),
    spin: SpinList::builtin(),
    waits: WaitList::builtin(),
    requests: Requests::builtin(),
});

impl Knowledge {
    /// What comes with pdiff.
    #[must_use]
    pub fn builtin() -> Self {
        BUILTIN.clone()
    }
}

/// The choices of one comparison.
#[derive(Clone, Debug)]
pub struct CompareSettings {
    /// Names and inlines.
    pub policy: Policy,
    /// What shares are shares of.
    pub share: Share,
    /// What a row is.
    pub group_by: GroupBy,
    /// Which samples count.
    pub filters: Filters,
    /// The knowledge about the program.
    pub knowledge: Knowledge,
    /// How noise is judged.
    pub noise: NoiseSettings,
    /// Whether weights are scaled to the CPU seconds measured.
    pub scale_to_cpu_seconds: bool,
}

/// The settings of `pdiff compare` without options: qualified names, inlines expanded, shares of all samples, one row per
/// function.
impl Default for CompareSettings {
    fn default() -> Self {
        Self {
            policy: Policy {
                match_level: MatchLevel::Qualified,
                inlines: Inlines::Expand,
                templates: Templates::Keep,
            },
            share: Share::All,
            group_by: GroupBy::Function,
            filters: Filters::default(),
            knowledge: Knowledge::builtin(),
            noise: NoiseSettings::default(),
            scale_to_cpu_seconds: false,
        }
    }
}

/// The two sides, base first.
#[derive(Clone, Debug)]
pub struct Sides<'a> {
    /// The base build.
    pub before: SideInput<'a>,
    /// The build compared with it.
    pub after: SideInput<'a>,
}

impl<'a> Sides<'a> {
    /// One of the two.
    #[must_use]
    pub fn get(&self, side: Side) -> &SideInput<'a> {
        match side {
            Side::Before => &self.before,
            Side::After => &self.after,
        }
    }
}
