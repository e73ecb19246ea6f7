//! Functions that took the place of others: renamed, split, merged, moved, or put in between.

use pdiff_analysis::classify::{Limit, Reason};

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
fn a_part_of_the_program_that_was_written_again_is_moved_with_its_net() {
    let old = ["parse", "check", "plan", "open", "scan", "sort", "emit", "close", "flush"];
    let new = ["lex", "verify", "route", "begin", "probe", "rank", "yield", "end", "drain"];
    let side = |module: &str, steps: [&str; 9], weight: usize| {
        let path = |step: &str| format!("engine::{module}::Run::{step}");
        let chain: Vec<String> = steps.iter().map(|step| path(step)).collect();
        let mut folded = with_rest("");
        let mut build = "main:50 work:50 main>work".to_owned();
        for at in 0..chain.len() {
            folded += &format!("main;{} {weight}\n", chain[..=at].join(";"));
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
    // One step kept its name, and holds together what calls it and what it calls.
    let kept = ["lex", "verify", "route", "begin", "scan", "rank", "yield", "end", "drain"];
    let outcome = between(&old, &side("tables", kept, 33));
    assert_eq!(verdict(&outcome, "engine::tables::Run::scan").rule_id, "R-moved");
    for step in ["verify", "drain"] {
        assert_eq!(said(&outcome, &format!("engine::tables::Run::{step}")), "moved likely R-module");
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
fn a_library_that_took_the_place_of_one_that_others_still_need_is_not_new_for_certain() {
    let old = "main:50 work:50 run:200 other:100 slow::check:900 run>slow::check other>slow::check";
    let new = |name: &str| {
        format!("main:50 work:50 run:220 {name}:800 other:100 slow::check:900 other>slow::check run>{name}")
    };
    let with = |before: &str, name: &str| {
        let after = with_rest(&format!("main;run;{name} 120"));
        let outcome = classified(seen(before, old), seen(&after, &new(name)));
        said(&outcome, name)
    };
    let before = with_rest("main;run;slow::check 50");
    assert_eq!(with(&before, "quick::check"), "new-overhead likely R-new-code");
    // Of the same library, or not in its place: there it is one more.
    assert_eq!(with(&before, "slow::verify"), "new-overhead proved R-new-code");
    assert_eq!(with(&with_rest("main;run 20"), "quick::check"), "new-overhead proved R-new-code");
}

#[test]
fn a_function_that_has_another_name_now_casts_no_doubt_on_new_code() {
    let before = with_rest("main;run;scan_ref 50");
    let after = with_rest("main;run;tokenize 48\nmain;run;verify 50");
    let old = "main:50 work:50 run:200 scan_ref:300 scan_ref=9 run>scan_ref";
    let new = "main:50 work:50 run:220 tokenize:300 tokenize=9 verify:700 run>verify run>tokenize";
    let outcome = classified(seen(&before, old), seen(&after, new));
    assert_eq!(said(&outcome, "scan_ref"), "moved likely R-succession");
    assert_eq!(said(&outcome, "verify"), "new-overhead proved R-new-code");
}

#[test]
fn what_a_caller_lost_to_functions_it_no_longer_inlines_casts_no_doubt_on_new_code() {
    let (steady, words) = steady();
    let before = format!("{steady}main;run 150\nmain;run;+hash 60");
    let old = format!("main:50 {words} main>run run:900 run=60 hash:70 run<hash*3");
    let new = format!("main:50 {words} main>run run:880 run=61 hash:70 run>hash verify:300 run>verify");
    let with = |run: u64, hash: u64| {
        let after = format!("{steady}main;run {run}\nmain;run;hash {hash}\nmain;run;verify 40");
        classified(seen(&before, &old), seen(&after, &new))
    };
    // The caller's own samples are those of the function that left it; both together cost more.
    let outcome = with(152, 80);
    assert_eq!(said(&outcome, "run"), "inline-change proved R-inline-lost-caller");
    assert_eq!(said(&outcome, "verify"), "new-overhead proved R-new-code");
    // They lost as much as the new function has.
    assert_eq!(said(&with(110, 62), "verify"), "new-overhead likely R-new-code");
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
fn a_module_that_kept_few_of_its_functions_was_rewritten() {
    let shared = "main:50 work:50 run:200 main>work main>run";
    let before = with_rest("main;run 40");
    let after = with_rest("main;run 40\nmain;run;lib::text::New::cross 50");
    let of = |kept: &str| {
        let outcome = classified(
            seen(&before, &format!("{shared} lib::text::Old::product:300 lib::text::Old::all:90 {kept}")),
            seen(
                &after,
                &format!(
                    "{shared} run>lib::text::New::cross lib::text::New::cross:700 lib::text::New::some:90 {kept}"
                ),
            ),
        );
        said(&outcome, "lib::text::New::cross")
    };
    assert_eq!(of("lib::text::Both::len:60"), "new-overhead likely R-new-code");
    // The type that is new is one of many in the module.
    let most = "lib::text::Both::len:60 lib::text::Both::get:60 lib::text::Both::set:60";
    assert_eq!(of(most), "new-overhead proved R-new-code");
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
fn what_a_function_lost_to_its_own_new_part_is_no_other_new_functions() {
    let before = with_rest("main;put;pack 150\nmain;serve 100");
    let after = |audit: usize| {
        with_rest(&format!(
            "main;put;pack 90\nmain;put;pack;tail 58\nmain;serve 100\nmain;serve;audit {audit}"
        ))
    };
    let old = "main:50 work:50 put:90 pack:600 serve:200 main>put main>serve put>pack pack@src/store.c serve@src/store.c";
    let new = format!(
        "{} tail:300 audit:90 pack>tail serve>audit audit@src/store.c tail@src/store.c",
        old.replace("pack:600", "pack:330")
    );
    let outcome = classified(seen(&before, old), seen(&after(50), &new));
    assert_eq!(said(&outcome, "tail"), "split likely R-succession");
    assert_eq!(verdict(&outcome, "audit").cause.as_str(), "new-overhead");
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
fn of_builds_a_patch_apart_a_function_in_another_file_is_moved_though_it_costs_the_same() {
    let (steady, words) = steady();
    let of =
        |file: &str, bytes: u64| format!("main:50 {words} find_slot:{bytes} find_slot@{file} main>find_slot");
    let side = |weight: u64| format!("{steady}main;find_slot {weight}");
    let (before, after) = (side(100), side(103));
    let moved = classified(seen(&before, &of("src/page.c", 300)), seen(&after, &of("src/slot.c", 300)));
    assert_eq!(said(&moved, "find_slot"), "moved likely R-moved");
    let Reason::OtherFile { before: from, after: to, net_pp } = &verdict(&moved, "find_slot").reason else {
        panic!("{:?}", verdict(&moved, "find_slot").reason)
    };
    assert_eq!((from.as_str(), to.as_str()), ("page.c", "slot.c"));
    assert!(net_pp.abs() < 1.0, "{net_pp}");
    // Some bytes differ in another file: other neighbours are aligned otherwise, and places in the source are other constants.
    let outcome = classified(seen(&before, &of("src/page.c", 300)), seen(&after, &of("src/slot.c", 312)));
    assert_eq!(said(&outcome, "find_slot"), "moved likely R-moved");
    // In the same file, or with other code, there is nothing to say.
    for (file, bytes) in [("src/page.c", 300), ("src/slot.c", 340)] {
        let outcome = classified(seen(&before, &of("src/page.c", 300)), seen(&after, &of(file, bytes)));
        assert_eq!(verdict(&outcome, "find_slot").cause.as_str(), "noise", "{file} {bytes}");
    }
    // Builds that differ in most functions are not a patch apart: files of a library get other names all the time.
    let apart = of("src/slot.c", 300).replace("steady_1", "other_1").replace('=', ":77 x=");
    let outcome = classified(seen(&before, &of("src/page.c", 300)), seen(&after, &apart));
    assert_eq!(verdict(&outcome, "find_slot").cause.as_str(), "noise");
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

#[test]
fn a_copy_of_a_like_name_that_vanished_from_the_caller_may_be_what_is_new() {
    let build = "main:50 work:50 flush:200 flush@x/os.c main>flush";
    let before = with_rest("main;flush 90");
    let after = with_rest("main;flush 90\nmain;flush;syncfiles_all 90");
    let new = format!("{build} syncfiles_all:300 syncfiles_all@x/os.c flush>syncfiles_all");
    let of = |old: &str| {
        let outcome = classified(seen(&before, &format!("{build} {old}")), seen(&after, &new));
        format!("{} {:?}", said(&outcome, "syncfiles_all"), verdict(&outcome, "syncfiles_all").limited_by)
    };
    let found = of("syncfile@x/os.c flush<syncfile*1");
    assert!(found.starts_with("new-overhead likely R-new-code Some(VanishedCopy"), "{found}");
    // Of another name, of another file, or with code of its own it says nothing.
    for other in ["rename@x/os.c flush<rename*1", "syncfile@x/log.c flush<syncfile*1"] {
        assert_eq!(of(other), "new-overhead proved R-new-code None", "{other}");
    }
}

#[test]
fn code_inlined_in_what_took_anothers_place_is_a_part_of_that() {
    let before = with_rest("main;search 100");
    let after = |rows: usize| with_rest(&format!("main;search_rows 40\nmain;search_rows;+match_rows {rows}"));
    let build = "main:50 work:50 main>work ";
    let old = format!("{build} search:800 main>search");
    let new = format!("{build} search_rows:820 main>search_rows search_rows<match_rows*1");
    let between = |rows: usize| classified(seen(&before, &old), seen(&after(rows), &new));
    let outcome = between(62);
    assert_eq!(said(&outcome, "search_rows"), "moved likely R-succession");
    assert_eq!(said(&outcome, "match_rows"), "moved likely R-succession");
    let back = classified(seen(&after(62), &new), seen(&before, &old));
    assert_eq!(said(&back, "match_rows"), "moved likely R-succession");
    // What replaced it costs more by most of what the part does: that is new.
    assert_eq!(said(&between(200), "match_rows"), "new-overhead likely R-new-code");
    // It costs so much more that the part hardly matters.
    let much_more = with_rest("main;search_rows 190\nmain;search_rows;+match_rows 5");
    let outcome = classified(seen(&before, &old), seen(&much_more, &new));
    assert_eq!(said(&outcome, "match_rows"), "moved likely R-succession");
}

#[test]
fn an_inlined_part_that_got_a_name_is_split_off_and_not_new() {
    let build = "main:50 work:50 encode:300 main>encode encode<add*2";
    let named = format!("{build} encode<low_bits*2");
    let before = with_rest("main;encode 150\nmain;encode;+add 90");
    let after = |add: usize, bits: usize| {
        let part = format!("main;encode;+add {add}\nmain;encode;+add;+low_bits {bits}");
        with_rest(&format!("main;encode 150\n{part}"))
    };
    let outcome = classified(seen(&before, build), seen(&after(40, 52), &named));
    assert_eq!(said(&outcome, "low_bits"), "split likely R-succession");
    // Its caller does as much itself as before.
    let outcome = classified(seen(&before, build), seen(&after(90, 52), &named));
    assert_eq!(said(&outcome, "low_bits"), "new-overhead likely R-new-code");
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
fn where_the_stacks_lost_all_that_calls_new_code_it_may_have_replaced_other_code() {
    let build = "main:50 work:50 main>work ";
    let after = with_rest("scan_fast 60");
    let of = |words: &str| {
        let outcome = classified(seen(&with_rest(""), build), seen(&after, &format!("{build} {words}")));
        said(&outcome, "scan_fast")
    };
    assert_eq!(of("scan_fast:200 scan:90 scan>scan_fast main>scan"), "new-overhead likely R-new-code");
    // No code calls what a thread begins with.
    assert_eq!(of("scan_fast:200"), "new-overhead proved R-new-code");
}

#[test]
fn what_is_partly_inside_another_function_of_a_set_is_counted_once() {
    let before = with_rest("main;run;seek 100\nmain;run 20");
    let after = with_rest(
        "main;run;seek_index 40\nmain;run;seek_index;seek_table 25\nmain;run;seek_table 35\nmain;run 20",
    );
    let outcome = classified(
        seen(&before, "main:50 work:50 main>run run:200 seek:600 seek@a.c run>seek"),
        seen(
            &after,
            "main:50 work:50 main>run run:200 seek_index:380 seek_table:290 seek_index@a.c seek_table@a.c run>seek_index \
             run>seek_table seek_index>seek_table",
        ),
    );
    let Reason::Succession { after, net_pp, .. } = &verdict(&outcome, "seek").reason else {
        panic!("{:?}", verdict(&outcome, "seek").reason)
    };
    assert_eq!(after.len(), 2);
    assert!(net_pp.abs() < 0.5, "{net_pp}");
}

#[test]
fn a_function_that_only_led_to_a_renamed_one_did_not_become_what_that_calls() {
    let build = |words: &str| format!("main:50 work:50 main>work main>run run:900 {words}");
    let before = with_rest(
        "main;run 100\nmain;run;cursor_moveto 6\nmain;run;cursor_moveto;defer_moveto 4\n\
         main;run;cursor_moveto;defer_moveto;tree_moveto_unpacked 90\nmain;run;tree_moveto_unpacked 110",
    );
    let after = with_rest(
        "main;run 106\nmain;run;finish_moveto 4\nmain;run;finish_moveto;table_moveto 92\n\
         main;run;table_moveto 10\nmain;run;index_moveto 99",
    );
    let outcome = classified(
        seen(
            &before,
            &build(
                "cursor_moveto:120 defer_moveto:160 defer_moveto=5 tree_moveto_unpacked:1500 run>cursor_moveto \
                 cursor_moveto>defer_moveto defer_moveto>tree_moveto_unpacked run>tree_moveto_unpacked",
            ),
        ),
        seen(
            &after,
            &build(
                "finish_moveto:160 finish_moveto=5 table_moveto:560 index_moveto:560 run>finish_moveto \
                 finish_moveto>table_moveto run>index_moveto run>table_moveto",
            ),
        ),
    );
    let Reason::Succession { before, .. } = &verdict(&outcome, "tree_moveto_unpacked").reason else {
        panic!("{:?}", verdict(&outcome, "tree_moveto_unpacked").reason)
    };
    let names: Vec<&str> = before.iter().map(|of| of.name.as_str()).collect();
    assert_eq!(names, ["tree_moveto_unpacked"]);
}

#[test]
fn a_caller_that_took_over_a_third_of_what_is_gone_casts_doubt_on_it() {
    let old = "main:50 work:50 run:200 record:300 main>run run>record";
    let before = with_rest("main;run 100\nmain;run;record 100");
    let said_of = |run: u64| {
        let after = with_rest(&format!("main;run {run}"));
        said(&classified(seen(&before, old), seen(&after, "main:50 work:50 run:260 main>run")), "record")
    };
    assert_eq!(said_of(130), "gone likely R-gone");
    assert_eq!(said_of(104), "gone proved R-gone");
}

#[test]
fn a_part_of_a_function_that_both_builds_have_may_have_replaced_what_is_gone() {
    let build = "main:50 work:50 main>pass pass>pack pack:90";
    let before = with_rest("main;pass 300\nmain;pass;sort 60\nmain;pass;pack 40");
    let of = |next: u64| {
        let after =
            with_rest(&format!("main;pass {}\nmain;pass;next_pass {next}\nmain;pass;pack 40", 300 - next));
        let outcome = classified(
            seen(&before, &format!("{build} pass:900 sort:200 pass>sort")),
            seen(&after, &format!("{build} pass:700 next_pass:250 pass>next_pass")),
        );
        assert_eq!(verdict(&outcome, "next_pass").rule_id, "R-succession");
        said(&outcome, "sort")
    };
    assert_eq!(of(70), "gone likely R-gone");
    // It is much larger.
    assert_eq!(of(180), "gone proved R-gone");
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
fn what_a_caller_called_that_did_not_run_may_be_what_is_new_under_it() {
    let build = "main:50 work:50 main>work main>init init:200 init>define define:90 ";
    let (before, after) = (with_rest("main;init 30"), with_rest("main;init 30\nmain;init;define;own 40"));
    let of = |old: &str| {
        let new = format!("{build} own:300 define>own");
        said(&classified(seen(&before, &format!("{build} {old}")), seen(&after, &new)), "own")
    };
    assert_eq!(of("helper:900 define>helper"), "new-overhead likely R-new-code");
    assert_eq!(of("helper:900 main>helper"), "new-overhead proved R-new-code");
    // The run before entered the caller, and nothing else under it.
    let before = with_rest("main;init 30\nmain;init;define 2");
    let outcome = classified(
        seen(&before, &format!("{build} helper:900 define>helper")),
        seen(&after, &format!("{build} own:300 define>own")),
    );
    assert_eq!(said(&outcome, "own"), "new-overhead proved R-new-code");
}

#[test]
fn parts_of_other_names_have_the_total_of_the_whole() {
    let build =
        |words: &str| format!("main:50 work:50 run:220 table:400 main>work main>run run>table {words}");
    let after = with_rest("main;run;alpha 26\nmain;run;omega 23\nmain;run;table 300");
    let rule_of = |table: &str| {
        let before = with_rest(&format!("main;run;encode 50\nmain;run;{table}table 300"));
        let outcome = classified(
            seen(&before, &build("encode:600 run>encode encode>table")),
            seen(&after, &build("alpha:300 omega:290 run>alpha run>omega")),
        );
        verdict(&outcome, "encode").rule_id
    };
    assert_eq!(rule_of(""), "R-succession");
    // Most of what it cost was another function's cost.
    assert_eq!(rule_of("encode;"), "R-gone");
}

#[test]
fn one_function_did_not_become_another_one_of_a_fifth_of_its_total() {
    let build =
        |words: &str| format!("main:50 work:50 run:220 table:400 main>work main>run run>table {words}");
    let of = |table: &str| {
        let before = with_rest(&format!("main;run;alloc_checked_entry 40\nmain;run;{table}table 300"));
        let after = with_rest("main;run;table_alloc_init 60\nmain;run;table 300");
        let outcome = classified(
            seen(
                &before,
                &build("alloc_checked_entry:330 run>alloc_checked_entry alloc_checked_entry>table"),
            ),
            seen(&after, &build("table_alloc_init:150 run>table_alloc_init")),
        );
        ["alloc_checked_entry", "table_alloc_init"].map(|name| verdict(&outcome, name).rule_id)
    };
    assert_eq!(of(""), ["R-succession"; 2]);
    assert_eq!(of("alloc_checked_entry;"), ["R-gone", "R-new-code"]);
}

#[test]
fn a_function_of_like_name_that_costs_next_to_nothing_may_be_the_one_that_is_gone() {
    let build = "main:50 work:50 main>work main>encode encode:400 encode@x/enc.c ";
    let before = with_rest("main;encode 100\nmain;encode;clear_transparent_area 40");
    let of = |new: &str, file: &str| {
        let old = "clear_transparent_area:300 clear_transparent_area@x/tools.c encode>clear_transparent_area";
        let new = format!("{build} {new}:200 {new}@x/{file} encode>{new}");
        let outcome =
            classified(seen(&before, &format!("{build} {old}")), seen(&with_rest("main;encode 100"), &new));
        said(&outcome, "clear_transparent_area")
    };
    assert_eq!(of("replace_transparent", "tools.c"), "gone likely R-gone");
    assert_eq!(of("replace_transparent", "other.c"), "gone proved R-gone");
    assert_eq!(of("blend", "tools.c"), "gone proved R-gone");
}

#[test]
fn a_function_that_callers_left_for_one_of_a_similar_name_casts_doubt_on_that() {
    let build =
        "main:50 work:50 main>work main>cube cube:400 cff_check_points:60 spare>cff_check_points spare:90 ";
    let (old, new) = ("cube>cff_check_points", "ps_check_points");
    let of = |new: &str, more: &str| {
        let before = with_rest("main;cube 100\nmain;cube;cff_check_points 8");
        let after = with_rest(&format!("main;cube 100\nmain;cube;{new} 40"));
        let words = format!("{build} {new}:300 cube>{new} {more}");
        said(&classified(seen(&before, &format!("{build} {old}")), seen(&after, &words)), new)
    };
    assert_eq!(of(new, ""), "new-overhead likely R-new-code");
    // The caller calls the old one still.
    assert_eq!(of(new, old), "new-overhead proved R-new-code");
    assert_eq!(of("audit", ""), "new-overhead proved R-new-code");
}
