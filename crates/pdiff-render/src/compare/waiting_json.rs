//! Where threads wait, as JSON; `docs/json.md` describes the keys.

use pdiff_analysis::{Comparison, ThreadTimes, WaitPlace, Waiting, WaitingGroup, Waits};
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
}

#[derive(Serialize)]
struct FindingWaitsReport {
    rank: usize,
    before: WaitsReport,
    after: WaitsReport,
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
        FindingWaitsReport { rank: finding.rank, before: waits(&of.before), after: waits(&of.after) }
    });
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
    }
}
