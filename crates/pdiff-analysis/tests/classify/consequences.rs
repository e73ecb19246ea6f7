//! Changes that follow from others: callers of what has a cause, and the same code under what has a cause.

use pdiff_analysis::classify::{Cause, Confidence, Limit, Reason};

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict, with_rest};

/// Builds a patch apart: the program, and what is said of it.
fn build(more: &str) -> String {
    let (_, words) = steady();
    format!("main:50 {words} {more}")
}

#[test]
fn a_caller_follows_from_its_callees_if_their_causes_cover_its_growth() {
    let (steady, _) = steady();
    let of = |check: u64, read: u64| {
        let check = if check > 0 { format!("\nmain;enter;run;check {check}") } else { String::new() };
        format!(
            "{steady}main;enter 60\nmain;enter;run 100\nmain;enter;run;step 60\nmain;enter;run;step;read {read}{check}"
        )
    };
    let calls = "step:90 step=52 read:90 read=51 main>enter enter>run run>step step>read";
    let before = build(&format!("enter:200 enter=5 run:200 run=6 {calls}"));
    let after = build(&format!("enter:200 enter=5 run:220 run=7 check:300 run>check {calls}"));
    let outcome = classified(seen(&of(0, 60), &before), seen(&of(80, 60), &after));
    assert_eq!(said(&outcome, "check"), "new-overhead proved R-new-code");
    for caller in ["run", "enter"] {
        assert_eq!(said(&outcome, caller), "consequence likely R-callees");
    }
    // Most of the growth has no known cause, so that the callers are to be looked at.
    let outcome = classified(seen(&of(0, 60), &before), seen(&of(80, 300), &after));
    assert_eq!(said(&outcome, "check"), "new-overhead proved R-new-code");
    for caller in ["run", "enter"] {
        assert_ne!(verdict(&outcome, caller).cause.as_str(), "consequence");
    }
}

#[test]
fn a_copy_in_new_code_follows_from_that() {
    let (steady, _) = steady();
    let before = format!("{steady}main;run 100\nmain;fetch 60\nmain;fetch;+part 60");
    let after = format!("{before}\nmain;run;scan 60\nmain;run;scan;+part 60");
    let calls = "fetch:300 fetch=8 fetch<part*1 main>fetch main>run";
    let (old, new) = (
        build(&format!("run:200 run=6 {calls}")),
        build(&format!("run:220 run=7 scan:400 run>scan scan<part*1 {calls}")),
    );
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    assert_eq!(said(&outcome, "scan"), "new-overhead proved R-new-code");
    assert_eq!(said(&outcome, "part"), "consequence likely R-heavier");
    let part = verdict(&outcome, "part");
    assert_eq!(part.callers, ["scan"]);
    assert!(matches!(&part.reason, Reason::PartOf { own_pp, .. } if *own_pp > 2.0), "{:?}", part.reason);
}

#[test]
fn a_copy_whose_other_places_are_the_same_code_did_not_change_itself() {
    let (steady, _) = steady();
    let of = |part: u64, run: u64| {
        format!("{steady}main;run {run}\nmain;run;+part {part}\nmain;fetch 200\nmain;fetch;+part 40")
    };
    let with = |run: u32, fetch: u32| {
        build(&format!(
            "run:300 run={run} fetch:300 fetch={fetch} run<part*1 fetch<part*1 main>run main>fetch"
        ))
    };
    let said_of = |fetch: u32| {
        let outcome = classified(seen(&of(40, 100), &with(60, 70)), seen(&of(120, 160), &with(61, fetch)));
        let part = verdict(&outcome, "part");
        (said(&outcome, "part"), part.limited_by.clone())
    };
    // As many copies of the same lines: skid and the layout of `run` may be why.
    assert_eq!(said_of(70), ("heavier unclear R-heavier".to_owned(), Some(Limit::SameCalls)));
    // All code around it differs, so that its own may.
    assert_eq!(said_of(71), ("heavier likely R-heavier".to_owned(), Some(Limit::CallsOrCost)));
}

#[test]
fn the_same_code_called_from_as_many_places_has_no_known_cause_if_it_costs_little_more() {
    let (steady, _) = steady();
    let of = |fetch: u64| format!("{steady}main;run 100\nmain;run;fetch {fetch}");
    let with = |run: u32, more: &str| {
        build(&format!("run:200 run={run} fetch:300 fetch=8 main>run run>fetch {more}"))
    };
    let outcome = classified(seen(&of(100), &with(6, "")), seen(&of(70), &with(7, "")));
    assert_eq!(said(&outcome, "fetch"), "lighter unclear R-lighter");
    assert_eq!(verdict(&outcome, "fetch").limited_by, Some(Limit::SameCalls));
    // One call less in the code tells, and so does a third of the time.
    let outcome = classified(seen(&of(100), &with(6, "run^fetch")), seen(&of(70), &with(7, "")));
    assert_eq!(said(&outcome, "fetch"), "lighter likely R-lighter");
    let outcome = classified(seen(&of(180), &with(6, "")), seen(&of(60), &with(7, "")));
    assert_eq!(said(&outcome, "fetch"), "lighter likely R-lighter");
}

#[test]
fn a_changed_function_that_jumps_to_the_same_code_may_be_why_it_costs_more() {
    let (steady, _) = steady();
    let of = |seek: u64| format!("{steady}main;run 100\nmain;run;reset 30\nmain;run;seek {seek}");
    // Two functions leave to it by a jump, so that the stacks do not show which one did.
    let with = |reset: u32| {
        let own = "run:200 run=6 seek:300 seek=8 open:90 open=9 reset:90";
        build(&format!("{own} reset={reset} main>run run>reset run>open reset^seek open^seek"))
    };
    let outcome = classified(seen(&of(50), &with(20)), seen(&of(150), &with(21)));
    assert_eq!(said(&outcome, "seek"), "heavier likely R-heavier");
    let outcome = classified(seen(&of(50), &with(20)), seen(&of(150), &with(20)));
    assert_eq!(said(&outcome, "seek"), "heavier unclear R-heavier");
}

#[test]
fn a_slower_machine_is_no_change_of_functions_with_the_same_code() {
    let (steady, _) = steady();
    let side = format!("{steady}main;find_slot 200");
    let of = |file: &str| build(&format!("find_slot:300 find_slot@{file} main>find_slot"));
    let (before, after) = (of("src/page.c"), of("src/slot.c"));
    // The same samples for fewer operations: everything costs a quarter more.
    let operations: Option<[&[f64]; 2]> = Some([&[1000.0, 1010.0, 990.0], &[800.0, 808.0, 792.0]]);
    let extra = Extra { operations, ..Extra::default() };
    let outcome = classified_with(seen(&side, &before), seen(&side, &after), &extra);
    let Reason::OtherFile { net_pp, .. } = &verdict(&outcome, "find_slot").reason else {
        panic!("{:?}", verdict(&outcome, "find_slot").reason)
    };
    assert!(net_pp.abs() < 0.1, "{net_pp}");
}

/// The copy of `pick` in `reader` went to another function that it calls: as a whole it costs the same.
#[test]
fn code_that_lost_an_inlined_function_and_costs_the_same_is_not_lighter() {
    let before = with_rest("main;reader 10\nmain;reader;+pick 150");
    let after = with_rest("main;reader 10\nmain;reader;level;+pick 150");
    let common = "main:50 work:50 reader:400 main>reader";
    let outcome = classified(
        seen(&before, &format!("{common} reader<pick*1")),
        seen(&after, &format!("{common} level:300 reader>level level<pick*1")),
    );
    let of = verdict(&outcome, "reader");
    assert!(!matches!(of.cause, Cause::Lighter | Cause::Heavier), "{of:?}");
}

#[test]
fn a_cost_per_operation_whose_callees_have_no_known_cause_has_none_either() {
    let lines: String = (0..20).map(|n| format!("main;steady_{n} 10\n")).collect();
    let of = |hot: u64| format!("{lines}main;run 2\nmain;run;hot_a {hot}\nmain;go 2\nmain;go;hot_b {hot}");
    let words = build(
        "run:200 run=61 go:200 go=62 hot_a:90 hot_a=63 hot_b:90 hot_b=64 main>run main>go run>hot_a go>hot_b",
    );
    let even: &[f64] = &[1000.0, 1010.0, 990.0];
    let extra = Extra { operations: Some([even, even]), ..Extra::default() };
    let outcome = classified_with(seen(&of(450), &words), seen(&of(560), &words), &extra);
    assert_eq!(said(&outcome, "hot_a"), "heavier unclear R-heavier");
    assert_eq!(said(&outcome, "run"), "heavier unclear R-callees");
    assert_eq!(verdict(&outcome, "run").limited_by, Some(Limit::UnclearCallees));
}

#[test]
fn functions_that_call_each_other_follow_from_what_one_of_them_calls() {
    let (steady, _) = steady();
    let of = |check: u64| {
        let check = if check > 0 { format!("\nmain;enter;run;check {check}") } else { String::new() };
        format!("{steady}main;enter 60\nmain;enter;run 100\nmain;enter;run;enter;run 20{check}")
    };
    let calls = "main>enter enter>run run>enter";
    let before = build(&format!("enter:200 enter=5 run:200 run=6 {calls}"));
    let after = build(&format!("enter:200 enter=5 run:220 run=7 check:300 run>check {calls}"));
    let outcome = classified(seen(&of(0), &before), seen(&of(80), &after));
    assert_eq!(said(&outcome, "check"), "new-overhead proved R-new-code");
    for caller in ["run", "enter"] {
        assert_eq!(said(&outcome, caller), "consequence likely R-callees");
    }
}

#[test]
fn functions_that_call_each_other_are_no_cause_of_each_other() {
    let (steady, _) = steady();
    // All code is the same, so that nothing tells why `leaf` takes more time, below both.
    let of = |leaf: u64| {
        format!(
            "{steady}main;list 40\nmain;list;item 40\nmain;list;item;list 40\nmain;list;item;list;item;leaf {leaf}"
        )
    };
    let words =
        build("list:200 list=60 item:200 item=61 leaf:90 leaf=62 main>list list>item item>list item>leaf");
    let outcome = classified(seen(&of(100), &words), seen(&of(200), &words));
    assert_eq!(said(&outcome, "leaf"), "heavier unclear R-heavier");
    for caller in ["list", "item"] {
        assert_eq!(said(&outcome, caller), "heavier unclear R-callees");
    }
}

#[test]
fn a_function_in_another_file_moved_even_if_its_callees_changed_for_no_known_cause() {
    let (steady, _) = steady();
    let of = |leaf: u64| format!("{steady}main;shape 100\nmain;shape;leaf {leaf}");
    let with =
        |file: &str| build(&format!("shape:300 shape=60 shape@{file} leaf:90 leaf=61 main>shape shape>leaf"));
    let outcome = classified(seen(&of(100), &with("src/a.c")), seen(&of(200), &with("src/a.c")));
    assert_eq!(said(&outcome, "shape"), "heavier unclear R-callees");
    let outcome = classified(seen(&of(100), &with("src/a.c")), seen(&of(200), &with("src/b.c")));
    assert_eq!(said(&outcome, "shape"), "moved likely R-moved");
}

#[test]
fn callers_of_a_cost_per_operation_without_a_known_cause_have_none_either() {
    let lines: String = (0..20).map(|n| format!("main;steady_{n} 10\n")).collect();
    let of = |hot: u64, top: u64, alt: u64| {
        format!("{lines}main;top;run;hot_a {top}\nmain;alt;run;hot_a {alt}\nmain;go 2\nmain;go;hot_b {hot}")
    };
    let words = |top: u32| {
        build(&format!(
            "top:80 top={top} alt:80 alt=66 run:200 run=61 go:200 go=62 hot_a:90 hot_a=63 hot_b:90 hot_b=64 \
             main>top main>alt main>go top>run alt>run run>hot_a go>hot_b"
        ))
    };
    let even: &[f64] = &[1000.0, 1010.0, 990.0];
    let extra = Extra { operations: Some([even, even]), ..Extra::default() };
    let (before, after) = (of(450, 180, 270), of(560, 270, 290));
    let outcome = classified_with(seen(&before, &words(67)), seen(&after, &words(68)), &extra);
    assert_eq!(said(&outcome, "run"), "heavier unclear R-callees");
    assert_eq!(said(&outcome, "top"), "heavier unclear R-callees");
}

#[test]
fn a_cost_per_operation_that_follows_from_others_is_told_with_their_names() {
    let lines: String = (0..20).map(|n| format!("main;steady_{n} 10\n")).collect();
    let of = |check: u64| {
        let checks = match check {
            0 => String::new(),
            _ => format!("\nmain;run;check_a {check}\nmain;go;check_b {check}"),
        };
        format!("{lines}main;run 2\nmain;run;hot_a 450\nmain;go 2\nmain;go;hot_b 450{checks}")
    };
    let with = |hash: u32, more: &str| {
        build(&format!(
            "run:200 run={hash} go:200 go={hash} hot_a:90 hot_a=65 hot_b:90 hot_b=66 main>run main>go run>hot_a go>hot_b {more}"
        ))
    };
    let (old, new) = (with(63, ""), with(64, "check_a:300 check_b:300 run>check_a go>check_b"));
    let even: &[f64] = &[1000.0, 1010.0, 990.0];
    let extra = Extra { operations: Some([even, even]), ..Extra::default() };
    let outcome = classified_with(seen(&of(0), &old), seen(&of(110), &new), &extra);
    assert_eq!(said(&outcome, "run"), "consequence likely R-callees");
    let Reason::CostOfCallees { callees, .. } = &verdict(&outcome, "run").reason else {
        panic!("{:?}", verdict(&outcome, "run").reason)
    };
    assert_eq!(callees, &["check_a"]);
}

#[test]
fn a_stub_whose_caller_the_chains_lost_is_a_part_of_what_calls_it_in_the_code() {
    let of = |more: &str| format!("main;print 60\nmain;work 600\n{more}");
    let build = "main:50 work:50 main>work print:300 main>print";
    let said_of = |calls: &str| {
        let after = of("main;print;register 60\nmain;print;compare@plt 40");
        let words = format!("{build} register:90 print>register compare@plt:16 {calls}");
        let o = classified(seen(&of(""), build), seen(&after, &words));
        for v in &o.verdicts {
            println!("{} {} {} {:?} {:?}", v.function, v.cause.as_str(), v.rule_id, v.limited_by, v.reason);
        }
        said(&o, "print")
    };
    assert_eq!(said_of("register>compare@plt"), "consequence likely R-callees");
    // It calls that itself.
    assert_eq!(said_of("print>compare@plt register>compare@plt"), "heavier likely R-callees");
}

#[test]
fn a_callee_that_costs_as_before_elsewhere_is_no_reason() {
    let (stacks, words) = steady();
    let build = format!(
        "{words} main:50 read:90 read=1 fill:90 fill=4 drain:90 drain=5 scan:90 scan=6 main>fill main>drain main>scan \
         fill>read drain>read scan>read"
    );
    let of = |fill: u64, drain: u64, scan: u64| {
        format!(
            "{stacks}main;work 600\nmain;fill 20\nmain;fill;read {fill}\nmain;drain 20\nmain;drain;read {drain}\n\
             main;scan 20\nmain;scan;read {scan}"
        )
    };
    let outcome = classified(seen(&of(100, 300, 400), &build), seen(&of(220, 240, 340), &build));
    for name in ["fill", "drain"] {
        let verdict = verdict(&outcome, name);
        assert_eq!(verdict.rule_id, "R-callees", "{name}");
        let expected = (Confidence::Unclear, &Some(Limit::UnclearCallees));
        assert_eq!((verdict.confidence, &verdict.limited_by), expected);
    }
}
