//! Callers that keep some of their copies.

use pdiff_analysis::classify::{Fact, Limit};

use crate::build::{classified, seen, verdict, with_rest};

#[test]
fn a_caller_that_keeps_some_copies_counts_where_another_lost_all() {
    let flips_with = |old: &str, scan: &str| {
        let (before, after) = (
            with_rest("main;scan 60\nmain;scan;+leaf 50\nmain;sweep 60\nmain;sweep;+leaf 40"),
            with_rest(
                "main;scan 60\nmain;scan;leaf 100\nmain;sweep 60\nmain;sweep;leaf 100\nmain;sweep;+leaf 10",
            ),
        );
        let build = "main:50 work:50 main>work main>scan main>sweep ";
        let outcome = classified(
            seen(&before, &format!("{build} scan:400 scan<leaf*2 sweep:400 sweep<leaf*3 {old}")),
            seen(&after, &format!("{build} scan:200 leaf:150 {scan}")),
        );
        let flips = verdict(&outcome, "leaf").evidence.iter().filter_map(|evidence| match &evidence.fact {
            Fact::Flip { caller, sites, still, is_partial, .. } => {
                Some((caller.clone(), *sites, *still, *is_partial))
            }
            _ => None,
        });
        let mut flips: Vec<_> = flips.collect();
        flips.sort();
        flips
    };
    let flips_of = |scan: &str| flips_with("", scan);
    let (scan, sweep) = (("scan".to_owned(), 2, 0, false), ("sweep".to_owned(), 3, 1, true));
    let twice = "sweep>leaf sweep>leaf";
    assert_eq!(flips_of(&format!("scan>leaf sweep:300 sweep<leaf*1 {twice}")), [scan.clone(), sweep.clone()]);
    // Fewer calls than copies are gone, or as many copies.
    assert_eq!(flips_of("scan>leaf sweep:300 sweep<leaf*1 sweep>leaf"), std::slice::from_ref(&scan));
    assert_eq!(flips_of(&format!("scan>leaf sweep:300 sweep<leaf*3 {twice}")), [scan]);
    // No caller lost all: it counts if the function had no code of its own before.
    let alone = format!("scan<leaf*2 sweep:300 sweep<leaf*1 {twice}");
    assert_eq!(flips_of(&alone), [sweep]);
    assert_eq!(flips_with("leaf:150", &alone), []);
}

#[test]
fn samples_of_copies_that_are_left_are_not_of_those_that_are_gone() {
    let limit_of = |left: u64| {
        let before = with_rest("main;scan 60\nmain;sweep 60\nmain;sweep;+leaf 40");
        let after = with_rest(&format!(
            "main;scan 60\nmain;scan;leaf 20\nmain;sweep 60\nmain;sweep;leaf 100\nmain;sweep;+leaf {left}"
        ));
        let build = "main:50 work:50 main>work main>scan main>sweep ";
        let calls = "scan>leaf sweep:300 sweep<leaf*1 sweep>leaf sweep>leaf";
        let outcome = classified(
            seen(&before, &format!("{build} scan:400 scan<leaf*2 sweep:400 sweep<leaf*3")),
            seen(&after, &format!("{build} scan:200 leaf:150 {calls}")),
        );
        verdict(&outcome, "leaf").limited_by.clone()
    };
    assert_eq!(limit_of(1), None);
    assert!(matches!(limit_of(60), Some(Limit::LightCopies(_))), "{:?}", limit_of(60));
}
