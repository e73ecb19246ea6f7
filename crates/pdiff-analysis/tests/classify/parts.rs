//! Causes of the parts of a change, which follow the verdicts on the functions inside them.

use pdiff_analysis::classify::{CallCounts, Cause, Confidence, Limit, PartLimit, finding_causes};
use pdiff_analysis::{FindingKind, FindingSide};
use pdiff_profile::Weight;

use crate::build::{Extra, Side, judged, said, seen, steady};

const BEFORE: &str = "main;work 600\nmain;load 60\nmain;load;copy 60\nmain;store 100";
const AFTER: &str = "main;work 600\nmain;load 60\nmain;load;copy 60\nmain;store 100\nmain;store;copy 80";
const BUILD: &str = "main:50 work:50 load:90 store:90 copy:300 load>copy store>copy main>load main>store";

/// The parts by name, each with its cause, its confidence, and why it is no more certain.
fn parts(before: Side<'_>, after: Side<'_>) -> Vec<(String, Cause, Confidence, Option<PartLimit>)> {
    let (comparison, outcome) = judged(before, after, &Extra::default());
    let causes = finding_causes(&comparison.findings, &outcome);
    let part = |(finding, of): (&pdiff_analysis::Finding, pdiff_analysis::classify::FindingCause)| {
        (finding.name.clone(), of.cause, of.confidence, of.limited_by)
    };
    comparison.findings.list.iter().zip(causes).map(part).collect()
}

#[test]
fn a_call_of_a_function_that_ran_elsewhere_before_is_not_newly_active() {
    let (mut comparison, outcome) = judged(seen(BEFORE, BUILD), seen(AFTER, BUILD), &Extra::default());
    let part = &mut comparison.findings.list[0];
    assert_eq!(part.name, "copy");
    // The part of the calls that store makes, which had no sample.
    part.name = "store -> copy".to_owned();
    part.before = FindingSide { weight: Weight(0), samples: 0, pct: 0.0, per_op: None, ..part.before };
    let of = &finding_causes(&comparison.findings, &outcome)[0];
    assert_eq!((of.cause, of.confidence), (Cause::Heavier, Confidence::Likely));
}

#[test]
fn a_function_that_costs_more_as_a_whole_has_left_a_place_for_another() {
    let (mut comparison, mut outcome) = judged(seen(BEFORE, BUILD), seen(AFTER, BUILD), &Extra::default());
    let part = &mut comparison.findings.list[0];
    part.name = "load -> copy".to_owned();
    part.before = FindingSide { per_op: None, ..part.after };
    part.after = FindingSide { weight: Weight(0), samples: 0, pct: 0.0, per_op: None, ..part.before };
    let verdict = outcome.verdicts.iter_mut().find(|verdict| verdict.function == "copy").unwrap();
    (verdict.cause, verdict.confidence, verdict.limited_by) = (Cause::MoreCalls, Confidence::Proved, None);
    let said = |outcome: &_| {
        let of = finding_causes(&comparison.findings, outcome).remove(0);
        (of.cause, of.confidence, of.limited_by)
    };
    assert_eq!(said(&outcome), (Cause::Lighter, Confidence::Likely, Some(PartLimit::MoreElsewhere)));
}

#[test]
fn a_part_whose_functions_have_no_known_cause_is_unclear() {
    let (mut comparison, mut outcome) = judged(seen(BEFORE, BUILD), seen(AFTER, BUILD), &Extra::default());
    let part = &mut comparison.findings.list[0];
    part.name = "store".to_owned();
    part.before = FindingSide { pct: 0.5 * part.after.pct, per_op: None, ..part.before };
    let cause = |comparison: &pdiff_analysis::Comparison, outcome: &_| {
        let of = &finding_causes(&comparison.findings, outcome)[0];
        (of.cause, of.confidence, of.limited_by.clone())
    };
    outcome.verdicts.iter_mut().for_each(|verdict| verdict.cause = Cause::Moved);
    let limit = Some(PartLimit::NoMainCause);
    assert_eq!(cause(&comparison, &outcome), (Cause::Heavier, Confidence::Likely, limit));
    outcome.verdicts.iter_mut().for_each(|verdict| verdict.cause = Cause::Noise);
    let limit = Some(PartLimit::MainIsNoise);
    assert_eq!(cause(&comparison, &outcome), (Cause::Heavier, Confidence::Unclear, limit));
}

#[test]
fn a_part_of_the_same_source_was_compiled_to_other_code() {
    let (mut comparison, mut outcome) = judged(seen(BEFORE, BUILD), seen(AFTER, BUILD), &Extra::default());
    let part = &mut comparison.findings.list[0];
    part.name = "store".to_owned();
    part.before = FindingSide { pct: 0.5 * part.after.pct, per_op: None, ..part.before };
    let object = part.object.clone();
    let cause = |comparison: &pdiff_analysis::Comparison, outcome: &_| {
        let of = &finding_causes(&comparison.findings, outcome)[0];
        (of.cause, of.confidence, of.limited_by.clone())
    };
    outcome.verdicts.iter_mut().for_each(|verdict| verdict.cause = Cause::Noise);
    let limit = Some(PartLimit::MainIsNoise);
    assert_eq!(cause(&comparison, &outcome), (Cause::Heavier, Confidence::Unclear, limit));
    outcome.rebuilt = vec![object];
    let compiled = (Cause::CodeQuality, Confidence::Likely, Some(PartLimit::SameSource));
    assert_eq!(cause(&comparison, &outcome), compiled);
    // Only one run has samples of it.
    comparison.findings.list[0].before =
        FindingSide { samples: 0, pct: 0.0, ..comparison.findings.list[0].before };
    assert_eq!(cause(&comparison, &outcome), compiled);
    // A library is the same file, and a change of inlining is known.
    comparison.findings.list[0].object = "libc.so".to_owned();
    assert_ne!(cause(&comparison, &outcome).0, Cause::CodeQuality);
}

/// Inlining that costs nothing is no cause of a part that costs more.
#[test]
fn a_part_that_is_inlined_now_and_costs_more_is_heavier() {
    let before = "main;work 600\nmain;load 60\nmain;load;copy 60";
    let after = "main;work 600\nmain;load 60\nmain;load;+copy 260";
    let [called, inlined] = ["copy:300 load>copy", "load<copy*1"]
        .map(|copy| format!("main:50 work:50 load:90 main>load main>work {copy}"));
    let found = parts(seen(before, &called), seen(after, &inlined));
    let copy = found.iter().find(|of| of.0 == "copy").map(|of| of.1);
    assert_eq!(copy, Some(Cause::Heavier), "{found:?}");
    let (_, outcome) = judged(seen(before, &called), seen(after, &inlined), &Extra::default());
    let copy = outcome.verdicts.iter().find(|verdict| verdict.function == "copy").map(|of| of.cause);
    assert_eq!(copy, Some(Cause::InlineChange), "what is inlined is a fact");
}

#[test]
fn a_part_that_nothing_ran_before_is_newly_active() {
    let before = "main;work 600\nmain;store 100";
    let after = "main;work 600\nmain;store 100\nmain;store;copy 80";
    let found = parts(seen(before, BUILD), seen(after, BUILD));
    assert_eq!(found.iter().map(|of| of.1).collect::<Vec<_>>(), [Cause::NewlyActive], "{found:?}");
}

#[test]
fn a_part_without_samples_before_is_likely_new_where_no_binary_was_given() {
    let none = |folded| Side { folded, build: None };
    let before = "main;work 600\nmain;store 100";
    let after = "main;work 600\nmain;store 100\nmain;store;poll 90\nmain;store;poll;test 80";
    let found = parts(none(before), none(after));
    let (name, cause, confidence, _) = &found[0];
    assert_eq!(
        (name.as_str(), *cause, *confidence),
        ("store -> poll", Cause::NewOverhead, Confidence::Likely)
    );
}

#[test]
fn a_part_that_costs_more_is_not_lighter_where_its_functions_are_lighter_elsewhere() {
    let (mut comparison, outcome) = judged(seen(AFTER, BUILD), seen(BEFORE, BUILD), &Extra::default());
    let part = &mut comparison.findings.list[0];
    assert_eq!((part.name.as_str(), outcome.verdicts[0].cause), ("copy", Cause::Lighter));
    // Another caller's part of it, which grew.
    std::mem::swap(&mut part.before, &mut part.after);
    part.members.iter_mut().for_each(|member| std::mem::swap(&mut member.before, &mut member.after));
    let of = &finding_causes(&comparison.findings, &outcome)[0];
    assert_eq!((of.cause, of.confidence), (Cause::Heavier, Confidence::Likely));
}

#[test]
fn a_part_with_new_code_in_it_is_new_overhead_only_if_that_is_proved() {
    let before = "main;work 600\nmain;store 100";
    let after = "main;work 600\nmain;store 100\nmain;store;audit 80";
    let build = format!("{BUILD} audit:300 store>audit");
    let (mut comparison, mut outcome) = judged(seen(before, BUILD), seen(after, &build), &Extra::default());
    // Together with something that the before run had too.
    let part = &mut comparison.findings.list[0];
    part.name = "store -> audit".to_owned();
    part.before = FindingSide { pct: 0.3 * part.after.pct, per_op: None, ..part.before };
    let cause = |comparison: &pdiff_analysis::Comparison, outcome: &_| {
        let of = &finding_causes(&comparison.findings, outcome)[0];
        (of.cause, of.confidence)
    };
    assert_eq!(cause(&comparison, &outcome), (Cause::NewOverhead, Confidence::Proved));
    let audit = outcome.verdicts.iter_mut().find(|verdict| verdict.function == "audit").unwrap();
    audit.confidence = Confidence::Likely;
    assert_eq!(cause(&comparison, &outcome), (Cause::Heavier, Confidence::Likely));
}

#[test]
fn a_part_named_by_the_name_of_the_other_build_is_judged_by_the_verdict_on_both() {
    let (mut comparison, mut outcome) = judged(seen(AFTER, BUILD), seen(BEFORE, BUILD), &Extra::default());
    let part = &mut comparison.findings.list[0];
    part.name = "store -> duplicate".to_owned();
    part.after = FindingSide { weight: Weight(0), samples: 0, pct: 0.0, per_op: None, ..part.after };
    let cause = |comparison: &pdiff_analysis::Comparison, outcome: &_| {
        finding_causes(&comparison.findings, outcome)[0].cause
    };
    assert_eq!(cause(&comparison, &outcome), Cause::Gone);
    let copy = outcome.verdicts.iter_mut().find(|verdict| verdict.function == "copy").unwrap();
    copy.other_name = Some((pdiff_profile::Side::Before, "duplicate".to_owned()));
    assert_eq!(cause(&comparison, &outcome), Cause::Lighter);
}

#[test]
fn a_part_of_a_function_that_runs_more_under_others_has_their_cause() {
    let before =
        "main;work 600\nmain;get 50\nmain;get;read 1\nmain;put 50\nmain;put;read 1\nmain;other;read 3";
    let after =
        "main;work 600\nmain;get 50\nmain;get;read 60\nmain;put 50\nmain;put;read 60\nmain;other;read 3";
    let build = |hash: u32| {
        format!(
            "main:50 work:50 work=1 main>get main>put main>other other:70 other=2 get>read put>read other>read read:300 read=9 \
             get:200 get={hash} put:210 put=3{hash}"
        )
    };
    let found = parts(seen(before, &build(1)), seen(after, &build(2)));
    let (name, cause, confidence, _) = &found[0];
    assert_eq!(
        (name.as_str(), *cause, *confidence),
        ("read", Cause::MissingFastPath, Confidence::Likely),
        "{found:?}"
    );
}

#[test]
fn code_without_names_is_not_new_where_the_other_side_has_none() {
    let (mut comparison, outcome) = judged(seen(BEFORE, BUILD), seen(AFTER, BUILD), &Extra::default());
    let part = &mut comparison.findings.list[0];
    (part.kind, part.name) = (FindingKind::Unresolved, "[unresolved]".to_owned());
    part.before = FindingSide { weight: Weight(0), samples: 0, pct: 0.0, per_op: None, ..part.before };
    let of = &finding_causes(&comparison.findings, &outcome)[0];
    let unclear = (Cause::Unclear, Confidence::Unclear, Some(PartLimit::NoNames));
    assert_eq!((of.cause, of.confidence, of.limited_by.clone()), unclear);
}

#[test]
fn a_part_is_proved_only_where_its_own_function_is() {
    let (mut comparison, mut outcome) = judged(seen(BEFORE, BUILD), seen(AFTER, BUILD), &Extra::default());
    let part = &mut comparison.findings.list[0];
    let [inside, named] = [part.members[0].name.clone(), "store".to_owned()];
    part.name = named.clone();
    part.before = FindingSide { pct: 0.5 * part.after.pct, per_op: None, ..part.before };
    for verdict in &mut outcome.verdicts {
        let is_inside = verdict.function == inside;
        verdict.cause = if is_inside { Cause::MoreCalls } else { Cause::Noise };
        verdict.confidence = Confidence::Proved;
    }
    let of = |outcome: &_| {
        let of = finding_causes(&comparison.findings, outcome)[0].clone();
        (of.cause, of.confidence, of.limited_by.clone())
    };
    let limit = Some(PartLimit::ProvedInside);
    assert_eq!(of(&outcome), (Cause::MoreCalls, Confidence::Likely, limit));
    let own = outcome.verdicts.iter_mut().find(|verdict| verdict.function == named).unwrap();
    own.cause = Cause::MoreCalls;
    assert_eq!(of(&outcome), (Cause::MoreCalls, Confidence::Proved, None));
    // What is below it is part of that finding, though no more than likely by itself.
    let below = outcome.verdicts.iter_mut().find(|verdict| verdict.function == inside).unwrap();
    below.confidence = Confidence::Likely;
    assert_eq!(of(&outcome), (Cause::MoreCalls, Confidence::Proved, None));
}

#[test]
fn a_part_has_the_cause_of_what_its_function_calls_more_where_that_is_most_of_it() {
    let (steady, words) = steady();
    let build = |read: &str| {
        format!(
            "main:50 {words} main>scan main>read read:400 {read} scan:300 scan=70 compare:90 compare=5 scan>compare parse:300 \
             parse=50 parse>compare free:90 free=8 read>free"
        )
    };
    let of = |scan: u64, times: u64| {
        let (parse, compare, free) = (30 * times, 50 * times, 40 * times);
        format!(
            "{steady}main;scan;compare {scan}\nmain;read 40\nmain;read;parse {parse}\nmain;read;parse;compare {compare}\n\
             main;read;free {free}"
        )
    };
    let (once, twice) = (build("read=60 read>parse"), build("read=61 read>parse read>parse"));
    let cause = |after: &str| {
        let parts = parts(seen(&of(900, 1), &once), seen(&of(850, 2), after));
        let of_read = parts.into_iter().find(|(name, ..)| name == "read");
        of_read.map(|(_, cause, confidence, _)| (cause, confidence))
    };
    // What most of it is costs no more in the whole program.
    assert_eq!(cause(&twice), Some((Cause::MoreCalls, Confidence::Likely)));
    assert_eq!(cause(&once), Some((Cause::Heavier, Confidence::Likely)));
    // What it calls more is a part of its own.
    let (mut comparison, mut outcome) =
        judged(seen(&of(900, 1), &once), seen(&of(850, 2), &twice), &Extra::default());
    for verdict in outcome.verdicts.iter_mut().filter(|of| ["read", "free"].contains(&&*of.function)) {
        (verdict.cause, verdict.confidence) = (Cause::Noise, Confidence::Unclear);
    }
    let at = comparison.findings.list.iter().position(|finding| finding.name == "read").unwrap();
    let cause =
        |comparison: &pdiff_analysis::Comparison| finding_causes(&comparison.findings, &outcome)[at].cause;
    assert_eq!(cause(&comparison), Cause::MoreCalls);
    let read = comparison.findings.list[at].clone();
    comparison.findings.list.push(pdiff_analysis::Finding { rank: 100, name: "parse".to_owned(), ..read });
    assert_eq!(cause(&comparison), Cause::Heavier);
}

#[test]
fn a_part_tells_the_function_inside_that_most_of_it_is() {
    let build = |put: &str| {
        format!(
            "main:50 work:50 main>work main>serve serve:200 serve>get get:90 get=7 {put} read:90 read=8 get>read"
        )
    };
    let of = |put: &str, own: u64| {
        format!("main;work 600\nmain;serve {own}\nmain;serve;get 60\nmain;serve;get;read 40\n{put}")
    };
    let inside_if = |put: &str, name: &str, limit: Option<Limit>| {
        let (old, new) = (build("serve=1"), build("serve=2 put:300 put=9 serve>put deep:90 deep=6 put>deep"));
        let (mut comparison, mut outcome) =
            judged(seen(&of("", 40), &old), seen(&of(put, 70), &new), &Extra::default());
        for verdict in outcome.verdicts.iter_mut().filter(|of| limit.is_some() && of.function == "put") {
            verdict.limited_by.clone_from(&limit);
        }
        let part = &mut comparison.findings.list[0];
        (part.kind, part.name) = (FindingKind::Region, name.to_owned());
        part.before = FindingSide { pct: 0.5 * part.after.pct, per_op: None, ..part.before };
        let of = finding_causes(&comparison.findings, &outcome).remove(0);
        (of.inside.map(|inside| (inside.function, inside.cause)), of.limited_by)
    };
    let inside = |put: &str, name: &str| inside_if(put, name, None);
    let put = Some(("put".to_owned(), Cause::NewOverhead));
    assert_eq!(inside("main;serve;put 50", "serve"), (put.clone(), None));
    // The function that names the part has no cause of its own.
    assert_eq!(inside("main;serve;put 50", "work"), (put.clone(), Some(PartLimit::CauseInside)));
    // What new code calls is its cost, too.
    let with_callee = "main;serve;put 35\nmain;serve;put;deep 60";
    assert_eq!(inside(with_callee, "work").0, Some(("put".to_owned(), Cause::NewOverhead)));
    assert_eq!(inside_if(with_callee, "work", Some(Limit::NoOwnBody(pdiff_profile::Side::After))).0, put);
    // It may be a part of its caller, which called that before, or what it calls ran before.
    for limit in [Limit::LosingKin, Limit::InCallees] {
        let deep = Some(("deep".to_owned(), Cause::NewOverhead));
        assert_eq!(inside_if(with_callee, "work", Some(limit)).0, deep);
    }
    assert_eq!(inside("main;serve 20\nmain;work;put 1", "serve").0, None);
}

/// A build in which `get`, whose code has this hash, and `other` read, and what is read is parsed.
fn reading(words: &str, get: u32) -> String {
    format!(
        "main:50 {words} main>get get>read read>parse read:300 read=39 parse:200 parse=37 other:80 other=38 other>read \
         get:200 get={get}"
    )
}

#[test]
fn a_part_under_another_name_begins_in_the_function_that_calls_more() {
    let (steady, words) = steady();
    let before = format!("{steady}main;get 60\nmain;other;read 20\nmain;other;read;parse 20");
    let after = format!("{before}\nmain;get;read 80\nmain;get;read;parse 40");
    let build = |get: u32| reading(&words, get);
    let (mut comparison, outcome) =
        judged(seen(&before, &build(60)), seen(&after, &build(61)), &Extra::default());
    let origin = |comparison: &pdiff_analysis::Comparison, outcome: &_| {
        let of = finding_causes(&comparison.findings, outcome).remove(0).origin?;
        Some((of.function, of.cause, of.confidence))
    };
    comparison.findings.list[0].name = "sorter".to_owned();
    let get = Some(("get".to_owned(), Cause::MissingFastPath, Confidence::Likely));
    assert_eq!(origin(&comparison, &outcome), get);
    // It names the part itself, or less than half of the part is called by it.
    comparison.findings.list[0].name = "get".to_owned();
    assert_eq!(origin(&comparison, &outcome), None);
    comparison.findings.list[0].name = "sorter".to_owned();
    comparison.findings.list[0].after.pct *= 5.0;
    assert_eq!(origin(&comparison, &outcome), None);
}

#[test]
fn what_counts_show_to_be_called_more_on_a_lost_fast_path_is_on_that_path() {
    let (steady, words) = steady();
    let before = format!("{steady}main;get 60\nmain;other;read 20\nmain;other;read;parse 20");
    let after = format!("{before}\nmain;get;read 30\nmain;get;read;parse 90");
    let build = |get: u32| reading(&words, get);
    let said = |of_read: &str| {
        let calls = format!("get\t9\t9\nother\t9\t9\nparse\t9\t45\nread -> parse\t9\t45\n{of_read}");
        let extra = Extra { counts: Some(CallCounts::parse(&calls).unwrap()), ..Extra::default() };
        let (mut comparison, outcome) = judged(seen(&before, &build(60)), seen(&after, &build(61)), &extra);
        let verdict = outcome.verdicts.iter().find(|verdict| verdict.function == "parse").unwrap();
        assert_eq!((verdict.cause, verdict.confidence), (Cause::MoreCalls, Confidence::Proved));
        comparison.findings.list[0].name = "sorter".to_owned();
        let of = finding_causes(&comparison.findings, &outcome).remove(0);
        (of.cause, of.confidence, of.origin.map(|origin| (origin.function, origin.cause)))
    };
    let get = Some(("get".to_owned(), Cause::MissingFastPath));
    let of_get = said("read\t9\t45\nget -> read\t0\t36\nother -> read\t9\t9\n");
    assert_eq!(of_get, (Cause::MissingFastPath, Confidence::Likely, get));
}

#[test]
fn a_part_has_the_cause_of_its_own_function_where_those_inside_have_none() {
    let heavier = (Cause::Heavier, Confidence::Unclear);
    let cause = |name: &str, of: (Cause, Confidence), inside: (Cause, Confidence)| {
        let (mut comparison, mut outcome) =
            judged(seen(BEFORE, BUILD), seen(AFTER, BUILD), &Extra::default());
        let part = &mut comparison.findings.list[0];
        part.name = name.to_owned();
        part.before = FindingSide { pct: 0.5 * part.after.pct, per_op: None, ..part.before };
        for verdict in &mut outcome.verdicts {
            (verdict.cause, verdict.confidence) = match verdict.function.as_str() {
                "store" => of,
                _ => inside,
            };
        }
        let of = &finding_causes(&comparison.findings, &outcome)[0];
        (of.cause, of.confidence)
    };
    let (lost, unclear) = (Cause::MissingFastPath, (Cause::MissingFastPath, Confidence::Unclear));
    let lost = (lost, Confidence::Likely);
    assert_eq!(cause("store", lost, heavier), lost);
    assert_eq!(cause("store", unclear, heavier), heavier);
    assert_eq!(cause("store", (Cause::Consequence, Confidence::Likely), heavier), heavier);
    assert_eq!(cause("load", lost, heavier), heavier);
    // What is called more inside is what it goes on to; what is new there is not.
    let called_more = (Cause::MoreCalls, Confidence::Proved);
    assert_eq!(cause("store", lost, called_more), lost);
    assert_eq!(cause("store", unclear, called_more), (Cause::MoreCalls, Confidence::Likely));
    let regression = (Cause::InlineRegression, Confidence::Likely);
    assert_eq!(cause("store", lost, regression), regression);
}

#[test]
fn new_code_is_the_cause_of_a_part_that_costs_more_by_it_alone() {
    let before = "main;work 600\nmain;store 100\nmain;store;copy 60";
    let after =
        "main;work 600\nmain;store 100\nmain;store;copy 60\nmain;store;audit 80\nmain;store;audit;copy 9";
    let (mut comparison, outcome) = judged(
        seen(before, BUILD),
        seen(after, &format!("{BUILD} audit:300 store>audit")),
        &Extra::default(),
    );
    let audit = outcome.verdicts.iter().find(|verdict| verdict.function == "audit").unwrap();
    assert_eq!((audit.cause, audit.confidence), (Cause::NewOverhead, Confidence::Proved));
    let part = &mut comparison.findings.list[0];
    part.name = "store".to_owned();
    let new = part.members.iter().position(|member| member.name == "audit").unwrap();
    let new = part.members.remove(new);
    let grown = new.after.pct - new.before.pct;
    part.members = vec![new];
    part.after.pct = 3.0 * grown;
    part.before = part.after;
    // The part costs so much more.
    let mut cause_of = |times: f64| {
        let part = &mut comparison.findings.list[0];
        part.before.pct = part.after.pct - times * grown;
        let of = &finding_causes(&comparison.findings, &outcome)[0];
        (of.cause, of.confidence)
    };
    assert_eq!(cause_of(1.1), (Cause::NewOverhead, Confidence::Likely));
    // Something else costs less for it.
    assert_eq!(cause_of(0.7).0, Cause::Heavier);
}

#[test]
fn what_a_caller_costs_more_that_a_callee_left_is_part_of_that_cause() {
    let (steady, words) = steady();
    let build = |run: &str| format!("main:50 {words} main>run run:300 leaf:200 {run}");
    let (copied, called) = (build("run<leaf*1 run=60"), build("run>leaf run=61"));
    let of = |own: u64, leaf: &str| format!("{steady}main;run {own}\nmain;run;{leaf}");
    let cause = |own: u64| {
        let (before, after) = (of(300, "+leaf 300"), of(own, "leaf 460"));
        let (comparison, outcome) = judged(seen(&before, &copied), seen(&after, &called), &Extra::default());
        let of_functions = ["run", "leaf"].map(|name| said(&outcome, name));
        let causes = finding_causes(&comparison.findings, &outcome);
        let part = comparison.findings.list.iter().position(|part| part.function() == "run");
        (of_functions, part.map(|at| (causes[at].cause, causes[at].confidence)))
    };
    let (of_functions, part) = cause(740);
    assert_eq!(of_functions, ["heavier likely R-heavier", "inline-regression proved R-inline-lost"]);
    assert_eq!(part, Some((Cause::InlineRegression, Confidence::Likely)));
    // It costs more than the calls can: it does more itself.
    let (of_functions, part) = cause(1200);
    assert_eq!(of_functions[0], "heavier likely R-heavier");
    assert_eq!(part.map(|part| part.0), Some(Cause::Heavier));
}
