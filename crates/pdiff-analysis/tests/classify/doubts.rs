//! New code that may be old: what keeps it from being proved.

use pdiff_analysis::classify::Limit;

use crate::build::{classified, said, seen, steady, verdict, with_rest};

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
    // For more data it may cost some times as much, but hardly ten times.
    assert_eq!(of("setup", 15, "check"), "new-overhead likely R-new-code");
    assert_eq!(of("setup", 9, "check"), "new-overhead proved R-new-code");
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
fn where_the_stacks_lost_all_that_calls_new_code_it_may_have_replaced_other_code() {
    let build = "main:50 work:50 main>work ";
    let of = |stack: &str, words: &str| {
        let after = with_rest(&format!("{stack} 60"));
        let outcome = classified(seen(&with_rest(""), build), seen(&after, &format!("{build} {words}")));
        said(&outcome, "scan_fast")
    };
    let called = "scan_fast:200 scan:90 scan>scan_fast main>scan";
    assert_eq!(of("scan_fast", called), "new-overhead likely R-new-code");
    // No code of the program calls what a thread begins with.
    assert_eq!(
        of("/lib/libc.so.6!start_thread;scan_fast", "scan_fast:200"),
        "new-overhead proved R-new-code"
    );
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

#[test]
fn new_code_under_callers_that_cost_no_more_may_be_a_part_of_them() {
    let both =
        "main:50 work:50 main>work main>look main>set main>clear look:90 set:200 set=1 clear:210 clear=1";
    let new = "wrap_a:60 look>wrap_a wrap_b:70 set>wrap_b wrap_c:80 clear>wrap_c step:64 wrap_a>step wrap_b>step \
               wrap_c>step";
    let step = |set: [u64; 2], under: [&str; 2]| {
        let before = with_rest(&format!("main;look 10\nmain;set {0}\nmain;clear {0}", set[0]));
        let after = with_rest(&format!(
            "main;look 22\nmain;look;wrap_a;step 58\nmain;set {0}\n{1}wrap_b;step 31\nmain;clear {0}\n\
             {2}wrap_c;step 31",
            set[1], under[0], under[1]
        ));
        let outcome =
            classified(seen(&before, both), seen(&after, &format!("{both} {new}").replace("=1", "=2")));
        said(&outcome, "step")
    };
    // The heaviest caller, through new code, costs more.
    let callers = ["main;set;", "main;clear;"];
    assert_eq!(step([50, 15], callers), "new-overhead likely R-new-code");
    assert_eq!(step([50, 50], callers), "new-overhead proved R-new-code");
    // Of what calls the new code between them, only the code tells.
    assert_eq!(step([50, 15], ["", ""]), "new-overhead likely R-new-code");
    assert_eq!(step([15, 50], ["", ""]), "new-overhead proved R-new-code");
}

#[test]
fn lines_of_a_copy_in_a_function_of_another_name_may_be_old() {
    let build =
        ["main:50 work:50 page_commit:200", "main:50 work:50 page_t::commit:210 page_t::commit<search*1"];
    let search = |commit: u64, before: u64| {
        let after = format!("main;page_t::commit {commit}\nmain;page_t::commit;+search 30");
        let before = with_rest(&format!("main;page_commit {before}"));
        said(&classified(seen(&before, build[0]), seen(&with_rest(&after), build[1])), "search")
    };
    // It costs less as a whole.
    assert_eq!(search(20, 70), "moved likely R-succession");
    assert_eq!(search(50, 50), "new-overhead likely R-new-code");
}

#[test]
fn own_code_that_took_the_place_of_what_it_called_costs_no_more() {
    let (stacks, words) = steady();
    let build = |scan: &str| format!("{words} main>parse parse>scan parse:90 {scan}");
    let before = build("scan:90 match_all:200 step:100 scan>match_all match_all>step");
    let of = |after: &str, own: usize| {
        let old =
            format!("{stacks}main;parse 20\nmain;parse;scan;match_all 40\nmain;parse;scan;match_all;step 50");
        let new = format!("{stacks}main;parse 20\nmain;parse;scan {own}");
        let outcome = classified(seen(&old, &before), seen(&new, &build(after)));
        (said(&outcome, "scan"), verdict(&outcome, "scan").limited_by.clone())
    };
    let rewritten = of("scan:400 match_all:200 step:100 main>match_all match_all>step", 92);
    assert_eq!(rewritten, ("heavier unclear R-heavier".to_owned(), Some(Limit::SameTotal)));
    let cheaper = of("scan:400 match_all:200 step:100 main>match_all match_all>step", 40);
    assert_eq!(cheaper, ("heavier unclear R-heavier".to_owned(), Some(Limit::SameTotal)));
    let (heavier, _) = of("scan:400 match_all:200 step:100 main>match_all match_all>step", 240);
    assert_eq!(heavier, "heavier likely R-heavier");
}

#[test]
fn of_builds_a_patch_apart_a_new_leaf_is_no_part_of_a_caller_whose_own_code_lost_nothing() {
    let (steady, words) = steady();
    let build = format!("main:50 {words} main>run run:300 run>sort sort:90 sort=7");
    let of = |run: u64| {
        let before = format!("{steady}main;run 60\nmain;run;sort 90");
        let after = format!("{steady}main;run {run}\nmain;run;sort 30\nmain;run;digest 50");
        let new = format!("{build} run=61 run>digest digest:46 digest=8");
        said(&classified(seen(&before, &format!("{build} run=60")), seen(&after, &new)), "digest")
    };
    assert_eq!(of(60), "new-overhead proved R-new-code");
    // It may be what the caller no longer does itself.
    assert_eq!(of(20), "new-overhead likely R-new-code");
}

#[test]
fn of_builds_a_patch_apart_a_rename_makes_no_rewritten_module() {
    let (steady, words) = steady();
    let build = format!("main:50 {words} main>run run:300 main>ns::Prog::flatten ns::Prog::flatten:200 ");
    let before = format!("{steady}main;run 60\nmain;ns::Prog::flatten 60\nmain;run;ns::Prog::mark 90");
    let after = format!(
        "{steady}main;run 60\nmain;ns::Prog::flatten 60\nmain;run;ns::Prog::find_roots 90\n\
         main;ns::Prog::flatten;ns::Prog::check 40"
    );
    let outcome = classified(
        seen(
            &before,
            &format!("{build} ns::Prog::flatten=3 ns::Prog::mark:400 ns::Prog::mark=9 run>ns::Prog::mark"),
        ),
        seen(
            &after,
            &format!(
                "{build} ns::Prog::flatten=4 ns::Prog::find_roots:400 ns::Prog::find_roots=9 run>ns::Prog::find_roots \
                 ns::Prog::check:130 ns::Prog::check=5 ns::Prog::flatten>ns::Prog::check"
            ),
        ),
    );
    assert_eq!(said(&outcome, "ns::Prog::check"), "new-overhead proved R-new-code");
}

#[test]
fn a_helper_that_a_caller_contains_now_does_not_hide_what_its_own_code_lost() {
    let (steady, words) = steady();
    let build =
        |hash: u32, code: &str| format!("main:50 {words} main>run run:300 run={hash} skip:90 skip=7 {code}");
    let before = format!("{steady}main;run 60\nmain;run;skip 45");
    let of = |own: u64| {
        let after = format!("{steady}main;run {own}\nmain;run;+skip 45\nmain;run;digest 50");
        let new = build(61, "run<skip*1 run>digest digest:46 digest=8");
        said(&classified(seen(&before, &build(60, "run>skip")), seen(&after, &new)), "digest")
    };
    assert_eq!(of(60), "new-overhead proved R-new-code");
    assert_eq!(of(10), "new-overhead likely R-new-code");
}

#[test]
fn new_code_may_be_cut_from_a_caller_that_is_shorter_though_noise_hides_what_that_lost() {
    let (steady, words) = steady();
    let said_with = |run: u64, bytes: [u32; 2], verify: u64| {
        let build = |bytes: u32, run: u32, calls: &str| {
            format!("main:50 {words} main>run run:{bytes} run={run} {calls}")
        };
        let new = build(bytes[1], 61, "run>verify verify:100");
        let after = format!("{steady}main;run {run}\nmain;run;verify {verify}");
        let before = format!("{steady}main;run 150");
        let outcome = classified(seen(&before, &build(bytes[0], 60, "")), seen(&after, &new));
        said(&outcome, "verify")
    };
    let (sure, likely) = ("new-overhead proved R-new-code", "new-overhead likely R-new-code");
    // Half of its length is gone there, or less.
    assert_eq!(said_with(150, [900, 850], 20), likely);
    assert_eq!(said_with(150, [900, 851], 20), sure);
    // So much that the caller cannot have lost half of it.
    assert_eq!(said_with(150, [900, 850], 150), sure);
}

#[test]
fn new_code_may_do_the_work_of_what_calls_it_or_of_what_that_called() {
    let of = |handle: [u64; 2], parse: [u64; 2], parse_bytes: [u32; 2], sum: u64| {
        let (steady, words) = steady();
        let stacks = |at: usize, sum: &str| {
            format!("{steady}main;handle {}\nmain;handle;parse {}{sum}", handle[at], parse[at])
        };
        let build = |at: usize, sum: &str| {
            format!(
                "main:50 {words} main>handle handle:30{at} handle=1{at} handle>parse parse:{} parse={} {sum}",
                parse_bytes[at], parse_bytes[at]
            )
        };
        let before = stacks(0, "");
        let after = stacks(1, &format!("\nmain;handle;sum {sum}"));
        let (old, new) = (build(0, ""), build(1, "handle>sum sum:90 sum=7"));
        let outcome = classified(seen(&before, &old), seen(&after, &new));
        let verdict = verdict(&outcome, "sum");
        (verdict.confidence.as_str(), verdict.limited_by.clone())
    };
    let same = ([60, 60], [60, 60], [80, 80]);
    assert_eq!(of(same.0, same.1, same.2, 100), ("proved", None));
    let may_be_of = |name: &str| ("likely", Some(Limit::MayDoWorkOf(name.to_owned())));
    assert_eq!(of([60, 30], same.1, same.2, 100), may_be_of("handle"));
    assert_eq!(of(same.0, [60, 30], [80, 40], 100), may_be_of("parse"));
    // The same code costs less for another reason; and what it lost is little in comparison.
    assert_eq!(of(same.0, [60, 30], [80, 80], 100), ("proved", None));
    assert_eq!(of(same.0, [60, 30], [80, 40], 400), ("proved", None));
}

#[test]
fn what_is_gone_may_be_what_is_new_under_the_same_caller() {
    let of = |fold: u64, caller: &str| {
        let (steady, words) = steady();
        let build = format!("main:50 {words} main>handle handle:300 main>other other:90");
        let before = format!("{steady}main;other 60\nmain;handle 60\nmain;handle;digest 40");
        let after = format!("{steady}main;other 60\nmain;handle 60\nmain;{caller};fold {fold}");
        let old = format!("{build} digest:90 digest=7 handle>digest");
        let new = format!("{build} fold:700 fold=8 {caller}>fold");
        let outcome = classified(seen(&before, &old), seen(&after, &new));
        let verdict = verdict(&outcome, "digest");
        (verdict.cause.as_str(), verdict.confidence.as_str(), verdict.limited_by.clone())
    };
    let limit = Some(Limit::WorkMayBeOf("fold".to_owned()));
    assert_eq!(of(300, "handle"), ("gone", "likely", limit));
    // Another function calls it.
    assert_eq!(of(300, "other"), ("gone", "proved", None));
}

#[test]
fn what_is_new_and_what_is_gone_may_be_chains_of_renamed_functions() {
    let of = |deep: u64| {
        let (steady, words) = steady();
        let build = |chain: &str| format!("main:50 {words} main>handle handle:300 {chain}");
        let before = format!("{steady}main;handle 60\nmain;handle;load 2\nmain;handle;load;total 60");
        let after = format!("{steady}main;handle 60\nmain;handle;get 2\nmain;handle;get;digest {deep}");
        let old = build("load:80 load=1 handle>load total:90 total=2 load>total");
        let new = build("get:300 get=3 handle>get digest:700 digest=4 get>digest");
        let outcome = classified(seen(&before, &old), seen(&after, &new));
        ["digest", "total"].map(|name| verdict(&outcome, name).limited_by.clone())
    };
    let limits = [Limit::MayDoWorkOf("total".to_owned()), Limit::WorkMayBeOf("get".to_owned())];
    assert_eq!(of(400), limits.map(Some));
}

#[test]
fn new_code_that_a_split_function_calls_may_be_one_of_its_parts() {
    let of = |tail: u64, body: u64| {
        let (steady, words) = steady();
        let build = |encode: u32, rest: &str| {
            format!(
                "main:50 {words} main>encode encode:{encode} encode={encode} encode@encode.c encode#10 {rest}"
            )
        };
        let before = format!("{steady}main;encode 200");
        let after = format!(
            "{steady}main;encode 100\nmain;encode;encode_tail {tail}\nmain;encode;encode_body {body}"
        );
        let new = build(
            400,
            "encode>encode_tail encode_tail:400 encode_tail=2 encode_tail@encode.c encode_tail#20 \
             encode>encode_body encode_body:700 encode_body=3 encode_body@other.c",
        );
        let outcome = classified(seen(&before, &build(900, "")), seen(&after, &new));
        let verdict = verdict(&outcome, "encode_body");
        (said(&outcome, "encode_tail"), verdict.confidence.as_str(), verdict.limited_by.clone())
    };
    let (tail, confidence, limit) = of(100, 700);
    assert_eq!(tail, "split likely R-succession");
    assert_eq!((confidence, limit), ("likely", Some(Limit::MayDoWorkOf("encode".to_owned()))));
}
