//! Functions that call another one for what their own code did: a lost fast path if that costs more, and else work that moved.

use pdiff_analysis::classify::{Fact, Reason};
use pdiff_profile::PerSide;

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict};
use crate::ways::Ways;

/// `cell` calls `parse`, which read numbers itself; `read` reads any, and `other` calls it in both builds.
fn build(cell: u32, parse: &str) -> String {
    let (_, words) = steady();
    format!(
        "main:50 {words} main>cell cell:90 cell={cell} cell>parse {parse} main>other other:90 other=5 other>read \
         read:500 read=6"
    )
}

const BEFORE: &str = "parse:400 parse=70";
const AFTER: &str = "parse:160 parse=71 parse>read";

fn of(cell: u64, parse: u64, read: u64) -> String {
    let (stacks, _) = steady();
    let read = if read > 0 { format!("main;cell;parse;read {read}\n") } else { String::new() };
    format!("{stacks}main;cell {cell}\nmain;cell;parse {parse}\n{read}main;other;read 30")
}

const LOST: &str = "missing-fast-path likely R-fast-path";

#[test]
fn a_function_that_leaves_its_usual_case_to_a_general_one_has_lost_a_fast_path() {
    let outcome =
        classified(seen(&of(60, 100, 0), &build(9, BEFORE)), seen(&of(60, 20, 120), &build(9, AFTER)));
    assert_eq!(said(&outcome, "parse"), LOST);
    let Reason::OwnWorkCalled { callee, own_pp, net_pp, .. } = &verdict(&outcome, "parse").reason else {
        panic!("{:?}", verdict(&outcome, "parse").reason)
    };
    assert_eq!(callee, "read");
    assert!(*own_pp < -3.0 && *net_pp > 1.0, "{own_pp} {net_pp}");
    // What is called more is a part of that.
    assert_eq!(said(&outcome, "read"), "missing-fast-path likely R-below");
}

#[test]
fn work_that_another_function_does_at_the_same_cost_has_moved() {
    let outcome =
        classified(seen(&of(60, 100, 0), &build(9, BEFORE)), seen(&of(60, 20, 80), &build(9, AFTER)));
    assert_eq!(said(&outcome, "parse"), "moved likely R-succession");
    assert_eq!(said(&outcome, "read"), "moved likely R-below");
}

#[test]
fn what_was_called_before_or_does_not_take_the_work_over_lost_no_such_path() {
    let with = |before: &str, after: &str, stacks: &str| {
        let outcome = classified(seen(&of(60, 100, 0), &build(9, before)), seen(stacks, &build(9, after)));
        matches!(verdict(&outcome, "parse").reason, Reason::OwnWorkCalled { .. })
    };
    let lost = of(60, 20, 120);
    assert!(with(BEFORE, AFTER, &lost));
    // The code had the call, or a copy; or it has a copy now.
    assert!(!with("parse:400 parse=70 parse>read", AFTER, &lost));
    assert!(!with("parse:400 parse=70 parse<read*1", AFTER, &lost));
    assert!(!with(BEFORE, "parse:160 parse=71 parse>read parse<read*1", &lost));
    // It still does nearly all of it itself; or what it calls has less than half of what is gone.
    assert!(with(BEFORE, AFTER, &of(60, 60, 120)));
    assert!(!with(BEFORE, AFTER, &of(60, 90, 120)));
    assert!(!with(BEFORE, AFTER, &of(60, 20, 30)));
    // Something else below it costs more, and explains it.
    let more = format!("{}\nmain;cell;parse;steady_1 90", of(60, 20, 90));
    assert!(!with(BEFORE, AFTER, &more));
}

/// What is said of `parse`, and what proves it.
fn proved(cell: [u32; 2], own: [u64; 2], after: &str, ways: &Ways) -> (String, Option<Vec<String>>) {
    let extra = Extra { paths: Some(ways), ..Extra::default() };
    let (before_stacks, after_stacks) = (of(own[0], 100, 0), of(own[1], 20, 120));
    let (before, after) = (build(cell[0], BEFORE), build(cell[1], after));
    let outcome = classified_with(seen(&before_stacks, &before), seen(&after_stacks, &after), &extra);
    let callers = verdict(&outcome, "parse").evidence.iter().find_map(|evidence| match &evidence.fact {
        Fact::OwnWorkGone { callers, .. } => Some(callers.clone()),
        _ => None,
    });
    (said(&outcome, "parse"), callers)
}

#[test]
fn less_code_that_asks_nothing_new_and_is_called_as_before_proves_it() {
    // In the order of their names: cell at 1000, main, other, parse at 4000, read at 5000.
    let ways = |asks: [&'static str; 2]| Ways {
        caller: 0x4000,
        callee: 0x5000,
        asks: PerSide::new(Some(asks[0]), Some(asks[1])),
        ..Ways::default()
    };
    let less = ways(["small negative", "small"]);
    let by = Some(vec!["cell".to_owned()]);
    let is_proved = "missing-fast-path proved R-fast-path";
    assert_eq!(proved([9, 9], [60, 60], AFTER, &less), (is_proved.to_owned(), by));
    let likely = (LOST.to_owned(), None);
    // It asks something new, has more code, or has a loop that it did not have.
    assert_eq!(proved([9, 9], [60, 60], AFTER, &ways(["small", "small large"])), likely);
    assert_eq!(proved([9, 9], [60, 60], "parse:420 parse=71 parse>read", &less), likely);
    let looping = Ways { is_looping_after_only: true, looping: 0x4000, ..ways(["small negative", "small"]) };
    assert_eq!(proved([9, 9], [60, 60], AFTER, &looping), likely);
    // Its caller differs, or may call it more.
    assert_eq!(proved([9, 10], [60, 60], AFTER, &less), likely);
    assert_eq!(proved([9, 9], [60, 90], AFTER, &less), likely);
    // What it calls is not called more: its loops turn more often.
    let longer =
        Ways { once: PerSide::new(Some([100, 200]), Some([100, 2000])), ..ways(["small negative", "small"]) };
    assert_eq!(proved([9, 9], [60, 60], AFTER, &longer), likely);
}

#[test]
fn what_a_function_does_itself_and_called_another_for_has_moved() {
    let with = |own: u64, after: &str| {
        let (before, after_stacks) = (of(60, 20, 100), of(60, own, 0));
        let outcome = classified(seen(&before, &build(9, AFTER)), seen(&after_stacks, &build(9, after)));
        said(&outcome, "parse")
    };
    assert_eq!(with(120, BEFORE), "moved likely R-succession");
    // It still calls the other one; or its own code hardly grew.
    assert_ne!(with(120, "parse:400 parse=70 parse>read"), "moved likely R-succession");
    assert!(!with(35, BEFORE).contains("R-succession"), "{}", with(35, BEFORE));
}

#[test]
fn a_function_that_does_itself_what_a_library_did_has_lost_a_quick_way_if_that_costs_more() {
    let (stacks, words) = steady();
    let same = ["libc.so.6".to_owned(), "libc.so".to_owned()];
    let extra = Extra { same_objects: &same, ..Extra::default() };
    let build = |parse: &str| format!("main:50 {words} main>parse {parse} span@plt:16 main>span@plt");
    let old = build("parse:400 parse=70 parse>span@plt");
    let before = format!("{stacks}main;parse 60\nmain;parse;/lib/libc.so.6!span 100");
    let with = |own: u64, parse: &str| {
        let after = format!("{stacks}main;parse {own}");
        said(&classified_with(seen(&before, &old), seen(&after, &build(parse)), &extra), "parse")
    };
    let less = "parse:390 parse=71";
    assert_eq!(with(230, less), "missing-fast-path likely R-quick-way");
    assert_eq!(with(160, less), "moved likely R-succession");
    // It has more code, still calls the library, or the library had less than half of that.
    assert!(!with(230, "parse:450 parse=71").contains("R-quick-way"));
    assert!(!with(230, "parse:390 parse=71 parse>span@plt").contains("R-quick-way"));
    assert!(!with(330, less).contains("R-quick-way"), "{}", with(330, less));
}
