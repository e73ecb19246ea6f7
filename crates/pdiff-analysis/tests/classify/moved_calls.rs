//! New code whose cost was there before: of a library, of its caller, or of what its callers called themselves.

use pdiff_analysis::classify::{Classification, Limit};

use crate::build::{classified, said, seen, verdict, with_rest};

/// The verdicts on two sides, each of stacks and words.
fn between(before: (&str, &str), after: (&str, &str)) -> Classification {
    let of =
        |(folded, words): (&str, &str)| (with_rest(folded), format!("main:50 work:50 main>work {words}"));
    let (before, after) = (of(before), of(after));
    classified(seen(&before.0, &before.1), seen(&after.0, &after.1))
}

#[test]
fn new_code_may_do_what_a_library_did_that_its_caller_no_longer_calls() {
    let of = |old: u32, new: u32, words: &str| {
        let library = |weight: u32| format!("main;/lib/libc.so.6!print_internal {weight}");
        let before = format!("main;format 60\n{}", library(old));
        let after = format!("main;format 60\nmain;format;do_print 60\n{}", library(new));
        let calls = "format:90 print@plt:16 main>format format>print@plt";
        let words = format!("format:95 do_print:900 main>format format>do_print {words}");
        between((&before, calls), (&after, &words))
    };
    let outcome = of(50, 1, "");
    assert_eq!(said(&outcome, "do_print"), "new-overhead likely R-new-code");
    let limit = verdict(&outcome, "do_print").limited_by.clone();
    assert!(matches!(&limit, Some(Limit::CalledInstead { other, .. }) if other == "print@plt"), "{limit:?}");
    // It is still called, or cost as much, or next to nothing.
    assert_eq!(
        said(&of(50, 1, "print@plt:16 format>print@plt"), "do_print"),
        "new-overhead proved R-new-code"
    );
    assert_eq!(said(&of(50, 50, ""), "do_print"), "new-overhead proved R-new-code");
    assert_eq!(said(&of(5, 1, ""), "do_print"), "new-overhead proved R-new-code");
}

/// `reader` now asks for rows through `cursor`, which does hardly anything but call what others call as before.
#[test]
fn a_new_caller_of_what_was_there_before_is_hardly_new() {
    let of = |before: u32, after: u32| {
        let before = format!("main;reader 40\nmain;scan 30\nmain;scan;fetch {before}");
        let after = format!(
            "main;reader 40\nmain;reader;cursor 2\nmain;reader;cursor;fetch 60\nmain;scan 30\nmain;scan;fetch {after}"
        );
        let words = "reader:200 scan:200 fetch:300 main>reader main>scan scan>fetch";
        let outcome =
            between((&before, words), (&after, &format!("cursor:90 reader>cursor cursor>fetch {words}")));
        (said(&outcome, "cursor"), verdict(&outcome, "cursor").limited_by.clone())
    };
    let in_callees = Some(Limit::InCallees);
    assert_eq!(of(200, 140), ("new-overhead unclear R-new-code".to_owned(), in_callees.clone()));
    assert_eq!(of(200, 165), ("new-overhead likely R-new-code".to_owned(), in_callees));
    // What it calls costs as much more.
    assert_eq!(of(140, 140).0, "new-overhead proved R-new-code");
}

#[test]
fn what_its_caller_called_itself_is_no_new_cost() {
    let of = |still: u32| {
        // A recursion that grew by something else, so that its totals do not show what moved.
        let before = "main;parse 10\nmain;parse;prefix 20\nmain;parse;prefix;parse 60";
        let words = "parse:200 main>parse parse>prefix prefix>parse";
        let after = format!(
            "main;parse 10\nmain;parse;prefix 20\nmain;parse;prefix;reserved;negation 2\nmain;parse;prefix;reserved;negation;parse 60\n\
             main;parse;prefix;parse {still}\nmain;parse;prefix;check 200"
        );
        let new = format!(
            "prefix:310 negation:60 check:90 reserved:90 prefix>reserved reserved>negation negation>parse prefix>check {words}"
        );
        between((before, &format!("prefix:300 {words}")), (&after, &new))
    };
    let outcome = of(1);
    assert_eq!(said(&outcome, "negation"), "new-overhead likely R-new-code");
    assert_eq!(verdict(&outcome, "negation").limited_by, Some(Limit::LosingKin));
    // The caller calls it as much as before, and through the new function besides.
    assert_eq!(said(&of(60), "negation"), "new-overhead proved R-new-code");
}

#[test]
fn a_function_that_has_its_callers_body_is_not_new_because_that_is_called_more() {
    let of = |left: u32| {
        let after = format!("type:{left} type_body:3000 main>type type>type_body");
        let outcome =
            between(("main;type 5", "type:2600 main>type"), ("main;type 8\nmain;type;type_body 90", &after));
        said(&outcome, "type_body")
    };
    assert_eq!(of(900), "new-overhead likely R-new-code");
    assert_eq!(of(2000), "new-overhead proved R-new-code");
}

#[test]
fn new_code_that_only_leads_to_generic_code_of_a_library_may_have_been_in_its_callers() {
    let of = |own: u32| {
        let before = ("main;show 20\nmain;show;core::fmt::write 60", "");
        let words = "show:300 core::fmt::write:400 main>show show>core::fmt::write";
        let after = format!(
            "main;show 20\nmain;show;core::fmt::write 60\nmain;show;core::fmt::write;show_insert {own}\n\
             main;show;core::fmt::write;show_insert;core::fmt::write 90"
        );
        let new = format!("{words} show_insert:90 show_insert>core::fmt::write core::fmt::write>show_insert");
        said(&between((before.0, words), (&after, &new)), "show_insert")
    };
    assert_eq!(of(2), "new-overhead likely R-new-code");
    assert_eq!(of(60), "new-overhead proved R-new-code");
}

#[test]
fn what_is_inlined_and_only_leads_to_old_code_is_in_between_though_that_costs_more() {
    let of = |own: u32, compile: &str| {
        let before = (
            "main;reverse 20\nmain;reverse;compile 20\nmain;check 9",
            "reverse:200 compile:300 main>reverse",
        );
        let after =
            format!("main;reverse 20\nmain;reverse;+once {own}\nmain;reverse;+once;+invoke;{compile} 200");
        let words = format!(
            "{} reverse<once*1 reverse<invoke*1 once<invoke*1 {compile}:400 reverse>{compile}",
            before.1
        );
        let outcome = between((before.0, &format!("{} reverse>compile", before.1)), (&after, &words));
        (said(&outcome, "once"), said(&outcome, "invoke"))
    };
    let between = "moved likely R-in-between";
    assert_eq!(of(1, "compile"), (between.to_owned(), between.to_owned()));
    // Its callers did not call that before.
    assert_eq!(of(1, "check").0, "new-overhead likely R-new-code");
    assert_eq!(of(60, "compile").0, "new-overhead likely R-new-code");
    assert_eq!(of(1, "compile_anew").0, "new-overhead likely R-new-code");
}

#[test]
fn where_the_shares_of_all_functions_grew_a_greater_share_of_a_callee_is_no_call() {
    let of = |join: u32| {
        let steady: String = (0..20).map(|n| format!("main;steady_{n} 60\n")).collect();
        let words: String = (0..20).map(|n| format!("steady_{n}:80 main>steady_{n} ")).collect();
        let words = format!("{words} main>run run>join join:90");
        let before = format!("{steady}main;old 1800\nmain;run 100\nmain;run;join 10");
        let after = format!("{steady}main;run 130\nmain;run;join {join}");
        let outcome = between(
            (&before, &format!("{words} run:200 run=1 old:90 main>old")),
            (&after, &format!("{words} run:230 run=2")),
        );
        (said(&outcome, "run"), said(&outcome, "join"))
    };
    let (run, join) = of(35);
    assert!(!run.contains("missing") && !join.contains("missing"), "{run}, {join}");
    let (run, join) = of(90);
    assert!(run.contains("missing") || join.contains("missing"), "{run}, {join}");
}
