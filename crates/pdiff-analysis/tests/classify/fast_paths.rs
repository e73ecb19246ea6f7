//! Missing fast paths: what a function goes on to where it returned early, and what is below that.

use pdiff_analysis::classify::{CallCounts, CallInCode, Evidence, Fact};
use pdiff_profile::PerSide;

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict, with_rest};
use crate::ways::Ways;

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
    check("look_up\t1\t1\nlook_up -> slow\t1\t1\n", "consequence likely R-callees");
}

#[test]
fn what_grew_under_a_lost_fast_path_is_part_of_that_finding() {
    let (steady, words) = steady();
    let build = |find: u32| {
        format!(
            "main:50 {words} main>run run:200 run=60 run>find find:200 find={find} find>load main>load load:300 load=50 \
             load<part*1 load>read read:90 read=51"
        )
    };
    let of = |load: u64, read: u64| {
        format!(
            "{steady}main;run 600\nmain;run;find 60\nmain;load 15\nmain;load;read 6\nmain;run;find;load {load}\n\
             main;run;find;load;+part {load}\nmain;run;find;load;read {read}\n\
             main;run;find;load;/lib/libc.so.6!copy {read}\nmain;/lib/libc.so.6!copy 20"
        )
    };
    let same = ["libc.so.6".to_owned(), "libc.so".to_owned()];
    let extra = Extra { same_objects: &same, ..Extra::default() };
    let (before, after) = (of(10, 30), of(60, 150));
    let outcome = classified_with(seen(&before, &build(70)), seen(&after, &build(71)), &extra);
    assert_eq!(said(&outcome, "find"), "missing-fast-path likely R-fast-path");
    assert_eq!(said(&outcome, "read"), "missing-fast-path likely R-below");
    assert_eq!(verdict(&outcome, "read").callers, ["load"]);
    // A copy has the code of the function that contains it, and a library that is the same file has the same code.
    assert_eq!(said(&outcome, "part"), "missing-fast-path likely R-below");
    let copy = outcome.verdicts.iter().find(|verdict| verdict.function.starts_with("copy")).unwrap();
    assert_eq!((copy.rule_id, copy.cause.as_str()), ("R-below", "missing-fast-path"));
    let outcome = classified_with(seen(&before, &build(70)), seen(&after, &build(70)), &extra);
    assert_ne!(verdict(&outcome, "read").rule_id, "R-below");
}

#[test]
fn a_lost_early_exit_leads_to_several_callees_none_of_which_is_half_of_the_growth() {
    let (steady, words) = steady();
    let build = |get: u32| {
        format!(
            "main:50 {words} main>get get:200 get={get} get>open open:300 open=50 get>close close:90 close=51 get>seek \
             seek:90 seek={get}"
        )
    };
    let of = |seek: u64, open: u64, close: u64| {
        format!("{steady}main;get 60\nmain;get;seek {seek}\nmain;get;open {open}\nmain;get;close {close}")
    };
    let (before, after) = (of(200, 50, 40), of(290, 120, 100));
    let outcome = classified(seen(&before, &build(70)), seen(&after, &build(71)));
    assert_eq!(said(&outcome, "get"), "missing-fast-path likely R-fast-path");
    // One of them alone is less than half of it.
    let (before, after) = (of(200, 50, 40), of(330, 120, 50));
    let outcome = classified(seen(&before, &build(70)), seen(&after, &build(71)));
    assert_eq!(said(&outcome, "get"), "consequence likely R-callees");
}

#[test]
fn a_function_whose_code_has_more_calls_goes_on_more_where_the_rest_of_it_is_light() {
    let (steady, words) = steady();
    let build = |has: &str| format!("main:50 {words} main>has has:90 {has} find:300 find=50 main>find");
    let of = |find: u64| format!("{steady}main;has 3\nmain;has;find {find}\nmain;find 30");
    let (once, twice) = (build("has=60 has>find"), build("has=61 has>find has>find"));
    let outcome = classified(seen(&of(100), &once), seen(&of(170), &twice));
    assert_eq!(said(&outcome, "has"), "more-calls likely R-fast-path");
    let outcome = classified(seen(&of(100), &once), seen(&of(170), &build("has=61 has>find")));
    assert_ne!(verdict(&outcome, "has").rule_id, "R-fast-path");
}

#[test]
fn growth_below_a_callee_does_not_say_that_the_function_goes_on_to_it_more() {
    let (steady, words) = steady();
    let build = |of: u32| {
        format!(
            "main:50 {words} main>get get:200 get={of} get>table table:300 table=50 table>seek seek:90 seek={of}"
        )
    };
    let of = |table: u64, seek: u64| {
        format!("{steady}main;get 60\nmain;get;table {table}\nmain;get;table;seek {seek}")
    };
    let outcome = classified(seen(&of(20, 60), &build(70)), seen(&of(21, 160), &build(71)));
    assert_eq!(said(&outcome, "get"), "consequence likely R-callees");
    let outcome = classified(seen(&of(20, 60), &build(70)), seen(&of(50, 160), &build(71)));
    assert_eq!(said(&outcome, "get"), "missing-fast-path likely R-fast-path");
}

#[test]
fn code_that_has_no_way_around_a_call_any_more_proves_a_missing_fast_path() {
    let (before, after) = (
        with_rest("main;get 60\nmain;other;read 20"),
        with_rest("main;get 60\nmain;other;read 20\nmain;get;read 90"),
    );
    // In the order of their names: get at 1000, main, other, read at 4000, work.
    let build = |hash: u32| {
        format!("main:50 main>get get>read read:300 read=9 other:80 other>read work:9 get:200 get={hash}")
    };
    let said_with = |before_skips: Option<bool>, after_skips: Option<bool>| {
        let ways = Ways {
            caller: 0x1000,
            callee: 0x4000,
            can_skip: PerSide::new(before_skips, after_skips),
            around: PerSide::new(Some([40, 10_000]), Some([0, 10_000])),
            ..Ways::default()
        };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let outcome = classified_with(seen(&before, &build(1)), seen(&after, &build(2)), &extra);
        let proof = Fact::NoWayAround { caller: "get".to_owned(), callee: "read".to_owned() };
        let is_shown = verdict(&outcome, "get").evidence.iter().any(|evidence| evidence.fact == proof);
        (said(&outcome, "get"), is_shown)
    };
    let likely = ("missing-fast-path likely R-fast-path".to_owned(), false);
    assert_eq!(said_with(Some(true), Some(false)), ("missing-fast-path proved R-fast-path".to_owned(), true));
    assert_eq!(said_with(Some(true), Some(true)), likely);
    assert_eq!(said_with(Some(false), Some(false)), likely);
    assert_eq!(said_with(None, Some(false)), likely);
    assert_eq!(said_with(Some(true), None), likely);
}

#[test]
fn a_lock_that_code_has_no_way_around_any_more_proves_a_missing_fast_path() {
    let (steady, words) = steady();
    let before = format!("{steady}main;get 60\nmain;other;/lib/libc.so.6!lock 20");
    let after = format!("{before}\nmain;get;/lib/libc.so.6!lock 90");
    let build = |hash: u32| {
        format!(
            "{words} get:200 main:50 main>get lock@plt:16 get>lock@plt other:80 other=1 other>lock@plt \
             main>other get={hash}"
        )
    };
    let same = ["libc.so.6".to_owned(), "libc.so".to_owned()];
    let said_with = |before_skips: bool, after_skips: bool| {
        let can_skip = PerSide::new(Some(before_skips), Some(after_skips));
        // In the order of their names: get, lock@plt, main, ...
        let around = PerSide::new(Some([40, 10_000]), Some([0, 10_000]));
        let ways = Ways { caller: 0x1000, callee: 0x2000, can_skip, around, ..Ways::default() };
        let extra = Extra { paths: Some(&ways), same_objects: &same, ..Extra::default() };
        let outcome = classified_with(seen(&before, &build(60)), seen(&after, &build(61)), &extra);
        (said(&outcome, "get"), said(&outcome, "lock"))
    };
    let (get, lock) = said_with(true, false);
    assert_eq!(get, "missing-fast-path proved R-fast-path");
    assert_eq!(lock, "missing-fast-path likely R-below");
    let (get, _) = said_with(true, true);
    assert_eq!(get, "consequence likely R-callees");
    // Another library function that it called before is called no more: one took the place of the other.
    let before = format!("{before}\nmain;get;/lib/libc.so.6!wait 70");
    let after = format!("{after}\nmain;get;/lib/libc.so.6!lock 40");
    let ways = Ways {
        caller: 0x1000,
        callee: 0x2000,
        can_skip: PerSide::new(Some(true), Some(false)),
        ..Ways::default()
    };
    let extra = Extra { paths: Some(&ways), same_objects: &same, ..Extra::default() };
    let outcome = classified_with(seen(&before, &build(60)), seen(&after, &build(61)), &extra);
    assert_ne!(verdict(&outcome, "get").rule_id, "R-fast-path");
}

#[test]
fn counts_name_the_caller_that_calls_more_and_what_is_below_is_part_of_that() {
    let (steady, words) = steady();
    let build = |get: u32| {
        format!(
            "main:50 {words} main>get get:200 get={get} get>fetch fetch:300 fetch=50 main>fetch fetch>read read:90 read=51 \
             main>read"
        )
    };
    let of = |fetch: u64, read: u64| {
        format!(
            "{steady}main;get 300\nmain;get;fetch {fetch}\nmain;fetch 20\nmain;get;fetch;read {read}\nmain;read 20"
        )
    };
    let counts = "fetch\t2\t4\nget -> fetch\t1\t3\nmain -> fetch\t1\t1\n";
    let extra = Extra { counts: Some(CallCounts::parse(counts).unwrap()), ..Extra::default() };
    let outcome = classified_with(seen(&of(60, 60), &build(70)), seen(&of(100, 100), &build(71)), &extra);
    assert_eq!(said(&outcome, "fetch"), "more-calls proved R-more-calls");
    assert_eq!(verdict(&outcome, "fetch").callers, ["get"]);
    assert_eq!(said(&outcome, "read"), "more-calls likely R-below");
    assert_eq!(verdict(&outcome, "read").callers, ["fetch"]);
}

#[test]
fn a_call_that_the_lines_of_an_inlined_function_have_now_is_no_new_call_of_the_code_around_it() {
    let (steady, words) = steady();
    let of = |direct: u64, inlined: u64, mix: u64| {
        let mix = match mix {
            0 => String::new(),
            mix => format!("\nmain;lex;intern;mix {mix}\nmain;lex;+read;intern;mix {mix}"),
        };
        format!(
            "{steady}main;lex 200\nmain;lex;+read 40\nmain;lex;intern {direct}\nmain;lex;+read;intern {inlined}{mix}"
        )
    };
    let build = |intern: &str, lex: &str| {
        format!("main:50 {words} lex:400 lex<read*1 main>lex lex>intern intern:200 {lex} {intern}")
    };
    let before = build("intern=8", "lex=6");
    let after = |lex: &str| build("intern=9 intern>mix mix:90", lex);
    // The compiler merged the two calls of `intern`, so its line moved from `lex` to the inlined `read`. `intern` costs more,
    // because it calls the new function `mix`.
    let outcome = classified(seen(&of(80, 2, 0), &before), seen(&of(50, 30, 20), &after("lex=7")));
    assert_eq!(said(&outcome, "mix"), "new-overhead proved R-new-code");
    assert_ne!(verdict(&outcome, "read").cause.as_str(), "missing-fast-path");
    // If the code of `lex` calls `intern` once more, that call can belong to the inlined `read`.
    let outcome = classified(seen(&of(80, 2, 0), &before), seen(&of(50, 30, 20), &after("lex=7 lex>intern")));
    assert_eq!(said(&outcome, "read"), "missing-fast-path likely R-fast-path");
}

#[test]
fn a_call_that_was_added_shows_though_the_callee_has_many_other_callers() {
    let (steady, words) = steady();
    let build = |seek: &str| {
        format!(
            "main:50 {words} main>seek main>other other:90 other=8 seek>fetch other>fetch seek:200 {seek} \
                 fetch:300 fetch=50"
        )
    };
    let of = |seek: u64, fetch: u64| {
        format!("{steady}main;other 100\nmain;other;fetch 400\nmain;seek {seek}\nmain;seek;fetch {fetch}")
    };
    let (before, after) = (of(50, 117), of(66, 192));
    let outcome = classified(seen(&before, &build("seek=60")), seen(&after, &build("seek=61 seek>fetch")));
    assert_eq!(said(&outcome, "seek"), "more-calls likely R-fast-path");
    let outcome = classified(seen(&before, &build("seek=60")), seen(&after, &build("seek=61")));
    assert_ne!(verdict(&outcome, "seek").rule_id, "R-fast-path");
    // The compiler laid the callee out anew. Code that is longer by more may do more.
    let of = |fetch: &str| build("seek=61 seek>fetch").replace("fetch:300 fetch=50", fetch);
    let outcome = classified(seen(&before, &build("seek=60")), seen(&after, &of("fetch:305 fetch=51")));
    assert_eq!(said(&outcome, "seek"), "more-calls likely R-fast-path");
    let outcome = classified(seen(&before, &build("seek=60")), seen(&after, &of("fetch:350 fetch=51")));
    assert_ne!(verdict(&outcome, "seek").rule_id, "R-fast-path");
}

#[test]
fn a_call_that_is_no_longer_inlined_is_new_if_what_it_leads_to_is() {
    let (steady, words) = steady();
    let build = |init: &str, hash: u32| {
        format!(
            "main:50 {words} main>load load:200 load={hash} run:300 run=50 load>prep prep>run prep:80 {init}"
        )
    };
    let of = |new: &str| format!("{steady}main;load 60\nmain;load;prep;run 100\n{new}");
    let before = build("init:0 load<init*1", 60);
    let after = of("main;load;init;run 90");
    let outcome = classified(seen(&of(""), &before), seen(&after, &build("init:90 load>init init>run", 61)));
    assert_eq!(said(&outcome, "load"), "missing-fast-path likely R-fast-path");
    // Its own code may have been in the caller's samples.
    let after = of("main;load;init 90");
    let outcome = classified(seen(&of(""), &before), seen(&after, &build("init:90 load>init", 61)));
    assert_ne!(verdict(&outcome, "load").rule_id, "R-fast-path");
}

#[test]
fn a_function_that_is_called_more_and_always_went_on_has_lost_no_fast_path() {
    let (steady, words) = steady();
    let build = |field: u32| {
        format!(
            "main:50 {words} main>put put>field field>copy put:200 put={field} field:90 field={field} copy:300 copy=51"
        )
    };
    let of = |own: u64, copy: u64| {
        format!("{steady}main;put 60\nmain;put;field {own}\nmain;put;field;copy {copy}")
    };
    let rule_of = |before: [u64; 2], after: [u64; 2]| {
        let [before, after] = [before, after].map(|[own, copy]| of(own, copy));
        let outcome = classified(seen(&before, &build(60)), seen(&after, &build(61)));
        verdict(&outcome, "field").rule_id
    };
    assert_ne!(rule_of([1, 12], [6, 144]), "R-fast-path");
    // It returned early nearly always.
    assert_eq!(rule_of([12, 12], [12, 144]), "R-fast-path");
}

#[test]
fn a_helper_that_costs_less_elsewhere_within_noise_hides_no_lost_fast_path() {
    let (steady, words) = steady();
    let build = |ends: u32| {
        format!(
            "main:50 {words} main>scan scan:300 scan=70 compare:90 compare=5 scan>compare main>starts starts:200 starts=6 \
             starts>fix main>ends ends:200 ends={ends} ends>fix fix:100 fix=7 fix>compare"
        )
    };
    let of = |scan: u64, ends: &str| {
        format!(
            "{steady}main;scan;compare {scan}\nmain;starts 90\nmain;starts;fix 8\nmain;starts;fix;compare 24\nmain;ends 8\n{ends}"
        )
    };
    let with = "main;ends;fix 5\nmain;ends;fix;compare 15";
    let said_of = |scan: u64| {
        let outcome = classified(seen(&of(900, ""), &build(1)), seen(&of(scan, with), &build(2)));
        said(&outcome, "ends")
    };
    assert_eq!(said_of(880), "missing-fast-path likely R-fast-path");
    // That much less elsewhere is no noise: it was done there before.
    assert!(!said_of(500).contains("fast-path"), "{}", said_of(500));
}

#[test]
fn a_caller_with_few_samples_of_its_own_asks_as_before_if_what_it_does_beside_is_as_before() {
    // A cache is no longer asked. `length` hardly entered the slow path before, and does hardly anything itself.
    let (steady, words) = steady();
    let calls = "main>extract main>length extract>parse length>parse length>count parse>translate";
    let build = |parse: &str| {
        format!(
            "main:50 {words} extract:200 extract=60 length:90 length=61 count:90 {calls} translate:400 translate=62 parse:300 {parse}"
        )
    };
    let of = |count: u64, extract: u64, length: u64| {
        format!(
            "{steady}main;extract 60\nmain;length;count {count}\nmain;extract;parse 20\n\
             main;extract;parse;translate {extract}\nmain;length;parse;translate {length}"
        )
    };
    let said_of = |before_count: u64, after_count: u64| {
        let before = of(before_count, 80, 2);
        let after = of(after_count, 110, 80);
        said(&classified(seen(&before, &build("parse=70")), seen(&after, &build("parse=71"))), "parse")
    };
    assert_eq!(said_of(30, 30), "missing-fast-path likely R-fast-path");
    // It runs more often.
    assert_ne!(said_of(30, 150), "missing-fast-path likely R-fast-path");
    // Without samples of what it does beside, nothing tells whether it does.
    assert_ne!(said_of(0, 0), "missing-fast-path likely R-fast-path");
}
