//! Edges: calls that a caller makes now, or makes more, and what is below them.

use pdiff_analysis::classify::Fact;

use crate::build::{classified, said, seen, steady, verdict, with_rest};

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
fn a_caller_that_differs_by_the_layout_of_a_record_alone_did_not_lose_a_fast_path() {
    let (steady, words) = steady();
    let (before, after) =
        (format!("{steady}main;run 100"), format!("{steady}main;run 100\nmain;run;audit 90"));
    let of = |hash: u32, words: &str| {
        format!("main:50 {words} audit:300 audit=50 main>run run>audit run:200 run={hash}")
    };
    let said_of = |relaid: u32| {
        let other = (0..relaid).fold(words.clone(), |words, n| {
            words.replace(&format!("steady_{n}={n} "), &format!("steady_{n}=9{n} "))
        });
        let outcome = classified(seen(&before, &of(60, &words)), seen(&after, &of(61, &other)));
        said(&outcome, "audit")
    };
    assert_eq!(said_of(3), "newly-active likely R-newly-active");
    assert_eq!(said_of(2), "missing-fast-path likely R-edge");
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
    // Its caller has other code, but its own cost shows that it is not called that much more often.
    let outcome = classified(seen(&before, &of(60, 61)), seen(&after, &of(63, 62)));
    assert_eq!(said(&outcome, "note"), "missing-fast-path likely R-fast-path");
    // A caller with other code may call it more often.
    let often = after.replace("note 2", "note 12");
    let outcome = classified(seen(&before, &of(60, 61)), seen(&often, &of(63, 62)));
    assert_eq!(said(&outcome, "note"), "missing-fast-path likely R-edge");
    assert_eq!(verdict(&outcome, "note").callers, ["run"]);
}

#[test]
fn a_callee_with_other_code_that_was_called_before_may_do_more_in_a_call() {
    let (steady, words) = steady();
    let build = format!("main:50 {words} main>run run:200 run>join append@plt:16 join>append@plt");
    let of = |run: u32, join: u32| format!("{build} run={run} join={join} join:{}", 2 * join);
    let before = format!("{steady}main;run 100\nmain;run;join 2");
    let after = format!("{steady}main;run 100\nmain;run;join 5\nmain;run;join;/lib/libc.so.6!append 90");
    let outcome = classified(seen(&before, &of(60, 50)), seen(&after, &of(61, 80)));
    assert_eq!(said(&outcome, "join"), "heavier likely R-heavier", "{:?}", verdict(&outcome, "join").reason);
    // With the same code, its caller is what changed.
    let outcome = classified(seen(&before, &of(60, 50)), seen(&after, &of(61, 50)));
    assert_eq!(said(&outcome, "join"), "missing-fast-path likely R-edge");
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

/// Builds a patch apart in which `run` calls `fetch`; the words say what `run` is and calls.
fn fetching(run: &str) -> String {
    let (_, words) = steady();
    format!(
        "main:50 {words} other:90 other=70 fetch:300 fetch=50 main>run main>other other>fetch run:200 {run}"
    )
}

#[test]
fn of_builds_a_patch_apart_a_changed_caller_may_call_a_function_twice() {
    let (steady, _) = steady();
    let of = |run: u64, other: u64| {
        format!("{steady}main;run 900\nmain;run;fetch {run}\nmain;other 40\nmain;other;fetch {other}")
    };
    let (once, twice) = (fetching("run=60 run>fetch"), fetching("run=61 run>fetch run>fetch"));
    let said_of = |after: &str, build: &str| {
        let (before, of_before) = (of(60, 20), once.clone());
        let outcome = classified(seen(&before, &of_before), seen(after, build));
        said(&outcome, "fetch")
    };
    // The caller's own total shows nothing; the code has one more call.
    assert_eq!(said_of(&of(115, 20), &twice), "more-calls likely R-edge");
    // Next to nothing under another caller is noise, however it changes.
    let of_one = classified(seen(&of(60, 1), &once), seen(&of(115, 2), &twice));
    assert_eq!(said(&of_one, "fetch"), "more-calls likely R-edge");
    // As many calls in the code: only a path that is taken more.
    let once_again = fetching("run=61 run>fetch");
    assert_eq!(said_of(&of(125, 20), &once_again), "missing-fast-path likely R-edge");
    // Another constant in it may be why.
    let other = once_again.replace("fetch=50", "fetch=51");
    assert_ne!(said_of(&of(125, 20), &other), "missing-fast-path likely R-edge");
    // A little more with as many calls may be the memory.
    assert_eq!(said_of(&of(90, 20), &once_again), "heavier unclear R-heavier");
    // It costs more under its other caller, too: it is not the calls.
    assert_eq!(said_of(&of(125, 42), &twice), "heavier likely R-heavier");
    // The caller is the same code: nothing in the builds says why.
    assert_eq!(said_of(&of(125, 20), &once), "heavier unclear R-heavier");
}

#[test]
fn a_call_that_is_new_is_found_beside_a_call_that_left() {
    let (steady, _) = steady();
    let before = format!("{steady}main;run 300\nmain;run;store 60\nmain;other;fetch 30");
    let (old, new) = (
        fetching("run=60 run>fetch store:90 store=71 run>store"),
        fetching("run=61 run>fetch store:90 store=71"),
    );
    let after = |run: u64| format!("{steady}main;run {run}\nmain;run;fetch 90\nmain;other;fetch 30");
    // The caller costs more by more than the new call: that one was not taken in exchange.
    let outcome = classified(seen(&before, &old), seen(&after(420), &new));
    assert_eq!(said(&outcome, "fetch"), "missing-fast-path likely R-edge");
    let outcome = classified(seen(&before, &old), seen(&after(290), &new));
    assert_ne!(verdict(&outcome, "fetch").rule_id, "R-edge");
}

#[test]
fn the_caller_under_which_a_function_grew_is_named_and_not_the_heaviest_one() {
    let (steady, _) = steady();
    let (old, new) = (fetching("run=60"), fetching("run=61 run>fetch"));
    let before = format!("{steady}main;run 300\nmain;other;fetch 150");
    let after = format!("{steady}main;run 300\nmain;run;fetch 80\nmain;other;fetch 150");
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    assert_eq!(said(&outcome, "fetch"), "missing-fast-path likely R-edge");
    assert_eq!(verdict(&outcome, "fetch").callers, ["run"]);
}

#[test]
fn growth_of_what_a_function_calls_does_not_say_that_it_is_called_more() {
    let (steady, _) = steady();
    let build = |run: &str| fetching(run) + " fetch>read main>read read:150 read=72";
    let of = |fetch: u64, read: u64| {
        format!("{steady}main;run 900\nmain;run;fetch {fetch}\nmain;run;fetch;read {read}\nmain;read 30")
    };
    let (old, new) = (build("run=60 run>fetch"), build("run=61 run>fetch").replace("read=72", "read=73"));
    let (before, after) = (of(40, 40), of(42, 140));
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    assert_ne!(verdict(&outcome, "fetch").rule_id, "R-edge");
    let (before, after) = (of(40, 40), of(82, 140));
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    assert_eq!(said(&outcome, "fetch"), "missing-fast-path likely R-edge");
    // Of what it calls, only one grew.
    let wait = |of: &dyn Fn(u64, u64) -> String, fetch, read| of(fetch, read) + "\nmain;run;fetch;wait 90";
    let [old, new] = [old, new].map(|build| build + " wait:70 wait=74 fetch>wait");
    let (before, after) = (wait(&of, 40, 40), wait(&of, 82, 180));
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    assert_ne!(verdict(&outcome, "fetch").rule_id, "R-edge");
}

#[test]
fn a_function_that_no_longer_inlines_another_may_be_called_more_all_the_same() {
    let (steady, words) = steady();
    let shared = format!("main:50 {words} main>store store:200 find:60");
    let before =
        format!("{steady}main;store 400\nmain;store;put 20\nmain;store;put;+find 6\nmain;store;put;write 40");
    let after = |find: u64, write: u64| {
        format!(
            "{steady}main;store 400\nmain;store;put 38\nmain;store;put;find {find}\nmain;store;put;write {write}"
        )
    };
    let build = |store: u32, put: u32, find: &str| {
        format!("{shared} write:90 write=80 store={store} put={put} put:{put} store>put put>write {find}")
    };
    let (old, new) = (build(60, 71, "put<find*1"), build(62, 93, "put>find find=64"));
    let outcome = classified(seen(&before, &old), seen(&after(14, 82), &new));
    assert_eq!(said(&outcome, "put"), "missing-fast-path likely R-edge");
    assert_eq!(verdict(&outcome, "put").callers, ["store"]);
    // A call is not that long: the code does more.
    let longer = new.replace("put:93", "put:160");
    let outcome = classified(seen(&before, &old), seen(&after(14, 82), &longer));
    assert_ne!(verdict(&outcome, "put").rule_id, "R-edge");
    // Nothing that it inlined left it, so its code may do more.
    let other = (build(60, 71, ""), build(62, 93, ""));
    let flat = |of: String| of.replace(";+find", "").replace(";find", "");
    let outcome = classified(seen(&flat(before.clone()), &other.0), seen(&flat(after(14, 82)), &other.1));
    assert_ne!(verdict(&outcome, "put").rule_id, "R-edge");
}

#[test]
fn a_function_that_now_inlines_another_may_be_called_more_all_the_same() {
    let (steady, words) = steady();
    let shared = format!("main:50 {words} main>load load:200 find:60");
    let of = |get: u64, find: &str| {
        format!("{steady}main;load 200\nmain;load;get {get}\nmain;load;get;{find}\nmain;load;get;read {get}")
    };
    let build = |load: &str, get: &str| format!("{shared} read:90 read=80 load>get get>read {load} {get}");
    let old = build("load=60", "get=71 get:71 get>find find=64");
    let new = build("load=62 load>get", "get=93 get:93 get<find*1");
    let outcome = classified(seen(&of(40, "find 60"), &old), seen(&of(80, "+find 120"), &new));
    assert_eq!(said(&outcome, "get"), "more-calls likely R-edge");
    assert_eq!(verdict(&outcome, "get").callers, ["load"]);
}

#[test]
fn what_a_function_does_for_a_new_caller_is_no_path_of_its_own() {
    let (steady, words) = steady();
    let build = |hash: u32| {
        format!(
            "main:50 {words} main>load load>prep prep>run load>init init>run run>skip load:200 load={hash} prep:90 prep=8 init:90 \
             init=9 run:300 run={hash} skip:80 skip=51"
        )
    };
    let of = |new: &str| {
        format!("{steady}main;load 20\nmain;load;prep;run 200\nmain;load;prep;run;skip 40\n{new}")
    };
    let after = of("main;load;init;run 30\nmain;load;init;run;skip 90");
    let outcome = classified(seen(&of(""), &build(60)), seen(&after, &build(61)));
    assert_eq!(said(&outcome, "init"), "missing-fast-path likely R-edge");
    for function in ["run", "skip"] {
        assert_ne!(verdict(&outcome, function).rule_id, "R-fast-path", "{function}");
        assert_ne!(verdict(&outcome, function).rule_id, "R-edge", "{function}");
    }
    // The caller that it had calls it.
    let after = of("main;load;prep;run 30\nmain;load;prep;run;skip 90");
    let outcome = classified(seen(&of(""), &build(60)), seen(&after, &build(61)));
    assert_eq!(said(&outcome, "run"), "missing-fast-path likely R-fast-path");
}

#[test]
fn between_versions_a_callee_whose_own_code_changed_is_heavier_and_no_new_path() {
    let build = |put: u32, alpha: u32| {
        format!(
            "main:50 work:50 main>work main>put put:200 put={put} put>emit emit:90 emit={put} emit>alpha alpha:{} \
             alpha={alpha} main>other other:90 other=5 other>alpha",
            10 * alpha
        )
    };
    let of = |alpha: u64, other: u64| {
        with_rest(&format!(
            "main;put 20\nmain;put;emit;alpha {alpha}\nmain;other 20\nmain;other;alpha {other}"
        ))
    };
    let rules = |other: [u64; 2], alpha: u32| {
        let (before, after) = (of(6, other[0]), of(60, other[1]));
        let outcome = classified(seen(&before, &build(60, 50)), seen(&after, &build(61, alpha)));
        ["put", "emit", "alpha"].map(|name| verdict(&outcome, name).rule_id)
    };
    assert_eq!(rules([0, 0], 51), ["R-callees", "R-callees", "R-heavier"]);
    assert_eq!(rules([6, 60], 51), ["R-callees", "R-callees", "R-heavier"]);
    // The same code does not cost ten times as much.
    assert_eq!(rules([0, 0], 50), ["R-fast-path", "R-fast-path", "R-edge"]);
    // Elsewhere it costs as much as before.
    assert_eq!(rules([30, 30], 51), ["R-fast-path", "R-fast-path", "R-edge"]);
}

#[test]
fn a_callee_that_calls_new_code_is_no_new_path() {
    let build = |put: u32, new: &str| {
        format!(
            "main:50 work:50 main>work main>put put:200 put={put} put>emit emit:90 emit={put} emit>write write:70 \
             write={put} main>other other:90 {new}"
        )
    };
    // Its own code costs more, too, so that it may be called more often.
    let of = |own: u64, under: &str| {
        with_rest(&format!(
            "main;put 20\nmain;put;emit {own}\nmain;put;emit;write {own}\nmain;other 9{under}"
        ))
    };
    let rules = |before: (&str, &str), after: (&str, &str)| {
        let (old, new) = (build(60, before.1), build(61, after.1));
        let outcome = classified(seen(&of(5, before.0), &old), seen(&of(8, after.0), &new));
        ["put", "emit", "write"].map(|name| verdict(&outcome, name).rule_id)
    };
    let (found, calls) = ("\nmain;put;emit;write;find 90", "find:80 write>find");
    assert_eq!(rules(("", ""), (found, calls)), ["R-callees", "R-callees", "R-callees"]);
    // Both builds have what it calls.
    let (elsewhere, other) = ("\nmain;other;find 9", "find:80 other>find");
    let (found, calls) = (format!("{found}{elsewhere}"), format!("{other} write>find"));
    assert_eq!(rules((elsewhere, other), (&found, &calls)), ["R-fast-path"; 3]);
}

#[test]
fn a_callee_that_moved_below_a_function_is_no_new_call_of_that() {
    let (steady, words) = steady();
    let of = |checksum: u64, below: u64| {
        let before =
            format!("{steady}main;work;process 40\nmain;work;publish 9\nmain;work;checksum {checksum}");
        let after = format!(
            "{steady}main;work;process 60\nmain;work;process;publish 20\nmain;work;process;publish;checksum {below}"
        );
        let build = format!("main:50 {words} main>work work>process checksum:90 checksum=50 ");
        let old = format!(
            "{build} work:400 work=60 process:300 process=61 work>publish work>checksum process>publish \
             process>checksum publish:90 publish=62"
        );
        let new = format!(
            "{build} work:200 work=70 process:280 process=71 process>publish publish>checksum publish:120 publish=72"
        );
        said(&classified(seen(&before, &old), seen(&after, &new)), "publish")
    };
    assert!(!of(130, 130).contains("fast-path"), "{}", of(130, 130));
    // It does much more than came along.
    assert!(of(20, 200).contains("fast-path"), "{}", of(20, 200));
}

/// A function without a frame of its own is seen below its caller's caller.
#[test]
fn a_call_that_only_the_code_shows_explains_what_costs_more_below_the_callers_caller() {
    let (steady, words) = steady();
    let build = |put: &str| {
        format!(
            "main:50 {words} main>run run:400 run=60 run>get run>put get:90 get=61 get>find put:120 {put} find:180 \
             find=50 other:70 other=70 main>other"
        )
    };
    let of = |find: u64, get: u64| {
        format!(
            "{steady}main;run 20\nmain;run;get {get}\nmain;run;put 60\nmain;other 40\nmain;run;find {find}"
        )
    };
    let verdicts = |before: &str, after: &str| {
        classified(seen(before, &build("put=62")), seen(after, &build("put=63 put>find")))
    };
    let outcome = verdicts(&of(60, 60), &of(130, 60));
    assert_eq!(said(&outcome, "find"), "more-calls likely R-edge");
    assert_eq!(verdict(&outcome, "find").callers, ["put"]);
    // Of two callers with more calls, one new, either may be why.
    let new = format!("{} scan:90 scan=8 scan>find run>scan", build("put=63 put>find"));
    let outcome = classified(
        seen(&of(60, 60), &build("put=62")),
        seen(&format!("{}\nmain;run;scan 40", of(130, 60)), &new),
    );
    assert_eq!(verdict(&outcome, "find").rule_id, "R-heavier");
    // What called it before costs more itself, and may call it more often.
    assert_eq!(said(&verdicts(&of(60, 60), &of(130, 130)), "find"), "heavier unclear R-heavier");
    // No caller has more calls of it.
    let outcome = classified(seen(&of(60, 60), &build("put=62")), seen(&of(130, 60), &build("put=63")));
    assert_eq!(verdict(&outcome, "find").rule_id, "R-heavier");
}

#[test]
fn what_a_caller_must_call_more_often_it_does_though_it_saves_more_time_itself() {
    let (steady, words) = steady();
    let build =
        |hash: u32| format!("main:50 {words} main>run run:200 run={hash} run>flags flags:120 flags=5");
    let of = |run: u64, flags: u64| format!("{steady}main;run {run}\nmain;run;flags {flags}");
    let verdict_of = |before: &str, after: &str| {
        said(&classified(seen(before, &build(60)), seen(after, &build(61))), "flags")
    };
    assert_eq!(verdict_of(&of(300, 12), &of(120, 120)), "missing-fast-path likely R-edge");
    // Its code may also take twice as long.
    assert_eq!(verdict_of(&of(300, 60), &of(120, 120)), "heavier likely R-heavier");
}

#[test]
fn a_function_of_the_language_library_with_the_same_code_may_be_called_more_too() {
    let (steady, words) = steady();
    let build = |run: u32, utf8: u32| {
        format!("main:50 {words} main>run run:900 run={run} core::utf8:300 core::utf8={utf8} run>core::utf8")
    };
    let of = |utf8: u64| format!("{steady}main;run 900\nmain;run;core::utf8 {utf8}");
    let outcome = classified(seen(&of(30), &build(60, 50)), seen(&of(120), &build(61, 50)));
    assert_eq!(said(&outcome, "core::utf8"), "missing-fast-path likely R-edge");
    assert_eq!(verdict(&outcome, "core::utf8").callers, ["run"]);
    // Another version of the library may do more in a call.
    let outcome = classified(seen(&of(30), &build(60, 50)), seen(&of(120), &build(61, 51)));
    assert_ne!(verdict(&outcome, "core::utf8").rule_id, "R-edge");
}

#[test]
fn all_functions_tell_how_far_small_builds_are_apart() {
    let (_, words) = steady();
    let other = words.replace('=', "=9");
    let build =
        "main:50 drop:90 drop=1 write:90 write=2 find:80 find=3 main>exec exec>drop drop>write drop>find";
    let of = |own: u64, write: u64, find: u64| {
        with_rest(&format!(
            "main;exec 60\nmain;exec;drop {own}\nmain;exec;drop;write {write}\nmain;exec;drop;find {find}"
        ))
    };
    let outcome = |after: &str| {
        let outcome = classified(
            seen(&of(20, 60, 40), &format!("{words} {build} exec:400 exec=7")),
            seen(&of(60, 180, 120), &format!("{after} {build} exec:420 exec=8")),
        );
        (verdict(&outcome, "drop").rule_id, outcome.distance.unwrap())
    };
    let (rule, distance) = outcome(&words);
    assert_eq!((rule, distance.is_of_sampled, distance.is_patch), ("R-edge", false, Some(true)));
    assert_eq!((distance.compared, distance.same), (24, 23));
    let (rule, distance) = outcome(&other);
    assert_eq!((distance.is_of_sampled, distance.compared, distance.is_patch), (true, 4, None));
    assert_ne!(rule, "R-edge");
}

#[test]
fn code_that_grew_by_a_call_does_more_and_lost_no_way() {
    let (steady, words) = steady();
    let before = format!("{steady}main;run 100\nmain;other;audit 20");
    let after = format!("{before}\nmain;run;audit 90");
    let build = |run: &str| {
        format!("main:50 {words} audit:300 audit=50 other:90 other=4 main>other other>audit main>run {run}")
    };
    let said_of = |old: &str, new: &str| {
        said(&classified(seen(&before, &build(old)), seen(&after, &build(new))), "audit")
    };
    assert_eq!(said_of("run:200 run=60", "run:230 run=61 run>audit"), "more-calls likely R-edge");
    // It had the call, or has less code.
    assert_eq!(
        said_of("run:200 run=60 run>audit", "run:230 run=61 run>audit"),
        "missing-fast-path likely R-edge"
    );
    assert_eq!(said_of("run:200 run=60", "run:190 run=61 run>audit"), "missing-fast-path likely R-edge");
}

#[test]
fn only_of_what_changed_all_callers_and_callees_are_known() {
    let (steady, words) = steady();
    let build = |audit: u32| {
        format!(
            "main:50 {words} main>run run:200 run=60 run>audit audit:300 audit={audit} run>find find:90 find=61"
        )
    };
    let of = |audit: u64| format!("{steady}main;run 100\nmain;run;find 90\nmain;run;audit {audit}");
    let outcome = classified(seen(&of(30), &build(50)), seen(&of(90), &build(51)));
    let shows_calls = |name: &str| {
        let facts = verdict(&outcome, name).evidence.iter();
        facts.filter(|of| matches!(of.fact, Fact::SampledCallers(_) | Fact::SampledCallees(_))).count() > 0
    };
    assert!(shows_calls("audit"));
    assert_eq!(verdict(&outcome, "find").cause.as_str(), "noise");
    assert!(!shows_calls("find"));
}
