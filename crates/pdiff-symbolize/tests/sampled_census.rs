//! The census for samples beside the whole one: what is left out or has no name, and that the rest is the same.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pdiff_profile::NoteKind;
use pdiff_profile::census::{Census, Function};
use pdiff_symbolize::{
    KeptSections, SymbolizeOptions, Symbolizer, census_of, census_with_late_names, sampled_census,
};

/// A program that has library functions inlined, and some with code.
const PROGRAM: &str = r#"
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define OWN __attribute__((noinline))
struct Row { int key; std::string text; };
OWN int sum(const std::vector<int> &of) { int all = 0; for (int one : of) all += one; return all; }
OWN void fill(std::vector<int> &into, int count) {
  for (int at = 0; at < count; at++) into.push_back(at * 7 % 13);
  std::sort(into.begin(), into.end());
}
OWN std::size_t letters(const std::map<int, std::string> &of) {
  std::size_t all = 0;
  for (auto &one : of) all += one.second.size();
  return all;
}
OWN std::unique_ptr<Row> row(int key) { return std::make_unique<Row>(Row{key, std::string(key, 'x')}); }
int main(int count, char **) {
  std::vector<int> numbers;
  fill(numbers, count * 40);
  std::map<int, std::string> names;
  names[sum(numbers)] = row(count)->text;
  return static_cast<int>(letters(names));
}
"#;

fn build(directory: &Path, flags: &[&str]) -> Option<PathBuf> {
    let (source, program) = (directory.join("program.cc"), directory.join("program"));
    std::fs::write(&source, PROGRAM).unwrap();
    let mut command = pdiff_testing::tool("g++")?;
    let output = command.arg("-O2").args(flags).arg(&source).arg("-o").arg(&program).output().unwrap();
    let is_built = output.status.success();
    pdiff_testing::did("g++", &format!("build a program of the C++ library with {flags:?}"), is_built)
        .then_some(program)
}

fn name(census: &Census, function: Function<'_>) -> String {
    let file = function.file().unwrap_or("");
    format!(
        "{}{} {file} {}",
        function.name(),
        function.parameters().unwrap_or(""),
        census.calls_from(function.id()).len()
    )
}

/// What a census says of each function; others are told by their names.
fn content(census: &Census) -> BTreeMap<String, usize> {
    let of = |id| name(census, census.function(id).unwrap());
    let said = |function: Function<'_>| {
        let sites = census.sites_of(function.id()).iter();
        let sites = sites
            .map(|site| (of(site.caller), site.file.map(|file| census.text(file)), site.line, site.count));
        let mut sites: Vec<_> = sites.collect();
        sites.sort();
        let calls = census.calls_from(function.id()).iter();
        let mut calls: Vec<_> = calls.map(|edge| (of(edge.callee), edge.calls, edge.tail_jumps)).collect();
        calls.sort();
        let (line, inline, bodies) = (function.line(), function.inline_attribute(), function.bodies());
        let compiler = function.producer().map(|producer| &*producer.text);
        let (own, linkage) = (name(census, function), function.linkage());
        format!("{own} {line:?} {inline:?} {linkage:?} {compiler:?} {sites:?} {bodies:?} {calls:?}")
    };
    let mut content = BTreeMap::new();
    census.functions().for_each(|function| *content.entry(said(function)).or_default() += 1);
    content
}

fn is_library(function: Function<'_>) -> bool {
    ["std::", "__gnu_cxx::"].iter().any(|namespace| function.name().starts_with(namespace))
}

fn is_background(census: &Census, function: Function<'_>) -> bool {
    let is_called = census.calls_to(function.id()).next().is_some();
    is_library(function) && function.bodies().is_empty() && function.alias_of().is_none() && !is_called
}

#[test]
fn only_library_functions_that_are_not_asked_for_are_left_out_or_have_no_name() {
    let directory = tempfile::tempdir().unwrap();
    let options = SymbolizeOptions::new();
    for flags in [&["-g"][..], &["-g1", "-gdwarf-4"], &["-g", "-gdwarf-5", "-gz", "-O3"], &["-g", "-O1"]] {
        let Some(program) = build(directory.path(), flags) else { return };
        let whole = census_of(&program, &options).unwrap().census;
        let background = whole.functions().filter(|function| is_background(&whole, *function));
        let background: Vec<&str> = background.map(Function::name).collect();
        assert!(background.len() > 50, "{flags:?}: {background:?}");
        let library = whole.functions().filter(|function| is_library(*function));
        let library: Vec<&str> = library.map(Function::name).collect();
        let some: Vec<&str> = library.iter().copied().step_by(9).collect();
        for asked in [&[][..], &some, &library] {
            let part = sampled_census(&program, asked.iter().copied(), &options).unwrap().census;
            let (of_part, of_whole) = (content(&part), content(&whole));
            let new: Vec<_> =
                of_part.iter().filter(|(said, count)| of_whole.get(*said) != Some(count)).collect();
            assert!(new.is_empty(), "{flags:?}: {new:?}");
            let is_kept = |name: &str| part.find(name).count() == whole.find(name).count();
            let is_missing = |function: &Function<'_>| !is_kept(function.name());
            let missing: Vec<Function<'_>> = whole.functions().filter(is_missing).collect();
            let is_wrong =
                |function: &&Function<'_>| asked.contains(&function.name()) || !is_library(**function);
            let wrong = missing.iter().find(is_wrong);
            assert!(wrong.is_none(), "{flags:?}: {wrong:?}");
            assert_eq!(missing.is_empty(), asked.len() == library.len(), "{flags:?}");
            // What is left out has no code; the others are there under their linkage names.
            let gone: Vec<&String> = of_whole.keys().filter(|said| !of_part.contains_key(*said)).collect();
            let is_gone = |name: &str| gone.iter().any(|said| said.starts_with(name));
            let mut coded = whole.functions().filter(|function| !function.bodies().is_empty());
            let lost = coded.find(|function| is_gone(&name(&whole, *function)));
            assert!(lost.is_none(), "{flags:?}: {lost:?}");
            assert_eq!((part.coverage(), part.visibility()), (whole.coverage(), whole.visibility()));
        }
    }
}

#[test]
fn the_cache_serves_the_names_that_it_was_made_for_and_all_others_are_added() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = build(directory.path(), &["-g"]) else { return };
    let cache = tempfile::tempdir().unwrap();
    let options = SymbolizeOptions { cache_dir: Some(cache.path().to_path_buf()), ..SymbolizeOptions::new() };
    let whole = census_of(&program, &SymbolizeOptions::new()).unwrap().census;
    let background = whole.functions().filter(|function| is_background(&whole, *function));
    let names: Vec<&str> = background.map(Function::name).collect();
    let taken = |names: &[&str]| {
        let taken = sampled_census(&program, names.iter().copied(), &options).unwrap();
        assert!(taken.notes.get(NoteKind::CacheRebuilt).is_none());
        taken.census
    };
    let size = || {
        std::fs::read_dir(cache.path())
            .unwrap()
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum::<u64>()
    };
    let one = taken(&names[..1]);
    assert_eq!((taken(&names[..1]), taken(&["main"])), (one.clone(), one.clone()));
    let before = size();
    let two = taken(&names[5..6]);
    let has = |census: &Census, name: &str| census.find(name).next().is_some();
    assert!(!has(&one, names[5]) && has(&two, names[5]) && has(&two, names[0]), "names add up");
    assert!(size() > before);
    assert_eq!(taken(&names[..1]), two);
    // The whole census serves everybody, and stands beside it.
    assert_eq!(census_of(&program, &options).unwrap().census, whole);
    assert_eq!(taken(&names[7..8]), whole);
    assert_eq!(taken(&names[..1]), two);
}

#[test]
fn what_was_inflated_for_addresses_gives_the_same_census_and_is_freed_by_it() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = build(directory.path(), &["-g", "-gz=zlib"]) else { return };
    let kept = KeptSections::new();
    let options = SymbolizeOptions { kept: Some(kept.clone()), ..SymbolizeOptions::new() };
    let mut symbolizer = Symbolizer::open(&program, &options).unwrap();
    symbolizer.index_all();
    assert!(kept.bytes() > 0);
    let census = sampled_census(&program, ["std::vector<int>::push_back"], &options).unwrap().census;
    assert_eq!(kept.bytes(), 0);
    let expected =
        sampled_census(&program, ["std::vector<int>::push_back"], &SymbolizeOptions::new()).unwrap();
    assert_eq!(census, expected.census);
}

#[test]
fn with_late_names_a_census_says_the_same_of_every_function() {
    let directory = tempfile::tempdir().unwrap();
    let cache = tempfile::tempdir().unwrap();
    let options = SymbolizeOptions { cache_dir: Some(cache.path().to_path_buf()), ..SymbolizeOptions::new() };
    for flags in [&["-g"][..], &["-g1", "-gdwarf-4"], &["-g", "-gdwarf-5", "-gz", "-O3"]] {
        let Some(program) = build(directory.path(), flags) else { return };
        let whole = census_of(&program, &SymbolizeOptions::new()).unwrap().census;
        let late = census_with_late_names(&program, &options).unwrap().census;
        assert!(late.has_late_names() && !whole.has_late_names(), "{flags:?}");
        assert_eq!(content(&late), content(&whole), "{flags:?}");
        assert!(late.functions().filter(|function| function.is_mangled()).all(is_library), "{flags:?}");
        // The cache serves it again, but nobody who asks for all names.
        assert_eq!(census_with_late_names(&program, &options).unwrap().census, late);
        assert_eq!(census_of(&program, &options).unwrap().census, whole, "{flags:?}");
        assert_eq!(census_with_late_names(&program, &options).unwrap().census, whole, "{flags:?}");
    }
}
