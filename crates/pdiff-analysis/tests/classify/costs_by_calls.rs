//! What a function's cost says of how often it is called.

use pdiff_profile::PerSide;

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict, with_rest};
use crate::ways::Ways;

#[test]
fn own_code_that_costs_many_times_as_much_is_called_more_whatever_it_calls() {
    let (steady, words) = steady();
    let build = |get: u32, fetch: u32| {
        format!(
            "main:50 {words} main>get get:200 get={get} get>fetch fetch:{} fetch={fetch} fetch>read read:90 read=51 \
             main>fetch",
            250 + fetch
        )
    };
    // It reads as often as before: it is a cache that is asked more.
    let of = |fetch: u64, get: u64| {
        format!(
            "{steady}main;get {get}\nmain;get;fetch {fetch}\nmain;get;fetch;read 60\nmain;fetch 5\nmain;fetch;read 30"
        )
    };
    let outcome = classified(seen(&of(10, 300), &build(70, 50)), seen(&of(60, 300), &build(71, 50)));
    assert_eq!(said(&outcome, "fetch"), "missing-fast-path likely R-edge");
    assert_eq!(verdict(&outcome, "fetch").callers, ["get"]);
    // Its code differs, or the caller's own code costs as many times as much.
    let outcome = classified(seen(&of(10, 300), &build(70, 50)), seen(&of(60, 300), &build(71, 52)));
    assert_ne!(verdict(&outcome, "fetch").rule_id, "R-edge");
    let outcome = classified(seen(&of(10, 30), &build(70, 50)), seen(&of(60, 180), &build(71, 50)));
    assert_ne!(verdict(&outcome, "fetch").rule_id, "R-edge");
}

#[test]
fn a_function_whose_own_code_costs_no_more_is_not_called_more() {
    let (steady, words) = steady();
    let build = |run: u32| {
        format!("main:50 {words} main>run run>get run:200 run={run} get:90 get=50 get>fill fill:80 fill=51")
    };
    let of =
        |get: u64, fill: u64| format!("{steady}main;run 100\nmain;run;get {get}\nmain;run;get;fill {fill}");
    let outcome = classified(seen(&of(8, 2), &build(60)), seen(&of(8, 70), &build(61)));
    assert_ne!(verdict(&outcome, "get").rule_id, "R-edge");
    let outcome = classified(seen(&of(8, 2), &build(60)), seen(&of(60, 15), &build(61)));
    assert_eq!(said(&outcome, "get"), "missing-fast-path likely R-edge");
}

#[test]
fn callees_that_chains_lost_before_do_not_explain_what_own_code_costs_more() {
    let (steady, words) = steady();
    let build = |step: u32| {
        format!(
            "main:50 {words} main>run run:300 run=60 run>step step^next next:200 next=50 next^left left:90 left=51 step:90 \
             step={step}"
        )
    };
    // The function left to another one by a jump, and was left to by one.
    let before = format!(
        "{steady}main;run 300\nmain;run;step 50\nmain;run;step;next 3\nmain;run;next 3\nmain;run;left 40"
    );
    let after =
        format!("{steady}main;run 300\nmain;run;step 50\nmain;run;step;next 60\nmain;run;step;left 40");
    let outcome = classified(seen(&before, &build(70)), seen(&after, &build(71)));
    assert_eq!(said(&outcome, "next"), "missing-fast-path likely R-edge");
}

#[test]
fn a_function_that_only_leads_to_what_costs_more_is_called_more() {
    let (steady, words) = steady();
    let of = |[convert, translate]: [u64; 2]| {
        format!("{steady}main;ask 60\nmain;ask;convert {convert}\nmain;ask;convert;translate {translate}")
    };
    let build = |ask: u32, translate: u32| {
        format!(
            "main:50 {words} main>ask ask>convert convert>translate ask:200 ask={ask} convert:90 convert=50 \
             translate:300 translate={translate}"
        )
    };
    let said_of = |after: [u64; 2], translate: u32| {
        let outcome = classified(seen(&of([1, 60]), &build(60, 51)), seen(&of(after), &build(61, translate)));
        (said(&outcome, "convert"), said(&outcome, "translate"))
    };
    let (convert, translate) = said_of([1, 160], 51);
    assert_eq!(convert, "missing-fast-path likely R-edge");
    assert_eq!(translate, "missing-fast-path likely R-below");
    // What it leads to may do more each time.
    assert_ne!(said_of([1, 160], 52).0, convert);
    // It does much itself, and that costs no more.
    let outcome = classified(seen(&of([30, 60]), &build(60, 51)), seen(&of([30, 160]), &build(61, 51)));
    assert_ne!(verdict(&outcome, "convert").rule_id, "R-edge");
}

#[test]
fn a_function_that_waits_at_one_instruction_need_not_be_called_more() {
    let (steady, words) = steady();
    let of = |add: u64| format!("{steady}main;run 300\nmain;run;add {add}");
    let said_with = |at_one: [[u64; 2]; 2], calls: &str| {
        let build = |run: &str| format!("main:50 {words} main>run run:200 {run} add:90 add=50");
        let ways = Ways { at_one: PerSide::new(Some(at_one[0]), Some(at_one[1])), ..Ways::default() };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let new = build(&format!("run=61 {calls}"));
        let outcome = classified_with(seen(&of(40), &build("run=60 run>add")), seen(&of(82), &new), &extra);
        said(&outcome, "add")
    };
    let likely = "missing-fast-path likely R-edge";
    assert_eq!(said_with([[36, 40], [70, 82]], "run>add"), "missing-fast-path unclear R-edge");
    // In one run only, with few samples, or where the code has more calls.
    assert_eq!(said_with([[36, 40], [50, 82]], "run>add"), likely);
    assert_eq!(said_with([[20, 24], [70, 82]], "run>add"), likely);
    assert_eq!(said_with([[36, 40], [70, 82]], "run>add run>add"), "more-calls likely R-edge");
}

#[test]
fn a_function_of_which_one_callee_alone_grew_is_not_called_more() {
    let (stacks, words) = steady();
    let build = format!(
        "{words} main:50 drop:90 drop=1 write:90 write=2 find:80 find=3 main>exec exec>drop drop>write drop>find"
    );
    let of = |own: u64, write: u64, find: u64| {
        with_rest(&format!(
            "{stacks}main;exec 60\nmain;exec;drop {own}\nmain;exec;drop;write {write}\nmain;exec;drop;find {find}"
        ))
    };
    let rule = |after: &str| {
        let outcome = classified(
            seen(&of(20, 60, 40), &format!("{build} exec:400 exec=7")),
            seen(after, &format!("{build} exec:420 exec=8")),
        );
        verdict(&outcome, "drop").rule_id
    };
    assert_ne!(rule(&of(30, 180, 40)), "R-edge");
    assert_eq!(rule(&of(60, 180, 120)), "R-edge");
}
