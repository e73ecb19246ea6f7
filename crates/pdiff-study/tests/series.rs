//! One function through several builds.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "../../pdiff-analysis/tests/support/mod.rs"]
mod support;

use pdiff_analysis::Comparison;
use pdiff_profile::Profile;
use pdiff_study::series::{Step, Visibility, arrivals};
use support::{compared, profile, settings};

#[test]
fn names_that_became_one_keep_what_they_cost_before() {
    let old = profile("/opt/mysqld!mtr_commit 30\n/opt/mysqld!mtr_t::commit 20\n/opt/mysqld!f 50");
    let new = profile("/opt/mysqld!mtr_t::commit 40\n/opt/mysqld!f 60");
    let builds = [&old, &old, &new];
    let step = |from: usize| Step {
        from,
        to: from + 1,
        comparison: compared(&[builds[from]], &[builds[from + 1]], &settings()),
    };
    let steps = [step(0), step(1)];
    let rows = arrivals(&steps, None, &Visibility::of(&steps));
    let costs = |name: &str| -> Vec<f64> {
        let row = rows.iter().find(|row| &*row.name == name).unwrap();
        row.costs.iter().map(|cost| cost.self_pct.round()).collect()
    };
    assert_eq!(costs("mtr_t::commit"), [50.0, 50.0, 40.0]);
    assert_eq!(rows.len(), 2, "{rows:?}");
    for build in 0..3 {
        let sum: f64 = rows.iter().map(|row| row.costs[build].self_pct).sum();
        assert!((sum - 100.0).abs() < 1e-9, "build {build}: {sum}");
    }
}

/// One run of 20 seconds, in which `grown` has `weight` samples a second and the others 100.
fn build(weight: u32) -> Profile {
    let others = (0..5).map(|other| format!("other_{other} 100"));
    let in_second = |second: u32| {
        let rows = std::iter::once(format!("grown {weight}")).chain(others.clone());
        rows.map(|row| format!("app@{second}: main;{row}\n")).collect::<String>()
    };
    profile(&(0..20).map(in_second).collect::<String>())
}

#[test]
fn the_steps_of_a_series_share_the_false_discovery_rate() {
    let (base, settings) = (build(50), settings());
    let step_to = |after: &Profile| compared(&[&base], &[after], &settings);
    let is_between = |comparison: &Comparison| {
        let grown = comparison.rows.iter().find(|row| &*row.name == "grown").unwrap();
        grown.test.q().is_some_and(|q| q > 0.05 / 4.0 && q <= 0.05)
    };
    let grown = (51..400).map(build).find(|build| is_between(&step_to(build))).unwrap();
    let significant = |builds: &[&Profile]| {
        let step = |from: usize| Step {
            from,
            to: from + 1,
            comparison: compared(&[builds[from]], &[builds[from + 1]], &settings),
        };
        let steps: Vec<Step> = (0..builds.len() - 1).map(step).collect();
        let rows = arrivals(&steps, None, &Visibility::of(&steps));
        rows.iter().find(|row| &*row.name == "grown").unwrap().significant.clone()
    };
    assert_eq!(significant(&[&base, &grown]), [true]);
    assert_eq!(significant(&[&base, &base, &base, &base, &grown]), [false; 4]);
}
