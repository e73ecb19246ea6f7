//! A verdict reports what differs in the code that runs for the function.

use pdiff_analysis::classify::{CallCounts, Classification, CodeDifference, Fact, OtherUses};
use pdiff_profile::{NumberUse, OtherNumber, PerSide};

use crate::build::{Extra, classified_with, seen, steady, verdict};
use crate::ways::Ways;

/// `run` calls `fetch` once, and `extra` is in the build.
fn build(fetch: u32, extra: &str) -> String {
    let (_, words) = steady();
    format!("main:50 {words} run:200 run=6 fetch:300 fetch={fetch} zap:90 zap=9 main>run run>fetch {extra}")
}

fn stacks(fetch: u64) -> String {
    format!("{}main;run 60\nmain;run;fetch {fetch}\nmain;zap 40", steady().0)
}

fn difference<'c>(of: &'c Classification, function: &str) -> Option<&'c CodeDifference> {
    let facts = verdict(of, function).evidence.iter().map(|evidence| &evidence.fact);
    let mut differences =
        facts.filter_map(|fact| if let Fact::CodeDiffers(of) = fact { Some(of) } else { None });
    differences.next()
}

fn uses(function: &str, before: u32, after: u32) -> OtherUses {
    OtherUses { function: function.to_owned(), places: PerSide::new(before, after) }
}

#[test]
fn numbers_are_told_if_nothing_else_differs() {
    let number = OtherNumber { used: NumberUse::Shifted, before: 4, after: 6 };
    // In the order of their names, `fetch` is the first function.
    let frames = PerSide::new(16, 272);
    let ways = Ways { numbers: vec![(0x1000, number)], frames, ..Ways::default() };
    let extra = Extra { paths: Some(&ways), ..Extra::default() };
    let of = |after: &str| {
        let outcome = classified_with(seen(&stacks(60), &build(1, "")), seen(&stacks(200), after), &extra);
        difference(&outcome, "fetch").cloned()
    };
    let found = of(&build(2, "")).unwrap();
    assert_eq!((found.numbers, found.calls, found.copies), (vec![number], vec![], vec![]));
    // The code is the same, or does more.
    assert_eq!(of(&build(1, "")), None);
    let found = of(&build(2, "fetch>zap")).unwrap();
    assert_eq!((found.numbers, found.calls), (vec![], vec![uses("zap", 0, 1)]));
    assert_eq!(found.frame_bytes, frames.map(Some));
}

#[test]
fn calls_and_copies_come_in_the_order_of_what_they_cost() {
    let before = build(1, "cold:30 cold=3 fetch>cold fetch>zap own:0 zap<own*1 std::swap:0 zap<std::swap*1");
    let after = build(
        2,
        "cold:30 cold=3 fetch>cold fetch>cold fetch>cold fetch>zap fetch>zap own:0 zap<own*1 fetch<own*2 std::swap:0 \
         zap<std::swap*1 fetch<std::swap*1",
    );
    let with_zap = |fetch: u64| stacks(fetch) + "\nmain;run;fetch;zap 90";
    let outcome = classified_with(
        seen(&with_zap(60), &before),
        seen(&with_zap(200), &after),
        &Extra { paths: Some(&Ways::default()), ..Extra::default() },
    );
    let found = difference(&outcome, "fetch").unwrap();
    assert_eq!(found.calls, [uses("zap", 1, 2), uses("cold", 1, 3)]);
    // What compilers copy of libraries is not what a programmer changed.
    assert_eq!(found.copies, [uses("own", 0, 2)]);
    assert_eq!(found.bytes, PerSide::new(300, 300));
}

#[test]
fn what_runs_only_inlined_has_the_code_that_contains_it() {
    let part = "part:0 fetch<part*1";
    let of = |part: u64| format!("{}\nmain;run;fetch;+part {part}", stacks(60));
    let outcome = classified_with(
        seen(&of(60), &build(1, part)),
        seen(&of(200), &build(2, &format!("{part} fetch>zap"))),
        &Extra { paths: Some(&Ways::default()), ..Extra::default() },
    );
    let found = difference(&outcome, "part").unwrap();
    assert_eq!((&*found.function, &*found.calls), ("fetch", &[uses("zap", 0, 1)][..]));
}

#[test]
fn a_part_that_a_compiler_split_off_is_no_other_function() {
    let of = |after: &str| {
        let outcome = classified_with(
            seen(&stacks(60), &build(1, "")),
            seen(&stacks(200), &build(2, after)),
            &Extra { paths: Some(&Ways::default()), ..Extra::default() },
        );
        difference(&outcome, "fetch").unwrap().calls.clone()
    };
    assert_eq!(of("fetch>fetch"), [uses("fetch", 0, 1)]);
    assert_eq!(of("fetch| fetch>fetch"), []);
}

#[test]
fn of_calls_that_were_counted_the_code_of_the_caller_that_makes_them_is_told() {
    let counts = CallCounts::parse("fetch\t10\t30\nrun -> fetch\t10\t30\n").unwrap();
    let old = build(1, "");
    let outcome = classified_with(
        seen(&stacks(60), &old),
        seen(&stacks(200), &old.replace("run=6", "run=7 run:180")),
        &Extra { paths: Some(&Ways::default()), counts: Some(counts), ..Extra::default() },
    );
    assert_eq!(verdict(&outcome, "fetch").rule_id, "R-more-calls");
    let found = difference(&outcome, "fetch").unwrap();
    assert_eq!((&*found.function, found.bytes), ("run", PerSide::new(200, 180)));
}
