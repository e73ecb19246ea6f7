//! Builds a patch apart: time that changed though no code did has no known cause, and neither do callers that changed by it.

use pdiff_analysis::classify::{Limit, Reason};
use pdiff_profile::{NumberUse, OtherNumber, PerSide, Side};

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict};
use crate::ways::Ways;

/// `run` calls `fetch`, which calls `read`; `other` calls `fetch` too.
fn fetching(run: u32) -> String {
    let (_, words) = steady();
    format!(
        "main:50 {words} run:200 run={run} fetch:300 fetch=50 read:90 read=51 other:80 other=70 main>run run>fetch \
         fetch>read main>other other>fetch"
    )
}

#[test]
fn where_no_code_changed_around_a_function_its_time_has_no_known_cause() {
    let (steady, _) = steady();
    let of = |read: u64| format!("{steady}main;run 60\nmain;run;fetch 40\nmain;run;fetch;read {read}");
    let outcome = classified(seen(&of(60), &fetching(60)), seen(&of(160), &fetching(60)));
    assert_eq!(said(&outcome, "read"), "heavier unclear R-heavier");
    assert_eq!(verdict(&outcome, "read").limited_by, Some(Limit::NothingChanged));
    // Its callers changed by it alone.
    for caller in ["fetch", "run"] {
        assert_eq!(said(&outcome, caller), "heavier unclear R-callees");
        assert_eq!(verdict(&outcome, caller).limited_by, Some(Limit::UnclearCallees));
    }
    let outcome = classified(seen(&of(160), &fetching(60)), seen(&of(60), &fetching(60)));
    assert_eq!(said(&outcome, "read"), "lighter unclear R-lighter");
    // Its own code differs.
    let other = fetching(60).replace("read=51", "read=52");
    let outcome = classified(seen(&of(60), &fetching(60)), seen(&of(160), &other));
    assert_eq!(said(&outcome, "read"), "heavier likely R-heavier");
    assert_eq!(said(&outcome, "fetch"), "consequence likely R-callees");
    // A changed function calls it, perhaps more often.
    let of = |fetch: u64| format!("{steady}main;run 60\nmain;run;fetch {fetch}\nmain;other 40");
    let outcome = classified(seen(&of(160), &fetching(60)), seen(&of(60), &fetching(61)));
    assert_eq!(said(&outcome, "fetch"), "lighter likely R-lighter");
}

#[test]
fn a_caller_with_other_code_that_has_most_of_a_change_is_named() {
    let (steady, _) = steady();
    let of = |fetch: u64, other: u64| {
        format!("{steady}main;run 60\nmain;run;fetch {fetch}\nmain;other 40\nmain;other;fetch {other}")
    };
    let under = |after: &str, code: &str| {
        let outcome = classified(seen(&of(100, 100), &fetching(60)), seen(after, code));
        let Reason::SelfChanged { under, .. } = &verdict(&outcome, "fetch").reason else { panic!() };
        under.as_ref().map(|(caller, _)| caller.clone())
    };
    assert_eq!(under(&of(150, 100), &fetching(61)).as_deref(), Some("run"));
    // The code of the caller is the same, or the change is under another one.
    assert_eq!(under(&of(150, 100), &fetching(60)), None);
    assert_eq!(under(&of(100, 150), &fetching(61)), None);
}

/// The nearest function that changed is where a reader goes on.
#[test]
fn what_leads_to_the_same_code_and_changed_is_named() {
    let (steady, _) = steady();
    let of = |read: u64| {
        format!(
            "{steady}main;run 60\nmain;run;fetch 40\nmain;other 30\nmain;third 30\nmain;run;fetch;read {read}"
        )
    };
    let limit = |before: &str, after: &str| {
        let outcome = classified(seen(&of(60), before), seen(&of(160), after));
        assert_eq!(said(&outcome, "read"), "heavier unclear R-heavier");
        verdict(&outcome, "read").limited_by.clone()
    };
    let run = || Some(Limit::ChangedAbove { function: "run".into() });
    assert_eq!(limit(&fetching(60), &fetching(61)), run());
    // A call in the code that no stack shows.
    let other = fetching(60).replace("other=70", "other=71");
    let calls = Some(Limit::MoreCallsInCode { caller: "other".into(), on: Side::After });
    assert_eq!(limit(&fetching(60), &format!("{other} other>read")), calls);
    // What no longer calls it is no reason for more.
    let third = |code: &str| format!("{} third:70 main>third {code}", fetching(60));
    assert_eq!(limit(&third("third=7 third>read"), &third("third=8")), Some(Limit::NothingChanged));
    assert_eq!(limit(&fetching(60), &fetching(60)), Some(Limit::NothingChanged));
}

#[test]
fn a_caller_is_doubtful_only_if_what_is_doubtful_made_most_of_its_change() {
    let (steady, _) = steady();
    let of = |fetch: u64, read: u64| {
        format!("{steady}main;run 60\nmain;run;fetch {fetch}\nmain;run;fetch;read {read}")
    };
    // The code of one differs and has most of the growth, the other is the same.
    let other = fetching(60).replace("read=51", "read=52");
    let outcome = classified(seen(&of(60, 60), &fetching(60)), seen(&of(110, 260), &other));
    assert_eq!(said(&outcome, "fetch"), "heavier unclear R-heavier");
    assert_eq!(said(&outcome, "read"), "heavier likely R-heavier");
    // The growth of its total is mostly that of the other.
    assert_eq!(said(&outcome, "run"), "heavier likely R-callees");
}

#[test]
fn a_copy_in_a_function_whose_code_is_the_same_has_the_same_code() {
    let (steady, _) = steady();
    let of = |part: u64| format!("{steady}main;run 60\nmain;run;fetch 300\nmain;run;fetch;+part {part}");
    let build = |fetch: u32| fetching(60).replace("fetch=50", &format!("fetch={fetch}")) + " fetch<part*1";
    let outcome = classified(seen(&of(60), &build(50)), seen(&of(160), &build(50)));
    assert_eq!(said(&outcome, "part"), "heavier unclear R-heavier");
    let outcome = classified(seen(&of(60), &build(50)), seen(&of(160), &build(55)));
    assert_eq!(said(&outcome, "part"), "heavier likely R-heavier");
}

#[test]
fn lines_that_went_from_a_function_to_a_copy_in_it_cost_nothing() {
    let (steady, _) = steady();
    let of = |fetch: u64, part: u64| {
        format!(
            "{steady}main;run 60\nmain;run;fetch {fetch}\nmain;run;fetch;+part {part}\nmain;other;part 20"
        )
    };
    let build = |fetch: u32| {
        let copies = "fetch<part*1 part:120 part=90 other>part";
        fetching(60).replace("fetch=50", &format!("fetch={fetch}")) + " " + copies
    };
    let outcome = classified(seen(&of(300, 1), &build(50)), seen(&of(200, 101), &build(55)));
    assert_eq!(said(&outcome, "part"), "noise likely R-common-shift");
    let reason = &verdict(&outcome, "part").reason;
    assert!(matches!(reason, Reason::WithinPlace { place, .. } if place == "fetch"), "{reason:?}");
    // The function that contains it costs more, too.
    let outcome = classified(seen(&of(300, 1), &build(50)), seen(&of(300, 101), &build(55)));
    assert_ne!(verdict(&outcome, "part").cause.as_str(), "noise");
}

#[test]
fn a_library_that_is_called_differently_by_nobody_known_is_unclear() {
    let (steady, words) = steady();
    let build = |run: u32| format!("main:50 {words} run:200 run={run} main>run");
    let of = |run: u64, print: u64| {
        format!("{steady}main;run 90\nmain;run;/lib/libc.so.6!print {run}\n/lib/libc.so.6!print {print}")
    };
    let same = ["libc.so.6".to_owned(), "libc.so".to_owned()];
    let extra = Extra { same_objects: &same, ..Extra::default() };
    let of_print = |(before, old): (&str, &str), (after, new): (&str, &str)| {
        let outcome = classified_with(seen(before, old), seen(after, new), &extra);
        let print = outcome.verdicts.iter().find(|verdict| verdict.function.starts_with("print")).unwrap();
        format!("{} {}", print.confidence, print.rule_id)
    };
    let (old, new) = (build(60), build(61));
    assert_eq!(of_print((&of(60, 60), &old), (&of(61, 200), &new)), "unclear R-heavier");
    assert_eq!(of_print((&of(60, 60), &old), (&of(200, 61), &new)), "likely R-heavier");
    assert_eq!(of_print((&of(60, 60), &old), (&of(200, 61), &old)), "unclear R-heavier");
    // What it contains costs more, under no caller that the stacks show.
    let pad = |of: String, pad: u64| of + &format!("\n/lib/libc.so.6!print;+/lib/libc.so.6!pad {pad}");
    let (before, after) = (pad(of(60, 60), 60), pad(of(60, 60), 160));
    assert_eq!(of_print((&before, &old), (&after, &old)), "unclear R-callers");
}

#[test]
fn a_copy_in_changed_code_changed_only_if_the_function_that_contains_it_did() {
    let (steady, words) = steady();
    let of = |run: u64, part: u64| format!("{steady}main;run {run}\nmain;run;+part {part}");
    let with = |run: u32, copies: u32| {
        format!("main:50 {words} run:900 run={run} part:0 run<part*{copies} main>run")
    };
    let said_of = |after: String, copies: u32| {
        let outcome = classified(seen(&of(1000, 60), &with(6, copies)), seen(&after, &with(7, 1)));
        (said(&outcome, "part"), verdict(&outcome, "part").limited_by.clone())
    };
    // The whole takes 2 % less: a tenth of that is no change.
    assert_eq!(said_of(of(1000, 40), 1), ("lighter unclear R-lighter".to_owned(), Some(Limit::SamePlaces)));
    // It has a copy less.
    assert_eq!(said_of(of(1000, 40), 2), ("lighter likely R-lighter".to_owned(), Some(Limit::CallsOrCost)));
    // The whole takes less time, too.
    assert_eq!(said_of(of(600, 40), 1), ("lighter likely R-lighter".to_owned(), Some(Limit::CallsOrCost)));
}

#[test]
fn lines_that_went_from_copy_to_copy_are_no_change_of_either_in_another_version() {
    // All code differs.
    let build = |version: u32, more: &str| {
        let words: String = (0..20)
            .map(|n| format!("steady_{n}:80 steady_{n}={} main>steady_{n} ", 100 * version + n))
            .collect();
        format!(
            "main:50 {words} decode:900 decode={version} main>decode part:0 skip:0 decode<part*2 decode<skip*2 {more}"
        )
    };
    let of = |part: u64, skip: u64| {
        let steady = steady().0;
        format!("{steady}main;decode 300\nmain;decode;+part {part}\nmain;decode;+skip {skip}")
    };
    let said_of = |after: &str, more: &str| {
        let outcome = classified(seen(&of(60, 160), &build(1, "")), seen(after, &build(2, more)));
        format!("{} {:?}", said(&outcome, "part"), verdict(&outcome, "part").limited_by)
    };
    // What does not run has a copy more.
    let elsewhere = "cold:90 cold<part*1";
    assert_eq!(said_of(&of(160, 60), elsewhere), "heavier unclear R-heavier Some(SamePlaces)");
    // The function that contains it costs more, too, or has more copies of it.
    assert_eq!(said_of(&of(260, 160), elsewhere), "heavier likely R-heavier Some(CallsOrCost)");
    assert_eq!(said_of(&of(160, 60), "decode<part*1"), "heavier likely R-heavier Some(CallsOrCost)");
}

#[test]
fn a_new_name_for_lines_of_a_function_that_costs_as_much_is_no_new_code() {
    let (steady, words) = steady();
    let with = |run: u32, part: &str| format!("main:50 {words} run:900 run={run} {part} main>run");
    let (bare, holding) = (with(6, ""), with(7, "part:0 run<part*1"));
    let alone = |run: u64| format!("{steady}main;run {run}");
    let both = |run: u64| format!("{steady}main;run {run}\nmain;run;+part 100");
    let of = |before: String, old: &str, after: String, new: &str| {
        let outcome = classified(seen(&before, old), seen(&after, new));
        (said(&outcome, "part"), verdict(&outcome, "part").limited_by.clone())
    };
    let (new, gone) = ("new-overhead", "gone");
    let said = |cause: &str, confidence: &str, rule: &str| format!("{cause} {confidence} {rule}");
    assert_eq!(
        of(alone(500), &bare, both(400), &holding),
        (said(new, "unclear", "R-new-code"), Some(Limit::WithinPlaces(Side::After)))
    );
    assert_eq!(
        of(both(400), &holding, alone(500), &bare),
        (said(gone, "unclear", "R-gone"), Some(Limit::WithinPlaces(Side::Before)))
    );
    // The function that contains it costs more with it.
    assert_eq!(
        of(alone(500), &bare, both(500), &holding),
        (said(new, "likely", "R-new-code"), Some(Limit::NoOwnBody(Side::After)))
    );
}

#[test]
fn code_in_a_caller_that_is_inlined_in_a_changed_function_is_not_the_same() {
    let (steady, words) = steady();
    let of = |fetch: u64| {
        format!("{steady}main;run 300\nmain;run;+step 60\nmain;run;+step;fetch {fetch}\nmain;other 40")
    };
    let with = |run: u32| {
        format!(
            "main:50 {words} run:200 run={run} other:90 other=9 step:0 run<step*1 fetch:300 fetch=8 main>run main>other \
             run>fetch"
        )
    };
    let limit = |run: u32| {
        let outcome = classified(seen(&of(100), &with(6)), seen(&of(140), &with(run)));
        assert_eq!(said(&outcome, "fetch"), "heavier unclear R-heavier");
        verdict(&outcome, "fetch").limited_by.clone()
    };
    assert_eq!(limit(6), Some(Limit::NothingChanged));
    assert_eq!(limit(7), Some(Limit::SameCalls));
}

#[test]
fn the_source_of_a_system_library_is_the_same_in_builds_a_patch_apart() {
    let said_of = |name: &str, words: &str| {
        let (steady, _) = steady();
        let of = |part: u64| format!("{steady}main;run 100\nmain;run;{name} {part}");
        // Its code differs: it was compiled again with what it calls.
        let with =
            |hash: u32| format!("main:50 {words} run:200 run=6 {name}:300 {name}={hash} main>run run>{name}");
        let outcome = classified(seen(&of(100), &with(8)), seen(&of(160), &with(9)));
        (said(&outcome, name), verdict(&outcome, name).limited_by.clone())
    };
    let (_, words) = steady();
    let unclear = ("heavier unclear R-heavier".to_owned(), Some(Limit::NothingChanged));
    assert_eq!(said_of("std::fill", &words), unclear);
    // The code of the program's own functions is that of its source.
    let likely = ("heavier likely R-heavier".to_owned(), Some(Limit::CallsOrCost));
    assert_eq!(said_of("app::fill", &words), likely);
}

/// Functions that read a record: `relaid` of five have other code of the same size in the second build.
fn reading(build: u32, relaid: u32) -> String {
    let (_, words) = steady();
    let hash = |reader: u32| if reader < relaid { 100 * build + reader } else { reader };
    let readers: String =
        (0..5).map(|n| format!("get_{n}:90 get_{n}={} list_{n}:40 list_{n}=3 ", hash(n))).collect();
    let calls: String = (0..5).map(|n| format!("list_{n}>get_{n} main>list_{n} ")).collect();
    format!("main:50 {words} {readers} {calls}")
}

/// The stacks of these functions, of which `get_0` costs this much.
fn reads(get: u64) -> String {
    let stacks = |n: u32| {
        let of_get = if n == 0 { get } else { 60 };
        format!("main;list_{n} 40\nmain;list_{n};get_{n} {of_get}\n")
    };
    steady().0 + &(0..5).map(stacks).collect::<String>()
}

#[test]
fn a_function_that_differs_by_the_layout_of_a_record_alone_did_not_change_itself() {
    let limit = |relaid: u32, after: &str, more: &str| {
        let (before, build) = (reading(0, relaid), reading(1, relaid));
        let outcome = classified(seen(&reads(160), &before), seen(after, &(build + more)));
        assert_eq!(verdict(&outcome, "get_0").cause.as_str(), "lighter");
        (verdict(&outcome, "get_0").confidence.as_str(), verdict(&outcome, "get_0").limited_by.clone())
    };
    assert_eq!(limit(5, &reads(60), ""), ("unclear", Some(Limit::Relaid)));
    // Nor does it call others more: what costs more below it is not its doing.
    let of = |read: u64| format!("{}main;list_0;get_0;read {read}\n", reads(60));
    let words = |build: u32, relaid: u32| reading(build, relaid) + " read:90 read=9 get_0>read";
    let said_of_read = |relaid: u32| {
        let (old, new) = (words(0, relaid), words(1, relaid));
        said(&classified(seen(&of(60), &old), seen(&of(150), &new)), "read")
    };
    assert_eq!(said_of_read(5), "heavier unclear R-heavier");
    assert_eq!(said_of_read(1), "missing-fast-path likely R-edge");
    // A constant of one function may be another one.
    assert_eq!(limit(1, &reads(60), ""), ("likely", Some(Limit::CallsOrCost)));
    // It calls another function.
    assert_eq!(limit(5, &reads(60), " get_0>get_4"), ("likely", Some(Limit::CallsOrCost)));
}

/// What is known of `get_0`, which costs less, where the code of `relaid` functions differs in these numbers.
fn limit_with(relaid: u32, numbers: &[(u64, NumberUse, i64, i64)]) -> (&'static str, Option<Limit>) {
    // The functions are declared at lines 100, 200 and so on; behind the first, three lines were added.
    let lines = |more: u32| {
        (0..5)
            .map(|n| format!(" get_{n}@a.c get_{n}#{}", 100 * (n + 1) + more.min(n * more)))
            .collect::<String>()
    };
    let number = |(at, used, before, after): &(u64, NumberUse, i64, i64)| {
        // In the order of their names, `get_0` is the first function.
        (0x1000 * (at + 1), OtherNumber { used: *used, before: *before, after: *after })
    };
    let ways = Ways { numbers: numbers.iter().map(number).collect(), ..Ways::default() };
    let extra = Extra { paths: Some(&ways), ..Extra::default() };
    let (before, build) = (reading(0, relaid) + &lines(0), reading(1, relaid) + &lines(3));
    let outcome = classified_with(seen(&reads(160), &before), seen(&reads(60), &build), &extra);
    (verdict(&outcome, "get_0").confidence.as_str(), verdict(&outcome, "get_0").limited_by.clone())
}

#[test]
fn numbers_of_lines_that_moved_are_no_other_code() {
    let same = ("unclear", Some(Limit::NothingChanged));
    let changed = ("likely", Some(Limit::CallsOrCost));
    assert_eq!(limit_with(1, &[(0, NumberUse::Moved, 120, 123)]), same);
    // The lines of the function before it did not move.
    assert_eq!(limit_with(1, &[(0, NumberUse::Moved, 120, 124)]), changed);
    // Below the kind of an error.
    assert_eq!(limit_with(1, &[(0, NumberUse::Moved, (6 << 24) + 120, (6 << 24) + 123)]), same);
    assert_eq!(limit_with(1, &[(0, NumberUse::Moved, (6 << 24) + 120, (6 << 24) + 124)]), changed);
    assert_eq!(limit_with(1, &[(0, NumberUse::Moved, (6 << 20) + 120, (6 << 20) + 123)]), same);
    assert_eq!(limit_with(1, &[(0, NumberUse::Moved, (6 << 10) + 120, (6 << 10) + 123)]), changed);
    assert_eq!(limit_with(1, &[(0, NumberUse::Moved, 90, 93)]), changed);
    // It is a line of the next function.
    assert_eq!(limit_with(1, &[(0, NumberUse::Moved, 220, 223)]), changed);
    // It is added to something.
    assert_eq!(limit_with(1, &[(0, NumberUse::Operand, 120, 123)]), changed);
    assert_eq!(limit_with(1, &[]), changed);
}

#[test]
fn a_constant_is_no_other_layout_of_a_record() {
    let changed = ("likely", Some(Limit::CallsOrCost));
    let relaid = ("unclear", Some(Limit::Relaid));
    assert_eq!(limit_with(5, &[(0, NumberUse::Operand, 200, 2)]), changed);
    // Others have one that differs as much, or a place in a record does.
    let in_four: Vec<_> = (0..4).map(|n| (n, NumberUse::Operand, 200, 2)).collect();
    assert_eq!(limit_with(5, &in_four), changed);
    let place = (1, NumberUse::Displacement, 16, 96);
    assert_eq!(limit_with(5, &[(0, NumberUse::Operand, 16, 96), place]), changed);
    assert_eq!(limit_with(5, &[(0, NumberUse::Stride, 16, 96), place]), relaid);
}

#[test]
fn two_functions_that_use_a_record_of_another_layout_tell_of_it() {
    let changed = ("likely", Some(Limit::CallsOrCost));
    let relaid = ("unclear", Some(Limit::Relaid));
    let place = |function: u64, after: i64| (function, NumberUse::Displacement, 16, after);
    assert_eq!(limit_with(2, &[(0, NumberUse::Stride, 16, 96), place(1, 96)]), relaid);
    // One function alone may use another field, and so may two that do not differ alike.
    assert_eq!(limit_with(1, &[place(0, 96)]), changed);
    assert_eq!(limit_with(2, &[place(0, 96), place(1, 24)]), changed);
    // Of several that keep their size, each is taken to use such a record.
    assert_eq!(limit_with(5, &[place(0, 96), place(1, 24)]), relaid);
}

/// A build of which sixteen of twenty functions have other code, of a size.
fn other_code(build: &str, bytes: u32) -> String {
    (0..16).fold(build.to_owned(), |words, n| {
        let (old, new) =
            (format!("steady_{n}:80 steady_{n}={n} "), format!("steady_{n}:{bytes} steady_{n}={} ", n + 100));
        words.replace(&old, &new)
    })
}

#[test]
fn builds_are_a_patch_apart_where_most_functions_differ_by_the_layout_of_a_record_alone() {
    let (steady, _) = steady();
    let of = |read: u64| format!("{steady}main;run 60\nmain;run;fetch 40\nmain;run;fetch;read {read}");
    let limit = |bytes: u32| {
        let after = other_code(&fetching(60), bytes);
        let outcome = classified(seen(&of(60), &fetching(60)), seen(&of(160), &after));
        verdict(&outcome, "read").limited_by.clone()
    };
    assert_eq!(limit(80), Some(Limit::NothingChanged));
    // Of another size, it may be another version, where any code around it may have changed.
    assert_eq!(limit(90), Some(Limit::CallsOrCost));
}

#[test]
fn copies_that_cost_less_in_a_function_that_costs_as_much_have_no_known_cause() {
    let (steady, _) = steady();
    let of = |fetch: u64, part: u64| {
        format!(
            "{steady}main;run 60\nmain;run;fetch {fetch}\nmain;run;fetch;+part {part}\nmain;other;part 20"
        )
    };
    let build = |n: u32| {
        let copies = format!("fetch<part*1 part:{} part={n} other>part", 60 + n);
        fetching(60).replace("fetch=50", &format!("fetch={n}")) + " " + &copies
    };
    let limit = |fetch: u64| {
        let outcome = classified(seen(&of(360, 40), &build(70)), seen(&of(fetch, 10), &build(75)));
        assert_eq!(verdict(&outcome, "part").cause.as_str(), "lighter");
        verdict(&outcome, "part").limited_by.clone()
    };
    assert_eq!(limit(370), Some(Limit::SamePlaces));
    // The function that contains them costs less, too.
    assert_eq!(limit(290), Some(Limit::CallsOrCost));
}

/// A wrapper that is copied into all its callers makes more callers, and they may call more.
#[test]
fn code_that_is_called_from_more_places_is_not_said_to_be_called_from_as_many() {
    let (steady, _) = steady();
    let of = |read: u64| format!("{steady}main;run 60\nmain;run;fetch 40\nmain;run;fetch;read {read}");
    let limit = |after: &str| {
        let outcome = classified(seen(&of(100), &fetching(60)), seen(&of(160), after));
        verdict(&outcome, "read").limited_by.clone()
    };
    let changed = fetching(60).replace("fetch=50", "fetch=51");
    assert_eq!(limit(&changed), Some(Limit::SameCalls));
    assert_ne!(limit(&format!("{changed} run>read other>read")), Some(Limit::SameCalls));
}

#[test]
fn of_a_library_function_without_callers_in_the_stacks_it_is_not_said_that_none_changed() {
    let (steady, _) = steady();
    let limit = |caller: &str| {
        let of = |free: u64| format!("{steady}main;run 60\n{caller}/lib/libc.so.6!int_free {free}");
        let same = ["libc.so.6".to_owned(), "libc.so".to_owned()];
        let extra = Extra { same_objects: &same, ..Extra::default() };
        let (before, after) = (of(60), of(160));
        let outcome = classified_with(seen(&before, &fetching(60)), seen(&after, &fetching(60)), &extra);
        verdict(&outcome, "int_free").limited_by.clone()
    };
    assert_eq!(limit(""), Some(Limit::UnknownCallers));
    assert_eq!(limit("main;run;"), Some(Limit::NothingChanged));
}

#[test]
fn where_stacks_do_not_show_who_gets_memory_the_functions_with_other_code_that_do_are_named() {
    let (steady, words) = steady();
    let of =
        |inside: u64| format!("{steady}main;run 90\nmain;other 90\n/lib/libc.so.6!_int_realloc {inside}");
    let same = ["libc.so.6".to_owned(), "libc.so".to_owned()];
    let extra = Extra { same_objects: &same, ..Extra::default() };
    let limit = |run: &str, other: &str| {
        let build = |run: &str, other: &str| {
            format!(
                "main:50 {words} run:200 {run} other:90 {other} main>run main>other realloc@plt:16 free@plt:16"
            )
        };
        let calls = "run>realloc@plt other>free@plt";
        let outcome = classified_with(
            seen(&of(60), &build("run=6", &format!("other=7 {calls}"))),
            seen(&of(200), &build(run, &format!("{other} {calls}"))),
            &extra,
        );
        let found = outcome.verdicts.iter().find(|verdict| verdict.function.starts_with("_int")).unwrap();
        found.limited_by.clone()
    };
    let users = |name: &str, before, after| {
        Some(Limit::MemoryUsers(vec![(name.to_owned(), PerSide::new(before, after))]))
    };
    assert_eq!(limit("run=61", "other=7"), users("run", 1, 1));
    // One with more calls comes first, and alone.
    assert_eq!(limit("run=61", "other=71 other>free@plt"), users("other", 1, 2));
    assert_eq!(limit("run=6", "other=7"), Some(Limit::UnknownCallers));
}

#[test]
fn the_caller_with_most_of_a_change_is_named_before_one_above_another_caller() {
    let (steady, _) = steady();
    // `scan` and `fetch` contain `read`; `scan` no longer contains `skip`, and `run`, which calls `fetch`, differs.
    let of = |read: u64, skip: &str| {
        format!(
            "{steady}main;run 60\nmain;run;fetch 40\nmain;run;fetch;+read 30\nmain;scan 200\nmain;scan;+read {read}\nmain;scan;{skip} 30"
        )
    };
    let build = |run: u32, scan: &str| {
        let read = fetching(run).replace("read:90 read=51", "read:0").replace("fetch>read", "fetch<read*1");
        format!("{read} main>scan scan<read*1 {scan}")
    };
    let old = build(60, "scan:400 scan=20 scan<skip*1 skip:0");
    let new = build(61, "scan:380 scan=21 scan>skip skip:40 skip=3");
    let outcome = classified(seen(&of(20, "+skip"), &old), seen(&of(120, "skip"), &new));
    let limit = verdict(&outcome, "read").limited_by.clone();
    assert_eq!(limit, Some(Limit::ChangedAbove { function: "scan".into() }), "{}", said(&outcome, "read"));
}

#[test]
fn the_same_instructions_that_call_another_function_are_other_code() {
    let (steady, words) = steady();
    let build = format!(
        "main:50 {words} main>run run:200 run=60 size:90 size=61 fill:300 size>fill run>write write:40"
    );
    let before = format!("{steady}main;run 100\nmain;run;size 9");
    let after = format!("{steady}main;run 100\nmain;run;fill 90");
    let said_of = |fill: &str, called: &str| {
        let build = format!("{build} {fill}");
        let outcome = classified(
            seen(&before, &format!("{build} run>size")),
            seen(&after, &format!("{build} {called}")),
        );
        said(&outcome, "fill")
    };
    assert_eq!(said_of("fill=62", "run>fill"), "missing-fast-path likely R-edge");
    assert_eq!(said_of("fill=61", "run>fill"), "missing-fast-path likely R-edge");
    // One function may have several names, and a call that only one build shows tells of no other function.
    assert_eq!(said_of("fill=61 fill&size", "run>fill"), "newly-active likely R-newly-active");
    assert_eq!(said_of("fill=62", "run>size run>fill"), "newly-active likely R-newly-active");
}
