//! Reading from files: packed and plain, right and wrong kinds, and real captures against a plain count of their text.

#![expect(clippy::unwrap_used, reason = "in a test an unwrap is a check")]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use pdiff_ingest::{Error, Input, ReadOptions, Source, TimeWindow, WrongKind, read_input, read_profile};
use pdiff_profile::{Cell, FrameId, Lookup, Profile, Resolution};

const SAMPLE: &str = "x 7 1.000001: 8 c: \n\t1 a (/x)\n\t2 b (/x)\n\n";

/// A file that is removed when the test ends.
struct TestFile(PathBuf);

impl TestFile {
    fn new(bytes: &[u8]) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("pdiff-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }

    fn read(&self) -> Result<Profile, Error> {
        read_profile(&Source::Path(self.0.clone()), &ReadOptions::new())
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn xz(text: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn packed_input_is_told_by_its_content_and_may_have_several_members() {
    let text = SAMPLE.repeat(20_000);
    let (first, second) = text.as_bytes().split_at(text.len() / 3);
    for pack in [gzip, zstd, xz] {
        for packed in [pack(text.as_bytes()), [pack(first), pack(second)].concat()] {
            assert_eq!(TestFile::new(&packed).read().unwrap().events[0].samples, 20_000);
        }
    }
}

#[test]
fn packed_input_that_is_cut_off_or_damaged_is_an_error() {
    // Text that does not pack well, so that the cut lies inside of the data.
    let text: String =
        (0..50_000_u64).map(|i| SAMPLE.replace('1', &(i.wrapping_mul(0x9e37_79b9)).to_string())).collect();
    for pack in [gzip, zstd, xz] {
        let packed = pack(text.as_bytes());
        let cut = TestFile::new(&packed[..packed.len() / 2]).read();
        assert!(matches!(cut, Err(Error::Compressed { .. })), "{cut:?}");
        let mut damaged = packed.clone();
        let middle = packed.len() / 2;
        damaged[middle..middle + 16].fill(0xff);
        let damaged = TestFile::new(&damaged).read();
        assert!(matches!(damaged, Err(Error::Compressed { .. })), "damaged");
    }
}

#[test]
fn a_bomb_of_one_line_needs_little_memory_and_is_refused() {
    let bomb = zstd(&vec![b'x'; 200 << 20]);
    assert!(bomb.len() < 100_000);
    assert!(matches!(TestFile::new(&bomb).read(), Err(Error::NoSamples { .. })));
}

#[test]
fn other_kinds_of_file_are_named_with_a_hint() {
    let check = |bytes: &[u8], expected: WrongKind| {
        let error = TestFile::new(bytes).read().unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, Error::WrongKind { kind, .. } if kind == expected), "{message}");
        assert!(message.contains("hint:"), "{message}");
    };
    check(b"\x7fELF\x02\x01\x01", WrongKind::Elf);
    check(b"<html>", WrongKind::Markup);
    check(b"BZh91AY&SY\x01\x02", WrongKind::Bzip2);
    check(b"\x04\x22\x4d\x18\x64\x40", WrongKind::Lz4);
    check(b"{\"functions\":[]}", WrongKind::Json);
    check(b"a\0b", WrongKind::Binary);
    for cut in [b"PERFILE2\x68\0\0\0".to_vec(), gzip(b"PERFILE2\x68\0\0\0")] {
        let error = TestFile::new(&cut).read().unwrap_err().to_string();
        assert!(error.contains("ends within its header, after 12 bytes; hint:"), "{error}");
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let missing = read_profile(&Source::Path("/no/such/file".into()), &ReadOptions::new()).unwrap_err();
    assert!(missing.to_string().starts_with("cannot read /no/such/file: "), "{missing}");
    let directory = read_profile(&Source::Path(std::env::temp_dir()), &ReadOptions::new());
    assert!(matches!(directory, Err(Error::Unreadable { .. })));
    assert!(matches!(TestFile::new(b"").read(), Err(Error::Empty { .. })));
    let stdin = || Source::Stdin.to_string().into();
    let empty = Error::Empty { path: stdin() }.to_string();
    assert_eq!(
        empty,
        "standard input is empty; hint: record again, or make text with `perf script -i perf.data > FILE`"
    );
    let packed = Error::WrongKind { path: stdin(), kind: WrongKind::Bzip2 }.to_string();
    assert!(packed.contains("`bzip2 -dc FILE > FILE.perf`"), "{packed}");
}

#[test]
fn folded_stacks_are_counted() {
    let profile = TestFile::new(b"# by a collapser\nmain;a b;f(int)_[k] 3\nmain 1.5\r\nmain;g_[i] 2\n\n")
        .read()
        .unwrap();
    let stacks: Vec<String> = profile
        .cells
        .iter()
        .map(|cell| {
            let frames = profile.stacks.get(cell.stack).iter().map(|id| &profile.frames[id.index()]);
            let names: Vec<String> = frames
                .map(|frame| {
                    format!(
                        "{}{}",
                        profile.string(frame.symbol.unwrap()),
                        if frame.inlined { "*" } else { "" }
                    )
                })
                .collect();
            format!("{} {}", names.join(";"), cell.weight.0)
        })
        .collect();
    assert_eq!(stacks, ["main;a b;f(int) 3", "main 2", "main;g* 2"]);
    assert!(!profile.events[0].has_period);
    let deep = format!("main 1\n{} 3\n", vec!["a::long::name<of::a::function>"; 4000].join(";"));
    let deep = TestFile::new(deep.as_bytes()).read().unwrap();
    assert_eq!((deep.events[0].samples, deep.notes.is_empty()), (4, true));
    let odd = format!("{}what\n", "main 1\n".repeat(50));
    assert!(matches!(TestFile::new(odd.as_bytes()).read(), Err(Error::TooManyUnparsed { unparsed: 1, .. })));
}

/// The frames of a profile's stacks: name, object, `*` where inlined, and the file and line that the file tells.
fn named_frames(text: &str) -> Vec<String> {
    let (profile, named) =
        match read_input(&Source::Path(TestFile::new(text.as_bytes()).0.clone()), &ReadOptions::new())
            .unwrap()
        {
            Input::Named(profile, named) => (profile, Some(named)),
            Input::Text(profile) => (profile, None),
            Input::Pack(_) => panic!("a text is no pack"),
        };
    let frame = |id: &FrameId| {
        let frame = &profile.frames[id.index()];
        let name = profile.string(frame.symbol.unwrap());
        let object = &profile.objects[frame.object.index()].path;
        let mark = if frame.inlined { "*" } else { "" };
        let file = named.as_ref().and_then(|named| match named.get(*id, Lookup::Exact)? {
            Resolution::Resolved(chain) => {
                let own = chain.outermost();
                assert_eq!(&*own.name, name);
                Some(format!(" {}:{}", own.file.as_deref()?, own.line.unwrap_or(0)))
            }
            _ => None,
        });
        format!("{name}{mark} {object}{}", file.unwrap_or_default())
    };
    let stack = |cell: &Cell| {
        let frames: Vec<String> = profile.stacks.get(cell.stack).iter().map(frame).collect();
        let thread = &profile.threads[cell.thread.index()];
        let comm = profile.string(thread.comm);
        let tid = thread.tid.map_or_else(String::new, |tid| format!("/{tid}"));
        format!("{comm}{tid}| {}", frames.join("; "))
    };
    profile.cells.iter().map(stack).collect()
}

#[test]
fn what_profilers_write_beside_a_function_is_not_part_of_its_name() {
    let python = "thread (7): worker 1;run (shop/app.py:12);total (shop/basket.py:30);PyLong_Add (libpython3.11.so) 3\n\
                  thread (7): worker 1;run (shop/app.py:13);free 1\n";
    assert_eq!(
        named_frames(python),
        [
            "worker 1/7| run [unknown] shop/app.py:12; total [unknown] shop/basket.py:30; PyLong_Add libpython3.11.so",
            "worker 1/7| run [unknown] shop/app.py:13; free [unknown]",
        ]
    );
    let of_process = "process 12:\"python app.py\";thread (0x7F12): MainThread;run (app.py:2) 4\n";
    assert_eq!(named_frames(of_process), ["MainThread| python app.py [unknown]; run [unknown] app.py:2"]);
    let java =
        "[main tid=9];shop/Cart.main_[0];java/util/HashMap.get_[j];java/util/HashMap.hash_[i];futex_[k] 2\n";
    assert_eq!(
        named_frames(java),
        [
            "main/9| shop.Cart.main //anon; java.util.HashMap.get //anon; java.util.HashMap.hash* //anon; futex [kernel.kallsyms]"
        ]
    );
    // A thread alone is all that is known of its samples.
    assert_eq!(
        named_frames("[main tid=9] 2\nf (int) 1\n"),
        ["| [main tid=9] [unknown]", "| f (int) [unknown]"]
    );
}

#[test]
fn progress_counts_the_bytes_of_the_file() {
    let packed = gzip(SAMPLE.repeat(50_000).as_bytes());
    let file = TestFile::new(&packed);
    let seen = AtomicU64::new(0);
    let progress = |bytes: u64, of: Option<u64>| {
        assert_eq!(of, Some(packed.len() as u64));
        seen.fetch_max(bytes, Ordering::Relaxed);
    };
    let options = ReadOptions { progress: Some(&progress), ..ReadOptions::new() };
    read_profile(&Source::Path(file.0.clone()), &options).unwrap();
    assert_eq!(seen.into_inner(), packed.len() as u64);
}

/// The text of the captures in `fixtures/mysql`, with their names.
fn captures() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/mysql");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let is_capture = |path: &PathBuf| path.to_string_lossy().ends_with(".perf.zst");
    paths.retain(is_capture);
    let text = |path: PathBuf| {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(&path).unwrap();
        zstd::stream::read::Decoder::new(file).unwrap().read_to_end(&mut bytes).unwrap();
        (path, String::from_utf8_lossy(&bytes).into_owned())
    };
    paths.into_iter().map(text).collect()
}

/// Samples, periods, and samples by leaf symbol, counted without the parser: a header line holds ` cpu-clock:`, its period
/// stands before that, and the leaf is the line after it or the rest of it.
fn count_plainly(text: &str) -> (u64, u64, BTreeMap<String, u64>) {
    let (mut samples, mut weight, mut leaves) = (0, 0, BTreeMap::new());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((before, after)) = line.split_once(" cpu-clock:") else { continue };
        samples += 1;
        weight += before.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
        let is_chain = after.trim().is_empty();
        let leaf = if is_chain { lines.peek().copied().unwrap_or("") } else { after };
        let name = leaf
            .trim()
            .split_once(' ')
            .map_or("", |(_, rest)| rest.rsplit_once(" (").map_or(rest, |(name, _)| name));
        let name = name.rsplit_once("+0x").map_or(name, |(name, _)| name);
        *leaves.entry(name.to_owned()).or_default() += 1;
    }
    leaves.remove("[unknown]");
    leaves.remove("");
    (samples, weight, leaves)
}

#[test]
fn captures_hold_what_a_plain_count_finds() {
    let captures = captures();
    assert!(!captures.is_empty(), "fixtures/mysql has recordings");
    for (path, text) in captures {
        let (samples, weight, leaves) = count_plainly(&text);
        let options = ReadOptions { threads: NonZeroUsize::new(2), ..ReadOptions::new() };
        let profile = read_profile(&Source::Path(path.clone()), &options).unwrap();
        assert_eq!(profile.events[0].samples, samples, "{}", path.display());
        assert_eq!(profile.events[0].weight.0, weight, "{}", path.display());
        assert_eq!(leaves_of(&profile), leaves, "{}", path.display());
        let one = ReadOptions { threads: NonZeroUsize::new(1), time: TimeWindow::All, ..ReadOptions::new() };
        assert_eq!(read_profile(&Source::Path(path), &one).unwrap(), profile);
    }
}

fn leaves_of(profile: &Profile) -> BTreeMap<String, u64> {
    let mut leaves = BTreeMap::new();
    for cell in &profile.cells {
        let leaf = profile.stacks.get(cell.stack).last().map(|id| profile.frames[id.index()]);
        if let Some(symbol) = leaf.and_then(|leaf| leaf.symbol) {
            *leaves.entry(profile.string(symbol).to_owned()).or_default() += u64::from(cell.samples);
        }
    }
    leaves
}
