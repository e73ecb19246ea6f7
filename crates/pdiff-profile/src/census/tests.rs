//! Tests of the census: what goes in comes out, by every index and through bytes.

use std::cmp::Ordering;

use super::*;
use crate::ObjectAddr;

/// `main` calls `f` and holds two copies of `leaf`; `f.cold` is part of `f`.
fn small() -> Census {
    let mut builder = CensusBuilder::new(Visibility::DebugInfo);
    let producer = builder.producer(Producer::from_text("GNU C 12.2.0 -O2", 1));
    let [main, leaf, f] = ["main", "leaf", "a::f"].map(|name| {
        let name = builder.text(name);
        builder.function(FunctionFacts { producer: Some(producer), ..FunctionFacts::named(name) })
    });
    let file = Some(builder.text("m.c"));
    builder.body(main, Body { hash: Some(BodyHash(7)), ..Body::at(ObjectAddr(0x40), 32) });
    builder.body(f, Body { spin: Some(Spin::Pause), ..Body::at(ObjectAddr(0x60), 16) });
    builder.body(f, Body { part: BodyPart::Cold, described: false, ..Body::at(ObjectAddr(0x20), 8) });
    for count in [1, 1] {
        builder.site(InlineSite { callee: leaf, caller: main, file, line: 3, count });
    }
    let call = CallEdge { caller: main, callee: f, calls: 2, tail_jumps: 1, source: EdgeSource::Disassembly };
    builder.edge(call);
    builder.edge(CallEdge { calls: 5, tail_jumps: 0, source: EdgeSource::CallSite, ..call });
    builder.finish()
}

fn id(census: &Census, name: &str) -> FunctionId {
    census.find(name).next().unwrap().id()
}

#[test]
fn rows_are_found_by_function() {
    let census = small();
    let (main, leaf, f) = (id(&census, "main"), id(&census, "leaf"), id(&census, "a::f"));
    assert_eq!((f, leaf, main), (FunctionId(0), FunctionId(1), FunctionId(2)), "ids follow names");
    assert_eq!(census.inlined_into(leaf).collect::<Vec<_>>(), [InlinedInto { caller: main, sites: 2 }]);
    assert_eq!(census.sites_by_caller(main).count(), 1);
    assert_eq!(census.sites_in(leaf, main).len(), 1);
    let edge = census.call(main, f).unwrap();
    assert_eq!((edge.calls, edge.tail_jumps, edge.source), (2, 1, EdgeSource::Both));
    assert_eq!(census.calls_to(f).count(), 1);
    let f = census.function(f).unwrap();
    assert_eq!(
        (f.out_of_line(), f.code_bytes(), f.spin(), f.is_described()),
        (1, 24, Some(Spin::Pause), true)
    );
}

#[test]
fn an_id_of_another_census_finds_nothing() {
    let (census, alien) = (small(), FunctionId(99));
    assert!(census.function(alien).is_none());
    assert!(census.bodies_of(alien).is_empty() && census.sites_of(alien).is_empty());
    assert!(census.calls_from(alien).is_empty() && census.calls_to(alien).next().is_none());
}

#[test]
fn same_code_is_said_only_within_one_compiler() {
    let census = small();
    let main = id(&census, "main");
    assert_eq!(census.same_code(main, &census, main), Some(true));
    assert_eq!(census.same_code(id(&census, "a::f"), &census, main), None, "not decoded");
    let mut other = small();
    other.producers[0] = Producer::from_text("GNU C 4.1.2", 1);
    assert_eq!(census.same_code(main, &other, main), None);
}

#[test]
fn bytes_come_back() {
    let census = small();
    assert_eq!(Census::from_bytes(census.to_bytes()), Ok(census));
    let empty = CensusBuilder::new(Visibility::DynamicSymbols).finish();
    assert_eq!(Census::from_bytes(empty.to_bytes()), Ok(empty));
}

#[test]
fn bytes_that_were_cut_short_are_refused() {
    let bytes = small().to_bytes();
    assert_eq!(Census::from_bytes(Vec::new()), Err(CensusBytesError::NotACensus));
    for length in 0..bytes.len() {
        assert!(Census::from_bytes(bytes[..length].to_vec()).is_err(), "cut at {length}");
    }
}

/// A census of a form that this program does not read is no damage.
#[test]
fn other_versions_are_told() {
    let earlier = [&b"pdcensus"[..], &4_u64.to_le_bytes(), &[0; 40]].concat();
    assert_eq!(Census::from_bytes(earlier), Err(CensusBytesError::OtherVersion { found: 4, expected: 13 }));
    let mut later = small().to_bytes();
    let version_at = later.len() - 24;
    later[version_at] = 14;
    assert_eq!(Census::from_bytes(later), Err(CensusBytesError::OtherVersion { found: 14, expected: 13 }));
}

#[test]
fn names_are_made_of_linkage_names_where_only_these_are_kept() {
    let mut builder = CensusBuilder::new(Visibility::Symbols);
    let linkage = builder.text("_ZNSt6vectorIiSaIiEE9push_backERKi");
    let facts = FunctionFacts { linkage_name: Some(linkage), ..FunctionFacts::named(linkage) };
    builder.function(FunctionFacts { is_mangled: true, ..facts });
    let main = builder.text("main");
    builder.function(FunctionFacts::named(main));
    let census = builder.finish();
    assert_eq!(Census::from_bytes(census.to_bytes()).as_ref(), Ok(&census));
    let function = census.functions().last().unwrap();
    assert_eq!(function.name(), "std::vector<int, std::allocator<int>>::push_back");
    assert_eq!(function.parameters(), Some("(int const&)"));
    // They are not looked for by name.
    assert_eq!((census.find(function.name()).count(), census.find("main").count()), (0, 1));
    // Their ids come last, and their names wherever they belong: here after `main`.
    let (main, push_back) = (FunctionId(0), function.id());
    assert_eq!(census.name_order(main, push_back), Ordering::Less);
    let with_later = |name: &str| {
        let mut builder = CensusBuilder::new(Visibility::Symbols);
        let linkage = builder.text("_ZNSt6vectorIiSaIiEE9push_backERKi");
        let facts = FunctionFacts { linkage_name: Some(linkage), ..FunctionFacts::named(linkage) };
        builder.function(FunctionFacts { is_mangled: true, ..facts });
        let name = builder.text(name);
        builder.function(FunctionFacts::named(name));
        builder.finish().name_order(FunctionId(0), FunctionId(1))
    };
    assert_eq!((with_later("zip"), with_later("alloc")), (Ordering::Greater, Ordering::Less));
}

/// There is no checksum: changed bytes must be refused, or be a census whose every query works.
#[test]
fn hostile_bytes_do_no_harm() {
    let bytes = small().to_bytes();
    let mut accepted = 0;
    for at in 0..bytes.len() {
        for value in [0, 1, 2, 5, 0x7f, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = value;
            let Ok(census) = Census::from_bytes(changed) else { continue };
            accepted += 1;
            for function in census.functions() {
                let _ =
                    (function.name(), function.file(), function.code_bytes(), function.inlined_instances());
                let _ =
                    (census.calls_to(function.id()).count(), census.sites_by_caller(function.id()).count());
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}
