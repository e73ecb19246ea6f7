//! Tests of the packed form: it says the same of every function, and nothing about those left out but that they exist.

use proptest::prelude::*;

use super::*;
use crate::ObjectAddr;
use crate::census::{
    Body, BodyHash, BodyPart, CallEdge, CensusBuilder, Coverage, EdgeSource, FunctionFacts, FunctionId,
    InlineSite, Producer, Spin, Visibility,
};

/// `main` calls `f(int)` and holds copies of three library functions, two of one name.
fn sample() -> Census {
    let mut builder = CensusBuilder::new(Visibility::DebugInfo);
    builder.coverage(Coverage { units: 2, ..Coverage::default() });
    let producer = builder.producer(Producer::from_text("GNU C++17 12.2.0 -O2", 2));
    let file = builder.text("src/m.cc");
    let linked = [
        ("main", None, Some("main")),
        ("f", Some("(int)"), Some("_Z1fi")),
        ("f", Some("(long)"), Some("_Z1fl")),
        ("std::move<int&>", Some("(int&)"), Some("_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_")),
        ("std::swap", Some("(A&)"), Some("odd_linkage")),
        ("std::swap", Some("(B&)"), None),
        ("std::once", None, None),
    ];
    let ids: Vec<FunctionId> = linked
        .iter()
        .map(|(name, parameters, linkage)| {
            let mut text = |text: &str| builder.text(text);
            let facts = FunctionFacts {
                parameters: parameters.map(&mut text),
                linkage_name: linkage.map(&mut text),
                is_demangled: linkage.is_some_and(|linkage| linkage.starts_with("_Z")),
                ..FunctionFacts::named(text(name))
            };
            builder.function(FunctionFacts { file: Some(file), line: 7, producer: Some(producer), ..facts })
        })
        .collect();
    let [main, f, f_long, moved, swap_a, swap_b, once] = ids[..] else { unreachable!() };
    builder.body(main, Body { hash: Some(BodyHash(u32::MAX)), ..Body::at(ObjectAddr(0x1000), 64) });
    builder.body(f, Body { spin: Some(Spin::ExchangeLoop), ..Body::at(ObjectAddr(0x900), 32) });
    builder.body(f, Body { part: BodyPart::Cold, described: false, ..Body::at(ObjectAddr(0x800), 8) });
    for (callee, line) in [(moved, 3), (moved, 0), (swap_a, 4), (swap_b, 5), (once, 6), (f_long, 9)] {
        builder.site(InlineSite { callee, caller: main, file: Some(file), line, count: 2 });
    }
    let (calls, tail_jumps, source) = (2, 1, EdgeSource::Disassembly);
    builder.edge(CallEdge { caller: main, callee: f, calls, tail_jumps, source });
    builder.finish()
}

/// Everything recorded about a function but for addresses.
fn told(census: &Census, function: Function<'_>) -> String {
    let name = |id| census.function(id).map(|f| format!("{f:?}"));
    let bodies: Vec<_> =
        function.bodies().iter().map(|b| (b.bytes, b.part, b.hash, b.spin, b.described)).collect();
    let into: Vec<_> =
        census.inlined_into(function.id()).map(|into| (name(into.caller), into.sites)).collect();
    let places: Vec<_> = census
        .inlined_into(function.id())
        .map(|into| {
            let sites = census.sites_in(function.id(), into.caller).iter();
            let place = sites.clone().find(|site| site.line > 0);
            place.map(|site| (site.file.map(|file| census.text(file)), site.line))
        })
        .collect();
    let calls: Vec<_> = census
        .calls_from(function.id())
        .iter()
        .map(|edge| (name(edge.callee), edge.calls, edge.tail_jumps, edge.source))
        .collect();
    format!(
        "{function:?} {:?} {:?} {:?} {:?} {bodies:?} {into:?} {places:?} {calls:?}",
        function.linkage_name(),
        function.file(),
        function.line(),
        function.producer()
    )
}

fn all(census: &Census) -> Vec<String> {
    census.functions().map(|function| told(census, function)).collect()
}

fn full_if(is_full: bool) -> Detail {
    if is_full { Detail::Full } else { Detail::None }
}

#[test]
fn details_are_kept_where_wanted() {
    let census = sample();
    let bytes = census.to_packed_bytes(|f| if f.name() == "std::once" { Detail::Full } else { Detail::Rows });
    let back = Census::from_packed_bytes(&bytes).unwrap();
    let lines: Vec<Option<u32>> = back.functions().map(Function::line).collect();
    assert_eq!(lines, [None, None, None, None, Some(7), None, None]);
    let placed = back.functions().flat_map(|f| back.sites_of(f.id())).filter(|site| site.line > 0).count();
    assert_eq!(placed, 1);
    assert!(back.functions().flat_map(Function::bodies).all(|body| body.hash.is_none()));
    assert!(!back.is_part() && back.edges.len() == 1);
}

#[test]
fn a_whole_census_says_the_same_of_every_function() {
    let census = sample();
    let back = Census::from_packed_bytes(&census.to_packed_bytes(|_| Detail::Full)).unwrap();
    assert_eq!(all(&back), all(&census));
    assert_eq!((back.coverage(), back.producers()), (census.coverage(), census.producers()));
    assert!(!back.is_part());
}

#[test]
fn what_is_left_out_is_known_to_be_there() {
    let census = sample();
    let bytes = census.to_packed_bytes(|function| {
        full_if(
            function.parameters() == Some("(A&)")
                || !function.bodies().is_empty()
                || function.name() != "std::once" && !function.name().starts_with("std::move"),
        )
    });
    let back = Census::from_packed_bytes(&bytes).unwrap();
    let names: Vec<&str> = back.functions().map(Function::name).collect();
    assert_eq!(names, ["f", "f", "main", "std::swap", "std::swap"], "names stay whole, code stays");
    assert!(back.is_part() && back.leaves_out("std::once") && back.leaves_out("std::move<int&>"));
    assert!(!back.leaves_out("std::swap") && !back.leaves_out("no_such_function"));
    let kept: Vec<String> =
        census.functions().filter(|f| names.contains(&f.name())).map(|f| told(&census, f)).collect();
    assert_eq!(all(&back), kept);
}

#[test]
fn only_the_callers_with_most_copies_have_places() {
    let mut builder = CensusBuilder::new(Visibility::DebugInfo);
    let name = builder.text("leaf");
    let leaf = builder.function(FunctionFacts::named(name));
    let file = Some(builder.text("a.c"));
    for number in 0..10_u32 {
        let name = builder.text(&format!("caller{number}"));
        let caller = builder.function(FunctionFacts::named(name));
        builder.body(caller, Body::at(ObjectAddr(u64::from(number) * 16), 16));
        builder.site(InlineSite { callee: leaf, caller, file, line: 5, count: 10 - number });
    }
    let census = builder.finish();
    let back = Census::from_packed_bytes(&census.to_packed_bytes(|_| Detail::Full)).unwrap();
    let leaf = back.find("leaf").next().unwrap();
    let placed: Vec<u64> =
        back.sites_of(leaf.id()).iter().filter(|site| site.line > 0).map(|site| site.count.into()).collect();
    assert_eq!(placed, [10, 9, 8, 7, 6]);
    assert_eq!(leaf.inlined_instances(), 55);
}

#[test]
fn parts_hold_together_what_each_holds() {
    let census = sample();
    let part = |name: &str| {
        Census::from_packed_bytes(
            &census.to_packed_bytes(|f| full_if(f.name() == name || !f.name().starts_with("std::"))),
        )
        .unwrap()
    };
    let joined = part("std::once").join(&part("std::swap"));
    let expected: Vec<String> = census
        .functions()
        .filter(|function| !function.name().starts_with("std::move"))
        .map(|function| told(&census, function))
        .collect();
    assert_eq!(all(&joined), expected);
    assert!(joined.leaves_out("std::move<int&>") && !joined.leaves_out("std::once"));
}

#[test]
fn other_bytes_are_refused() {
    let bytes = sample().to_packed_bytes(|_| Detail::Full);
    assert_eq!(Census::from_packed_bytes(b"pdcensus"), Err(CensusBytesError::NotACensus));
    let mut newer = bytes.clone();
    newer[8] = VERSION + 1;
    let (found, expected) = (u64::from(VERSION) + 1, u64::from(VERSION));
    assert_eq!(Census::from_packed_bytes(&newer), Err(CensusBytesError::OtherVersion { found, expected }));
    for length in 0..bytes.len() {
        assert!(Census::from_packed_bytes(&bytes[..length]).is_err(), "cut at {length}");
    }
}

proptest! {
    /// There is no checksum here: changed bytes must be refused, or be a census whose every query works.
    #[test]
    fn hostile_bytes_do_no_harm(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = sample().to_packed_bytes(|f| full_if(f.name() != "std::once"));
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(census) = Census::from_packed_bytes(&bytes) {
            for function in census.functions() {
                let _ = (told(&census, function), function.inlined_instances(), function.code_bytes());
                let _ = (census.calls_to(function.id()).count(), census.sites_by_caller(function.id()).count());
            }
            let _ = census.leaves_out("f");
        }
    }
}
