//! A C++ program compiled in several ways gives the same chains as the system's addr2line. Skips what needs a tool that
//! is missing.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pdiff_profile::{ObjectAddr, Resolution};
use pdiff_symbolize::{SymbolizeOptions, Symbolizer};
use pdiff_testing::{did, tool};

/// Compiles the fixture; `None` if the compiler is missing.
fn compile(directory: &Path, name: &str, args: &[&str]) -> Option<PathBuf> {
    compile_by("g++", "shape.cc", directory, name, &[&["-O2"], args].concat())
}

fn compile_by(compiler: &str, source: &str, directory: &Path, name: &str, args: &[&str]) -> Option<PathBuf> {
    let output = directory.join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture").join(source);
    let mut command = if compiler == "rustc" { Command::new(compiler) } else { tool(compiler)? };
    let status = command
        .current_dir(directory)
        .arg(source)
        .args(["-o", name])
        .args(args)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    did(compiler, &format!("compile with {args:?}"), status.success()).then_some(output)
}

/// Function, file name and line of each frame, innermost first, by addr2line.
fn by_addr2line(program: &Path, addrs: &[u64]) -> Option<Vec<Vec<String>>> {
    Some(by_tool(tool("addr2line")?, program, addrs))
}

/// The same by llvm-symbolizer. binutils 2.40 loses frames of Clang's DWARF 5.
fn by_llvm(program: &Path, addrs: &[u64]) -> Option<Vec<Vec<String>>> {
    let mut command = tool("llvm-symbolizer")?;
    command.arg("--output-style=GNU");
    Some(by_tool(command, program, addrs))
}

fn by_tool(mut command: Command, program: &Path, addrs: &[u64]) -> Vec<Vec<String>> {
    command.args(["-a", "-i", "-f", "-C", "-e"]).arg(program);
    let output = command.args(addrs.iter().map(|addr| format!("{addr:#x}"))).output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let mut chains: Vec<Vec<String>> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("0x") {
            chains.push(Vec::new());
        } else {
            let place = lines.next().unwrap().split(" (discriminator").next().unwrap().to_owned();
            let name = line.split(['(', '<']).next().unwrap().rsplit(' ').next().unwrap();
            let place = place.rsplit('/').next().unwrap().replace('?', "0");
            // Code of no line is of no file: Clang gives line 0 to what it merged.
            let place = if place.ends_with(":0") { "00:0".to_owned() } else { place };
            chains.last_mut().unwrap().push(format!("{} {place}", name.rsplit("::").next().unwrap()));
        }
    }
    chains
}

fn by_us(program: &Path, addrs: &[u64], cache: Option<&Path>) -> Vec<Vec<String>> {
    let mut options = SymbolizeOptions::new();
    options.cache_dir = cache.map(Path::to_path_buf);
    let addrs: Vec<ObjectAddr> = addrs.iter().copied().map(ObjectAddr).collect();
    let found = Symbolizer::open(program, &options).unwrap().symbolize(&addrs);
    let frames = |resolution: &Resolution| match resolution {
        Resolution::Resolved(chain) => chain.frames().iter().rev().map(show).collect(),
        Resolution::Unresolved(_) => vec!["?? 00:0".to_owned()],
    };
    found.iter().map(frames).collect()
}

fn show(frame: &pdiff_profile::InlineFrame) -> String {
    let name = frame.name.split('<').next().unwrap().rsplit("::").next().unwrap();
    let file = frame.file.as_deref().map_or("00", |file| file.rsplit('/').next().unwrap());
    format!("{name} {file}:{}", frame.line.unwrap_or(0))
}

/// Every address of the functions of the fixture, by the symbol table as `nm` prints it; `None` without `nm`.
fn addrs_of(program: &Path) -> Option<Vec<u64>> {
    let output = tool("nm")?.args(["-S", "-C"]).arg(program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let of_fixture = |line: &&str| line.contains("shapes") || line.ends_with(" main");
    let range = |line: &str| {
        let mut words = line.split_whitespace();
        let mut word = || u64::from_str_radix(words.next().unwrap(), 16).unwrap();
        let (start, size) = (word(), word());
        start..start + size
    };
    Some(text.lines().filter(of_fixture).flat_map(range).collect())
}

fn check(name: &str, args: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = compile(directory.path(), name, args) else { return };
    check_program(name, &program, by_addr2line);
}

fn check_by(compiler: &str, source: &str, name: &str, args: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = compile_by(compiler, source, directory.path(), name, args) else { return };
    let truth = if compiler.starts_with("clang") { by_llvm } else { by_addr2line };
    check_program(&format!("{compiler} {name}"), &program, truth);
}

fn check_program(name: &str, program: &Path, truth: impl Fn(&Path, &[u64]) -> Option<Vec<Vec<String>>>) {
    let Some(addrs) = addrs_of(program) else { return };
    assert!(addrs.len() > 100);
    let Some(expected) = truth(program, &addrs) else { return };
    let got = by_us(program, &addrs, None);
    for ((addr, got), expected) in addrs.iter().zip(&got).zip(&expected) {
        // binutils may put the outer function's name on the innermost frame.
        let is_outer_name =
            expected.len() > 1 && name_of(&expected[0]) == name_of(&expected[expected.len() - 1]);
        let from = usize::from(is_outer_name && got.len() == expected.len());
        assert_eq!(got[from..], expected[from..], "{name} at {addr:#x}");
    }
    assert!(got.iter().any(|chain| chain.len() >= 4), "square in area in both in hidden");
}

fn name_of(frame: &str) -> &str {
    frame.split(' ').next().unwrap()
}

#[test]
fn dwarf_2_to_5_and_both_ways_of_linking_agree_with_addr2line() {
    for version in 2..=5 {
        check(&format!("dwarf{version}"), &["-g", &format!("-gdwarf-{version}")]);
        check(&format!("fixed{version}"), &["-g1", &format!("-gdwarf-{version}"), "-no-pie"]);
    }
}

#[test]
fn other_compilers_and_languages_agree_with_addr2line_and_llvm() {
    for version in 2..=5 {
        let version = format!("-gdwarf-{version}");
        check_by("clang++", "shape.cc", &version, &["-O2", "-g", &version]);
        check_by("gcc", "shape.c", &version, &["-O2", "-g", &version]);
        check_by("clang", "shape.c", &version, &["-O2", "-g", &version]);
    }
    check_by("rustc", "shape.rs", "rust", &["-g", "-O", "--edition=2021"]);
}

#[test]
fn compressed_and_sectioned_information_agrees_with_addr2line() {
    check("zlib", &["-g", "-gz=zlib"]);
    check("sections", &["-g", "-ffunction-sections", "-Wl,--gc-sections"]);
}

/// Compilers compress with zstd only since GCC 13 and Clang 16, objcopy for longer.
#[test]
fn sections_compressed_with_zstd_or_in_the_old_way_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = compile(directory.path(), "plain", &["-g", "-gdwarf-4"]) else { return };
    let Some(addrs) = addrs_of(&program) else { return };
    let size = std::fs::metadata(&program).unwrap().len();
    for method in ["zstd", "zlib-gnu"] {
        let Some(mut objcopy) = tool("objcopy") else { return };
        let compress = format!("--compress-debug-sections={method}");
        let is_done = objcopy.current_dir(directory.path()).args([&compress, "plain", method]).status();
        if did("objcopy", &format!("compress with {method}"), is_done.unwrap().success()) {
            let compressed = directory.path().join(method);
            assert!(std::fs::metadata(&compressed).unwrap().len() < size, "{method}");
            assert_eq!(by_us(&compressed, &addrs, None), by_us(&program, &addrs, None), "{method}");
        }
    }
}

#[test]
fn split_information_agrees_with_whole_information() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let directory = tempfile::tempdir().unwrap();
        let Some(whole) = compile(directory.path(), "whole", &["-g", version]) else { return };
        let Some(split) = compile(directory.path(), "split", &["-g", version, "-gsplit-dwarf"]) else {
            return;
        };
        let (Some(addrs), Some(split_addrs)) = (addrs_of(&whole), addrs_of(&split)) else { return };
        assert_eq!(addrs.len(), split_addrs.len());
        let expected = by_us(&whole, &addrs, None);
        assert_eq!(by_us(&split, &split_addrs, None), expected, "{version} .dwo");
        let packed = Command::new("dwp").current_dir(directory.path()).args(["-e", "split"]).status();
        if packed.is_ok_and(|status| status.success()) {
            let is_split =
                |entry: &std::fs::DirEntry| entry.path().extension().is_some_and(|ext| ext == "dwo");
            let entries = directory.path().read_dir().unwrap().map(Result::unwrap);
            entries.filter(is_split).for_each(|entry| std::fs::remove_file(entry.path()).unwrap());
            assert_eq!(by_us(&split, &split_addrs, None), expected, "{version} .dwp");
        } else {
            eprintln!("SKIPPED: dwp cannot pack {version} here");
        }
    }
}

#[test]
fn a_stripped_program_finds_its_debug_file_by_link() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = compile(directory.path(), "prog", &["-g"]) else { return };
    let Some(addrs) = addrs_of(&program) else { return };
    let expected = by_us(&program, &addrs, None);
    let keep = ["--only-keep-debug", "prog", "prog.debug"];
    let strip = ["--strip-all", "--add-gnu-debuglink=prog.debug", "prog", "stripped"];
    for args in [&keep[..], &strip] {
        let Some(mut objcopy) = tool("objcopy") else { return };
        assert!(objcopy.current_dir(directory.path()).args(args).status().unwrap().success());
    }
    let stripped = directory.path().join("stripped");
    assert_eq!(by_us(&stripped, &addrs, None), expected);
    std::fs::write(directory.path().join("prog.debug"), b"\x7fELF of another build").unwrap();
    let without = by_us(&stripped, &addrs, None);
    assert!(
        without.iter().all(|chain| chain == &["?? 00:0"] || chain[0].starts_with("main 00")),
        "{without:?}"
    );
}

#[test]
fn damaged_files_give_less_and_never_a_panic() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = compile(directory.path(), "whole", &["-g"]) else { return };
    let Some(addrs) = addrs_of(&program) else { return };
    let whole = std::fs::read(&program).unwrap();
    let damaged = directory.path().join("damaged");
    let try_it = |bytes: &[u8]| {
        std::fs::write(&damaged, bytes).unwrap();
        if let Ok(mut symbolizer) = Symbolizer::open(&damaged, &SymbolizeOptions::new()) {
            let some: Vec<ObjectAddr> = addrs.iter().step_by(7).copied().map(ObjectAddr).collect();
            symbolizer.symbolize(&some);
            symbolizer.index_all();
        }
    };
    for len in (0..whole.len()).step_by(whole.len() / 60) {
        try_it(&whole[..len]);
    }
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..40 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let at = (random % bytes.len() as u64) as usize;
            bytes[at] ^= 1 << (random >> 61);
        }
        try_it(&bytes);
    }
}
