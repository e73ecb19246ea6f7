//! `pdiff script`: every sample of a recording is the one that perf script prints, and what is printed reads back the same.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/perf-data")
}

fn pdiff(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdiff"));
    command.current_dir(fixtures()).env("PERF_BUILDID_DIR", fixtures().join("cache"));
    command.env_remove("DEBUGINFOD_URLS").args(arguments).output().unwrap()
}

fn script(recording: &str, more: &[&str]) -> String {
    let output = pdiff(&[&["script", recording, "--binary", "work", "-q", "--no-cache"], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn perf_text(name: &str) -> String {
    let packed = std::fs::File::open(fixtures().join(format!("{name}.perf.zst"))).unwrap();
    String::from_utf8(zstd::decode_all(packed).unwrap()).unwrap()
}

/// Comm, tid, time in microseconds, period and event; then address, symbol and object of each frame.
type Sample = (Vec<String>, Vec<[String; 3]>);

/// The samples of a text in perf's form, with or without call chains.
fn samples(text: &str) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix('\t') {
            Some(line) => samples.last_mut().unwrap().1.push(frame(line)),
            None => samples.push(head(line)),
        }
    }
    samples
}

fn head(line: &str) -> Sample {
    let (thread, rest) = line.split_once(": ").unwrap();
    let (thread, time) = thread.rsplit_once(' ').unwrap();
    let thread =
        thread.trim_end().strip_suffix(']').map_or(thread, |with_cpu| with_cpu.rsplit_once('[').unwrap().0);
    let (comm, ids) = thread.trim().rsplit_once(' ').unwrap();
    let (period, rest) = rest.trim_start().split_once(' ').unwrap();
    let (event, leaf) = rest.trim_start().split_once(": ").unwrap_or((rest.trim_start(), ""));
    let (seconds, fraction) = time.split_once('.').unwrap();
    let tid = ids.rsplit('/').next().unwrap();
    let parts =
        [comm.trim(), tid, &format!("{seconds}.{}", &fraction[..6]), period, event.trim_end_matches(':')];
    let frames = if leaf.trim().is_empty() { Vec::new() } else { vec![frame(leaf)] };
    (parts.map(str::to_owned).to_vec(), frames)
}

fn frame(line: &str) -> [String; 3] {
    let (addr, rest) = line.trim().split_once(' ').unwrap();
    let (symbol, object) = rest.rsplit_once(" (").unwrap();
    // perf says the version of a symbol (exp@@GLIBC_2.29).
    let (name, offset) = symbol.rsplit_once('+').unwrap_or((symbol, ""));
    let name = name.split("@@").next().unwrap();
    [addr.to_owned(), format!("{name}+{offset}"), object.to_owned()]
}

#[test]
fn every_sample_is_that_of_perf_script() {
    for name in
        ["fp", "flat", "stream", "build-ids", "two-events", "group", "period", "packed", "deleted", "cgroups"]
    {
        let ours = samples(&script(&format!("{name}.data"), &["--no-inline"]));
        let of_perf = samples(&perf_text(name));
        assert!(ours.len() > 90, "{name}");
        assert_eq!(ours.len(), of_perf.len(), "{name}");
        for ((head, frames), (perf_head, perf_frames)) in ours.iter().zip(&of_perf) {
            assert_eq!(head, perf_head, "{name}");
            assert_eq!(frames.len(), perf_frames.len(), "{name}: {frames:?}");
            for ([addr, symbol, object], [perf_addr, perf_symbol, perf_object]) in
                frames.iter().zip(perf_frames)
            {
                assert_eq!(object, perf_object, "{name}");
                // On one line with its event perf prints the address in memory.
                assert!(addr == perf_addr || frames.len() == 1, "{name}: {addr} {symbol}, {perf_addr}");
                // Other libraries than those of the recording may be at their places.
                if object.ends_with("/work)") {
                    assert_eq!(symbol, perf_symbol, "{name}");
                }
            }
        }
    }
}

#[test]
fn unwound_samples_stand_where_their_times_are() {
    let (ours, of_perf) = (samples(&script("dwarf.data", &[])), samples(&perf_text("dwarf")));
    let heads = |samples: &[Sample]| samples.iter().map(|(head, _)| head.clone()).collect::<Vec<_>>();
    assert_eq!(heads(&ours), heads(&of_perf));
}

#[test]
fn what_is_printed_reads_back_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["fp", "dwarf", "two-events"] {
        let text = folder.path().join(format!("{name}.perf"));
        std::fs::write(&text, script(&format!("{name}.data"), &[])).unwrap();
        let recording = format!("{name}.data");
        let binaries = ["--binary-before", "work", "--binary-after", "work", "--no-cache", "-q"];
        let output = pdiff(
            &[&["compare", &recording, text.to_str().unwrap(), "--format", "csv"], &binaries[..]].concat(),
        );
        let csv = String::from_utf8(output.stdout).unwrap();
        let mut lines = csv.lines();
        let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
        let at = |wanted: &str| columns.iter().position(|column| *column == wanted).unwrap();
        assert!(csv.lines().count() > 10, "{csv}");
        for line in lines {
            let fields: Vec<&str> = line.split(',').collect();
            for column in ["delta_self_pp", "delta_total_pp"] {
                assert_eq!(fields[at(column)].parse::<f64>().unwrap(), 0.0, "{name}: {line}");
            }
        }
    }
}

#[test]
fn inlined_functions_are_lines_of_their_own_unless_left_out() {
    let (with, without) = (script("fp.data", &[]), script("fp.data", &["--no-inline"]));
    assert_eq!(without.matches("(inlined)").count(), 0);
    assert!(with.lines().filter(|line| !line.ends_with("(inlined)")).eq(without.lines()));
}

#[test]
fn parts_and_events_are_chosen() {
    let all = samples(&script("two-events.data", &[]));
    let faults = samples(&script("two-events.data", &["--event", "page-faults"]));
    assert!(!faults.is_empty() && faults.len() < all.len());
    assert!(faults.iter().all(|(head, _)| head[4] == "page-faults"));
    let (first, half) =
        (samples(&script("fp.data", &[])), samples(&script("fp.data", &["--time", "0%-50%"])));
    assert!(half.len() > first.len() / 4 && half.len() < first.len() * 3 / 4, "{}", half.len());
    assert_eq!(half[..], first[..half.len()]);
    let unknown = pdiff(&["script", "fp.data", "--event", "faults", "-q"]);
    assert_eq!(unknown.status.code(), Some(2));
    let text = String::from_utf8(unknown.stderr).unwrap();
    assert_eq!(text.trim(), "pdiff: error: --event: fp.data has no event 'faults'; hint: it has cpu-clock");
}

#[test]
fn samples_are_chosen_by_cpu_and_by_cgroup() {
    let count = |recording: &str, more: &[&str]| samples(&script(recording, more)).len();
    assert_eq!(count("cgroups.data", &[]), 94);
    // perf report -s cgroup: 51.06 % and 48.94 % of 94 samples.
    assert_eq!(count("cgroups.data", &["--cgroup", "^/shop/web$"]), 48);
    assert_eq!(count("cgroups.data", &["--cgroup", "batch"]), 46);
    assert_eq!(count("cgroups.data", &["--cgroup", "web", "--cgroup", "batch"]), 94);
    assert_eq!(count("cgroups.data", &["--cgroup", "web", "--cpu", "0-1,5"]), 48);
    let text = perf_text("cgroups");
    for cpu in ["0", "1"] {
        let of_perf = text.lines().filter(|line| line.contains(&format!("[00{cpu}]"))).count();
        assert!(of_perf > 10);
        assert_eq!(count("cgroups.data", &["--cpu", cpu]), of_perf);
        let weight =
            |text: &str| samples(text).iter().map(|(head, _)| head[3].parse::<u64>().unwrap()).sum::<u64>();
        // Text says the CPU, too.
        let printed = pdiff(&["script", "cgroups.perf.zst", "-q", "--no-symbolize", "--cpu", cpu]);
        let printed = String::from_utf8(printed.stdout).unwrap();
        assert_eq!(weight(&printed), weight(&script("cgroups.data", &["--cpu", cpu])));
    }
    let refused = |recording: &str, more: &[&str]| {
        let output = pdiff(&[&["script", recording, "-q"], more].concat());
        assert_eq!(output.status.code(), Some(2), "{recording} {more:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(
        refused("cgroups.data", &["--cgroup", "nowhere"])
            .contains("hint: it has /, /shop, /shop/batch, /shop/web")
    );
    assert!(refused("cgroups.data", &["--cpu", "9"]).contains("on the chosen CPUs or in the chosen cgroups"));
    assert!(refused("cgroups.data", &["--cpu", "x"]).contains("write numbers and ranges"));
    assert!(refused("fp.data", &["--cpu", "0"]).contains("perf record --sample-cpu"));
    assert!(refused("fp.data", &["--cgroup", "web"]).contains("perf record --all-cgroups"));
    assert!(refused("cgroups.perf.zst", &["--cgroup", "web"]).contains("give perf.data itself"));
}

#[test]
fn each_side_of_a_comparison_has_its_own_cgroup() {
    let sides = ["--cgroup", "before:web", "--cgroup", "after:batch", "--format", "json"];
    let output =
        pdiff(&[&["compare", "cgroups.data", "cgroups.data", "-q", "--no-cache"], &sides[..]].concat());
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&result["before"]["samples"], &result["after"]["samples"]), (&48.into(), &46.into()));
}

#[test]
fn what_keeps_no_single_samples_says_so() {
    let output = pdiff(&["script", "fp.perf.zst", "--no-symbolize", "-q"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("does not keep samples one by one"), "{errors}");
    let printed = samples(&String::from_utf8(output.stdout).unwrap());
    let period =
        |samples: &[Sample]| samples.iter().map(|(head, _)| head[3].parse::<u64>().unwrap()).sum::<u64>();
    assert_eq!(period(&printed), period(&samples(&perf_text("fp"))));
}

/// A small kernel with two functions, elsewhere than where it ran; `None` without a compiler.
fn small_kernel(file: &Path, build_id: &str) -> Option<()> {
    let code = ".globl _text\n_text: .skip 0xc60\n\
                .globl fault_entry\n.type fault_entry, @function\n\
                fault_entry: .skip 0x30\n.size fault_entry, . - fault_entry\n";
    let source = file.with_extension("s");
    std::fs::write(&source, code).unwrap();
    let mut gcc = pdiff_testing::tool("gcc")?;
    gcc.args(["-nostdlib", "-static", "-no-pie", "-Wl,-Ttext=0x1000000", "-Wl,-e,0x1000000", "-o"]).arg(file);
    let status = gcc.arg(format!("-Wl,--build-id=0x{build_id}")).arg(&source).status().unwrap();
    assert!(status.success());
    Some(())
}

#[test]
fn kernel_functions_have_the_names_of_the_kernels_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let build_id = "e4f18d9dc1d0e6fc2b17e93e885a647b3c0a6fc1";
    let kernel = folder.path().join("vmlinux");
    let Some(()) = small_kernel(&kernel, build_id) else { return };
    let usual = ["script", "fp.data", "--no-cache", "-q", "--no-inline"];
    let text = |more: &[&str]| String::from_utf8(pdiff(&[&usual[..], more].concat()).stdout).unwrap();
    let (by_list, by_file) = (text(&[]), text(&["--binary", kernel.to_str().unwrap()]));
    assert_eq!(by_list.matches(" asm_exc_page_fault+0x22 ([kernel.kallsyms])").count(), 4);
    assert_eq!(by_file.matches(" fault_entry+0x22 ([kernel.kallsyms])").count(), 4);
    assert!(!by_file.contains("asm_exc_page_fault"), "{by_file}");
    // Where distributions put it, below a directory that has the recorded machine's files.
    let boot = folder.path().join("root/boot");
    std::fs::create_dir_all(&boot).unwrap();
    std::fs::copy(&kernel, boot.join("vmlinux-6.18.44-fc-v595")).unwrap();
    let root = folder.path().join("root");
    assert_eq!(text(&["--symfs", root.to_str().unwrap()]).matches(" fault_entry+0x22 ").count(), 4);
}

#[test]
fn the_file_of_another_kernel_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = folder.path().join("vmlinux");
    let Some(()) = small_kernel(&kernel, "0123456789abcdef0123456789abcdef01234567") else { return };
    let output = pdiff(&["script", "fp.data", "--no-cache", "-q", "--binary", kernel.to_str().unwrap()]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("is another build than the [kernel.kallsyms]"), "{error}");
    // What was not given, and only found, is left aside.
    let boot = folder.path().join("root/boot");
    std::fs::create_dir_all(&boot).unwrap();
    std::fs::copy(&kernel, boot.join("vmlinux-6.18.44-fc-v595")).unwrap();
    let found = pdiff(&[
        "script",
        "fp.data",
        "--no-cache",
        "-q",
        "--symfs",
        folder.path().join("root").to_str().unwrap(),
    ]);
    let text = String::from_utf8(found.stdout).unwrap();
    assert!(text.contains(" asm_exc_page_fault+0x22 ") && !text.contains("fault_entry"), "{text}");
}

#[test]
fn code_made_at_run_time_has_the_functions_that_were_there_at_the_time() {
    let ours = samples(&script("jit.data", &["--symfs", "root"]));
    let of_perf = samples(&perf_text("jit"));
    assert_eq!(ours.len(), of_perf.len());
    let names = |frames: &[[String; 3]]| frames.iter().map(|[_, name, _]| name.clone()).collect::<Vec<_>>();
    let mut made = [0, 0];
    for ((head, frames), (perf_head, perf_frames)) in ours.iter().zip(&of_perf) {
        assert_eq!(head, perf_head);
        let is_made = |[_, _, object]: &[String; 3]| object.contains("/jitted-");
        if perf_frames.first().is_some_and(is_made) {
            assert_eq!(names(&frames[..1]), names(&perf_frames[..1]), "{head:?}");
            made[usize::from(frames[0][1].starts_with("second"))] += 1;
        }
    }
    // The second function stood in the place of the first, and ran twice as long.
    assert!(made[0] > 40 && made[1] > 80, "{made:?}");
}

#[test]
fn code_made_at_run_time_that_cannot_be_named_is_noted() {
    let note = |recording: &str, root: &str| {
        let arguments = ["compare", recording, recording, "--no-cache", "-q", "--symfs", root];
        String::from_utf8(pdiff(&arguments).stdout).unwrap()
    };
    assert!(!note("jit.data", "root").contains("no-jit-symbols"));
    let missing = note("jit.data", "cache");
    assert!(missing.contains("no-jit-symbols") && missing.contains("jit-29804.dump"), "{missing}");
}
