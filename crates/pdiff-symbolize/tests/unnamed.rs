//! A program without symbols: its functions are told apart by the unwind tables.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::Path;

use pdiff_profile::{
    Frame, FrameId, Lookup, Object, Profile, ProfileBuilder, RawAddr, Resolution, Thread, Weight, is_unnamed,
};
use pdiff_symbolize::{SymbolizeOptions, resolve_profile};

const SOURCE: &str = "
volatile int sink;
static __attribute__((noinline)) int first(int n) { int s = 0; while (n--) s += sink; return s; }
static __attribute__((noinline)) int second(int n) { int s = 1; while (n--) s *= sink; return s; }
int main(int argc, char **argv) { return first(argc) + second(argc); }
";

const OPTIONS: &[&str] = &["-O1", "-fasynchronous-unwind-tables"];

/// The first byte and the size of a function of the program that has symbols.
fn place(program: &Path, function: &str) -> Option<(u64, u64)> {
    let output = pdiff_testing::tool("nm")?.arg("--print-size").arg(program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.ends_with(&format!(" {function}"))).unwrap();
    let mut words = line.split_whitespace().map(|word| u64::from_str_radix(word, 16).unwrap_or(0));
    Some((words.next().unwrap(), words.next().unwrap()))
}

/// Samples of one frame at each address, as perf records them of a program without symbols.
fn profile(program: &Path, addrs: &[u64]) -> Profile {
    let mut builder = ProfileBuilder::new();
    let object = builder.object(Object::from_text(program.to_str().unwrap()));
    let event = builder.event("cycles");
    let comm = builder.string("x");
    let thread = builder.thread(Thread { comm, pid: None, tid: None });
    for addr in addrs {
        let (addr, symbol, symbol_offset) = (Some(RawAddr(*addr)), None, None);
        let frame =
            builder.frame(Frame { addr, symbol, symbol_offset, object, source: None, inlined: false });
        let stack = builder.stack(&[frame]);
        builder.count(event, 0, thread, stack, 1, Weight(1));
    }
    builder.finish().unwrap()
}

#[test]
fn functions_of_a_stripped_program_are_told_apart_by_where_they_begin() {
    let directory = tempfile::tempdir().unwrap();
    let (source, program) = (directory.path().join("two.c"), directory.path().join("two"));
    std::fs::write(&source, SOURCE).unwrap();
    let Some(mut compiler) = pdiff_testing::tool("gcc") else { return };
    let made = compiler.args(OPTIONS).arg(&source).arg("-o").arg(&program);
    assert!(made.status().unwrap().success());
    let (Some(first), Some(second)) = (place(&program, "first"), place(&program, "second")) else { return };
    let stripped = directory.path().join("stripped");
    let Some(mut compiler) = pdiff_testing::tool("gcc") else { return };
    let made = compiler.args([OPTIONS, &["-s"]].concat()).arg(&source).arg("-o").arg(&stripped);
    assert!(made.status().unwrap().success());

    let addrs = [first.0, first.0 + first.1 - 1, second.0 + 1];
    let profile = profile(&stripped, &addrs);
    let resolved = resolve_profile(&profile, &SymbolizeOptions::new()).unwrap();
    let names: Vec<String> = (0..)
        .map(FrameId)
        .take(addrs.len())
        .map(|frame| match resolved.resolutions.get(frame, Lookup::Exact) {
            Some(Resolution::Resolved(chain)) => chain.outermost().name.to_string(),
            other => format!("{other:?}"),
        })
        .collect();
    let expected = [first.0, first.0, second.0].map(|start| format!("stripped+{start:#x}"));
    assert_eq!(names, expected);
    assert!(names.iter().all(|name| is_unnamed(name)));
    // Functions of one place are one resolution.
    let number = |frame| resolved.resolutions.number(FrameId(frame), Lookup::Exact);
    assert!(number(0) == number(1) && number(0) != number(2));
}
