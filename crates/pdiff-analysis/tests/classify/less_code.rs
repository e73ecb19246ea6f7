//! Functions whose code lost checks and costs more.

use pdiff_profile::PerSide;

use crate::build::{Extra, classified_with, said, seen, steady, verdict};
use crate::ways::Ways;

/// What is said of `list`, whose own code and what it calls cost so much after.
fn said_of_list(after: &str, asks: [&'static str; 2], costs: [u64; 2]) -> String {
    said_with(after, asks, costs, "null:0 null:90 one:10 two:5")
}

fn said_with(after: &str, asks: [&'static str; 2], costs: [u64; 2], beside: &'static str) -> String {
    let (steady, words) = steady();
    let build = |list: &str| format!("main:50 {words} main>list {list} hash:90 hash=40 list>hash");
    let of = |[own, hash]: [u64; 2]| format!("{steady}main;list {own}\nmain;list;hash {hash}");
    // In the order of their names: hash at 1000, list at 2000.
    let asks = PerSide::new(Some(asks[0]), Some(asks[1]));
    let ways = Ways { caller: 0x2000, asks, beside, ..Ways::default() };
    let extra = Extra { paths: Some(&ways), ..Extra::default() };
    let (old, new) = (of([160, 60]), of(costs));
    let outcome = classified_with(seen(&old, &build("list:200 list=60")), seen(&new, &build(after)), &extra);
    assert_eq!(verdict(&outcome, "hash").cause.as_str(), "noise", "what it calls is not why");
    said(&outcome, "list")
}

#[test]
fn code_that_lost_a_check_and_costs_more_lost_a_fast_path() {
    let gone = ["one null null", "null null"];
    let less = "list:180 list=61";
    assert_eq!(said_of_list(less, gone, [240, 60]), "missing-fast-path likely R-less-code");
    // No check is gone, or another one is new; as much code; a new call; and hardly more cost.
    assert_eq!(said_of_list(less, ["null null", "null null"], [240, 60]), "heavier likely R-heavier");
    assert_eq!(said_of_list(less, ["one null", "null other"], [240, 60]), "heavier likely R-heavier");
    assert_eq!(said_of_list("list:200 list=61", gone, [240, 60]), "heavier likely R-heavier");
    assert_eq!(said_of_list("list:180 list=61 list>hash", gone, [240, 60]), "heavier likely R-heavier");
    assert_eq!(said_of_list(less, gone, [200, 60]), "heavier likely R-heavier");
}

#[test]
fn a_check_that_never_made_a_difference_is_gone_without_an_effect() {
    let said_with = |asks, beside| said_with("list:180 list=61", asks, [240, 60], beside);
    let found = "missing-fast-path likely R-less-code";
    assert_eq!(said_with(["one null", "null"], "one:10"), found);
    assert_eq!(said_with(["one null", "null"], "one:9"), "heavier likely R-heavier");
    // Of two that ask the same, the one with fewer samples may be gone; of two that are gone both count.
    assert_eq!(said_with(["one null null", "one null"], "null:9 null:90"), "heavier likely R-heavier");
    assert_eq!(said_with(["one null null", "one"], "null:9 null:90"), found);
    assert_eq!(said_with(["one two", ""], "one:5 two:5"), found);
}
