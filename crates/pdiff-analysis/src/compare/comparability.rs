//! What a reader must know before the rows: facts about both sides, the serious ones first.

use std::collections::BTreeSet;

use pdiff_profile::{Event, Profile, Side};

use super::comparison::{Cost, Fact, Severity, SideSummary};
use super::coverage::Coverage;
use super::input::{SideInput, Sides};
use super::mistakes::{Unwinding, unwinding};
use super::row::{Quantities, Row};
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

/// Cores used that differ by more than this factor.
const CORES_RATIO: f64 = 1.5;

/// Weight without a function above which rows understate what is there, in percent.
const UNRESOLVED_PCT: f64 = 10.0;

/// Facts of both sides, gravest first.
pub(super) fn facts(
    sides: &Sides<'_>,
    [before, after]: [&SideSummary; 2],
    cost: Option<&Cost>,
    one_sided: &OneSidedInlines,
    rows: &[Row],
    share: Share,
) -> Vec<Fact> {
    let mut facts = vec![event(sides), sampling_interval(sides), callchains(sides), samples(before, after)];
    facts.push(span(before, after));
    facts.extend(throughput(cost));
    facts.extend(cores(sides, [before, after], cost));
    facts.push(spin(before, after, share));
    facts.push(unresolved(before, after));
    facts.extend(common_rows(rows));
    facts.extend(inlined_functions(one_sided));
    facts.extend(debug_information(one_sided.coverage()));
    facts.extend(compilers(sides));
    facts.extend(kernels(sides));
    facts.sort_by_key(|fact| std::cmp::Reverse(fact.severity));
    facts
}

fn fact(name: &'static str, before: String, after: String) -> Fact {
    Fact { name, before, after, severity: Severity::Plain, remark: String::new() }
}

/// The fact with this severity and remark, if the condition holds and it is not more serious already.
fn raised(mut fact: Fact, when: bool, severity: Severity, remark: &str) -> Fact {
    if when && severity > fact.severity {
        (fact.severity, fact.remark) = (severity, remark.to_owned());
    }
    fact
}

/// All values of a side's runs, each once.
fn join(values: impl Iterator<Item = String>) -> String {
    let unique: BTreeSet<String> = values.collect();
    unique.into_iter().collect::<Vec<_>>().join(", ")
}

fn chosen<'a>(side: &'a SideInput<'_>) -> impl Iterator<Item = (&'a Profile, &'a Event)> {
    side.runs.iter().filter_map(|run| Some((run.profile, run.profile.events.get(run.event.index())?)))
}

/// Whether weights are nanoseconds of CPU.
fn is_time(side: &SideInput<'_>) -> bool {
    chosen(side).all(|(_, event)| event.is_time())
}

fn event(sides: &Sides<'_>) -> Fact {
    let names = |side: &SideInput<'_>| join(chosen(side).map(|(_, event)| named(event)));
    let bases = |side: &SideInput<'_>| join(chosen(side).map(|(_, event)| event.base_name().to_owned()));
    let differ = bases(&sides.before) != bases(&sides.after) || bases(&sides.before).contains(", ");
    let fact = fact("event", names(&sides.before), names(&sides.after));
    raised(fact, differ, Severity::Incomparable, "different events measure different things")
}

fn named(event: &Event) -> String {
    if event.name.is_empty() { "not printed".to_owned() } else { event.name.to_string() }
}

/// Weight per sample: the period, where the recording was made with a fixed one.
fn sampling_interval(sides: &Sides<'_>) -> Fact {
    let interval = |side: &SideInput<'_>| {
        let sums = chosen(side).fold((0.0, 0.0), |(weight, samples), (_, event)| {
            (weight + event.weight.as_f64(), samples + event.samples as f64)
        });
        (sums.1 > 0.0).then(|| sums.0 / sums.1)
    };
    let text = |side: &SideInput<'_>| match interval(side) {
        Some(period) if is_time(side) => format!("{:.0} Hz of CPU time", 1e9 / period),
        Some(period) => format!("{period:.0} a sample"),
        None => "no samples".to_owned(),
    };
    let ratio = interval(&sides.before).zip(interval(&sides.after)).map(|(a, b)| (a / b).max(b / a));
    let fact = fact("sampling rate", text(&sides.before), text(&sides.after));
    let differ = ratio.is_some_and(|ratio| ratio > INTERVAL_RATIO);
    raised(fact, differ, Severity::Incomparable, "sampling itself costs CPU, and not the same on both builds")
}

fn callchains(sides: &Sides<'_>) -> Fact {
    let has = |side: &SideInput<'_>| side.runs.iter().any(|run| run.profile.has_callchains);
    let ways = unwinding(sides);
    let text = |side, way: Option<Unwinding>| match way {
        Some(way) if has(side) => format!("yes, {}", way.name()),
        _ if has(side) => "yes".to_owned(),
        _ => "no".to_owned(),
    };
    let fact = fact("call chains", text(&sides.before, ways[0]), text(&sides.after, ways[1]));
    let two_ways =
        has(&sides.before) && has(&sides.after) && ways[0].zip(ways[1]).is_some_and(|(a, b)| a != b);
    let fact = raised(
        fact,
        two_ways,
        Severity::Suspect,
        "the sides find callers in different ways, which alone changes totals; record both with the same --call-graph",
    );
    let differ = has(&sides.before) != has(&sides.after);
    raised(fact, differ, Severity::Warning, "only self can be compared: totals need chains on both sides")
}

fn samples(before: &SideSummary, after: &SideSummary) -> Fact {
    let text = |side: &SideSummary| match side.runs.len() {
        1 => format!("{} in 1 run", side.samples),
        runs => format!("{} in {runs} runs", side.samples),
    };
    let fact = fact("samples", text(before), text(after));
    let empty = before.samples == 0 || after.samples == 0;
    raised(fact, empty, Severity::Incomparable, "a side without samples has no shares")
}

/// Nothing is said where both sides have a row in common: then they may be two builds of one program.
fn common_rows(rows: &[Row]) -> Option<Fact> {
    let has = |side: &Quantities| side.total_weight.0 > 0;
    let is_named = |row: &&Row| !row.unresolved;
    let named = || rows.iter().filter(is_named);
    let of = |side: Side| named().filter(|row| has(row.side(side))).count();
    let (before, after) = (of(Side::Before), of(Side::After));
    let is_apart = before > 0 && after > 0 && !named().any(|row| has(&row.before) && has(&row.after));
    let fact = fact("rows in common", format!("0 of {before}"), format!("0 of {after}"));
    is_apart.then(|| {
        raised(
            fact,
            true,
            Severity::Incomparable,
            "no function is on both sides: these look like two programs",
        )
    })
}

fn span(before: &SideSummary, after: &SideSummary) -> Fact {
    let sum = |side: &SideSummary| side.runs.iter().map(|run| run.span_s).sum::<Option<f64>>();
    let text = |side| sum(side).map_or_else(|| "no time".to_owned(), |seconds| format!("{seconds:.1} s"));
    let per_run = |side: &SideSummary| sum(side).map(|seconds| seconds / side.runs.len().max(1) as f64);
    let ratio = per_run(before).zip(per_run(after)).map(|(a, b)| (a / b).max(b / a));
    let fact = fact("span", text(before), text(after));
    let differ = ratio.is_some_and(|ratio| ratio > SPAN_RATIO);
    raised(fact, differ, Severity::Warning, "runs of different length may see different phases of the load")
}

fn throughput(cost: Option<&Cost>) -> Vec<Fact> {
    let Some(cost) = cost else { return Vec::new() };
    let scale = cost.scale();
    let of = match (cost.is_time, scale.name) {
        (true, unit) => format!("{unit} CPU"),
        (false, "") => "events".to_owned(),
        (false, unit) => format!("{unit} events"),
    };
    let cost_text = |value: f64| format!("{:.*} {of}", scale.places, value / scale.divisor);
    let mut facts =
        vec![fact("cost per operation", cost_text(cost.per_op.before), cost_text(cost.per_op.after))];
    if let Some(gap) = &cost.gap {
        let text = |tps: f64| format!("{tps:.0}/s");
        facts.push(fact("throughput", text(gap.tps.before), text(gap.tps.after)));
    }
    facts
}

fn cores(sides: &Sides<'_>, [before, after]: [&SideSummary; 2], cost: Option<&Cost>) -> Option<Fact> {
    let cores = cost.and_then(|cost| cost.gap.as_ref()).map(|gap| gap.cores);
    let sampled = |input: &SideInput<'_>, side: &SideSummary| {
        let seconds: Option<f64> = side.runs.iter().map(|run| run.span_s).sum();
        seconds
            .filter(|seconds| is_time(input) && *seconds > 0.0)
            .map(|seconds| side.weight.as_f64() / 1e9 / seconds)
    };
    let of_before = cores.map(|cores| cores.before).or_else(|| sampled(&sides.before, before))?;
    let of_after = cores.map(|cores| cores.after).or_else(|| sampled(&sides.after, after))?;
    let fact = fact("cores used", format!("{of_before:.2}"), format!("{of_after:.2}"));
    let differ = (of_before / of_after).max(of_after / of_before) > CORES_RATIO;
    Some(raised(fact, differ, Severity::Warning, "the load differs, or the program waits more on one side"))
}

fn spin(before: &SideSummary, after: &SideSummary, share: Share) -> Fact {
    let fact = fact("busy waiting", format!("{:.2} %", before.spin_pct), format!("{:.2} %", after.spin_pct));
    let differ = (before.spin_pct - after.spin_pct).abs() > SPIN_DIFFERENCE_PP;
    let much = before.spin_pct.max(after.spin_pct) > SPIN_SHARE_PCT;
    let fact = raised(
        fact,
        differ && share != Share::Work,
        Severity::Warning,
        "spinning inflates shares; see --denominator work",
    );
    raised(fact, much, Severity::Warning, "CPU saved outside the awaited section may turn into more spinning")
}

fn unresolved(before: &SideSummary, after: &SideSummary) -> Fact {
    let text = |side: &SideSummary| format!("{:.2} %", side.unresolved_pct);
    let fact = fact("without function", text(before), text(after));
    let much = before.unresolved_pct.max(after.unresolved_pct) > UNRESOLVED_PCT;
    raised(
        fact,
        much,
        Severity::Warning,
        "named rows are too low; see the rows [unresolved] and object+0x...",
    )
}

/// Samples whose stacks reach no function of the program; nothing is said of flat recordings.
pub(super) fn lost_callers(sides: &Sides<'_>, [before, after]: [f64; 2]) -> Option<Fact> {
    let has_chains = |side: Side| sides.get(side).runs.iter().all(|run| run.profile.has_callchains);
    if !Side::BOTH.into_iter().all(has_chains) || before.max(after) < LEAST_LOST_PCT {
        return None;
    }
    let fact = fact("without caller", format!("{before:.1} %"), format!("{after:.1} %"));
    let differ = (before - after).abs() > LOST_DIFFERENCE_PP;
    let remark = "stacks of system and library functions lack their callers more often on one side, so functions of the \
                  program look lighter there; record with --call-graph dwarf, or with libraries that keep frame pointers";
    Some(raised(fact, differ, Severity::Warning, remark))
}

fn inlined_functions(one_sided: &OneSidedInlines) -> Option<Fact> {
    let objects = |side: Side| {
        let told = one_sided.iter().filter(|(_, of)| *of == side).map(|(label, _)| label.to_owned());
        let told = join(told);
        if told.is_empty() { "unknown".to_owned() } else { format!("known for {told}") }
    };
    if one_sided.is_empty() {
        return None;
    }
    let fact = fact("inlined functions", objects(Side::Before), objects(Side::After));
    let remark = "debug information is missing on the other side, so inlined functions are not split out on either side";
    Some(raised(fact, true, Severity::Warning, remark))
}

/// The most functions and reasons that a fact names.
const MOST_NAMED: usize = 3;

/// Debug information that was not read on a side, and what that means for the rows.
fn debug_information(coverage: &Coverage) -> Option<Fact> {
    if coverage.is_complete() {
        return None;
    }
    let causes = |side: Side| match coverage.causes(side) {
        causes if causes.is_empty() => "complete".to_owned(),
        causes => named_some(&causes, "; "),
    };
    let functions = named_some(&coverage.by_symbol(), ", ");
    let remark = match coverage.is_even() {
        true => format!("compared by symbol, without inlined functions: {functions}"),
        false => format!("compared by symbol on both sides, and gates are inconclusive: {functions}"),
    };
    let fact = fact("debug information", causes(Side::Before), causes(Side::After));
    let severity = if coverage.is_even() { Severity::Warning } else { Severity::Incomparable };
    Some(raised(fact, true, severity, &remark))
}

fn named_some(names: &[&str], separator: &str) -> String {
    let mut text = names.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(separator);
    if let Some(more) = names.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        text.push_str(&format!("{separator}{more} more"));
    }
    text
}

fn compilers(sides: &Sides<'_>) -> Option<Fact> {
    let producers =
        |side: &SideInput<'_>| join(side.objects.iter().flat_map(|object| object.producers.clone()));
    let (before, after) = (producers(&sides.before), producers(&sides.after));
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let differ = before != after && !before.is_empty() && !after.is_empty();
    let fact = fact("compilers", before, after);
    Some(raised(fact, differ, Severity::Warning, "the compilers or their flags differ, not only the source"))
}

/// Kernel release and CPU, where `perf script --header` printed them.
fn kernels(sides: &Sides<'_>) -> Vec<Fact> {
    let header = |side: &SideInput<'_>, key: &str| {
        join(side.runs.iter().flat_map(|run| {
            run.profile.header.iter().filter(|(name, _)| &**name == key).map(|(_, value)| value.to_string())
        }))
    };
    let rows = [("os release", "kernel"), ("cpudesc", "CPU"), ("nrcpus online", "CPUs online")];
    let made = rows.iter().map(|(key, name)| {
        let fact = fact(name, header(&sides.before, key), header(&sides.after, key));
        let differ = fact.before != fact.after && !fact.before.is_empty() && !fact.after.is_empty();
        raised(fact, differ, Severity::Warning, "the machines differ")
    });
    made.filter(|fact| !(fact.before.is_empty() && fact.after.is_empty())).collect()
}
