//! The outcome of a comparison: rows, what holds for the whole, and what to know before reading it.

use pdiff_profile::{Notes, Presence, Side, Weight};

use super::family::InlineChange;
use super::input::ObjectFacts;
use crate::noise::{Method, RunVariation, Test, Untested};
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
    /// With [`Share::Work`]: what part of each side waits busily or idles and is not in the denominator.
    pub left_out_pct: Option<(f64, f64)>,
    /// What a row is.
    pub group_by: GroupBy,
    /// What was kept of the samples, in one line; empty without filters.
    pub filtered: String,
    /// What to know before reading the rows.
    pub comparability: Vec<Fact>,
    /// All rows: heaviest change first, then by name.
    pub rows: Vec<Row>,
    /// Rows between which weight moved because inlining changed.
    pub families: Vec<Family>,
    /// Cost per operation and throughput, where operations are known.
    pub cost: Option<Cost>,
    /// How noise was judged.
    pub noise: NoiseSummary,
    /// Imperfections of all stages.
    pub notes: Notes,
}

impl Comparison {
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
    /// Part of the weight in rows `[unresolved]`, in percent.
    pub unresolved_pct: f64,
    /// Part of the weight that waits busily, in percent.
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

/// How grave a fact is for the comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Gravity {
    /// Good to know.
    Plain,
    /// Differs between the sides and may mislead.
    Warning,
    /// The sides are not comparable as they are.
    Incomparable,
}

/// One fact of both sides, set side by side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// What it is about.
    pub name: &'static str,
    /// On the base side.
    pub before: String,
    /// On the other side.
    pub after: String,
    /// How grave it is.
    pub gravity: Gravity,
    /// What follows from it; empty if nothing does.
    pub remark: String,
}

/// How the two names of a row came together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MatchedBy {
    /// The same name at the policy's level.
    Name,
    /// A known rename.
    Alias,
}

/// How a row's function was found on both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowMatch {
    /// By name or by alias.
    pub by: MatchedBy,
    /// More than one function stands behind the row on some side.
    pub ambiguous: bool,
    /// Its file on each side, where other functions of this name and object have rows of their own.
    pub by_file: Option<[Option<String>; 2]>,
    /// Its name on the base side.
    pub before_name: Option<String>,
    /// Its name on the other side.
    pub after_name: Option<String>,
}

/// One row.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Function, or the group's name.
    pub name: String,
    /// Label of the object; empty for groups that are no part of one object.
    pub object: String,
    /// Source file, if known.
    pub file: Option<String>,
    /// Part of the program, for functions.
    pub subsystem: Option<String>,
    /// Thread group, where shares are of thread groups.
    pub thread_group: Option<String>,
    /// Takes what has no function.
    pub unresolved: bool,
    /// On which sides it has weight anywhere in a stack.
    pub presence: Presence,
    /// How its names came together.
    pub matched: RowMatch,
    /// On the base side; all zero if not present.
    pub before: Quantities,
    /// On the other side; all zero if not present.
    pub after: Quantities,
    /// Lower end of the 95 % interval of the change of self, in points.
    pub ci_low_pp: f64,
    /// Upper end of the 95 % interval of the change of self, in points.
    pub ci_high_pp: f64,
    /// Standard error of the change of self, in points.
    pub se_pp: f64,
    /// Degrees of freedom of the t distribution that `se_pp` is used with.
    pub degrees_of_freedom: f64,
    /// The test of "self did not change".
    pub test: Test,
    /// Beyond noise, and large enough to matter.
    pub significant: bool,
    /// Smallest change of self that would have been found 9 times in 10, in points.
    pub detectable_pp: Option<f64>,
    /// The same judgement of booked self, on its own.
    pub booked: MeasureChange,
    /// The same judgement of total, on its own.
    pub total: MeasureChange,
    /// How the function stood inlined, and what became of that.
    pub inline: RowInline,
    /// What part of the throughput gap the row's change of cost makes up, in percent; only where there is a gap.
    pub gap_share_pct: Option<f64>,
    /// The change of self per operation; `None` without operations, without runs to compare, or if the row was not tested.
    pub cost_change: Option<CostChange>,
}

impl Row {
    /// One side's quantities.
    #[must_use]
    pub fn side(&self, side: Side) -> &Quantities {
        match side {
            Side::Before => &self.before,
            Side::After => &self.after,
        }
    }

    /// Whether self costs more or less per operation, beyond noise and beyond what all functions have in common.
    #[must_use]
    pub fn has_own_cost_change(&self) -> bool {
        self.cost_change.is_some_and(|change| change.extent == CostExtent::Own)
    }

    /// Change of the share of self, in points: after minus before.
    #[must_use]
    pub fn delta_self_pp(&self) -> f64 {
        self.after.self_pct - self.before.self_pct
    }

    /// Change of the share of booked self, in points.
    #[must_use]
    pub fn delta_booked_pp(&self) -> f64 {
        self.after.booked_self_pct - self.before.booked_self_pct
    }

    /// Change of the share of total, in points.
    #[must_use]
    pub fn delta_total_pp(&self) -> f64 {
        self.after.total_pct - self.before.total_pct
    }
}

/// What can be said of the change of one of a row's measures.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MeasureChange {
    /// Lower end of the 95 % interval of the change, in points.
    pub ci_low_pp: f64,
    /// Upper end of the 95 % interval of the change, in points.
    pub ci_high_pp: f64,
    /// The test of "it did not change".
    pub test: Test,
    /// Beyond noise, and large enough to matter.
    pub significant: bool,
    /// Number of samples behind it on the base side.
    pub before_samples: u64,
    /// Number of samples behind it on the other side.
    pub after_samples: u64,
    /// Where the base side has no sample: what its share may be all the same (95 %), in percent.
    pub before_bound_pct: Option<f64>,
    /// Where the other side has no sample: what its share may be all the same (95 %), in percent.
    pub after_bound_pct: Option<f64>,
    /// Standard error of the change, in points.
    pub se_pp: f64,
    /// Degrees of freedom of the t distribution that `se_pp` is used with.
    pub degrees_of_freedom: f64,
    /// The change per operation; `None` where that was not tested.
    pub cost_change: Option<CostChange>,
}

/// The change of a measure's cost per operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CostChange {
    /// 100 (after / before - 1), from share and cost of the profile; `None` without weight on the base side.
    pub pct: Option<f64>,
    /// Lower end of its 95 % interval, in which the noise of the profile's cost is.
    pub ci_low_pct: Option<f64>,
    /// Upper end of it.
    pub ci_high_pct: Option<f64>,
    /// Smallest false discovery rate at which the cost changed at all.
    pub q_value: f64,
    /// What that says.
    pub extent: CostExtent,
}

/// How far a change of cost per operation is a row's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CostExtent {
    /// No more than noise, or below the floor.
    WithinNoise,
    /// Beyond noise, but as the median function's: the profile as a whole costs more or less.
    Shared,
    /// Beyond noise, and too few functions were sampled to tell what all have in common.
    NotToldApart,
    /// Beyond noise, and beyond what the median function's cost changed, in the same direction.
    Own,
}

impl CostExtent {
    /// Its name in output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WithinNoise => "within-noise",
            Self::Shared => "shared",
            Self::NotToldApart => "not-told-apart",
            Self::Own => "own",
        }
    }
}

impl MeasureChange {
    /// The number of samples on one side.
    #[must_use]
    pub fn samples(&self, side: Side) -> u64 {
        match side {
            Side::Before => self.before_samples,
            Side::After => self.after_samples,
        }
    }

    /// What the share of a side without samples may be all the same, in percent.
    #[must_use]
    pub fn bound_pct(&self, side: Side) -> Option<f64> {
        match side {
            Side::Before => self.before_bound_pct,
            Side::After => self.after_bound_pct,
        }
    }
}

impl Default for MeasureChange {
    /// No change of nothing, not tested.
    fn default() -> Self {
        Self {
            ci_low_pp: 0.0,
            ci_high_pp: 0.0,
            test: Test::Untested(Untested::FewSamples),
            significant: false,
            before_samples: 0,
            after_samples: 0,
            before_bound_pct: None,
            after_bound_pct: None,
            se_pp: 0.0,
            degrees_of_freedom: 0.0,
            cost_change: None,
        }
    }
}

/// How a function stood inlined on both sides, as far as sampled addresses show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RowInline {
    /// Machine functions that it stood inlined in on the base side, heaviest first.
    pub before: Vec<InlinedInto>,
    /// The same on the other side.
    pub after: Vec<InlinedInto>,
    /// What became of its inlining in some caller; `None` if nothing or if its callers differ in that.
    pub change: Option<InlineChange>,
    /// The family it belongs to, by number.
    pub family: Option<usize>,
}

/// A machine function that holds an inlined instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlinedInto {
    /// Its name.
    pub caller: String,
    /// Its source file, if known.
    pub caller_file: Option<String>,
    /// Weight of leaves in the instance, or in what is inlined into it.
    pub weight: Weight,
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
    /// Change of the members' booked self together, in points: what is real.
    pub booked_delta_pp: f64,
    /// What only changed rows inside the family, in points.
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
    /// What became of it there.
    pub change: InlineChange,
}

/// One row on one side. Weights are sums over runs, shares are means of the runs' shares.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Quantities {
    /// Weight where the row's function is innermost at the leaf.
    pub self_weight: Weight,
    /// Weight where it is the machine function at the leaf.
    pub booked_self_weight: Weight,
    /// The part of `self_weight` where it was inlined.
    pub inlined_self_weight: Weight,
    /// Weight where it is anywhere in the stack.
    pub total_weight: Weight,
    /// Weight where it is anywhere in the leaf's inline chain.
    pub x_weight: Weight,
    /// Number of samples behind `self_weight`.
    pub samples: u64,
    /// `self_weight` over the denominator, in percent.
    pub self_pct: f64,
    /// `booked_self_weight` over the denominator, in percent.
    pub booked_self_pct: f64,
    /// `inlined_self_weight` over the denominator, in percent.
    pub inlined_self_pct: f64,
    /// `total_weight` over the denominator, in percent.
    pub total_pct: f64,
    /// `x_weight` over the denominator, in percent.
    pub x_pct: f64,
    /// Self weight per operation, in the event's unit; `None` without operations.
    pub self_per_op: Option<f64>,
    /// Self time per operation in nanoseconds; `None` without operations or for events that are no time.
    pub self_per_op_ns: Option<f64>,
}

/// A value on both sides.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pair {
    /// On the base side.
    pub before: f64,
    /// On the other side.
    pub after: f64,
}

/// Cost per operation of both sides, and the gap where throughput and utilisation are known.
#[derive(Clone, PartialEq, Debug)]
pub struct Cost {
    /// Weight per operation.
    pub per_op: Pair,
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
    /// Throughput and what it is made of.
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
    /// The parts; `None` where the interval holds zero: there is nothing to divide.
    pub parts: Option<GapParts>,
}

/// What the gap is made of, in percent of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GapParts {
    /// Rows whose change is significant.
    pub explained_pct: f64,
    /// Rows whose change is not.
    pub not_significant_pct: f64,
    /// Rows `[unresolved]`.
    pub unresolved_pct: f64,
    /// Cores used: waiting, client, idle.
    pub utilisation_pct: f64,
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
    /// What could be seen: shares in percent, and the smallest change of a row of that share that would have been
    /// found 9 times in 10, in points.
    pub detectable: Vec<(f64, Option<f64>)>,
    /// There is no time in some recording: the noise within runs is assumed.
    pub assumed_dispersion: bool,
    /// Rows whose spread grows with the length of the time block: their noise is understated.
    pub drifting: Vec<String>,
}
