//! Mistakes of those who compare are named in the first line; honest pairs name none. Gates end with 0, 1, 2 or 3.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};
use std::process::Output;

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mysql").join(name).display().to_string()
}

fn run(command: &str, arguments: &[&str]) -> Output {
    pdiff_testing::pdiff().args([command, "--no-symbolize", "--quiet"]).args(arguments).output().unwrap()
}

fn compare(arguments: &[&str]) -> String {
    let output = run("compare", arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What is said before the heading, in one line.
fn first_words(arguments: &[&str]) -> String {
    let text = compare(arguments);
    let alarm: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    alarm.join(" ")
}

struct Texts(tempfile::TempDir);

impl Texts {
    fn put(&self, name: &str, text: &str) -> String {
        let path: PathBuf = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

/// Samples of one thread in a program, with the chain of each from the leaf on.
fn samples(program: &str, chains: &[(&str, usize)]) -> String {
    let mut text = String::new();
    let mut at = 0;
    for (chain, times) in chains {
        for _ in 0..*times {
            at += 1;
            text +=
                &format!("server 7/7 [000] {}.{:06}: 1000000 cpu-clock: \n", at / 1000 + 1, at % 1000 * 1000);
            for frame in chain.split(' ') {
                match frame.strip_prefix("libc:") {
                    Some(frame) => text += &format!("\t 891f5 {frame} (/usr/lib/libc.so.6)\n"),
                    None => text += &format!("\t 1139 {frame}+0x9 ({program})\n"),
                }
            }
            text += "\n";
        }
    }
    text
}

#[test]
fn honest_pairs_name_no_mistake() {
    let pairs = [
        ("56-aligned-r1", "57-aligned-r1"),
        ("57-aligned-r1", "80-aligned-r1"),
        ("56-aligned-r1", "80-aligned-r1"),
        ("57-default", "80-default"),
        ("80-aligned-r1", "80-aligned-r2"),
    ];
    for (before, after) in pairs {
        let [before, after] = [before, after].map(|name| fixture(&format!("{name}.perf.zst")));
        let text = compare(&[&before, &after]);
        assert!(!text.contains("!!"), "{before} {after}: {text}");
        assert!(text.contains("/bin/mysqld"), "the program of each side is named: {text}");
    }
}

#[test]
fn sides_that_look_swapped_are_hinted_at() {
    for (newer, older) in [("80", "57"), ("80", "56"), ("57", "56")] {
        let [before, after] = [newer, older].map(|side| fixture(&format!("{side}-aligned-r1.perf.zst")));
        let said = first_words(&[&before, &after]);
        assert!(
            said.contains("the before side is the newer build") && said.contains("swap the sides"),
            "{said}"
        );
    }
}

#[test]
fn sides_are_compared_by_the_versions_that_git_describe_puts_into_paths() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let side = |version: &str, leaf: &str| {
        let program = format!("/builds/v{version}/server");
        texts.put(&format!("{version}.perf"), &samples(&program, &[(&format!("{leaf} handle main"), 300)]))
    };
    let (old, new) = (side("1.4-2-gabc1234", "work"), side("1.4-31-gdef5678", "work"));
    assert!(first_words(&[&new, &old]).contains("the newer build (1.4-31, after 1.4-2)"));
    assert!(!compare(&[&old, &new]).starts_with("!!"));
}

#[test]
fn two_programs_are_named_before_anything_else() {
    let orders = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/inline-only/after-r1.perf.zst");
    let orders = orders.display().to_string();
    for pair in
        [[fixture("80-aligned-r1.perf.zst"), orders.clone()], [orders, fixture("56-aligned-r1.perf.zst")]]
    {
        let [before, after] = pair.each_ref().map(String::as_str);
        let said = first_words(&[before, after]);
        assert!(said.starts_with("!!") && said.contains("these are two programs"), "{said}");
        assert!(said.contains("mysqld") && said.contains("orders"), "{said}");
        let gated = run("compare", &[before, after, "--fail-on", "delta_self_pp > 1"]);
        assert_eq!(gated.status.code(), Some(3));
        // Nothing is claimed of functions either, and no part is the change.
        let page = compare(&[before, after]).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains("is not known: the sides cannot be compared"), "{page}");
        let verdicts = run("classify", &[before, after, "--format", "csv"]).stdout;
        let verdicts = String::from_utf8(verdicts).unwrap();
        let is_claim = |line: &&str| line.contains(",proved,") || line.contains(",likely,");
        let claims: Vec<&str> =
            verdicts.lines().filter(is_claim).filter(|line| !line.contains(",noise,")).collect();
        assert!(verdicts.contains(",unclear,") && claims.is_empty(), "{claims:?}");
    }
    let texts = Texts(tempfile::tempdir().unwrap());
    let side =
        |name: &str, program: &str, chains: &[(&str, usize)]| texts.put(name, &samples(program, chains));
    let before = side("a.perf", "/opt/engine/bin/server", &[("read main", 300), ("write main", 300)]);
    // A program under a new name, with a library rewritten under new names.
    let renamed = side("b.perf", "/opt/engine/bin/daemon", &[("fetch main", 250), ("write main", 300)]);
    assert!(!compare(&[&before, &renamed]).contains("two programs"));
}

#[test]
fn one_recording_on_both_sides_is_named() {
    let recording = fixture("57-aligned-r1.perf.zst");
    assert!(first_words(&[&recording, &recording]).contains("the same recording is on both sides"));
    let texts = Texts(tempfile::tempdir().unwrap());
    let text = samples("/bin/server", &[("work main", 50)]);
    let copies = [texts.put("a.perf", &text), texts.put("b.perf", &text)];
    assert!(first_words(&[&copies[0], &copies[1]]).contains("the same recording is on both sides"));
}

#[test]
fn two_builds_as_replicates_of_one_side_are_named() {
    let [r57, r80, after, after_2] = ["57-aligned-r1", "80-aligned-r2", "80-aligned-r1", "80-aligned-r3"]
        .map(|name| fixture(&format!("{name}.perf.zst")));
    let said = first_words(&["--before", &r57, &r80, "--after", &after, &after_2]);
    assert!(said.contains("two builds, 5.7.22 and 8.0.33"), "{said}");
    let gate = ["--fail-on", "all:delta_self_pp > 0"];
    let arguments = [&["--before", &r57, &r80, "--after", &after, &after_2][..], &gate].concat();
    let output = run("compare", &arguments);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn two_builds_at_one_path_are_told_by_their_functions() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let run = |name: &str, leaf: &str| {
        let chains = [("shared handle main", 2000), (&*format!("{leaf} handle main"), 600)];
        texts.put(name, &samples("/bin/server", &chains))
    };
    let (one, other, again) = (run("1.perf", "old"), run("2.perf", "new"), run("3.perf", "old"));
    let said = first_words(&["--before", &one, &other, "--after", &again]);
    assert!(said.contains("in functions that no other run has"), "{said}");
    let said = first_words(&["--before", &one, &again, "--after", &other]);
    assert!(!said.contains("replicates"), "{said}");
}

#[test]
fn other_statements_than_before_are_another_workload() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let load = |name: &str, statement: &str| {
        let chain =
            format!("{statement} mysql_execute_command dispatch_command do_command handle_connection");
        let net = "read vio_read net_read do_command handle_connection";
        texts.put(name, &samples("/opt/mysql/bin/mysqld", &[(&chain, 700), (net, 300)]))
    };
    let (select, insert) = (
        load("select.perf", "row_search_mvcc Sql_cmd_select::execute"),
        load("insert.perf", "row_insert Sql_cmd_insert_values::execute_inner"),
    );
    let said = first_words(&[&select, &insert]);
    assert!(said.contains("SELECT 100 %") && said.contains("INSERT 0 %"), "{said}");
    assert!(said.contains("the sides did different work"), "{said}");
    let old_name = load("old.perf", "row_search mysql_select handle_select");
    assert!(
        !compare(&[&old_name, &select]).starts_with("!!"),
        "5.6 and 8.0 name the same statement otherwise"
    );
}

#[test]
fn another_workload_of_an_unknown_program_is_told_by_what_its_dispatcher_calls() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let load = |name: &str, chains: &[(&str, usize)]| texts.put(name, &samples("/bin/server", chains));
    let read = load("read.perf", &[("scan find get serve loop main", 700), ("poll loop main", 300)]);
    let write = load("write.perf", &[("log append put serve loop main", 650), ("poll loop main", 350)]);
    let said = first_words(&[&read, &write]);
    assert!(said.contains("the sides did different work") && said.contains("get"), "{said}");
    // The same work under another name is no other work, and neither is a slower function.
    let renamed = load("renamed.perf", &[("scan find fetch serve loop main", 700), ("poll loop main", 300)]);
    assert!(!compare(&[&read, &renamed]).starts_with("!!"));
    let slower = load("slower.perf", &[("scan find get serve loop main", 2700), ("poll loop main", 300)]);
    assert!(!compare(&[&read, &slower]).starts_with("!!"));
}

#[test]
fn a_kind_of_work_whose_name_became_longer_is_no_other_workload() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let of = |name: &str, entry: &str, search: &str| {
        let chain = format!("{search} {entry} main");
        texts.put(name, &samples("/bin/server", &[(&chain, 800), ("read main", 200)]))
    };
    let old = of("old.perf", "compress", "hash_chain");
    assert!(!compare(&[&old, &of("new.perf", "compress_row", "row_match")]).starts_with("!!"));
    let said = first_words(&[&old, &of("other.perf", "inflate", "row_match")]);
    assert!(said.contains("the sides did different work") && !said.contains("read"), "{said}");
}

#[test]
fn without_callers_the_work_is_not_judged() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let chained = texts.put("chained.perf", &samples("/bin/server", &[("scan get serve main", 500)]));
    let flat = texts.put("flat.perf", &samples("/bin/server", &[("scan", 300), ("poll", 200)]));
    let text = compare(&[&chained, &flat]);
    assert!(!text.contains("different work"), "{text}");
    assert!(text.contains("totals need chains on both sides"), "{text}");
}

#[test]
fn one_report_gives_costs_in_one_unit() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let side = |name: &str, work: usize| {
        texts.put(name, &samples("/bin/server", &[("work main", work), ("rest main", 400)]))
    };
    let sides = [side("before.perf", 800), side("after.perf", 900)];
    // 1,200 samples of 1 ms by 36 operations; then a thousand times as many.
    for (operations, unit, others) in [("36", "ms", ["us", "ns"]), ("36000", "us", ["ms", "ns"])] {
        let counted = ["--operations-before", operations, "--operations-after", operations];
        let arguments = [&[&*sides[0], &sides[1]][..], &counted].concat();
        let text = compare(&arguments);
        assert!(text.contains(&format!("33.33 -> 36.11 {unit} CPU per operation")), "{text}");
        assert!(text.contains(&format!("33.33 {unit} CPU ")), "{text}");
        for other in others {
            let is_unit = |word: &str| word == other || word == format!("{other}/op");
            assert!(!text.split_whitespace().any(is_unit), "{other}: {text}");
        }
    }
}

#[test]
fn a_program_that_was_found_for_one_side_only_is_named_with_the_option() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/inline-only");
    let path = |name: &str| fixture.join(name).display().to_string();
    let output = pdiff_testing::pdiff()
        .args(["compare", "--quiet", "--no-cache", "--symfs", &path("after")])
        .args([path("before-r1.perf.zst"), path("after-r1.perf.zst")])
        .args(["--binary-after", &path("after/orders")])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let alarm: String = text.lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    assert!(alarm.starts_with("!!") && alarm.contains("orders"), "{text}");
    assert!(alarm.contains("was not found on the before side"), "{alarm}");
    assert!(
        alarm.split_whitespace().collect::<Vec<_>>().join(" ").contains("--binary-before FILE"),
        "{alarm}"
    );
}

/// Recordings without names of their own; the program of one of them was built again since.
#[test]
fn a_program_that_was_built_again_is_compared_with_nothing() {
    let fixture = |name: &str| format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("opt/work")).unwrap();
    let compared = |command: &str, more: &[&str]| {
        pdiff_testing::pdiff()
            .args([command, "--quiet", "--no-cache", "--symfs", root.path().to_str().unwrap()])
            .args(["--binary-before", &fixture("perf-data/work")])
            .args(["--before", &fixture("perf-data/fp.data")])
            .args(["--after", &fixture("perf-data/build-ids.data")])
            .args(more)
            .output()
            .unwrap()
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let words = |output: &Output| text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    let said = words(&compared("compare", &[]));
    assert!(
        said.contains(
            "/opt/work/work was not found on the after side, so functions of this side are not known"
        ),
        "{said}"
    );
    std::fs::copy(fixture("inline-only/after/orders"), root.path().join("opt/work/work")).unwrap();
    let output = compared("compare", &["--fail-on", "delta_self_pp > 5"]);
    let said = words(&output);
    assert!(
        said.starts_with("!! program") && said.contains("keep a copy of each build, or record again"),
        "{said}"
    );
    assert!(
        said.contains("/opt/work/work is another build than the one recorded on the after side"),
        "{said}"
    );
    assert!(said.contains("result what changed between fp and build-ids is not known"), "{said}");
    assert!(!said.contains("the largest growth"), "{said}");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
}

#[test]
fn the_program_of_each_side_is_named_with_its_version_and_build() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let side = |name: &str, program: &str| texts.put(name, &samples(program, &[("work main", 300)]));
    let absent = [side("a.perf", "/absent/1.4/server"), side("b.perf", "/absent/1.5/server")];
    let compared = |sides: &[String], options: &[&str]| {
        let output = pdiff_testing::pdiff()
            .args(["compare", "--quiet", "--no-cache"])
            .args(sides)
            .args(options)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let text = compared(&absent, &[]);
    let program = text.lines().find(|line| line.starts_with("program")).unwrap();
    assert!(program.contains("/absent/1.4/server (not found, see --binary-before)"), "{program}");
    assert!(program.contains("/absent/1.5/server (not found, see --binary-after)"), "{program}");

    let fixture = |name: &str| format!("{}/fixtures/inline-only/{name}", env!("CARGO_MANIFEST_DIR"));
    let found = [fixture("before-r1.perf.zst"), fixture("after-r1.perf.zst")];
    let [before, after] = [fixture("before/orders"), fixture("after/orders")];
    let text = compared(&found, &["--binary-before", &before, "--binary-after", &after]);
    let program = text.lines().find(|line| line.starts_with("program")).unwrap();
    assert_eq!(program.matches("orders").count(), 2, "{program}");
    assert_eq!(program.matches("build-id ").count(), 2, "{program}");
}

#[test]
fn threads_of_one_group_are_compared_alone() {
    let [before, after] = ["57", "80"].map(|side| fixture(&format!("{side}-aligned-r1.perf.zst")));
    let groups = compare(&[&before, &after, "--by", "thread-group", "--format", "csv"]);
    assert!(groups.contains("connections") && groups.contains("purge"), "{groups}");
    let kept = compare(&[&before, &after, "--thread-group", "^purge", "--sort", "total"]);
    assert!(kept.lines().any(|line| line == "kept     thread group ^purge"), "{kept}");
    assert!(kept.contains("srv_purge_coordinator_thread") && !kept.contains("dispatch_command"), "{kept}");
    assert!(!kept.contains("different work"), "unresolved callers do not say which work it was: {kept}");
    let none = run("compare", &[&before, &after, "--thread-group", "absent"]);
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn chains_unwound_in_two_ways_are_named() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let side = |name: &str, root: &str| {
        texts.put(name, &samples("/bin/server", &[(&format!("work handle main libc:{root}"), 400)]))
    };
    let (pointers, unwound) =
        (side("fp.perf", "start_thread+0x305"), side("dwarf.perf", "start_thread+0x304"));
    let said = first_words(&[&pointers, &unwound]);
    assert!(said.contains("yes, by frame pointers before, yes, by debug information after"), "{said}");
    let again = texts.put(
        "again.perf",
        &samples(
            "/bin/server",
            &[
                ("more handle main libc:start_thread+0x305", 100),
                ("work handle main libc:start_thread+0x305", 300),
            ],
        ),
    );
    assert!(!compare(&[&pointers, &again]).starts_with("!!"));
}

#[test]
fn chains_that_lack_their_outermost_callers_are_told_where_they_are_many() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let whole = samples("/opt/server", &[("work serve main", 300)]);
    let cut = |times: usize| {
        let text = samples("/opt/server", &[("work serve top", times), ("work serve main", 300 - times)]);
        text.replace("1139 top+0x9 (/opt/server)", "ffffffffffffffff [unknown] ([unknown])")
    };
    let (whole, few, many) =
        (texts.put("whole.perf", &whole), texts.put("few.perf", &cut(30)), texts.put("many.perf", &cut(90)));
    let output = compare(&[&whole, &many]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(output.contains("! call chains cut off 0.0 % before, 30.0 % after: their outermost"), "{output}");
    assert!(!compare(&[&whole, &few]).contains("cut off"));
}

#[test]
fn a_run_table_of_other_builds_than_the_profiles_is_named() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let table = |name: &str, builds: [&str; 2]| {
        let rows = builds.map(|build| format!("{build},0,100\n{build},1,110\n"));
        texts.put(name, &format!("build,W,tps\n{}", rows.concat()))
    };
    let [before, after] = ["57", "80"].map(|side| fixture(&format!("{side}-aligned-r1.perf.zst")));
    let page = |table: &str| {
        let output = run("report", &[&before, &after, "--runs", table, "--factors", "W"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(page(&table("other.csv", ["5.6", "5.7"])).contains("builds of the run table"));
    assert!(!page(&table("same.csv", ["5.7", "8.0"])).contains("builds of the run table"));
}

#[test]
fn gates_pass_fail_or_are_inconclusive() {
    let before =
        ["57-aligned-r1", "57-aligned-r2", "57-aligned-r3"].map(|run| fixture(&format!("{run}.perf.zst")));
    let after =
        ["80-aligned-r1", "80-aligned-r2", "80-aligned-r3"].map(|run| fixture(&format!("{run}.perf.zst")));
    let sides: Vec<&str> = ["--before"]
        .into_iter()
        .chain(before.iter().map(String::as_str))
        .chain(["--after"])
        .chain(after.iter().map(String::as_str))
        .collect();
    let check = |command: &str, more: &[&str], expected: i32, said: &str| {
        let output = run(command, &[&sides, more].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(expected), "{more:?}: {errors}");
        assert!(errors.contains(said), "{more:?}: {errors}");
    };
    check("compare", &["--fail-on", "delta_self_pp > 50"], 0, "");
    check("compare", &["--fail-on", "delta_self_pp > 0.5"], 1, "tripped by");
    check("classify", &["--fail-on", "delta_self_pp > 0.5"], 1, "tripped by");
    check("compare", &["--fail-on", "speed > 1"], 2, "hint:");
    let gap = ["--fail-on", "gap_share_pct > 5"];
    check("compare", &gap, 3, "is inconclusive: the throughput is not known");
    check("compare", &[&gap[..], &["--inconclusive", "pass"]].concat(), 0, "is inconclusive");
    check("compare", &[&gap[..], &["--inconclusive", "fail"]].concat(), 1, "is inconclusive");
}

#[test]
fn without_a_gap_a_gate_on_its_shares_passes_with_a_note() {
    let one = fixture("57-aligned-r1.perf.zst");
    let tps = ["--tps-before", "5000", "--tps-after", "5000", "--fail-on", "gap_share_pct > 5"];
    let output = run("compare", &[&[&*one, &one][..], &tps].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert!(errors.contains("passes: the gap of +0.00 % is not significant"), "{errors}");
}

#[test]
fn a_gate_on_cost_with_one_run_a_side_asks_for_more_runs() {
    let [before, after, windows] =
        ["57-default.perf.zst", "80-default.perf.zst", "operations.tsv"].map(fixture);
    let gate = ["--windows", &windows, "--fail-on", "total:cost_change_pct > 3"];
    let output = run("compare", &[&[before.as_str(), &after], &gate[..]].concat());
    assert_eq!(output.status.code(), Some(3));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("changes of cost need several recordings of each build"), "{told}");
}

#[test]
fn a_count_of_operations_replaces_what_the_table_of_windows_lists() {
    let [before, after, windows] =
        ["57-default.perf.zst", "80-default.perf.zst", "operations.tsv"].map(fixture);
    // CPU seconds are those of the table: 28.53 and 29.31.
    let counts = ["--windows", &windows, "--operations-before", "2853", "--operations-after", "2931"];
    let text = compare(&[&[before.as_str(), &after], &counts[..]].concat());
    assert!(text.contains("10.00 -> 10.00 ms CPU per operation (+0.0 %)"), "{text}");
}

#[test]
fn a_gate_finer_than_the_noise_is_inconclusive() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let side = |name: &str, work: usize| {
        texts.put(name, &samples("/bin/server", &[("work main", work), ("rest main", 2000 - work)]))
    };
    let (before, after) = (side("before.perf", 1000), side("after.perf", 1012));
    let output = run("compare", &[&before, &after, "--fail-on", "delta_self_pp > 0.7"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(
        errors.contains("noise hides changes of that size") && errors.contains("more recordings"),
        "{errors}"
    );
}

#[test]
fn a_function_named_behind_the_recordings_of_the_after_side_is_explained() {
    let [before, after] = ["57", "80"].map(|side| fixture(&format!("{side}-aligned-r1.perf.zst")));
    let output = run("explain", &["--before", &before, "--after", &after, "cmp_dtuple_rec_with_match_low"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("cmp_dtuple_rec_with_match_low"), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_short_help_fits_on_a_screen() {
    for (command, most) in [("compare", 40), ("classify", 40), ("flame", 40), ("report", 40)] {
        let output = pdiff_testing::pdiff().args([command, "-h"]).output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.lines().count() <= most, "{command}: {} lines\n{help}", help.lines().count());
        assert!(help.contains("--help` shows all options"), "{help}");
    }
}

#[test]
fn a_recording_that_was_cut_off_is_told_first() {
    let of = |name: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/perf-data").join(name).display().to_string()
    };
    let words = first_words(&[&of("fp.data"), &of("cut.data")]);
    assert!(words.contains("recordings cut off none before") && words.contains("cut.data after"), "{words}");
    assert!(!first_words(&[&of("fp.data"), &of("fp.data")]).contains("cut off"));
    // What is only partly known trips no gate.
    let (whole, cut) = (of("fp.data"), of("cut.data"));
    let status =
        |after: &str| run("compare", &[&whole, after, "--fail-on", "delta_self_pp > 0.001"]).status.code();
    assert_eq!(status(&cut), Some(3));
    let text = run("compare", &[&whole, &cut, "--fail-on", "delta_self_pp > 0.001"]);
    assert!(String::from_utf8_lossy(&text.stderr).contains("recordings cut off"), "the reason is said");
}

#[test]
fn operations_of_a_part_in_time_are_asked_about() {
    let texts = Texts(tempfile::tempdir().unwrap());
    let path = texts.put("a.perf", &samples("/opt/a", &[("work main", 3000)]));
    let said = |arguments: &[&str]| {
        let output =
            run("compare", &[&[path.as_str(), path.as_str(), "--time", "after:0%-50%"], arguments].concat());
        String::from_utf8(output.stderr).unwrap()
    };
    let operations = ["--operations-before", "100", "--operations-after", "100"];
    let warning = said(&operations);
    assert!(warning.contains("a.perf are taken for those of the time that --time selects"), "{warning}");
    assert_eq!(said(&["--tps-before", "100", "--tps-after", "100"]), "");
    assert_eq!(said(&[]), "");
}
