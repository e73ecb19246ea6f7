//! What an operation costs, and what part of the gap each row makes up: under filters, and where samples and operations do not
//! cover the same time.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[expect(dead_code, reason = "each test program uses its own part of the support")]
mod support;

use pdiff_analysis::noise::NoiseSettings;
use pdiff_analysis::side_fact::Concern;
use pdiff_analysis::{CompareSettings, Comparison, Cost, Filters, Share};
use pdiff_profile::{NoteKind, Profile, RunMeasures};
use support::{measured, profile, settings};

/// Twenty seconds of which libc has ten more than before; the program's own code costs the same.
const BEFORE: &str = "app@9: main;work 8000000000\n app@0: main;libc!memcpy 2000000000";
const AFTER: &str = "app@19: main;work 8000000000\n app@0: main;libc!memcpy 12000000000";

fn of_operations(operations: f64) -> RunMeasures {
    RunMeasures { operations: Some(operations), ..RunMeasures::default() }
}

fn libc_dearer(settings: &CompareSettings) -> Comparison {
    let (before, after) = (profile(BEFORE), profile(AFTER));
    let runs = [of_operations(1000.0)];
    measured(&[&before], &[&after], &runs, &runs, settings)
}

fn gap_share(comparison: &Comparison, name: &str) -> Option<f64> {
    comparison.rows.iter().find(|row| &*row.name == name).and_then(|row| row.gap_share_pct())
}

fn cost(before: &Profile, after: &Profile, of_before: RunMeasures, of_after: RunMeasures) -> (Cost, bool) {
    let comparison = measured(&[before], &[after], &[of_before], &[of_after], &settings());
    let rescaled = comparison.notes.iter().any(|note| note.kind == NoteKind::Rescaled);
    (comparison.cost.expect("operations are known"), rescaled)
}

#[track_caller]
fn assert_near(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-6 * want.abs().max(1.0), "{got} is not {want}");
}

#[test]
fn a_filter_does_not_change_what_part_of_the_gap_a_row_makes_up() {
    let all = libc_dearer(&settings());
    assert_near(gap_share(&all, "memcpy").unwrap(), 100.0);
    assert_near(gap_share(&all, "work").unwrap(), 0.0);
    let only_app = Filters { dso: vec!["app".parse().unwrap()], ..Filters::default() };
    let filtered = libc_dearer(&CompareSettings { filters: only_app, ..settings() });
    assert_near(gap_share(&filtered, "work").unwrap(), 0.0);
    assert_eq!(gap_share(&filtered, "memcpy"), None);
    let parts = filtered.cost.unwrap().gap.unwrap().parts.unwrap();
    assert_near(parts.outside_filter_pct, 100.0);
    let only_libc = Filters { dso: vec!["libc".parse().unwrap()], ..Filters::default() };
    let filtered = libc_dearer(&CompareSettings { filters: only_libc, ..settings() });
    assert_near(gap_share(&filtered, "memcpy").unwrap(), 100.0);
    assert_eq!(filtered.cost.unwrap().gap.unwrap().parts.unwrap().outside_filter_pct, 0.0);
}

#[test]
fn a_load_of_a_fixed_rate_has_no_gap() {
    let (before, after) = (profile(BEFORE), profile(AFTER));
    let runs = |rates: [f64; 3]| rates.map(|tps| RunMeasures { tps: Some(tps), ..RunMeasures::default() });
    for rates in [[1000.0, 1000.0, 1000.0], [999.6, 999.5, 999.7]] {
        let (of_before, of_after) = (runs([1000.0, 1000.1, 999.9]), runs(rates));
        let comparison = measured(&[&before; 3], &[&after; 3], &of_before, &of_after, &settings());
        let gap = comparison.cost.unwrap().gap.unwrap();
        assert!(gap.interval_pct.0 < 0.0 && gap.interval_pct.1 > 0.0, "{gap:?}");
        assert_eq!(gap.parts, None);
    }
}

#[test]
fn a_gap_that_is_next_to_nothing_of_what_cost_and_cores_changed_is_not_divided() {
    // Each operation costs twice as much, and nearly twice as many cores make up for it.
    let (before, after) = (profile(BEFORE), profile(&AFTER.replace("app@19", "app@9")));
    let runs = |operations: f64, cpu: f64| {
        [1.0, 1.001, 0.999].map(|by| RunMeasures {
            operations: Some(operations * by),
            cpu_seconds: Some(cpu * by),
            ..RunMeasures::default()
        })
    };
    let divided = |operations: f64| {
        let comparison =
            measured(&[&before; 3], &[&after; 3], &runs(1000.0, 10.0), &runs(operations, 20.0), &settings());
        comparison.cost.unwrap().gap.unwrap().parts.is_some()
    };
    assert!(divided(900.0));
    assert!(!divided(985.0));
}

#[test]
fn parts_sum_to_the_gap_under_every_filter_and_denominator() {
    for share in [Share::All, Share::Object, Share::ThreadGroup, Share::Work] {
        for dso in ["app", "libc", "."] {
            let filters = Filters { dso: vec![dso.parse().unwrap()], ..Filters::default() };
            let comparison = libc_dearer(&CompareSettings { share, filters, ..settings() });
            let parts = comparison.cost.unwrap().gap.unwrap().parts.unwrap();
            let sum = parts.explained_pct
                + parts.not_significant_pct
                + parts.unresolved_pct
                + parts.utilisation_pct
                + parts.outside_filter_pct;
            assert_near(sum, 100.0);
            let rows: f64 = comparison.rows.iter().filter_map(|row| row.gap_share_pct()).sum();
            assert_near(rows + parts.utilisation_pct + parts.outside_filter_pct, 100.0);
        }
    }
}

#[test]
fn busy_waiting_makes_up_the_same_part_of_the_gap_under_every_denominator() {
    let before = profile("app@9: main;work 8000000000\n app@0: main;ut_delay 2000000000");
    let after = profile("app@19: main;work 8000000000\n app@0: main;ut_delay 12000000000");
    let runs = [of_operations(1000.0)];
    for share in [Share::All, Share::Object, Share::ThreadGroup, Share::Work] {
        let settings = CompareSettings { share, ..settings() };
        let comparison = measured(&[&before], &[&after], &runs, &runs, &settings);
        assert_near(gap_share(&comparison, "ut_delay").unwrap(), 100.0);
        assert_near(gap_share(&comparison, "work").unwrap(), 0.0);
    }
}

#[test]
fn one_run_a_side_leaves_a_gap_of_a_fourth_to_noise() {
    // 12 % a run on 8 degrees of freedom: the logarithm is known to 0.39. With 8 % and the normal distribution it was 0.22.
    for (seconds, is_divided) in [(13, false), (20, true)] {
        let (before, after) = (steady(10, 800_000, 200_000), steady(seconds, 800_000, 200_000));
        let runs = [of_operations(1000.0)];
        let settings = CompareSettings { noise: NoiseSettings::default(), ..settings() };
        let comparison = measured(&[&before], &[&after], &runs, &runs, &settings);
        let gap = comparison.cost.unwrap().gap.unwrap();
        assert!(gap.assumed);
        assert_eq!(gap.parts.is_some(), is_divided, "{:?}", gap.interval_pct);
        let has_shares = comparison.rows.iter().any(|row| row.gap_share_interval_pct().is_some());
        assert_eq!(has_shares, is_divided);
    }
}

fn steady(seconds: u32, of_work: u32, of_libc: u32) -> Profile {
    let line = |second: u32| {
        format!("app@{second}: main;work {of_work}\n app@{second}: main;libc!memcpy {of_libc}\n")
    };
    profile(&(0..seconds).map(line).collect::<String>())
}

#[test]
fn a_gap_share_has_an_interval_around_it() {
    let (before, after) = (steady(10, 800_000, 200_000), steady(20, 400_000, 600_000));
    let runs = [of_operations(1000.0)];
    let comparison = measured(&[&before], &[&after], &runs, &runs, &settings());
    for row in comparison.rows.iter().filter(|row| &*row.name != "main") {
        let (share, (low, high)) = (row.gap_share_pct().unwrap(), row.gap_share_interval_pct().unwrap());
        assert!(low < share && share < high && high - low < 200.0, "{}: {low} {share} {high}", row.name);
    }
}

#[test]
fn a_share_of_an_uncertain_gap_may_be_larger_by_more_than_smaller() {
    let (before, after) = (steady(10, 800_000, 200_000), steady(20, 400_000, 600_000));
    let runs = [800.0, 1000.0, 1250.0].map(of_operations);
    let sides = ([&before; 3], [&after; 3]);
    let comparison = measured(&sides.0, &sides.1, &runs, &runs, &settings());
    let memcpy = comparison.rows.iter().find(|row| &*row.name == "memcpy").unwrap();
    let (share, (low, high)) = (memcpy.gap_share_pct().unwrap(), memcpy.gap_share_interval_pct().unwrap());
    let (below, above) = (share - low, high - share);
    assert!(below > 1.0 && above > 1.2 * below && above < 1000.0, "{low} {share} {high}");
}

#[test]
fn a_gap_that_is_hardly_more_than_noise_is_marked() {
    let (before, after) = (steady(10, 800_000, 200_000), steady(20, 400_000, 600_000));
    let gap = |operations: [f64; 3]| {
        let runs = operations.map(of_operations);
        measured(&[&before; 3], &[&after; 3], &runs, &runs, &settings()).cost.unwrap().gap.unwrap()
    };
    let sure = gap([980.0, 1000.0, 1020.0]);
    assert!(sure.parts.is_some() && !sure.barely_significant, "{sure:?}");
    let unsure = gap([750.0, 1000.0, 1330.0]);
    assert!(unsure.parts.is_some() && unsure.barely_significant, "{unsure:?}");
    let nothing = gap([300.0, 1000.0, 3000.0]);
    assert!(nothing.parts.is_none() && !nothing.barely_significant, "{nothing:?}");
}

#[test]
fn a_fixed_job_that_halves_its_cpu_costs_half() {
    let (before, after) = (profile("app@9: main;work 10000000000"), profile("app@4: main;work 5000000000"));
    let job = |cpu_seconds| RunMeasures {
        operations: Some(1000.0),
        window_s: Some(10.0),
        cpu_seconds,
        ..RunMeasures::default()
    };
    let (known, rescaled) = cost(&before, &after, job(Some(10.0)), job(Some(5.0)));
    assert_near(known.per_op.after / known.per_op.before, 0.5);
    assert!(!rescaled && known.per_op_as_counted.is_none());
    let gap = known.gap.unwrap();
    assert_near(gap.tps.after, gap.tps.before);
    assert_near(gap.cores.after / gap.cores.before, 0.5);
    // Without the CPU seconds nothing tells whether the program was idle or the samples stop early: both are kept.
    let (open, rescaled) = cost(&before, &after, job(None), job(None));
    assert_near(open.per_op.after / open.per_op.before, 1.0);
    let other = open.per_op_as_counted.unwrap();
    assert_near(other.after / other.before, 0.5);
    assert!(rescaled);
}

#[test]
fn operations_belong_to_the_samples_by_the_cpu_that_the_samples_hold() {
    // The window is 2 s longer than the span, and less CPU was used in those 2 s than a steady load would have used.
    let before = profile("app@14: main;work 14500000000");
    let window = RunMeasures {
        operations: Some(17_000.0),
        window_s: Some(17.0),
        cpu_seconds: Some(15.3),
        ..RunMeasures::default()
    };
    let (cost, rescaled) = cost(&before, &before, window, window);
    assert_near(cost.per_op.before, 15.3e9 / 17_000.0);
    assert!(rescaled);
    assert_near(cost.gap.unwrap().tps.before, 1000.0);
}

#[test]
fn the_cost_of_an_operation_is_that_measured_however_many_samples_were_lost() {
    // 99, 97 and 93 % of the CPU seconds are in the samples; the last lost more than the time that they do not cover.
    for sampled in ["13860000000", "13580000000", "13020000000"] {
        let of = profile(&format!("app@13: main;work {sampled}"));
        let window = RunMeasures {
            operations: Some(14_000.0),
            window_s: Some(14.0),
            cpu_seconds: Some(14.0),
            ..RunMeasures::default()
        };
        let (cost, _) = cost(&of, &of, window, window);
        assert_near(cost.per_op.before, 1e6);
        assert_near(cost.gap.unwrap().cores.before, 1.0);
    }
}

#[test]
fn operations_that_cannot_be_right_are_told() {
    let of = profile("app@13: main;work 14000000000");
    let counted = |operations: f64| RunMeasures {
        operations: Some(operations),
        window_s: Some(14.0),
        ..RunMeasures::default()
    };
    let concern = |before: [f64; 2], after: [f64; 2]| {
        let [before, after] = [before, after].map(|runs| runs.map(counted));
        let facts = measured(&[&of, &of], &[&of, &of], &before, &after, &settings()).comparability;
        let concerns = facts.into_iter().filter_map(|fact| fact.concern);
        concerns.filter(|of| matches!(of, Concern::CostsFarApart | Concern::RunsFarApart)).collect::<Vec<_>>()
    };
    assert_eq!(concern([1000.0, 1000.0], [1000.0, 300.0]), [Concern::RunsFarApart]);
    assert_eq!(concern([1000.0, 1000.0], [10_000.0, 10_000.0]), [Concern::CostsFarApart]);
    assert_eq!(concern([1000.0, 1000.0], [3000.0, 2000.0]), []);
}

#[test]
fn samples_of_half_the_cpu_measured_on_one_side_are_told() {
    let sampled = |seconds: &str| profile(&format!("app@13: main;work {seconds}000000000"));
    let window = [RunMeasures {
        operations: Some(14_000.0),
        window_s: Some(14.0),
        cpu_seconds: Some(14.0),
        ..RunMeasures::default()
    }];
    let warned = |before: &Profile, after: &Profile, settings: &CompareSettings| {
        let facts = measured(&[before], &[after], &window, &window, settings).comparability;
        facts.into_iter().any(|fact| fact.concern == Some(Concern::CpuNotSampled))
    };
    assert!(warned(&sampled("7"), &sampled("14"), &settings()));
    assert!(!warned(&sampled("14"), &sampled("14"), &settings()));
    assert!(!warned(&sampled("7"), &sampled("7"), &settings()), "the ratio of the costs is right");
    let scaling = CompareSettings { scale_to_cpu_seconds: true, ..settings() };
    assert!(!warned(&sampled("7"), &sampled("14"), &scaling));
}
