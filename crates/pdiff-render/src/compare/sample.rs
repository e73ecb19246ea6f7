//! Comparisons for tests: small, by hand, every number in sight.

use pdiff_analysis::noise::{Detectable, Method, RunVariation, Test};
use pdiff_analysis::side_fact::{CallChains, Concern, SampleCount, Subject};
use pdiff_analysis::{
    Comparison, Cost, CostChange, CostExtent, Coverage, Finding, FindingKind, FindingSetting, FindingSide,
    Findings, Gap, GapParts, GroupBy, Inlines, MatchedBy, MeasureChange, NoiseSummary, OwnCostChange, Pair,
    PerOperation, Policy, Quantities, Row, RowFields, RowGap, RowMatch, RunSummary, Severity, Share,
    SideFact, SideSummary, Templates,
};
use pdiff_profile::names::MatchLevel;
use pdiff_profile::{NoteKind, Notes, PerSide, Presence, Side, Weight};

use crate::document::options::{SortBy, TableOptions};

/// All rows, no colour, as wide as it takes.
pub(crate) fn options() -> TableOptions {
    TableOptions {
        width: None,
        color: false,
        top: None,
        min_delta_pp: None,
        sort: SortBy::Delta,
        explain: None,
    }
}

/// A row whose change is noise; shares of 10,000 in percent.
pub(crate) fn row(name: &str, (before, after): (f64, f64)) -> Row {
    let presence = match (before > 0.0, after > 0.0) {
        (true, false) => Presence::OnlyBefore,
        (false, true) => Presence::OnlyAfter,
        _ => Presence::Both,
    };
    RowFields {
        name: name.into(),
        object: "mysqld".into(),
        file: None,
        subsystem: None,
        thread_group: None,
        unresolved: name.starts_with("[unresolved]"),
        presence,
        matched: RowMatch { by: MatchedBy::Name, ambiguous: false, by_file: None, joined: None },
        before: quantities(before),
        after: quantities(after),
        ci_low_pp: after - before - 0.5,
        ci_high_pp: after - before + 0.5,
        selected_interval_pp: None,
        se_pp: 0.25,
        degrees_of_freedom: f64::INFINITY,
        test: Test::Tested { p: 0.5, q: 0.5 },
        significant: false,
        detectable: Detectable::Points(Some(0.75)),
        booked: MeasureChange::default(),
        total: MeasureChange::default(),
        inline: None,
        gap: None,
        beyond_typical: None,
        cost_change: None,
    }
    .into()
}

/// A change per operation that is the row's own.
pub(crate) fn own_cost_change() -> CostChange {
    CostChange {
        pct: Some(24.0),
        ci_low_pct: Some(20.0),
        ci_high_pct: Some(28.0),
        q_value: 0.001,
        own: Some(OwnCostChange {
            pct: Some(19.0),
            ci_low_pct: Some(16.0),
            ci_high_pct: Some(22.0),
            q_value: 0.002,
        }),
        extent: CostExtent::Own,
    }
}

/// A row whose change is significant.
pub(crate) fn significant(name: &str, shares: (f64, f64)) -> Row {
    let mut row = row(name, shares);
    (row.significant, row.test) = (true, Test::Tested { p: 0.001, q: 0.01 });
    row
}

fn quantities(share: f64) -> Quantities {
    let weight = Weight((share * 100.0).round() as u64);
    Quantities {
        self_weight: weight,
        booked_self_weight: weight,
        total_weight: Weight(weight.0 * 2),
        samples: weight.0,
        self_pct: share,
        booked_self_pct: share,
        total_pct: share * 2.0,
        inlining: None,
        per_op: PerOperation::Unknown,
    }
}

fn side(label: &str) -> SideSummary {
    let run = RunSummary {
        path: format!("{label}.perf"),
        event: "cpu-clock".to_owned(),
        samples: 10_000,
        weight: Weight(10_000),
        span_s: Some(15.0),
        operations: None,
        tps: None,
        cpu_seconds: None,
    };
    SideSummary {
        label: label.to_owned(),
        runs: vec![run],
        samples: 10_000,
        weight: Weight(10_000),
        unresolved_pct: 0.0,
        spin_pct: 0.0,
        objects: Vec::new(),
    }
}

/// The names of the events of both sides.
fn event(names: PerSide<&str>) -> Subject {
    Subject::Event(names.map(|name| vec![name.to_owned()]))
}

/// A comparison of these rows.
pub(crate) fn comparison(rows: Vec<Row>) -> Comparison {
    Comparison {
        renamed: Vec::new(),
        findings: Findings::default(),
        beside: Vec::new(),
        waiting: None,
        before: side("57"),
        after: side("80"),
        policy: Policy {
            match_level: MatchLevel::Qualified,
            inlines: Inlines::Expand,
            templates: Templates::Keep,
        },
        share: Share::All,
        left_out_pct: None,
        missing_callers: None,
        group_by: GroupBy::Function,
        coverage: Coverage::default(),
        filtered: String::new(),
        preset: None,
        comparability: vec![SideFact::plain(event(PerSide::new("cpu-clock", "cpu-clock")))],
        noise: NoiseSummary {
            method: Method::SingleRun,
            run_variation: RunVariation::Assumed { cv: 0.08 },
            tests: rows.len(),
            significant: rows.iter().filter(|row| row.significant).count(),
            q_threshold: 0.05,
            floor: pdiff_analysis::noise::Floor::default(),
            detectable: vec![(0.1, Some(0.12)), (1.0, Some(0.5)), (5.0, None)],
            assumed_dispersion: false,
            drifting: Vec::new(),
            phased: Vec::new(),
        },
        rows,
        families: Vec::new(),
        cost: None,
        notes: Notes::new(),
    }
}

/// A comparison with something in every part: grave facts, costs, a gap, busy waiting, notes, marks, hostile names.
pub(crate) fn full() -> Comparison {
    let mut comparison = comparison(vec![
        significant("PolicyMutex<TTASEventMutex<GenericPolicy> >::enter", (10.0, 2.0)),
        significant("cmp_dtuple_rec_with_match_low", (0.44, 1.18)),
        significant("THD::store_cached_properties", (0.0, 0.53)),
        row("old_\u{1b}[31m|`name`\n", (9.0, 0.0)),
        row("ha_innobase::info_low", (0.2, 0.17)),
        row("main", (80.36, 96.12)),
    ]);
    for row in &mut comparison.rows {
        row.before.per_op = PerOperation::Time(row.before.self_pct * 420.0);
        row.after.per_op = PerOperation::Time(row.after.self_pct * 550.0);
        let (share_pct, share_interval_pct) = (12.5, (10.0, 15.0));
        row.gap = Some(Box::new(RowGap { share_pct, share_interval_pct, cpu_change_share_pct: Some(12.5) }));
    }
    if let Some(row) = comparison.rows.last_mut() {
        row.before.booked_self_weight = Weight(8_000);
        row.matched.ambiguous = true;
        row.matched.by = MatchedBy::Alias;
    }
    comparison.cost = Some(cost());
    (comparison.before.spin_pct, comparison.after.spin_pct) = (13.64, 9.59);
    let chains = CallChains::Present(None);
    comparison.comparability = vec![
        SideFact::new(
            event(PerSide::new("cycles", "cpu-clock")),
            Severity::Incomparable,
            Concern::EventsDiffer,
        ),
        SideFact::new(
            Subject::Span(PerSide::new(Some(15.0), Some(70.1))),
            Severity::Warning,
            Concern::SpansDiffer,
        ),
        SideFact::plain(Subject::CallChains(PerSide::new(chains, chains))),
        SideFact::plain(Subject::Samples(
            PerSide::new(10_000, 12_000).map(|samples| SampleCount { samples, runs: 1 }),
        )),
    ];
    comparison.notes.add(NoteKind::UnparsedLine, 2, Weight(40), || "57.perf line 12: \u{1b}[2J".to_owned());
    comparison.noise.drifting = vec!["main".to_owned()];
    comparison.noise.phased = vec!["cmp_dtuple_rec_with_match_low".to_owned()];
    comparison
}

/// The same with parts that hold the change: one new that polls and that a setting switches, one of two functions, one
/// that shrank.
pub(crate) fn with_findings() -> Comparison {
    let mut comparison = full();
    let new = finding(1, "log_writer", FindingKind::Region, (0, 4_800));
    let setting = FindingSetting {
        name: "innodb_log_writer_threads".to_owned(),
        values: PerSide::new(None, Some("ON".to_owned())),
        why: "redo is written by threads of its own".to_owned(),
    };
    comparison.findings.list = vec![
        Finding { settings: vec![setting], ..new },
        finding(2, "mysql_execute_command -> Sql_cmd_dml::execute", FindingKind::Edge, (0, 200)),
        finding(3, "ut_delay", FindingKind::CrossCutting, (1_000, 400)),
    ];
    comparison.findings.list[0].after.polling = Weight(4_700);
    comparison.findings.rest.before = part(Side::Before, 9_000);
    comparison.findings.rest.after = part(Side::After, 4_600);
    comparison
}

/// So much of a side's weight of 10,000, at what an operation costs in the sample.
fn part(side: Side, weight: u64) -> FindingSide {
    let pct = weight as f64 / 100.0;
    let per_op = match side {
        Side::Before => pct * 420.0,
        Side::After => pct * 550.0,
    };
    FindingSide {
        weight: Weight(weight),
        samples: weight,
        pct,
        per_op: Some(per_op),
        ..FindingSide::default()
    }
}

fn finding(rank: usize, name: &str, kind: FindingKind, (before, after): (u64, u64)) -> Finding {
    let (before, after) = (part(Side::Before, before), part(Side::After, after));
    let delta = after.per_op.zip(before.per_op).map_or(0.0, |(after, before)| after - before);
    Finding {
        rank,
        kind,
        name: name.into(),
        object: "mysqld".into(),
        subsystem: None,
        before,
        after,
        interval_pp: (after.pct - before.pct - 1.0, after.pct - before.pct + 1.0),
        interval_per_op: Some((delta - 500.0, delta + 500.0)),
        q_value: 0.001,
        share_of_change_pct: Some(delta / 130.0),
        members: Vec::new(),
        kernel: Vec::new(),
        callers: Vec::new(),
        elsewhere: PerSide::new(false, false),
        with_callers: false,
        settings: Vec::new(),
    }
}

fn cost() -> Cost {
    Cost {
        per_op: Pair { before: 42_000.0, after: 55_000.0 },
        per_run: PerSide::new(vec![42_000.0], vec![55_000.0]),
        per_op_as_counted: None,
        is_time: true,
        log_ratio: (55.0_f64 / 42.0).ln(),
        log_interval: None,
        log_degrees_of_freedom: 0.0,
        per_op_without_spin: Pair { before: 36_000.0, after: 50_000.0 },
        cpu_scale: Pair { before: 1.0, after: 1.05 },
        cpu_coverage: None,
        lacks_cpu: false,
        gap: Some(Gap {
            tps: Pair { before: 5873.0, after: 3994.0 },
            cores: Pair { before: 1.2, after: 1.1 },
            gap_pct: -32.0,
            interval_pct: (-40.0, -22.0),
            assumed: true,
            barely_significant: false,
            parts: Some(GapParts {
                explained_pct: 61.0,
                not_significant_pct: 12.0,
                unresolved_pct: 3.0,
                utilisation_pct: 24.0,
                outside_filter_pct: 0.0,
            }),
        }),
    }
}
