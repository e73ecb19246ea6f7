//! Proofs that fewer conditions let a function return without a call.

use pdiff_analysis::classify::Fact;
use pdiff_profile::PerSide;

use crate::build::{Extra, classified_with, said, seen, steady, verdict, with_rest};
use crate::fast_paths::Ways;

type Conditions = PerSide<Option<&'static str>>;

#[test]
fn a_condition_that_is_gone_proves_a_missing_fast_path() {
    let (steady, words) = steady();
    let before = format!("{steady}main;get 60\nmain;other;read 20");
    let after = format!("{before}\nmain;get;read 90");
    // In the order of their names: get at 1000, main, other, read at 4000.
    let build = |get: u32| {
        format!(
            "main:50 {words} main>get get>read read:300 read=39 other:80 other=38 other>read get:200 get={get}"
        )
    };
    let said_with = |before_asks: Option<&'static str>, after_asks: Option<&'static str>| {
        let conditions: Conditions = PerSide::new(before_asks, after_asks);
        let ways = Ways { caller: 0x1000, callee: 0x4000, conditions, ..Ways::default() };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let outcome = classified_with(seen(&before, &build(60)), seen(&after, &build(61)), &extra);
        let proof = Fact::FewerWaysAround {
            caller: "get".to_owned(),
            callee: "read".to_owned(),
            conditions: PerSide::new(3, 2),
        };
        let is_shown = verdict(&outcome, "get").evidence.iter().any(|evidence| evidence.fact == proof);
        (said(&outcome, "get"), is_shown)
    };
    let likely = ("missing-fast-path likely R-fast-path".to_owned(), false);
    let proved = ("missing-fast-path proved R-fast-path".to_owned(), true);
    assert_eq!(said_with(Some("null small null"), Some("null null")), proved);
    // One is gone, and another one is new, or asks something else.
    assert_eq!(said_with(Some("null small null"), Some("null large")), likely);
    // The same, and more.
    assert_eq!(said_with(Some("null small"), Some("null small")), likely);
    assert_eq!(said_with(Some("null"), Some("null small")), likely);
    assert_eq!(said_with(Some("null null small"), None), likely);
}

#[test]
fn between_versions_the_same_comparison_may_ask_something_else() {
    let before = with_rest("main;get 60\nmain;other;read 20");
    let after = with_rest("main;get 60\nmain;other;read 20\nmain;get;read 90");
    // Nothing tells that most code is the same. In the order of their names: get at 1000, main, other, read at 4000.
    let build = |get: u32| {
        format!("main:50 main>get get>read read:300 read=9 other:80 other>read work:9 get:200 get={get}")
    };
    let conditions = PerSide::new(Some("null small"), Some("null"));
    let ways = Ways { caller: 0x1000, callee: 0x4000, conditions, ..Ways::default() };
    let extra = Extra { paths: Some(&ways), ..Extra::default() };
    let outcome = classified_with(seen(&before, &build(1)), seen(&after, &build(2)), &extra);
    assert_eq!(said(&outcome, "get"), "missing-fast-path likely R-fast-path");
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
        let conditions = PerSide::new(Some("null small"), Some("null"));
        let ways = Ways { caller: 0x1000, callee: 0x3000, conditions, ..Ways::default() };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let outcome = classified_with(seen(&before, &build(60, text)), seen(after, &build(61, text)), &extra);
        said(&outcome, "get")
    };
    assert_eq!(said_with("get<text*1", &of(9, 90)), "missing-fast-path proved R-fast-path");
    // Called there, too: the conditions around that call are not known.
    assert_eq!(said_with("get<text*1 get>text", &of(9, 90)), "missing-fast-path likely R-fast-path");
    // Most of it is the copy's own code.
    assert_eq!(said_with("get<text*1", &of(90, 20)), "missing-fast-path likely R-fast-path");
}
