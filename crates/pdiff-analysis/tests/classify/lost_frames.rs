//! Chains that lost callers: a leaf without a frame hides who called it. Nothing wrong is claimed of those that are
//! hidden, and what the code tells is used.

use pdiff_analysis::classify::{Classification, Fact, Limit};
use pdiff_profile::Side;

use crate::build::{classified, said, seen, verdict, with_rest};

const BUILD: &str = "main:50 work:50 main>work ";

#[test]
fn a_caller_that_is_never_seen_again_is_an_inline_regression_where_it_alone_calls() {
    let (before, after) = (with_rest("main;scan 6\nmain;scan;+leaf 60"), with_rest("main;leaf 200"));
    let outcome = classified(
        seen(&before, &format!("{BUILD} main>scan scan:400 scan<leaf*2")),
        seen(&after, &format!("{BUILD} main>scan scan:200 leaf:150 scan>leaf")),
    );
    assert_eq!(said(&outcome, "leaf"), "inline-regression proved R-inline-lost");
    assert_eq!(said(&outcome, "scan"), "inline-change proved R-inline-lost-caller");
}

#[test]
fn where_several_may_have_called_it_is_likely() {
    let (before, after) = (with_rest("main;scan;+leaf 60\nmain;walk;+leaf 60"), with_rest("main;leaf 330"));
    let build = format!("{BUILD} main>scan main>walk");
    let outcome = classified(
        seen(&before, &format!("{build} scan:400 walk:400 scan<leaf*1 walk<leaf*1")),
        seen(&after, &format!("{build} scan:200 walk:200 leaf:150 scan>leaf walk>leaf")),
    );
    assert_eq!(said(&outcome, "leaf"), "inline-regression likely R-inline-lost");
    assert_eq!(verdict(&outcome, "leaf").callers, ["scan", "walk"]);
}

#[test]
fn what_the_chains_may_have_lost_is_not_newly_active() {
    let (before, after) = (with_rest("main;flush 60"), with_rest("main;run;flush 60"));
    let build = format!("{BUILD} main>run run:300 flush:90 run>flush");
    let outcome = classified(seen(&before, &build), seen(&after, &build));
    assert_eq!(said(&outcome, "run"), "heavier unclear R-callees");
}

#[test]
fn a_caller_of_a_renamed_function_did_not_grow_where_chains_may_have_lost_it() {
    let (before, after) = (with_rest("main;load 60"), with_rest("main;run;ns::load 60"));
    let build = format!("{BUILD} main>run run:300");
    let outcome = classified(
        seen(&before, &format!("{build} load:90 run>load")),
        seen(&after, &format!("{build} ns::load:90 run>ns::load")),
    );
    assert_eq!(said(&outcome, "ns::load"), "moved likely R-moved");
    assert_eq!(said(&outcome, "run"), "heavier unclear R-callees");
}

#[test]
fn a_fast_path_is_found_behind_a_jump_in_tail_position() {
    let before = with_rest("main;look_up 60\nmain;other;slow 9");
    let after = with_rest("main;look_up 62\nmain;slow 80\nmain;other;slow 9");
    let build = "main:50 work:50 other:60 enter:9 look_up:200 slow:300 main>enter enter^look_up main>other \
                 look_up>slow";
    let outcome = classified(seen(&before, build), seen(&after, build));
    assert_eq!(said(&outcome, "look_up"), "missing-fast-path likely R-fast-path");
}

#[test]
fn a_callee_behind_a_jump_in_tail_position_that_was_exchanged_is_no_fast_path() {
    let before = with_rest("main;read;next 200\nmain;read 20");
    let after = with_rest("main;read;wrap;next 390\nmain;read 20");
    let old = format!("{BUILD} main>read read:120 step:9 next:300 read>step step^next");
    let new = format!("{BUILD} main>read read:200 wrap:30 next:300 read>wrap wrap>next");
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    assert_eq!(said(&outcome, "wrap"), "moved likely R-in-between");
    assert_eq!(verdict(&outcome, "read").rule_id, "R-callees");
}

#[test]
fn samples_without_any_caller_belong_to_the_only_one() {
    let before = "main;work 600\nlook_up 60";
    let after = "main;work 600\nlook_up 60\nslow 80";
    let build = format!("{BUILD} main>look_up look_up:200 slow:300 look_up>slow");
    let outcome = classified(seen(before, &build), seen(after, &build));
    assert_eq!(said(&outcome, "look_up"), "missing-fast-path likely R-fast-path");
}

#[test]
fn the_caller_that_the_code_tells_is_named_for_new_code() {
    let (before, after) = (with_rest("main;run 60"), with_rest("main;run 60\nmain;check 60"));
    let build = format!("{BUILD} main>run run:300");
    let outcome = classified(seen(&before, &build), seen(&after, &format!("{build} check:90 run>check")));
    assert_eq!(said(&outcome, "check"), "new-overhead proved R-new-code");
    assert_eq!(verdict(&outcome, "check").callers, ["run"]);
}

#[test]
fn a_lost_path_is_found_where_its_caller_only_follows_the_common_shift() {
    let steady: String = (0..10).map(|n| format!("main;steady_{n} 60\n")).collect();
    let words: String = (0..10).map(|n| format!("steady_{n}:80 steady_{n}={n} main>steady_{n} ")).collect();
    let build = format!("main:50 {words} main>look_up look_up:200 slow:300 look_up>slow");
    let before = format!("{steady}look_up 300");
    let after = format!("{steady}look_up 300\nslow 500");
    let outcome = classified(seen(&before, &build), seen(&after, &build));
    assert_eq!(said(&outcome, "look_up"), "missing-fast-path likely R-fast-path");
}

#[test]
fn a_jump_to_a_function_that_another_replaced_is_no_growth() {
    let (before, after) =
        (with_rest("main;run 60\nmain;load 60"), with_rest("main;run 60\nmain;run;fetch 60"));
    let build = format!("{BUILD} main>run run:300");
    let outcome = classified(
        seen(&before, &format!("{build} load:90 run^load")),
        seen(&after, &format!("{build} fetch:90 run>fetch")),
    );
    assert_eq!(said(&outcome, "run"), "heavier unclear R-callees");
    // Where the other function was reached elsewhere, the jump hid nothing.
    let before = with_rest("main;run 60\nmain;other;load 60");
    let outcome = classified(
        seen(&before, &format!("{build} load:90 other:60 main>other other>load run^load")),
        seen(&after, &format!("{build} fetch:90 other:60 run>fetch")),
    );
    assert_eq!(said(&outcome, "run"), "consequence likely R-callees");
}

#[test]
fn where_one_side_lacks_outermost_callers_much_more_often_a_change_of_total_is_unclear() {
    // Who calls `run` does so by a pointer.
    let build = "main:50 serve:200 plan:200 run:200 scan:300 main>serve serve>plan run>scan";
    let of = |whole: u64, cut: u64, more: &str| {
        let ways = format!("main;serve 30\nmain;serve;plan;run;scan {whole}\n[cut];run;scan {cut}");
        with_rest(&format!("{ways}{more}"))
    };
    let with_fresh = format!("{build} fresh:300 run>fresh");
    let after = of(400, 6, "\nmain;serve;plan;run;fresh 90");
    let outcome = |cut: u64| {
        let before = of(400 - cut, cut, "");
        classified(seen(&before, build), seen(&after, &with_fresh))
    };
    let confidence = |outcome: &Classification, name: &str| verdict(outcome, name).confidence.as_str();
    // 7 % of the stacks, then 24 %.
    let (few, many) = (outcome(70), outcome(250));
    assert_eq!(confidence(&few, "serve"), "likely");
    assert_eq!(confidence(&many, "serve"), "unclear");
    assert_eq!(verdict(&many, "serve").limited_by, Some(Limit::ChainsCutMore(Side::Before)));
    // That the other build does not have a function is as certain as it was.
    assert_eq!(verdict(&many, "fresh").cause.as_str(), "new-overhead");
    assert_ne!(confidence(&many, "fresh"), "unclear");
}

#[test]
fn a_caller_under_another_name_may_have_called_a_function_that_left_by_a_jump() {
    let build =
        "main:50 work:50 main>work left:90 main>left left>child child:140 load:300 step:80 child>step";
    let old = format!("{build} seek_any:900 main>seek_any seek_any>child child^load");
    let new = format!("{build} seek_table:400 main>seek_table seek_table>child child>load");
    let before =
        with_rest("main;left;child 20\nmain;left;child;step 9\nmain;seek_any 50\nmain;seek_any;load 150");
    let after = with_rest(
        "main;left;child 20\nmain;left;child;step 9\nmain;seek_table 50\nmain;seek_table;child 2\n\
         main;seek_table;child;load 150",
    );
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    let child = verdict(&outcome, "child");
    assert_eq!(child.confidence.as_str(), "unclear", "{:?}", child.reason);
}

#[test]
fn a_function_that_one_build_always_leaves_by_a_jump_did_not_become_lighter_by_its_whole_total() {
    let build = format!("{BUILD} look_up:300 main>look_up look_up>get_any load:300");
    let (old, new) =
        (format!("{build} get_any:110 get:90 get_any>get"), format!("{build} get_any:7 get:330 get_any^get"));
    let before = with_rest("main;look_up 900\nmain;look_up;get_any 2\nmain;look_up;get_any;get 170");
    let after = with_rest("main;look_up 900\nmain;look_up;get 50\nmain;look_up;get_any 1");
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    assert_eq!(verdict(&outcome, "get_any").limited_by, Some(Limit::LostChains(Side::After)));
}

#[test]
fn a_caller_in_the_stacks_whose_code_has_no_call_is_marked_where_others_have_one() {
    let build = |calls: &str| format!("main:50 work:50 main>work run:90 main>run text:80 put:30 {calls}");
    let stacks = |put: u64| with_rest(&format!("main;run 60\nmain;run;put {put}"));
    let callers = |calls: &str| {
        let outcome = classified(seen(&stacks(90), &build(calls)), seen(&stacks(190), &build(calls)));
        let facts = verdict(&outcome, "put").evidence.iter().map(|evidence| &evidence.fact);
        let callers = facts
            .filter_map(|fact| if let Fact::SampledCallers(of) = fact { Some(of.clone()) } else { None });
        callers.flatten().map(|caller| (caller.name, caller.is_indirect)).collect::<Vec<_>>()
    };
    let run = |is_indirect: bool| vec![("run".to_owned(), is_indirect); 2];
    assert_eq!(callers("text>put"), run(true));
    assert_eq!(callers("text>put run>put"), run(false));
    // It is called through pointers alone.
    assert_eq!(callers(""), run(false));
}
