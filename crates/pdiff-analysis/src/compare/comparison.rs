//! The outcome of a comparison: rows, numbers for the whole, and facts to know before reading it.

use pdiff_profile::{Event, Notes, PerSide, Side, Weight};
use rustc_hash::FxHashMap;

use super::cost_parts::Beside;
use super::coverage::Coverage;
use super::family::InlineChange;
use super::input::ObjectFacts;
use super::row::Row;
use super::side_fact::{Concern, Severity, SideFact, Subject};
use super::waiting::Waiting;
use crate::findings::Findings;
use crate::noise::{Floor, Method, RunVariation};
use crate::policy::{GroupBy, Policy, Share};

/// Two sides compared.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The base build.
    pub before: SideSummary,
    /// The build compared with it.
    pub after: SideSummary,
    /// Names and inlines.
    pub policy: Policy,
    /// What shares are shares of.
    pub share: Share,
    /// With [`Share::Work`]: the part of each side that busy-waits or idles and is not in the denominator.
    pub left_out_pct: Option<(f64, f64)>,
    /// The samples whose recorded stacks lack the function that was called last; `None` where that is not known of both sides, or where
    /// all that is known of them was put back.
    pub missing_callers: Option<PerSide<MissingCallers>>,
    /// What a row is.
    pub group_by: GroupBy,
    /// The samples that were kept, in one line; empty without filters.
    pub filtered: String,
    /// The program whose preset was used, if any.
    pub preset: Option<&'static str>,
    /// Which functions debug information does not describe on both sides.
    pub coverage: Coverage,
    /// Facts to know before reading the rows.
    pub comparability: Vec<SideFact>,
    /// All rows: heaviest change first, then by name.
    pub rows: Vec<Row>,
    /// Rows between which weight moved because inlining changed.
    pub families: Vec<Family>,
    /// The few parts in which the CPU use of the sides differs; independent of rows and shares.
    pub findings: Findings,
    /// Functions that have another name after, as far as verdicts tell them; empty without verdicts. Their rows stay two, and gates
    /// on differences look at both together.
    pub renamed: Vec<RenamedFunction>,
    /// Cost per operation and throughput, where operations are known.
    pub cost: Option<Cost>,
    /// How other events of the recordings divide these costs, if requested.
    pub beside: Vec<Beside>,
    /// Where threads wait, if that was recorded.
    pub waiting: Option<Waiting>,
    /// How noise was judged.
    pub noise: NoiseSummary,
    /// Imperfections of all stages.
    pub notes: Notes,
}

/// A function that has another name after.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RenamedFunction {
    /// Label of its object.
    pub object: String,
    /// Its name on each side, as rows name it.
    pub names: PerSide<String>,
}

impl RenamedFunction {
    /// What both names are of, by name and object. A name of several does not tell which one it is.
    pub(crate) fn pairs<'a, T: Copy>(
        renamed: &'a [Self],
        named: impl Iterator<Item = (&'a str, &'a str, T)>,
    ) -> Vec<PerSide<T>> {
        let names = |of: &'a Self| of.names.as_ref().map(|name| (&**name, &*of.object));
        let mut found: FxHashMap<(&str, &str), Vec<T>> =
            renamed.iter().flat_map(|of| names(of).into_array()).map(|name| (name, Vec::new())).collect();
        for (name, object, of) in named {
            found.get_mut(&(name, object)).into_iter().for_each(|all| all.push(of));
        }
        let only = |name: (&str, &str)| match found.get(&name).map(Vec::as_slice) {
            Some([one]) => Some(*one),
            _ => None,
        };
        let both = |of: &'a Self| {
            let PerSide { before, after } = names(of).map(only);
            Some(PerSide::new(before?, after?))
        };
        renamed.iter().filter_map(both).collect()
    }
}

impl Comparison {
    /// Why no gate can be judged: the sides are not comparable.
    #[must_use]
    pub fn incomparable(&self) -> Option<&SideFact> {
        self.comparability.iter().find(|fact| fact.severity == Severity::Incomparable)
    }

    /// That recordings were cut off, so that samples at their ends are missing.
    #[must_use]
    pub fn cut_recordings(&self) -> Option<&SideFact> {
        self.comparability.iter().find(|fact| matches!(fact.subject, Subject::CutRecordings(_)))
    }

    /// Whether no function of one side can be compared with one of the other, so that nothing is known about causes: two programs, or
    /// the functions of one side are not known.
    #[must_use]
    pub fn has_nothing_in_common(&self) -> bool {
        let is_it = |concern: &Concern| {
            matches!(
                concern,
                Concern::TwoPrograms
                    | Concern::NoFunctionInCommon
                    | Concern::NoSamples
                    | Concern::ProgramNotFound { is_nameless: true, .. }
            )
        };
        self.comparability.iter().filter_map(|fact| fact.concern.as_ref()).any(is_it)
    }

    /// What shares are shares of: `CPU`, or the event compared if it does not measure CPU.
    #[must_use]
    pub fn measured(&self) -> &str {
        let mut events = self.before.runs.iter().chain(&self.after.runs).map(|run| &*run.event);
        events.find(|event| !Event::measures_cpu(event)).unwrap_or("CPU")
    }

    /// One side's summary.
    #[must_use]
    pub fn side(&self, side: Side) -> &SideSummary {
        match side {
            Side::Before => &self.before,
            Side::After => &self.after,
        }
    }
}

/// One side as a whole.
#[derive(Clone, PartialEq, Debug)]
pub struct SideSummary {
    /// What it is called.
    pub label: String,
    /// Its recordings.
    pub runs: Vec<RunSummary>,
    /// Samples after filters.
    pub samples: u64,
    /// Weight after filters; self weights of the rows sum to it.
    pub weight: Weight,
    /// Part of the weight whose function has no name, in percent; independent of the kind of rows.
    pub unresolved_pct: f64,
    /// Part of the weight that busy-waits, in percent.
    pub spin_pct: f64,
    /// Its objects, heaviest first.
    pub objects: Vec<ObjectFacts>,
}

/// One recording as a whole.
#[derive(Clone, PartialEq, Debug)]
pub struct RunSummary {
    /// Where it was read from.
    pub path: String,
    /// The event compared.
    pub event: String,
    /// Samples after filters.
    pub samples: u64,
    /// Weight after filters.
    pub weight: Weight,
    /// Time from first to last sample in seconds; `None` where no time was printed.
    pub span_s: Option<f64>,
    /// Operations inside the span.
    pub operations: Option<f64>,
    /// Operations per second.
    pub tps: Option<f64>,
    /// CPU seconds measured inside the span.
    pub cpu_seconds: Option<f64>,
}

/// A function and the callers in which it stood inlined on exactly one side.
#[derive(Clone, PartialEq, Debug)]
pub struct Family {
    /// Number, from 0.
    pub id: usize,
    /// Names of its rows.
    pub members: Vec<String>,
    /// Which function's inlining changed in which caller.
    pub flips: Vec<InlineFlip>,
    /// Change of the members' self by symbol together, in points: the real change.
    pub booked_delta_pp: f64,
    /// Weight that only changed rows inside the family, in points.
    pub moved_pp: f64,
    /// The part of `booked_delta_pp` that is the flipped functions' own code, in points.
    pub body_pp: f64,
    /// The rest: calls, and what the callers' code lost or gained, in points.
    pub call_overhead_pp: f64,
}

/// One change of inlining.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlineFlip {
    /// The function.
    pub function: String,
    /// The caller.
    pub caller: String,
    /// What happened to it there.
    pub change: InlineChange,
}

/// A value on both sides.
pub type Pair = PerSide<f64>;

/// Cost per operation of both sides, and the gap where throughput and utilisation are known.
#[derive(Clone, PartialEq, Debug)]
pub struct Cost {
    /// Weight per operation.
    pub per_op: Pair,
    /// The same for each run by itself, in the order of the runs that know their operations.
    pub per_run: PerSide<Vec<f64>>,
    /// The same with all counted operations, if the number of operations in the samples is only assumed.
    pub per_op_as_counted: Option<Pair>,
    /// The unit is nanoseconds of CPU.
    pub is_time: bool,
    /// ln(after / before) of the cost per operation: the shift that all rows share.
    pub log_ratio: f64,
    /// 95 % interval of `log_ratio`; `None` with one run per side.
    pub log_interval: Option<(f64, f64)>,
    /// Degrees of freedom of `log_interval`; 0 without.
    pub log_degrees_of_freedom: f64,
    /// Cost per operation without busy waiting.
    pub per_op_without_spin: Pair,
    /// Factor by which weights were scaled to the CPU seconds measured; 1 if they were not.
    pub cpu_scale: Pair,
    /// CPU seconds sampled over those measured in the window, where both sides know them.
    pub cpu_coverage: Option<Pair>,
    /// The samples of a side are of less CPU, or of more, than was measured over their time, and nothing was scaled; or a recording of it
    /// was cut off.
    pub lacks_cpu: bool,
    /// Throughput and its parts.
    pub gap: Option<Gap>,
}

/// The gap in throughput, and its parts in percent of it; the parts sum to 100.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gap {
    /// Operations per second.
    pub tps: Pair,
    /// CPU cores used.
    pub cores: Pair,
    /// 100 (after / before - 1): negative is loss.
    pub gap_pct: f64,
    /// 95 % interval of `gap_pct`.
    pub interval_pct: (f64, f64),
    /// The interval rests on an assumed run-to-run variation.
    pub assumed: bool,
    /// The parts; `None` if the interval contains zero, because then the gap is not divided up.
    pub parts: Option<GapParts>,
    /// The gap is divided up, but its interval almost contains zero. Of gaps that are smaller than their noise, only those that
    /// look much larger are divided up, so the true gap may be smaller than its interval, and shares of it further off than theirs.
    pub barely_significant: bool,
}

/// The parts of the gap, in percent of it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct GapParts {
    /// Rows whose change is significant.
    pub explained_pct: f64,
    /// Rows whose change is not.
    pub not_significant_pct: f64,
    /// Rows `[unresolved]` and unnamed functions.
    pub unresolved_pct: f64,
    /// Cores used: waiting, client, idle.
    pub utilisation_pct: f64,
    /// What the filters remove.
    pub outside_filter_pct: f64,
}

/// How noise was judged, for the whole comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct NoiseSummary {
    /// Single run or replicates.
    pub method: Method,
    /// Run-to-run variation, measured or assumed.
    pub run_variation: RunVariation,
    /// Rows tested.
    pub tests: usize,
    /// Rows significant.
    pub significant: usize,
    /// False discovery rate kept.
    pub q_threshold: f64,
    /// The smallest change that matters.
    pub floor: Floor,
    /// The smallest detectable changes: a share in percent, and the smallest change of a row of that share that is found 9
    /// times in 10, in points.
    pub detectable: Vec<(f64, Option<f64>)>,
    /// Some recording has no times, so the noise within runs is assumed.
    pub assumed_dispersion: bool,
    /// Rows whose spread grows with the length of the time block: their noise is understated.
    pub drifting: Vec<String>,
    /// Heavy rows whose shares vary several times as much inside the runs as between them: the load runs in phases that
    /// every run repeats.
    pub phased: Vec<String>,
}

/// The parts of a side's samples whose recorded stacks lack the function that was called last, in percent.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MissingCallers {
    /// The code names it: findings have it back.
    pub told_pct: f64,
    /// They ran in a system library below a call through a pointer: it is not known, and they count for its caller.
    pub unknown_pct: f64,
}
