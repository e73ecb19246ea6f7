//! Tests of the comparison: two small builds in, a change and its confirmed callers out.

use pdiff_profile::ObjectAddr;
use pdiff_profile::census::{
    Body, CallEdge, Census, CensusBuilder, EdgeSource, FunctionFacts, FunctionId, InlineSite, Visibility,
};
use rustc_hash::FxHashMap;

use super::{Change, compare_inlines};
use crate::Aliases;
use crate::matching::match_functions;

/// A build from words: `f:100` is a body of 100 bytes, `f>g` a call, `f<g*2` two copies of `g` in `f`.
fn build(words: &str) -> Census {
    build_seen(words, Visibility::DebugInfo)
}

fn build_seen(words: &str, visibility: Visibility) -> Census {
    let mut builder = CensusBuilder::new(visibility);
    let mut ids: FxHashMap<String, FunctionId> = FxHashMap::default();
    let mut id = |builder: &mut CensusBuilder, name: &str| {
        *ids.entry(name.to_owned()).or_insert_with(|| {
            let name = builder.text(name);
            builder.function(FunctionFacts::named(name))
        })
    };
    for (word, addr) in words.split(' ').zip((0x1000..).step_by(0x1000)) {
        if let Some((caller, callee)) = word.split_once('>') {
            let (caller, callee) = (id(&mut builder, caller), id(&mut builder, callee));
            builder.edge(CallEdge {
                caller,
                callee,
                calls: 1,
                tail_jumps: 0,
                source: EdgeSource::Disassembly,
            });
        } else if let Some((caller, copies)) = word.split_once('<') {
            let (callee, count) = copies.split_once('*').unwrap();
            let (caller, callee) = (id(&mut builder, caller), id(&mut builder, callee));
            let count = count.parse().unwrap();
            builder.site(InlineSite { callee, caller, file: None, line: 1, count });
        } else if let Some((name, bytes)) = word.rsplit_once(':') {
            let function = id(&mut builder, name);
            let described = visibility == Visibility::DebugInfo;
            builder.body(function, Body { described, ..Body::at(ObjectAddr(addr), bytes.parse().unwrap()) });
        }
    }
    builder.finish()
}

/// The change of `leaf`, and its confirmed callers as `lost:caller*sites`.
fn leaf(before: &Census, after: &Census) -> (Change, Vec<String>) {
    let matching = match_functions(before, after, &Aliases::default());
    let comparison = compare_inlines(before, after, &matching);
    let is_leaf =
        |row: &&super::FunctionComparison| comparison.named(row).is_some_and(|f| f.name() == "leaf");
    let row = comparison.functions.iter().find(is_leaf).unwrap();
    let name = |census: &Census, id| census.function(id).unwrap().name().to_owned();
    let lost = row
        .confirmed_lost
        .iter()
        .map(|flip| format!("lost:{}*{}", name(before, flip.caller_before), flip.sites));
    let gained = row
        .confirmed_gained
        .iter()
        .map(|flip| format!("gained:{}*{}", name(after, flip.caller_after), flip.sites));
    (row.change, lost.chain(gained).collect())
}

/// Checks a change, and that swapped sides give its mirror image.
fn check(before: &str, after: &str, change: Change, flips: &[&str]) {
    let (before, after) = (build(before), build(after));
    assert_eq!(leaf(&before, &after), (change, flips.iter().map(|flip| (*flip).to_owned()).collect()));
    let mirror = |change| match change {
        Change::New => Change::Gone,
        Change::Gone => Change::New,
        Change::Lost => Change::Gained,
        Change::Gained => Change::Lost,
        Change::Grew => Change::Shrank,
        Change::Shrank => Change::Grew,
        other => other,
    };
    let swap = |flip: &&str| match flip.split_once(':') {
        Some(("lost", rest)) => format!("gained:{rest}"),
        Some((_, rest)) => format!("lost:{rest}"),
        None => panic!("flips have a kind"),
    };
    assert_eq!(leaf(&after, &before), (mirror(change), flips.iter().map(swap).collect::<Vec<_>>()));
}

#[test]
fn each_change_is_told() {
    check("a:90 a<leaf*2", "a:80 leaf:40 a>leaf", Change::Lost, &["lost:a*2"]);
    check("a:90", "a:90 leaf:40 a>leaf", Change::New, &[]);
    check("leaf:100", "leaf:120", Change::Grew, &[]);
    check("leaf:100", "leaf:105", Change::Same, &[]);
}

#[test]
fn a_caller_that_lost_it_among_others_that_kept_it_is_mixed() {
    check(
        "a:90 b:90 a<leaf*1 b<leaf*3 leaf:40",
        "a:80 b:90 a>leaf b<leaf*3 leaf:40",
        Change::Mixed,
        &["lost:a*1"],
    );
}

#[test]
fn a_caller_that_calls_through_another_is_not_confirmed() {
    check("a:90 a<leaf*1", "a:80 b:20 a>b b>leaf leaf:40", Change::Lost, &[]);
}

#[test]
fn a_caller_that_called_it_before_too_is_not_confirmed() {
    check("a:90 a<leaf*1 a>leaf leaf:40", "a:80 a>leaf leaf:40", Change::Lost, &[]);
}

#[test]
fn a_caller_that_holds_a_copy_still_is_not_confirmed() {
    check("a:90 a<leaf*2 leaf:40", "a:80 a<leaf*1 a>leaf leaf:40", Change::Same, &[]);
}

#[test]
fn what_was_paired_by_likeness_confirms_nothing() {
    let (before, after) = (build("a:90 a<mtr_commit*1"), build("a:80 mtr_t::commit:40 a>mtr_t::commit"));
    let matching = match_functions(&before, &after, &Aliases::default());
    let comparison = compare_inlines(&before, &after, &matching);
    let row = comparison.functions.iter().find(|row| row.change == Change::Lost).unwrap();
    assert!(row.confirmed_lost.is_empty());
}

#[test]
fn a_side_without_debug_information_makes_nothing_new_or_lost() {
    let (described, stripped) =
        (build("a:90 a<leaf*1"), build_seen("a:90 leaf:40 a>leaf", Visibility::DynamicSymbols));
    assert_eq!(leaf(&described, &stripped).0, Change::NotVisible);
    assert_eq!(leaf(&stripped, &described).0, Change::NotVisible);
    let empty = build_seen("a:90", Visibility::DynamicSymbols);
    assert_eq!(leaf(&empty, &described).0, Change::NotVisible);
    let other = build("a:90 leaf:80");
    assert_eq!(leaf(&stripped, &other).0, Change::Grew, "sizes can be compared");
}

#[test]
fn every_function_has_one_row() {
    let (before, after) = (build("a:10 b:10 c:10"), build("b:10 c:20 d:10"));
    let matching = match_functions(&before, &after, &Aliases::default());
    let comparison = compare_inlines(&before, &after, &matching);
    let rows: Vec<_> =
        comparison.functions.iter().map(|row| (comparison.named(row).unwrap().name(), row.change)).collect();
    assert_eq!(rows, [("a", Change::Gone), ("b", Change::Same), ("c", Change::Grew), ("d", Change::New)]);
}
