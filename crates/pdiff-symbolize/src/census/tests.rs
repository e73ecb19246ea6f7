//! Tests of the census: the tiny program of `fixtures/census`, as it is checked in and as the compilers at hand make it.

use std::path::{Path, PathBuf};

use pdiff_profile::census::{
    Census, Detail, EdgeSource, Function, InlineAttribute, Linkage, Spin, Visibility,
};

use super::unit::{Units, read_units};
use crate::binary::elf_file::ElfFile;
use crate::binary::object_files::ObjectFiles;
use crate::binary::sections::DebugSections;
use crate::options::SymbolizeOptions;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/census")
}

fn tiny() -> Vec<u8> {
    std::fs::read(fixture().join("tiny.elf")).unwrap()
}

/// The census of a program of these bytes; `None` if they are no ELF file.
fn take_census(program: &[u8]) -> Option<Census> {
    with_files(program, |files| super::take_census(files, super::WantedCensus::All).census)
}

fn with_files<T>(program: &[u8], read: impl FnOnce(&ObjectFiles) -> T) -> Option<T> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("program");
    std::fs::write(&path, program).unwrap();
    let file = ElfFile::open(&path).ok()?;
    Some(read(&ObjectFiles::find(file, &SymbolizeOptions::new())))
}

fn only<'a>(census: &'a Census, name: &str) -> Function<'a> {
    let mut found = census.find(name);
    let function = found.next().unwrap_or_else(|| panic!("{name} is there"));
    assert!(found.next().is_none(), "{name} is one function");
    function
}

/// Where a function was inlined: callers, instances and lines.
fn inlined_into(census: &Census, name: &str) -> Vec<(String, u64)> {
    let into = census.inlined_into(only(census, name).id());
    into.map(|into| (census.function(into.caller).unwrap().name().to_owned(), into.sites)).collect()
}

/// Calls and tail jumps from one function to another.
fn calls(census: &Census, caller: &str, callee: &str) -> Option<(u32, u32)> {
    let edge = census.call(only(census, caller).id(), only(census, callee).id())?;
    Some((edge.calls, edge.tail_jumps))
}

/// What must hold of the tiny program whoever compiled it.
fn check_program(census: &Census) {
    assert_eq!(census.visibility(), Visibility::DebugInfo);
    assert_eq!(census.coverage().unreadable_units, 0);
    // Clang makes one expression of the second copy, the sum and the shared function, and tells of one copy alone.
    let caller = only(census, "holds_two_copies").producer();
    let is_clang = caller.is_some_and(|producer| producer.text.contains("clang"));
    let copies = if is_clang { 1 } else { 2 };
    assert_eq!(inlined_into(census, "leaf"), [("holds_two_copies".to_owned(), copies)]);
    let shared = [("holds_two_copies".to_owned(), 1), ("second_unit".to_owned(), 1)];
    assert_eq!(inlined_into(census, "shared_leaf"), shared[usize::from(is_clang)..]);
    assert_eq!(only(census, "leaf").out_of_line(), 0);
    // Clang writes the one for the other.
    let attribute = if is_clang { InlineAttribute::CompilerChose } else { InlineAttribute::DeclaredInlined };
    assert_eq!(only(census, "leaf").inline_attribute(), attribute);
    assert_eq!(calls(census, "calls_twice", "far_away<int>"), Some((2, 0)));
    assert_eq!(calls(census, "calls_at_its_end", "far_away<int>"), Some((0, 1)));
    assert_eq!(only(census, "waits").spin(), Some(Spin::Pause));
    assert_eq!(only(census, "takes_lock").spin(), Some(Spin::ExchangeLoop));
    assert_eq!(only(census, "Point::Point").out_of_line(), 1);
    let mut helpers: Vec<_> =
        census.find("helper").map(|helper| (helper.file().unwrap(), helper.linkage())).collect();
    helpers.iter_mut().for_each(|(file, _)| *file = file.rsplit('/').next().unwrap());
    assert_eq!(helpers, [("first.cc", Linkage::Local), ("second.cc", Linkage::Local)]);
}

#[test]
fn the_tiny_program_is_read() {
    let census = take_census(&tiny()).unwrap();
    check_program(&census);
    let lines: Vec<u32> = census.sites_of(only(&census, "leaf").id()).iter().map(|site| site.line).collect();
    assert_eq!(lines, [14, 16]);
    let helper = census.find("helper").next().unwrap();
    assert_eq!(helper.signature().as_deref(), Some("helper(int)"));
    assert_eq!(&*helper.producer().unwrap().version, "12.2.0");
    assert!(helper.is_described());
    let edge = census.call(only(&census, "calls_twice").id(), helper.id()).unwrap();
    assert_eq!(edge.source, EdgeSource::Both);
}

#[test]
fn a_pack_spells_names_as_they_were_read() {
    let census = take_census(&tiny()).unwrap();
    let packed = Census::from_packed_bytes(&census.to_packed_bytes(|_| Detail::Full)).unwrap();
    let spelled = |census: &Census| -> Vec<[Option<String>; 3]> {
        let names = census.functions().map(|f| [Some(f.name()), f.parameters(), f.linkage_name()]);
        names.map(|names| names.map(|name| name.map(str::to_owned))).collect()
    };
    assert_eq!(spelled(&packed), spelled(&census));
    let demangled = spelled(&census).into_iter().filter(|[_, parameters, _]| parameters.is_some()).count();
    assert!(demangled > 3, "{demangled}");
}

#[test]
fn equal_bodies_hash_alike_and_others_do_not() {
    let census = take_census(&tiny()).unwrap();
    let same = |a: Function<'_>, b: Function<'_>| census.same_code(a.id(), &census, b.id());
    let helpers: Vec<_> = census.find("helper").collect();
    assert_eq!(same(helpers[0], helpers[0]), Some(true));
    assert_eq!(same(helpers[0], helpers[1]), Some(false), "one subtracts 1, the other 2");
}

/// Builds the tiny program; `None` where that compiler is missing.
fn build(compiler: &str, flags: &[&str]) -> Option<Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    build_in(dir.path(), compiler, flags).map(|program| std::fs::read(program).unwrap())
}

/// The same in a directory that stays.
fn build_in(dir: &Path, compiler: &str, flags: &[&str]) -> Option<PathBuf> {
    let common = ["-O2", "-g", "-nostdlib", "-static", "-no-pie", "-fno-exceptions", "-fcf-protection=none"];
    let sources = ["first.cc", "second.cc"].map(|source| fixture().canonicalize().unwrap().join(source));
    let mut command = pdiff_testing::tool(compiler)?;
    command.current_dir(dir).args(common).args(flags).args(sources).args(["-o", "tiny"]);
    let is_built = command.output().unwrap().status.success();
    pdiff_testing::did(compiler, &format!("build with {flags:?}"), is_built).then(|| dir.join("tiny"))
}

/// The census of a program with the files beside it.
fn census_beside(program: &Path) -> Census {
    let file = ElfFile::open(program).unwrap();
    super::take_census(&ObjectFiles::find(file, &SymbolizeOptions::new()), super::WantedCensus::All).census
}

/// What a census says of each function, whoever stored it how.
fn content(census: &Census) -> Vec<String> {
    let said = |function: Function<'_>| {
        let sites = census.sites_of(function.id()).iter().map(|site| (site.caller, site.line, site.count));
        let sites: Vec<_> = sites.collect();
        let (file, line, inline) = (function.file(), function.line(), function.inline_attribute());
        let (bodies, calls) = (function.bodies(), census.calls_from(function.id()));
        format!("{function:?} {file:?}:{line:?} {inline:?} {sites:?} {bodies:?} {calls:?}")
    };
    census.functions().map(said).collect()
}

#[test]
fn every_dwarf_version_says_the_same() {
    for compiler in ["g++", "clang++"] {
        for version in ["-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5"] {
            if let Some(image) = build(compiler, &[version]) {
                check_program(&take_census(&image).unwrap());
            }
        }
    }
}

#[test]
fn compressed_sections_and_minimal_line_tables_do() {
    for flags in [["-gz=zlib", "-g"], ["-gz=zlib-gnu", "-g"], ["-g1", "-gdwarf-4"]] {
        if let Some(image) = build("g++", &flags) {
            check_program(&take_census(&image).unwrap());
        }
    }
}

#[test]
fn a_function_of_which_only_the_result_is_left_was_inlined() {
    let dir = tempfile::tempdir().unwrap();
    let source =
        "static int answer(void) { return 42; }\nint unused(void);\nint main(void) { return answer(); }\n";
    std::fs::write(dir.path().join("folded.c"), source).unwrap();
    let Some(mut gcc) = pdiff_testing::tool("gcc") else { return };
    assert!(
        gcc.current_dir(dir.path())
            .args(["-O2", "-g", "folded.c", "-o", "folded"])
            .status()
            .unwrap()
            .success()
    );
    let census = take_census(&std::fs::read(dir.path().join("folded")).unwrap()).unwrap();
    let answer = only(&census, "answer");
    assert!(answer.is_inlined_without_instance() && !answer.is_present(), "{:?}", content(&census));
    assert!(!only(&census, "main").is_inlined_without_instance());
    assert!(census.find("unused").next().is_none());
}

/// Samples are in such code, so a verdict must be able to find it.
#[test]
fn assembly_without_a_type_is_a_function_unless_it_is_inside_one() {
    let dir = tempfile::tempdir().unwrap();
    let typed = ".type typed, @function\ntyped: nop\ninside: nop\nret\n.size typed, .-typed\n";
    let source = format!(
        ".text\n.globl _start, scan_fast, typed, inside\n_start:\n{typed}scan_fast: nop\nnop\nret\nother: nop\n"
    );
    std::fs::write(dir.path().join("fast.s"), source).unwrap();
    let Some(mut gcc) = pdiff_testing::tool("gcc") else { return };
    let flags = ["-nostdlib", "-static", "-no-pie", "fast.s", "-o", "fast"];
    assert!(gcc.current_dir(dir.path()).args(flags).status().unwrap().success());
    let census = take_census(&std::fs::read(dir.path().join("fast")).unwrap()).unwrap();
    let [scan, typed] = ["scan_fast", "typed"].map(|name| only(&census, name));
    let bytes = |function: Function<'_>| function.bodies().iter().map(|body| body.bytes).collect::<Vec<_>>();
    assert_eq!((bytes(scan), bytes(typed)), (vec![4], vec![3]));
    for label in ["inside", "_start", "other"] {
        assert!(census.find(label).next().is_none(), "{label}");
    }
}

#[test]
fn code_of_a_unit_in_thousands_of_sections_is_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let functions: String = (0..5000).map(|number| format!("void f{number}(void) {{}}\n")).collect();
    std::fs::write(dir.path().join("many.c"), functions + "void _start(void) {}\n").unwrap();
    let flags = ["-g1", "-ffunction-sections", "-nostdlib", "-static", "-no-pie", "many.c", "-o", "many"];
    let Some(mut gcc) = pdiff_testing::tool("gcc") else { return };
    assert!(gcc.current_dir(dir.path()).args(flags).status().unwrap().success());
    let image = std::fs::read(dir.path().join("many")).unwrap();
    let read = |files: &ObjectFiles| {
        let sections = DebugSections::load(&files.file, None, None, |_| ());
        read_units(&sections, files, None)
    };
    let units: Units = with_files(&image, read).unwrap();
    assert_eq!(units.units.iter().map(|unit| unit.covered.len()).sum::<usize>(), 5001);
}

#[test]
fn split_debug_information_says_the_same() {
    for compiler in ["g++", "clang++"] {
        for version in ["-gdwarf-4", "-gdwarf-5"] {
            let (whole, split) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let Some(one) = build_in(whole.path(), compiler, &[version]) else { continue };
            let Some(other) = build_in(split.path(), compiler, &[version, "-gsplit-dwarf"]) else { continue };
            let census = census_beside(&other);
            check_program(&census);
            assert_eq!(content(&census), content(&census_beside(&one)), "{compiler} {version}");
            assert_eq!(census.coverage().split_units, 0);
            // A unit whose file is gone is missed, and said to be.
            let dwo = std::fs::read_dir(split.path()).unwrap().map(|entry| entry.unwrap().path());
            let first = dwo.into_iter().find(|path| path.to_string_lossy().ends_with("first.dwo")).unwrap();
            std::fs::remove_file(first).unwrap();
            assert_eq!(census_beside(&other).coverage().split_units, 1);
        }
    }
}

#[test]
fn debug_information_that_dwz_shared_out_says_the_same() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let dir = tempfile::tempdir().unwrap();
        let Some(program) = build_in(dir.path(), "g++", &[version]) else { continue };
        let expected = content(&census_beside(&program));
        std::fs::copy(&program, dir.path().join("copy")).unwrap();
        let Some(mut dwz) = pdiff_testing::tool("dwz") else { return };
        assert!(
            dwz.current_dir(dir.path()).args(["-m", "shared", "tiny", "copy"]).status().unwrap().success()
        );
        let census = census_beside(&program);
        check_program(&census);
        assert_eq!(content(&census), expected, "{version}");
    }
}

#[test]
fn link_time_optimisation_refers_across_units() {
    let Some(image) = build("g++", &["-flto", "-fno-ipa-icf"]) else { return };
    let census = take_census(&image).unwrap();
    // What was inlined before link time is not told again; this was inlined at link time.
    let shared = only(&census, "shared_leaf");
    assert!(shared.inlined_instances() > 0);
    assert!(shared.file().is_some_and(|file| file.ends_with("shared.h")));
}

#[test]
fn a_stripped_program_shows_no_inlines() {
    let Some(image) = build("g++", &["-s"]) else { return };
    let census = take_census(&image).unwrap();
    assert_eq!(census.visibility(), Visibility::DynamicSymbols);
    assert_eq!(census.inlined_instances(), 0);
    assert!(census.functions().all(|function| !function.is_described()));
}

/// Damage anywhere gives an error or a census that can be used, never a panic.
#[test]
fn damage_does_no_harm() {
    let image = tiny();
    for at in (0..image.len()).step_by(5) {
        let mut damaged = image.clone();
        let changed = damaged.get_mut(at).unwrap();
        *changed = if at % 2 == 0 { 0xff } else { changed.wrapping_add(1) };
        if let Some(census) = take_census(&damaged) {
            assert!(Census::from_bytes(census.to_bytes()).is_ok(), "changed at {at}");
        }
    }
    for length in (0..image.len()).step_by(131) {
        let _ = take_census(&image[..length]);
    }
}
