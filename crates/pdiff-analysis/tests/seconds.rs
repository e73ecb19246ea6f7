//! The recordings over time: whole seconds, shares of what contains a function.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[expect(dead_code, reason = "shared with tests that need more of it")]
mod support;

use pdiff_analysis::{PreparedSides, Seconds, Sides};
use pdiff_profile::PerSide;
use support::{profile, settings, side};

fn seconds(before: &str, functions: &[&str]) -> Seconds {
    let (before, after) = (profile(before), profile("app@0: main 1"));
    let sides = Sides { before: side("before", &[&before], &[]), after: side("after", &[&after], &[]) };
    let prepared = PreparedSides::new(&sides, &settings());
    let functions: Vec<(String, String)> =
        functions.iter().map(|name| ((*name).to_owned(), "app".to_owned())).collect();
    prepared.seconds(&sides, &functions)
}

#[test]
fn each_whole_second_has_its_weight_and_the_shares_of_what_contains_a_function() {
    // Seconds 4 and 8 are recorded in part; second 6 has no sample.
    let found = seconds(
        "app@4: main;a 90\napp@5: main;a;b;a 30\napp@5: main;b 10\napp@7: main;b 20\napp@8: main;a 9",
        &["a", "b", "absent"],
    );
    let PerSide { before, after } = &found.runs;
    assert!(after.is_empty(), "a run of one second has no course");
    assert_eq!((before.len(), before[0].step), (1, 1));
    assert_eq!(before[0].per_second, [40.0, 0.0, 20.0]);
    assert_eq!(before[0].share_pct[0], [75.0, 0.0, 0.0], "a recursion counts once");
    assert_eq!(before[0].share_pct[1], [100.0, 0.0, 100.0]);
    assert_eq!(before[0].share_pct[2], [0.0, 0.0, 0.0]);
}

#[test]
fn a_long_run_has_few_points_which_hold_all_of_its_weight() {
    let lines: Vec<String> = (0..=150).map(|second| format!("app@{second}: main;a {}", second + 1)).collect();
    let found = seconds(&lines.join("\n"), &["a"]);
    let run = &found.runs.before[0];
    assert_eq!((run.step, run.per_second.len()), (3, 50));
    // The last point covers two seconds only: 149 are whole.
    let whole: f64 =
        run.per_second.iter().enumerate().map(|(at, rate)| rate * if at == 49 { 2.0 } else { 3.0 }).sum();
    assert!((whole - (2..=150).sum::<i32>() as f64).abs() < 1e-6, "{whole}");
    assert!(run.share_pct[0].iter().all(|pct| (*pct - 100.0).abs() < 1e-9));
}
