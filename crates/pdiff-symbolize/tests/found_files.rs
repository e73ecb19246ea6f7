//! Debug information beside the program, made with the system's tools: by build-id, by link and checksum, shared by dwz.
//! Skips what needs a tool that is missing.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::path::{Path, PathBuf};

use pdiff_profile::{
    BuildId, Frame, Object, ObjectAddr, ObjectId, ProfileBuilder, RawAddr, Resolution, Thread, Weight,
};
use pdiff_symbolize::{Fetch, SymbolizeOptions, Symbolizer, Wanted, resolve_profile};

/// Runs a tool; false if it is missing or cannot do this.
fn run(directory: &Path, tool: &str, args: &[&str]) -> bool {
    let Some(mut command) = pdiff_testing::tool(tool) else { return false };
    let output = command.current_dir(directory).args(args).output().unwrap();
    pdiff_testing::did(tool, &format!("run with {args:?}"), output.status.success())
}

/// A program with debug information, `whole`, the same without, `stripped`, and `prog.debug` with nothing but.
struct Built {
    directory: tempfile::TempDir,
    addrs: Vec<ObjectAddr>,
    expected: Vec<Resolution>,
}

impl Built {
    fn new(more: &[&str]) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixture/shape.cc");
        let args = ["-O2", "-g", "-Wl,--build-id=sha1", source, "-o", "whole"];
        let strip = ["--strip-all", "whole", "stripped"];
        let keep = ["--only-keep-debug", "whole", "prog.debug"];
        let is_built = run(directory.path(), "g++", &[&args, more].concat())
            && run(directory.path(), "objcopy", &strip)
            && run(directory.path(), "objcopy", &keep);
        if !is_built {
            return None;
        }
        let addrs = addrs_of(&directory.path().join("whole"))?;
        let mut built = Self { directory, addrs, expected: Vec::new() };
        built.expected = built.resolve("whole", &SymbolizeOptions::new());
        assert!(built.expected.iter().any(is_inlined));
        assert!(!built.resolve("stripped", &SymbolizeOptions::new()).iter().any(is_inlined));
        Some(built)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn resolve(&self, name: &str, options: &SymbolizeOptions) -> Vec<Resolution> {
        Symbolizer::open(&self.path(name), options).unwrap().symbolize(&self.addrs)
    }

    fn id(&self) -> BuildId {
        let symbolizer = Symbolizer::open(&self.path("whole"), &SymbolizeOptions::new()).unwrap();
        let ObjectId::BuildId(id) = symbolizer.object_id() else { panic!("no build-id") };
        id.clone()
    }

    /// Build-id in hexadecimal digits, its first two apart.
    fn build_id(&self) -> (String, String) {
        let hex = self.id().to_string();
        (hex[..2].to_owned(), hex[2..].to_owned())
    }

    fn put(&self, from: &str, to: &str) {
        let to = self.path(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(self.path(from), to).unwrap();
    }
}

fn is_inlined(resolution: &Resolution) -> bool {
    matches!(resolution, Resolution::Resolved(chain) if chain.frames().len() > 1)
}

/// Addresses of the fixture's functions, by the symbol table as `nm` prints it; `None` without `nm`.
fn addrs_of(program: &Path) -> Option<Vec<ObjectAddr>> {
    let output = pdiff_testing::tool("nm")?.args(["-S", "-C"]).arg(program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let range = |line: &str| {
        let mut words = line.split_whitespace();
        let mut word = || u64::from_str_radix(words.next().unwrap(), 16).unwrap();
        let (start, size) = (word(), word());
        start..start + size
    };
    let lines = text.lines().filter(|line| line.contains("shapes::"));
    Some(lines.flat_map(range).map(ObjectAddr).collect())
}

#[test]
fn a_debug_file_is_found_by_build_id_under_a_root_and_in_the_cache_of_perf() {
    let Some(built) = Built::new(&[]) else { return };
    let (start, rest) = built.build_id();
    built.put("prog.debug", &format!("root/.build-id/{start}/{rest}.debug"));
    built.put("prog.debug", &format!("perf/.build-id/{start}/{rest}/debug"));
    let roots = SymbolizeOptions { debug_roots: vec![built.path("root")], ..SymbolizeOptions::new() };
    assert_eq!(built.resolve("stripped", &roots), built.expected);
    let perf = SymbolizeOptions { build_id_dirs: vec![built.path("perf")], ..SymbolizeOptions::new() };
    assert_eq!(built.resolve("stripped", &perf), built.expected);
    // A file of the right build that says nothing does not stand in the way of one that does.
    built.put("stripped", &format!("empty/.build-id/{start}/{rest}.debug"));
    let debug_roots = vec![built.path("empty"), built.path("root")];
    let roots = SymbolizeOptions { debug_roots, ..SymbolizeOptions::new() };
    assert_eq!(built.resolve("stripped", &roots), built.expected);
}

#[test]
fn a_file_of_another_build_in_the_place_of_a_build_id_is_not_used() {
    let (Some(built), Some(other)) = (Built::new(&[]), Built::new(&["-DOTHER", "-fno-ipa-icf", "-O1"]))
    else {
        return;
    };
    let (start, rest) = built.build_id();
    assert_ne!(other.build_id().1, rest);
    let place = built.path(&format!("root/.build-id/{start}/{rest}.debug"));
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::copy(other.path("prog.debug"), place).unwrap();
    let roots = SymbolizeOptions { debug_roots: vec![built.path("root")], ..SymbolizeOptions::new() };
    let without = built.resolve("stripped", &SymbolizeOptions::new());
    assert_eq!(built.resolve("stripped", &roots), without);
}

#[test]
fn a_program_that_was_replaced_since_is_asked_for_where_it_may_still_be() {
    let (Some(built), Some(newer)) = (Built::new(&[]), Built::new(&["-O1"])) else { return };
    let path = newer.path("whole").into_os_string().into_string().unwrap();
    let mut builder = ProfileBuilder::new();
    let object = builder.object(Object::from_text(&path));
    let addr = Some(RawAddr(built.addrs[0].0));
    let frame = Frame { addr, symbol: None, symbol_offset: None, object, source: None, inlined: false };
    let frame = builder.frame(frame);
    let (event, stack, comm) = (builder.event("cycles"), builder.stack(&[frame]), builder.string("x"));
    let thread = builder.thread(Thread { comm, pid: None, tid: None });
    builder.count(event, 0, thread, stack, 1, Weight(1));
    let profile = builder.finish().unwrap();
    let files = |fetch: Option<Fetch>| {
        let build_ids = vec![(path.as_str().into(), built.id())];
        let options = SymbolizeOptions { build_ids, fetch, ..SymbolizeOptions::new() };
        let resolved = resolve_profile(&profile, &options).unwrap();
        assert_eq!(resolved.objects.is_empty(), !resolved.notes.is_empty());
        resolved.objects.into_iter().map(|found| found.file).collect::<Vec<_>>()
    };
    assert_eq!(files(None), Vec::<PathBuf>::new());
    let right = built.path("whole");
    let fetched = right.clone();
    let fetch = move |_: &BuildId, wanted: Wanted| (wanted == Wanted::Executable).then(|| fetched.clone());
    assert_eq!(files(Some(Box::new(fetch))), [right]);
}

#[test]
fn a_link_is_followed_only_with_the_right_checksum() {
    let Some(built) = Built::new(&["-Wl,--build-id=none"]) else { return };
    let args = ["--add-gnu-debuglink=prog.debug", "stripped", "linked"];
    if !run(built.directory.path(), "objcopy", &args) {
        return;
    }
    let options = SymbolizeOptions::new();
    assert_eq!(built.resolve("linked", &options), built.expected);
    // The same file with one byte more is another file.
    let mut bytes = fs::read(built.path("prog.debug")).unwrap();
    fs::remove_file(built.path("prog.debug")).unwrap();
    bytes.push(0);
    fs::write(built.path("prog.debug"), &bytes).unwrap();
    assert!(!built.resolve("linked", &options).iter().any(is_inlined));
    // The right one under `.debug/` and under a root is found past the wrong one.
    bytes.pop();
    fs::create_dir(built.path(".debug")).unwrap();
    fs::write(built.path(".debug/prog.debug"), &bytes).unwrap();
    assert_eq!(built.resolve("linked", &options), built.expected);
    fs::rename(built.path(".debug"), built.path("root")).unwrap();
    assert!(!built.resolve("linked", &options).iter().any(is_inlined));
    let roots = SymbolizeOptions { debug_roots: vec![built.path("root")], ..SymbolizeOptions::new() };
    assert_eq!(built.resolve("linked", &roots), built.expected);
}

#[test]
fn what_dwz_moved_to_a_shared_file_is_found() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let Some(built) = Built::new(&[version]) else { return };
        built.put("whole", "one");
        built.put("whole", "two");
        let args = ["-m", "shared.dbg", "-M", "shared.dbg", "one", "two"];
        if !run(built.directory.path(), "dwz", &args) {
            continue;
        }
        let bytes = fs::read(built.path("one")).unwrap();
        let name = b".gnu_debugaltlink";
        assert!(bytes.windows(name.len()).any(|window| window == name), "{version}: dwz shared nothing");
        let options = SymbolizeOptions::new();
        assert_eq!(built.resolve("one", &options), built.expected, "{version}");
        // By build-id, where the path leads nowhere.
        let shared = Symbolizer::open(&built.path("shared.dbg"), &options).unwrap();
        let ObjectId::BuildId(id) = shared.object_id() else { panic!("no build-id") };
        let hex = id.to_string();
        built.put("shared.dbg", &format!("root/.build-id/{}/{}.debug", &hex[..2], &hex[2..]));
        fs::remove_file(built.path("shared.dbg")).unwrap();
        let roots = SymbolizeOptions { debug_roots: vec![built.path("root")], ..SymbolizeOptions::new() };
        assert_eq!(built.resolve("one", &roots), built.expected, "{version}");
        // Without it there is less, and no panic.
        built.resolve("one", &options);
    }
}
