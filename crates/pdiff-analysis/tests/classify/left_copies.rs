//! What a function has under callees that left it as copies is no way that it takes more.

use pdiff_analysis::classify::{Confidence, Limit};
use pdiff_profile::PerSide;

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict, with_rest};
use crate::ways::Ways;

#[test]
fn who_calls_what_costs_more_in_place_of_its_copies_does_not_call_more() {
    let (steady, words) = steady();
    let build = format!(
        "main:50 {words} main>run run:200 run>make walk:70 walk=71 main>walk walk>make make:90 make<node*1 run<node*2 fill:80 fill=70"
    );
    let copied = format!("{build} run=60 make=61 node:200 node=64 node>fill");
    let called = copied.replace("make<node*1 run<node*2", "make>node run>node");
    let called = called.replace("run=60 make=61", "run=62 make=63");
    let before =
        format!("{steady}main;run 100\nmain;run;+node 9\nmain;run;make;+node 1\nmain;walk;make;+node 9");
    let after = format!(
        "{steady}main;run 100\nmain;run;make;node 60\nmain;run;make;node;fill 40\nmain;run;node 9\nmain;walk;make;node 9"
    );
    let outcome = classified(seen(&before, &copied), seen(&after, &called));
    assert_eq!(verdict(&outcome, "node").rule_id, "R-inline-lost");
    for name in ["make", "fill"] {
        assert_ne!(verdict(&outcome, name).cause.as_str(), "missing-fast-path", "{name}");
    }
    // What both builds call may be called more.
    let called_before = copied.replace("make<node*1 run<node*2", "make>node run>node");
    let before = before.replace("+node", "node");
    let outcome = classified(seen(&before, &called_before), seen(&after, &called));
    for name in ["make", "fill"] {
        assert_eq!(verdict(&outcome, name).cause.as_str(), "missing-fast-path", "{name}");
    }
}

#[test]
fn a_caller_with_fewer_copies_of_a_callee_went_on_to_it_before() {
    let (steady, words) = steady();
    let build = format!("main:50 {words} main>run run:200 run>node node:200 node=64");
    let before = format!("{steady}main;run 100\nmain;run;node 1");
    let after = format!("{steady}main;run 100\nmain;run;node 60");
    let said_of = |copies: &str| {
        let before_build = format!("{build} run=60 {copies}");
        let outcome =
            classified(seen(&before, &before_build), seen(&after, &format!("{build} run=61 run>node")));
        ["run", "node"].map(|name| said(&outcome, name))
    };
    assert_eq!(said_of(""), ["missing-fast-path likely R-fast-path", "missing-fast-path likely R-edge"]);
    assert_ne!(said_of("run<node*1")[0], "missing-fast-path likely R-fast-path");
}

#[test]
fn what_is_under_a_function_in_place_of_its_copies_is_no_part_of_a_way_to_it() {
    let (steady, words) = steady();
    let build =
        format!("main:50 {words} main>run run:200 main>make make:90 fill:80 fill=70 node:200 node>fill");
    let before = format!(
        "{steady}main;run 100\nmain;run;node 2\nmain;run;node;fill 1\nmain;make 9\nmain;make;+node 4"
    );
    let after = format!(
        "{steady}main;run 100\nmain;run;node 60\nmain;run;node;fill 40\nmain;make 9\nmain;make;node 5"
    );
    let said_of = |make: &str| {
        let outcome = classified(
            seen(&before, &format!("{build} run=60 make=61 node=64 run<node*2 run>node {make}")),
            seen(&after, &format!("{build} run=62 make=63 node=64 run>node run>node run>node make>node")),
        );
        ["node", "fill"].map(|name| said(&outcome, name))
    };
    assert_eq!(said_of("make>node"), ["missing-fast-path likely R-edge", "missing-fast-path likely R-below"]);
    assert_eq!(
        said_of("make<node*1"),
        ["inline-regression unclear R-inline-lost", "heavier unclear R-heavier"]
    );
}

#[test]
fn a_caller_whose_lines_alone_cost_more_where_a_copy_left_it_does_not_cost_more() {
    let build = "main:50 work:50 main>work main>scan ";
    let limit_of = |scan: u64, leaf: u64, bytes: u32| {
        let before = with_rest("main;scan 60\nmain;scan;+leaf 30");
        let after = with_rest(&format!("main;scan {scan}\nmain;scan;leaf {leaf}"));
        let outcome = classified(
            seen(&before, &format!("{build} scan:400 scan<leaf*1")),
            seen(&after, &format!("{build} scan:{bytes} scan>leaf leaf:150")),
        );
        (said(&outcome, "scan"), verdict(&outcome, "scan").limited_by.clone())
    };
    let (said, limit) = limit_of(95, 60, 300);
    assert_eq!(said, "inline-change likely R-inline-lost-caller");
    assert!(matches!(limit, Some(Limit::OnlyLinesChanged(_))), "{limit:?}");
    // Its code costs more, too, or is longer though the copy left it.
    for (scan, bytes) in [(160, 300), (95, 410)] {
        let (said, _) = limit_of(scan, 60, bytes);
        assert!(said.starts_with("heavier"), "{said}");
    }
}

#[test]
fn a_check_for_which_a_function_was_split_is_gone_where_it_is_whole() {
    let (steady, words) = steady();
    let build =
        |get: u32, read: &str| format!("main:50 {words} main>get get:200 get={get} get>read read:300 {read}");
    let of = |read: u64| format!("{steady}main;get 60\nmain;get;read {read}");
    let said_with = |read: &str, asked_after: &'static str| {
        // In the order of their names: get, main, read.
        let ways = Ways {
            caller: 0x1000,
            callee: 0x3000,
            can_skip: PerSide::new(Some(true), Some(false)),
            around: PerSide::new(Some([40, 10_000]), Some([0, 10_000])),
            asks_of: vec![(0x3000, PerSide::new("x==22 x==0", asked_after))],
            ..Ways::default()
        };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let (before, after) = ((of(40), build(60, read)), (of(130), build(61, "read=41")));
        let outcome = classified_with(seen(&before.0, &before.1), seen(&after.0, &after.1), &extra);
        said(&outcome, "read")
    };
    let rest = "read| read=40 get<read*1";
    assert_eq!(said_with(rest, "x==22 x==0"), "missing-fast-path proved R-edge");
    // It asks now what it asked in its callers.
    assert_eq!(said_with(rest, "x==22 x==0 [+8]&1"), "missing-fast-path likely R-below");
    // It was whole before, too: its copies are all of it.
    assert_eq!(said_with("read=40 get<read*1", "x==22 x==0"), "missing-fast-path likely R-below");
}

#[test]
fn of_functions_with_one_name_the_one_that_ran_may_have_been_inlined_nowhere() {
    let (steady, words) = steady();
    let build = |run: &str| {
        format!(
            "main:50 {words} main>run main>other run:300 other:80 other=9 other>drop%2 drop%2:90 drop%2=8 drop%1:90 \
             drop%1=7 {run}"
        )
    };
    let (copied, called) = (build("run<drop%1*1 run=60"), build("run>drop%1 run=61"));
    let said_of = |in_run: u64, in_other: u64| {
        let before = format!("{steady}main;run 100\nmain;run;+drop 90\nmain;other 60\nmain;other;drop 10");
        let after = format!(
            "{steady}main;run 100\nmain;other 60\nmain;run;drop {in_run}\nmain;other;drop {in_other}"
        );
        let outcome = classified(seen(&before, &copied), seen(&after, &called));
        (verdict(&outcome, "drop").confidence, verdict(&outcome, "drop").limited_by.clone())
    };
    assert_eq!(said_of(100, 10), (Confidence::Proved, None));
    assert_eq!(said_of(10, 100), (Confidence::Likely, Some(Limit::NamesakesElsewhere)));
}
