//! Counts of calls: what they prove, refute and name.

use pdiff_analysis::classify::{CallCounts, Fact, Limit, Reason, SelfChange};

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict, with_rest};
use crate::fewer_ways::{LIKELY, PROVED, ways};
use crate::ways::Ways;

#[test]
fn the_caller_that_makes_most_of_the_calls_that_are_more_is_named() {
    let of = |find: u64| {
        with_rest(&format!("main;run 50\nmain;scan 20\nmain;run;+text;find {find}\nmain;scan;find 9"))
    };
    let build = "main:50 work:50 run:200 run=7 scan:90 main>run main>scan text:0 run<text*1 scan<text*1 run>find scan>find find:80 find=9";
    let said_with = |counts: &str| {
        let extra = Extra { counts: Some(CallCounts::parse(counts).unwrap()), ..Extra::default() };
        let outcome = classified_with(seen(&of(50), build), seen(&of(120), build), &extra);
        assert_eq!(said(&outcome, "find"), "more-calls proved R-more-calls");
        let Reason::MoreCalls { caller, .. } = &verdict(&outcome, "find").reason else { panic!("{counts}") };
        assert_eq!(verdict(&outcome, "find").callers, Vec::from_iter(caller.clone()));
        caller.clone()
    };
    // The stacks show it called in a copy of a helper: the code that contains that makes the calls.
    assert_eq!(said_with("find\t10\t24\nrun -> find\t8\t22\nscan -> find\t2\t2\n"), Some("run".to_owned()));
    assert_eq!(said_with("find\t10\t24\nrun -> find\t8\t12\nscan -> find\t2\t2\n"), None);
}

#[test]
fn counts_that_do_not_tell_calls_by_caller_are_not_asked_for_again() {
    let before = with_rest("main;look_up 60\nmain;other;slow 30");
    let after = with_rest("main;look_up 62\nmain;look_up;slow 80\nmain;other;slow 30");
    let build = "main:50 work:50 other:60 look_up:200 slow:300 look_up>slow other>slow";
    let limit = |counts: Option<&str>| {
        let counts = counts.map(|counts| CallCounts::parse(counts).unwrap());
        let extra = Extra { counts, ..Extra::default() };
        let outcome = classified_with(seen(&before, build), seen(&after, build), &extra);
        verdict(&outcome, "look_up").limited_by.clone()
    };
    assert_eq!(limit(None), Some(Limit::PathNotCounted));
    assert_eq!(limit(Some("look_up\t1\t1\n")), Some(Limit::PathNotInCounts));
}

#[test]
fn calls_made_in_copies_are_counted_as_those_of_the_code_around_them() {
    let before = with_rest("main;run 30\nmain;scan 30\nmain;run;+look 60\nmain;other;slow 30");
    let after = format!("{before}\nmain;run;+look;slow 80");
    let build = |hash: u32| {
        format!(
            "main:50 work:50 other:60 look! run:200 run={hash} scan:90 slow:300 slow=3 run<look*1 scan<look*1 \
             run>slow scan>slow other>slow main>run main>scan main>other"
        )
    };
    let said_with = |counts: &str| {
        let said_of = |body: &str| {
            let build = |hash: u32| format!("{} {body}", build(hash));
            let counts = Some(CallCounts::parse(counts).unwrap());
            let extra = Extra { counts, ..Extra::default() };
            said(&classified_with(seen(&before, &build(7)), seen(&after, &build(8)), &extra), "look")
        };
        // With a body that is hardly called, too.
        let said = said_of("");
        assert_eq!(said, said_of("look:90 run>look look>slow"), "{counts}");
        said
    };
    assert_eq!(
        said_with("run\t2\t2\nrun -> slow\t0\t2\nslow\t1\t3\n"),
        "missing-fast-path proved R-fast-path"
    );
    // The code around the copies may have called it elsewhere, so that counts do not refute it.
    assert_eq!(
        said_with("run\t2\t2\nrun -> slow\t2\t4\nslow\t3\t5\n"),
        "missing-fast-path likely R-fast-path"
    );
}

#[test]
fn counts_tell_more_calls_from_heavier() {
    let (before, after) = (with_rest("main;run 50"), with_rest("main;run 100"));
    let build = "main:50 work:50 run:200 run=7 main>run";
    let extra = Extra { counts: Some(CallCounts::parse("run\t1\t2\n").unwrap()), ..Extra::default() };
    let counted = classified_with(seen(&before, build), seen(&after, build), &extra);
    assert_eq!(said(&counted, "run"), "more-calls proved R-more-calls");
    let guessed = classified(seen(&before, build), seen(&after, build));
    assert_eq!(said(&guessed, "run"), "heavier likely R-heavier");
    let reason = &verdict(&guessed, "run").reason;
    assert!(matches!(reason, Reason::SelfChanged { code: SelfChange::SameCode, .. }), "{reason:?}");
}

#[test]
fn counts_are_told_once_of_every_function_that_was_counted() {
    let (before, after) = (with_rest("main;run 100"), with_rest("main;run 100\nmain;run;audit 50"));
    let build = "main:50 work:50 run:200 audit:300 run>audit";
    let counts = CallCounts::parse("audit\t0\t1\nrun\t2\t4\n").unwrap();
    let extra = Extra { counts: Some(counts), ..Extra::default() };
    let outcome = classified_with(seen(&before, build), seen(&after, build), &extra);
    let told = |name: &str| {
        let facts = verdict(&outcome, name).evidence.iter();
        facts.filter(|evidence| matches!(evidence.fact, Fact::Calls { .. })).count()
    };
    assert_eq!(["run", "audit", "work"].map(told), [1, 1, 0]);
}

#[test]
fn counts_prove_that_only_one_run_entered_a_function() {
    let (before, after) = (with_rest("main;run 100"), with_rest("main;run 100\nmain;run;audit 50"));
    let build = "main:50 work:50 run:200 audit:300 run>audit";
    let check = |counts: &str, expected: &str| {
        let extra = Extra { counts: Some(CallCounts::parse(counts).unwrap()), ..Extra::default() };
        let outcome = classified_with(seen(&before, build), seen(&after, build), &extra);
        assert_eq!(said(&outcome, "audit"), expected, "{counts}");
    };
    check("audit\t0\t1\n", "newly-active proved R-newly-active");
    check("audit\t0.5\t1\n", "newly-active likely R-newly-active");
}

#[test]
fn a_function_that_counts_say_is_called_as_often_costs_more_per_call_for_sure() {
    let (before, after) = (with_rest("main;run 50"), with_rest("main;run 100"));
    let build = |hash: u32| format!("main:50 work:50 run:200 run={hash} main>run");
    let said_with = |counts: &str| {
        let extra = Extra { counts: Some(CallCounts::parse(counts).unwrap()), ..Extra::default() };
        said(&classified_with(seen(&before, &build(7)), seen(&after, &build(8)), &extra), "run")
    };
    assert_eq!(said_with("run\t100\t104\n"), "heavier proved R-heavier");
    // A third more calls may be a part of it.
    assert_eq!(said_with("run\t100\t130\n"), "heavier likely R-heavier");
    assert_eq!(said_with("work\t100\t100\n"), "heavier likely R-heavier");
    // The same code, called by code that differs, may be slower for other reasons than what it does.
    let counts = CallCounts::parse("run\t100\t104\n").unwrap();
    let extra = Extra { counts: Some(counts), ..Extra::default() };
    let caller = |hash: u32| format!("{} main={hash}", build(7));
    let same = classified_with(seen(&before, &caller(1)), seen(&after, &caller(2)), &extra);
    assert_eq!(said(&same, "run"), "heavier likely R-heavier");
}

#[test]
fn counts_of_twice_as_many_calls_prove_a_lost_condition() {
    let said_with = |counts: &str, before, after| {
        let (steady, words) = steady();
        let of = |read: u64| format!("{steady}main;get 60\nmain;other;read 20\nmain;get;read {read}");
        let build = |get: u32| {
            format!(
                "main:50 {words} main>get get>read read:300 read=39 other:80 other=38 other>read get:200 get={get}"
            )
        };
        let ways = ways(0x4000, before, after);
        let counts = Some(CallCounts::parse(counts).unwrap());
        let extra = Extra { paths: Some(&ways), counts, ..Extra::default() };
        said(&classified_with(seen(&of(30), &build(60)), seen(&of(90), &build(61)), &extra), "get")
    };
    // It was never true in the samples.
    let (lost, kept) = ("null:7 small:0", "null:7");
    assert_eq!(said_with("get\t9\t9\nget -> read\t9\t27\nread\t12\t30\n", lost, kept), PROVED);
    assert_eq!(said_with("get\t9\t9\nget -> read\t9\t17\nread\t12\t20\n", lost, kept), LIKELY);
    // No condition is gone: so many more calls may be those of other data.
    assert_eq!(said_with("get\t9\t9\nget -> read\t9\t27\nread\t12\t30\n", lost, lost), LIKELY);
}

#[test]
fn counts_of_calls_say_nothing_of_what_runs_in_copies() {
    let build = |hash: u32| {
        format!("main:50 work:50 run:200 run=7 main>run main>check check:90 check={hash} run<check*1")
    };
    let said_with = |before: &str, after: &str| {
        let counts = Some(CallCounts::parse("check\t100\t100\n").unwrap());
        let extra = Extra { counts, ..Extra::default() };
        let (before, after) = (with_rest(before), with_rest(after));
        let outcome = classified_with(seen(&before, &build(8)), seen(&after, &build(9)), &extra);
        (said(&outcome, "check"), verdict(&outcome, "check").limited_by.clone())
    };
    let in_copy = said_with("main;run 90\nmain;run;+check 50", "main;run 90\nmain;run;+check 120");
    assert_eq!(in_copy, ("heavier likely R-heavier".to_owned(), Some(Limit::CopiesNotCounted)));
    let in_body = said_with("main;run 90\nmain;check 50", "main;run 90\nmain;check 120");
    assert_eq!(in_body, ("heavier proved R-heavier".to_owned(), None));
}

#[test]
fn calls_of_what_was_copied_are_no_more_calls() {
    let build = |has_copy: bool| {
        let text = if has_copy { "text<find*2" } else { "text>find" };
        format!("main:50 work:50 run:200 run=7 main>run main>text text:300 {text} run>find find:90 find=9")
    };
    let said_with = |counts: &str| {
        let extra = Extra { counts: Some(CallCounts::parse(counts).unwrap()), ..Extra::default() };
        let before = with_rest("main;text 90\nmain;run 90\nmain;run;find 50");
        let after = with_rest("main;text 90\nmain;run 90\nmain;run;find 100");
        let outcome = classified_with(seen(&before, &build(true)), seen(&after, &build(false)), &extra);
        (said(&outcome, "find"), verdict(&outcome, "find").limited_by.clone())
    };
    let (proved, _) = said_with("find\t10\t30\ntext -> find\t0\t2\nrun -> find\t10\t28\n");
    assert_eq!(proved, "more-calls proved R-more-calls");
    let (said_of_copies, _) = said_with("find\t10\t30\ntext -> find\t0\t19\nrun -> find\t10\t11\n");
    assert!(!said_of_copies.starts_with("more-calls"), "{said_of_copies}");
    let by_function = said_with("find\t10\t30\n");
    assert_eq!(by_function, ("more-calls likely R-more-calls".to_owned(), Some(Limit::CallersNotCounted)));
}

#[test]
fn a_copy_beside_a_call_is_no_call_either() {
    let build = |text: &str| {
        format!("main:50 work:50 run:200 run=7 main>run main>text text:300 {text} run>find find:90 find=9")
    };
    let counts = "find\t10\t30\ntext -> find\t2\t21\nrun -> find\t8\t9\n";
    let said_with = |text: &str| {
        let extra = Extra { counts: Some(CallCounts::parse(counts).unwrap()), ..Extra::default() };
        let before = with_rest("main;text 90\nmain;text;find 20\nmain;run 90\nmain;run;find 50");
        let after = with_rest("main;text 90\nmain;text;find 40\nmain;run 90\nmain;run;find 100");
        let (before, after) = ((before, build(text)), (after, build("text>find text=3")));
        said(&classified_with(seen(&before.0, &before.1), seen(&after.0, &after.1), &extra), "find")
    };
    assert_eq!(said_with("text>find text=2"), "more-calls proved R-more-calls");
    let copied = said_with("text<find*1 text>find text=2");
    assert!(!copied.starts_with("more-calls"), "{copied}");
}

#[test]
fn what_still_returns_early_in_nearly_all_calls_has_lost_no_fast_path() {
    let before = with_rest("main;look_up 60\nmain;other;slow 30");
    let after = with_rest("main;look_up 62\nmain;look_up;slow 80\nmain;other;slow 30");
    let build = |hash: u32| {
        format!(
            "main:50 work:50 other:60 other=9 look_up:200 look_up={hash} slow:300 slow=8 look_up>slow other>slow main>look_up \
             main>other"
        )
    };
    let said_with = |ways: &Ways, entries: u32| {
        let counts =
            format!("look_up\t1000\t1000\nlook_up -> slow\t0\t{entries}\nslow\t10\t{}\n", 10 + entries);
        let counts = Some(CallCounts::parse(&counts).unwrap());
        let extra = Extra { counts, paths: Some(ways), ..Extra::default() };
        let outcome = classified_with(seen(&before, &build(6)), seen(&after, &build(7)), &extra);
        said(&outcome, "look_up")
    };
    // In the order of their names: look_up, main, other, slow.
    let lost = ways(0x4000, "null:7 small:90", "null:7");
    assert_eq!(said_with(&lost, 1000), PROVED);
    assert!(!said_with(&lost, 19).contains("fast-path"), "{}", said_with(&lost, 19));
    // It asks what it asked: something else makes it go on.
    let same = ways(0x4000, "null:7 small:90", "null:7 small:90");
    assert!(!said_with(&same, 1000).contains("fast-path"), "{}", said_with(&same, 1000));
}
