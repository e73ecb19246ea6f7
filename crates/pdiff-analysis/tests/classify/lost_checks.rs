//! Proofs that a check is gone: whether a caller asks instead, and where the code that asked it was.

use pdiff_analysis::classify::Fact;
use pdiff_profile::PerSide;

use crate::build::{Extra, classified_with, said, seen, steady, verdict};
use crate::fewer_ways::{LIKELY, PROVED, said_of_get_under, ways};
use crate::ways::Ways;

#[test]
fn a_check_that_any_code_has_is_not_the_one_that_is_gone() {
    let said_with = |lost: &'static str, above: &'static str| {
        // In the order of their names: get at 1000, main at 2000.
        let ways = Ways {
            can_skip: PerSide::new(Some(true), Some(false)),
            around: PerSide::new(Some([90, 10_000]), Some([0, 10_000])),
            conditions: PerSide::default(),
            asks: PerSide::new(Some(lost), Some("")),
            above: (0x2000, PerSide::new("", above)),
            ..ways(0x4000, "", "")
        };
        said_of_get_under(&ways, [70, 71])
    };
    assert_eq!(said_with("cmp4,0,r cmp8,5,r", "cmp4,0,r"), PROVED);
    // It is all that is gone, or tells what it asks: a number, or a place in a record.
    assert_eq!(said_with("cmp4,0,r", "cmp4,0,r"), LIKELY);
    assert_eq!(said_with("cmp4,0,r cmp8,5,r", "cmp8,5,r"), LIKELY);
    assert_eq!(said_with("cmp4,0,r cmp8,0,[+8]", "cmp8,0,[+8]"), LIKELY);
    assert_eq!(said_with("cmp4,0,r cmp8,0,[stack+i]", "cmp8,0,[stack+i]"), PROVED);
}

#[test]
fn callers_of_the_same_code_that_run_as_before_ask_no_more_whatever_is_above_them() {
    let said_with = |ask: u32, cost: u64| {
        // In the order of their names: ask at 1000, get at 2000, main at 3000, other, read at 5000.
        let ways = Ways {
            can_skip: PerSide::new(Some(true), Some(false)),
            around: PerSide::new(Some([90, 10_000]), Some([0, 10_000])),
            conditions: PerSide::default(),
            asks: PerSide::new(Some("small"), Some("")),
            above: (0x3000, PerSide::new("", "small")),
            ..Ways { caller: 0x2000, ..ways(0x5000, "", "") }
        };
        let (steady, words) = steady();
        let of = |ask: u64, read: &str| {
            format!("{steady}main;ask {ask}\nmain;ask;get 60\nmain;other;read 20\n{read}")
        };
        let build = |get: u32, ask: u32| {
            format!(
                "main:50 main={get} {words} main>ask ask:90 ask={ask} ask>get get>read read:300 read=39 other:80 other=38 \
                 other>read get:200 get={get}"
            )
        };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let (old, new) = (of(60, ""), of(cost, "main;ask;get;read 90"));
        said(&classified_with(seen(&old, &build(60, 4)), seen(&new, &build(61, ask)), &extra), "get")
    };
    assert_eq!(said_with(4, 60), PROVED);
    assert_eq!(said_with(5, 60), LIKELY);
    assert_eq!(said_with(4, 100), LIKELY);
}

#[test]
fn what_is_called_in_a_copy_of_a_helper_is_proved_where_others_contain_that_too() {
    let said_with = |ways: &Ways| {
        let (steady, words) = steady();
        // In the order of their names: get at 1000, main, other, read at 4000, text.
        let build = |get: u32| {
            format!(
                "main:50 {words} main>get main>other get<text*1 other<text*1 text:0 get>read other>read read:300 read=39 \
                 other:80 other=38 get:200 get={get}"
            )
        };
        let of =
            |read: &str| format!("{steady}main;get 60\nmain;other 60\nmain;other;+text;read 300\n{read}");
        let extra = Extra { paths: Some(ways), ..Extra::default() };
        let after = of("main;get;+text;read 90");
        said(&classified_with(seen(&of(""), &build(60)), seen(&after, &build(61)), &extra), "get")
    };
    assert_eq!(said_with(&ways(0x4000, "null:7 small:90", "null:7")), PROVED);
    assert_eq!(said_with(&ways(0x4000, "null:7 small:90", "null:7 small:0")), LIKELY);
}

#[test]
fn what_is_on_a_new_path_with_a_call_that_is_always_made_was_not_called_either() {
    let said_with = |read: u64, write: [u64; 2]| {
        let ways = Ways {
            can_skip: PerSide::new(Some(true), Some(false)),
            around: PerSide::new(Some([90, 10_000]), Some([0, 10_000])),
            conditions: PerSide::default(),
            ..ways(0x4000, "", "")
        };
        let (steady, words) = steady();
        // In the order of their names: get at 1000, main, other, read at 4000, write.
        let build = |get: u32| {
            format!(
                "main:50 {words} main>get get>read get>write read:300 read=39 write:300 write=41 other:80 other=38 other>read \
                 other>write get:200 get={get}"
            )
        };
        let of = |read: u64, write: u64| {
            let stack = |name: &str, samples: u64| match samples {
                0 => String::new(),
                _ => format!("\nmain;get;{name} {samples}"),
            };
            let (read, write) = (stack("read", read), stack("write", write));
            format!("{steady}main;get 60\nmain;other;read 20\nmain;other;write 20{read}{write}")
        };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let (old, new) = (of(0, write[0]), of(read, write[1]));
        said(&classified_with(seen(&old, &build(60)), seen(&new, &build(61)), &extra), "get")
    };
    assert_eq!(said_with(40, [0, 90]), PROVED);
    // Too little is proved, or the rest was called before.
    assert_eq!(said_with(20, [0, 90]), LIKELY);
    assert_eq!(said_with(40, [6, 90]), LIKELY);
}

#[test]
fn several_conditions_that_lead_to_the_same_code_are_proved_together() {
    // A pointer chose `get`, in code that differs.
    let said_with = |ways: Ways, get: u64| {
        let (steady, words) = steady();
        let of = |get: u64, read: &str| {
            format!("{steady}main;run 60\nmain;run;get {get}\nmain;other;read 20\n{read}")
        };
        // In the order of their names: get at 1000, main, other, read at 4000, run.
        let build = |get: u32, run: u32| {
            format!(
                "main:50 {words} main>run run:300 run={run} get>read read:300 read=39 other:80 other=38 other>read \
                 get:200 get={get}"
            )
        };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let (old, new) = (of(60, ""), of(get, "main;run;get;read 90"));
        said(&classified_with(seen(&old, &build(60, 70)), seen(&new, &build(61, 71)), &extra), "get")
    };
    let both = |before, after| ways(0x4000, before, after);
    assert_eq!(said_with(both("null:7 small:5 large:4", "null:7"), 60), PROVED);
    // One of them alone leads to code of its own, which has hardly a sample; or none is gone.
    assert_eq!(said_with(both("null:7 small:5", "null:7"), 60), LIKELY);
    assert_eq!(said_with(both("null:7 small:5 large:4", "null:7 small:5 large:4"), 60), LIKELY);
    // It may run more, or hardly took these ways.
    assert_eq!(said_with(both("null:7 small:5 large:4", "null:7"), 100), LIKELY);
    let around = PerSide::new(Some([9, 10_000]), Some([0, 10_000]));
    assert_eq!(said_with(Ways { around, ..both("null:7 small:5 large:4", "null:7") }, 60), LIKELY);
    // What asks for a number that was asked for elsewhere is a check that the compiler doubled.
    let asks = PerSide::new(Some("cmp4,7,r"), Some("cmp4,7,r cmp4,7,r"));
    let doubled = Ways { asks, ..both("null:7 small:5 large:4", "null:7 cmp4,7,r:0") };
    assert_eq!(said_with(doubled, 60), PROVED);
    assert_eq!(said_with(both("null:7 small:5 large:4", "null:7 cmp4,7,r:0"), 60), LIKELY);
}

#[test]
fn what_a_copy_of_the_caller_calls_is_proved_in_the_code_that_contains_it() {
    let said_with = |can_skip: PerSide<Option<bool>>| {
        // In the order of their names: main, other, read at 3000, set at 4000, sort at 5000, ...
        let ways = Ways {
            caller: 0x5000,
            callee: 0x3000,
            can_skip,
            around: PerSide::new(Some([90, 10_000]), Some([0, 10_000])),
            ..Ways::default()
        };
        let (steady, words) = steady();
        let build = |set: u32, sort: u32| {
            format!(
                "main:50 {words} main>sort main>other sort<set*1 other<set*1 set:90 set={set} set>read sort>read other>read \
                 read:300 read=39 other:80 other=38 sort:200 sort={sort}"
            )
        };
        let of = |read: &str| {
            format!(
                "{steady}main;sort 60\nmain;sort;+set 60\nmain;other 60\nmain;other;+set 3\nmain;other;+set;read 3\n{read}"
            )
        };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let after = of("main;sort;+set;read 90");
        said(&classified_with(seen(&of(""), &build(7, 60)), seen(&after, &build(8, 61)), &extra), "set")
    };
    assert_eq!(said_with(PerSide::new(Some(true), Some(false))), PROVED);
    assert_eq!(said_with(PerSide::new(Some(true), Some(true))), LIKELY);
}

#[test]
fn an_early_return_between_two_calls_is_gone_if_every_way_makes_both() {
    let said_with = |least: [u32; 2], cmp: u64, sort: u64| {
        let (steady, words) = steady();
        // In the order of their names: cmp at 1000, main, sort at 3000.
        let ways = Ways {
            caller: 0x3000,
            callee: 0x1000,
            least_calls: PerSide::new(Some(least[0]), Some(least[1])),
            ..Ways::default()
        };
        let build = |sort: u32| {
            format!("main:50 {words} main>sort sort:200 sort={sort} sort>cmp sort>cmp cmp:300 cmp=39")
        };
        let of = |sort: u64, cmp: u64| format!("{steady}main;sort {sort}\nmain;sort;cmp {cmp}");
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let (old, new) = (of(300, 100), of(sort, cmp));
        let outcome = classified_with(seen(&old, &build(60)), seen(&new, &build(61)), &extra);
        let least = verdict(&outcome, "cmp").evidence.iter().find_map(|evidence| match &evidence.fact {
            Fact::MoreLeastCalls { least, .. } => Some(*least),
            _ => None,
        });
        (said(&outcome, "cmp"), least)
    };
    let lost = ("missing-fast-path likely R-edge".to_owned(), Some(PerSide::new(1, 2)));
    // The caller does more itself, too, but not as many times as much.
    assert_eq!(said_with([1, 2], 165, 400), lost);
    let unclear = |of: (String, Option<PerSide<u32>>)| assert_eq!(of.0, "heavier unclear R-heavier");
    unclear(said_with([1, 1], 165, 400));
    unclear(said_with([1, 2], 165, 520));
}
