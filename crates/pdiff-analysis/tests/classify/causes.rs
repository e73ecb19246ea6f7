//! One case a cause.

use pdiff_analysis::classify::{CallCounts, CallInCode, Evidence, Fact, Limit, Reason, SelfChange, Tag};
use pdiff_analysis::matching::SourceMove;

use crate::build::{Extra, classified, classified_with, said, seen, verdict};

/// Everything else that the program does: 600 samples a second that do not change.
const REST: &str = "main;work 600";

fn with_rest(folded: &str) -> String {
    format!("{REST}\n{folded}")
}

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
fn a_part_of_the_program_that_was_written_again_is_moved_with_its_net() {
    let old = ["parse", "check", "plan", "open", "scan", "sort", "emit", "close", "flush"];
    let new = ["lex", "verify", "route", "begin", "probe", "rank", "yield", "end", "drain"];
    let side = |module: &str, steps: [&str; 9], weight: usize| {
        let path = |step: &str| format!("engine::{module}::Run::{step}");
        let chain: Vec<String> = steps.iter().map(|step| path(step)).collect();
        let mut folded = REST.to_owned();
        let mut build = "main:50 work:50 main>work".to_owned();
        for at in 0..chain.len() {
            folded += &format!("\nmain;{} {weight}", chain[..=at].join(";"));
            build += &format!(" {}:{}", chain[at], 100 + at);
            let caller = at.checked_sub(1).map_or("main", |caller| chain[caller].as_str());
            build += &format!(" {caller}>{}", chain[at]);
        }
        (folded, build)
    };
    let between = |before: &(String, String), after: &(String, String)| {
        classified(seen(&before.0, &before.1), seen(&after.0, &after.1))
    };
    let (old, new) = (side("machine", old, 30), side("tables", new, 33));
    let outcome = between(&old, &new);
    for (module, step) in [("machine", "scan"), ("tables", "probe"), ("tables", "drain")] {
        let verdict = verdict(&outcome, &format!("engine::{module}::Run::{step}"));
        assert!(["R-module", "R-succession"].contains(&verdict.rule_id), "{verdict:?}");
        assert_eq!(verdict.cause.as_str(), "moved");
    }
    // A library's function that such a part alone calls is part of it; one that others call is new.
    let with_library = |caller: &str, chain: &str| {
        let folded = format!("{}\nmain;{chain};core::iter::fold 90", new.0);
        (folded, format!("{} core::iter::fold:70 {caller}>core::iter::fold", new.1))
    };
    let of_part = with_library("engine::tables::Run::lex", "engine::tables::Run::lex");
    assert_eq!(said(&between(&old, &of_part), "core::iter::fold"), "moved likely R-module");
    let of_other = with_library("work", "work");
    assert_eq!(said(&between(&old, &of_other), "core::iter::fold"), "new-overhead likely R-new-code");
    // Nothing is gone: what is there now as well is new.
    let beside = (format!("{}\n{}", old.0, new.0), format!("{} {}", old.1, new.1));
    let outcome = between(&old, &beside);
    assert_eq!(said(&outcome, "engine::tables::Run::probe"), "new-overhead proved R-new-code");
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
    // The caller did not lose it, or no copy was sampled at all.
    assert_eq!(flipped("main;scan 60\nmain;scan;+leaf 10"), "inline-regression likely R-inline-lost");
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
fn a_new_function_of_like_name_and_weight_under_the_same_caller_is_the_vanished_one() {
    let (before, after) = (with_rest("main;run;handle_key 50"), with_rest("main;run;finish_handle_key 48"));
    let outcome = classified(
        seen(&before, "main:50 work:50 run:200 handle_key:300 handle_key@a.c run>handle_key"),
        seen(
            &after,
            "main:50 work:50 run:220 finish_handle_key:290 finish_handle_key@a.c run>finish_handle_key",
        ),
    );
    assert_eq!(verdict(&outcome, "finish_handle_key").cause.as_str(), "moved");
    assert_eq!(verdict(&outcome, "handle_key").cause.as_str(), "moved");
}

#[test]
fn a_vanished_function_of_like_weight_casts_doubt_on_new_code() {
    let (before, after) = (with_rest("main;run;old_check 50"), with_rest("main;run;verify 50"));
    let outcome = classified(
        seen(&before, "main:50 work:50 run:200 old_check:900"),
        seen(&after, "main:50 work:50 run:220 verify:300"),
    );
    assert_eq!(said(&outcome, "verify"), "new-overhead likely R-new-code");
    assert_eq!(said(&outcome, "old_check"), "gone likely R-gone");
}

#[test]
fn what_is_new_in_a_module_that_was_rewritten_is_not_proved() {
    let shared = "main:50 work:50 run:200 lib::scan::Finder:400";
    let of = |gone: u32| {
        let before = with_rest(&format!("main;run;lib::scan::Finder 40\nmain;work;lib::scan::Slim {gone}"));
        let after = with_rest("main;run;lib::scan::Finder 40\nmain;run;lib::scan::Fat 50");
        classified(
            seen(&before, &format!("{shared} lib::scan::Slim:900")),
            seen(&after, &format!("{shared} lib::scan::Fat:300")),
        )
    };
    let rewritten = of(20);
    assert_eq!(said(&rewritten, "lib::scan::Fat"), "new-overhead likely R-new-code");
    assert_eq!(said(&rewritten, "lib::scan::Slim"), "gone likely R-gone");
    let limit = verdict(&rewritten, "lib::scan::Fat").limited_by.as_ref();
    assert_eq!(limit, Some(&Limit::RewrittenModule("lib::scan".to_owned())));
    // What left the module weighs next to nothing: it is no form of the new one.
    assert_eq!(said(&of(2), "lib::scan::Fat"), "new-overhead proved R-new-code");
}

#[test]
fn what_is_new_in_a_module_that_was_moved_is_not_proved() {
    let before = with_rest("main;run;lib::expand::find_ref 40\nmain;run;lib::expand::expand_text 50");
    let after = with_rest("main;run;core_lib::util::find_ref 40");
    let of = |gone: &str, heir: &str| {
        classified(
            seen(&before, &format!("main:50 work:50 run:200 lib::expand::find_ref:400 {gone}")),
            seen(&after, &format!("main:50 work:50 run:900 {heir}")),
        )
    };
    let moved = of("lib::expand::expand_text:3000", "core_lib::util::find_ref:400");
    assert_eq!(said(&moved, "lib::expand::expand_text"), "gone likely R-gone");
    let limit = verdict(&moved, "lib::expand::expand_text").limited_by.as_ref();
    assert_eq!(limit, Some(&Limit::MovedModule("lib::expand".to_owned())));
    // The module is in both builds: a function that left it says nothing about others.
    let kept = "core_lib::util::find_ref:400 lib::expand::other:90";
    let stays = of("lib::expand::expand_text:3000 lib::expand::other:90", kept);
    assert_eq!(said(&stays, "lib::expand::expand_text"), "gone proved R-gone");
}

#[test]
fn a_function_in_two_parts_of_other_names_is_split() {
    let before = with_rest("main;run;encode 50");
    let after = with_rest("main;run;alpha 26\nmain;run;omega 23");
    let of = |omega: u64| {
        let parts = format!("alpha:300 omega:{omega} run>alpha run>omega");
        classified(
            seen(&before, "main:50 work:50 run:200 encode:600 run>encode"),
            seen(&after, &format!("main:50 work:50 run:220 {parts}")),
        )
    };
    let split = of(290);
    for function in ["encode", "alpha", "omega"] {
        assert_eq!(said(&split, function), "split likely R-succession", "{function}");
    }
    // Much more code than there was is no part of it.
    assert_eq!(verdict(&of(3000), "omega").rule_id, "R-new-code");
}

#[test]
fn code_that_only_one_run_entered_is_newly_active() {
    let (before, after) = (with_rest("main;run 100"), with_rest("main;run 100\nmain;run;audit 50"));
    let build = "main:50 work:50 run:200 audit:300 run>audit";
    let outcome = classified(seen(&before, build), seen(&after, build));
    assert_eq!(said(&outcome, "audit"), "newly-active likely R-newly-active");
}

/// Twenty functions with the same code in both builds, all sampled: the builds are a patch apart.
fn steady() -> (String, String) {
    let stacks = (0..20).map(|n| format!("main;steady_{n} 60\n")).collect();
    let words = (0..20).map(|n| format!("steady_{n}:80 steady_{n}={n} main>steady_{n} ")).collect();
    (stacks, words)
}

#[test]
fn of_builds_a_patch_apart_a_changed_caller_lost_its_fast_path() {
    let (steady, words) = steady();
    let (before, after) =
        (format!("{steady}main;run 100"), format!("{steady}main;run 100\nmain;run;audit 90"));
    let build = format!("main:50 {words} audit:300 audit=50 main>run run>audit run:200");
    let of = |hash: u32| format!("{build} run={hash}");
    let outcome = classified(seen(&before, &of(60)), seen(&after, &of(61)));
    assert_eq!(said(&outcome, "audit"), "missing-fast-path likely R-edge");
    assert_eq!(verdict(&outcome, "audit").callers, ["run"]);
    let outcome = classified(seen(&before, &of(60)), seen(&after, &of(60)));
    assert_eq!(said(&outcome, "audit"), "newly-active likely R-newly-active");
}

#[test]
fn of_builds_a_patch_apart_a_changed_function_may_go_on_more_often() {
    let (steady, words) = steady();
    let build = format!("main:50 {words} fetch:300 fetch=50 main>seek seek>fetch seek:200");
    let of = |hash: u32| format!("{build} seek={hash}");
    let before = format!("{steady}main;seek 60\nmain;seek;fetch 90");
    let more_often = format!("{steady}main;seek 120\nmain;seek;fetch 180");
    let further = format!("{steady}main;seek 62\nmain;seek;fetch 270");
    let outcome = classified(seen(&before, &of(60)), seen(&further, &of(61)));
    assert_eq!(said(&outcome, "seek"), "missing-fast-path likely R-fast-path");
    for (after, hash) in [(&further, 60), (&more_often, 61)] {
        let outcome = classified(seen(&before, &of(60)), seen(after, &of(hash)));
        assert_ne!(verdict(&outcome, "seek").rule_id, "R-fast-path");
    }
    // A record that both read grew: offsets in the callee differ, its size does not.
    let other_offsets = of(61).replace("fetch=50", "fetch=51");
    let outcome = classified(seen(&before, &of(60)), seen(&further, &other_offsets));
    assert_eq!(said(&outcome, "seek"), "missing-fast-path likely R-fast-path");
}

#[test]
fn what_grew_under_a_call_that_is_new_is_part_of_that_finding() {
    let (steady, words) = steady();
    let build = format!(
        "main:50 {words} audit:300 audit=50 write:90 write=51 main>run run>audit audit>write main>write run:200"
    );
    let of = |hash: u32| format!("{build} run={hash}");
    let before = format!("{steady}main;run 100\nmain;write 30");
    let after = format!("{steady}main;run 100\nmain;write 30\nmain;run;audit;write 90");
    let outcome = classified(seen(&before, &of(60)), seen(&after, &of(61)));
    assert_eq!(said(&outcome, "audit"), "missing-fast-path likely R-edge");
    assert_eq!(said(&outcome, "write"), "missing-fast-path likely R-below");
    assert_eq!(verdict(&outcome, "write").callers, ["audit"]);
    // With other code the growth may be its own.
    let other = of(61).replace("write=51", "write=52").replace("write:90", "write:130");
    let outcome = classified(seen(&before, &of(60)), seen(&after, &other));
    assert_ne!(verdict(&outcome, "write").rule_id, "R-below");
}

#[test]
fn a_function_that_returned_early_was_cheap_and_lost_its_fast_path_all_the_same() {
    let (steady, words) = steady();
    let build = format!(
        "main:50 {words} main>run run>note run:200 note>count note:90 count:300 count=50 count>size size:90 size=51"
    );
    let of = |run: u32, note: u32| format!("{build} run={run} note={note}");
    // Ten samples of it: each stack is there in ten seconds.
    let before = format!("{steady}main;run 100\nmain;run;note 1");
    let after =
        format!("{steady}main;run 100\nmain;run;note 2\nmain;run;note;count 60\nmain;run;note;count;size 30");
    let outcome = classified(seen(&before, &of(60, 61)), seen(&after, &of(60, 62)));
    assert_eq!(said(&outcome, "note"), "missing-fast-path likely R-fast-path");
    assert_eq!(said(&outcome, "count"), "missing-fast-path likely R-edge");
    // The before run did not enter it, and it is part of that finding, not another path.
    assert_eq!(said(&outcome, "size"), "missing-fast-path likely R-below");
    // A caller with other code may call it more often.
    let outcome = classified(seen(&before, &of(60, 61)), seen(&after, &of(63, 62)));
    assert_eq!(said(&outcome, "note"), "missing-fast-path likely R-edge");
    assert_eq!(verdict(&outcome, "note").callers, ["run"]);
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
fn a_callee_that_chains_lost_before_makes_no_new_edge() {
    let (steady, words) = steady();
    let build =
        format!("main:50 {words} size:300 size=50 parse:90 parse=51 main>run run>size size>parse run:200");
    let of = |hash: u32| format!("{build} run={hash}");
    let after = format!("{steady}main;run 100\nmain;run;size;parse 90");
    // The parser hid the function that called it: a leaf without a frame.
    let hidden = format!("{steady}main;run 100\nmain;run;parse 90");
    let outcome = classified(seen(&hidden, &of(60)), seen(&after, &of(61)));
    assert_ne!(verdict(&outcome, "size").rule_id, "R-edge");
    let none = format!("{steady}main;run 100");
    let outcome = classified(seen(&none, &of(60)), seen(&after, &of(61)));
    assert_eq!(said(&outcome, "size"), "missing-fast-path likely R-edge");
}

#[test]
fn of_builds_a_patch_apart_a_function_in_another_file_is_moved() {
    let (steady, words) = steady();
    let of = |file: &str| format!("main:50 {words} find_slot:300 find_slot@{file} main>find_slot");
    let (before, after) = (format!("{steady}main;find_slot 100"), format!("{steady}main;find_slot 60"));
    let outcome = classified(seen(&before, &of("src/page.c")), seen(&after, &of("src/slot.c")));
    assert_eq!(said(&outcome, "find_slot"), "moved likely R-moved");
    let outcome = classified(seen(&before, &of("src/page.c")), seen(&after, &of("src/page.c")));
    assert_eq!(said(&outcome, "find_slot"), "lighter likely R-lighter");
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
fn a_function_that_goes_on_where_it_returned_early_misses_its_fast_path() {
    let before = with_rest("main;look_up 60\nmain;other;slow 30");
    let after = with_rest("main;look_up 62\nmain;look_up;slow 80\nmain;other;slow 30");
    let build = "main:50 work:50 other:60 look_up:200 slow:300 look_up>slow other>slow";
    let outcome = classified(seen(&before, build), seen(&after, build));
    assert_eq!(said(&outcome, "look_up"), "missing-fast-path likely R-fast-path");
    let look_up = verdict(&outcome, "look_up");
    let returned_early =
        |evidence: &Evidence| matches!(evidence.fact, Fact::Entered { before_code: CallInCode::Present, .. });
    assert!(look_up.evidence.iter().any(returned_early));
}

#[test]
fn a_caller_that_the_chains_lost_is_found_in_the_code() {
    let before = with_rest("main;look_up 60\nmain;other;slow 9");
    let after = with_rest("main;look_up 62\nmain;slow 80\nmain;other;slow 9");
    let build = "main:50 work:50 other:60 look_up:200 slow:300 main>look_up main>other look_up>slow";
    let outcome = classified(seen(&before, build), seen(&after, build));
    assert_eq!(said(&outcome, "look_up"), "missing-fast-path likely R-fast-path");
}

#[test]
fn a_callee_that_took_the_place_of_another_is_no_missing_fast_path() {
    let before = with_rest("main;run 60\nmain;run;old_way 100");
    let after = with_rest("main;run 60\nmain;run;new_way 180");
    let outcome = classified(
        seen(&before, "main:50 work:50 run:200 old_way:300 run>old_way"),
        seen(&after, "main:50 work:50 run:200 new_way:90 run>new_way"),
    );
    assert_eq!(said(&outcome, "run"), "heavier likely R-callees");
}

#[test]
fn a_callee_that_stands_around_an_old_one_is_no_missing_fast_path() {
    let before = with_rest("main;run 60\nmain;run;read 40");
    let build = "main:50 work:50 run:200 read:300 ";
    let after_run = |under: &str| with_rest(&format!("main;run 60\n{under}"));
    let with = |after: &str, calls: &str| {
        let outcome = classified(
            seen(&before, &format!("{build} run>read")),
            seen(&after_run(after), &format!("{build} {calls}")),
        );
        said(&outcome, "run")
    };
    // The old callee costs three times as much, and is reached through a new one, or through two.
    let one = "main;run;checked_read 10\nmain;run;checked_read;read 120";
    assert_eq!(with(one, "checked_read:90 run>checked_read checked_read>read"), "heavier likely R-callees");
    let two = "main;run;checked_read 10\nmain;run;checked_read;try_read;read 120";
    let calls = "checked_read:90 try_read:90 run>checked_read checked_read>try_read try_read>read";
    assert_eq!(with(two, calls), "heavier likely R-callees");
    // The same, and the old one was jumped to in tail position, so that stacks do not show it under its caller.
    let jumped = with_rest("main;run 60\nmain;read 40");
    let outcome = classified(
        seen(&jumped, &format!("{build} run^read main>run")),
        seen(
            &after_run(one),
            &format!("{build} checked_read:90 main>run run>checked_read checked_read>read"),
        ),
    );
    assert_eq!(verdict(&outcome, "run").rule_id, "R-callees");
    // What the function goes on to does most of the work itself: new code, or code that was there.
    let new = "main;run;checked_read 100\nmain;run;checked_read;read 40";
    let calls = "checked_read:90 run>checked_read checked_read>read";
    assert_eq!(with(new, calls), "heavier likely R-callees");
    let outcome = classified(
        seen(&before, &format!("{build} checked_read:90 run>read")),
        seen(&after_run(new), &format!("{build} {calls}")),
    );
    assert_eq!(said(&outcome, "run"), "missing-fast-path likely R-fast-path");
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
fn a_renamed_function_is_moved_and_compared_as_one() {
    let (before, after) = (with_rest("main;page_commit 50"), with_rest("main;page_t::commit 51"));
    let builds = ["main:50 work:50 page_commit:200", "main:50 work:50 page_t::commit:210"];
    let outcome = classified(seen(&before, builds[0]), seen(&after, builds[1]));
    assert_eq!(said(&outcome, "page_commit"), "moved likely R-moved");
    assert_eq!(said(&outcome, "page_t::commit"), "moved likely R-moved");
    let heavier = with_rest("main;page_t::commit 120");
    let outcome = classified(seen(&before, builds[0]), seen(&heavier, builds[1]));
    assert_eq!(said(&outcome, "page_t::commit"), "heavier likely R-moved");
    assert_eq!(said(&outcome, "page_commit"), "heavier likely R-moved");
}

#[test]
fn a_function_that_does_more_is_heavier_and_its_callers_point_to_it() {
    let (before, after) = (with_rest("main;run;leaf 50"), with_rest("main;run;leaf 100"));
    let build = "main:50 work:50 run:200 leaf:90 run>leaf";
    let outcome = classified(seen(&before, build), seen(&after, build));
    assert_eq!(said(&outcome, "leaf"), "heavier likely R-heavier");
    assert_eq!(said(&outcome, "run"), "heavier likely R-callees");
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
fn counts_prove_a_missing_fast_path_or_refute_it() {
    let before = with_rest("main;look_up 60\nmain;other;slow 30");
    let after = with_rest("main;look_up 62\nmain;look_up;slow 80\nmain;other;slow 30");
    let build = "main:50 work:50 other:60 look_up:200 slow:300 look_up>slow other>slow";
    let check = |counts: &str, expected: &str| {
        let extra = Extra { counts: Some(CallCounts::parse(counts).unwrap()), ..Extra::default() };
        let outcome = classified_with(seen(&before, build), seen(&after, build), &extra);
        assert_eq!(said(&outcome, "look_up"), expected, "{counts}");
    };
    check("look_up\t1\t1\nlook_up -> slow\t0\t1\n", "missing-fast-path proved R-fast-path");
    check("look_up\t1\t2\nslow\t0.1\t2\n", "missing-fast-path proved R-fast-path");
    // Not counted how often it is called itself, or not the callee.
    check("look_up -> slow\t0\t1\n", "missing-fast-path likely R-fast-path");
    check("look_up\t1\t1\n", "missing-fast-path likely R-fast-path");
    // It always went on.
    check("look_up\t1\t1\nlook_up -> slow\t1\t1\n", "heavier likely R-callees");
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
fn a_call_that_went_down_to_a_callee_is_no_missing_fast_path() {
    let build = "main:50 work:50 loop:200 decode:120 refill:90 main>loop loop>decode";
    let of = |before: &str| {
        let before = with_rest(&format!("main;loop 60\nmain;loop;decode 60\n{before}"));
        let after = with_rest("main;loop 60\nmain;loop;decode 60\nmain;loop;decode;refill 80");
        classified(
            seen(&before, &format!("{build} loop>refill")),
            seen(&after, &format!("{build} decode>refill")),
        )
    };
    assert_ne!(verdict(&of("main;loop;refill 78"), "decode").rule_id, "R-fast-path");
    assert_eq!(verdict(&of("main;loop;refill 4"), "decode").rule_id, "R-fast-path");
}

#[test]
fn what_is_inside_an_heir_is_counted_once() {
    let (before, after) = (
        with_rest("main;run;encode 100"),
        with_rest("main;run;encode_fast 4\nmain;run;encode_fast;encode_body 96"),
    );
    let outcome = classified(
        seen(&before, "main:50 work:50 run:200 encode:600 encode@a.c run>encode"),
        seen(
            &after,
            "main:50 work:50 run:200 encode_fast:90 encode_body:580 encode_fast@a.c encode_body@a.c run>encode_fast \
             encode_fast>encode_body",
        ),
    );
    let Reason::Succession { after, net_pp, .. } = &verdict(&outcome, "encode").reason else {
        panic!("{:?}", verdict(&outcome, "encode").reason)
    };
    let inside: Vec<(&str, bool)> = after.iter().map(|of| (of.name.as_str(), of.is_inside)).collect();
    assert_eq!(inside, [("encode_fast", false), ("encode_body", true)]);
    assert!(net_pp.abs() < 0.5, "{net_pp}");
}

#[test]
fn new_code_below_an_heir_took_nothing_over() {
    let before = with_rest("main;run;compress 10\nmain;run;compress;match 300");
    let after = with_rest(
        "main;run;compress 5\nmain;run;compress;match 150\nmain;run;compress_split 5\nmain;run;compress_split;match 150\n\
         main;run;compress_split;estimate 12",
    );
    let outcome = classified(
        seen(&before, "main:50 work:50 run:200 compress:900 match:300 run>compress compress>match"),
        seen(
            &after,
            "main:50 work:50 run:200 compress:500 match:300 compress_split:400 estimate:200 run>compress \
             compress>match run>compress_split compress_split>match compress_split>estimate",
        ),
    );
    assert_eq!(verdict(&outcome, "compress_split").rule_id, "R-succession");
    assert_eq!(verdict(&outcome, "estimate").rule_id, "R-new-code");
}

#[test]
fn a_stub_is_no_new_code_and_no_fast_path() {
    let build = "main:50 work:50 run:200 other:60 main>work main>run main>other";
    let after = with_rest("main;run 60\nmain;run;lower@plt 40\nmain;other 30");
    let with_stub = format!("{build} lower@plt:16");
    let outcome = classified(seen(&with_rest("main;run 60\nmain;other 30"), build), seen(&after, &with_stub));
    assert_ne!(verdict(&outcome, "lower@plt").rule_id, "R-new-code");
    let before = with_rest("main;run 60\nmain;other 20\nmain;other;lower@plt 10");
    let outcome = classified(seen(&before, &with_stub), seen(&after, &with_stub));
    for name in ["run", "lower@plt"] {
        assert!(
            !["R-fast-path", "R-edge", "R-newly-active"].contains(&verdict(&outcome, name).rule_id),
            "{name}"
        );
    }
}

#[test]
fn a_function_that_new_code_leads_to_may_be_the_one_that_is_gone() {
    // What calls both has too much of the program under it to say whether it costs more.
    let of = |old: &str, old_weight: usize, new: &str| {
        let before = with_rest(&format!("main;compile 400\nmain;compile;{old} {old_weight}"));
        let after =
            with_rest(&format!("main;compile 400\nmain;compile;middle 2\nmain;compile;middle;{new} 110"));
        let build = "main:50 work:50 compile:300 main>work main>compile";
        let outcome = classified(
            seen(&before, &format!("{build} {old}:700 compile>{old}")),
            seen(&after, &format!("{build} middle:90 {new}:800 compile>middle middle>{new}")),
        );
        said(&outcome, new)
    };
    assert_eq!(of("setup", 100, "check"), "new-overhead likely R-new-code");
    assert_eq!(of("setup", 15, "check"), "new-overhead proved R-new-code");
    assert_eq!(of("setup_tree", 100, "tune_tree"), "moved likely R-succession");
}
