//! Functions of one name in several files of one object: rows of their own, paired by file, sums as before.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "support/resolved.rs"]
mod resolved;
#[expect(dead_code, reason = "shared with tests that need more of it")]
mod support;

use std::collections::BTreeSet;

use pdiff_analysis::{Align, Comparison, PreparedSides, Row, Sides, TreeSettings, compare};
use pdiff_profile::{InlineFrame, Profile, Resolutions, Weight};
use resolved::side;

/// A leaf: where its machine function begins, the functions there as `name@file` (outermost first; `name` alone has no
/// resolution), and its weight.
type Leaf = (u64, &'static str, u64);

/// The leaves, each a byte further into its function than the one before and on the next line.
fn sampled(leaves: &[Leaf]) -> (Profile, Resolutions) {
    resolved::sampled((1..).zip(leaves).map(|(line, (start, words, weight))| {
        let frame = |(depth, word): (usize, &str)| {
            let (name, file) = word.split_once('@')?;
            let file = Some(file.into());
            let inlined = depth > 0;
            Some(InlineFrame { name: name.into(), linkage_name: None, file, line: Some(line), inlined })
        };
        let frames: Option<Vec<_>> = words.split(' ').enumerate().map(frame).collect();
        resolved::Leaf {
            addr: start + u64::from(line),
            symbol: words.split(['@', ' ']).next().unwrap(),
            symbol_offset: Some(u64::from(line)),
            weight: *weight,
            frames: frames.unwrap_or_default(),
        }
    }))
}

/// The comparison, whose sums are right and whose rows differ in name, object or file.
fn compared(before: &[Leaf], after: &[Leaf]) -> Comparison {
    let (before, after) = (sampled(before), sampled(after));
    let sides = Sides { before: side(&before), after: side(&after) };
    let comparison = compare(&sides, &support::settings());
    let sum = |of: &dyn Fn(&Row) -> Weight| comparison.rows.iter().map(|row| of(row).0).sum::<u64>();
    assert_eq!(sum(&|row| row.before.self_weight), comparison.before.weight.0);
    assert_eq!(sum(&|row| row.after.self_weight), comparison.after.weight.0);
    assert_eq!(sum(&|row| row.before.booked_self_weight), comparison.before.weight.0);
    assert_eq!(sum(&|row| row.after.booked_self_weight), comparison.after.weight.0);
    let keys: BTreeSet<_> = comparison.rows.iter().map(|row| (&row.name, &row.object, &row.file)).collect();
    assert_eq!(keys.len(), comparison.rows.len());
    comparison
}

/// The rows of `step` as `file before after`, by file; marked with `!` where several functions are behind one.
fn steps(before: &[Leaf], after: &[Leaf]) -> Vec<String> {
    let comparison = compared(before, after);
    let rows = comparison.rows.iter().filter(|row| &*row.name == "step");
    let text = |row: &Row| {
        let mark = if row.matched.ambiguous { " !" } else { "" };
        let file = row.file.as_deref().unwrap_or("-");
        format!("{file} {} {}{mark}", row.before.self_weight.0, row.after.self_weight.0)
    };
    let mut texts: Vec<String> = rows.map(text).collect();
    texts.sort();
    texts
}

#[test]
fn two_files_are_two_rows_paired_by_file() {
    let before =
        [(100, "step@/v1/log.cc", 30), (200, "step@/v1/buffer.cc", 20), (300, "main@/v1/main.cc", 50)];
    let after = [(200, "step@/v2/buffer.cc", 60), (100, "step@/v2/log.cc", 31), (300, "main@/v2/main.cc", 9)];
    assert_eq!(steps(&before, &after), ["buffer.cc 20 60", "log.cc 30 31"]);
    // What one side has not sampled stays alone.
    assert_eq!(steps(&before, &[after[0], after[2]]), ["buffer.cc 20 60", "log.cc 30 0"]);
    assert_eq!(steps(&before, &[]), ["/v1/buffer.cc 20 0", "/v1/log.cc 30 0"]);
}

#[test]
fn a_function_alone_on_each_side_is_one_wherever_it_went() {
    let before = [(100, "step@/v1/step.h", 30), (300, "main@/v1/main.cc", 50)];
    let after = [(100, "step@/v2/sql/other.cc", 31), (300, "main@/v2/main.cc", 9)];
    assert_eq!(steps(&before, &after), ["sql/other.cc 30 31"]);
}

#[test]
fn a_body_in_two_files_is_one_function() {
    // A parser: its rules stand in the grammar, its loop in the file made from it; also where it is inlined.
    let machine = [(100, "step@/g.yy", 30), (100, "step@/g.cc", 20), (300, "main@/main.cc", 50)];
    assert_eq!(steps(&machine, &machine), ["/g.cc 50 50"]);
    let before = [(100, "main@/main.cc", 30)];
    assert_eq!(steps(&before, &machine), ["/g.cc 0 50"]);
}

#[test]
fn a_body_that_one_build_shows_in_two_files_is_one_function_in_the_other() {
    // A function split by the compiler: the part that is inlined shows lines of a header alone.
    let apart = [(100, "main@/main.cc step@/wrapper.h", 30), (200, "step@/table.cc", 20)];
    let together = [(200, "step@/table.cc", 9), (200, "step@/wrapper.h", 7), (300, "main@/main.cc", 50)];
    assert_eq!(steps(&apart, &together), ["/table.cc 50 16"]);
    assert_eq!(steps(&together, &apart), ["/table.cc 16 50"]);
    // Where neither does, there are two.
    assert_eq!(steps(&apart, &apart), ["/table.cc 20 20", "/wrapper.h 30 30"]);
}

#[test]
fn samples_without_a_file_keep_a_name_in_one_row_and_mark_it() {
    let known = [(100, "step@/log.cc", 30), (200, "step@/buffer.cc", 20), (300, "main@/main.cc", 50)];
    let unknown = [(100, "step", 30), (200, "step", 20), (300, "main@/main.cc", 50)];
    for (before, after) in [(&known, &unknown), (&unknown, &known)] {
        let rows = steps(before, after);
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert!(rows[0].ends_with(" 50 50 !"), "{rows:?}");
    }
    // An address without a line inside a function that has lines elsewhere is that function's.
    let mut partly = known.to_vec();
    partly.push((100, "step", 7));
    assert_eq!(steps(&partly, &known), ["/buffer.cc 20 20", "/log.cc 37 30"]);
}

#[test]
fn a_name_in_one_file_is_one_row_however_often_it_is_inlined() {
    let leaves = [(100, "main@/main.cc step@/step.h", 30), (200, "other@/other.cc step@/step.h", 20)];
    assert_eq!(steps(&leaves, &leaves), ["/step.h 50 50"]);
    // Units write one header's path differently.
    let leaves = [(100, "main@/main.cc step@io/step.h", 30), (200, "other@/other.cc step@io/io/step.h", 20)];
    assert_eq!(steps(&leaves, &leaves), ["io/io/step.h 50 50"]);
}

#[test]
fn static_functions_that_stand_inlined_are_told_apart_too() {
    let leaves = [(100, "main@/main.cc step@/main.cc", 30), (200, "other@/other.cc step@/other.cc", 20)];
    assert_eq!(steps(&leaves, &leaves), ["/main.cc 30 30", "/other.cc 20 20"]);
}

#[test]
fn namesakes_stand_in_the_call_tree_in_one_order_whatever_came_first() {
    let leaves = [(100, "step@/log.cc", 30), (200, "step@/buffer.cc", 20), (300, "step@/a.cc", 10)];
    let whole = TreeSettings {
        align: Align::Exact,
        reverse: false,
        focus: None,
        thread_group: None,
        by_subsystem: false,
        min_width_pct: 0.0,
        max_depth: None,
        judge: false,
    };
    let weights = |leaves: &[Leaf]| -> Vec<u64> {
        let profile = sampled(leaves);
        let sides = Sides { before: side(&profile), after: side(&profile) };
        let settings = support::settings();
        let tree = PreparedSides::new(&sides, &settings).call_tree(&sides, &settings, &whole);
        tree.nodes.iter().map(|node| node.after.self_weight).collect()
    };
    let turned: Vec<Leaf> = leaves.iter().rev().copied().collect();
    assert_eq!(weights(&leaves), [0, 10, 20, 30]);
    assert_eq!(weights(&turned), [0, 10, 20, 30]);
}
