//! Functions that were put between others, and stacks that lead through other functions.

use crate::build::{classified, said, seen, steady, verdict, with_rest};

#[test]
fn a_caller_that_was_put_in_between_is_moved_and_not_new() {
    let build = "main:50 work:50 serve:200 run:300 main>work ";
    let before = (with_rest("main;serve;run 200"), format!("{build} main>serve serve>run"));
    let wrapped = |run: usize| {
        let build = format!("{build} wrap:30 start:30 main>wrap wrap>start start>serve serve>run");
        (with_rest(&format!("main;wrap;start;serve;run {run}")), build)
    };
    let between = |before: &(String, String), after: &(String, String)| {
        classified(seen(&before.0, &before.1), seen(&after.0, &after.1))
    };
    let outcome = between(&before, &wrapped(205));
    for name in ["wrap", "start"] {
        assert_eq!(said(&outcome, name), "moved likely R-in-between");
    }
    assert_eq!(said(&between(&wrapped(205), &before), "wrap"), "moved likely R-in-between");
    // What it leads to costs three times as much: most of its total is new.
    assert_ne!(verdict(&between(&before, &wrapped(620)), "wrap").rule_id, "R-in-between");
    // It does work of its own.
    let working = format!("{build} wrap:30 main>wrap wrap>serve serve>run");
    let working = (with_rest("main;wrap 90\nmain;wrap;serve;run 200"), working);
    assert_eq!(verdict(&between(&before, &working), "wrap").rule_id, "R-new-code");
}

#[test]
fn work_that_is_handed_to_another_thread_is_no_new_path_of_that_thread() {
    let build = "main:50 work:50 main>work serve:200 run:300 serve>run pool:60 wait:60 execute:60 flush:90 join:40 \
                 pool>wait wait>execute execute>flush ";
    let flush = "pool;wait;execute;flush 30\n";
    let alone = (with_rest(&format!("main;serve;run 200\n{flush}")), format!("{build} main>serve"));
    let handed = |run: usize| {
        let folded = format!("pool;wait;execute;join;serve;run {run}\n{flush}");
        (with_rest(&folded), format!("{build} execute>join join>serve"))
    };
    let between = |before: &(String, String), after: &(String, String)| {
        classified(seen(&before.0, &before.1), seen(&after.0, &after.1))
    };
    let outcome = between(&alone, &handed(205));
    for name in ["pool", "wait", "execute"] {
        assert_eq!(said(&outcome, name), "moved likely R-in-between", "{name}");
    }
    let outcome = between(&handed(205), &alone);
    assert_eq!(said(&outcome, "wait"), "moved likely R-in-between");
    // What is handed on costs four times as much: that is more than moved.
    let outcome = between(&alone, &handed(830));
    assert_ne!(verdict(&outcome, "wait").rule_id, "R-in-between");
}

#[test]
fn a_helper_that_many_call_is_led_to_by_none_of_them() {
    let build = "main:50 check:90 test:90 field:90 args:90 next:200 main>check main>test main>field main>args check>next \
                 test>next field>next args>next";
    let of = |check: usize, args: usize| {
        let next = |caller: &str, weight: usize| format!("main;{caller} 4\nmain;{caller};next {weight}");
        let calls = [("check", check), ("test", 70), ("field", 70), ("args", args)];
        with_rest(&calls.map(|(caller, weight)| next(caller, weight)).join("\n"))
    };
    let outcome = classified(seen(&of(120, 20), build), seen(&of(20, 120), build));
    for caller in ["check", "args"] {
        assert_ne!(verdict(&outcome, caller).rule_id, "R-in-between", "{caller}");
    }
}

#[test]
fn work_that_another_way_leads_to_below_a_function_does_not_hide_what_is_new_below_it() {
    let build = "main:50 work:50 main>work serve:100 main>serve leaf:200 count:90 serve>count \
                 old:60 step:60 serve>old serve>step old>leaf step>leaf";
    let of = |old: usize, step: usize, count: usize| {
        let leaves = format!("main;serve;old;leaf {old}\nmain;serve;step;leaf {step}");
        (with_rest(&format!("{leaves}\nmain;serve;count {count}")), build)
    };
    let (before, after) = (of(150, 6, 40), of(6, 150, 170));
    let outcome = classified(seen(&before.0, before.1), seen(&after.0, after.1));
    assert_ne!(verdict(&outcome, "serve").rule_id, "R-in-between");
}

#[test]
fn a_caller_put_in_between_leads_to_a_renamed_function_too() {
    let build = "main:50 work:50 main>work ";
    let before = (with_rest("main;old_run 200"), format!("{build} old_run:300 old_run=7 main>old_run"));
    let after = |run: usize| {
        let build = format!("{build} new_run:300 new_run=7 wrap:30 main>wrap wrap>new_run");
        (with_rest(&format!("main;wrap;new_run {run}")), build)
    };
    let with = |after: (String, String)| classified(seen(&before.0, &before.1), seen(&after.0, &after.1));
    assert_eq!(said(&with(after(205)), "wrap"), "moved likely R-in-between");
    assert_eq!(verdict(&with(after(620)), "wrap").rule_id, "R-new-code");
}

#[test]
fn stacks_that_lead_to_a_renamed_function_lead_to_the_same() {
    let build = "main:50 work:50 detect:200 main>detect detect>more more:90";
    let with = |callee: &str| format!("{build} {callee}:200 detect>{callee}");
    let of = |callee: &str, more: u64| {
        with_rest(&format!("main;detect 20\nmain;detect;{callee} 50\nmain;detect;more {more}"))
    };
    let (old, new) = ("page_commit", "page_t::commit");
    let outcome = classified(seen(&of(old, 60), &with(old)), seen(&of(new, 2), &with(new)));
    assert_eq!(said(&outcome, old), "moved likely R-moved");
    assert_ne!(verdict(&outcome, "detect").rule_id, "R-in-between");
}

#[test]
fn a_caller_put_in_between_may_lead_there_through_functions_of_both_builds() {
    let build = "main:50 work:50 other:90 call:40 safe:40 run:300 main>work main>other other>safe safe>call call>run ";
    let of =
        |main: &str| with_rest(&format!("main;{main};run 200\nmain;other 10\nmain;other;safe;call;run 20"));
    let before = (of("guard"), format!("{build} guard:60 main>guard guard>run"));
    let after = (of("wrap;safe;call"), format!("{build} wrap:30 main>wrap wrap>safe"));
    let outcome = classified(seen(&before.0, &before.1), seen(&after.0, &after.1));
    for name in ["wrap", "safe", "call"] {
        assert_eq!(said(&outcome, name), "moved likely R-in-between", "{name}");
    }
    // What they lead to costs four times as much.
    let after = (after.0.replace("run 200", "run 900"), after.1);
    let outcome = classified(seen(&before.0, &before.1), seen(&after.0, &after.1));
    for name in ["wrap", "safe", "call"] {
        assert_ne!(verdict(&outcome, name).rule_id, "R-in-between", "{name}");
    }
}

#[test]
fn what_was_below_a_function_on_another_way_came_from_nowhere() {
    let build = "main:50 work:50 main>work main>step step:200 apply:300 log:90 step>log main>log ";
    let of = |way: &str, log: u64| {
        with_rest(&format!("main;step;{way}apply 100\nmain;step;log {log}\nmain;log {log}"))
    };
    let before = (of("record;", 10), format!("{build} record:90 step>record record>apply"));
    let after = |log: u64| (of("", log), format!("{build} step>apply"));
    let rule_of = |after: (String, String)| {
        verdict(&classified(seen(&before.0, &before.1), seen(&after.0, &after.1)), "step").rule_id
    };
    assert_eq!(rule_of(after(60)), "R-callees");
}

#[test]
fn a_function_that_chains_lost_before_is_not_called_more_for_what_it_leads_to() {
    let of = |before: &str, after: &str| {
        let build = |eval: usize| {
            format!(
                "main:50 work:50 top:200 curve:150 curve={eval} eval:{eval} power:400 main>work main>top top>curve curve>eval"
            )
        };
        let outcome = classified(seen(&with_rest(before), &build(200)), seen(&with_rest(after), &build(260)));
        verdict(&outcome, "eval").rule_id
    };
    let after = "main;top;curve 20\nmain;top;curve;eval 40\nmain;top;curve;eval;power 60";
    // It left by a jump through a pointer, and so did its caller.
    let lost = "main;top;curve 20\nmain;top;curve;eval 8\nmain;top;power 60";
    assert_eq!(of(lost, after), "R-heavier");
    let called_more = "main;top;curve 20\nmain;top;curve;eval 8\nmain;top;curve;eval;power 6";
    assert_eq!(of(called_more, after), "R-fast-path");
}

#[test]
fn where_all_functions_share_less_a_callee_that_is_called_twice_did_not_come_from_others() {
    let (steady, words) = steady();
    let build = |native: &str, hash: u32, calls: &str| {
        format!(
            "main:50 {words} {native}:180 {native}=39 main>{native} {native}>has {native}>set has:90 has={hash} set:91 set=43 \
             has>find set>find {calls} find:185 find=40 find>same same:60 same=41 extra:300 extra=42 main>extra"
        )
    };
    let of = |native: &str, has: [u64; 2], set: [u64; 2], extra: u64| {
        let find = |of: &str, [own, same]: [u64; 2]| {
            format!("main;{native};{of};find {own}\nmain;{native};{of};find;same {same}\n")
        };
        format!("{steady}{}{}main;extra {extra}", find("has", has), find("set", set))
    };
    let said_of = |native: &str, calls: &str, has: [u64; 2], set: [u64; 2]| {
        let (before, after) = (of("call", [100, 100], [160, 160], 400), of(native, has, set, 900));
        let outcome =
            classified(seen(&before, &build("call", 60, "")), seen(&after, &build(native, 61, calls)));
        said(&outcome, "has")
    };
    let more = "more-calls likely R-fast-path";
    assert_eq!(said_of("call", "has>find", [170, 170], [160, 160]), more);
    // The functions above them have another name.
    assert_eq!(said_of("call_native", "has>find", [170, 170], [160, 160]), more);
    // The function above them calls the callee as much as it did, which is a smaller share.
    let beside = "main;call;find 300\nmain;call;find;same 300\n";
    let run = |has, extra| beside.to_owned() + &of("call", has, [160, 160], extra);
    let (before, after) = (run([100, 100], 400), run([240, 240], 1500));
    let (once, twice) = (build("call", 60, "call>find"), build("call", 61, "has>find call>find"));
    assert_eq!(said(&classified(seen(&before, &once), seen(&after, &twice)), "has"), more);
    // Its own code does not cost more beyond noise, but hardly less than so many calls do.
    assert_eq!(said_of("call", "has>find", [122, 195], [160, 160]), more);
    // There are no more calls in the code, or others have as much less of it.
    assert_eq!(said_of("call", "", [170, 170], [160, 160]), "heavier unclear R-callees");
    let moved = "moved likely R-in-between";
    assert_eq!(said_of("call", "has>find", [170, 170], [95, 95]), moved);
    assert_eq!(said_of("call", "has>find", [140, 140], [125, 125]), moved);
    assert_eq!(said_of("call", "has>find", [122, 150], [95, 95]), moved);
    // The other way round.
    let (lighter, heavier) =
        (of("call", [100, 100], [160, 160], 400), of("call", [120, 150], [90, 100], 900));
    let (fewer, twice) = (build("call", 60, ""), build("call", 61, "has>find"));
    assert_eq!(said(&classified(seen(&heavier, &twice), seen(&lighter, &fewer)), "has"), moved);
    assert_eq!(said_of("call", "has>find", [160, 160], [138, 138]), "heavier unclear R-callees");
}

#[test]
fn a_function_that_hardly_changed_itself_may_have_been_left_by_what_it_led_to() {
    let build = "main:50 work:50 main>work call:90 exec:900 main>call call>exec ";
    let before = with_rest("main;call 30\nmain;call;exec 400");
    let after = with_rest("main;call 24\nmain;direct 6\nmain;direct;exec 400");
    let outcome =
        classified(seen(&before, build), seen(&after, &format!("{build} direct:60 main>direct direct>exec")));
    assert_eq!(said(&outcome, "call"), "moved likely R-in-between");
}

#[test]
fn a_call_that_was_exchanged_for_another_one_led_nowhere_else() {
    let build = "main:50 work:50 set:90 other:90 get:80 clear:80 main>work main>set main>other other>clear ";
    let before = with_rest("main;set 10\nmain;set;clear 100\nmain;other 10\nmain;other;clear 20");
    let left = "main;other 10\nmain;other;clear 120\nmain;set 10";
    let of = |after: &str, calls: &str| {
        let outcome = classified(
            seen(&before, &format!("{build} set>clear")),
            seen(&with_rest(after), &format!("{build} {calls}")),
        );
        verdict(&outcome, "set").rule_id
    };
    assert_ne!(of(&format!("{left}\nmain;set;get 20"), "set>get"), "R-in-between");
    assert_eq!(of(left, ""), "R-in-between");
}

#[test]
fn of_calls_in_one_function_that_inlines_others_the_lines_tell_nothing() {
    let build = "main:50 work:50 up:300 main>work main>to to<down*1 to>up ";
    let before = with_rest("main;to 20\nmain;to;+down;up 100\nmain;to;up 100");
    let after = with_rest("main;to 20\nmain;to;+down;up 200");
    let outcome =
        classified(seen(&before, &format!("{build} to:400")), seen(&after, &format!("{build} to:300")));
    assert_eq!(said(&outcome, "down"), "moved unclear R-in-between");
}
