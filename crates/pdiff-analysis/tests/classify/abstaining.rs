//! Cases where the right answer is noise, or that it cannot be said.

use pdiff_analysis::classify::{Cause, Confidence, Demands, InBuild, Judged, Limit};
use pdiff_profile::Side as Of;
use pdiff_profile::census::Visibility;

use crate::build::{
    Extra, Side, Words, classified, classified_with, described, said, seen, verdict, with_rest,
};

const BEFORE: &str = "main;work 600\nmain;run 100";
const AFTER: &str = "main;work 600\nmain;run 100\nmain;run;check 50";
const BUILD: &str = "main:50 work:50 run:200";
const BUILD_AFTER: &str = "main:50 work:50 run:200 check:90 run>check";

fn hidden(words: &str, visibility: Visibility) -> Words<'_> {
    Words { visibility, ..described(words) }
}

#[test]
fn small_changes_are_noise() {
    let outcome =
        classified(seen("main;work 600\nmain;run 100", BUILD), seen("main;work 600\nmain;run 104", BUILD));
    assert_eq!(verdict(&outcome, "run").cause, Cause::Noise);
}

/// What it says of the change is the measure that changed, not a self of which nothing is known.
#[test]
fn code_without_a_name_is_unclear_by_the_measure_that_changed() {
    let of = |leaf, own| {
        with_rest(&format!("main;[unknown] {own}\nmain;[unknown];leaf {leaf}\nmain;run;leaf {}", 300 - leaf))
    };
    let build = "main:50 work:50 run:200 leaf:100 main>run run>leaf";
    for (after, judged) in [(of(200, 10), Judged::Total), (of(20, 190), Judged::OwnSelf)] {
        let before = of(20, 10);
        let outcome = classified(seen(&before, build), seen(&after, build));
        let unnamed = outcome.verdicts.iter().find(|verdict| verdict.rule_id == "R-unresolved");
        assert_eq!(unnamed.map(|verdict| (verdict.cause, verdict.judged)), Some((Cause::Unclear, judged)));
    }
}

#[test]
fn a_stripped_build_never_makes_a_function_new() {
    for visibility in [Visibility::DynamicSymbols, Visibility::Symbols] {
        let before = Side { folded: BEFORE, build: Some(hidden(BUILD, visibility)) };
        let outcome = classified(before, seen(AFTER, BUILD_AFTER));
        assert_eq!(said(&outcome, "check"), "unclear unclear R-not-visible");
        assert_eq!(verdict(&outcome, "check").in_before, InBuild::NotVisible);
        assert_eq!(outcome.missing.len(), 1);
    }
}

#[test]
fn what_is_gone_from_a_stripped_build_may_have_been_renamed() {
    let before = Side { folded: AFTER, build: Some(hidden(BUILD_AFTER, Visibility::DynamicSymbols)) };
    let outcome = classified(before, seen(BEFORE, BUILD));
    assert_eq!(said(&outcome, "check"), "gone likely R-gone");
}

#[test]
fn without_binaries_one_sided_functions_are_unclear() {
    let outcome = classified(Side { folded: BEFORE, build: None }, Side { folded: AFTER, build: None });
    assert_eq!(said(&outcome, "check"), "unclear unclear R-not-visible");
    assert_eq!(outcome.missing.len(), 2);
}

#[test]
fn a_name_that_the_sampled_build_does_not_know_is_not_new() {
    let outcome = classified(seen(BEFORE, BUILD), seen(AFTER, BUILD));
    assert_eq!(said(&outcome, "check"), "unclear unclear R-not-visible");
}

/// GCC names a function that it inlined, also where all of its work was folded.
#[test]
fn a_function_inlined_without_an_instance_is_neither_new_nor_gone_nor_another_path() {
    let inlined = "main:50 work:50 run:200 check!";
    for (before, after) in [(inlined, BUILD_AFTER), (BUILD_AFTER, inlined)] {
        let folded = |build| if build == inlined { BEFORE } else { AFTER };
        let outcome = classified(seen(folded(before), before), seen(folded(after), after));
        assert_eq!(said(&outcome, "check"), "unclear unclear R-not-visible");
        let hidden = if before == inlined { Of::Before } else { Of::After };
        let check = verdict(&outcome, "check");
        assert_eq!(check.limited_by, Some(Limit::InlinedWithoutInstance(hidden)));
        assert_eq!(
            (check.in_build(hidden), check.in_build(hidden.other())),
            (InBuild::NotVisible, InBuild::Yes)
        );
    }
}

#[test]
fn demanded_proof_downgrades_what_has_none() {
    let after = "main;work 600\nmain;run 160";
    let sides = |folded| Side { folded, build: Some(hidden(BUILD, Visibility::Symbols)) };
    assert_eq!(said(&classified(sides(BEFORE), sides(after)), "run"), "heavier likely R-heavier");
    let extra = Extra { demands: Some(Demands::InlineProof), ..Extra::default() };
    let outcome = classified_with(sides(BEFORE), sides(after), &extra);
    assert_eq!(verdict(&outcome, "run").confidence, Confidence::Unclear);
}

#[test]
fn a_flip_in_a_caller_without_samples_explains_nothing() {
    let after = "main;work 600\nmain;run 100\nmain;leaf 60";
    let before = "main;work 600\nmain;run 100\nmain;leaf 20";
    let outcome = classified(
        seen(before, "main:50 work:50 run:200 leaf:90 cold:50 cold<leaf*1 main>leaf"),
        seen(after, "main:50 work:50 run:200 leaf:90 cold:50 cold>leaf main>leaf"),
    );
    assert_eq!(said(&outcome, "leaf"), "heavier likely R-heavier");
}

#[test]
fn a_flip_with_few_copies_does_not_explain_growth_of_what_was_out_of_line() {
    let before = "main;work 600\nmain;run 100\nmain;run;+leaf 1\nmain;leaf 40";
    let after = "main;work 600\nmain;run 100\nmain;run;leaf 1\nmain;leaf 75";
    let outcome = classified(
        seen(before, "main:50 work:50 run:200 leaf:90 run<leaf*1 main>leaf"),
        seen(after, "main:50 work:50 run:200 leaf:90 run>leaf main>leaf"),
    );
    assert_eq!(verdict(&outcome, "leaf").cause, Cause::Heavier);
}

#[test]
fn other_compilers_limit_claims_on_inlining() {
    let before = "main;work 600\nmain;scan 60\nmain;scan;+leaf 50";
    let after = "main;work 600\nmain;scan 60\nmain;scan;leaf 200";
    let old = Words { compiler: "GNU C++ 4.1.2", ..described("main:50 work:50 scan:400 scan<leaf*2") };
    let outcome = classified(
        Side { folded: before, build: Some(old) },
        seen(after, "main:50 work:50 scan:200 leaf:150 scan>leaf"),
    );
    assert_eq!(said(&outcome, "leaf"), "inline-regression likely R-inline-lost");
    assert_eq!(verdict(&outcome, "leaf").limited_by, Some(Limit::OtherCompilers));
}

#[test]
fn other_optimisation_limits_what_inlining_is_said_to_cost() {
    let before = "main;work 600\nmain;scan 60\nmain;scan;+leaf 50";
    let after = "main;work 600\nmain;scan 60\nmain;scan;leaf 200";
    let of = |flags: &str| {
        let compiler = format!("GNU C17 12.2.0 -g {flags}");
        let old =
            Words { compiler: "GNU C17 12.2.0 -g -O2", ..described("main:50 work:50 scan:400 scan<leaf*2") };
        let new = Words { compiler: &compiler, ..described("main:50 work:50 scan:200 leaf:150 scan>leaf") };
        let outcome =
            classified(Side { folded: before, build: Some(old) }, Side { folded: after, build: Some(new) });
        (said(&outcome, "leaf"), verdict(&outcome, "leaf").limited_by.clone())
    };
    let likely = ("inline-regression likely R-inline-lost".to_owned(), Some(Limit::OtherOptimisation));
    assert_eq!(of("-Os"), likely);
    assert_eq!(of("-O2 -march=native"), likely);
    assert_eq!(of("-O2 -fno-inline-small-functions").0, "inline-regression proved R-inline-lost");
}

#[test]
fn the_same_binary_on_both_sides_gives_noise_only() {
    let same = ["app".to_owned()];
    let extra = Extra { same_objects: &same, ..Extra::default() };
    let outcome = classified_with(seen(BEFORE, BUILD_AFTER), seen(AFTER, BUILD_AFTER), &extra);
    assert!(outcome.verdicts.iter().all(|verdict| verdict.cause == Cause::Noise));
}

#[test]
fn a_function_that_is_only_inlined_where_it_has_no_samples_may_have_run() {
    let (before, after) = (with_rest("main;run 100"), with_rest("main;run 100\nmain;run;+audit 50"));
    let of = |body: &str| {
        let build = format!("main:50 work:50 run:200 run<audit*1 main>run {body}");
        said(&classified(seen(&before, &build), seen(&after, &build)), "audit")
    };
    assert_eq!(of(""), "newly-active unclear R-newly-active");
    assert_eq!(of("audit:80 main>audit"), "newly-active likely R-newly-active");
}
