//! Proofs that fewer conditions let a function return without a call.

use pdiff_analysis::classify::{Fact, FewerWays, SampledCode};
use pdiff_profile::PerSide;

use crate::build::{Extra, classified_with, said, seen, steady, verdict, with_rest};
use crate::ways::Ways;

pub(crate) const LIKELY: &str = "missing-fast-path likely R-fast-path";
pub(crate) const PROVED: &str = "missing-fast-path proved R-fast-path";

/// The conditions of both builds, with 1000 samples each, a hundredth of them in the caller's own code.
pub(crate) fn ways(callee: u64, before: &'static str, after: &'static str) -> Ways {
    Ways {
        caller: 0x1000,
        callee,
        conditions: PerSide::new(Some(before), Some(after)),
        around: PerSide::new(Some([90, 10_000]), Some([0, 10_000])),
        ..Ways::default()
    }
}

/// What is said of `get`, which goes on to `read` more; `elsewhere` is what `read` costs under another caller after.
fn said_of_get(ways: &Ways, elsewhere: u64) -> (String, Option<FewerWays>) {
    said_of_get_from(0, ways, elsewhere)
}

/// The same, if it went on to `read` so much before, too.
fn said_of_get_from(read: u64, ways: &Ways, elsewhere: u64) -> (String, Option<FewerWays>) {
    let (steady, words) = steady();
    let read = if read > 0 { format!("\nmain;get;read {read}") } else { String::new() };
    let before = format!("{steady}main;get 60\nmain;other;read 20{read}");
    let after = format!("{steady}main;get 60\nmain;other;read {elsewhere}\nmain;get;read 90");
    // In the order of their names: get at 1000, main, other, read at 4000.
    let build = |get: u32| {
        format!(
            "main:50 {words} main>get get>read read:300 read=39 other:80 other=38 other>read get:200 get={get}"
        )
    };
    let extra = Extra { paths: Some(ways), ..Extra::default() };
    let outcome = classified_with(seen(&before, &build(60)), seen(&after, &build(61)), &extra);
    let fact = verdict(&outcome, "get").evidence.iter().find_map(|evidence| match &evidence.fact {
        Fact::FewerWaysAround { ways, .. } => Some(ways.clone()),
        _ => None,
    });
    (said(&outcome, "get"), fact)
}

#[test]
fn a_condition_that_is_gone_and_was_true_proves_a_missing_fast_path() {
    let said_with = |before, after| said_of_get(&ways(0x4000, before, after), 20).0;
    let (said, fact) = said_of_get(&ways(0x4000, "null:0 small:90 null:7", "null:8 null:1"), 20);
    assert_eq!(said, PROVED);
    let (conditions, asks) = (PerSide::new(3, 2), vec!["small".to_owned()]);
    assert_eq!(fact, Some(FewerWays { conditions, asks, taken: 90, is_of_all_ways: false, all: 10_000 }));
    // It was never true, or hardly ever, in comparison with the function's own samples.
    assert_eq!(said_with("null:7 small:0", "null:7"), LIKELY);
    assert_eq!(said_with("null:7 small:9", "null:7"), LIKELY);
    let of_all = |before, all: u64| {
        let around = PerSide::new(Some([90, all]), Some([0, all]));
        said_of_get(&Ways { around, ..ways(0x4000, before, "null:7") }, 20).0
    };
    assert_eq!(of_all("null:7 small:90", 100_000), LIKELY);
    assert_eq!(of_all("null:7 small:9", 1_000), LIKELY);
    assert_eq!(of_all("null:7 small:10", 1_000), PROVED);
    // 90 samples outside of loops in half of the code, of 100 in all of it, may be nearly all runs; 30 are no reason to cost many times as
    // much, though the ways have loops with more.
    let in_half = |samples: u64| {
        let around_once = SampledCode { samples, bytes: 100 };
        said_of_get(&Ways { around_once, ..ways(0x4000, "null:7 small:90", "null:7") }, 20).0
    };
    assert_eq!([in_half(90), in_half(30)], [PROVED, LIKELY]);
    // Of two that ask the same, the one that was hardly true may be gone.
    assert_eq!(said_with("null:0 null:90", "null:90"), LIKELY);
    // One is gone, and another one is new, or asks something else.
    assert_eq!(said_with("null:7 small:90 null:0", "null:7 large:0"), LIKELY);
    // The same, and more.
    assert_eq!(said_with("null:7 small:90", "null:7 small:0"), LIKELY);
    assert_eq!(said_with("small:90", "null:7 small:0"), LIKELY);
}

#[test]
fn ways_that_are_left_and_hardly_taken_any_more_may_be_why() {
    let said_with = |after| said_of_get(&ways(0x4000, "null:80 small:90", after), 20).0;
    assert_eq!(said_with("null:80"), PROVED);
    assert_eq!(said_with("null:20"), LIKELY);
}

#[test]
fn what_costs_more_elsewhere_too_may_do_more_each_time() {
    let ways = ways(0x4000, "null:7 small:90", "null:7");
    let said_with = |ways: &Ways, read, elsewhere| said_of_get_from(read, ways, elsewhere).0;
    assert_eq!(said_with(&ways, 5, 22), PROVED);
    assert!(!said_with(&ways, 5, 40).contains("proved"));
    let mut no_way = Ways { can_skip: PerSide::new(Some(true), Some(false)), ..ways };
    no_way.conditions = PerSide::default();
    no_way.around = PerSide::new(Some([90, 10_000]), Some([0, 10_000]));
    assert_eq!(said_with(&no_way, 5, 20), PROVED);
    assert!(!said_with(&no_way, 5, 40).contains("proved"));
    // It was never called here, and no call costs so many times as much.
    assert_eq!(said_with(&no_way, 0, 40), PROVED);
    assert!(!said_with(&no_way, 0, 110).contains("proved"));
}

#[test]
fn a_check_that_several_callers_contained_is_gone_in_all_of_them() {
    let of_one = ways(0x4000, "null:7 small:90", "null:7");
    let of_both = Ways { alike: 0x3000, ..ways(0x4000, "null:7 small:90", "null:7") };
    let said_with = |ways: &Ways| said_of_get_from(5, ways, 40).0;
    assert_eq!([said_with(&of_one), said_with(&of_both)], [LIKELY, PROVED]);
    let no_way = |ways: Ways| {
        let can_skip = PerSide::new(Some(true), Some(false));
        Ways { can_skip, conditions: PerSide::default(), ..ways }
    };
    assert_eq!([of_one, of_both].map(|ways| said_with(&no_way(ways))), [LIKELY, PROVED]);
}

#[test]
fn loops_that_run_longer_are_no_more_calls() {
    let said_with = |before, after| {
        let once = PerSide::new(Some(before), Some(after));
        said_of_get_from(5, &Ways { once, ..ways(0x4000, "null:7 small:90", "null:7") }, 20).0
    };
    assert_eq!(said_with([100, 1000], [214, 4000]), PROVED);
    assert_eq!(said_with([100, 1000], [213, 4000]), LIKELY);
    // Few samples are enough if they are so many times as many.
    assert_eq!(said_with([0, 10], [9, 400]), PROVED);
    // All functions have 0.94 times the share that they had.
    assert_eq!(said_with([5, 100], [14, 280]), PROVED);
    assert_eq!(said_with([5, 100], [13, 260]), LIKELY);
}

#[test]
fn what_was_never_called_is_called_more_however_long_its_loops_are() {
    let said_with = |read: u64, once: u64| {
        let once = PerSide::new(Some([100, 1000]), Some([once, 4000]));
        said_of_get_from(read, &Ways { once, ..ways(0x4000, "null:7 small:90", "null:7") }, 20).0
    };
    // Of `once` samples in code that runs once in a call, nine in eleven are under `get`.
    assert_eq!([said_with(0, 13), said_with(0, 11)], [PROVED, LIKELY]);
    assert_eq!(said_with(5, 13), LIKELY);
}

#[test]
fn what_every_call_runs_says_how_many_calls_there_are() {
    let said_with = |read: u64, in_every_call: [u64; 2]| {
        let once = PerSide::new(Some([100, 100]), Some([900, 900]));
        let in_every_call = PerSide::new(Some(in_every_call[0]), Some(in_every_call[1]));
        let ways = Ways { once, in_every_call, ..ways(0x4000, "null:7 small:90", "null:7") };
        said_of_get_from(read, &ways, 20).0
    };
    // Its code costs 9.6 times as much without the common factor; a third as many calls explain half of that, on a log scale.
    assert_eq!(said_with(5, [50, 500]), PROVED);
    assert_eq!(said_with(5, [50, 110]), LIKELY);
    assert_eq!(said_with(5, [50, 121]), PROVED);
    // Too few samples tell nothing.
    assert_eq!(said_with(5, [9, 9]), PROVED);
    // New calls may take other ways than those of other callers, but there must be some.
    assert_eq!(said_with(0, [50, 110]), PROVED);
    assert_eq!(said_with(0, [50, 55]), LIKELY);
}

#[test]
fn other_code_may_do_more_each_time_though_it_has_the_same_size() {
    let said_with = |rewritten: Vec<u64>, read: u64, asks: [&'static str; 2]| {
        let asks_of = vec![(0x4000, PerSide::new(asks[0], asks[1])), (0x5000, PerSide::new("end", "end"))];
        let ways = Ways { rewritten, asks_of, ..ways(0x4000, "null:7 small:90", "null:7") };
        let (steady, words) = steady();
        let before = format!("{steady}main;get 60\nmain;get;read {read}\nmain;other;read 20");
        let before = before.replace("main;get;read 0\n", "");
        let after = format!("{steady}main;get 60\nmain;other;read 20\nmain;get;read 90");
        let build = |get: u32, read: u32| {
            format!(
                "main:50 {words} main>get get>read read:300 read={read} other:80 other=38 other>read get:200 get={get}"
            )
        };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let outcome = classified_with(seen(&before, &build(60, 39)), seen(&after, &build(61, 40)), &extra);
        said(&outcome, "get")
    };
    let other = ["null kind", "null"];
    assert_eq!(said_with(Vec::new(), 5, other), PROVED);
    assert!(!said_with(vec![0x4000], 5, other).contains("proved"));
    // It asks the same, and calls the same: numbers may be in other registers.
    assert_eq!(said_with(vec![0x4000], 5, ["null kind", "null kind"]), PROVED);
    // It was never called here: only a check that its own code lost can be why it cost nothing.
    assert_eq!(said_with(vec![0x4000], 0, ["null", "null kind"]), PROVED);
    assert!(!said_with(vec![0x4000], 0, other).contains("proved"));
}

/// What is said of `get`, which goes on to `read` where it never did, under `main` with this code.
pub(crate) fn said_of_get_under(ways: &Ways, main: [u32; 2]) -> String {
    let (steady, words) = steady();
    let before = format!("{steady}main;get 60\nmain;other;read 20");
    let after = format!("{steady}main;get 60\nmain;other;read 20\nmain;get;read 90");
    let build = |get: u32, main: u32| {
        format!(
            "main:50 main={main} {words} main>get get>read read:300 read=39 other:80 other=38 other>read get:200 get={get}"
        )
    };
    let extra = Extra { paths: Some(ways), ..Extra::default() };
    let (old, new) = (build(60, main[0]), build(61, main[1]));
    said(&classified_with(seen(&before, &old), seen(&after, &new), &extra), "get")
}

#[test]
fn a_check_may_have_moved_to_the_caller() {
    let said_with = |main: u32| said_of_get_under(&ways(0x4000, "null:7 small:90", "null:7"), [70, main]);
    assert_eq!(said_with(70), PROVED);
    assert_eq!(said_with(71), LIKELY);
}

#[test]
fn what_a_function_that_is_gone_did_may_be_done_by_another() {
    let said_with = |gone: u64| {
        let ways = ways(0x4000, "null:7 small:90", "null:7");
        let (steady, words) = steady();
        let before = format!("{steady}main;get 60\nmain;get;step {gone}\nmain;other;read 20");
        let after = format!("{steady}main;get 60\nmain;other;read 20\nmain;get;read 90");
        // In the order of their names: get at 1000, main, other, read at 4000.
        let build = |get: u32, step: &str| {
            format!(
                "main:50 {words} main>get get>read read:300 read=39 other:80 other=38 other>read get:200 get={get} {step}"
            )
        };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let (old, new) = (build(60, "step:500 step=3 get>step"), build(61, ""));
        said(&classified_with(seen(&before, &old), seen(&after, &new), &extra), "get")
    };
    assert_eq!([said_with(2), said_with(30)], [PROVED, LIKELY]);
}

#[test]
fn a_caller_may_choose_by_a_pointer_what_it_calls() {
    let said_with = |call: &str| {
        let asks = PerSide::new(Some("null small"), Some("null"));
        let ways = Ways { asks, ..ways(0x4000, "null:7 small:90", "null:7") };
        let (steady, words) = steady();
        let before = format!("{steady}main;get 60\nmain;other;read 20");
        let after = format!("{steady}main;get 60\nmain;other;read 20\nmain;get;read 90");
        // In the order of their names: get at 1000, main, other, read at 4000.
        let build = |get: u32, call: &str| {
            format!(
                "main:50 main=1 {words} {call} get>read read:300 read=39 other:80 other=38 other>read get:200 get={get}"
            )
        };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let (old, new) = (build(60, "main>get"), build(61, call));
        said(&classified_with(seen(&before, &old), seen(&after, &new), &extra), "get")
    };
    assert_eq!([said_with("main>get"), said_with("")], [PROVED, LIKELY]);
}

#[test]
fn a_caller_may_go_past_a_function_by_a_new_condition() {
    let said_with = |before: &'static str, after: &'static str| {
        // In the order of their names: get at 1000, main at 2000.
        let ways = Ways {
            can_skip: PerSide::new(Some(true), Some(false)),
            around: PerSide::new(Some([90, 10_000]), Some([0, 10_000])),
            conditions: PerSide::default(),
            asks: PerSide::new(Some("null small"), Some("null")),
            past: (0x2000, PerSide::new(before, after)),
            ..ways(0x4000, "", "")
        };
        said_of_get(&ways, 20).0
    };
    assert_eq!([said_with("end", "end"), said_with("end", "end kind")], [PROVED, LIKELY]);
}

#[test]
fn a_loop_around_a_call_may_run_more_often() {
    let skips = PerSide::new(Some(true), Some(false));
    let of = |around: u64| Ways {
        can_skip: skips,
        repeats: true,
        around: PerSide::new(Some([around, 10_000]), Some([0, 10_000])),
        conditions: PerSide::default(),
        ..ways(0x4000, "", "")
    };
    assert_eq!(said_of_get(&of(0), 20).0, LIKELY);
    assert_eq!(said_of_get(&of(90), 20).0, PROVED);
    // 90 samples in half of the code, of 100 in all of it, may be nearly all runs; 30 are no reason to cost many times as much.
    let in_half = |around: u64| Ways { around_bytes: 100, ..of(around) };
    assert_eq!(said_of_get_from(5, &in_half(90), 20).0, PROVED);
    assert_eq!(said_of_get_from(5, &in_half(30), 20).0, LIKELY);
    // What was never called: the ways that were taken are those that are gone.
    assert_eq!(said_of_get(&in_half(30), 20).0, PROVED);
    // Of several conditions the one that is gone does not tell how often a loop runs.
    let fewer = |repeats: bool| Ways { repeats, ..ways(0x4000, "null:7 small:90", "null:7") };
    assert_eq!(said_of_get(&fewer(false), 20).0, PROVED);
    assert_eq!(said_of_get(&fewer(true), 20).0, LIKELY);
}

#[test]
fn a_condition_that_is_gone_may_be_one_of_a_caller_now() {
    let of = |main: [&'static str; 2]| Ways {
        can_skip: PerSide::new(Some(true), Some(false)),
        around: PerSide::new(Some([90, 10_000]), Some([0, 10_000])),
        conditions: PerSide::default(),
        asks: PerSide::new(Some("null small"), Some("null")),
        // In the order of their names: get at 1000, main at 2000.
        above: (0x2000, PerSide::new(main[0], main[1])),
        ..ways(0x4000, "", "")
    };
    assert_eq!(said_of_get(&of(["large", "large"]), 20).0, PROVED);
    assert_eq!(said_of_get(&of(["large", "large other"]), 20).0, PROVED);
    assert_eq!(said_of_get(&of(["large small", "large small"]), 20).0, PROVED);
    assert_eq!(said_of_get(&of(["large", "large small"]), 20).0, LIKELY);
}

#[test]
fn between_versions_the_same_comparison_may_ask_something_else() {
    let before = with_rest("main;get 60\nmain;other;read 20");
    let after = with_rest("main;get 60\nmain;other;read 20\nmain;get;read 90");
    // Nothing tells that most code is the same. In the order of their names: get at 1000, main, other, read at 4000.
    let build = |get: u32| {
        format!("main:50 main>get get>read read:300 read=9 other:80 other>read work:9 get:200 get={get}")
    };
    let ways = ways(0x4000, "null:7 small:90", "null:7");
    let extra = Extra { paths: Some(&ways), ..Extra::default() };
    let outcome = classified_with(seen(&before, &build(1)), seen(&after, &build(2)), &extra);
    assert_eq!(said(&outcome, "get"), LIKELY);
}

#[test]
fn what_is_copied_into_a_function_is_proved_by_what_is_called_there() {
    let (steady, words) = steady();
    let before = format!("{steady}main;get 60\nmain;other;text 20\nmain;other;text;make 20");
    let of = |text: u64, make: u64| format!("{before}\nmain;get;+text {text}\nmain;get;+text;make {make}");
    // In the order of their names: get at 1000, main, make at 3000, other.
    let build = |get: u32, text: &str| {
        format!(
            "main:50 {words} main>get get>make make:300 make=39 other:80 other=38 other>text {text} text:90 text=37 \
             text>make get:200 get={get}"
        )
    };
    let said_with = |text: &str, after: &str| {
        let ways = ways(0x3000, "null:7 small:90", "null:7");
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let outcome = classified_with(seen(&before, &build(60, text)), seen(after, &build(61, text)), &extra);
        said(&outcome, "get")
    };
    assert_eq!(said_with("get<text*1", &of(9, 90)), PROVED);
    // Called there, too: the conditions around that call are not known.
    assert_eq!(said_with("get<text*1 get>text", &of(9, 90)), LIKELY);
    // Most of it is the copy's own code.
    assert_eq!(said_with("get<text*1", &of(90, 20)), LIKELY);
    // Most of it is elsewhere.
    let elsewhere =
        of(9, 90).replace("main;other;text;make 20", "main;other;text;make 24\nmain;more;text;make 90");
    assert!(!said_with("get<text*1", &elsewhere).contains("proved"));
}

/// What is said of `same`, which is copied into `look` and `merge`, where it has samples too, and goes on to `slow` in
/// each turn of the loop in `look`.
fn said_of_copy(turns: PerSide<Option<(bool, u64)>>, called_before: u64, in_merge: u64) -> String {
    let (steady, words) = steady();
    let slow = |weight: u64| match weight {
        0 => String::new(),
        weight => format!("\nmain;look;+same;slow {weight}"),
    };
    let of = |same: u64, calls: u64| {
        format!(
            "{steady}main;merge 20\nmain;merge;+same {in_merge}\nmain;look 90\nmain;look;+same {same}{}",
            slow(calls)
        )
    };
    let (before, after) = (of(20, called_before), of(5, 90).replace("main;look 90", "main;look 106"));
    // In the order of their names: look at 1000, main, merge, same, slow at 5000.
    let build = |look: u32| {
        format!(
            "main:50 {words} main>look main>merge look:200 look={look} merge:90 merge=7 look<same*1 merge<same*1 \
             slow:300 slow=39 look>slow merge>slow"
        )
    };
    let ways = Ways { caller: 0x1000, callee: 0x5000, turns, ..Ways::default() };
    let extra = Extra { paths: Some(&ways), ..Extra::default() };
    let outcome = classified_with(seen(&before, &build(60)), seen(&after, &build(61)), &extra);
    said(&outcome, "same")
}

#[test]
fn a_loop_whose_turns_all_make_a_call_that_some_did_without_proves_a_missing_fast_path() {
    let (some, none) = (Some((true, 40)), Some((false, 0)));
    let said_with = |before, after| said_of_copy(PerSide::new(before, after), 0, 1);
    assert_eq!(said_with(some, none), PROVED);
    // Turns without the call are left, were hardly taken, or were not there.
    assert_eq!(said_with(some, some), LIKELY);
    assert_eq!(said_with(Some((true, 9)), none), LIKELY);
    assert_eq!(said_with(none, none), LIKELY);
    assert_eq!(said_with(some, None), LIKELY);
    // What was called before may cost more each time.
    // A part of its samples is in another function.
    assert_eq!(said_of_copy(PerSide::new(some, none), 0, 3), LIKELY);
}

/// What is said of `slow`, which costs 160 under `look` after; the loop in `look` makes the call in every turn.
fn said_of_slow(before: u64, own: [u64; 2], exits: [&'static str; 2], other_calls: [usize; 2]) -> String {
    let turns = PerSide::new(Some((true, 40)), Some((false, 0)));
    let (exits, other_calls) =
        (PerSide::new(exits[0], exits[1]), PerSide::new(other_calls[0], other_calls[1]));
    said_of_turns(before, own, Ways { turns, exits, other_calls, ..Ways::default() })
}

/// The same by what is known of the ways.
fn said_of_turns(before: u64, own: [u64; 2], known: Ways) -> String {
    said_of_calls(before, own, ["", ""], known)
}

/// The same, if the builds have these words, too.
fn said_of_calls(before: u64, own: [u64; 2], words_of: [&str; 2], known: Ways) -> String {
    let (steady, words) = steady();
    let build = |look: u32| {
        format!(
            "main:50 {words} main>look look:200 look={look} look>slow slow:300 slow=39 main>merge merge:90 merge=7 \
             merge>slow"
        )
    };
    let of = |own: u64, slow: u64| {
        format!("{steady}main;look {own}\nmain;look;slow {slow}\nmain;merge 20\nmain;merge;slow 60")
    };
    // In the order of their names: look at 1000, main, merge, slow at 4000.
    let ways = Ways { caller: 0x1000, callee: 0x4000, ..known };
    let extra = Extra { paths: Some(&ways), ..Extra::default() };
    let (old, new) = (of(own[0], before), of(own[1], 160));
    let builds = [build(60) + " " + words_of[0], build(61) + " " + words_of[1]];
    let outcome = classified_with(seen(&old, &builds[0]), seen(&new, &builds[1]), &extra);
    said(&outcome, "slow")
}

#[test]
fn turns_that_are_gone_prove_nothing_where_the_same_may_be_done_elsewhere() {
    let likely = "missing-fast-path likely R-edge";
    let exits = ["end null", "end"];
    assert_eq!(said_of_slow(10, [94, 90], exits, [1, 1]), "missing-fast-path proved R-edge");
    // What they called before may cost more each time.
    assert_eq!(said_of_slow(60, [94, 90], exits, [1, 1]), likely);
    // The function itself costs as much.
    assert_eq!(said_of_slow(10, [90, 90], exits, [1, 1]), likely);
    // The check leaves the loop now, or another function does it.
    assert_eq!(said_of_slow(10, [94, 90], ["end", "end kind"], [1, 1]), likely);
    assert_eq!(said_of_slow(10, [94, 90], exits, [1, 2]), likely);
}

#[test]
fn turns_that_only_jumped_over_a_call_are_told_by_more_calls_in_as_many_turns() {
    let said_of_bytes =
        |before, taken, are_turns_short: bool, once: [u64; 2], in_loop: [u64; 2], bytes: [u64; 2]| {
            let turns = PerSide::new(Some((true, taken)), Some((false, 0)));
            let once = PerSide::new(Some([10, 100]), Some(once));
            let in_loop = PerSide::new(in_loop[0], in_loop[1]);
            let loop_bytes = PerSide::new(bytes[0], bytes[1]);
            let turn_bytes = are_turns_short.then_some(16);
            let known = Ways { turns, turn_bytes, once, in_loop, loop_bytes, ..Ways::default() };
            said_of_turns(before, [90, 90], known)
        };
    let said_with = |before, taken, are_turns_short, once, in_loop| {
        said_of_bytes(before, taken, are_turns_short, once, in_loop, [40, 40])
    };
    let (likely, proved) = ("missing-fast-path likely R-edge", "missing-fast-path proved R-edge");
    let (more, same) = ([100, 1000], [100, 100]);
    assert_eq!(said_with(10, 0, true, more, same), proved);
    assert_eq!(said_with(10, 9, true, more, same), proved);
    // Code of which a part would show that it ran.
    assert_eq!(said_with(10, 9, false, more, same), likely);
    // The calls cost more, or are not so many more.
    assert_eq!(said_with(10, 0, true, [20, 1000], same), likely);
    assert_eq!(said_with(40, 0, true, more, same), likely);
    // There are more turns, or it is not known how many. Of 16 times as much, turns may be eight times as many.
    assert_eq!(said_with(10, 0, true, more, [10, 60]), proved);
    assert_eq!(said_with(10, 0, true, more, [10, 100]), likely);
    assert_eq!(said_with(10, 0, true, more, [9, 9]), likely);
    // The check that is gone was most of the loop: as many samples in a tenth of the code are more turns.
    assert_eq!(said_of_bytes(10, 0, true, more, same, [400, 40]), likely);
}

#[test]
fn turns_without_code_of_their_own_left_nothing_that_another_call_could_do() {
    let said_with = |turn_bytes, makes_several, words_of| {
        let turns = PerSide::new(Some((true, 0)), Some((false, 0)));
        let once = PerSide::new(Some([10, 100]), Some([100, 1000]));
        let (in_loop, loop_bytes) = (PerSide::new(100, 100), PerSide::new(40, 40));
        let other_calls = PerSide::new(1, 2);
        said_of_calls(
            10,
            [90, 90],
            words_of,
            Ways {
                makes_several,
                turns,
                turn_bytes,
                once,
                in_loop,
                loop_bytes,
                other_calls,
                ..Ways::default()
            },
        )
    };
    let (proved, likely) = ("missing-fast-path proved R-edge", "missing-fast-path likely R-edge");
    let copied = ["look<tidy*1", "tidy:50 look>tidy"];
    assert_eq!(said_with(Some(0), false, copied), proved);
    assert_eq!(said_with(Some(1), false, copied), likely);
    // What is called there now may ask what the loop asked, and a turn with several calls may make more of them.
    assert_eq!(said_with(Some(0), false, ["tidy:50", "tidy:50 look>tidy"]), likely);
    assert_eq!(said_with(Some(0), true, copied), likely);
}

#[test]
fn what_a_jump_leaves_under_the_callers_caller_is_not_elsewhere() {
    let said_with = |edge: &str, look: [&str; 2]| {
        let (steady, words) = steady();
        let build = |look: u32| {
            format!(
                "main:50 {words} main>look look:200 look={look} look>slow {edge} slow:300 slow=39 main>merge merge:90 \
                 merge=7 merge>slow"
            )
        };
        // Half of what costs more is where the stacks show no `look`.
        let of = |look: &str, slow: u64| {
            format!(
                "{steady}{look}\nmain;look;slow {slow}\nmain;merge 20\nmain;merge;slow 20\nmain;slow {slow}"
            )
        };
        // In the order of their names: look at 1000, main, merge, slow at 4000.
        let ways = ways(0x4000, "null:7 small:90", "null:7");
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let (old, new) = (of(look[0], 20), of(look[1], 90));
        said(&classified_with(seen(&old, &build(60)), seen(&new, &build(61)), &extra), "slow")
    };
    let (proved, likely) = ("missing-fast-path proved R-edge", "missing-fast-path likely R-edge");
    assert_eq!(said_with("look^slow", ["main;look 94", "main;look 90"]), proved);
    // Without a jump, or where another function jumps there, too, something else has it there.
    assert_eq!(said_with("", ["main;look 94", "main;look 90"]), likely);
    assert_eq!(said_with("look^slow merge^slow", ["main;look 94", "main;look 90"]), likely);
    // Whether the caller runs more often, few samples of its own tell.
    let few = |before: u64, after: u64| {
        said_with(
            "look^slow",
            [before, after].map(|samples| format!("once main;look {samples}")).each_ref().map(|of| &**of),
        )
    };
    assert_eq!([few(3, 3), few(3, 6)], [proved, likely].map(str::to_owned));
}

/// What is said of `get`, whose early return has as many bytes of code, and which went on to `read` with so many samples before.
fn said_of_short_way(
    conditions: [&'static str; 2],
    read: u64,
    caller: [u64; 2],
) -> (String, Option<Vec<String>>) {
    let (steady, words) = steady();
    // In the order of their names: ask at 1000, get at 2000, main, other, read at 5000.
    let ways = Ways { caller: 0x2000, ..ways(0x5000, conditions[0], conditions[1]) };
    let of = |ask: u64, read: u64| {
        let read = if read > 0 { format!("\nonce main;ask;get;read {read}") } else { String::new() };
        format!("{steady}main;ask {ask}\nmain;ask;get 60\nmain;other;read 20{read}")
    };
    let build = |get: u32| {
        format!(
            "main:50 {words} main>ask ask:90 ask=4 ask>get get>read read:300 read=39 other:80 other=38 other>read get:200 get={get}"
        )
    };
    let extra = Extra { paths: Some(&ways), ..Extra::default() };
    let after = format!("{}\nmain;ask;get;read 90", of(caller[1], 0));
    let outcome = classified_with(seen(&of(caller[0], read), &build(60)), seen(&after, &build(61)), &extra);
    let callers = verdict(&outcome, "get").evidence.iter().find_map(|evidence| match &evidence.fact {
        Fact::NeverWentOn { callers, .. } => Some(callers.clone()),
        _ => None,
    });
    (said(&outcome, "get"), callers)
}

#[test]
fn an_early_return_of_few_instructions_is_proved_by_what_was_never_called() {
    let said = |conditions, read, caller| said_of_short_way(conditions, read, caller);
    let lost = ["small:1/4 null:0/4", "null:0/4"];
    assert_eq!(said(lost, 0, [60, 60]), (PROVED.to_owned(), Some(vec!["ask".to_owned()])));
    assert_eq!(said(lost, 40, [60, 60]).0, PROVED);
    let likely =
        |conditions, read, caller| assert_eq!(said(conditions, read, caller), (LIKELY.to_owned(), None));
    // A longer way was taken, by few of all samples.
    assert_eq!(said(["small:10/40 null:0/4", "null:0/4"], 0, [60, 60]).0, PROVED);
    // It went on at times; the way has code enough for samples; nothing is gone; or its caller calls it more.
    likely(lost, 50, [60, 60]);
    likely(["small:1/17 null:0/4", "null:0/4"], 0, [60, 60]);
    likely(["small:1/4 null:0/4", "small:1/4 null:0/4"], 0, [60, 60]);
    likely(lost, 0, [60, 100]);
    // The code past it ran, which leads to a call that was never made. Which of two that ask the same is gone is not known.
    likely(["small:1/4/2 null:0/4", "null:0/4"], 0, [60, 60]);
    assert_eq!(said(["small:1/4/1 null:0/4", "null:0/4"], 0, [60, 60]).0, PROVED);
    assert_eq!(said(["small:1/4/2 small:1/4/0 null:0/4", "small:1/4/0 null:0/4"], 0, [60, 60]).0, PROVED);
}

#[test]
fn more_calls_of_another_mix_cost_the_callee_less_itself_than_what_is_inlined_in_it() {
    let said_with = |own: u64, after| {
        let (steady, words) = steady();
        let of = |own: u64, all: u64| {
            let scan = all - own;
            format!("{steady}main;get 60\nmain;get;read {own}\nmain;get;read;+scan {scan}")
        };
        let build = |get: u32| {
            format!("main:50 {words} main>get get>read read:300 read=39 read<scan*1 scan! get:200 get={get}")
        };
        let ways = ways(0x3000, "null:7 small:90", after);
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let (before, after) = (of(400, 1000), of(own, 1500));
        said(&classified_with(seen(&before, &build(60)), seen(&after, &build(61)), &extra), "get")
    };
    assert_eq!(said_with(505, "null:7"), LIKELY);
    // It is called as often, and does more each time.
    assert_ne!(said_with(420, "null:7"), LIKELY);
    // No condition is gone.
    assert_ne!(said_with(505, "null:7 small:90"), LIKELY);
}
