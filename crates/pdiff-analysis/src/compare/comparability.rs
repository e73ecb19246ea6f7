//! What a reader must know before the rows: facts about both sides, the serious ones first.

use std::collections::BTreeSet;

use pdiff_profile::{Event, NoteKind, PerSide, Profile, Side};
use rayon::prelude::*;

use super::comparison::{Cost, MissingCallers, SideSummary};
use super::coverage::Coverage;
use super::input::{RunInput, SideInput, Sides};
use super::known_calls::{Skipped, knows_calls};
use super::mistakes::{cut_off_pct, unwinding};
use super::row::{Quantities, Row};
use super::side_fact::{
    CallChains, Concern, MachineProperty, SampleCount, SamplingInterval, Severity, SideFact, Subject,
};
use crate::one_sided::OneSidedInlines;
use crate::policy::Share;

/// Sampling intervals that differ by more than this factor: the price of sampling differs with them.
const INTERVAL_RATIO: f64 = 1.5;

/// Spans that differ by more than this factor.
const SPAN_RATIO: f64 = 1.5;

/// Shares of busy waiting that are worth a warning: in points of difference, and in percent.
const SPIN_DIFFERENCE_PP: f64 = 2.0;
const SPIN_SHARE_PCT: f64 = 5.0;

/// Samples without a function of the program that are worth telling, and a difference that is worth a warning.
const LEAST_LOST_PCT: f64 = 1.0;
const LOST_DIFFERENCE_PP: f64 = 5.0;

/// Samples whose stacks were cut off above which totals mislead, in percent. Recordings of servers with 16 KB of stack have 6 to 8.
const CUT_OFF_PCT: f64 = 20.0;

/// A difference of these shares above which totals of the sides do not compare, in points.
const CUT_OFF_DIFFERENCE_PP: f64 = 10.0;

/// Cores used that differ by more than this factor.
const CORES_RATIO: f64 = 1.5;

/// Costs of an operation that differ by more than this factor between the sides: more often operations are counted wrong than a program
/// is so much slower.
const COST_RATIO: f64 = 5.0;

/// The same between runs of one side, which are of one build under one load.
const RUN_COST_RATIO: f64 = 2.0;

/// Parts of the measured CPU that was sampled that differ by more than this factor.
const SAMPLED_CPU_RATIO: f64 = 1.05;

/// Weight without a function above which rows understate what is there, in percent.
const UNRESOLVED_PCT: f64 = 10.0;

/// What the recorded stacks of both sides say of their call chains.
#[derive(Clone, Debug)]
pub(super) struct ChainFacts {
    /// Whether there are any, and how they were unwound.
    chains: SideFact,
    /// Whether many lack their outermost callers.
    cut: Option<SideFact>,
    /// The samples that lack the function that was called last; `None` where that is not known of all runs.
    pub(super) missing_callers: Option<PerSide<MissingCallers>>,
    /// By run, the base's first: the stacks that lack it. Empty where that is not known of all runs.
    pub(super) skipped: Vec<Skipped>,
}

impl ChainFacts {
    pub(super) fn new(sides: &Sides<'_>) -> Self {
        let known = |side: Side| sides.get(side).runs.iter().all(knows_calls);
        let are_known = Side::BOTH.into_iter().all(known);
        let of_side = |side| match are_known {
            true => sides.get(side).runs.par_iter().map(Skipped::find).collect::<Vec<_>>(),
            false => Vec::new(),
        };
        let ((before, after), (chains, cut)) = rayon::join(
            || rayon::join(|| of_side(Side::Before), || of_side(Side::After)),
            || (callchains(sides), cut_chains(sides)),
        );
        let missing_callers = PerSide::new(&before, &after).map(|runs| Skipped::parts(runs.iter())).both();
        let skipped = before.into_iter().chain(after).filter(|_| missing_callers.is_some()).collect();
        Self { chains, cut, missing_callers, skipped }
    }

    /// The same, of stacks to which was put back what is known to have been called.
    pub(super) fn of_put_back(&self) -> Self {
        Self { missing_callers: None, skipped: Vec::new(), ..self.clone() }
    }
}

/// Facts of both sides, gravest first.
pub(super) fn facts(
    sides: &Sides<'_>,
    summaries: PerSide<&SideSummary>,
    cost: Option<&Cost>,
    one_sided: &OneSidedInlines,
    (chains, rows): (&ChainFacts, &[Row]),
    share: Share,
) -> Vec<SideFact> {
    let mut facts = vec![event(sides), sampling_interval(sides), chains.chains.clone(), samples(summaries)];
    facts.push(span(summaries, cost));
    facts.extend(cost.into_iter().flat_map(throughput));
    facts.extend(cost.and_then(cpu_sampled));
    facts.extend(cut_recordings(sides));
    facts.extend(cores(sides, summaries, cost));
    facts.push(spin(summaries, share));
    facts.push(unresolved(summaries));
    facts.extend(common_rows(rows));
    facts.extend(chains.cut.clone());
    facts.extend(inlined_functions(one_sided));
    facts.extend(debug_information(one_sided.coverage()));
    facts.extend(compilers(sides));
    facts.extend(machines(sides));
    facts.sort_by_key(|fact| std::cmp::Reverse(fact.severity));
    facts
}

/// All values of a side's runs, each once.
fn unique(values: impl Iterator<Item = String>) -> Vec<String> {
    values.collect::<BTreeSet<String>>().into_iter().collect()
}

/// Whether both sides have a value, and not the same.
fn differ(values: &PerSide<Vec<String>>) -> bool {
    values.before != values.after && !values.before.is_empty() && !values.after.is_empty()
}

/// By how much the larger of two values exceeds the other.
fn ratio(values: PerSide<f64>) -> f64 {
    (values.before / values.after).max(values.after / values.before)
}

fn larger(values: PerSide<f64>) -> f64 {
    values.before.max(values.after)
}

fn chosen<'a>(side: &'a SideInput<'_>) -> impl Iterator<Item = (&'a Profile, &'a Event)> {
    side.runs.iter().filter_map(|run| Some((run.profile, run.profile.events.get(run.event.index())?)))
}

/// Whether weights are nanoseconds of CPU.
fn is_time(side: &SideInput<'_>) -> bool {
    chosen(side).all(|(_, event)| event.is_time())
}

fn event(sides: &Sides<'_>) -> SideFact {
    let of = |name: fn(&Event) -> &str| {
        PerSide::from_fn(|side| unique(chosen(sides.get(side)).map(|(_, event)| name(event).to_owned())))
    };
    let bases = of(Event::base_name);
    let differ = bases.before != bases.after || bases.before.len() > 1;
    let fact = SideFact::plain(Subject::Event(of(|event| &event.name)));
    fact.raised(differ, Severity::Incomparable, Concern::EventsDiffer)
}

/// Weight per sample: the period, where the recording was made with a fixed one.
fn sampling_interval(sides: &Sides<'_>) -> SideFact {
    let intervals = PerSide::from_fn(|side| {
        let side = sides.get(side);
        let (weight, samples) = chosen(side).fold((0.0, 0.0), |(weight, samples), (_, event)| {
            (weight + event.weight.as_f64(), samples + event.samples as f64)
        });
        (samples > 0.0).then(|| SamplingInterval { per_sample: weight / samples, is_time: is_time(side) })
    });
    let differ =
        intervals.both().is_some_and(|of| ratio(of.map(|interval| interval.per_sample)) > INTERVAL_RATIO);
    let fact = SideFact::plain(Subject::SamplingRate(intervals));
    fact.raised(differ, Severity::Incomparable, Concern::RatesDiffer)
}

fn callchains(sides: &Sides<'_>) -> SideFact {
    let ways = unwinding(sides);
    let chains =
        PerSide::from_fn(|side| match sides.get(side).runs.iter().any(|run| run.profile.has_callchains) {
            true => CallChains::Present(ways[side]),
            false => CallChains::Absent,
        });
    let fact = SideFact::plain(Subject::CallChains(chains));
    match (chains.before, chains.after) {
        (CallChains::Absent, CallChains::Absent) => fact,
        (CallChains::Absent, _) | (_, CallChains::Absent) => {
            fact.raised(true, Severity::Warning, Concern::ChainsOnOneSide)
        }
        (CallChains::Present(before), CallChains::Present(after)) => {
            let differ = before.zip(after).is_some_and(|(before, after)| before != after);
            fact.raised(differ, Severity::Suspect, Concern::UnwindingDiffers)
        }
    }
}

fn samples(summaries: PerSide<&SideSummary>) -> SideFact {
    let counts = summaries.map(|side| SampleCount { samples: side.samples, runs: side.runs.len() });
    let is_empty = counts.before.samples == 0 || counts.after.samples == 0;
    let fact = SideFact::plain(Subject::Samples(counts));
    fact.raised(is_empty, Severity::Incomparable, Concern::NoSamples)
}

/// Nothing is said where both sides have a row in common: then they may be two builds of one program.
fn common_rows(rows: &[Row]) -> Option<SideFact> {
    let has = |side: &Quantities| side.total_weight.0 > 0;
    let is_named = |row: &&Row| !row.unresolved;
    let named = || rows.iter().filter(is_named);
    let counts = PerSide::from_fn(|side| named().filter(|row| has(row.side(side))).count());
    let is_apart =
        counts.before > 0 && counts.after > 0 && !named().any(|row| has(&row.before) && has(&row.after));
    let subject = Subject::RowsInCommon(counts);
    is_apart.then(|| SideFact::new(subject, Severity::Incomparable, Concern::NoFunctionInCommon))
}

/// Runs of as many operations take as much longer as an operation costs more.
fn span(summaries: PerSide<&SideSummary>, cost: Option<&Cost>) -> SideFact {
    let spans = summaries.map(|side| side.runs.iter().map(|run| run.span_s).sum::<Option<f64>>());
    let runs = summaries.map(|side| side.runs.len().max(1) as f64);
    let per_run = PerSide::from_fn(|side| spans[side].map(|seconds| seconds / runs[side])).both();
    let is_as_cost = |seconds: PerSide<f64>| {
        let per_op = cost.filter(|cost| cost.is_time).map(|cost| cost.per_op);
        per_op.is_some_and(|per_op| {
            ratio(seconds.zip(per_op).map(|(seconds, cost)| seconds / cost)) <= SPAN_RATIO
        })
    };
    let differ = per_run.is_some_and(|seconds| ratio(seconds) > SPAN_RATIO && !is_as_cost(seconds));
    SideFact::plain(Subject::Span(spans)).raised(differ, Severity::Warning, Concern::SpansDiffer)
}

fn throughput(cost: &Cost) -> Vec<SideFact> {
    let per_op =
        Subject::CostPerOperation { per_op: cost.per_op, is_time: cost.is_time, scale: cost.scale() };
    let per_op = SideFact::plain(per_op)
        .raised(ratio(cost.per_op) > COST_RATIO, Severity::Warning, Concern::CostsFarApart)
        .raised(
            cost.per_run.values().any(|side| are_far_apart(side)),
            Severity::Suspect,
            Concern::RunsFarApart,
        );
    let rate = cost.gap.as_ref().map(|gap| SideFact::plain(Subject::Throughput(gap.tps)));
    [Some(per_op), rate].into_iter().flatten().collect()
}

/// Whether one run of a side costs so much more per operation than another that its operations are likely to be wrong.
fn are_far_apart(costs: &[f64]) -> bool {
    let least = costs.iter().copied().filter(|cost| *cost > 0.0).fold(f64::INFINITY, f64::min);
    costs.iter().any(|cost| *cost > RUN_COST_RATIO * least)
}

/// CPU that was measured and is not in the samples: only costs per operation depend on it.
fn cpu_sampled(cost: &Cost) -> Option<SideFact> {
    let pct = cost.cpu_coverage.filter(|_| cost.lacks_cpu)?.map(|part| 100.0 * part);
    let differ = ratio(pct) > SAMPLED_CPU_RATIO;
    Some(SideFact::plain(Subject::CpuSampled(pct)).raised(differ, Severity::Warning, Concern::CpuNotSampled))
}

fn cut_recordings(sides: &Sides<'_>) -> Option<SideFact> {
    let cut = PerSide::from_fn(|side| -> Vec<String> {
        let runs = sides.get(side).runs.iter();
        let is_cut = |run: &&RunInput<'_>| run.profile.notes.get(NoteKind::CutRecording).is_some();
        runs.filter(is_cut).map(|run| run.path.clone()).collect()
    });
    let is_any = cut.values().any(|paths| !paths.is_empty());
    is_any.then(|| SideFact::new(Subject::CutRecordings(cut), Severity::Suspect, Concern::EndsMissing))
}

fn cores(sides: &Sides<'_>, summaries: PerSide<&SideSummary>, cost: Option<&Cost>) -> Option<SideFact> {
    let known = cost.and_then(|cost| cost.gap.as_ref()).map(|gap| gap.cores);
    let sampled = |side: Side| {
        let summary = summaries[side];
        let seconds: Option<f64> = summary.runs.iter().map(|run| run.span_s).sum();
        seconds
            .filter(|seconds| is_time(sides.get(side)) && *seconds > 0.0)
            .map(|seconds| summary.weight.as_f64() / 1e9 / seconds)
    };
    let cores = PerSide::from_fn(|side| known.map(|cores| cores[side]).or_else(|| sampled(side))).both()?;
    let differ = ratio(cores) > CORES_RATIO;
    Some(SideFact::plain(Subject::CoresUsed(cores)).raised(differ, Severity::Warning, Concern::CoresDiffer))
}

fn spin(summaries: PerSide<&SideSummary>, share: Share) -> SideFact {
    let pct = summaries.map(|side| side.spin_pct);
    let differ = (pct.before - pct.after).abs() > SPIN_DIFFERENCE_PP && share != Share::Work;
    SideFact::plain(Subject::BusyWaiting(pct))
        .raised(differ, Severity::Warning, Concern::BusyWaitingDiffers)
        .raised(larger(pct) > SPIN_SHARE_PCT, Severity::Warning, Concern::MuchBusyWaiting)
}

fn unresolved(summaries: PerSide<&SideSummary>) -> SideFact {
    let pct = summaries.map(|side| side.unresolved_pct);
    let fact = SideFact::plain(Subject::WithoutFunction(pct));
    fact.raised(larger(pct) > UNRESOLVED_PCT, Severity::Warning, Concern::ManyUnresolved)
}

/// Samples whose stacks reach no function of the program; nothing is said of flat recordings.
pub(super) fn lost_callers(sides: &Sides<'_>, pct: PerSide<f64>) -> Option<SideFact> {
    let has_chains = |side: Side| sides.get(side).runs.iter().all(|run| run.profile.has_callchains);
    if !Side::BOTH.into_iter().all(has_chains) || larger(pct) < LEAST_LOST_PCT {
        return None;
    }
    let differ = (pct.before - pct.after).abs() > LOST_DIFFERENCE_PP;
    let fact = SideFact::plain(Subject::WithoutCaller(pct));
    Some(fact.raised(differ, Severity::Warning, Concern::CallersLostOnOneSide))
}

/// Stacks that lack their outermost callers, if there are many, or many more on one side.
fn cut_chains(sides: &Sides<'_>) -> Option<SideFact> {
    let pct = PerSide::from_fn(|side| cut_off_pct(sides.get(side)));
    let fact = || SideFact::new(Subject::CutChains(pct), Severity::Warning, Concern::OuterCallersLost);
    (larger(pct) > CUT_OFF_PCT || cut_more_on(pct).is_some()).then(fact)
}

fn cut_more_on(pct: PerSide<f64>) -> Option<Side> {
    let more = if pct.before > pct.after { Side::Before } else { Side::After };
    (pct[more] - pct[more.other()] > CUT_OFF_DIFFERENCE_PP).then_some(more)
}

/// The side whose stacks lack their outermost callers much more often than the other's: its totals are too low.
pub(crate) fn side_cut_more(facts: &[SideFact]) -> Option<Side> {
    facts.iter().find_map(|fact| match fact.subject {
        Subject::CutChains(pct) => cut_more_on(pct),
        _ => None,
    })
}

fn inlined_functions(one_sided: &OneSidedInlines) -> Option<SideFact> {
    let objects = PerSide::from_fn(|side| {
        let of_side = one_sided.iter().filter(|(_, of)| *of == side);
        unique(of_side.map(|(label, _)| label.to_owned()))
    });
    let subject = Subject::InlinedFunctions(objects);
    (!one_sided.is_empty()).then(|| SideFact::new(subject, Severity::Warning, Concern::InlinesOnOneSide))
}

/// Debug information that was not read on a side, and what that means for the rows.
fn debug_information(coverage: &Coverage) -> Option<SideFact> {
    if coverage.is_complete() {
        return None;
    }
    let texts = |texts: Vec<&str>| texts.into_iter().map(ToOwned::to_owned).collect::<Vec<String>>();
    let subject = Subject::DebugInformation(PerSide::from_fn(|side| texts(coverage.causes(side))));
    let is_even = coverage.is_even();
    let severity = if is_even { Severity::Warning } else { Severity::Incomparable };
    let whole = coverage.objects_by_symbol().into_iter().map(|object| format!("all of {object}"));
    let functions = whole.chain(texts(coverage.by_symbol())).collect();
    let concern = Concern::ComparedBySymbol { functions, is_even };
    Some(SideFact::new(subject, severity, concern))
}

fn compilers(sides: &Sides<'_>) -> Option<SideFact> {
    let producers = PerSide::from_fn(|side| {
        unique(sides.get(side).objects.iter().flat_map(|object| object.producers.clone()))
    });
    if producers.before.is_empty() && producers.after.is_empty() {
        return None;
    }
    let differ = differ(&producers);
    let fact = SideFact::plain(Subject::Compilers(producers));
    Some(fact.raised(differ, Severity::Warning, Concern::CompilersDiffer))
}

/// Kernel release and CPU, where recordings have them.
fn machines(sides: &Sides<'_>) -> Vec<SideFact> {
    let header = |side: Side, key: &str| {
        unique(sides.get(side).runs.iter().flat_map(|run| {
            run.profile.header.iter().filter(|(name, _)| &**name == key).map(|(_, value)| value.to_string())
        }))
    };
    let known = [
        ("os release", MachineProperty::Kernel),
        ("cpudesc", MachineProperty::Cpu),
        ("nrcpus online", MachineProperty::CpusOnline),
    ];
    let fact = |(key, property): (&str, MachineProperty)| {
        let values = PerSide::from_fn(|side| header(side, key));
        let is_known = !(values.before.is_empty() && values.after.is_empty());
        let differ = differ(&values);
        let fact = SideFact::plain(Subject::Machine(property, values));
        is_known.then(|| fact.raised(differ, Severity::Warning, Concern::MachinesDiffer))
    };
    known.into_iter().filter_map(fact).collect()
}
