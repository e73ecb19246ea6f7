//! What a reader must know about the sides before the rows: [`SideFact`], its [`Subject`] with a value per side, and the
//! [`Concern`] it gives rise to. The words are in `pdiff-render`.

use std::collections::BTreeSet;

use pdiff_profile::{PerSide, Side};

use super::cost_scale::CostScale;

/// How serious a fact is for the comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Good to know.
    Plain,
    /// Differs between the sides and may mislead.
    Warning,
    /// Looks like a mistake in the input; the numbers are correct for that input.
    Suspect,
    /// The sides are not comparable.
    Incomparable,
}

/// One fact about both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct SideFact {
    /// What it is about, with the values of the sides.
    pub subject: Subject,
    /// How serious it is.
    pub severity: Severity,
    /// What follows from it for the reader, if anything.
    pub concern: Option<Concern>,
}

impl SideFact {
    /// A fact that is good to know.
    #[must_use]
    pub const fn plain(subject: Subject) -> Self {
        Self { subject, severity: Severity::Plain, concern: None }
    }

    /// A fact with something that follows from it.
    #[must_use]
    pub const fn new(subject: Subject, severity: Severity, concern: Concern) -> Self {
        Self { subject, severity, concern: Some(concern) }
    }

    /// The fact with this severity and concern, if the condition holds and it is not more serious already.
    #[must_use]
    pub(super) fn raised(self, when: bool, severity: Severity, concern: Concern) -> Self {
        if when && severity > self.severity { Self::new(self.subject, severity, concern) } else { self }
    }
}

/// What a fact is about, with the values of both sides.
#[derive(Clone, PartialEq, Debug)]
pub enum Subject {
    /// The names of the events that the runs measured, each once; a name that was not printed is empty.
    Event(PerSide<Vec<String>>),
    /// How often samples were taken; `None` without samples.
    SamplingRate(PerSide<Option<SamplingInterval>>),
    /// Whether stacks were recorded, and how.
    CallChains(PerSide<CallChains>),
    /// Samples after filters.
    Samples(PerSide<SampleCount>),
    /// Rows with a name, of which the sides have none in common.
    RowsInCommon(PerSide<usize>),
    /// Time from first to last sample of all runs, in seconds; `None` where no time was printed.
    Span(PerSide<Option<f64>>),
    /// Weight per operation.
    CostPerOperation {
        /// In nanoseconds of CPU, or in units of the event.
        per_op: PerSide<f64>,
        /// Whether it is time.
        is_time: bool,
        /// The unit in which the comparison gives costs.
        scale: CostScale,
    },
    /// Operations per second.
    Throughput(PerSide<f64>),
    /// CPU seconds per second.
    CoresUsed(PerSide<f64>),
    /// CPU seconds sampled, in percent of those measured.
    CpuSampled(PerSide<f64>),
    /// The recordings that were cut off; empty if none was.
    CutRecordings(PerSide<Vec<String>>),
    /// The part of samples that wait in a loop, in percent.
    BusyWaiting(PerSide<f64>),
    /// The part of weight whose function has no name, in percent.
    WithoutFunction(PerSide<f64>),
    /// The part of samples whose stacks reach no function of the program, in percent.
    WithoutCaller(PerSide<f64>),
    /// The part of samples whose stacks end before the outermost caller, in percent.
    CutChains(PerSide<f64>),
    /// The objects whose inlined functions are known on this side only.
    InlinedFunctions(PerSide<Vec<String>>),
    /// Why debug information was not read for all functions sampled; empty if it was.
    DebugInformation(PerSide<Vec<String>>),
    /// The compilers and their flags, each once.
    Compilers(PerSide<Vec<String>>),
    /// A property of the machines, each value once.
    Machine(MachineProperty, PerSide<Vec<String>>),
    /// The paths of the programs, which are two.
    Programs(PerSide<String>),
    /// The kinds of work that differ most, with their part of the side's work in percent.
    Workload(PerSide<Vec<(String, f64)>>),
    /// The paths of a recording that is on both sides.
    Recordings(PerSide<String>),
    /// Why the runs of a side are of several builds; `None` for one build.
    Replicates(PerSide<Option<SeveralBuilds>>),
    /// The program: the file with the most samples.
    Program(PerSide<ProgramFile>),
    /// The settings known to matter that differ, as names and values; empty if none differs.
    Settings(PerSide<Vec<(String, String)>>),
    /// The builds that a table of benchmark runs is of.
    BuildsOfRunTable(PerSide<String>),
}

/// How often samples were taken.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SamplingInterval {
    /// Weight of a sample.
    pub per_sample: f64,
    /// Whether weight is nanoseconds of CPU.
    pub is_time: bool,
}

/// Whether stacks were recorded, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallChains {
    /// They were not.
    Absent,
    /// They were; how they were found is known or not.
    Present(Option<Unwinding>),
}

/// A way of finding callers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unwinding {
    /// Debug information.
    DebugInformation,
    /// Frame pointers.
    FramePointers,
    /// Branch records.
    BranchRecords,
}

/// Samples of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SampleCount {
    /// How many.
    pub samples: u64,
    /// In how many runs.
    pub runs: usize,
}

/// A property of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MachineProperty {
    /// The release of the kernel.
    Kernel,
    /// The model of the CPU.
    Cpu,
    /// The number of CPUs online.
    CpusOnline,
}

/// What shows that runs are of several builds.
#[derive(Clone, PartialEq, Debug)]
pub enum SeveralBuilds {
    /// Their programs have several versions or build-ids, each once.
    Programs(BTreeSet<BuildName>),
    /// A run with functions that no other run has.
    OwnFunctions {
        /// The recording.
        path: String,
        /// Their part of its weight, in percent.
        pct: f64,
    },
}

/// What tells a build from others.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BuildName {
    /// The version in the path of its program.
    Version(String),
    /// The build-id of its program, in hexadecimal digits.
    BuildId(String),
    /// The path of its program.
    Path(String),
}

/// The program of a side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramFile {
    /// Its path as recorded.
    pub path: String,
    /// Its build-id, in hexadecimal digits.
    pub build_id: Option<String>,
    /// Whether the file was found; `None` where it was not looked for.
    pub is_found: Option<bool>,
    /// Whether there is a file at its path, which is another build.
    pub is_other_build: bool,
}

/// What follows from a fact for the reader.
#[derive(Clone, PartialEq, Debug)]
pub enum Concern {
    /// Different events measure different things.
    EventsDiffer,
    /// Sampling costs CPU, and not the same on both builds.
    RatesDiffer,
    /// The sides find callers in different ways.
    UnwindingDiffers,
    /// Only one side has call chains.
    ChainsOnOneSide,
    /// A side has no samples.
    NoSamples,
    /// No function is on both sides.
    NoFunctionInCommon,
    /// Runs of different length.
    SpansDiffer,
    /// The sides use different numbers of cores.
    CoresDiffer,
    /// An operation costs many times as much on one side: operations may be counted in another way.
    CostsFarApart,
    /// An operation costs many times as much in one run of a side as in another.
    RunsFarApart,
    /// The samples are not of all CPU that was measured, so costs per operation are off by as much.
    CpuNotSampled,
    /// Samples and names at the ends of recordings are missing.
    EndsMissing,
    /// The sides wait in loops to different extents.
    BusyWaitingDiffers,
    /// Much of the CPU waits in loops.
    MuchBusyWaiting,
    /// Much weight has no function.
    ManyUnresolved,
    /// Stacks lack their callers more often on one side.
    CallersLostOnOneSide,
    /// Many stacks lack their outermost callers.
    OuterCallersLost,
    /// Inlined functions are known on one side only.
    InlinesOnOneSide,
    /// Functions are compared by symbol, because debug information was not read for them.
    ComparedBySymbol {
        /// Their names.
        functions: Vec<String>,
        /// Whether the same functions lack it on both sides.
        is_even: bool,
    },
    /// The compilers or their flags differ.
    CompilersDiffer,
    /// The machines differ.
    MachinesDiffer,
    /// Two programs are compared.
    TwoPrograms,
    /// The sides did different work.
    OtherWork {
        /// Whether the same work under new names would look alike.
        or_names: bool,
    },
    /// The same recording is on both sides.
    SameRecording,
    /// The runs of one side are of several builds.
    ReplicatesOfSeveralBuilds,
    /// The before side looks newer.
    LooksSwapped(NewerBuild),
    /// The program of one side alone was not found.
    ProgramNotFound {
        /// That side.
        side: Side,
        /// Its path.
        path: String,
        /// There is a file, and it is another build.
        is_other_build: bool,
        /// The recording does not name its functions either, so that no function can be compared.
        is_nameless: bool,
    },
    /// So many settings that are known to matter differ.
    SettingsDiffer(usize),
    /// A table of benchmark runs is of other builds than the profiles.
    RunTableOfOtherBuilds {
        /// The programs of the profiles.
        programs: PerSide<String>,
    },
}

/// What shows that the before side is the newer build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NewerBuild {
    /// The versions.
    Versions(PerSide<String>),
    /// Its file was built so many seconds later.
    BuiltLater(u64),
}
