//! The laws of a comparison, on profiles made at random.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod support;

use pdiff_analysis::{Comparison, GroupBy, Row, Share};
use pdiff_profile::Profile;
use proptest::prelude::*;
use support::{compared, profile, settings};

/// Frames of three objects, some without a symbol; few names, so that recursion and shared stacks are common.
const FRAMES: &[&str] = &[
    "main",
    "f",
    "g",
    "ns::h<int>",
    "[unknown]",
    "/lib/libc.so.6!memcpy",
    "/lib/libc.so.6![unknown]",
    "[kernel.kallsyms]!sys_read",
    "ut_delay",
];

fn folded() -> impl Strategy<Value = String> {
    let stack = prop::collection::vec(prop::sample::select(FRAMES), 0..6);
    let line = (0..3_u32, 0..5_u32, stack, 1..1000_u32).prop_map(|(thread, second, stack, weight)| {
        format!("t{thread}@{second}: {} {weight}", stack.join(";"))
    });
    prop::collection::vec(line, 1..30).prop_map(|lines| lines.join("\n"))
}

fn sum(comparison: &Comparison, of: impl Fn(&Row) -> u64) -> u64 {
    comparison.rows.iter().map(of).sum()
}

fn weight_of(profile: &Profile) -> u64 {
    profile.cells.iter().map(|cell| cell.weight.0).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn weight_is_conserved(before in folded(), after in folded(), by in 0..7_usize, share in 0..4_usize) {
        let (before, after) = (profile(&before), profile(&after));
        let mut settings = settings();
        (settings.group_by, settings.share) = (GroupBy::ALL[by], Share::ALL[share]);
        let comparison = compared(&[&before], &[&after], &settings);
        prop_assert_eq!(sum(&comparison, |row| row.before.self_weight.0), weight_of(&before));
        prop_assert_eq!(sum(&comparison, |row| row.before.booked_self_weight.0), weight_of(&before));
        prop_assert_eq!(sum(&comparison, |row| row.after.self_weight.0), weight_of(&after));
        prop_assert_eq!(sum(&comparison, |row| row.after.booked_self_weight.0), weight_of(&after));
        for row in &comparison.rows {
            prop_assert!(row.before.self_weight <= row.before.total_weight);
            prop_assert!(row.after.total_weight.0 <= weight_of(&after));
        }
        if settings.share == Share::All {
            let shares: f64 = comparison.rows.iter().map(|row| row.after.self_pct).sum();
            prop_assert!((shares - 100.0).abs() < 1e-6);
        }
    }

    #[test]
    fn swapping_sides_negates_every_change(
        before in folded(), after in folded(), by in 0..7_usize, share in 0..4_usize
    ) {
        let (before, after) = (profile(&before), profile(&after));
        let mut settings = settings();
        (settings.group_by, settings.share) = (GroupBy::ALL[by], Share::ALL[share]);
        let forth = compared(&[&before], &[&after], &settings);
        let back = compared(&[&after], &[&before], &settings);
        prop_assert_eq!(forth.rows.len(), back.rows.len());
        prop_assert_eq!(forth.before.unresolved_pct, back.after.unresolved_pct);
        for row in &forth.rows {
            let key = |row: &Row| (row.name.to_string(), row.object.to_string(), row.thread_group.clone());
            let other = back.rows.iter().find(|other| key(other) == key(row)).unwrap();
            prop_assert_eq!(row.delta_self_pp(), -other.delta_self_pp());
            prop_assert_eq!(row.delta_total_pp(), -other.delta_total_pp());
            prop_assert!((row.ci_low_pp + other.ci_high_pp).abs() < 1e-9);
            prop_assert_eq!(row.significant, other.significant);
            prop_assert_eq!(row.booked.significant, other.booked.significant);
            prop_assert_eq!(row.total.significant, other.total.significant);
        }
    }

    #[test]
    fn a_side_against_itself_has_no_change(text in folded()) {
        let profile = profile(&text);
        let comparison = compared(&[&profile], &[&profile], &settings());
        prop_assert!(comparison.rows.iter().all(|row| row.delta_self_pp() == 0.0 && !row.significant));
    }

    #[test]
    fn the_order_of_lines_does_not_matter(text in folded(), turn in 0..30_usize) {
        let mut lines: Vec<&str> = text.lines().collect();
        let at = turn % lines.len();
        lines.rotate_left(at);
        let (one, other) = (profile(&text), profile(&lines.join("\n")));
        let fixed = profile("main;f 7");
        let (one, other) = (compared(&[&fixed], &[&one], &settings()), compared(&[&fixed], &[&other], &settings()));
        prop_assert_eq!(one.rows, other.rows);
    }

    #[test]
    fn several_runs_count_as_much_as_their_samples_together(first in folded(), second in folded()) {
        let together = profile(&format!("{first}\n{second}"));
        let (first, second) = (profile(&first), profile(&second));
        let fixed = profile("main;f 7");
        let apart = compared(&[&fixed], &[&first, &second], &settings());
        let together = compared(&[&fixed], &[&together], &settings());
        for row in &together.rows {
            let same = |other: &&Row| (&other.name, &other.object) == (&row.name, &row.object);
            let other = apart.rows.iter().find(same).unwrap();
            prop_assert_eq!(row.after.self_weight, other.after.self_weight);
            prop_assert_eq!(row.after.total_weight, other.after.total_weight);
        }
    }
}
