//! Proofs that the conditions which still let a function return without a call cannot be why it calls more.

use pdiff_analysis::classify::{Fact, SampledCode};
use pdiff_profile::PerSide;

use crate::build::{Extra, classified_with, said, seen, steady, verdict};
use crate::fewer_ways::{LIKELY, PROVED, ways};
use crate::ways::Ways;

/// What is said of `get`, which goes on to `read` with 90 samples after, and so many before; and the proof's part of the runs.
fn said_of_get(read: u64, ways: &Ways) -> (String, Option<f64>) {
    let (steady, words) = steady();
    let of = |read: u64| format!("{steady}main;get 60\nmain;other;read 20\nmain;get;read {read}");
    // In the order of their names: get at 1000, main, other, read at 4000.
    let build = |get: u32| {
        format!(
            "main:50 {words} main>get get>read read:300 read=39 other:80 other=38 other>read get:200 get={get}"
        )
    };
    let extra = Extra { paths: Some(ways), ..Extra::default() };
    let outcome = classified_with(seen(&of(read), &build(60)), seen(&of(90), &build(61)), &extra);
    let part = verdict(&outcome, "get").evidence.iter().find_map(|evidence| match &evidence.fact {
        Fact::LeftPassed { part_pct, .. } => Some(*part_pct),
        _ => None,
    });
    (said(&outcome, "get"), part)
}

/// The way that is gone has no code; the code past the condition that is left has so many samples of its own in 100 bytes. All of the
/// function has 100 samples in 200 bytes.
fn of_past(own_past: &'static str) -> Ways {
    ways(0x4000, own_past, "null:7/100/0/50")
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
fn a_call_in_a_loop_may_be_made_more_often_in_a_run() {
    let lost = || of_past("small:0/0 null:7/100/0/50");
    assert_eq!(said_of_get(9, &Ways { repeats: true, ..lost() }), (LIKELY.to_owned(), None));
    // One call after another is at most as many as there are.
    let (said, part) = said_of_get(9, &Ways { repeats: true, is_in_no_loop: true, ..lost() });
    assert_eq!((&*said, part.is_some()), (PROVED, true));
}

#[test]
fn samples_on_the_ways_that_are_gone_prove_it_themselves() {
    let around_once = SampledCode { samples: 90, bytes: 100 };
    let ways = Ways { around_once, ..of_past("small:90 null:7/100/0/50") };
    let (said, part) = said_of_get(9, &ways);
    assert_eq!((&*said, part), (PROVED, None));
}
