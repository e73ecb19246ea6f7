//! Variants for the common case that are gone, and functions whose code grew and does more.

use pdiff_analysis::classify::{Fact, Reason};
use pdiff_profile::PerSide;

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict};
use crate::ways::Ways;

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
/// call; `own` is what `next` does itself, and `once` the samples in the code of `look_up` outside of loops, and in all of it.
fn said_of_look_up(
    conditions: [&'static str; 2],
    own: [u64; 2],
    once: [[u64; 2]; 2],
) -> (String, Option<Vec<String>>) {
    let (before, after) = (of(own[0], "+quick_look_up 30"), of(own[1], "look_up 110"));
    let quick = "next<quick_look_up*1 quick_look_up:0 quick_look_up@lexer.c quick_look_up#22";
    // In the order of their names: look_up at 1000, main, next at 3000.
    let ways = Ways {
        caller: 0x3000,
        callee: 0x1000,
        conditions: PerSide::new(Some(conditions[0]), Some(conditions[1])),
        around: PerSide::new(Some([0, 100_000]), Some([0, 100_000])),
        once: PerSide::new(Some(once[0]), Some(once[1])),
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
    let lost = ["end:0 ascii:90", "end:0"];
    let once = [[0, 0], [700, 1000]];
    let asks = Some(vec!["ascii".to_owned()]);
    assert_eq!(said_of_look_up(lost, [100, 95], once), (proved.to_owned(), asks));
    // It still chooses, or by something else.
    let with = |conditions| said_of_look_up(conditions, [100, 95], once).0;
    assert_eq!(with(["end:0 ascii:90", "end:0 ascii:0"]), likely);
    assert_eq!(with(["end:0 ascii:90", "end:0 utf8:0"]), likely);
    // The ways that are gone have a quarter of the variant's 300 samples, or less.
    assert_eq!([with(["end:0 ascii:75", "end:0"]), with(["end:0 ascii:74", "end:0"])], [proved, likely]);
    // It asks for more characters: of what it costs itself, the variant was a part before.
    assert_eq!(said_of_look_up(lost, [100, 400], once).0, likely);
    assert_eq!(said_of_look_up(lost, [10, 30], once).0, likely);
    // The general function is mostly loop, which may turn more often, unless its code outside of loops was sampled before.
    let with = |once| said_of_look_up(lost, [100, 95], once).0;
    assert_eq!(with([[0, 0], [599, 1000]]), likely);
    assert_eq!(with([[9, 90], [100, 1000]]), likely);
    assert_eq!(with([[10, 90], [100, 1000]]), proved);
}
