//! Proofs that the conditions which still let a function return without a call cannot be why it calls more.

use pdiff_analysis::classify::{Fact, SampledCode};
use pdiff_profile::PerSide;

use crate::build::{Extra, classified_with, said, seen, steady, verdict};
use crate::fewer_ways::{LIKELY, PROVED, ways};
use crate::ways::Ways;

/// What is said of `get`, which goes on to `read` with 90 samples after, and so many before; and the proof's part of the runs.
fn said_of_get(read: u64, ways: &Ways) -> (String, Option<f64>) {
    said_beside("main;other;read 20", read, ways)
}

/// The same, if these stacks are in both runs, too.
fn said_beside(beside: &str, read: u64, ways: &Ways) -> (String, Option<f64>) {
    said_under([7, 7], beside, read, ways)
}

/// The same, if `main` has such code.
fn said_under(main: [u32; 2], beside: &str, read: u64, ways: &Ways) -> (String, Option<f64>) {
    let (steady, words) = steady();
    let of = |read: u64| format!("{steady}main;get 60\n{beside}\nmain;get;read {read}");
    // In the order of their names: get at 1000, main, other, read at 4000.
    let build = |get: u32, main: u32| {
        format!(
            "main:50 main={main} {words} main>get get>read read:300 read=39 other:80 other=38 other>read get:200 \
             get={get}"
        )
    };
    let extra = Extra { paths: Some(ways), ..Extra::default() };
    let (before, after) = (build(60, main[0]), build(61, main[1]));
    let outcome = classified_with(seen(&of(read), &before), seen(&of(90), &after), &extra);
    let part = verdict(&outcome, "get").evidence.iter().find_map(|evidence| match &evidence.fact {
        Fact::LeftPassed { part_pct, .. } => Some(*part_pct),
        _ => None,
    });
    (said(&outcome, "get"), part)
}

/// The way that is gone has no code; the code past the condition that is left has so many samples of its own in 100 bytes. All of the
/// function has 100 samples in 200 bytes.
fn of_past(own_past: &'static str) -> Ways {
    let every_call_of_caller = PerSide::new(Some(50), Some(50));
    let under_calls = PerSide::<&[u64]>::new(&[9], &[90]);
    Ways { every_call_of_caller, under_calls, ..ways(0x4000, own_past, "null:7/100/0/50") }
}

#[test]
fn runs_that_went_past_what_is_left_prove_that_it_is_not_why() {
    // 50 in 100 bytes, less a standard error, are 86 % of the runs; with ten times as much that explains nearly all.
    let (said, part) = said_of_get(9, &of_past("small:0/0 null:7/100/0/50"));
    assert_eq!((&*said, part.map(f64::round)), (PROVED, Some(86.0)));
    let likely = |ways: &Ways, read: u64| assert_eq!(said_of_get(read, ways), (LIKELY.to_owned(), None));
    // A third of the runs went past it; now all may, and that would be most of the ten times.
    likely(&of_past("small:0/0 null:7/100/0/20"), 9);
    // What is left as it was cannot be why of what is gone.
    likely(&of_past("null:7/100/0/50"), 9);
    // Of the runs too little is known.
    let around = PerSide::new(Some([0, 900]), Some([0, 900]));
    likely(&Ways { around, ..of_past("small:0/0 null:7/100/0/50") }, 9);
}

#[test]
fn what_was_never_seen_called_may_have_been_called_as_often_as_no_sample_tells() {
    let said_of = |all: u64, every_call: u64| {
        let around = PerSide::new(Some([0, all]), Some([0, all]));
        let under_calls = PerSide::<&[u64]>::new(&[0], &[90]);
        // What calls it has other code, and asks the same on the way.
        let past = (0x2000, PerSide::new("kind", "kind"));
        let lost = of_past("small:0/0 null:7/100/0/50");
        let in_every_call = PerSide::new(None, Some(every_call));
        let ways = Ways { around, under_calls, past, in_every_call, ..lost };
        said_under([7, 8], "main;other;read 20", 0, &ways)
    };
    // Three samples of 10,000 would be 200 times less.
    let (said, part) = said_of(10_000, 50);
    assert_eq!((&*said, part.map(f64::round)), (PROVED, Some(86.0)));
    // Of a run with 900, the function's own samples are too few to tell how often it runs.
    assert_eq!([1_000, 900].map(|all| said_of(all, 50).0), [PROVED, LIKELY]);
    // What every call of it runs is sampled too little: as many calls that cost less would not show.
    assert_eq!(said_of(10_000, 9).0, LIKELY);
}

#[test]
fn a_call_in_a_loop_may_be_made_more_often_in_a_run() {
    let lost = || of_past("small:0/0 null:7/100/0/50");
    assert_eq!(said_of_get(9, &Ways { repeats: true, ..lost() }), (LIKELY.to_owned(), None));
    // One call after another is at most as many as there are.
    let (said, part) = said_of_get(9, &Ways { repeats: true, is_in_no_loop: true, ..lost() });
    assert_eq!((&*said, part.is_some()), (PROVED, true));
}

#[test]
fn what_else_may_make_more_calls_is_ruled_out() {
    let lost = || of_past("small:0/0 null:7/100/0/50");
    let likely = |ways: &Ways| assert_eq!(said_of_get(9, ways), (LIKELY.to_owned(), None));
    // The function runs three times as often by the code that every call runs, though all of its own code costs as much; or too few tell.
    likely(&Ways { every_call_of_caller: PerSide::new(Some(50), Some(150)), ..lost() });
    likely(&Ways { every_call_of_caller: PerSide::new(Some(9), Some(9)), ..lost() });
    // One place in its code makes no more calls.
    let with = |under_calls: [&'static [u64]; 2]| {
        let under_calls = PerSide::new(under_calls[0], under_calls[1]);
        said_of_get(9, &Ways { under_calls, ..lost() }).0
    };
    assert_eq!(with([&[5, 4], &[45, 45]]), PROVED);
    assert_eq!(with([&[5, 4], &[80, 10]]), LIKELY);
    assert_eq!(with([&[5, 4], &[90]]), LIKELY);
    // Hardly anything else calls it, and what every call of it runs costs no more.
    let every_call = |after: u64| {
        let in_every_call = PerSide::new(Some(50), Some(after));
        said_beside("main;other 20", 9, &Ways { in_every_call, ..lost() }).1.is_some()
    };
    assert_eq!([every_call(190), every_call(450)], [false, true]);
}

#[test]
fn samples_on_the_ways_that_are_gone_prove_it_themselves() {
    let around_once = SampledCode { samples: 90, bytes: 100 };
    let ways = Ways { around_once, ..of_past("small:90 null:7/100/0/50") };
    let (said, part) = said_of_get(9, &ways);
    assert_eq!((&*said, part), (PROVED, None));
    // After a first call other conditions may lead to the next one.
    let unknown = PerSide::default();
    let one_after_another =
        Ways { repeats: true, is_in_no_loop: true, every_call_of_caller: unknown, ..ways };
    assert_eq!(said_of_get(9, &one_after_another), (LIKELY.to_owned(), None));
}
