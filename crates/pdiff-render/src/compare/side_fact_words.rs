//! The words for facts about both sides: a name, the value of each side, and what follows for the reader.

use pdiff_analysis::side_fact::{
    BuildName, CallChains, Concern, MachineProperty, NewerBuild, ProgramFile, SampleCount, SamplingInterval,
    SeveralBuilds, SideFact, Subject, Unwinding,
};
use pdiff_analysis::{CostScale, Severity};
use pdiff_profile::{PerSide, Side};

/// Digits of a build-id that are shown.
const SHOWN_DIGITS: usize = 12;

/// The most functions and reasons that a fact names.
const MOST_NAMED: usize = 3;

/// The most settings that a fact names.
const MOST_SETTINGS: usize = 2;

/// A fact in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideFactWords {
    /// What it is about.
    pub name: &'static str,
    /// The values of the sides; empty if not known.
    pub values: PerSide<String>,
    /// What follows for the reader; empty if nothing does.
    pub remark: String,
}

impl SideFactWords {
    /// The words for a fact.
    #[must_use]
    pub fn new(fact: &SideFact) -> Self {
        let remark = fact.concern.as_ref().map(remark).unwrap_or_default();
        Self { name: name(&fact.subject), values: values(&fact.subject), remark }
    }
}

/// How serious a fact is, as JSON says it.
pub(crate) fn severity_key(severity: Severity) -> &'static str {
    match severity {
        Severity::Plain => "plain",
        Severity::Warning => "warning",
        Severity::Suspect => "suspect",
        Severity::Incomparable => "incomparable",
    }
}

fn name(subject: &Subject) -> &'static str {
    match subject {
        Subject::Event(_) => "event",
        Subject::SamplingRate(_) => "sampling rate",
        Subject::CallChains(_) => "call chains",
        Subject::Samples(_) => "samples",
        Subject::RowsInCommon(_) => "rows in common",
        Subject::Span(_) => "span",
        Subject::CostPerOperation { .. } => "cost per operation",
        Subject::Throughput(_) => "throughput",
        Subject::CoresUsed(_) => "cores used",
        Subject::CpuSampled(_) => "sampled of the CPU measured",
        Subject::CutRecordings(_) => "recordings cut off",
        Subject::BusyWaiting(_) => "busy waiting",
        Subject::WithoutFunction(_) => "without function",
        Subject::WithoutCaller(_) => "without caller",
        Subject::CutChains(_) => "call chains cut off",
        Subject::InlinedFunctions(_) => "inlined functions",
        Subject::DebugInformation(_) => "debug information",
        Subject::Compilers(_) => "compilers",
        Subject::Machine(MachineProperty::Kernel, _) => "kernel",
        Subject::Machine(MachineProperty::Cpu, _) => "CPU",
        Subject::Machine(MachineProperty::CpusOnline, _) => "CPUs online",
        Subject::Programs(_) => "programs",
        Subject::Workload(_) => "workload",
        Subject::Recordings(_) => "recordings",
        Subject::Replicates(_) => "replicates",
        Subject::Program(_) => "program",
        Subject::Settings(_) => "settings",
        Subject::BuildsOfRunTable(_) => "builds of the run table",
    }
}

fn values(subject: &Subject) -> PerSide<String> {
    match subject {
        Subject::Event(names) => names.as_ref().map(|names| event_names(names)),
        Subject::SamplingRate(intervals) => intervals.map(sampling_rate),
        Subject::CallChains(chains) => chains.map(call_chains),
        Subject::Samples(counts) => counts.map(samples),
        Subject::RowsInCommon(rows) => rows.map(|rows| format!("0 of {rows}")),
        Subject::Span(spans) => spans
            .map(|seconds| seconds.map_or_else(|| "no time".to_owned(), |seconds| format!("{seconds:.1} s"))),
        Subject::CostPerOperation { per_op, is_time, scale } => {
            per_op.map(|cost| cost_text(cost, *is_time, *scale))
        }
        Subject::Throughput(rates) => rates.map(|rate| format!("{rate:.0}/s")),
        Subject::CoresUsed(cores) => cores.map(|cores| format!("{cores:.2}")),
        Subject::BusyWaiting(pct) | Subject::WithoutFunction(pct) => pct.map(|pct| format!("{pct:.2} %")),
        Subject::WithoutCaller(pct) | Subject::CutChains(pct) | Subject::CpuSampled(pct) => {
            pct.map(|pct| format!("{pct:.1} %"))
        }
        Subject::InlinedFunctions(objects) => objects.as_ref().map(|objects| match objects.is_empty() {
            true => "unknown".to_owned(),
            false => format!("known for {}", objects.join(", ")),
        }),
        Subject::CutRecordings(paths) => paths.as_ref().map(|paths| match paths.is_empty() {
            true => "none".to_owned(),
            false => first_of(paths, ", "),
        }),
        Subject::DebugInformation(causes) => causes.as_ref().map(|causes| match causes.is_empty() {
            true => "complete".to_owned(),
            false => first_of(causes, "; "),
        }),
        Subject::Compilers(values) | Subject::Machine(_, values) => {
            values.as_ref().map(|values| values.join(", "))
        }
        Subject::Programs(texts) | Subject::Recordings(texts) | Subject::BuildsOfRunTable(texts) => {
            texts.clone()
        }
        Subject::Workload(kinds) => kinds.as_ref().map(|kinds| {
            let kinds: Vec<String> = kinds.iter().map(|(name, pct)| format!("{name} {pct:.0} %")).collect();
            kinds.join(", ")
        }),
        Subject::Replicates(builds) => builds.as_ref().map(|builds| match builds {
            Some(builds) => several_builds(builds),
            None => "one build".to_owned(),
        }),
        Subject::Program(files) => PerSide::from_fn(|side| program(&files[side], side)),
        Subject::Settings(settings) => settings.as_ref().map(|settings| match settings.is_empty() {
            true => "the same".to_owned(),
            false => {
                let settings = settings.iter().take(MOST_SETTINGS);
                settings.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
            }
        }),
    }
}

fn event_names(names: &[String]) -> String {
    let named = |name: &String| if name.is_empty() { "not printed".to_owned() } else { name.clone() };
    names.iter().map(named).collect::<Vec<_>>().join(", ")
}

fn sampling_rate(interval: Option<SamplingInterval>) -> String {
    match interval {
        Some(SamplingInterval { per_sample, is_time: true }) => {
            format!("{:.0} Hz of CPU time", 1e9 / per_sample)
        }
        Some(SamplingInterval { per_sample, .. }) => format!("{per_sample:.0} a sample"),
        None => "no samples".to_owned(),
    }
}

fn call_chains(chains: CallChains) -> String {
    let text = match chains {
        CallChains::Absent => "no",
        CallChains::Present(None) => "yes",
        CallChains::Present(Some(Unwinding::DebugInformation)) => "yes, by debug information",
        CallChains::Present(Some(Unwinding::FramePointers)) => "yes, by frame pointers",
        CallChains::Present(Some(Unwinding::BranchRecords)) => "yes, by branch records",
    };
    text.to_owned()
}

fn samples(SampleCount { samples, runs }: SampleCount) -> String {
    match runs {
        1 => format!("{samples} in 1 run"),
        runs => format!("{samples} in {runs} runs"),
    }
}

fn cost_text(cost: f64, is_time: bool, scale: CostScale) -> String {
    let value = format!("{:.*}", scale.places, cost / scale.divisor);
    match (is_time, scale.name) {
        (true, unit) => format!("{value} {unit} CPU"),
        (false, "") => format!("{value} events"),
        (false, unit) => format!("{value} {unit} events"),
    }
}

fn several_builds(builds: &SeveralBuilds) -> String {
    match builds {
        SeveralBuilds::Programs(names) => {
            let names: Vec<String> = names.iter().map(build_name).collect();
            format!("two builds, {}", names.join(" and "))
        }
        SeveralBuilds::OwnFunctions { path, pct } => {
            format!("two builds, {path} has {pct:.0} % in functions that no other run has")
        }
    }
}

fn build_name(name: &BuildName) -> String {
    match name {
        BuildName::Version(text) | BuildName::Path(text) => text.clone(),
        BuildName::BuildId(id) => format!("build-id {}", first_digits(id)),
    }
}

fn first_digits(build_id: &str) -> &str {
    build_id.get(..SHOWN_DIGITS).unwrap_or(build_id)
}

fn program(file: &ProgramFile, side: Side) -> String {
    let id = file.build_id.as_ref().map(|id| format!(" (build-id {})", first_digits(id))).unwrap_or_default();
    let missing = match file.is_found {
        Some(false) if file.is_other_build => format!(" (the file is another build, see --binary-{side})"),
        Some(false) => format!(" (not found, see --binary-{side})"),
        _ => String::new(),
    };
    format!("{}{id}{missing}", file.path)
}

/// The first texts, and how many more there are.
fn first_of(texts: &[String], separator: &str) -> String {
    let mut text = texts.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(separator);
    if let Some(more) = texts.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        text.push_str(&format!("{separator}{more} more"));
    }
    text
}

fn remark(concern: &Concern) -> String {
    let text = match concern {
        Concern::EventsDiffer => "different events measure different things",
        Concern::RatesDiffer => "sampling itself costs CPU, and not the same on both builds",
        Concern::UnwindingDiffers => {
            "the sides find callers in different ways, which alone changes totals; record both with the same --call-graph"
        }
        Concern::ChainsOnOneSide => "only self can be compared: totals need chains on both sides",
        Concern::NoSamples => "a side without samples has no shares",
        Concern::NoFunctionInCommon => "no function is on both sides: these look like two programs",
        Concern::SpansDiffer => {
            "runs of different length may see different phases of the load, unless each does the same work"
        }
        Concern::CoresDiffer => "the load differs, or the program waits more on one side",
        Concern::CostsFarApart => {
            "one side costs more than five times as much per operation; if both did the same work, check --operations and --tps"
        }
        Concern::RunsFarApart => {
            "one run of a side costs more than twice as much per operation as another; check --operations and --tps of each run"
        }
        Concern::CpuNotSampled => {
            "costs per operation lack what was not sampled; --cpu-seconds-before and --cpu-seconds-after scale them"
        }
        Concern::EndsMissing => {
            "samples at their ends are missing, so costs per operation are too low, and names may be missing, too; record again"
        }
        Concern::BusyWaitingDiffers => "spinning inflates shares; see --denominator work",
        Concern::MuchBusyWaiting => "CPU saved outside the awaited section may turn into more spinning",
        Concern::ManyUnresolved => "named rows are too low; see the rows [unresolved] and object+0x...",
        Concern::CallersLostOnOneSide => {
            "stacks of system and library functions lack their callers more often on one side, so functions of the \
             program look lighter there; record with --call-graph dwarf, or with libraries that keep frame pointers"
        }
        Concern::OuterCallersLost => {
            "their outermost callers are missing, so totals of these are too low; record more of the stacks \
             (--call-graph dwarf,65528), or frame pointers"
        }
        Concern::InlinesOnOneSide => {
            "debug information is missing on the other side, so inlined functions are not split out on either side"
        }
        Concern::ComparedBySymbol { functions, is_even } => return by_symbol(functions, *is_even),
        Concern::CompilersDiffer => "the compilers or their flags differ, not only the source",
        Concern::MachinesDiffer => "the machines differ",
        Concern::TwoPrograms => {
            "these are two programs, with hardly a function in common: nothing can be compared; check the file names"
        }
        Concern::OtherWork { or_names: false } => {
            "the sides did different work, so differences come mainly from the load; check what ran during recording"
        }
        Concern::OtherWork { or_names: true } => {
            "the sides did different work, or the same work in functions of other names; \
             check what ran during recording, and see what verdicts say, which look for renamed functions in the binaries"
        }
        Concern::SameRecording => {
            "the same recording is on both sides, so nothing can differ; check the file names"
        }
        Concern::ReplicatesOfSeveralBuilds => {
            "replicates must be runs of one build: their differences are treated as noise"
        }
        Concern::LooksSwapped(evidence) => {
            return format!(
                "the before side is the newer build ({}); swap the sides if this is not intended",
                newer_build(evidence)
            );
        }
        Concern::ProgramNotFound { side, path, is_other_build, is_nameless } => {
            let state =
                if *is_other_build { "is another build than the one recorded" } else { "was not found" };
            let unknown = match is_nameless {
                true => "functions of this side are not known, and nothing can be compared",
                false => "its inlined functions and lines are not known",
            };
            let hint = match is_other_build {
                true => "; if it was built again since, keep a copy of each build, or record again",
                false => "",
            };
            return format!(
                "{path} {state} on the {side} side, so {unknown}; give --binary-{side} FILE{hint}"
            );
        }
        Concern::SettingsDiffer(count) => {
            return format!("{count} settings that are known to matter differ; `pdiff settings` lists them");
        }
        Concern::RunTableOfOtherBuilds { programs: PerSide { before, after } } => {
            return format!(
                "the profiles are of {before} and {after}; give the table of these builds, or --base and --target"
            );
        }
    };
    text.to_owned()
}

fn by_symbol(functions: &[String], is_even: bool) -> String {
    let functions = first_of(functions, ", ");
    match is_even {
        true => format!("compared by symbol, without inlined functions: {functions}"),
        false => format!("compared by symbol on both sides, and gates are inconclusive: {functions}"),
    }
}

fn newer_build(evidence: &NewerBuild) -> String {
    match evidence {
        NewerBuild::Versions(PerSide { before, after }) => format!("{before}, after {after}"),
        NewerBuild::BuiltLater(seconds) => format!("its file was built {} later", duration(*seconds)),
    }
}

fn duration(seconds: u64) -> String {
    match seconds {
        1 => "one second".to_owned(),
        0..120 => format!("{seconds} seconds"),
        120..7200 => format!("{} minutes", seconds / 60),
        7200..172_800 => format!("{} hours", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}
