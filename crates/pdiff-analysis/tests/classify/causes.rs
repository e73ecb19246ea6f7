//! One case a cause; fast paths and successors have files of their own.

use pdiff_analysis::classify::{CallCounts, Evidence, Fact, Limit, Reason, Tag};
use pdiff_analysis::matching::SourceMove;
use pdiff_profile::PerSide;

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict, with_rest};

#[test]
fn a_function_that_is_called_where_it_was_inlined_is_an_inline_regression() {
    let (before, after) = (with_rest("main;scan 100"), with_rest("main;scan 60\nmain;scan;leaf 160"));
    let build = "main:50 work:50 main>work main>scan ";
    let outcome = classified(
        seen(&before, &format!("{build} scan:400 scan<leaf*2 leaf@x/leaf.h")),
        seen(&after, &format!("{build} scan:200 leaf:150 scan>leaf leaf@x/leaf.cc")),
    );
    assert_eq!(said(&outcome, "leaf"), "inline-regression likely R-inline-lost");
    let leaf = verdict(&outcome, "leaf");
    assert_eq!(leaf.callers, ["scan"]);
    let decided = Fact::InliningDecided(SourceMove::HeaderToSource);
    assert!(leaf.evidence.iter().any(|evidence| evidence.fact == decided));
    assert_eq!(said(&outcome, "scan"), "inline-change proved R-inline-lost-caller");
    let family = &outcome.families[0];
    assert_eq!(family.members.len(), 2);
    assert!((family.booked_delta_pp - (220.0 / 820.0 - 100.0 / 700.0) * 100.0).abs() < 0.01);
}

#[test]
fn copies_that_were_sampled_prove_it() {
    let (before, after) =
        (with_rest("main;scan 60\nmain;scan;+leaf 50"), with_rest("main;scan 60\nmain;scan;leaf 200"));
    let build = "main:50 work:50 main>work main>scan ";
    let outcome = classified(
        seen(&before, &format!("{build} scan:400 scan<leaf*2")),
        seen(&after, &format!("{build} scan:200 leaf:150 scan>leaf")),
    );
    assert_eq!(said(&outcome, "leaf"), "inline-regression proved R-inline-lost");
}

#[test]
fn what_a_copy_calls_may_be_shown_under_the_code_around_it() {
    let said_of_leaf = |before: &str, calls: &str| {
        let build = "main:50 work:50 main>work main>scan deep:90 deep=7 main>other other:60 ";
        let after = with_rest("main;scan 60\nmain;scan;leaf 70\nmain;scan;leaf;deep 300\nmain;other 40");
        let outcome = classified(
            seen(&with_rest(before), &format!("{build} scan:400 scan<leaf*1 {calls}")),
            seen(&after, &format!("{build} scan:390 leaf:150 scan>leaf leaf>deep {calls}")),
        );
        said(&outcome, "leaf")
    };
    let inside = "main;scan 60\nmain;scan;+leaf 5\nmain;scan;deep 300\nmain;other 40";
    assert_eq!(said_of_leaf(inside, "scan>deep"), "inline-regression likely R-inline-lost");
    // Where others call it, too, more of it may come this way now; and so where it did not run before.
    assert_eq!(said_of_leaf(inside, "scan>deep other>deep"), "heavier likely R-heavier");
    let hardly = "main;scan 60\nmain;scan;+leaf 5\nmain;scan;deep 30\nmain;other 40";
    assert_eq!(said_of_leaf(hardly, "scan>deep"), "missing-fast-path likely R-fast-path");
}

#[test]
fn calls_by_functions_that_did_not_contain_it_are_no_cost_of_inlining() {
    let before = with_rest("main;scan 60\nmain;scan;+leaf 50\nmain;drop 40");
    let build = "main:50 work:50 main>work main>scan main>drop drop:60 ";
    let of = |by_scan: u32, by_drop: u32, words: &str| {
        let after = format!("main;scan 60\nmain;scan;leaf {by_scan}\nmain;drop 40\nmain;drop;leaf {by_drop}");
        classified(
            seen(&before, &format!("{build} scan:400 scan<leaf*2")),
            seen(&with_rest(&after), &format!("{build} scan:200 leaf:150 scan>leaf {words}")),
        )
    };
    assert_eq!(said(&of(190, 10, "drop>leaf"), "leaf"), "inline-regression proved R-inline-lost");
    let by_other = of(50, 150, "drop>leaf");
    assert_eq!(said(&by_other, "leaf"), "inline-regression likely R-inline-lost");
    let limit = verdict(&by_other, "leaf").limited_by.clone();
    assert!(matches!(limit, Some(Limit::MoreCallsElsewhere(pp)) if (15.0..20.0).contains(&pp)), "{limit:?}");
    // It does not call it in the code: the stacks lost who did.
    assert_eq!(said(&of(50, 150, ""), "leaf"), "inline-regression proved R-inline-lost");
    // A few copies of the caller tell nothing of its calls.
    let copied = before.replace("main;drop 40", "main;drop 40\nmain;scan;+drop 3");
    let after = with_rest("main;scan 60\nmain;scan;leaf 50\nmain;drop 43\nmain;drop;leaf 150");
    let outcome = classified(
        seen(&copied, &format!("{build} scan:400 scan<leaf*2 scan<drop*1")),
        seen(&after, &format!("{build} scan:200 leaf:150 scan>leaf drop>leaf scan>drop")),
    );
    assert_eq!(said(&outcome, "leaf"), "inline-regression likely R-inline-lost");
    // A caller that contains fewer copies contained it.
    let outcome = classified(
        seen(&before, &format!("{build} scan:400 scan<leaf*2 drop<leaf*2")),
        seen(&after, &format!("{build} scan:200 leaf:150 scan>leaf drop>leaf drop<leaf*1")),
    );
    assert_eq!(said(&outcome, "leaf"), "inline-regression proved R-inline-lost");
    // It always called it, and has another name now.
    let (steady, words) = steady();
    let renamed = |name: &str, by_it: u32| {
        let before = format!("{steady}main;scan 60\nmain;scan;+leaf 100\nmain;drop 40\nmain;drop;leaf 190");
        let after =
            format!("{steady}main;scan 60\nmain;scan;leaf 150\nmain;{name} 40\nmain;{name};leaf {by_it}");
        let build = |name: &str| {
            format!("main:50 {words} main>scan main>{name} {name}:190 {name}=91 {name}>leaf leaf:150 leaf=92")
        };
        let outcome = classified(
            seen(&before, &format!("{} scan:400 scan<leaf*2", build("drop"))),
            seen(&after, &format!("{} scan:200 scan>leaf", build(name))),
        );
        (said(&outcome, "leaf"), verdict(&outcome, "leaf").limited_by.clone())
    };
    assert_eq!(renamed("drop_all", 190), renamed("drop", 190));
    // What it calls more counts once.
    assert_eq!(renamed("drop_all", 290), ("inline-regression proved R-inline-lost".to_owned(), None));
    // What calls it now was inlined with it.
    let before = with_rest("main;scan 60\nmain;scan;+drop 20\nmain;scan;+drop;+leaf 50");
    let after = with_rest("main;scan 60\nmain;scan;drop 20\nmain;scan;drop;leaf 200");
    let outcome = classified(
        seen(&before, "main:50 work:50 main>work main>scan scan:400 scan<leaf*2 scan<drop*1"),
        seen(&after, "main:50 work:50 main>work main>scan scan:200 scan>drop drop:60 drop>leaf leaf:150"),
    );
    assert_eq!(said(&outcome, "leaf"), "inline-regression proved R-inline-lost");
}

#[test]
fn callers_that_lost_the_weight_prove_it_where_debug_lines_give_the_copies_less() {
    let build = "main:50 work:50 main>work main>scan ";
    let after = with_rest("main;scan 60\nmain;scan;leaf 160");
    let flipped = |before: &str| {
        let outcome = classified(
            seen(&with_rest(before), &format!("{build} scan:400 scan<leaf*2")),
            seen(&after, &format!("{build} scan:200 leaf:150 scan>leaf")),
        );
        said(&outcome, "leaf")
    };
    assert_eq!(flipped("main;scan 140\nmain;scan;+leaf 10"), "inline-regression proved R-inline-lost");
    // The caller did not lose it, and a call alone does not cost so many times as much; or no copy was sampled at all.
    assert_eq!(flipped("main;scan 60\nmain;scan;+leaf 10"), "inline-regression unclear R-inline-lost");
    assert_eq!(flipped("main;scan 140"), "inline-regression likely R-inline-lost");
    // Costs no more: only the inlining is claimed, and the code shows it.
    assert_eq!(flipped("main;scan 215"), "inline-change proved R-inline-change");
}

#[test]
fn a_copy_with_few_samples_ran_all_the_same() {
    let build = "main:50 work:50 bulk:80 main>work main>bulk main>scan ";
    let flipped = |before: &str| {
        let (before, after) =
            (format!("main;bulk 40000\n{before}"), "main;bulk 40000\nmain;scan 60\nmain;scan;leaf 160");
        let outcome = classified(
            seen(&before, &format!("{build} scan:400 scan<leaf*2")),
            seen(after, &format!("{build} scan:200 leaf:150 scan>leaf")),
        );
        said(&outcome, "leaf")
    };
    // Debug lines give nearly all of the copy to the caller, which lost it.
    assert_eq!(flipped("main;scan 140\nmain;scan;+leaf 1"), "inline-regression proved R-inline-lost");
    assert_eq!(flipped("main;scan 140"), "inline-regression likely R-inline-lost");
}

#[test]
fn a_change_of_inlining_that_costs_nothing_is_no_regression() {
    let (before, after) =
        (with_rest("main;scan 60\nmain;scan;+leaf 50"), with_rest("main;scan 60\nmain;scan;leaf 50"));
    let build = "main:50 work:50 main>work main>scan ";
    let outcome = classified(
        seen(&before, &format!("{build} scan:400 scan<leaf*2")),
        seen(&after, &format!("{build} scan:200 leaf:150 scan>leaf")),
    );
    assert_eq!(said(&outcome, "leaf"), "inline-change proved R-inline-change");
}

#[test]
fn what_a_caller_does_more_itself_is_no_cost_of_its_inlining() {
    let build = "main:50 work:50 main>work main>scan ";
    let flipped = |before: &str, after: &str| {
        let outcome = classified(
            seen(&with_rest(before), &format!("{build} scan:400 scan<leaf*2")),
            seen(&with_rest(after), &format!("{build} scan:700 leaf:150 scan>leaf")),
        );
        ["leaf", "scan"].map(|name| said(&outcome, name))
    };
    let scan = |scan: u64| format!("main;scan {scan}");
    let (copies, calls) = ("\nmain;scan;+leaf 30", "\nmain;scan;leaf 30");
    let own = flipped(&(scan(60) + copies), &(scan(200) + calls));
    assert_eq!(own, ["inline-change proved R-inline-change", "heavier likely R-heavier"]);
    // The calls cost at most what the function costs.
    let by_calls = flipped(&(scan(60) + copies), &(scan(90) + calls));
    assert_eq!(by_calls[0], "inline-regression proved R-inline-lost");
}

#[test]
fn what_a_caller_does_less_itself_is_no_gain_of_its_inlining() {
    let build = "main:50 work:50 main>work main>scan ";
    let (before, after) =
        (with_rest("main;scan 200\nmain;scan;leaf 30"), with_rest("main;scan 60\nmain;scan;+leaf 30"));
    let outcome = classified(
        seen(&before, &format!("{build} scan:700 leaf:150 scan>leaf")),
        seen(&after, &format!("{build} scan:400 scan<leaf*2")),
    );
    assert_eq!(said(&outcome, "leaf"), "inline-change proved R-inline-change");
}

#[test]
fn a_caller_that_hardly_ran_a_function_did_not_change_by_its_inlining() {
    let build = "main:50 work:50 main>work main>scan main>other other:90 scan:400 ";
    let old = format!("{build} scan<leaf*1 other<leaf*1 scan<digits*1");
    let new = format!("{build} scan>leaf other>leaf leaf:150");
    let of = |leaf: &str, scan: &str| {
        with_rest(&format!("main;other 30\nmain;other;{leaf} 80\nmain;scan 60\n{scan}"))
    };
    // What it lost is a function that is gone.
    let outcome = classified(
        seen(&of("+leaf", "main;scan;+digits 60\nmain;scan;+leaf 1"), &old),
        seen(&of("leaf", "main;scan;leaf 1"), &new),
    );
    assert_eq!(said(&outcome, "leaf"), "inline-change proved R-inline-change");
    assert_ne!(verdict(&outcome, "scan").rule_id, "R-inline-lost-caller");
    // It lost that function.
    let outcome = classified(
        seen(&of("+leaf", "main;scan;+leaf 60"), &old),
        seen(&of("leaf", "main;scan;leaf 60"), &new),
    );
    assert_eq!(said(&outcome, "scan"), "inline-change proved R-inline-lost-caller");
    // A third of what it lost is that function.
    let outcome = classified(
        seen(&of("+leaf", "main;scan;+digits 40\nmain;scan;+leaf 20"), &old),
        seen(&of("leaf", "main;scan;leaf 20"), &new),
    );
    assert_eq!(said(&outcome, "scan"), "inline-change likely R-inline-lost-caller");
    assert!(matches!(verdict(&outcome, "scan").limited_by, Some(Limit::LittleMoved(_))));
}

#[test]
fn only_functions_inlined_in_it_explain_a_change_of_self_by_symbol() {
    let build = "main:50 work:50 main>work main>scan send:90 get:90 scan>send scan>get scan<pack*1 scan:400";
    let of = |pack: u64, send: u64, get: u64| {
        with_rest(&format!(
            "main;scan 100\nmain;scan;+pack {pack}\nmain;scan;send {send}\nmain;scan;get {get}"
        ))
    };
    let outcome = classified(seen(&of(50, 120, 30), build), seen(&of(110, 20, 70), build));
    let Reason::CalleesChanged { callees, .. } = &verdict(&outcome, "scan").reason else { panic!() };
    let names: Vec<&str> = callees.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["pack"]);
}

#[test]
fn a_caller_that_grew_though_its_callee_left_is_heavier_in_its_own_right() {
    let (before, after) = (with_rest("main;scan 100"), with_rest("main;scan 160\nmain;scan;leaf 60"));
    let build = "main:50 work:50 main>work main>scan ";
    let outcome = classified(
        seen(&before, &format!("{build} scan:400 scan<leaf*2")),
        seen(&after, &format!("{build} scan:900 leaf:150 scan>leaf")),
    );
    assert_eq!(said(&outcome, "scan"), "heavier likely R-heavier");
    let scan = verdict(&outcome, "scan");
    let is_told =
        |evidence: &Evidence| matches!(&evidence.fact, Fact::NotInSelf { callee, .. } if callee == "leaf");
    assert!(scan.evidence.iter().any(is_told), "{:?}", scan.evidence);
}

#[test]
fn code_that_before_has_in_no_form_is_new_overhead() {
    let (before, after) = (with_rest("main;run 100"), with_rest("main;run 100\nmain;run;check 50"));
    let outcome = classified(
        seen(&before, "main:50 work:50 run:200"),
        seen(&after, "main:50 work:50 run:220 check:300 run>check"),
    );
    assert_eq!(said(&outcome, "check"), "new-overhead proved R-new-code");
    assert_eq!(verdict(&outcome, "check").callers, ["run"]);
}

#[test]
fn code_that_only_one_run_entered_is_newly_active() {
    let (before, after) = (with_rest("main;run 100"), with_rest("main;run 100\nmain;run;audit 50"));
    let build = "main:50 work:50 run:200 audit:300 run>audit";
    let outcome = classified(seen(&before, build), seen(&after, build));
    assert_eq!(said(&outcome, "audit"), "newly-active likely R-newly-active");
}

#[test]
fn a_part_of_the_kernel_that_follows_the_common_shift_is_not_lighter() {
    let (steady, words) = steady();
    let build = format!("main:50 {words} main>run run:200");
    let before = format!("{steady}main;run 100\nmain;[kernel.kallsyms]!tcp_sendmsg 300");
    let after = format!("{steady}main;run 1500\nmain;[kernel.kallsyms]!tcp_sendmsg 290");
    let outcome = classified(seen(&before, &build), seen(&after, &build));
    assert_eq!(said(&outcome, "tcp_sendmsg"), "noise likely R-common-shift");
    let less = after.replace("290", "150");
    let outcome = classified(seen(&before, &build), seen(&less, &build));
    assert_eq!(said(&outcome, "tcp_sendmsg"), "lighter likely R-lighter");
}

#[test]
fn the_same_file_of_a_library_did_not_change_its_callers_did() {
    let (steady, words) = steady();
    let build = format!("main:50 {words}");
    let before =
        format!("{steady}main;/lib/libc.so.6!print 100\nmain;/lib/libc.so.6!print;+/lib/libc.so.6!pad 60");
    let after =
        format!("{steady}main;/lib/libc.so.6!print 100\nmain;/lib/libc.so.6!print;+/lib/libc.so.6!pad 160");
    let same = ["libc.so.6".to_owned(), "libc.so".to_owned()];
    let extra = Extra { same_objects: &same, ..Extra::default() };
    let outcome = classified_with(seen(&before, &build), seen(&after, &build), &extra);
    let print = outcome.verdicts.iter().find(|verdict| verdict.function.starts_with("print")).unwrap();
    assert_eq!((print.rule_id, print.cause.as_str()), ("R-callers", "heavier"));
    assert_eq!(print.callers, ["main"]);
}

#[test]
fn nothing_is_proved_new_or_gone_whose_code_stands_in_others_alone() {
    let (before, after) = (with_rest("main;run;+check 100"), with_rest("main;run 50"));
    let outcome = classified(
        seen(&before, "main:50 work:50 run:400 run<check*2"),
        seen(&after, "main:50 work:50 run:200"),
    );
    let check = verdict(&outcome, "check");
    assert_eq!((check.confidence.as_str(), check.code_is_new()), ("likely", Some(false)));
}

#[test]
fn a_chain_of_calls_that_only_one_run_entered_is_newly_active_down_to_its_leaf() {
    let (before, after) =
        (with_rest("main;run 100"), with_rest("main;run 100\nmain;run;audit;write;flush 50"));
    let build = "main:50 work:50 run:200 audit:300 write:90 flush:80 run>audit audit>write write>flush";
    let outcome = classified(seen(&before, build), seen(&after, build));
    for name in ["audit", "write", "flush"] {
        assert_eq!(said(&outcome, name), "newly-active likely R-newly-active");
        assert_eq!(verdict(&outcome, name).callers, ["run"]);
    }
}

#[test]
fn new_library_code_is_likely_at_most() {
    let (before, after) = (with_rest("main;run 100"), with_rest("main;run 100\nmain;run;std::sort 50"));
    let build = "main:50 work:50 run:200";
    let outcome = classified(seen(&before, build), seen(&after, &format!("{build} std::sort:90")));
    assert_eq!(said(&outcome, "std::sort"), "new-overhead likely R-new-code");
}

#[test]
fn a_function_that_is_longer_in_the_source_is_told_as_a_reason_why_it_is_inlined_no_more() {
    let source = |next: &str, line: u32| {
        let of = |next_line: u32, leaf: &str| {
            format!(
                "main:50 work:50 run:200 main>run {leaf} leaf@a.c leaf#10 {next}:90 {next}@a.c {next}#{next_line} far:90 far@b.c far#11"
            )
        };
        let outcome = classified(
            seen(&with_rest("main;run 50\nmain;run;+leaf 60"), &of(20, "run<leaf*1").replace(next, "next")),
            seen(&with_rest("main;run 60\nmain;run;leaf 260"), &of(line, "leaf:80 run>leaf")),
        );
        let evidence = verdict(&outcome, "leaf").evidence.iter();
        evidence
            .filter_map(|of| if let Fact::GrownSource { lines } = &of.fact { Some(*lines) } else { None })
            .next()
    };
    assert_eq!(source("next", 27), Some(PerSide::new(10, 17)));
    assert_eq!(source("next", 20), None);
    // Another function comes next.
    assert_eq!(source("other", 27), None);
}

#[test]
fn a_function_that_does_more_is_heavier_and_its_callers_point_to_it() {
    let (before, after) = (with_rest("main;run;leaf 50"), with_rest("main;run;leaf 100"));
    let build = "main:50 work:50 run:200 leaf:90 run>leaf";
    let outcome = classified(seen(&before, build), seen(&after, build));
    assert_eq!(said(&outcome, "leaf"), "heavier likely R-heavier");
    assert_eq!(said(&outcome, "run"), "consequence likely R-callees");
    let reason = &verdict(&outcome, "run").reason;
    assert!(matches!(reason, Reason::CalleesChanged { callees, .. } if callees[0].0 == "leaf"), "{reason:?}");
}

#[test]
fn busy_waiting_and_costs_of_design_are_tags() {
    let before = with_rest("main;ut_delay 10\nmain;spin 10\nmain;log_writer 10");
    let after = with_rest("main;ut_delay 60\nmain;spin 60\nmain;log_writer 60");
    let build = "main:50 work:50 ut_delay:80 spin:60 spin~ log_writer:900 log_writer~";
    let outcome = classified(seen(&before, build), seen(&after, build));
    assert_eq!(verdict(&outcome, "ut_delay").tags, [Tag::SpinWait]);
    assert_eq!(verdict(&outcome, "spin").tags, [Tag::SpinWait]);
    assert_eq!(verdict(&outcome, "log_writer").tags, [Tag::Architectural]);
}

#[test]
fn a_stub_that_is_called_where_a_function_was_inlined_is_not_that_function_renamed() {
    let build = "main:50 work:50 run:200 main>work main>run";
    let (inlined, called) = (format!("{build} run<lower*1"), format!("{build} lower@plt:16"));
    let before = with_rest("main;run 60\nmain;run;+lower 60");
    let after = with_rest("main;run 60\nmain;run;lower@plt 9\nmain;run;/lib/libc.so.6!to_lower 120");
    let outcome = classified(seen(&before, &inlined), seen(&after, &called));
    assert_eq!(said(&outcome, "lower"), "inline-change proved R-inline-change");
    let outcome = classified(seen(&after, &called), seen(&before, &inlined));
    assert_eq!(said(&outcome, "lower"), "inline-change proved R-inline-change");
}

#[test]
fn that_a_function_left_its_callers_is_proved_though_these_have_other_names() {
    let common = "main:50 work:50 main>work";
    let inlined = format!("{common} insertNewKey:900 main>insertNewKey insertNewKey<free*1");
    let called = format!("{common} insertAddKey:880 main>insertAddKey insertAddKey>free free:90");
    let of = |caller: &str, free: &str| with_rest(&format!("main;{caller} 100\nmain;{caller};{free} 40"));
    let (before, after) = (of("insertNewKey", "+free"), of("insertAddKey", "free"));
    let outcome = classified(seen(&before, &inlined), seen(&after, &called));
    assert_eq!(verdict(&outcome, "insertAddKey").rule_id, "R-moved");
    assert_eq!(said(&outcome, "free"), "inline-change proved R-inline-change");
    let reason = &verdict(&outcome, "free").reason;
    assert!(matches!(reason, Reason::Flipped { caller, .. } if caller == "insertNewKey"), "{reason:?}");
    // What it costs with its callers is that of the pair, which may be none.
    let outcome = classified(
        seen(&before, &inlined),
        seen(&of("insertAddKey", "free").replace("free 40", "free 140"), &called),
    );
    assert_eq!(said(&outcome, "free"), "inline-regression likely R-inline-lost");
    // Another function has a copy still.
    let with_copy = format!("{called} work<free*1");
    let outcome = classified(seen(&before, &inlined), seen(&after, &with_copy));
    assert_ne!(verdict(&outcome, "free").confidence.as_str(), "proved");
}

#[test]
fn what_its_own_copies_had_is_no_cost_of_a_function() {
    let build = "main:50 work:50 main>work main>get main>find find:90 get:120 ";
    let before = with_rest("main;find 40\nmain;find;+get 90\nmain;get 30");
    let after = with_rest("main;get 125\nmain;find 40");
    let outcome = classified(seen(&before, &format!("{build} find<get*1")), seen(&after, build));
    assert_eq!(said(&outcome, "get"), "inline-change likely R-inline-change");
}

#[test]
fn the_cost_of_inlining_is_not_proved_between_versions_that_differ_in_most_code() {
    let stacks: String = (0..20).map(|n| format!("main;step_{n} 60\n")).collect();
    let words = |from: u32| -> String {
        (0..20).map(|n| format!("step_{n}:80 step_{n}={} main>step_{n} ", from + n)).collect()
    };
    let before = format!("{stacks}main;scan 60\nmain;scan;+leaf 50");
    let after = format!("{stacks}main;scan 60\nmain;scan;leaf 200");
    let of = |from: u32, code: &str| format!("main:50 {} main>scan {code}", words(from));
    let (old, new) = ("scan:400 scan<leaf*2", "scan:200 leaf:150 scan>leaf");
    let outcome = classified(seen(&before, &of(1, old)), seen(&after, &of(101, new)));
    assert_eq!(said(&outcome, "leaf"), "inline-regression likely R-inline-lost");
    assert_eq!(verdict(&outcome, "leaf").limited_by, Some(Limit::OtherVersion));
    let outcome = classified(seen(&before, &of(1, old)), seen(&after, &of(1, new)));
    assert_eq!(said(&outcome, "leaf"), "inline-regression proved R-inline-lost");
}

#[test]
fn samples_that_went_from_the_lines_of_a_copy_to_its_callers_make_that_no_heavier() {
    let build = "main:50 work:50 main>work main>next copied:160 main>copied ";
    let said_of = |own: u64, leaf: u64| {
        let before = with_rest("main;next 40\nmain;next;+leaf 70\nmain;copied 20\nmain;copied;+leaf 4");
        let after = with_rest(&format!(
            "main;next {own}\nmain;next;leaf {leaf}\nmain;copied 20\nmain;copied;+next 30\nmain;copied;leaf 4"
        ));
        let outcome = classified(
            seen(&before, &format!("{build} next:220 next<leaf*1 copied<leaf*1")),
            seen(&after, &format!("{build} next:180 leaf:50 next>leaf copied<next*1 copied>leaf")),
        );
        said(&outcome, "next")
    };
    assert_eq!(said_of(68, 12), "inline-change likely R-inline-lost-caller");
    // Together they cost more.
    assert_eq!(said_of(140, 60), "heavier likely R-heavier");
}

#[test]
fn a_function_that_costs_far_less_as_a_whole_is_not_heavier_by_what_it_now_does_itself() {
    let build = "main:50 work:50 main>work cell:300 main>cell search:300 cell>search";
    let of = |own: u64, search: u64| with_rest(&format!("main;cell {own}\nmain;cell;search {search}"));
    let said_of = |own: u64, search: u64| {
        said(&classified(seen(&of(10, 400), build), seen(&of(own, search), build)), "cell")
    };
    assert!(said_of(30, 20).starts_with("lighter"), "{}", said_of(30, 20));
    assert_eq!(said_of(30, 390), "heavier likely R-heavier");
}

#[test]
fn of_new_code_that_is_called_through_pointers_alone_the_stacks_may_lack_the_caller() {
    let by_pointer = |calls: &str| {
        let build = |price: &str| format!("main:50 work:50 main>work main>serve serve:90 serve=7 {price}");
        let outcome = classified(
            seen(&with_rest("main;serve 60"), &build("")),
            seen(
                &with_rest("main;serve 60\nmain;serve;price 90"),
                &build(&format!("price:80 price=9 {calls}")),
            ),
        );
        assert_eq!(verdict(&outcome, "price").rule_id, "R-new-code");
        match &verdict(&outcome, "price").reason {
            Reason::InNoForm { by_pointer, .. } => *by_pointer,
            other => panic!("{other:?}"),
        }
    };
    assert!(by_pointer(""));
    assert!(!by_pointer("serve>price"));
    assert!(!by_pointer("serve<price*1"));
}

#[test]
fn less_time_of_its_own_is_no_proof_of_less_cost_where_counts_show_more_calls_of_another() {
    let build = |hash: u32| {
        format!(
            "main:50 work:50 reserve:90 reserve={hash} main>work main>reserve grow@plt:16 reserve>grow@plt"
        )
    };
    let (before, after) = (with_rest("main;reserve 100"), with_rest("main;reserve 50"));
    let said_with = |grows: u32| {
        let counts = format!("reserve\t100\t100\nreserve -> grow\t10\t{grows}\n");
        let extra = Extra { counts: Some(CallCounts::parse(&counts).unwrap()), ..Extra::default() };
        let outcome = classified_with(seen(&before, &build(7)), seen(&after, &build(8)), &extra);
        (said(&outcome, "reserve"), verdict(&outcome, "reserve").limited_by.clone())
    };
    assert_eq!(said_with(12), ("lighter proved R-lighter".to_owned(), None));
    assert_eq!(
        said_with(1000),
        ("lighter likely R-lighter".to_owned(), Some(Limit::CallsMoreOf("grow".into())))
    );
}
