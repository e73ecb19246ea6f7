//! Variants for the common case that are gone, and functions whose code grew and does more.

use pdiff_analysis::classify::{Fact, Reason};
use pdiff_profile::PerSide;

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict};
use crate::fast_paths::Ways;

/// A scanner that asks for the next character: it has a copy of the quick variant, and calls the general one.
fn scanner(next: u32, quick: &str, calls: &str) -> String {
    let (_, words) = steady();
    format!(
        "main:50 {words} main>next next:300 next={next} next@lexer.c next#40 look_up:280 look_up=70 look_up@lexer.c \
         look_up#20 next>look_up {quick} {calls}"
    )
}

const QUICK: &str = "next<look_up_ascii*1 look_up_ascii:0 look_up_ascii@lexer.c look_up_ascii#22";

fn of(own: u64, callee: &str) -> String {
    let (stacks, _) = steady();
    format!("{stacks}main;next {own}\nmain;next;{callee}")
}

#[test]
fn a_quick_variant_that_is_gone_is_a_lost_fast_path() {
    let (before, after) = (of(100, "+look_up_ascii 30"), of(95, "look_up 110"));
    let (old, new) = (scanner(60, QUICK, ""), scanner(61, "", ""));
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    assert_eq!(said(&outcome, "look_up"), "missing-fast-path likely R-quick-way");
    let look_up = verdict(&outcome, "look_up");
    assert_eq!(look_up.callers, ["next"]);
    let Reason::QuickWayGone { gone, caller, .. } = &look_up.reason else { panic!("{:?}", look_up.reason) };
    assert_eq!((gone.as_slice(), caller.as_deref()), (&["look_up_ascii".to_owned()][..], Some("next")));
}

#[test]
fn what_takes_over_a_variant_at_like_cost_or_is_called_from_elsewhere_has_lost_no_way() {
    let with = |own: u64, look_up: u64, after: &str| {
        let (before, folded) = (of(100, "+look_up_ascii 60"), of(own, &format!("look_up {look_up}")));
        said(&classified(seen(&before, &scanner(60, QUICK, "")), seen(&folded, after)), "look_up")
    };
    // The same work by another function.
    assert!(!with(100, 70, &scanner(61, "", "")).ends_with("R-quick-way"));
    // It is called from another place, too.
    assert!(!with(100, 200, &scanner(61, "", "steady_3>look_up")).ends_with("R-quick-way"));
    // What it calls costs more, and not its own code.
    let (before, after) = (of(100, "+look_up_ascii 60"), of(100, "look_up 20\nmain;next;look_up;step 180"));
    let [old, new] = [(60, QUICK), (61, "")]
        .map(|(next, quick)| format!("{} step:90 step=8 look_up>step", scanner(next, quick, "")));
    assert!(!said(&classified(seen(&before, &old), seen(&after, &new)), "look_up").ends_with("R-quick-way"));
    // Another function does what the variant did.
    let (before, after) = (of(100, "+look_up_ascii 60"), of(100, "look_up 200\nmain;next;other 60"));
    let old = format!("{} other:120 other=9 next>other", scanner(60, QUICK, ""));
    let new = scanner(61, "", "other:120 other=9 next>other");
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    assert!(!said(&outcome, "look_up").ends_with("R-quick-way"));
}

#[test]
fn a_function_that_no_longer_leaves_the_common_case_to_a_variant_has_lost_it() {
    let (stacks, words) = steady();
    let build = |filter: &str, calls: &str| {
        format!(
            "main:50 {words} main>build build:200 build=60 build>filter {filter} set_bits:190 set_bits=50 {calls}"
        )
    };
    let of = |build: u64, filter: u64, set_bits: u64| {
        format!(
            "{stacks}main;build {build}\nmain;build;filter {filter}\nmain;build;filter;set_bits {set_bits}"
        )
    };
    let old = build("filter:380 filter=70", "filter>set_bits");
    let with = |filter: &str, calls: &str, after: &str| {
        let before = of(60, 2, 60);
        said(&classified(seen(&before, &old), seen(after, &build(filter, calls))), "filter")
    };
    let less_code = "filter:375 filter=71";
    assert_eq!(with(less_code, "", &of(60, 110, 0)), "missing-fast-path likely R-quick-way");
    // What calls it has the variant's work done elsewhere.
    let elsewhere = format!("{}\nmain;build;sums 60", of(60, 110, 0));
    let calls = "sums:90 sums=7 build>sums";
    assert!(!with(less_code, calls, &elsewhere).ends_with("R-quick-way"));
    // Its work costs about as much as the variant did; its code grew; or others call the variant.
    assert!(!with(less_code, "", &of(60, 70, 0)).ends_with("R-quick-way"));
    assert!(!with("filter:480 filter=71", "", &of(60, 110, 0)).ends_with("R-quick-way"));
    assert!(!with(less_code, "steady_4>set_bits", &of(60, 110, 0)).ends_with("R-quick-way"));
    // Eight samples of the variant do not tell that it was taken; twelve do.
    let few = |samples: u64| {
        let before = format!("{stacks}main;build 60\nonce main;build;filter;set_bits {samples}");
        let after = format!("{stacks}main;build 60\nmain;build;filter 4");
        said(&classified(seen(&before, &old), seen(&after, &build(less_code, ""))), "filter")
    };
    assert!(!few(8).ends_with("R-quick-way"), "{}", few(8));
    assert!(few(12).ends_with("R-quick-way"), "{}", few(12));
}

#[test]
fn code_that_grew_and_calls_what_it_did_not_call_does_more() {
    let (stacks, words) = steady();
    let build = |trim: u32, calls: &str| {
        format!(
            "main:50 {words} main>trim trim:{trim} trim={trim} check:90 check=5 trim>check copy:120 copy=6 steady_1>copy {calls}"
        )
    };
    let of = |check: u64, copy: u64| {
        format!("{stacks}main;trim 60\nmain;trim;check {check}\nmain;steady_1;copy 3\nmain;trim;copy {copy}")
    };
    let with = |trim: u32, calls: &str| {
        said(&classified(seen(&of(4, 0), &build(200, "")), seen(&of(60, 60), &build(trim, calls))), "trim")
    };
    assert_eq!(with(400, "trim>copy"), "heavier likely R-fast-path");
    // Code that did not grow left a check out.
    assert_eq!(with(190, "trim>copy"), "missing-fast-path likely R-fast-path");
}

/// What is said of `look_up`, which `next` calls for all characters now, and what proves it. The conditions are those of `next` around the
/// call, 1000 of 100,000 samples are in its own code, and so many lie on the ways without the call, in half of its code.
fn said_of_look_up(
    conditions: [&'static str; 2],
    around: u64,
    next_after: u64,
) -> (String, Option<Vec<String>>) {
    let (before, after) = (of(100, "+quick_look_up 30"), of(next_after, "look_up 110"));
    let quick = "next<quick_look_up*1 quick_look_up:0 quick_look_up@lexer.c quick_look_up#22";
    // In the order of their names: look_up at 1000, main, next at 3000.
    let ways = Ways {
        caller: 0x3000,
        callee: 0x1000,
        conditions: PerSide::new(Some(conditions[0]), Some(conditions[1])),
        around: PerSide::new(Some([around, 100_000]), Some([0, 100_000])),
        around_bytes: 100,
        ..Ways::default()
    };
    let extra = Extra { paths: Some(&ways), ..Extra::default() };
    let (old, new) = (scanner(60, quick, ""), scanner(61, "", ""));
    let outcome = classified_with(seen(&before, &old), seen(&after, &new), &extra);
    let proof = verdict(&outcome, "look_up").evidence.iter().find_map(|evidence| match &evidence.fact {
        Fact::FewerWaysAround { ways, .. } => Some(ways.asks.clone()),
        _ => None,
    });
    (said(&outcome, "look_up"), proof)
}

#[test]
fn a_condition_that_chose_a_quick_variant_and_is_gone_proves_it() {
    let (proved, likely) = ("missing-fast-path proved R-quick-way", "missing-fast-path likely R-quick-way");
    let lost = ["end:0 ascii:55", "end:0"];
    let asks = Some(vec!["ascii".to_owned()]);
    assert_eq!(said_of_look_up(lost, 200, 95), (proved.to_owned(), asks));
    // A quarter of its runs took the variant, or hardly any.
    assert_eq!(said_of_look_up(lost, 125, 95).0, proved);
    assert_eq!(said_of_look_up(lost, 120, 95), (likely.to_owned(), None));
    // It still chooses, or by something else.
    assert_eq!(said_of_look_up(["end:0 ascii:55", "end:0 ascii:0"], 200, 95).0, likely);
    assert_eq!(said_of_look_up(["end:0 ascii:55", "end:0 utf8:0"], 200, 95).0, likely);
    // It asks for more characters.
    assert_eq!(said_of_look_up(lost, 200, 400).0, likely);
}

/// What is said of `filter`, which does itself what it left to `set_bits`, and what it does not ask any more. `chose` is what it asked
/// before it called that, `asks` all that it asks.
fn said_of_filter(
    chose: &'static str,
    asks: [&'static str; 2],
    build_after: u64,
) -> (String, Option<Vec<String>>) {
    let (stacks, words) = steady();
    let build = |filter: &str, calls: &str| {
        format!(
            "main:50 {words} main>build build:200 build=60 build>filter {filter} set_bits:190 set_bits=50 {calls}"
        )
    };
    let of = |build: u64, filter: u64, set_bits: u64| {
        format!(
            "{stacks}main;build {build}\nmain;build;filter {filter}\nmain;build;filter;set_bits {set_bits}"
        )
    };
    // In the order of their names: build at 1000, filter at 2000, main, set_bits at 4000.
    let ways = Ways {
        caller: 0x2000,
        callee: 0x4000,
        conditions: PerSide::new(Some(chose), None),
        asks: PerSide::new(Some(asks[0]), Some(asks[1])),
        ..Ways::default()
    };
    let extra = Extra { paths: Some(&ways), ..Extra::default() };
    let (old, new) = (build("filter:380 filter=70", "filter>set_bits"), build("filter:375 filter=71", ""));
    let (before, after) = (of(60, 2, 60), of(build_after, 110, 0));
    let outcome = classified_with(seen(&before, &old), seen(&after, &new), &extra);
    let proof = verdict(&outcome, "filter").evidence.iter().find_map(|evidence| match &evidence.fact {
        Fact::LostChoice { asks, .. } => Some(asks.clone()),
        _ => None,
    });
    (said(&outcome, "filter"), proof)
}

#[test]
fn a_function_that_does_not_ask_any_more_whether_a_variant_will_do_has_lost_it() {
    let (proved, likely) = ("missing-fast-path proved R-quick-way", "missing-fast-path likely R-quick-way");
    let lost = ["end small", "end"];
    assert_eq!(said_of_filter("small:0", lost, 60), (proved.to_owned(), Some(vec!["small".to_owned()])));
    // What is gone did not choose the variant, or something new is asked.
    assert_eq!(said_of_filter("end:0", lost, 60), (likely.to_owned(), None));
    assert_eq!(said_of_filter("small:0", ["end small", "end large"], 60).0, likely);
    // What calls it runs more often.
    assert_eq!(said_of_filter("small:0", lost, 90).0, likely);
}
