//! What trips a gate, and which gates do not parse.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod support;

use pdiff_analysis::{Comparison, CostChange, CostExtent, Gate, RenamedFunction};
use pdiff_profile::{PerSide, RunMeasures};
use support::{compared, measured, profile, settings};

/// main 50 -> 40 %, f 30 -> 60 % (called significant here), g 20 -> 0 %.
fn comparison() -> Comparison {
    let before = profile("app!main 5\napp!main;app!f 3\napp!main;lib.so!g 2");
    let after = profile("app!main 4\napp!main;app!f 6");
    let mut comparison = compared(&[&before], &[&after], &settings());
    for row in &mut comparison.rows {
        row.significant = &*row.name == "f";
    }
    comparison
}

fn tripped(gate: &str, comparison: &Comparison) -> String {
    let outcome = gate.parse::<Gate>().unwrap().evaluate(comparison);
    let trips = outcome.tripped.iter().map(|trip| format!("{} {:.1}", trip.name, trip.value));
    trips.collect::<Vec<_>>().join(", ")
}

#[test]
fn significant_rows_trip_a_gate_and_others_only_with_all() {
    let comparison = comparison();
    let check = |gate: &str, expected: &str| assert_eq!(tripped(gate, &comparison), expected, "{gate}");
    check("delta_self_pp > 1", "f 30.0");
    check("delta_self_pp>=30.1", "");
    check("any:delta_self_pp < 0", "");
    check("all:delta_self_pp < 0", "g -20.0, main -10.0");
    check("all:function=^g$:after_self_pct == 0", "g 0.0");
    check("all:object=lib:delta_self_pp <= -2e1", "g -20.0");
    check("all:function=f|std::x<a>=:after_self_pct != 0", "f 60.0");
    check("all:subsystem=no such:delta_self_pp < 100", "");
}

#[test]
fn a_function_with_another_name_trips_gates_on_differences_by_the_net() {
    let renamed = |before: &str, after: &str| {
        let (of_before, of_after) = (profile(before), profile(after));
        let mut comparison = compared(&[&of_before], &[&of_after], &settings());
        comparison.rows.iter_mut().for_each(|row| row.significant = true);
        let names = PerSide::new("normalize".to_owned(), "canonicalize".to_owned());
        comparison.renamed = vec![RenamedFunction { object: "app".to_owned(), names }];
        comparison
    };
    let same = renamed("app!main 500\napp!normalize 500", "app!main 500\napp!canonicalize 500");
    assert_eq!(tripped("delta_self_pp > 1", &same), "");
    assert_eq!(tripped("delta_self_pp < -1", &same), "");
    assert_eq!(tripped("all:delta_self_pp >= 0", &same), "main 0.0, canonicalize 0.0");
    // What it is now is no difference.
    assert_eq!(tripped("function=canon:after_self_pct > 10", &same), "canonicalize 50.0");
    // A name that two rows have does not tell which of them it is.
    let mut twice = same.clone();
    let row = twice.rows.iter().find(|row| &*row.name == "canonicalize").unwrap().clone();
    twice.rows.push(row);
    assert_eq!(tripped("delta_self_pp > 1", &twice), "canonicalize 50.0, canonicalize 50.0");
    let dearer = renamed("app!main 8000\napp!normalize 2000", "app!main 3000\napp!canonicalize 7000");
    assert_eq!(tripped("delta_self_pp > 1", &dearer), "canonicalize 50.0");
    assert_eq!(tripped("function=normal:delta_self_pp > 1", &dearer), "canonicalize 50.0");
}

#[test]
fn a_row_whose_cost_changed_on_its_own_trips_gates_on_cost_alone() {
    let mut comparison = comparison();
    let change = |extent| CostChange {
        pct: Some(24.0),
        ci_low_pct: None,
        ci_high_pct: None,
        q_value: 0.001,
        own: None,
        extent,
    };
    for row in &mut comparison.rows {
        row.significant = false;
        let extent = if &*row.name == "f" { CostExtent::Own } else { CostExtent::Shared };
        row.cost_change = Some(change(extent).into());
    }
    assert_eq!(tripped("function=.:cost_change_pct > 20", &comparison), "f 24.0");
    assert_eq!(tripped("delta_self_pp > 1", &comparison), "");
}

#[test]
fn the_whole_is_a_sum_over_rows() {
    let mut comparison = comparison();
    let check = |gate: &str, comparison: &Comparison, expected: &str| {
        assert_eq!(tripped(gate, comparison), expected, "{gate}");
    };
    check("total:delta_self_pp > 1", &comparison, "TOTAL 30.0");
    check("all:total:delta_self_pp > 1", &comparison, "");
    check("all:total:after_self_pct >= 99.9", &comparison, "TOTAL 100.0");
    comparison.rows.iter_mut().for_each(|row| row.significant = false);
    check("total:delta_self_pp == 0", &comparison, "TOTAL 0.0");
}

#[test]
fn cost_is_gated_where_operations_are_known() {
    let recording = profile("main 10");
    let operations = |operations| [RunMeasures { operations: Some(operations), ..RunMeasures::default() }];
    let of_both = |before, after| {
        measured(&[&recording], &[&recording], &operations(before), &operations(after), &settings())
    };
    let comparison = of_both(10.0, 5.0);
    assert_eq!(tripped("all:total:cost_change_pct > 99", &comparison), "TOTAL 100.0");
    let single_run: Gate = "total:cost_change_pct > 99".parse().unwrap();
    assert_eq!(single_run.evaluate(&comparison).with_value, 0, "one run has no interval");
    assert_eq!(tripped("total:gap_pct < -10", &comparison), "TOTAL -50.0");
    assert_eq!(tripped("total:gap_pct < -1", &of_both(100.0, 95.0)), "", "within the run-to-run variation");
    assert_eq!(tripped("all:total:gap_pct < -1", &of_both(100.0, 95.0)), "TOTAL -5.0");
    let undecided = |gate: &str| {
        let gate: Gate = gate.parse().unwrap();
        gate.evaluate(&of_both(100.0, 95.0)).undecided.len()
    };
    assert_eq!(undecided("total:gap_pct < -1"), 1, "noise hides a gap of 1 %");
    assert_eq!(undecided("total:gap_pct < -90"), 0, "a gap of 90 % would be seen");
    assert_eq!(undecided("total:gap_pct > 90"), 0);
    assert_eq!(undecided("all:total:gap_pct < -1"), 0, "what is not significant counts, too");
}

#[test]
fn an_outcome_tells_an_unmet_gate_from_one_that_could_not_be_tested() {
    let comparison = comparison();
    let outcome = |gate: &str| gate.parse::<Gate>().unwrap().evaluate(&comparison);
    let of_nothing = outcome("function=nobody:delta_self_pp > 1");
    assert_eq!((of_nothing.in_scope, of_nothing.with_value), (0, 0));
    let unknown = outcome("gap_share_pct > 1");
    assert_eq!((unknown.in_scope, unknown.with_value), (3, 0));
}

#[test]
fn what_does_not_parse_says_what_would() {
    let check = |gate: &str, expected: &str| {
        let error = gate.parse::<Gate>().unwrap_err().to_string();
        assert!(error.contains(expected), "{gate}: {error}");
    };
    check("delta_self_pp", "hint: write [all:][SCOPE:]FIELD OP NUMBER");
    check("delta_self_pp = 3", "hint: write [all:][SCOPE:]FIELD OP NUMBER");
    check("delta_self_pp > much", "'much' in gate 'delta_self_pp > much' is not a number");
    check("delta_self_pp > inf", "is not a number");
    check("delta > 3", "unknown field 'delta'; hint: fields are delta_self_pp, delta_booked_pp");
    check("gap_pct < 3", "total:gap_pct");
    check("total:q_value > 3", "unknown field 'q_value'; hint: fields are gap_pct, cost_change_pct");
    check("module=x:q_value > 3", "unknown scope 'module=x'; hint: scopes are any, function=RE");
    check("function=(:q_value > 3", "is not a regular expression");
    check("delta_self_pp >> 3", "'delta_self_pp >> 3' has no comparison; hint: write [all:]");
    check("", "has no comparison");
    check("é≥3", "has no comparison");
}

#[test]
fn a_gate_is_raised_to_what_recordings_of_one_build_differ_by() {
    let one_build = [comparison()];
    let check = |gate: &str, expected: Option<&str>| {
        let raised = gate.parse::<Gate>().unwrap().beyond_noise_of(&one_build);
        assert_eq!(raised.map(|gate| gate.to_string()).as_deref(), expected, "{gate}");
    };
    // What is not significant counts: f grew by 30 points, g shrank by 20.
    check("delta_self_pp > 1", Some("delta_self_pp > 30.01"));
    check("delta_self_pp >= 30", Some("delta_self_pp >= 30.01"));
    check("delta_self_pp > 40", Some("delta_self_pp > 40"));
    check("function=^g$:delta_self_pp > 1", Some("function=^g$:delta_self_pp > 1"));
    check("delta_self_pp < -1", Some("delta_self_pp < -20.01"));
    check("total:delta_self_pp > 1", Some("total:delta_self_pp > 1"));
    // A share is no change, and both directions at once have no number to be raised.
    check("function=^f$:after_self_pct > 1", None);
    check("delta_self_pp > -1", None);
    check("delta_self_pp != 0", None);
    check("cost_change_pct > 1", None);
    check("function=nothing:delta_self_pp > 1", None);
}
