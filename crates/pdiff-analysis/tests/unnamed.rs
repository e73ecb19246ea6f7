//! Functions that no symbol names have rows of their own, which two builds share only if they are one.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "support/resolved.rs"]
mod resolved;
#[expect(dead_code, reason = "shared with tests that need more of it")]
mod support;

use pdiff_analysis::{Sides, compare};
use pdiff_profile::{InlineFrame, Presence};

/// The rows of two sides that have samples at the same places of `app`: name, presence, self weights.
fn rows(builds: [&str; 2]) -> Vec<(String, Presence, u64, u64)> {
    let [before, after] = builds.map(|build| {
        let leaf = |(addr, weight)| resolved::Leaf {
            addr,
            symbol: "",
            symbol_offset: None,
            weight,
            frames: vec![InlineFrame::unnamed("app", build, addr)],
        };
        resolved::sampled([(0x1000, 60), (0x2000, 40)].into_iter().map(leaf))
    });
    let sides = Sides { before: resolved::side(&before), after: resolved::side(&after) };
    let comparison = compare(&sides, &support::settings());
    assert!(comparison.rows.iter().all(|row| row.unresolved), "none has a name");
    assert!((comparison.before.unresolved_pct - 100.0).abs() < 1e-9);
    let row = |row: &pdiff_analysis::Row| {
        (row.name.to_string(), row.presence, row.before.self_weight.0, row.after.self_weight.0)
    };
    let mut rows: Vec<_> = comparison.rows.iter().map(row).collect();
    rows.sort_by(|a, b| (&a.0, a.2).cmp(&(&b.0, b.2)));
    rows
}

#[test]
fn one_build_has_a_row_for_each() {
    let both = |name: &str, weight| (name.to_owned(), Presence::Both, weight, weight);
    assert_eq!(rows(["1f", "1f"]), [both("app+0x1000", 60), both("app+0x2000", 40)]);
}

#[test]
fn what_lies_at_one_place_of_two_builds_is_not_one_function() {
    let expected = [
        ("app+0x1000".to_owned(), Presence::OnlyAfter, 0, 60),
        ("app+0x1000".to_owned(), Presence::OnlyBefore, 60, 0),
        ("app+0x2000".to_owned(), Presence::OnlyAfter, 0, 40),
        ("app+0x2000".to_owned(), Presence::OnlyBefore, 40, 0),
    ];
    assert_eq!(rows(["1f", "2e"]), expected);
}
