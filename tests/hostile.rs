//! Recordings, files and streams made to do harm: each run ends by itself, in little memory, with one clear line where it
//! cannot go on, and leaves nothing half-written.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Address space of a run, in KB: what is read is some megabytes, the rest is for threads and the program itself.
const MOST_KB: u64 = 3 << 20;

/// `pdiff` under a limit of memory: past it an allocation fails, and with it the run.
fn pdiff() -> Command {
    let mut command = Command::new("sh");
    let limited = format!("ulimit -v {MOST_KB} && exec \"$0\" \"$@\"");
    command.args(["-c", &limited, pdiff_testing::pdiff().get_program().to_str().unwrap()]);
    command.env_remove("COLUMNS").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One line on standard error, exit status 2, nothing on standard output.
fn refusal(output: &Output) -> String {
    let error = text(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

const CHAIN: &str = "\t    1139 work+0x9 (/bin/app)\n\t    1200 main+0x2 (/bin/app)\n\n";

fn header(comm: &str, time: &str, period: &str) -> String {
    format!("{comm} 7/7 [000] {time}: {period} cycles: \n")
}

/// Three thousand good samples of weight 1000.
fn good() -> String {
    let time = |sample: u32| format!("{}.{:06}", sample / 100 + 1, sample % 100 * 10_000);
    (0..3000).map(|sample| header("app", &time(sample), "1000") + CHAIN).collect()
}

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        files.put("good.perf", good().as_bytes());
        files
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A command on the good recording and another.
    fn against(&self, command: &str, other: &Path, more: &[&str]) -> Output {
        let mut run = pdiff();
        run.arg(command).arg(self.path("good.perf")).arg(other).args(more).arg("--no-symbolize");
        run.output().unwrap()
    }

    /// What `compare` says of the good recording with `more` behind it; every other command takes it too.
    fn report(&self, more: &str) -> Value {
        let path = self.put("other.perf", (good() + more).as_bytes());
        for arguments in [&["classify"][..], &["flame"], &["flame", "--format", "json"], &["explain", "work"]]
        {
            let output = self.against(arguments[0], &path, &arguments[1..]);
            assert!(output.status.success(), "{arguments:?} {}", text(&output.stderr));
        }
        let output = self.against("compare", &path, &["--format", "json"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// How often notes of a kind stand in a report.
fn noted(report: &Value, kind: &str) -> u64 {
    let of_kind = report["notes"].as_array().unwrap().iter().filter(|note| note["kind"] == kind);
    of_kind.map(|note| note["count"].as_u64().unwrap()).sum()
}

fn samples(report: &Value) -> u64 {
    report["after"]["samples"].as_u64().unwrap()
}

#[test]
fn a_line_of_ten_megabytes_is_noted_wherever_it_stands() {
    let files = Files::new();
    let long = "x".repeat(10_000_000);
    let frame = header("app", "99.500000", "1000") + &format!("\t 1139 {long}+0x9 (/bin/app)\n\n");
    let report = files.report(&frame);
    assert_eq!((noted(&report, "line-too-long"), samples(&report)), (1, 3001), "{}", report["notes"]);
    let report = files.report(&(header(&long, "99.500000", "1000") + CHAIN));
    assert_eq!((noted(&report, "line-too-long"), samples(&report)), (1, 3000), "{}", report["notes"]);
    let report = files.report(&format!("{long}\n"));
    assert_eq!((noted(&report, "line-too-long"), samples(&report)), (1, 3000), "{}", report["notes"]);
    let alone = files.put("alone.perf", long.as_bytes());
    assert!(refusal(&files.against("compare", &alone, &[])).contains("has no samples in its"));
}

#[test]
fn a_stack_of_a_hundred_thousand_frames_is_cut_and_noted() {
    let files = Files::new();
    let head = header("app", "99.500000", "1000");
    let different: String =
        (0..100_000).map(|depth| format!("\t{:x} f{depth}+0x1 (/bin/app)\n", 0x1000 + depth * 16)).collect();
    let same = "\t    1139 work+0x9 (/bin/app)\n".repeat(100_000);
    for stack in [different, same] {
        let report = files.report(&format!("{head}{stack}\n"));
        assert_eq!((noted(&report, "stack-too-deep"), samples(&report)), (1, 3001), "{}", report["notes"]);
    }
    let names: Vec<String> = (0..8000).map(|depth| format!("f{depth}")).collect();
    let folded = files.put("deep.folded", format!("{}\nmain;work 3000\n", names.join(";") + " 5").as_bytes());
    for command in ["compare", "classify", "flame"] {
        let output = files.against(command, &folded, &["--lenient"]);
        assert!(output.status.success(), "{command}: {}", text(&output.stderr));
    }
}

#[test]
fn periods_that_are_no_weights_are_never_counted_as_such() {
    let files = Files::new();
    for period in ["NaN", "-5", "inf", "1e400", "18446744073709551616", "99999999999999999999999999"] {
        let report = files.report(&(header("app", "99.500000", period) + CHAIN));
        let weight = report["after"]["weight"].as_u64().unwrap();
        assert!((3_000_000..=3_001_000).contains(&weight), "{period}: {weight}");
        let notes = report["notes"].as_array().unwrap();
        assert!(!notes.is_empty(), "{period}");
    }
    let largest = header("app", "99.500000", "18446744073709551615") + CHAIN;
    let path = files.put("sum.perf", (good() + &largest).as_bytes());
    let error = refusal(&files.against("compare", &path, &[]));
    assert!(error.contains("sum.perf: the periods of event 'cycles'"), "{error}");
}

#[test]
fn times_that_go_backwards_or_past_the_end_are_noted() {
    let files = Files::new();
    let backwards: String =
        (0..500).map(|step| header("app", &format!("{}.000000", 5000 - 2 * step), "1000") + CHAIN).collect();
    let report = files.report(&backwards);
    assert_eq!(noted(&report, "time-backwards"), 499, "{}", report["notes"]);
    assert_eq!(samples(&report), 3500);
    for time in ["18446744073709551615.999999", "18446744073.709551", "99999999999999999999999.000000"] {
        let report = files.report(&(header("app", time, "1000") + CHAIN));
        assert!(samples(&report) >= 3000, "{time}");
    }
}

#[test]
fn addresses_past_the_end_do_not_overflow() {
    let files = Files::new();
    let frames = "\tffffffffffffffff a+0xffffffffffffffff (/bin/app)\n\t0 b+0x7fffffffffffffff (/bin/app)\n\
                  \t1ffffffffffffffffff c (/bin/app)\n\t8000000000000000 d (/bin/app)\n\n";
    let map = "app 7/7 [000] 99.600000: PERF_RECORD_MMAP2 7/7: \
               [0xfffffffffffff000(0xffffffffffffffff) @ 0xfffffffffffffff0 08:01 5 0]: r-xp /bin/app\n";
    let report = files.report(&format!("{}{frames}{map}", header("app", "99.500000", "1000")));
    assert_eq!(samples(&report), 3001);
}

#[test]
fn links_that_loop_and_files_that_are_none_are_named() {
    let files = Files::new();
    std::os::unix::fs::symlink(files.path("b"), files.path("a")).unwrap();
    std::os::unix::fs::symlink(files.path("a"), files.path("b")).unwrap();
    let looping = files.path("a");
    assert!(refusal(&files.against("compare", &looping, &[])).contains("cannot read"));
    for path in [&looping, &files.path("missing"), &files.0.path().to_owned(), &PathBuf::from("/dev/null")] {
        let output = pdiff().arg("symbolize").arg(path).arg("0x1").output().unwrap();
        let error = refusal(&output);
        assert!(error.contains(path.to_str().unwrap()), "{error}");
    }
    // A tree of directories that leads into itself is walked once.
    std::os::unix::fs::symlink(files.0.path(), files.path("self")).unwrap();
    let symfs = files.0.path().to_str().unwrap();
    let output = pdiff()
        .args(["compare", "--symfs", symfs, "--no-cache"])
        .args([files.path("good.perf"), files.path("good.perf")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn what_cannot_be_read_or_is_gone_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let files = Files::new();
    let locked = files.put("locked.perf", good().as_bytes());
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o0)).unwrap();
    // root may read everything, but nobody can read a link to itself.
    if fs::File::open(&locked).is_ok() {
        fs::remove_file(&locked).unwrap();
        std::os::unix::fs::symlink(&locked, &locked).unwrap();
    }
    assert!(refusal(&files.against("compare", &locked, &[])).contains("locked.perf"));
    // A file of which the end goes while it is read: of a pipe that breaks off, what came counts, and says so.
    let mut child = pdiff()
        .args(["compare", "--no-symbolize", "--format", "json"])
        .arg(files.path("good.perf"))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let cut = good();
    child.stdin.take().unwrap().write_all(&cut.as_bytes()[..cut.len() - 40]).unwrap();
    let output = child.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(samples(&report), 3000);
    assert!(!report["notes"].as_array().unwrap().is_empty());
}

#[test]
fn arguments_that_are_no_text_are_told_of() {
    use std::os::unix::ffi::OsStrExt as _;
    let odd = std::ffi::OsStr::from_bytes(b"\xff");
    for arguments in [&[odd][..], &[odd, odd], &["compare".as_ref(), odd]] {
        let error = refusal(&pdiff().args(arguments).output().unwrap());
        assert!(error.starts_with("pdiff: error: "), "{error}");
    }
}

#[test]
fn without_a_home_nothing_is_left_where_the_command_runs() {
    let directory = tempfile::tempdir().unwrap();
    let binary = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/inlines/before.elf");
    let mut run = pdiff();
    run.args(["inlines", binary, binary])
        .current_dir(&directory)
        .env("HOME", "")
        .env_remove("XDG_CACHE_HOME");
    assert!(run.output().unwrap().status.success());
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
}

#[test]
fn sides_whose_weights_do_not_fit_together_are_compared() {
    let files = Files::new();
    // Twice 2^63 is 0 to a processor.
    let heavy = header("app", "1.0", &(1_u64 << 63).to_string()) + CHAIN;
    let heavy = files.put("heavy.perf", heavy.as_bytes());
    for command in ["compare", "classify", "flame", "report"] {
        let mut run = pdiff();
        let output = run.arg(command).args([&heavy, &heavy]).arg("--no-symbolize").output().unwrap();
        assert!(output.status.success(), "{command}: {}", text(&output.stderr));
        assert!(command == "classify" || text(&output.stdout).contains("work"), "{command}");
    }
}

#[test]
fn more_workers_than_the_system_gives_are_not_asked_for() {
    let files = Files::new();
    let good = files.path("good.perf");
    let output = files.against("compare", &good, &["--threads", "1000000", "--format", "json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(output.stdout, files.against("compare", &good, &["--format", "json"]).stdout);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_said_and_a_closed_pipe_is_not() {
    let files = Files::new();
    let good = files.path("good.perf");
    let full = || Stdio::from(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    for command in ["compare", "classify", "flame"] {
        let mut run = pdiff();
        run.arg(command).args([&good, &good]).arg("--no-symbolize");
        let output = run.stdout(full()).stderr(Stdio::piped()).output().unwrap();
        let error = refusal(&output);
        assert!(error.contains("standard output") && error.contains("No space left"), "{command}: {error}");
        let output = files.against(command, &good, &["-o", "/dev/full"]);
        assert!(refusal(&output).contains("writing /dev/full: No space left"), "{command}");
    }
    for arguments in
        [&["--help"][..], &["compare", "--help"], &["--version"], &["completions", "bash"], &["man"]]
    {
        let output = pdiff().args(arguments).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        assert!(refusal(&output).contains("standard output: No space left"), "{arguments:?}");
        let mut child =
            pdiff().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{arguments:?}");
    }
}

#[test]
fn what_makes_a_comparison_worthless_is_said() {
    let files = Files::new();
    let good = files.path("good.perf");
    let good = good.to_str().unwrap();
    let said = |arguments: &[&str]| {
        let output = pdiff().args(arguments).arg("--no-symbolize").output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout) + &text(&output.stderr)
    };
    assert!(said(&["compare", good, good, "--tps-before", "5"]).contains("--tps-before has no effect"));
    assert!(!said(&["compare", good, good, "--tps-before", "5", "--tps-after", "4"]).contains("no effect"));
    let twice = said(&["compare", "--before", good, good, "--after", good]);
    assert!(twice.contains("is given twice on one side"), "{twice}");
    assert!(!said(&["compare", "--before", good, "--after", good]).contains("twice"));
    let other = files.put("other.folded", b"start;other 3000\nstart;more 20\n");
    let apart = said(&["compare", good, other.to_str().unwrap()]);
    assert!(apart.contains("these look like two programs"), "{apart}");
    assert!(!said(&["compare", good, good]).contains("two programs"));
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/inlines/before.elf");
    let output = pdiff().args(["symbolize", fixture, "0x400110", "0xffffffffff", "0x1"]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(text(&output.stderr), "pdiff: warning: 2 of 3 addresses are outside of the file's code\n");
}

#[test]
fn bombs_are_unpacked_in_little_memory_and_refused() {
    let files = Files::new();
    let zeros = vec![0_u8; 256 << 20];
    let line = vec![b'x'; 256 << 20];
    for (name, bytes) in [("zeros.zst", &zeros), ("line.zst", &line)] {
        let packed = zstd::encode_all(&bytes[..], 1).unwrap();
        assert!(packed.len() < 100_000);
        let path = files.put(name, &packed);
        refusal(&files.against("compare", &path, &[]));
        // Bombs in a bomb: only the outer one is unpacked.
        let path = files.put(name, &zstd::encode_all(&packed[..], 1).unwrap());
        refusal(&files.against("compare", &path, &[]));
    }
}

#[test]
fn a_run_ended_while_a_result_is_written_leaves_nothing_half_written() {
    let files = Files::new();
    let out = files.path("results");
    fs::create_dir(&out).unwrap();
    let result = out.join("result.json");
    fs::write(&result, "the old result").unwrap();
    // The recording comes through a pipe that stays open, so the run is surely not over when the signal comes. It is not
    // SIGINT, which commands ignore that a script started in the background.
    let mut child = pdiff()
        .args(["compare", "--no-symbolize", "--format", "json", "-o"])
        .args([&result, &files.path("good.perf")])
        .arg("-")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(good().as_bytes()).unwrap();
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert!(!child.wait().unwrap().success());
    assert_eq!(fs::read_to_string(&result).unwrap(), "the old result");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "no temporary file is left");
}
