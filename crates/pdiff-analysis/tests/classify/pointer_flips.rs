//! Functions that one build inlines and the other calls through pointers.

use pdiff_analysis::classify::{CallsThere, Classification, Fact, Limit};

use crate::build::{Extra, classified_with, said, seen, verdict, with_rest};

const BUILD: &str = "main:50 work:50 main>work main>scan ";

#[test]
fn a_function_that_is_called_through_a_pointer_where_it_was_inlined_is_inlined_no_more() {
    let called = format!("{BUILD} leaf:90 drop:60 drop>leaf main>drop");
    let (inlined, through_pointer) =
        (format!("{called} scan:400 scan<leaf*2"), format!("{BUILD} scan:200 leaf:150 drop:60"));
    let (copies, calls) = ("main;scan 60\nmain;scan;+leaf 50", "main;scan 60\nmain;scan;leaf 200");
    let of = |(before, old): (&str, &str), (after, new): (&str, &str), places: [u32; 2]| {
        let pointer_places = &[("scan", "leaf", places)][..];
        let extra = Extra { pointer_places, ..Extra::default() };
        classified_with(seen(&with_rest(before), old), seen(&with_rest(after), new), &extra)
    };
    let told = of((copies, &inlined), (calls, &through_pointer), [0, 1]);
    assert_eq!(said(&told, "leaf"), "inline-regression proved R-inline-lost");
    let is_told = |fact: &Fact| matches!(fact, Fact::Flip { calls_there: CallsThere::ThroughPointers, .. });
    let evidence = &verdict(&told, "leaf").evidence;
    assert!(evidence.iter().any(|evidence| is_told(&evidence.fact)), "{evidence:?}");
    // The other way round.
    let gained = of((calls, &through_pointer), (copies, &inlined), [1, 0]);
    assert_eq!(said(&gained, "leaf"), "inline-gain proved R-inline-gained");

    let is_lost = |outcome: &Classification| verdict(outcome, "leaf").rule_id == "R-inline-lost";
    let of_after = |words: &str, places: [u32; 2]| {
        of((copies, &inlined), (calls, &format!("{through_pointer} {words}")), places)
    };
    // A function in between may have lost its frame; copies elsewhere.
    assert!(!is_lost(&of_after("drop>leaf", [0, 1])));
    assert!(!is_lost(&of_after("drop<leaf*1", [0, 1])));
    // It calls itself, which says nothing about others.
    assert!(is_lost(&of_after("leaf>leaf", [0, 1])));
    // No return address shows the call; then what calls it may be a library without frames, if the caller calls one.
    assert_eq!(said(&of_after("", [0, 0]), "leaf"), "inline-regression likely R-inline-lost");
    assert_eq!(verdict(&of_after("", [0, 0]), "leaf").limited_by, Some(Limit::LostCaller));
    assert!(is_lost(&of_after("scan>qsort@plt", [0, 1])));
    assert!(!is_lost(&of_after("scan>qsort@plt", [0, 0])));
    // It was called as well: in the code, or by samples of its own code.
    assert!(!is_lost(&of((copies, &format!("{inlined} scan>leaf")), (calls, &through_pointer), [0, 1])));
    let (both, more) =
        ("main;scan 60\nmain;scan;+leaf 50\nmain;scan;leaf 40", "main;scan 60\nmain;scan;leaf 300");
    assert!(!is_lost(&of((both, &inlined), (more, &through_pointer), [1, 1])));
    // Another caller has the calls through pointers.
    let extra = Extra { pointer_places: &[("drop", "leaf", [0, 1])], ..Extra::default() };
    let by_other = with_rest("main;scan 60\nmain;drop;leaf 200");
    let by_other = seen(&by_other, &through_pointer);
    assert!(!is_lost(&classified_with(seen(&with_rest(copies), &inlined), by_other, &extra)));
    // Another overload is called.
    let overloads = |of: &str| of.replace("leaf", "leaf%1") + " leaf%2:80 scan>leaf%2";
    let (old, new) = (overloads(&inlined), overloads(&through_pointer));
    assert!(!is_lost(&of((copies, &old), (calls, &new), [0, 1])));
    // No code was read for calls.
    assert!(!is_lost(&of((copies, &inlined), (calls, "main:50 work:50 scan:200 leaf:150"), [0, 1])));
}

/// Stacks and builds of two sides, and from how many places the callers call `leaf` through a pointer.
fn outcome(
    (before, old): (&str, &str),
    (after, new): (&str, &str),
    pointer_places: &[(&str, &str, [u32; 2])],
) -> Classification {
    let extra = Extra { pointer_places, ..Extra::default() };
    classified_with(seen(&with_rest(before), old), seen(&with_rest(after), new), &extra)
}

#[test]
fn a_call_through_a_pointer_that_few_samples_show_proves_nothing() {
    let old = format!("{BUILD} scan:400 scan<leaf*2 leaf:90 drop:60 drop>leaf main>drop");
    let new = format!("{BUILD} scan:200 leaf:150 drop:60");
    let of = |by_scan: u32, by_drop: u32| {
        let after = format!("main;scan 60\nmain;scan;leaf {by_scan}\nmain;drop;leaf {by_drop}");
        let places = &[("scan", "leaf", [0, 1])];
        outcome(("main;scan 60\nmain;scan;+leaf 50", &old), (&after, &new), places)
    };
    assert_eq!(said(&of(190, 10), "leaf"), "inline-regression proved R-inline-lost");
    let few = of(10, 190);
    assert_eq!(verdict(&few, "leaf").limited_by, Some(Limit::LostCaller));
    assert_ne!(said(&few, "scan"), "inline-change proved R-inline-lost-caller");
}

#[test]
fn a_caller_that_is_known_and_a_call_that_is_seen_must_be_of_one_function() {
    let of = |name: &str| {
        let old = format!("{BUILD} scan:400 scan=21 scan<leaf*2 leaf:90 drop:60 drop<leaf*1 main>drop");
        let new = BUILD.replace("scan", name) + &format!("{name}:400 {name}=21 leaf:150 drop:60 main>drop");
        let before = "main;scan 60\nmain;scan;+leaf 40\nmain;drop 30\nmain;drop;+leaf 10";
        let after = format!("main;{name} 60\nmain;{name};leaf 160\nmain;drop 30\nmain;drop;leaf 40");
        outcome((before, &old), (&after, &new), &[(name, "leaf", [0, 1])])
    };
    assert_eq!(said(&of("scan"), "leaf"), "inline-regression proved R-inline-lost");
    let renamed = of("scan_all");
    assert_eq!(said(&renamed, "leaf"), "inline-regression likely R-inline-lost");
    assert_eq!(verdict(&renamed, "leaf").limited_by, Some(Limit::NoNamedCaller));
}

#[test]
fn a_caller_is_known_to_call_what_it_contained_only_by_its_own_calls() {
    // `drop` calls the function in its code, `scan` through a pointer, which no return address shows.
    let of = |word: &str| {
        let old = format!("{BUILD} main>drop scan:400 scan<leaf*2 drop:90 drop<leaf*1");
        let new = format!("{BUILD} main>drop scan:200 drop:60 leaf:150 leaf=3 {word}");
        let before = "main;scan 60\nmain;scan;+leaf 100\nmain;drop 60\nmain;drop;+leaf 100";
        let after = "main;scan 60\nmain;scan;leaf 100\nmain;drop 60\nmain;drop;leaf 100";
        outcome((before, &format!("{old} leaf:90 tail:60 tail>leaf")), (after, &new), &[])
    };
    let both = of("scan>leaf drop>leaf");
    assert_eq!(said(&both, "scan"), "inline-change proved R-inline-lost-caller");
    assert_eq!(said(&both, "drop"), "inline-change proved R-inline-lost-caller");
    let neither = of("");
    assert_eq!(said(&neither, "scan"), "inline-change likely R-inline-lost-caller");
    assert_eq!(verdict(&neither, "drop").limited_by, Some(Limit::LostCaller));
}

#[test]
fn what_was_only_inlined_and_is_called_by_others_through_pointers_cost_its_old_callers_nothing() {
    let old = format!("{BUILD} scan:400 scan<leaf*2 drop:60 main>drop");
    let new = format!("{BUILD} scan:200 leaf:150 drop:60 main>drop");
    let (before, places) = ("main;scan 60\nmain;scan;+leaf 50", &[("drop", "leaf", [0, 1])]);
    let by_other = outcome((before, &old), ("main;scan 60\nmain;drop;leaf 200", &new), places);
    assert_eq!(said(&by_other, "leaf"), "inline-change proved R-inline-change");
    assert_eq!(said(&by_other, "scan"), "inline-change proved R-inline-lost-caller");
    let places = &[("scan", "leaf", [0, 1])];
    let by_itself = outcome((before, &old), ("main;scan 60\nmain;scan;leaf 200", &new), places);
    assert_eq!(said(&by_itself, "leaf"), "inline-regression proved R-inline-lost");
}

#[test]
fn callers_of_which_debug_information_tells_nothing_may_contain_copies_still() {
    let old = format!("{BUILD} scan:400 scan<leaf*2 leaf:90 drop:60 drop>leaf main>drop");
    let new = format!("{BUILD} scan:200 leaf:150 drop:60");
    let of = |new: &str| {
        let places = &[("scan", "leaf", [0, 1])];
        let stacks = ("main;scan 60\nmain;scan;+leaf 50", "main;scan 60\nmain;scan;leaf 200");
        said(&outcome((stacks.0, &old), (stacks.1, new), places), "leaf")
    };
    assert_eq!(of(&new), "inline-regression proved R-inline-lost");
    assert!(!of(&format!("{new} scan?")).contains("inline"));
    assert!(!of(&format!("{new} ?")).contains("inline"));
}

#[test]
fn a_function_of_which_the_compiler_calls_a_part_where_it_was_inlined_is_inlined_no_more() {
    let before = with_rest("main;scan 60\nmain;scan;+leaf 50");
    let after = with_rest("main;scan 60\nmain;scan;+leaf 10\nmain;scan;leaf 190");
    let inlined = format!("{BUILD} scan:400 scan<leaf*8");
    let of = |old: &str, words: &str| {
        let new = format!("{BUILD} scan:300 scan<leaf*4 leaf:150 {words}");
        let extra = Extra::default();
        said(&classified_with(seen(&before, old), seen(&after, &new), &extra), "leaf")
    };
    assert_eq!(of(&inlined, "leaf| scan>leaf"), "inline-regression proved R-inline-lost");
    // It is the function as a whole that is called there, or somebody else calls the part, or it was called before as well.
    let proved = |old: &str, words: &str| of(old, words).contains("proved");
    assert!(!proved(&inlined, "scan>leaf"));
    assert!(!proved(&inlined, "leaf| drop:60 main>drop drop>leaf"));
    assert!(!proved(&format!("{inlined} leaf:150 scan>leaf"), "leaf| scan>leaf"));
}
