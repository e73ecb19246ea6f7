//! Functions that took the place of others: renamed, split, merged, or moved.

use pdiff_analysis::classify::Reason;
use pdiff_profile::PerSide;

use crate::build::{classified, said, seen, steady, verdict, with_rest};

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
fn a_renamed_function_that_runs_only_inlined_is_compared_with_what_is_inlined_in_it() {
    let of = |name: &str, own: usize, size: usize| {
        let folded = format!("main;run 90\nmain;run;+{name} {own}\nmain;run;+{name};+view_size {size}");
        (with_rest(&folded), format!("main:50 work:50 run:900 main>run run<{name}*1 run<view_size*1"))
    };
    let (before, after) = (of("page_advance", 1, 130), of("page_t::advance", 16, 1));
    let outcome = classified(seen(&before.0, &before.1), seen(&after.0, &after.1));
    assert_eq!(said(&outcome, "page_t::advance"), "lighter likely R-moved");
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
    // The same code proves which function it is, and not why it costs more.
    let same = builds.map(|words| words.replace("210", "200"));
    let same = [same[0].clone() + " page_commit=7", same[1].clone() + " page_t::commit=7"];
    for (run, expected) in [(&after, "moved proved R-moved"), (&heavier, "heavier likely R-moved")] {
        let outcome = classified(seen(&before, &same[0]), seen(run, &same[1]));
        assert_eq!(said(&outcome, "page_t::commit"), expected);
    }
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
    let names: Vec<_> = outcome.renamed().into_iter().map(|of| of.names).collect();
    assert_eq!(names, [PerSide::new("search".to_owned(), "search_rows".to_owned())]);
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
fn the_body_of_a_function_may_be_below_new_code_that_it_calls() {
    let build = "main:50 work:50 main>work render:90 main>render step:200";
    let before = format!("{build} eval_state:900 render>eval_state eval_state>step");
    let of = |left: u64, bytes: u64| {
        let after = format!(
            "{build} eval_state:{bytes} start:60 eval_impl:910 render>eval_state eval_state>start start>eval_impl \
             eval_impl>step"
        );
        let folded = format!(
            "main;render;eval_state {left}\nmain;render;eval_state;start;eval_impl 260\n\
             main;render;eval_state;start;eval_impl;step 30"
        );
        let outcome = classified(
            seen(&with_rest("main;render;eval_state 250\nmain;render;eval_state;step 30"), &before),
            seen(&with_rest(&folded), &after),
        );
        said(&outcome, "eval_impl")
    };
    assert_eq!(of(1, 20), "split likely R-succession");
    // It does what it did, and the other one too.
    assert!(of(250, 910).starts_with("new-overhead"), "{}", of(250, 910));
}

#[test]
fn an_inlined_part_may_be_below_other_new_code() {
    let build = "main:50 work:50 main>work search:900 main>search search<find*1";
    let of = |find: u64, after: &str| {
        let before = with_rest(&format!("main;search 60\nmain;search;+find {find}"));
        let new = format!("{build} search<find_with*1 search<loop_of*1");
        let outcome = classified(seen(&before, build), seen(&with_rest(after), &new));
        said(&outcome, "loop_of")
    };
    let after = "main;search 60\nmain;search;+find;+find_with;+loop_of 90";
    assert_eq!(of(95, after), "split likely R-succession");
    assert!(of(4, after).contains("new-overhead"), "{}", of(4, after));
}

#[test]
fn a_function_of_a_like_name_that_lost_enough_is_the_one_that_was_split() {
    let build = "main:50 work:50 main>work to_string:600 main>to_string";
    let old = format!("{build} format_number:900 to_string>format_number");
    let new = format!("{build} format_number_raw:880 to_string<format_number*1 to_string>format_number_raw");
    let before = with_rest("main;to_string 150\nmain;to_string;format_number 60");
    let after = with_rest("main;to_string 40\nmain;to_string;+format_number;format_number_raw 85");
    let new = new.replace("to_string:600", "to_string:500");
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    assert_eq!(said(&outcome, "format_number_raw"), "split likely R-succession");
    assert_eq!(said(&outcome, "format_number"), "split likely R-succession");
    assert!(said(&outcome, "to_string").starts_with("lighter"), "{}", said(&outcome, "to_string"));
}

#[test]
fn a_function_that_runs_only_inlined_is_found_under_its_other_name() {
    let (steady, words) = steady();
    let program = |name: &str, weight: u64| format!("{steady}main;parse 100\nmain;parse;+{name} {weight}");
    let build =
        |name: &str, copies: u64| format!("main:50 {words} main>parse parse:300 parse<{name}*{copies}");
    let of = |weight: u64, copies: u64| {
        let (before, after) = (program("split_on", 60), program("tokens", weight));
        let outcome =
            classified(seen(&before, &build("split_on", 2)), seen(&after, &build("tokens", copies)));
        said(&outcome, "tokens")
    };
    assert_eq!(of(62, 2), "moved likely R-succession");
    // At a very different cost, or in other places, it may be another function.
    assert_eq!(of(100, 2), "moved likely R-succession");
    assert!(!of(150, 2).starts_with("moved"));
    assert!(!of(62, 3).starts_with("moved"));
}

#[test]
fn a_part_of_a_function_that_is_inlined_now_is_split_off_and_not_new() {
    let build = "main:50 work:50 main>work main>get ";
    let old = format!("{build} get:200 find_entry:150 get>find_entry");
    let new = format!("{build} get:260 get<find_entry*1 find_entry_hashed:140 get>find_entry_hashed");
    let said_of = |get: [u64; 2], rest: u64| {
        let before = with_rest(&format!("main;get {}\nmain;get;find_entry 100", get[0]));
        let after =
            format!("main;get {}\nmain;get;+find_entry {rest}\nmain;get;find_entry_hashed 58", get[1]);
        let after = with_rest(&after);
        said(&classified(seen(&before, &old), seen(&after, &new)), "find_entry_hashed")
    };
    assert_eq!(said_of([60, 60], 40), "split likely R-succession");
    // The function that contains it now has what it lost, or may have it within noise; or it lost nothing.
    for (get, rest) in [([60, 130], 40), ([3000, 3000], 40), ([60, 60], 100)] {
        let said = said_of(get, rest);
        assert!(said.starts_with("new-overhead"), "{get:?} {rest}: {said}");
    }
}

#[test]
fn a_new_function_at_the_place_of_a_vanished_one_that_leads_to_the_same_is_that_one() {
    let (steady, words) = steady();
    let build = |name: &str, bytes: u32| {
        format!(
            "main:50 {words} main>answer answer:300 answer={bytes} answer>{name} {name}:{bytes} {name}={bytes} {name}@codec.c \
             {name}#72 step@codec.c step#66 {name}<step*1 step!"
        )
    };
    let of = |name: &str, inside: &str, weight: u64| {
        format!("{steady}main;answer 90\nmain;answer;{name} 4\nmain;answer;{name};+{inside} {weight}")
    };
    let said_of = |inside: &str| {
        let (old, new) = (build("crc_of", 54), build("block_checksum", 120) + " turn@codec.c turn#70");
        let outcome = classified(
            seen(&of("crc_of", "step", 230), &old),
            seen(&of("block_checksum", inside, 250), &new),
        );
        said(&outcome, "block_checksum")
    };
    assert_eq!(said_of("step"), "moved likely R-succession");
    assert_ne!(said_of("turn"), "moved likely R-succession");
}

#[test]
fn what_hardly_has_what_a_function_lost_is_no_sure_part_of_it() {
    let old = "main:50 work:50 put:90 pack:600 main>put put>pack pack@src/store.c";
    let new = format!("{} tail:300 pack>tail tail@src/store.c", old.replace("pack:600", "pack:330"));
    let of = |pack: u64, tail: u64| {
        let before = with_rest("main;put 10\nmain;put;pack 150");
        let after = with_rest(&format!("main;put 10\nmain;put;pack {pack}\nmain;put;pack;tail {tail}"));
        said(&classified(seen(&before, old), seen(&after, &new)), "tail")
    };
    assert_eq!(of(90, 58), "split likely R-succession");
    assert_eq!(of(10, 25), "split unclear R-succession");
}

#[test]
fn of_builds_a_patch_apart_a_renamed_function_of_the_same_code_is_moved_whatever_it_costs() {
    let (stacks, words) = steady();
    let of = |name: &str, samples: u64, hash: u32| {
        let build = format!("main:50 {words} {name}:200 {name}={hash} {name}@page.c main>{name}");
        (format!("{stacks}main;{name} {samples}"), build)
    };
    let said_of = |samples: u64, hash: u32| {
        let (before, after) = (of("page_commit", 50, 40), of("page_t::commit", samples, hash));
        let outcome = classified(seen(&before.0, &before.1), seen(&after.0, &after.1));
        said(&outcome, "page_t::commit")
    };
    assert_eq!(said_of(51, 40), "moved proved R-moved");
    assert_eq!(said_of(120, 40), "moved likely R-moved");
    assert_eq!(said_of(120, 41), "heavier likely R-moved");
}
