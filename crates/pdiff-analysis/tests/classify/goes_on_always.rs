//! Fast paths that are gone by the code of both builds, or with their own code.

use pdiff_analysis::classify::{Classification, Reason};
use pdiff_profile::PerSide;

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict};
use crate::ways::Ways;

/// After's code of `caller` goes on to `callee` whatever it asks. Functions have the addresses 0x1000, 0x2000 and so on, in the order of
/// their names.
fn goes_on_always(caller: u64, callee: u64) -> Ways {
    Ways { caller, callee, ..always() }
}

/// The same, with forty samples of the ways around before.
fn always() -> Ways {
    let around = PerSide::new(Some([40, 10_000]), Some([0, 10_000]));
    Ways { can_skip: PerSide::new(Some(true), Some(false)), around, ..Ways::default() }
}

/// The verdicts on two sides, each of stacks and a build, if their code is as `ways` say.
fn by_code(ways: &Ways, before: &(String, String), after: &(String, String)) -> Classification {
    let extra = Extra { paths: Some(ways), ..Extra::default() };
    classified_with(seen(&before.0, &before.1), seen(&after.0, &after.1), &extra)
}

#[test]
fn a_callee_of_many_that_its_caller_cannot_leave_out_any_more_is_called_more_by_that() {
    let (steady, words) = steady();
    let build = |set: u32| {
        format!(
            "main:50 {words} main>set set:200 set={set} set>find find:300 find=50 main>get get:200 get=7 get>find"
        )
    };
    let of = |own: u64, find: u64| {
        format!("{steady}main;set {own}\nmain;set;find {find}\nmain;get 90\nmain;get;find 400")
    };
    let said_of = |ways: &Ways| {
        let (before, after) = ((of(200, 40), build(1)), (of(110, 130), build(2)));
        let outcome = by_code(ways, &before, &after);
        (["find", "set"].map(|name| said(&outcome, name)), verdict(&outcome, "find").reason.clone())
    };
    // In the order of their names: find, get, main, set. What `set` saves itself is about as much.
    let (proved, reason) = said_of(&goes_on_always(0x4000, 0x1000));
    assert_eq!(proved, ["missing-fast-path proved R-edge", "lighter unclear R-lighter"]);
    assert!(matches!(reason, Reason::MoreOnEdge { is_proved: true, .. }), "{reason:?}");
    let (unknown, _) = said_of(&goes_on_always(0x9000, 0x1000));
    assert!(!unknown[0].contains("fast-path"), "{unknown:?}");
    // Of a hundred samples of its own code, fourteen would be on the ways if most runs took them.
    let of_samples = |around: u64, around_bytes: u64| {
        let around = PerSide::new(Some([around, 10_000]), Some([0, 10_000]));
        said_of(&Ways { around, around_bytes, ..goes_on_always(0x4000, 0x1000) }).0[0].clone()
    };
    assert!(!of_samples(0, 40).contains("proved"), "{}", of_samples(0, 40));
    assert!(of_samples(1, 40).contains("proved") && of_samples(0, 4).contains("proved"));
}

#[test]
fn a_function_that_lost_the_code_of_its_fast_path_goes_on_all_the_same() {
    let (steady, words) = steady();
    let build = |set: u32| {
        format!(
            "main:50 {words} main>set set:200 set={set} set>find find:300 find=50 main>get get:90 get=7 get>find"
        )
    };
    let of = |own: u64, find: u64| {
        format!(
            "{steady}main;set {own}\nmain;get 90\nmain;get;find 5\n{}",
            if find > 0 { format!("main;set;find {find}") } else { String::new() }
        )
    };
    let said_of = |own: u64, find: u64| {
        said(&classified(seen(&of(200, 0), &build(1)), seen(&of(own, find), &build(2))), "set")
    };
    assert_eq!(said_of(130, 300), "missing-fast-path likely R-fast-path");
    // What it calls may do what it did itself.
    assert!(!said_of(100, 170).contains("fast-path"), "{}", said_of(100, 170));
}

#[test]
fn code_that_is_copied_into_a_function_that_goes_on_always_may_be_on_that_way() {
    let (steady, words) = steady();
    let build = |peek: u32| {
        format!(
            "main:50 {words} main>peek main>other next:300 next=50 other:90 other=7 other>next peek:200 peek={peek} peek>next \
             core::push:0 core::push! peek<core::push*1"
        )
    };
    let of = |push: u64, next: u64| {
        format!(
            "{steady}main;peek 60\nmain;peek;+core::push {push}\nmain;peek;next {next}\nmain;other 90\nmain;other;next 200"
        )
    };
    let said_of = |ways: &Ways, push: u64| {
        let (before, after) = ((of(10, 25), build(1)), (of(push, 90), build(2)));
        said(&by_code(ways, &before, &after), "peek")
    };
    // In the order of their names: core::push, main, next, other, peek.
    let ways = goes_on_always(0x5000, 0x3000);
    assert_eq!(said_of(&ways, 40), "missing-fast-path proved R-fast-path");
    // Most of the growth is not the call that the code proves.
    assert_eq!(said_of(&ways, 170), "missing-fast-path likely R-fast-path");
    assert!(!said_of(&goes_on_always(0x9000, 0x3000), 170).contains("fast-path"));
}

#[test]
fn a_function_that_goes_on_always_has_lost_its_fast_path_though_others_call_the_callee_less() {
    let (steady, words) = steady();
    let build = |set: u32, get: u32| {
        format!(
            "main:50 {words} main>set set:200 set={set} set>find find:300 find=50 main>get get:200 get={get} get>find"
        )
    };
    let of = |set: u64, get: u64| {
        format!("{steady}main;set 90\nmain;set;find {set}\nmain;get 90\nmain;get;find {get}")
    };
    let said_of = |ways: &Ways| {
        let (before, after) = ((of(30, 400), build(1, 7)), (of(110, 300), build(2, 8)));
        said(&by_code(ways, &before, &after), "set")
    };
    // In the order of their names: find, get, main, set.
    assert_eq!(said_of(&goes_on_always(0x4000, 0x1000)), "missing-fast-path proved R-fast-path");
    assert!(!said_of(&goes_on_always(0x9000, 0x1000)).contains("fast-path"));
}

#[test]
fn samples_on_ways_that_are_not_taken_any_more_prove_a_missing_fast_path() {
    let (steady, words) = steady();
    let build = |root: u32| {
        format!("main:50 {words} main>root root:200 root={root} root>load load:300 load=50 main>load")
    };
    let of = |load: u64| format!("{steady}main;root 60\nmain;root;load {load}\nmain;load 90");
    let said_asking = |asks: PerSide<Option<&'static str>>| {
        let can_skip = PerSide::new(Some(true), Some(true));
        let around = PerSide::new(Some([200, 600]), Some([0, 640]));
        let (caller, callee, is_hardly_taken) = (0x3000, 0x1000, true);
        let ways =
            Ways { caller, callee, can_skip, around, is_hardly_taken, conditions: asks, ..Ways::default() };
        said(&by_code(&ways, &(of(30), build(60)), &(of(150), build(61))), "root")
    };
    // It asks the same, so the data chose the way.
    assert!(!said_asking(PerSide::new(Some("null:9"), Some("null:0"))).contains("proved"));
    assert!(said_asking(PerSide::new(Some("null:9"), Some("same:0"))).contains("proved"));
    let said_with = |old: &str, before: Option<[u64; 2]>, after: Option<[u64; 2]>, is_hardly_taken: bool| {
        // In the order of their names: load, main, root. Both builds have a way around the call.
        let can_skip = PerSide::new(Some(true), Some(true));
        let around = PerSide::new(before, after);
        let ways =
            Ways { caller: 0x3000, callee: 0x1000, can_skip, around, is_hardly_taken, ..Ways::default() };
        let sides = ((old.to_owned(), build(60)), (of(150), build(61)));
        let outcome = by_code(&ways, &sides.0, &sides.1);
        ["root", "load"].map(|name| said(&outcome, name))
    };
    // It was entered before, too, or not at all.
    for old in [of(30), of(30).replace("main;root;load 30\n", "")] {
        let said_of = |before, after| said_with(&old, before, after, true);
        let proved = said_of(Some([200, 600]), Some([0, 640]));
        assert_eq!(proved, ["missing-fast-path proved R-fast-path", "missing-fast-path proved R-edge"]);
        let likely = ["missing-fast-path likely R-fast-path", "missing-fast-path likely R-edge"];
        // A third of them still, few before, few to expect, a small part of its own code, or no address.
        assert_eq!(said_of(Some([200, 600]), Some([70, 640])), likely);
        assert_eq!(said_of(Some([9, 600]), Some([0, 6400])), likely);
        assert_eq!(said_of(Some([200, 600]), Some([0, 20])), likely);
        assert_eq!(said_of(Some([20, 60_000]), Some([0, 64_000])), likely);
        assert_eq!(said_of(None, Some([0, 640])), likely);
        assert_eq!(said_of(Some([200, 600]), None), likely);
        // One of the ways has code with samples.
        assert_eq!(said_with(&old, Some([200, 600]), Some([0, 640]), false), likely);
    }
}

#[test]
fn a_function_that_grew_and_cannot_leave_a_callee_out_any_more_has_lost_its_fast_path() {
    let (steady, words) = steady();
    let build = |trim: u32, calls: &str| {
        format!(
            "main:50 {words} main>trim trim:{trim} trim={trim} check:90 check=5 trim>check copy:120 copy=6 steady_1>copy {calls}"
        )
    };
    let of = |check: u64, copy: u64| {
        format!("{steady}main;trim 60\nmain;trim;check {check}\nmain;steady_1;copy 3\nmain;trim;copy {copy}")
    };
    let said_of = |ways: &Ways| {
        let (before, after) = ((of(4, 0), build(200, "")), (of(60, 60), build(400, "trim>copy")));
        said(&by_code(ways, &before, &after), "trim")
    };
    // In the order of their names: check, copy, main, the steady ones, trim.
    assert!(said_of(&goes_on_always(0x18000, 0x1000)).starts_with("missing-fast-path"));
    assert_eq!(said_of(&goes_on_always(0x18000, 0x9000)), "heavier likely R-fast-path");
}

#[test]
fn what_cannot_be_left_out_any_more_need_not_cost_twice_as_much() {
    let (steady, words) = steady();
    let build = |compare: u32| {
        format!(
            "main:50 {words} main>compare compare:90 compare={compare} compare>unpack unpack:300 unpack=50 main>get get:200 \
             get=7 get>unpack"
        )
    };
    let of = |unpack: u64| {
        format!("{steady}main;compare 90\nmain;compare;unpack {unpack}\nmain;get 90\nmain;get;unpack 60")
    };
    let said_of = |ways: &Ways, unpack: u64| {
        let outcome = by_code(ways, &(of(100), build(1)), &(of(unpack), build(2)));
        said(&outcome, "compare")
    };
    // In the order of their names: compare at 1000, get, main, ..., unpack behind the steady ones.
    let ways = || Ways {
        once: PerSide::new(Some([100, 1000]), Some([160, 1600])),
        ..goes_on_always(0x1000, UNPACK)
    };
    assert_eq!(said_of(&ways(), 160), "missing-fast-path proved R-fast-path");
    assert!(!said_of(&ways(), 110).contains("fast-path"), "{}", said_of(&ways(), 110));
    // A condition that led around is gone: likely.
    let conditions = PerSide::new(Some("null:0 done:0"), Some("null:0"));
    let can_skip = PerSide::new(Some(true), Some(true));
    let fewer = Ways { can_skip, conditions, ..ways() };
    assert_eq!(said_of(&fewer, 160), "missing-fast-path likely R-fast-path");
    let as_many = Ways { can_skip, conditions: PerSide::new(Some("null:0"), Some("null:0")), ..ways() };
    assert!(!said_of(&as_many, 160).contains("fast-path"), "{}", said_of(&as_many, 160));
}

/// Behind `compare`, `get`, `main` and the twenty steady functions.
const UNPACK: u64 = 0x1000 * 24;

#[test]
fn a_function_that_does_more_itself_runs_as_before_if_what_every_call_runs_does() {
    let (steady, words) = steady();
    let build = |set: u32| {
        format!(
            "main:50 {words} main>set set:200 set={set} set>find find:300 find=50 main>get get:200 get=7 get>find"
        )
    };
    let of = |own: u64, find: u64| {
        format!("{steady}main;set {own}\nmain;set;find {find}\nmain;get 90\nmain;get;find 90")
    };
    let said_with = |every_call_of_caller: PerSide<Option<u64>>| {
        let ways = Ways { every_call_of_caller, ..goes_on_always(0x4000, 0x1000) };
        said(&by_code(&ways, &(of(40, 40), build(1)), &(of(120, 160), build(2))), "set")
    };
    let after = |samples: u64| said_with(PerSide::new(Some(50), Some(samples)));
    assert_eq!(after(55), "missing-fast-path proved R-fast-path");
    // A check of most of its code is gone: so many samples are those of many calls.
    let every_call_bytes = PerSide::new(Some(200), Some(40));
    let every_call_of_caller = PerSide::new(Some(50), Some(55));
    let ways = Ways { every_call_of_caller, every_call_bytes, ..goes_on_always(0x4000, 0x1000) };
    let outcome = by_code(&ways, &(of(40, 40), build(1)), &(of(120, 160), build(2)));
    assert_eq!(said(&outcome, "set"), "missing-fast-path likely R-fast-path");
    // It is called more, or that is not known.
    assert_eq!(after(150), "missing-fast-path likely R-fast-path");
    assert_eq!(said_with(PerSide::default()), "missing-fast-path likely R-fast-path");
}

#[test]
fn a_function_that_lost_most_of_its_code_may_run_more_often_at_the_same_cost() {
    let (steady, words) = steady();
    let build = |set: u32, bytes: u32| {
        format!(
            "main:50 {words} main>set set:{bytes} set={set} set>find find:300 find=50 main>get get:200 get=7 get>find"
        )
    };
    let of = |find: u64| format!("{steady}main;set 40\nmain;set;find {find}\nmain;get 90\nmain;get;find 90");
    let said_of = |bytes: u32| {
        let ways = goes_on_always(0x4000, 0x1000);
        said(&by_code(&ways, &(of(40), build(1, 200)), &(of(160), build(2, bytes))), "set")
    };
    assert_eq!(said_of(150), "missing-fast-path proved R-fast-path");
    assert_eq!(said_of(60), "missing-fast-path likely R-fast-path");
}
