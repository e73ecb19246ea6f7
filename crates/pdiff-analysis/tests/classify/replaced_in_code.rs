//! Code that took the place of other code, which the code of both builds shows though the weights of the runs do not.

use pdiff_analysis::classify::{Classification, Limit};

use crate::build::{classified, said, seen, steady, verdict, with_rest};

const BUILD: &str = "main:50 work:50 main>work ";

/// The verdicts on two sides, each of stacks and words.
fn between(before: (&str, &str), after: (&str, &str)) -> Classification {
    let [old, new] = [before.1, after.1].map(|words| format!("{BUILD}{words}"));
    classified(seen(&with_rest(before.0), &old), seen(&with_rest(after.0), &new))
}

#[test]
fn a_function_that_now_only_calls_a_new_one_was_split_however_often_it_runs() {
    let before = ("main;find 20\nmain;find;table 30", "find:300 table:90 main>find find>table");
    let of = |folded: &str, words: &str| said(&between(before, (folded, words)), "find_in");
    let forwards = "find:20 find_in:290 table:90 main>find find>find_in find_in>table";
    let split = "split likely R-succession";
    assert_eq!(of("main;find 1\nmain;find;find_in 90\nmain;find;find_in;table 90", forwards), split);
    // It does what it did, and something new.
    let also = "find:320 find_in:290 table:90 main>find find>find_in find>table";
    let folded = "main;find 20\nmain;find;table 30\nmain;find;find_in 180";
    assert_eq!(of(folded, also), "new-overhead proved R-new-code");
}

#[test]
fn a_function_that_only_calls_the_new_one_gave_it_its_code_though_others_call_that_now() {
    let parts = "measure:90 render:90 place:90";
    let before = format!(
        "text:900 wrapped:90 {parts} main>text main>wrapped wrapped>text text>measure text>render text>place"
    );
    let of = |text: &str, measure: usize| {
        let after = format!(
            "{text} text_ex:950 wrapped:90 {parts} main>text main>wrapped text>text_ex wrapped>text_ex \
             text_ex>measure text_ex>render text_ex>place"
        );
        let before =
            ("main;text 4\nmain;wrapped 9\nmain;wrapped;text 3\nmain;wrapped;text;measure 5", &*before);
        let folded = format!(
            "main;text 1\nmain;text;text_ex 1\nmain;wrapped 9\nmain;wrapped;text_ex 80\nmain;wrapped;text_ex;measure {measure}"
        );
        said(&between(before, (&folded, &after)), "text_ex")
    };
    assert_eq!(of("text:10", 9), "split likely R-succession");
    // It still has most of its code.
    assert_eq!(of("text:700", 9), "new-overhead likely R-new-code");
    // It weighs far more.
    assert_eq!(of("text:10", 400), "new-overhead likely R-new-code");
}

#[test]
fn what_is_gone_may_be_what_is_new_under_a_like_name_whatever_either_weighs() {
    let of = |new: &str| {
        let before =
            ("main;random 9\nmain;random;RAND_DRBG_fill 600", "random:200 RAND_DRBG_fill:700 main>random");
        let before = (before.0, format!("{} random>RAND_DRBG_fill", before.1));
        let after = format!("main;random 300\nmain;random;step 2\nmain;random;step;{new} 110");
        let words = format!("random:200 step:90 {new}:90 main>random random>step step>{new}");
        said(&between((before.0, &before.1), (&after, &words)), new)
    };
    assert!(!of("prov_drbg_fill").contains("proved"), "{}", of("prov_drbg_fill"));
}

/// Functions that two callers call in the after build, and what they called before.
fn exchanged(before: &str) -> Classification {
    let of = |folded: &str, words: &str| {
        (folded.to_owned(), format!("read:200 parse:200 main>read main>parse {words}"))
    };
    let (before, after) = (
        of("main;read 60\nmain;parse 60", &format!("put_error:90 {before}")),
        of(
            "main;read 60\nmain;parse 60\nmain;read;set_mark 40\nmain;lead 1\nmain;lead;set_mark 40",
            "set_mark:70 lead:30 read>set_mark parse>set_mark main>lead lead>set_mark",
        ),
    );
    between((&before.0, &before.1), (&after.0, &after.1))
}

#[test]
fn a_function_that_callers_call_instead_of_a_vanished_one_may_be_that_one() {
    let outcome = exchanged("read>put_error parse>put_error");
    assert_eq!(said(&outcome, "set_mark"), "new-overhead likely R-new-code");
    let limit = verdict(&outcome, "set_mark").limited_by.clone();
    assert!(matches!(&limit, Some(Limit::CalledInstead { other, .. }) if other == "put_error"), "{limit:?}");
    // One caller may have exchanged any call for any other.
    assert_eq!(said(&exchanged("read>put_error"), "set_mark"), "new-overhead proved R-new-code");
}

#[test]
fn new_code_that_leads_to_what_may_be_old_is_no_more_certain() {
    let outcome = exchanged("read>put_error parse>put_error");
    assert_eq!(said(&outcome, "lead"), "new-overhead likely R-new-code");
    assert_eq!(verdict(&outcome, "lead").limited_by, Some(Limit::ReplacedCallees));
    assert_eq!(said(&exchanged(""), "lead"), "new-overhead proved R-new-code");
}

#[test]
fn a_function_that_calls_what_its_caller_called_is_a_part_of_the_caller() {
    let before = "finish:300 clear_list:60 clear_map:60 main>finish finish>clear_list finish>clear_map";
    let of = |still: &str| {
        let after = format!(
            "finish:280 reset:90 clear_list:60 clear_map:60 main>finish finish>reset reset>clear_list reset>clear_map \
             {still}"
        );
        let outcome = between(("main;finish 40", before), ("main;finish 40\nmain;finish;reset 30", &after));
        said(&outcome, "reset")
    };
    assert_eq!(of(""), "new-overhead likely R-new-code");
    assert_eq!(of("finish>clear_list finish>clear_map"), "new-overhead proved R-new-code");
}

#[test]
fn what_callers_that_did_not_run_called_before_is_not_known() {
    let before = "decode:90 open:90 parse:80 main>decode open>parse decode>open";
    let of = |still: &str| {
        let after = format!(
            "decode:90 open:90 parse:80 parse_with:85 main>decode decode>open open>parse_with {still}"
        );
        let folded = "main;decode 90\nmain;decode;open 1\nmain;decode;open;parse_with 60";
        said(&between(("main;decode 90", before), (folded, &after)), "parse_with")
    };
    assert_eq!(of(""), "new-overhead likely R-new-code");
    assert_eq!(of("open>parse"), "new-overhead proved R-new-code");
}

#[test]
fn a_function_whose_body_went_to_what_it_calls_gained_nothing_by_inlining() {
    let before = "finish:300 validate:900 main>finish finish>validate";
    let after = "finish:310 validate:20 check_all:1200 main>finish finish<validate*1 finish>check_all";
    let of = |after: (&str, &str)| {
        said(&between(("main;finish 5\nmain;finish;validate 90", before), after), "validate")
    };
    let handed_on =
        of(("main;finish 5\nmain;finish;+validate 1\nmain;finish;+validate;check_all 300", after));
    assert!(!handed_on.contains("inline"), "{handed_on}");
    let inlined = of(("main;finish 5\nmain;finish;+validate 40", "finish:900 main>finish finish<validate*1"));
    assert!(inlined.contains("inline-gain"), "{inlined}");
}

#[test]
fn a_function_whose_body_is_new_code_that_it_calls_was_not_inlined_with_it() {
    let before = "draw:300 arc:900 fill:400 main>draw draw>arc main>fill fill>arc";
    let after = |arc: &str| format!("draw:310 fill:400 {arc} main>draw draw>arc main>fill fill<arc*1");
    let of = |after: (&str, &str)| {
        said(&between(("main;draw 5\nmain;draw;arc 90\nmain;fill 30", before), after), "arc")
    };
    // The copy has no samples, and the calls lead on to the loop that the function had.
    let words = after("arc:90 arc_loop:870 arc>arc_loop");
    for weight in [80, 25] {
        let folded = format!("main;draw 5\nmain;draw;arc 1\nmain;draw;arc;arc_loop {weight}\nmain;fill 30");
        let handed_on = of((&folded, &words));
        assert!(!handed_on.contains("inline"), "{handed_on}");
    }
    // It is inlined, and calls other new code.
    let other = words.replace("arc_loop", "insert");
    let other = of(("main;draw 5\nmain;draw;arc 1\nmain;draw;arc;insert 25\nmain;fill 30", &other));
    assert!(other.contains("inline"), "{other}");
    // Where it only costs less, its copies may have what it had, or other code of its own.
    let lighter = of(("main;draw 5\nmain;draw;arc 20\nmain;fill 30", &after("arc:850")));
    assert!(lighter.contains("likely"), "{lighter}");
    let inlined = after("");
    let inlined =
        of(("main;draw 5\nmain;draw;+arc 80\nmain;fill 30", &inlined.replace("draw>arc", "draw<arc*1")));
    assert_eq!(inlined, "inline-change proved R-inline-change");
}

#[test]
fn a_function_that_calls_what_its_copies_never_entered_is_called_anew() {
    let build = "eval:900 show:90 main>eval";
    let of = |before: &str| {
        let before = (format!("main;eval 90\n{before}"), format!("{build} eval<call*2 call<show*1"));
        let after = "main;eval 90\nmain;eval;call 9\nmain;eval;call;show 60";
        let after = (after, format!("{build} call:80 eval>call call>show"));
        said(&between((&before.0, &before.1), (after.0, &after.1)), "call")
    };
    let entered = of("");
    assert!(!entered.contains("inline"), "{entered}");
    assert_eq!(of("main;eval;+call;show 60"), "inline-change proved R-inline-change");
}

#[test]
fn a_function_that_leads_to_one_that_was_split_is_on_no_other_way() {
    let build = "pcall:90 guard:90 run:90 sort:90 call:400 main>pcall pcall>guard run>sort sort>call";
    let before = format!("{build} guard>call call>run");
    let after = format!("{build} callint:390 guard>callint callint>run");
    let outcome = between(
        ("main;pcall;guard;call 460\nmain;pcall;guard;call;run;sort;call 40", &before),
        ("main;pcall;guard;callint 290\nmain;pcall;guard;callint;run;sort;call 60", &after),
    );
    assert_eq!(said(&outcome, "callint"), "split likely R-succession");
    assert_ne!(verdict(&outcome, "pcall").rule_id, "R-in-between", "{:?}", verdict(&outcome, "pcall"));
}

#[test]
fn a_function_between_code_without_names_need_not_have_run() {
    let build = "what:90";
    let outcome = between(("main;[unknown];what;[unknown] 60", build), ("main;[unknown] 60", build));
    let of = said(&outcome, "what");
    assert!(of.contains("unclear"), "{of}");
    assert_eq!(verdict(&outcome, "what").limited_by, Some(Limit::BetweenUnknown));
}

#[test]
fn a_function_that_left_by_a_jump_was_entered_before() {
    let before = ("main;flush 9", "run:8 flush:90 main>run run^flush");
    let after = ("main;run;flush 90", "run:26 flush:900 main>run run>flush");
    let outcome = between(before, after);
    let of = verdict(&outcome, "run");
    assert!(!["newly-active", "missing-fast-path"].contains(&of.cause.as_str()), "{of:?}");
}

#[test]
fn a_leaf_is_no_part_of_a_caller_that_never_had_as_much_code() {
    let (stacks, words) = steady();
    let of = |parse: usize, operators: usize| {
        let before = format!("{stacks}main;parse {parse}\nmain;parse;operators 300");
        let after = format!("{stacks}main;parse 20\nmain;parse;operators {operators}\nmain;parse;hash 55");
        let build = format!("{words}parse:300 operators:90 operators=99 main>parse parse>operators");
        let outcome = between((&before, &build), (&after, &format!("{build} hash:60 parse>hash")));
        said(&outcome, "hash")
    };
    // The operators took less time in this run.
    assert_eq!(of(20, 240), "new-overhead proved R-new-code");
    assert!(of(75, 300).contains("likely"), "{}", of(75, 300));
}

#[test]
fn overloads_differ_if_one_of_them_does() {
    let (stacks, words) = steady();
    let build = format!("{words}show%1:90 show%2:80 show%2=71 emit:300 emit=72 main>show%1 show%1>emit ");
    let of = |after: &str| {
        let before = (format!("{stacks}main;show 20\nmain;show;emit 30"), format!("{build}show%1=73"));
        let after = (format!("{stacks}main;show 27\nmain;show;emit 120"), format!("{build}{after}"));
        said(&between((&before.0, &before.1), (&after.0, &after.1)), "show")
    };
    assert_eq!(of("show%1=74"), "missing-fast-path likely R-fast-path");
    let same = of("show%1=73");
    assert!(!same.contains("fast-path"), "{same}");
}

#[test]
fn an_instance_of_a_template_may_be_one_with_another_name_of_a_type() {
    let build = "visit:300 main>visit";
    // Of several instances, none is the one that another one is like.
    let new = format!(
        "{build} Array«Key»::hash:90 visit>Array«Key»::hash Array«Row»::hash:95 main>Array«Row»::hash"
    );
    let of = |method: &str| {
        let old = format!("Array«Old_Key»::{method}:400 Array«Old_Row»::{method}:410");
        let before = format!("{build} {old} main>Array«Old_Key»::{method} main>Array«Old_Row»::{method}");
        let outcome =
            between(("main;visit 60", &before), ("main;visit 60\nmain;visit;Array<Key>::hash 60", &new));
        said(&outcome, "Array<Key>::hash")
    };
    assert_eq!(of("hash"), "new-overhead likely R-new-code");
    assert_eq!(of("size"), "new-overhead proved R-new-code");
}

#[test]
fn another_instance_of_a_template_that_both_builds_use_is_no_new_code() {
    let build = "visit:300 main>visit";
    let of = |known: &str| {
        let before = format!("{build} {known}:95 main>{known}");
        let after = format!("{before} sort«Key»:90 visit>sort«Key»");
        let folded = "main;visit 60\nmain;visit;sort<Key> 60";
        between(("main;visit 60", &before), (folded, &after))
    };
    let outcome = of("sort«Row»");
    assert_eq!(said(&outcome, "sort<Key>"), "new-overhead likely R-new-code");
    let limit = verdict(&outcome, "sort<Key>").limited_by.clone();
    assert!(matches!(&limit, Some(Limit::KnownTemplate { other, .. }) if other == "sort<Row>"), "{limit:?}");
    assert_eq!(said(&of("order«Row»"), "sort<Key>"), "new-overhead proved R-new-code");
}

#[test]
fn a_function_that_calls_what_its_neighbour_called_is_a_part_of_that() {
    let build = "check:90 round:300 count:60 order:60 flush:60 main>check check>round";
    let of = |still: &str| {
        let before = format!("{build} round>count round>order round>flush");
        let after =
            format!("{build} prepare:150 check>prepare prepare>count prepare>order prepare>flush {still}");
        let folded = "main;check;round 20\nmain;check;prepare 5\nmain;check;prepare;order 40";
        said(
            &between(("main;check;round 30\nmain;check;round;order 2", &before), (folded, &after)),
            "prepare",
        )
    };
    assert_eq!(of(""), "new-overhead likely R-new-code");
    assert_eq!(of("round>count round>order round>flush"), "new-overhead proved R-new-code");
}

#[test]
fn a_change_of_inlining_is_proved_only_where_the_weight_is_found_again() {
    let (stacks, words) = steady();
    // The builds are versions apart: all other code differs.
    let before = format!("{words} save:300 chunk:800 main>save save>chunk");
    let after = format!("{} save:340 main>save save<chunk*4", words.replace('=', "=9"));
    let of = |save: &str| {
        let old = format!("{stacks}main;save 5\nmain;save;chunk 90");
        said(&between((&old, &before), (&format!("{stacks}{save}"), &after)), "chunk")
    };
    let proved = "inline-change proved R-inline-change";
    // Its lines count for the caller, which has what it was.
    assert_eq!(of("main;save 92"), proved);
    // What it calls, or what is inlined in it, shows that it ran as much.
    assert_eq!(of("main;save 5\nmain;save;+chunk;crc 80"), proved);
    // It is nowhere: the run hardly enters the copies, or they do something else.
    assert_eq!(of("main;save 5"), "inline-change likely R-inline-change");
}

#[test]
fn functions_that_callers_exchanged_both_ways_are_one_if_they_weigh_as_much() {
    let build = "match_at:300 hash:200 main>match_at main>hash";
    let of = |load: usize| {
        let old = format!("{build} match_at<LOAD64*2 hash<LOAD64*1");
        let new = format!("{build} match_at<read_word*2 hash<read_word*1");
        let stacks = |name: &str, count: usize| {
            format!(
                "main;match_at 90\nmain;match_at;+{name} {count}\nmain;hash 60\nmain;hash;+{name} {count}"
            )
        };
        said(&between((&stacks("LOAD64", load), &old), (&stacks("read_word", 40), &new)), "read_word")
    };
    assert_eq!(of(50), "moved likely R-succession");
    assert_ne!(of(400), "moved likely R-succession");
}

#[test]
fn what_is_new_below_new_code_may_be_what_was_called_before_under_a_like_name() {
    let of = |old: &str| {
        let before = (
            format!("main;open 9\nmain;open;{old} 90"),
            format!("open:200 {old}:700 unused:90 main>open open>{old} unused>{old}"),
        );
        let after = "main;open 9\nmain;open;verify 200\nmain;open;einit 2\nmain;open;einit;gcm_init 110";
        let words = format!(
            "open:200 {old}:700 einit:90 gcm_init:300 verify:500 unused:90 main>open open>verify open>einit einit>gcm_init unused>{old}"
        );
        said(&between((&before.0, &before.1), (after, &words)), "gcm_init")
    };
    assert_eq!(of("aesni_gcm_init_key"), "moved likely R-succession");
    assert_eq!(of("init_aes_gcm"), "new-overhead likely R-new-code");
    assert_eq!(of("read_table"), "new-overhead proved R-new-code");
}

#[test]
fn what_an_heir_calls_may_have_been_a_part_of_what_it_replaced() {
    // What is called in libraries is called from anywhere.
    let parts = "keys:200 value:30 abort@plt exit@plt";
    let stubs = |of: &str| format!("{of}>abort@plt {of}>exit@plt");
    let before = format!("compare:400 {parts} main>compare compare>keys compare>value {}", stubs("compare"));
    let before = ("main;compare 60\nmain;compare;keys 90", &*before);
    let of = |calls: &str| {
        let words = format!(
            "compare:30 compare_in:420 compare_numbers:60 {parts} main>compare compare>compare_in \
             compare_in>compare_numbers compare_in>keys {calls} {}",
            stubs("compare_numbers")
        );
        let folded = "main;compare 1\nmain;compare;compare_in 90\nmain;compare;compare_in;keys 120\n\
                      main;compare;compare_in;compare_numbers 30";
        said(&between(before, (folded, &words)), "compare_numbers")
    };
    assert_eq!(of("compare_numbers>value"), "new-overhead likely R-new-code");
    // It does nothing that was done before.
    assert_eq!(of("compare_in>value"), "new-overhead proved R-new-code");
}

#[test]
fn what_a_function_does_nothing_but_call_was_replaced_by_what_it_calls_in_the_other_build() {
    let before = "dump:300 encode:7 encode_in:900 main>dump dump>encode encode^encode_in";
    let of = |also: &str| {
        let after =
            format!("dump:300 encode:30 escape:700 other:90 main>dump dump>encode encode^escape {also}");
        let folded = "main;dump 40\nmain;dump;encode_in 50";
        said(&between((folded, before), ("main;dump 40", &after)), "encode_in")
    };
    assert_eq!(of(""), "gone likely R-gone");
    // Debug information may have it as a declaration, too.
    assert_eq!(of("encode^escape%1"), "gone likely R-gone");
    // A function with code of its own may have left out one call, and made another.
    assert_eq!(of("encode>other"), "gone proved R-gone");
}

#[test]
fn a_function_called_by_what_is_new_may_be_one_that_the_caller_of_that_called_before() {
    let parts = "get_attr:200 main>run main>list list>get_attr list:90";
    let before = format!("run:900 {parts} run>get_attr");
    let of = |new: &str| {
        let after = format!("run:30 run_in:910 {new}:190 {parts} run>run_in run_in>{new}");
        let folded = format!("main;run 2\nmain;run;run_in 200\nmain;run;run_in;{new} 85");
        let before = ("main;run 200\nmain;run;get_attr 90", &*before);
        let outcome = between(before, (&folded, &after));
        [said(&outcome, "get_attr"), said(&outcome, new)]
    };
    assert_eq!(of("get_attr_fast"), ["moved likely R-succession"; 2]);
    assert!(!of("compile").iter().any(|verdict| verdict.starts_with("moved")), "{:?}", of("compile"));
}

#[test]
fn what_went_with_a_copy_that_is_called_now_went_nowhere_else() {
    let parts = "put:200 fail:60 note:60 log:60 main>put put>seek";
    let before = format!("seek:300 {parts} seek<row*1 seek>fail seek>note seek>log");
    let of = |row: &str| {
        let after = format!("seek:250 check:90 {parts} put>check check>fail check>note check>log {row}");
        let outcome = between(
            ("main;put 40\nmain;put;seek 20", &before),
            ("main;put 40\nmain;put;seek 20\nmain;put;check 30", &after),
        );
        said(&outcome, "check")
    };
    // What is called beside the new function calls its copy now, and that calls what it did.
    assert_eq!(of("row:90 seek>row row>fail row>note row>log"), "new-overhead proved R-new-code");
    assert_eq!(of("seek<row*1"), "new-overhead likely R-new-code");
}
