//! Where threads wait, as JSON; `docs/json.md` describes the keys.

use pdiff_analysis::noise::RunVariation;
use pdiff_analysis::{Comparison, ThreadTimes, WaitChange, WaitPlace, Waiting, WaitingGroup, Waits};
use pdiff_profile::PerSide;
use serde::Serialize;

/// Where threads wait, as JSON.
#[derive(Serialize)]
pub(crate) struct WaitingReport<'a> {
    program: Option<&'a str>,
    before_span_s: Option<f64>,
    after_span_s: Option<f64>,
    before_lost_returns: u64,
    after_lost_returns: u64,
    groups: Vec<GroupReport<'a>>,
    places: Vec<PlaceReport<'a>>,
    idle: Vec<PlaceReport<'a>>,
    findings: Vec<FindingWaitsReport>,
    noise: WaitNoiseReport,
}

/// How waits vary from one recording to the next.
#[derive(Serialize)]
struct WaitNoiseReport {
    /// Coefficient of variation.
    cv: f64,
    /// How much of its square is assumed and not measured, 0 to 1.
    assumed_part: f64,
    tests: usize,
}

/// The change of a wait.
#[derive(Serialize)]
struct ChangeReport {
    unit: &'static str,
    value: f64,
    ci_low: f64,
    ci_high: f64,
    q_value: Option<f64>,
    significant: bool,
}

#[derive(Serialize)]
struct GroupReport<'a> {
    name: &'a str,
    before: TimesReport,
    after: TimesReport,
}

#[derive(Serialize)]
struct TimesReport {
    threads: usize,
    wall_s: Option<f64>,
    cpu_s: Option<f64>,
    blocked_s: f64,
    waits: u64,
    runnable_s: f64,
    idle_s: f64,
}

#[derive(Serialize)]
struct PlaceReport<'a> {
    function: Option<&'a str>,
    object: &'a str,
    waits_in: &'a str,
    callers: &'a [String],
    group: &'a str,
    before_s: f64,
    after_s: f64,
    before_waits: u64,
    after_waits: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    before_ns_per_op: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_ns_per_op: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<ChangeReport>,
}

#[derive(Serialize)]
struct FindingWaitsReport {
    rank: usize,
    before: WaitsReport,
    after: WaitsReport,
    change: ChangeReport,
}

#[derive(Serialize)]
struct WaitsReport {
    blocked_s: f64,
    waits: u64,
    runnable_s: f64,
}

pub(crate) fn report(comparison: &Comparison) -> Option<WaitingReport<'_>> {
    let waiting = comparison.waiting.as_ref()?;
    let times = |of: &ThreadTimes| TimesReport {
        threads: of.threads,
        wall_s: of.wall_s(),
        cpu_s: of.cpu_s,
        blocked_s: of.waits.blocked_s,
        waits: of.waits.count,
        runnable_s: of.waits.runnable_s,
        idle_s: of.idle_s,
    };
    let group = |group: &'_ WaitingGroup| (times(&group.times.before), times(&group.times.after));
    let groups = waiting.groups.iter().map(|of| {
        let (before, after) = group(of);
        GroupReport { name: &of.name, before, after }
    });
    let waits =
        |of: &Waits| WaitsReport { blocked_s: of.blocked_s, waits: of.count, runnable_s: of.runnable_s };
    let findings = comparison.findings.list.iter().zip(&waiting.findings).map(|(finding, of)| {
        let sleep = of.waits.as_ref().map(|waits| waits.blocked_s);
        let PerSide { before, after } = of.waits.as_ref().map(waits);
        let change = change_report(waiting, sleep, &of.change);
        FindingWaitsReport { rank: finding.rank, before, after, change }
    });
    let (cv, assumed_part) = match waiting.noise.run_variation {
        RunVariation::Assumed { cv } => (cv, 1.0),
        RunVariation::Measured { cv, assumed_part, .. } => (cv, assumed_part),
    };
    Some(WaitingReport {
        program: waiting.program.as_deref(),
        before_span_s: waiting.span_s.before,
        after_span_s: waiting.span_s.after,
        before_lost_returns: waiting.lost_returns.before,
        after_lost_returns: waiting.lost_returns.after,
        groups: groups.collect(),
        places: waiting.places.iter().map(|place| place_report(waiting, place)).collect(),
        idle: waiting.idle.iter().map(|place| place_report(waiting, place)).collect(),
        findings: findings.collect(),
        noise: WaitNoiseReport { cv, assumed_part, tests: waiting.noise.tests },
    })
}

fn place_report<'a>(waiting: &Waiting, place: &'a WaitPlace) -> PlaceReport<'a> {
    let per_op = waiting.ns_per_op(place.seconds);
    PlaceReport {
        function: place.function.as_deref(),
        object: &place.object,
        waits_in: &place.waits_in,
        callers: &place.callers,
        group: &place.group,
        before_s: place.seconds.before,
        after_s: place.seconds.after,
        before_waits: place.count.before,
        after_waits: place.count.after,
        before_ns_per_op: per_op.map(|of| of.before),
        after_ns_per_op: per_op.map(|of| of.after),
        change: place.change.as_ref().map(|change| change_report(waiting, place.seconds, change)),
    }
}

fn change_report(waiting: &Waiting, seconds: PerSide<f64>, change: &WaitChange) -> ChangeReport {
    let measured = waiting.measured(seconds);
    let value = measured.after - measured.before;
    let unit = match (waiting.ns_per_op(seconds).is_some(), waiting.has_rates()) {
        (true, _) => "ns/op",
        (_, true) => "s/s",
        (..) => "s",
    };
    ChangeReport {
        unit,
        value,
        ci_low: value - change.half,
        ci_high: value + change.half,
        q_value: change.test.q(),
        significant: change.significant,
    }
}
