//! Several functions whose inlining changed in the same callers: what of the cost is whose.

use pdiff_analysis::classify::{Classification, Limit, Reason};

use crate::build::{Extra, classified, classified_with, said, seen, verdict, with_rest};

#[test]
fn what_one_function_that_left_a_caller_costs_is_not_the_cost_of_another_one() {
    let build = "main:50 work:50 main>work main>scan ";
    let flipped = |results: u64, info: u64| {
        let before = with_rest("main;scan 60\nmain;scan;+results 50\nmain;scan;+info 30");
        let after = with_rest(&format!("main;scan 60\nmain;scan;results {results}\nmain;scan;info {info}"));
        let outcome = classified(
            seen(&before, &format!("{build} scan:500 scan<results*1 scan<info*1")),
            seen(&after, &format!("{build} scan:200 results:150 info:150 scan>results scan>info")),
        );
        ["results", "info"].map(|name| said(&outcome, name))
    };
    let (regression, change) =
        ("inline-regression proved R-inline-lost", "inline-change proved R-inline-change");
    assert_eq!(flipped(50, 200), [change, regression]);
    assert_eq!(flipped(200, 30), [regression, change]);
    assert_eq!(flipped(200, 200), [regression, regression]);
}

/// `scan` with copies of three functions before, with these samples, and calls of them after.
fn left_together(before: [u64; 4], after: [u64; 4]) -> Classification {
    let build = "main:50 work:50 main>work main>scan ";
    let of = |[scan, results, info, flag]: [u64; 4], copied: &str| {
        with_rest(&format!(
            "main;scan {scan}\nmain;scan;{copied}results {results}\nmain;scan;{copied}info {info}\n\
             main;scan;{copied}flag {flag}"
        ))
    };
    classified(
        seen(&of(before, "+"), &format!("{build} scan:500 scan<results*1 scan<info*1 scan<flag*1")),
        seen(
            &of(after, ""),
            &format!("{build} scan:200 results:150 info:150 flag:90 scan>results scan>info scan>flag"),
        ),
    )
}

/// What a flipped function costs with its callers: the net, and half its interval.
fn cost_of(outcome: &Classification, name: &str) -> (f64, f64) {
    match &verdict(outcome, name).reason {
        Reason::Flipped { family: Some(cost), .. } => (cost.net_pp, cost.half_width_pp),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn what_callers_cost_more_is_divided_among_the_functions_that_left_them() {
    let outcome = left_together([300, 60, 30, 10], [440, 60, 30, 10]);
    let costs = ["results", "info", "flag"].map(|name| cost_of(&outcome, name));
    let whole = 100.0 * (540.0 / 1140.0 - 400.0 / 1000.0);
    for ((net_pp, half_width_pp), part) in costs.into_iter().zip([0.6, 0.3, 0.1]) {
        assert!((net_pp - part * whole).abs() < 1e-9, "{net_pp} {whole}");
        // A part of it is as certain as the whole.
        assert!((half_width_pp / net_pp - costs[0].1 / costs[0].0).abs() < 1e-9, "{half_width_pp}");
    }
    // Calls of one may cost more than calls of another.
    for name in ["results", "info"] {
        assert_eq!(said(&outcome, name), "inline-regression likely R-inline-lost", "{name}");
        assert_eq!(verdict(&outcome, name).limited_by, Some(Limit::SharedCallers), "{name}");
    }
    // Nearly all that moved is one function; or its own lines cost most of it.
    let outcome = left_together([300, 190, 8, 2], [440, 190, 8, 2]);
    assert_eq!(said(&outcome, "results"), "inline-regression proved R-inline-lost");
    let outcome = left_together([300, 50, 40, 10], [450, 50, 240, 10]);
    assert_eq!(said(&outcome, "info"), "inline-regression proved R-inline-lost");
}

#[test]
fn a_part_of_a_cost_within_noise_is_no_regression() {
    // The functions and their callers cost more by less than their noise, though the lines of one cost more.
    let outcome = left_together([1500, 300, 2, 10], [1620, 300, 30, 10]);
    let (net_pp, half_width_pp) = cost_of(&outcome, "info");
    assert!(net_pp > 0.9 && half_width_pp > net_pp, "{net_pp} {half_width_pp}");
    assert_eq!(said(&outcome, "info"), "inline-change proved R-inline-change");
}

#[test]
fn what_callers_cost_more_is_not_divided_with_functions_that_entered_them() {
    let build = "main:50 work:50 main>work main>scan ";
    let before = with_rest("main;scan 300\nmain;scan;+results 100\nmain;scan;info 100");
    let after = with_rest("main;scan 440\nmain;scan;results 100\nmain;scan;+info 100");
    let outcome = classified(
        seen(&before, &format!("{build} scan:500 info:150 scan<results*1 scan>info")),
        seen(&after, &format!("{build} scan:400 results:150 scan>results scan<info*1")),
    );
    assert_eq!(said(&outcome, "results"), "inline-regression proved R-inline-lost");
    assert_eq!(said(&outcome, "info"), "inline-change proved R-inline-change");
}

#[test]
fn what_a_caller_costs_more_is_no_proved_cost_of_a_function_that_never_was_in_it() {
    let build = "main:50 work:50 main>work main>scan main>load ";
    let of = |[scan, load]: [u64; 2], copied: &str, words: &str| {
        let stacks = format!(
            "main;scan {scan}\nmain;scan;{copied}results 1200\nmain;scan;{copied}flag 30\nmain;load {load}\n\
             main;load;{copied}flag 30\nmain;load;{copied}info 60"
        );
        (with_rest(&stacks), format!("{build} {words}"))
    };
    let inlined = "scan:500 load:300 scan<results*1 scan<flag*1 load<flag*1 load<info*1";
    let called = "scan:200 load:100 results:150 info:90 flag:80 scan>results scan>flag load>flag load>info";
    let said_of = |after: [u64; 2]| {
        let (before, after) = (of([300, 300], "+", inlined), of(after, "", called));
        let operations = Some([&[100.0; 3][..]; 2]);
        let extra = Extra { operations, ..Extra::default() };
        said(&classified_with(seen(&before.0, &before.1), seen(&after.0, &after.1), &extra), "results")
    };
    assert_eq!(said_of([300, 400]), "inline-regression likely R-inline-lost");
    assert_eq!(said_of([300, 300]), "inline-change proved R-inline-change");
}

#[test]
fn what_callers_cost_less_is_divided_among_the_functions_that_left_them_too() {
    let outcome = left_together([440, 60, 30, 10], [300, 60, 30, 10]);
    let costs = ["results", "info", "flag"].map(|name| cost_of(&outcome, name).0);
    let whole = 100.0 * (400.0 / 1000.0 - 540.0 / 1140.0);
    for (net_pp, part) in costs.into_iter().zip([0.6, 0.3, 0.1]) {
        assert!((net_pp - part * whole).abs() < 1e-9, "{net_pp} {whole}");
    }
}

#[test]
fn own_lines_that_cost_more_are_no_cost_of_functions_whose_callers_cost_less() {
    let build = "main:50 work:50 main>work main>scan ";
    let before = with_rest("main;scan 300\nmain;scan;+results 50\nmain;scan;+info 50");
    let after = with_rest("main;scan 180\nmain;scan;results 150\nmain;scan;info 450");
    let outcome = classified(
        seen(&before, &format!("{build} scan:500 scan<results*1 scan<info*1")),
        seen(&after, &format!("{build} scan:200 results:150 info:150 scan>results scan>info")),
    );
    assert_eq!(said(&outcome, "results"), "inline-change proved R-inline-change");
    assert_eq!(said(&outcome, "info"), "inline-regression proved R-inline-lost");
}

#[test]
fn what_copies_elsewhere_cost_is_not_taken_off_the_cost_of_another_function() {
    let build = "main:50 work:50 main>work main>scan main>other ";
    let before = with_rest(
        "main;scan 60\nmain;scan;+results 50\nmain;scan;+info 30\nmain;other 100\nmain;other;+info 30",
    );
    let after = with_rest(
        "main;scan 60\nmain;scan;results 150\nmain;scan;info 32\nmain;other 100\nmain;other;+info 230",
    );
    let shared = "other:300 other<info*1";
    let outcome = classified(
        seen(&before, &format!("{build} {shared} scan:500 scan<results*1 scan<info*1")),
        seen(&after, &format!("{build} {shared} scan:200 results:150 info:150 scan>results scan>info")),
    );
    assert_eq!(said(&outcome, "results"), "inline-regression proved R-inline-lost");
}

#[test]
fn what_was_inlined_in_a_function_that_is_now_inlined_itself_is_of_its_family() {
    let build = "main:50 work:50 main>work main>get main>other other:90 hash:46 other>hash";
    let before = with_rest("main;get 50\nmain;get;intern 200\nmain;get;intern;+hash 130");
    let after = with_rest("main;get 50\nmain;get;+intern 200\nmain;get;+intern;hash 130");
    let outcome = classified(
        seen(&before, &format!("{build} get:100 get>intern intern:400 intern<hash*1")),
        seen(&after, &format!("{build} get:460 get<intern*1 get>hash")),
    );
    for name in ["intern", "hash"] {
        assert_eq!(said(&outcome, name), "inline-change proved R-inline-change", "{name}");
        assert!(cost_of(&outcome, name).0.abs() < 1e-9, "{name}");
    }
}

#[test]
fn what_a_function_costs_in_callers_that_it_alone_left_is_no_estimate() {
    let said_with = |in_scan: u64, both: u64| {
        let build = "main:50 work:50 main>work main>find main>scan ";
        let of = |copied: &str, find: u64, flag: u64| {
            with_rest(&format!(
                "main;find {find}\nmain;find;{copied}info {flag}\nmain;scan 300\nmain;scan;{copied}info {in_scan}\n\
                 main;scan;{copied}both {both}"
            ))
        };
        let outcome = classified(
            seen(
                &of("+", 300, 90),
                &format!("{build} find:300 scan:500 find<info*1 scan<info*1 scan<both*1"),
            ),
            seen(
                &of("", 460, 120),
                &format!("{build} find:260 scan:400 info:150 both:150 find>info scan>info scan>both"),
            ),
        );
        (said(&outcome, "info"), verdict(&outcome, "info").limited_by.clone())
    };
    assert_eq!(said_with(2, 80), ("inline-regression proved R-inline-lost".to_owned(), None));
    // Of more below the other caller it is not known what that cost.
    let shared = ("inline-regression likely R-inline-lost".to_owned(), Some(Limit::SharedCallers));
    assert_eq!(said_with(40, 80), shared);
}
