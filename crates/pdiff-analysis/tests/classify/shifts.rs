//! Shares that only follow what changed elsewhere, and weight that only went between a function and its helpers.

use crate::build::{Extra, Side, Words, classified, classified_with, described, said, seen, verdict};
use pdiff_analysis::classify::Reason;
use pdiff_profile::census::Visibility;

/// Ten functions that do not change, so that there is a common factor; and what grew.
fn steady(rest: &str) -> String {
    let lines: String = (0..10).map(|n| format!("main;steady_{n} 60\n")).collect();
    format!("{lines}{rest}")
}

fn build(more: &str) -> String {
    let words: String = (0..10).map(|n| format!("steady_{n}:80 steady_{n}={n} main>steady_{n} ")).collect();
    format!("main:50 {words} {more}")
}

#[test]
fn a_share_that_falls_less_than_all_others_is_not_lighter() {
    let before = steady("main;run 300\nmain;grown 10");
    let after = steady("main;run 340\nmain;grown 500");
    let words = build("run:300 main>run grown:90 main>grown");
    let outcome = classified(seen(&before, &words), seen(&after, &words));
    assert_eq!(said(&outcome, "grown"), "heavier likely R-heavier");
    assert_eq!(said(&outcome, "run"), "noise likely R-common-shift");
    assert_eq!(said(&outcome, "steady_1"), "noise likely R-common-shift");
}

#[test]
fn weight_that_went_to_an_inlined_helper_makes_nothing_lighter() {
    let before = steady("main;run 100");
    let after = steady("main;run 10\nmain;run;+helper 90");
    let outcome = classified(
        seen(&before, &build("run:300 main>run run<helper*1")),
        seen(&after, &build("run:310 main>run run<helper*1")),
    );
    assert_eq!(verdict(&outcome, "run").cause.as_str(), "noise");
}

#[test]
fn a_static_function_without_a_scope_is_the_one_of_its_file() {
    let before = steady("main;scan 60\nmain;scan;+leaf 50");
    let after = steady("main;scan 60\nmain;scan;ns::leaf 160");
    let outcome = classified(
        seen(&before, &build("scan:400 main>scan scan<leaf*2 leaf@x/a.cc")),
        seen(&after, &build("scan:200 main>scan ns::leaf:150 ns::leaf@y/a.cc scan>ns::leaf")),
    );
    assert_eq!(said(&outcome, "ns::leaf"), "inline-regression proved R-inline-lost");
    assert_eq!(said(&outcome, "leaf"), "inline-regression proved R-inline-lost");
    let elsewhere = classified(
        seen(&before, &build("scan:400 main>scan scan<leaf*2 leaf@x/a.cc")),
        seen(&after, &build("scan:200 main>scan ns::leaf:150 ns::leaf@y/b.cc scan>ns::leaf")),
    );
    assert_ne!(verdict(&elsewhere, "ns::leaf").cause.as_str(), "inline-regression");
}

#[test]
fn where_no_file_is_told_a_caller_tells_which_function_lacks_its_scope() {
    let before = steady("main;scan 60\nmain;scan;+leaf 50");
    let after = steady("main;scan 60\nmain;scan;ns::leaf 160");
    let (with, without) = ("scan:400 main>scan scan<leaf*2", "scan:200 main>scan ns::leaf:150 scan>ns::leaf");
    let outcome = classified(seen(&before, &build(with)), seen(&after, &build(without)));
    assert_eq!(said(&outcome, "ns::leaf"), "inline-regression proved R-inline-lost");
    // Called from elsewhere only: nothing says that it is the same.
    let other = "scan:200 main>scan other:90 main>other ns::leaf:150 other>ns::leaf";
    let outcome = classified(seen(&before, &build(with)), seen(&after, &build(other)));
    assert_ne!(verdict(&outcome, "ns::leaf").cause.as_str(), "inline-regression");
}

#[test]
fn lambdas_are_never_proved_new() {
    let name = "run::{lambda(int)#2}::operator()";
    let (before, after) = (steady("main;run 60"), steady(&format!("main;run 60\nmain;run;{name} 60")));
    let with = format!("{name}:90 run>{name}").replace("(int)", "");
    let after = after.replace("(int)", "");
    let outcome = classified(
        seen(&before, &build("run:300 main>run")),
        seen(&after, &build(&format!("run:300 main>run {with}"))),
    );
    assert_eq!(said(&outcome, "run::{lambda#2}::operator()"), "new-overhead likely R-new-code");
}

#[test]
fn without_debug_information_on_both_sides_nothing_is_newly_active_for_sure() {
    let (before, after) = (steady("main;run 100"), steady("main;run 40\nmain;run;part 60"));
    let words = build("run:300 main>run part:90 run>part");
    let stripped = Words { visibility: Visibility::Symbols, ..described(&words) };
    let outcome = classified_with(
        seen(&before, &words),
        Side { folded: &after, build: Some(stripped) },
        &Extra::default(),
    );
    assert_eq!(said(&outcome, "part"), "newly-active unclear R-newly-active");
}

#[test]
fn a_factor_that_few_functions_tell_badly_explains_what_it_may() {
    // Twenty functions with the same code take times that have little in common.
    let of = |run: u64, times: [u64; 10]| {
        let lines = (0..20).map(|n| format!("main;steady_{n} {}\n", times[n % 10]));
        format!("{}main;run {run}", lines.collect::<String>())
    };
    let words = |run: u32| {
        let steady: String =
            (0..20).map(|n| format!("steady_{n}:80 steady_{n}={n} main>steady_{n} ")).collect();
        format!("main:50 {steady} run:300 run={run} main>run")
    };
    let said_of = |times: [u64; 10]| {
        let (before, after) = (of(300, [60; 10]), of(230, times));
        said(&classified(seen(&before, &words(61)), seen(&after, &words(62))), "run")
    };
    assert_eq!(said_of([60; 10]), "lighter likely R-lighter");
    assert_eq!(said_of([25, 32, 39, 47, 56, 64, 75, 88, 104, 130]), "noise likely R-common-shift");
}

#[test]
fn what_a_collector_does_more_is_no_slower_machine() {
    // Twenty functions of a collector have the same code and run six times as often; the rest of the program does what it did.
    let program = |of_collector: u64| {
        let lines: String = (0..20).map(|n| format!("main;collect_{n} {of_collector}\n")).collect();
        format!("{lines}main;run 1000\nmain;parse 300\nmain;changed 60")
    };
    let words = |changed: u32| {
        let same: String =
            (0..20).map(|n| format!("collect_{n}:80 collect_{n}={n} main>collect_{n} ")).collect();
        format!(
            "main:50 {same} run:300 run=61 main>run parse:90 parse=62 main>parse changed:90 changed={changed} main>changed"
        )
    };
    let (before, after) = (program(10), program(60));
    let (old, new) = (words(63), words(64));
    let extra =
        Extra { operations: Some([&[1000.0, 1010.0, 990.0], &[1000.0, 1010.0, 990.0]]), ..Extra::default() };
    let outcome = classified_with(seen(&before, &old), seen(&after, &new), &extra);
    for function in ["run", "parse", "changed"] {
        assert_eq!(verdict(&outcome, function).cause.as_str(), "noise", "{function}");
    }
    assert_eq!(verdict(&outcome, "collect_1").cause.as_str(), "heavier");
}

#[test]
fn a_badly_known_median_is_no_slower_machine_if_the_cost_of_an_operation_may_be_it() {
    // Of twelve functions with the same code six are called more, and the code of one that calls them differs.
    let program = |more: u64, run: u64| {
        let lines: String = (0..6).map(|n| format!("main;steady_{n} 100\nmain;more_{n} {more}\n")).collect();
        format!("{lines}main;run {run}")
    };
    let words = |run: u32| {
        let same: String = (0..6)
            .map(|n| {
                format!(
                    "steady_{n}:80 steady_{n}={n} main>steady_{n} more_{n}:90 more_{n}=1{n} main>more_{n} "
                )
            })
            .collect();
        format!("main:50 {same} run:300 run={run} main>run")
    };
    let even: &[f64] = &[1000.0, 1010.0, 990.0];
    let extra = Extra { operations: Some([even, even]), ..Extra::default() };
    let outcome =
        classified_with(seen(&program(100, 300), &words(61)), seen(&program(220, 420), &words(62)), &extra);
    // An operation costs 1.56 times as much, so that what costs the same has 0.64 times its share.
    let Reason::CommonShift { factor, .. } = verdict(&outcome, "steady_1").reason else { panic!() };
    assert!((factor - 0.641).abs() < 0.001, "{factor}");
}

#[test]
fn copies_that_are_as_many_and_took_lines_of_the_code_around_cost_nothing() {
    // No function has the same code, so the builds are no patch apart.
    let build = |of: u32, copies: u32| {
        let steady: String =
            (0..10).map(|n| format!("steady_{n}:80 steady_{n}={} main>steady_{n} ", of + n)).collect();
        format!("main:50 {steady} run:300 run={of} main>run run<cell*{copies}")
    };
    let program = |own: u64, cell: u64| steady(&format!("main;run {own}\nmain;run;+cell {cell}"));
    let said_of = |copies: u32| {
        let (before, after) = (program(500, 100), program(400, 200));
        said(&classified(seen(&before, &build(20, 3)), seen(&after, &build(60, copies))), "cell")
    };
    assert_eq!(said_of(3), "noise likely R-common-shift");
    assert_ne!(said_of(4), "noise likely R-common-shift");
}

#[test]
fn the_most_of_the_time_tells_what_functions_that_changed_unlike_each_other_do_not() {
    const MORE: [u64; 10] = [1, 2, 2, 3, 3, 4, 5, 6, 7, 9];
    let names = |largest: u64| [("hash", largest), ("walk", 3600), ("mix", 2200)];
    let build = || {
        let large = names(0).map(|(name, _)| format!("main>{name} {name}:90 {name}=7 "));
        let small = (0..MORE.len()).map(|n| format!("main>s{n} s{n}:80 s{n}={n} "));
        format!("main:50 {}", large.into_iter().chain(small).collect::<String>())
    };
    let of = |largest: u64, is_after: bool| {
        let large = names(largest).map(|(name, samples)| format!("main;{name} {samples}\n"));
        let times = MORE.iter().map(|more| if is_after { *more } else { 1 });
        let small = times.enumerate().map(|(n, times)| format!("main;s{n} {}\n", 60 * times));
        large.into_iter().chain(small).collect::<String>()
    };
    let said_of = |before: u64, after: u64| {
        let (before, after) = (of(before, false), of(after, true));
        let outcome = classified(seen(&before, &build()), seen(&after, &build()));
        ["hash", "walk", "s9"].map(|name| said(&outcome, name))
    };
    // Three functions with nine tenths of the time agree that all shares fell by an eighth.
    assert_eq!(
        said_of(4000, 4000),
        ["noise likely R-common-shift", "noise likely R-common-shift", "heavier likely R-heavier"]
    );
    // Of one that costs more, and has most of the time, nothing is known.
    assert!(!said_of(40_000, 40_000)[2].contains("R-heavier"), "{:?}", said_of(40_000, 40_000));
}
