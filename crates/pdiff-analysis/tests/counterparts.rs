//! Where the builds tell which functions were renamed, parts of the change are found as if these had kept their names.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeSet;

use pdiff_analysis::matching::match_functions;
use pdiff_analysis::side_fact::Subject;
use pdiff_analysis::{Aliases, CompareSettings, Comparison, PreparedSides, RenamedFunction, Sides};
use pdiff_profile::census::{Body, Census, CensusBuilder, FunctionFacts, Visibility};
use pdiff_profile::{ObjectAddr, PerSide, Profile};
use support::{profile, settings, side};

#[allow(dead_code, reason = "one module for many tests")]
mod support;

fn census(names: &[&str]) -> Census {
    let mut builder = CensusBuilder::new(Visibility::DebugInfo);
    for (name, at) in names.iter().zip(1_u64..) {
        let text = builder.text(name);
        let function = builder.function(FunctionFacts::named(text));
        builder.body(function, Body::at(ObjectAddr(0x1000 * at), 64));
    }
    builder.finish()
}

/// Compares stacks of builds that hold the functions sampled and those in `also`.
fn compared(before: &str, after: &str, also: [&[&str]; 2]) -> Comparison {
    let recorded: [Profile; 2] = [profile(before), profile(after)];
    let sides = Sides { before: side("a", &[&recorded[0]], &[]), after: side("b", &[&recorded[1]], &[]) };
    let builds = [before, after].into_iter().zip(also).map(|(folded, also)| {
        let stacks = folded.lines().map(|line| line.rsplit_once(' ').unwrap().0);
        let names: BTreeSet<&str> =
            stacks.flat_map(|stack| stack.split(';')).chain(also.iter().copied()).collect();
        census(&names.into_iter().collect::<Vec<_>>())
    });
    let builds: Vec<Census> = builds.collect();
    let matching = match_functions(&builds[0], &builds[1], &Aliases::default());
    let prepared = PreparedSides::new(&sides, &CompareSettings { ..settings() });
    prepared
        .with_counterparts(&sides, "app", PerSide::new(&builds[0], &builds[1]), &matching)
        .compare(&sides, &settings())
}

fn parts(comparison: &Comparison) -> Vec<(&str, f64)> {
    comparison.findings.list.iter().map(|part| (part.name.as_str(), part.delta_pp().round())).collect()
}

#[test]
fn a_renamed_function_is_one_part() {
    let before = "main;old::Set::insert 300\nmain;old::Set::insert;alpha 100\nmain;rest 600";
    let after = "main;fresh::Set::insert 500\nmain;fresh::Set::insert;beta 100\nmain;rest 400";
    let found = compared(before, after, [&[], &[]]);
    assert_eq!(parts(&found), [("fresh::Set::insert", 20.0), ("rest", -20.0)]);
    // Rows are by the names that are recorded.
    let names: Vec<&str> = found.rows.iter().map(|row| &*row.name).collect();
    assert!(names.contains(&"old::Set::insert") && names.contains(&"fresh::Set::insert"), "{names:?}");
}

#[test]
fn a_name_that_the_other_build_holds_too_is_not_renamed() {
    let before = "main;old::Set::insert 400\nmain;rest 600";
    let after = "main;fresh::Set::insert 400\nmain;rest 600";
    let names = |found: &Comparison| {
        found.findings.list.iter().map(|part| part.name.clone()).collect::<BTreeSet<String>>()
    };
    assert!(names(&compared(before, after, [&[], &[]])).is_empty());
    // Both builds hold both, so that each run took another: nothing tells that one is the other.
    let before = "main;old::Set::insert 300\nmain;old::Set::insert;alpha 100\nmain;rest 600";
    let after = "main;fresh::Set::insert 500\nmain;fresh::Set::insert;beta 100\nmain;rest 400";
    let found = compared(before, after, [&["fresh::Set::insert"], &["old::Set::insert"]]);
    assert!(!names(&found).contains("fresh::Set::insert"), "{:?}", names(&found));
}

#[test]
fn only_what_both_builds_hold_tells_of_another_workload() {
    let before = "main;serve;scan;find 700\nmain;poll 300";
    let after = "main;serve;append;put 700\nmain;poll 300";
    let said = |also: [&[&str]; 2]| {
        let comparison = compared(before, after, also);
        comparison.comparability.iter().any(|fact| matches!(fact.subject, Subject::Workload(_)))
    };
    assert!(said([&["append", "put"], &["scan", "find"]]));
    assert!(!said([&[], &[]]));
}

#[test]
fn a_function_renamed_by_its_verdict_is_one_part() {
    let before = "main;fold_case 300\nmain;fold_case;alpha 100\nmain;rest 600";
    let after = "main;canonical 500\nmain;canonical;beta 100\nmain;rest 400";
    let recorded = [profile(before), profile(after)];
    let sides = Sides { before: side("a", &[&recorded[0]], &[]), after: side("b", &[&recorded[1]], &[]) };
    let prepared = PreparedSides::new(&sides, &settings());
    let mut comparison = prepared.compare(&sides, &settings());
    assert_ne!(parts(&comparison), [("canonical", 20.0), ("rest", -20.0)]);
    let names = PerSide::new("fold_case".to_owned(), "canonical".to_owned());
    let renamed = [RenamedFunction { object: "app".to_owned(), names }];
    prepared.with_renamed(&renamed).find_again(&sides, &settings(), &mut comparison);
    assert_eq!(parts(&comparison), [("canonical", 20.0), ("rest", -20.0)]);
}
