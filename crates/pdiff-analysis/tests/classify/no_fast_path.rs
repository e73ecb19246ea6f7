//! What looks like a missing fast path and is none.

use crate::build::{classified, said, seen, steady, verdict, with_rest};

#[test]
fn a_callee_that_took_the_place_of_another_is_no_missing_fast_path() {
    let before = with_rest("main;run 60\nmain;run;old_way 100");
    let after = with_rest("main;run 60\nmain;run;new_way 180");
    let outcome = classified(
        seen(&before, "main:50 work:50 run:200 old_way:300 run>old_way"),
        seen(&after, "main:50 work:50 run:200 new_way:90 run>new_way"),
    );
    assert_eq!(said(&outcome, "run"), "consequence likely R-callees");
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
    assert_eq!(
        with(one, "checked_read:90 run>checked_read checked_read>read"),
        "consequence likely R-callees"
    );
    let two = "main;run;checked_read 10\nmain;run;checked_read;try_read;read 120";
    let calls = "checked_read:90 try_read:90 run>checked_read checked_read>try_read try_read>read";
    assert_eq!(with(two, calls), "consequence likely R-callees");
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
fn work_that_another_function_asks_for_now_is_no_missing_fast_path() {
    let (steady, words) = steady();
    let calls = "main>read main>close read>collect close>collect";
    let build = |close: u32| {
        format!("main:50 {words} read:200 read=70 close:200 close={close} collect:300 collect=50 {calls}")
    };
    let of = |read: u64, close: u64| {
        format!("{steady}main;read 60\nmain;close 60\nmain;read;collect {read}\nmain;close;collect {close}")
    };
    let outcome = classified(seen(&of(120, 40), &build(71)), seen(&of(40, 120), &build(72)));
    assert_ne!(verdict(&outcome, "close").rule_id, "R-fast-path");
    let outcome = classified(seen(&of(40, 40), &build(71)), seen(&of(40, 120), &build(72)));
    assert_eq!(said(&outcome, "close"), "missing-fast-path likely R-fast-path");
}

#[test]
fn a_callee_that_was_inlined_without_samples_is_no_new_path() {
    let (steady, words) = steady();
    let build = |get: &str| format!("main:50 {words} main>get main>other other:90 key:120 {get} other>key");
    let before = format!("{steady}main;get 60\nmain;other;key 30");
    let after = format!("{steady}main;get 60\nmain;get;key 50\nmain;other;key 30");
    let new = build("get:200 get=71 get>key");
    let outcome = classified(seen(&before, &build("get:210 get=70 get<key*1")), seen(&after, &new));
    assert_ne!(verdict(&outcome, "get").rule_id, "R-fast-path");
    let outcome = classified(seen(&before, &build("get:210 get=70")), seen(&after, &new));
    assert_eq!(said(&outcome, "get"), "missing-fast-path likely R-fast-path");
}

#[test]
fn a_callee_that_is_inlined_now_is_no_new_path() {
    let (steady, words) = steady();
    let build =
        |cmp: &str| format!("main:50 {words} main>find find>cmp find:200 find=60 size:90 size=61 {cmp}");
    // A leaf without a frame, whose caller the chains lost.
    let before = format!("{steady}main;find 60\nmain;find;cmp 80\nmain;find;size 2");
    let after = format!("{steady}main;find 60\nmain;find;cmp 80\nmain;find;cmp;+size 30");
    let old = build("cmp:120 cmp=70 cmp>size");
    let outcome = classified(seen(&before, &old), seen(&after, &build("cmp:150 cmp=71 cmp<size*2")));
    assert_ne!(verdict(&outcome, "size").rule_id, "R-edge");
}

#[test]
fn library_code_in_a_function_is_its_own_code_and_no_path_from_it() {
    let (steady, words) = steady();
    let before = format!("{steady}main;get 60\nmain;get;+std::size 30\nmain;other 40\nmain;other;+std::at 2");
    let after = before.replace("main;get;+std::size 30", "main;get;+std::size 2\nmain;get;+std::at 90");
    let said_of = |at: &str| {
        let build = format!(
            "main:50 {words} main>get main>other other:90 get<std::size*1 get<std::at*1 other<std::at*1"
        );
        let of = |hash: u32| format!("{build} get:200 get={hash}").replace("std::at", at);
        let samples = [&before, &after].map(|folded| folded.replace("std::at", at));
        said(&classified(seen(&samples[0], &of(70)), seen(&samples[1], &of(71))), "get")
    };
    assert_eq!(said_of("index::at"), "missing-fast-path likely R-fast-path");
    assert_ne!(said_of("std::at"), "missing-fast-path likely R-fast-path");
}

#[test]
fn what_a_callee_that_is_called_as_often_goes_on_to_is_no_path_of_its_callers() {
    let (steady, words) = steady();
    // Both callers changed elsewhere.
    let build = |hash: u32| {
        format!(
            "main:50 {words} main>open main>grow open>get grow>get open:200 open={hash} grow:200 grow={hash} get:90 get={hash} \
             get>fill fill:80 fill=51"
        )
    };
    let of = |get: u64, fill: u64| {
        let under = |caller: &str| {
            format!("main;{caller} 60\nmain;{caller};get {get}\nmain;{caller};get;fill {fill}")
        };
        format!("{steady}{}\n{}", under("open"), under("grow"))
    };
    let outcome = classified(seen(&of(6, 1), &build(60)), seen(&of(6, 60), &build(61)));
    assert_eq!(said(&outcome, "get"), "missing-fast-path likely R-fast-path");
    for caller in ["open", "grow"] {
        assert_eq!(said(&outcome, caller), "consequence likely R-callees", "{caller}");
    }
    // One of them did not enter it before.
    let before = of(6, 1).replace("\nmain;grow;get 6\nmain;grow;get;fill 1", "");
    let outcome = classified(seen(&before, &build(60)), seen(&of(6, 60), &build(61)));
    assert_eq!(said(&outcome, "grow"), "missing-fast-path likely R-fast-path");
}

#[test]
fn a_callee_that_only_leads_to_what_grew_everywhere_is_no_path() {
    let (steady, words) = steady();
    let build = |hash: u32| {
        format!(
            "main:50 {words} main>list main>copy list>find copy>find find>look list:90 list=8 find:90 find=9 copy:200 \
             copy={hash} look:300 look={hash}"
        )
    };
    let of = |copy: u64, list: u64| {
        format!("{steady}main;copy 10\nmain;copy;find;look {copy}\nmain;list 10\nmain;list;find;look {list}")
    };
    let outcome = classified(seen(&of(1, 30), &build(60)), seen(&of(9, 150), &build(61)));
    assert_eq!(said(&outcome, "copy"), "consequence likely R-callees");
    // Under the other caller it costs as much as before.
    let outcome = classified(seen(&of(1, 30), &build(60)), seen(&of(40, 30), &build(61)));
    assert_eq!(said(&outcome, "copy"), "missing-fast-path likely R-fast-path");
}

#[test]
fn a_function_that_differs_by_the_layout_of_a_record_alone_goes_on_no_more() {
    let (steady, words) = steady();
    let relaid: String = (0..6).map(|n| format!("steady_{n}={} ", n + 100)).collect();
    let build = format!("main:50 {words} fetch:300 fetch=50 main>seek seek>fetch");
    let before = format!("{steady}main;seek 60\nmain;seek;fetch 90");
    let after = format!("{steady}main;seek 62\nmain;seek;fetch 270");
    let rule_of = |more: &str| {
        let (old, new) = (format!("{build} seek:200 seek=60"), format!("{build} {more} seek=61"));
        verdict(&classified(seen(&before, &old), seen(&after, &new)), "seek").rule_id
    };
    assert_eq!(rule_of("seek:200"), "R-fast-path");
    assert_ne!(rule_of(&format!("{relaid} seek:200")), "R-fast-path");
    assert_eq!(rule_of(&format!("{relaid} seek:210")), "R-fast-path");
}

#[test]
fn a_function_that_is_called_many_times_as_often_goes_on_no_further() {
    let (steady, words) = steady();
    let build = |hash: u32| {
        format!(
            "main:50 {words} main>put put>resize resize>insert put:200 put={hash} resize:300 resize={hash} insert:90 insert=51"
        )
    };
    let of = |own: u64, insert: u64| {
        format!("{steady}main;put 60\nmain;put;resize {own}\nmain;put;resize;insert {insert}")
    };
    let outcome = classified(seen(&of(3, 4), &build(60)), seen(&of(40, 90), &build(61)));
    assert_eq!(said(&outcome, "put"), "missing-fast-path likely R-fast-path");
    assert_ne!(verdict(&outcome, "resize").rule_id, "R-fast-path");
    // Its own code costs as much as before.
    let outcome = classified(seen(&of(3, 4), &build(60)), seen(&of(4, 90), &build(61)));
    assert_eq!(said(&outcome, "resize"), "missing-fast-path likely R-fast-path");
}

#[test]
fn a_callee_that_left_the_code_around_a_copy_is_no_new_path_of_that() {
    let (steady, words) = steady();
    let build = |toi: &str| format!("main:50 {words} main>toi toi:600 {toi} init:0 toi<init*1 turn:90");
    let before = format!("{steady}main;toi 200\nmain;toi;+init 10");
    let after = format!("{steady}main;toi 150\nmain;toi;+init 10\nmain;toi;+init;turn 60");
    let new = build("toi=61 toi>turn");
    let outcome = classified(seen(&before, &build("toi=60 toi<turn*1")), seen(&after, &new));
    assert_ne!(verdict(&outcome, "init").rule_id, "R-fast-path");
    let outcome = classified(seen(&before, &build("toi=60")), seen(&after, &new));
    assert_eq!(said(&outcome, "init"), "missing-fast-path likely R-fast-path");
}

#[test]
fn a_copy_in_the_same_code_has_no_new_path() {
    let (steady, words) = steady();
    let build = |put: u32, insert: u32| {
        format!(
            "main:50 {words} main>put put:200 put={put} put>insert main>insert insert:300 insert={insert} max:0 maxf:0 \
             insert<max*1 insert<maxf*1"
        )
    };
    let of = |insert: u64, max: u64, maxf: u64| {
        format!(
            "{steady}main;put 60\nmain;insert 20\nmain;put;insert {insert}\nmain;put;insert;+max {max}\n\
             main;put;insert;+max;+maxf {maxf}"
        )
    };
    let outcome = classified(seen(&of(2, 2, 1), &build(60, 50)), seen(&of(90, 4, 20), &build(61, 50)));
    assert_eq!(said(&outcome, "max"), "missing-fast-path likely R-below");
    let outcome = classified(seen(&of(2, 2, 1), &build(60, 50)), seen(&of(90, 4, 20), &build(61, 51)));
    assert_eq!(verdict(&outcome, "max").rule_id, "R-fast-path");
}

#[test]
fn a_copy_of_few_instructions_that_costs_more_may_do_more_each_time() {
    let (steady, words) = steady();
    let build = |open: u32, copies: u32| {
        format!("main:50 {words} main>open open:{open} open={open} open<clear*{copies}")
    };
    let said_with = |before: &str, copies: u32| {
        let of = |clear: &str| format!("{steady}main;open 30\n{clear}");
        let after = of("main;open;+clear 60");
        let outcome = classified(seen(&of(before), &build(380, 1)), seen(&after, &build(410, copies)));
        said(&outcome, "open")
    };
    let found = "missing-fast-path likely R-fast-path";
    // Three samples of it say that it ran before, too.
    assert_ne!(said_with("once main;open;+clear 3", 1), found);
    // It did not run, or has another copy.
    assert_eq!(said_with("", 1), found);
    assert_eq!(said_with("once main;open;+clear 3", 2), found);
}

#[test]
fn code_that_costs_many_times_as_much_in_its_other_copies_is_no_new_path() {
    let (stacks, words) = steady();
    let build = format!("{words} main:50 main>log main>page log<sum*1 page<sum*1 log:90 log=1");
    let of = |log: u64, page: &str| {
        with_rest(&format!("{stacks}main;log 20\nmain;log;+sum {log}\nmain;page 60\n{page}"))
    };
    let rule = |log: u64| {
        let outcome = classified(
            seen(&of(10, ""), &format!("{build} page:400 page=7")),
            seen(&of(log, "main;page;+sum 60"), &format!("{build} page:420 page=8")),
        );
        verdict(&outcome, "page").rule_id
    };
    assert_ne!(rule(200), "R-fast-path");
    assert_eq!(rule(10), "R-fast-path");
}
