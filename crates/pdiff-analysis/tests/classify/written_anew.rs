//! Code that was written again: its parts are no new cost, and functions that only share a name are not one function.

use pdiff_analysis::classify::{Limit, Reason, TwinSearch};
use pdiff_profile::Side;

use crate::build::{classified, said, seen, steady, verdict, with_rest};

#[test]
fn a_copy_in_what_never_led_to_a_function_may_be_one_of_an_overload() {
    let common = "main:50 work:50 main>work main>parse main>emit parse:90 emit:200";
    let old = |more: &str| format!("{common} make:300 parse>make {more}");
    let before = with_rest("main;parse 60\nmain;parse;make 40\nmain;emit 60");
    let after = with_rest("main;parse 60\nmain;emit 60");
    let of = |more: &str| {
        let outcome = classified(seen(&before, &old(more)), seen(&after, &format!("{common} emit<make*2")));
        said(&outcome, "make")
    };
    assert!(!of("").contains("inline"), "{}", of(""));
    // It led there by way of another function, which was inlined, too.
    let by_helper = of("helper:90 emit>helper helper>make");
    assert!(by_helper.contains("inline"), "{by_helper}");
}

#[test]
fn what_mostly_calls_what_others_called_before_and_call_no_more_took_the_calls_over() {
    let common =
        "main:50 work:50 graph:300 order:200 walk:90 build:70 main>work main>order main>walk main>build";
    let before = with_rest("main;order 30\nmain;order;graph 40\nmain;walk 60\nmain;build 20");
    let folded = "main;order 30\nmain;walk 60\nmain;walk;follow 2\nmain;walk;follow;graph 60\nmain;build;graph 90\nmain;build 20";
    let of = |still: &str| {
        let after = format!("{common} follow:80 walk>follow follow>graph build>graph {still}");
        let outcome =
            classified(seen(&before, &format!("{common} order>graph")), seen(&with_rest(folded), &after));
        (said(&outcome, "follow"), verdict(&outcome, "follow").limited_by.clone())
    };
    assert_eq!(of(""), ("new-overhead likely R-new-code".to_owned(), Some(Limit::LosingKin)));
    // It is called from where it was called, and from new code as well.
    assert_eq!(of("order>graph").0, "new-overhead proved R-new-code");
}

#[test]
fn what_is_inlined_in_a_set_that_costs_less_is_no_new_cost() {
    let build = "main:50 work:50 main>work ";
    let old = format!("{build} search:800 step:300 main>search search>step");
    let new = format!("{build} search_rows:820 main>search_rows search_rows<rows_of*1 rows_of<match_rows*1");
    let before = with_rest("main;search 100\nmain;search;step 90");
    let after = with_rest(
        "main;search_rows 40\nmain;search_rows;+rows_of 9\nmain;search_rows;+rows_of;+match_rows 70",
    );
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    assert_eq!(verdict(&outcome, "search_rows").rule_id, "R-succession");
    assert_eq!(verdict(&outcome, "rows_of").rule_id, "R-succession");
    assert_eq!(verdict(&outcome, "match_rows").rule_id, "R-succession");
}

#[test]
fn an_inlined_part_is_that_of_a_caller_that_has_it() {
    let build = "main:50 work:50 main>work square:400 reduce:200 main>square main>reduce square<wide*2 reduce<narrow*1";
    let before = with_rest("main;square 99\nmain;square;+wide 90\nmain;reduce 9\nmain;reduce;+narrow 60");
    let of = |under: &str| {
        let after = with_rest(&format!("main;square 99\nmain;reduce 9\nmain;reduce;+narrow 9\n{under}"));
        let words = format!("{build} square<shift*9 wide<shift*9 narrow<shift*1 ");
        said(&classified(seen(&before, build), seen(&after, &words)), "shift")
    };
    let of_other = of("main;square;+wide 90\nmain;square;+wide;+shift 49\nmain;reduce;+narrow;+shift 1");
    assert!(of_other.contains("new-overhead"), "{of_other}");
    let of_it = of("main;square;+wide 90\nmain;reduce;+narrow;+shift 50");
    assert_eq!(of_it, "split likely R-succession");
}

#[test]
fn new_code_below_what_took_anothers_place_and_costs_less_may_be_a_part_of_that() {
    let common = "main:50 work:50 main>work load:90 main>load";
    let old = format!("{common} parse_all:800 load>parse_all parse_all>step step:90");
    let before = with_rest("main;load 9\nmain;load;parse_all 300\nmain;load;parse_all;step 9");
    let of = |parse: usize| {
        let new = format!(
            "{common} parse_doc:820 load>parse_doc on_value:300 parse_doc>on_value decode:400 on_value>decode"
        );
        let after = with_rest(&format!(
            "main;load 9\nmain;load;parse_doc {parse}\nmain;load;parse_doc;on_value 9\nmain;load;parse_doc;on_value;decode 60"
        ));
        let outcome = classified(seen(&before, &old), seen(&after, &new));
        assert_eq!(said(&outcome, "parse_doc"), "moved likely R-succession");
        said(&outcome, "decode")
    };
    assert_eq!(of(190), "new-overhead likely R-new-code");
    assert_eq!(of(390), "new-overhead proved R-new-code");
}

#[test]
fn a_module_in_a_namespace_that_carries_a_version_is_no_other_module() {
    let side = |version: &str, own: &str| {
        let path = |rest: &str| format!("lib::v{version}::{rest}");
        let kept = ["map::find", "map::put", "map::drop", "text::join", "text::split"].map(path);
        let own: Vec<String> = (0..9).map(|at| path(&format!("table::{own}_{at}"))).collect();
        let mut folded = with_rest("");
        let mut build = "main:50 work:50 main>work".to_owned();
        for name in kept.iter().chain(&own) {
            folded += &format!("main;{name} 30\n");
            build += &format!(" {name}:90 main>{name}");
        }
        (folded, build)
    };
    let (old, new) = (side("1", "seek"), side("2", "bucket"));
    let outcome = classified(seen(&old.0, &old.1), seen(&new.0, &new.1.replace(":90", ":690")));
    for name in ["lib::v1::table::seek_3", "lib::v2::table::bucket_3"] {
        let verdict = verdict(&outcome, name);
        assert_ne!(verdict.rule_id, "R-module", "{verdict:?}");
        assert_eq!(verdict.confidence.as_str(), "likely", "{verdict:?}");
    }
}

#[test]
fn a_caller_whose_own_lines_changed_as_well_did_not_change_by_its_inlining_alone() {
    let build = "main:50 work:50 main>work main>call call:900 ";
    let (inlined, called) = (
        format!("{build} call<resolve*1"),
        format!("{build} call>resolve resolve:300").replace("900", "600"),
    );
    let of = |own: usize| {
        let before = with_rest("main;call 131\nmain;call;+resolve 129");
        let after = with_rest(&format!("main;call {own}\nmain;call;resolve 124"));
        said(&classified(seen(&before, &inlined), seen(&after, &called)), "call")
    };
    assert_eq!(of(131), "inline-change proved R-inline-lost-caller");
    assert_eq!(of(48), "inline-change likely R-inline-lost-caller");
}

#[test]
fn a_module_that_other_new_code_leads_to_took_the_place_of_one_that_other_gone_code_led_to() {
    // `vm::api` is a module of both builds, and its functions that lead on are of one each.
    let side = |entry: &str, module: &str| {
        let part: Vec<String> = (0..9).map(|at| format!("vm::{module}::{module}_{at}")).collect();
        let mut folded =
            with_rest(&format!("main;run 40\nmain;run;vm::api::Value::get 20\nmain;run;{entry} 5"));
        let mut build = format!(
            "main:50 work:50 main>work run:90 main>run vm::api::Value::get:80 run>vm::api::Value::get {entry}:300 run>{entry}"
        );
        let mut way = format!("main;run;{entry}");
        let mut caller = entry.to_owned();
        for name in &part {
            way += &format!(";{name}");
            folded += &format!("\n{way} 30");
            build += &format!(" {name}:{} {caller}>{name}", if module == "stack" { 90 } else { 700 });
            caller.clone_from(name);
        }
        (folded, build)
    };
    let (old, new) =
        (side("vm::api::Instance::invoke", "stack"), side("vm::api::Call::execute_root", "register"));
    let outcome = classified(seen(&old.0, &old.1), seen(&new.0, &new.1));
    for name in ["vm::stack::stack_3", "vm::register::register_3"] {
        assert_eq!(said(&outcome, name), "moved likely R-module");
    }
}

#[test]
fn a_function_of_the_same_file_with_a_like_name_that_no_run_entered_may_be_the_one_that_is_gone() {
    let common =
        "main:50 work:50 main>work run:200 main>run find_generic:0 run<find_generic*1 find_generic@a.c";
    let before = with_rest("main;run 60\nmain;run;+find_generic 200");
    let after = with_rest("main;run 60");
    let of = |more: &str| {
        let new = format!("main:50 work:50 main>work run:200 run=7 main>run {more}");
        let outcome = classified(seen(&before, &format!("{common} run=6")), seen(&after, &new));
        assert_eq!(said(&outcome, "find_generic").split(' ').next(), Some("gone"));
        let Reason::InNoForm { search, .. } = &verdict(&outcome, "find_generic").reason else { panic!() };
        search.clone()
    };
    let found = TwinSearch::LikeNamed("find_generi".to_owned());
    assert_eq!(of("find_generi:120 find_generi=9 find_generi@a.c"), found);
    // It is in another file, or has another name. The function had no code of its own that could be looked for.
    assert_eq!(of("find_generi:120 find_generi=9 find_generi@b.c"), TwinSearch::NotDone);
    assert_eq!(of("replace_all:120 replace_all=9 replace_all@a.c"), TwinSearch::NotDone);
}

#[test]
fn what_new_code_without_a_known_caller_replaced_is_not_known() {
    let common = "main:50 work:50 main>work serve:200 serve=6 main>serve";
    let of = |stack: &str, call: &str| {
        let after = format!("{common} loop:90 loop=9 {call}");
        let outcome = classified(
            seen(&with_rest("main;serve 60"), common),
            seen(&with_rest(&format!("main;serve 60\n{stack} 90")), &after),
        );
        (said(&outcome, "loop"), verdict(&outcome, "loop").limited_by.clone())
    };
    let said = |confidence: &str| format!("new-overhead {confidence} R-new-code");
    assert_eq!(of("loop", ""), (said("likely"), Some(Limit::NoCallerSeen(Side::After))));
    assert_eq!(of("main;serve;loop", ""), (said("proved"), None));
    assert_eq!(of("main;serve;loop", "serve>loop"), (said("proved"), None));
}

#[test]
fn a_function_that_lost_much_more_left_its_work_to_nobody_of_a_third_of_its_weight() {
    // Without the load the rest of the program has more than twice the share that it had.
    let (stacks, words) = steady();
    let build = format!("main:50 {words} load:90 load=3 main>load find:300 main>find find@a.c find#10");
    let old = format!(
        "{build} find=1 insert_first_index:0 find<insert_first_index*1 insert_first_index@a.c insert_first_index#20"
    );
    let new = old.replace("find=1", "find=2") + " row_index:0 find<row_index*1 row_index@a.c row_index#22";
    let of = |part: u64| {
        let before = format!("{stacks}main;find 60\nmain;find;+insert_first_index 90\nmain;load 2000");
        let after = format!("{stacks}main;find 60\nmain;find;+row_index {part}");
        said(&classified(seen(&before, &old), seen(&after, &new)), "row_index")
    };
    assert!(of(60).ends_with("R-succession"), "{}", of(60));
    assert!(!of(25).ends_with("R-succession"), "{}", of(25));
}
