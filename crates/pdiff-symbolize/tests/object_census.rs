//! The census through its cache and with separate debug information.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use pdiff_profile::NoteKind;
use pdiff_profile::census::Visibility;
use pdiff_symbolize::{ObjectCensus, SymbolizeOptions, Symbolizer, census_of};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/inlines").join(name)
}

fn with_cache(directory: &Path) -> SymbolizeOptions {
    SymbolizeOptions { cache_dir: Some(directory.to_path_buf()), ..SymbolizeOptions::new() }
}

fn was_rebuilt(taken: &ObjectCensus) -> bool {
    taken.notes.get(NoteKind::CacheRebuilt).is_some()
}

/// The one file in a cache directory.
fn cache_file(directory: &Path) -> PathBuf {
    let files: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.into_iter().next().unwrap()
}

#[test]
fn a_cached_census_is_the_one_that_was_taken() {
    let directory = tempfile::tempdir().unwrap();
    let options = with_cache(directory.path());
    let plain = census_of(&fixture("before.elf"), &SymbolizeOptions::new()).unwrap();
    let taken = census_of(&fixture("before.elf"), &options).unwrap();
    let file = cache_file(directory.path());
    let written = fs::metadata(&file).unwrap().modified().unwrap();
    let cached = census_of(&fixture("before.elf"), &options).unwrap();
    assert_eq!((&plain.census, &taken.census), (&cached.census, &cached.census));
    assert_eq!((&taken.id, &taken.notes), (&cached.id, &cached.notes));
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), written, "it is not written again");
}

#[test]
fn the_address_index_stands_in_the_same_file() {
    let directory = tempfile::tempdir().unwrap();
    let options = with_cache(directory.path());
    census_of(&fixture("before.elf"), &options).unwrap();
    let mut symbolizer = Symbolizer::open(&fixture("before.elf"), &options).unwrap();
    symbolizer.index_all();
    cache_file(directory.path());
    let again = census_of(&fixture("before.elf"), &options).unwrap();
    assert!(!was_rebuilt(&again));
    let symbolizer = Symbolizer::open(&fixture("before.elf"), &options).unwrap();
    assert!(symbolizer.index_size() > 0);
}

#[test]
fn a_damaged_cache_is_told_and_made_anew() {
    let directory = tempfile::tempdir().unwrap();
    let options = with_cache(directory.path());
    let taken = census_of(&fixture("before.elf"), &options).unwrap();
    let file = cache_file(directory.path());
    let whole = fs::read(&file).unwrap();
    for at in (0..whole.len()).step_by(37) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(&file, &damaged).unwrap();
        assert_eq!(census_of(&fixture("before.elf"), &options).unwrap().census, taken.census, "at {at}");
    }
    fs::write(&file, whole.get(..whole.len() / 2).unwrap()).unwrap();
    assert!(was_rebuilt(&census_of(&fixture("before.elf"), &options).unwrap()));
    assert!(!was_rebuilt(&census_of(&fixture("before.elf"), &options).unwrap()));
}

#[test]
fn separate_debug_information_is_found_and_supersedes_what_was_cached_without() {
    let directory = tempfile::tempdir().unwrap();
    let roots = tempfile::tempdir().unwrap();
    let options =
        SymbolizeOptions { debug_roots: vec![roots.path().to_path_buf()], ..with_cache(directory.path()) };
    let stripped = census_of(&fixture("stripped.elf"), &options).unwrap();
    assert_eq!(stripped.census.visibility(), Visibility::DynamicSymbols);
    assert!(stripped.notes.get(NoteKind::NoDebugInfo).is_some());
    let id = stripped.build_id.unwrap().to_string();
    let (start, rest) = id.split_at(2);
    let place = roots.path().join(".build-id").join(start);
    fs::create_dir_all(&place).unwrap();
    fs::copy(fixture("before.elf"), place.join(format!("{rest}.debug"))).unwrap();
    let described = census_of(&fixture("stripped.elf"), &options).unwrap();
    assert_eq!(described.debug_path, Some(place.join(format!("{rest}.debug"))));
    assert!(described.notes.is_empty(), "{:?}", described.notes);
    let whole = census_of(&fixture("before.elf"), &SymbolizeOptions::new()).unwrap();
    assert_eq!(described.census, whole.census);
}

#[test]
fn what_is_no_elf_file_is_told_by_its_path() {
    let directory = tempfile::tempdir().unwrap();
    let odd = directory.path().join("odd");
    fs::write(&odd, b"\x7fELF\x01\x01\x01").unwrap();
    let error = census_of(&odd, &SymbolizeOptions::new()).unwrap_err().to_string();
    assert!(error.contains("odd"), "{error}");
    assert!(census_of(directory.path(), &SymbolizeOptions::new()).is_err());
}
