//! One function through several builds.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "../../pdiff-analysis/tests/support/mod.rs"]
mod support;

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
        let row = rows.iter().find(|row| row.name == name).unwrap();
        row.costs.iter().map(|cost| cost.self_pct.round()).collect()
    };
    assert_eq!(costs("mtr_t::commit"), [50.0, 50.0, 40.0]);
    assert_eq!(rows.len(), 2, "{rows:?}");
    for build in 0..3 {
        let sum: f64 = rows.iter().map(|row| row.costs[build].self_pct).sum();
        assert!((sum - 100.0).abs() < 1e-9, "build {build}: {sum}");
    }
}
