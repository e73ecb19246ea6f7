//! The report's scripts without a browser, by node's own test runner.

use std::path::Path;

#[test]
fn the_report_s_tree_is_turned_and_joined_without_loss() {
    let Some(mut node) = pdiff_testing::tool("node") else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = node.arg("--test").arg(root.join("tests/scripts/")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("# pass 8") || said.contains("pass 8"), "{said}");
}

#[test]
fn each_script_of_the_report_can_be_read_by_node() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/pdiff-render/assets");
    for file in std::fs::read_dir(assets).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "js") {
            let Some(mut node) = pdiff_testing::tool("node") else { return };
            let output = node.arg("--check").arg(&file).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn two_builds_are_recorded_in_turns() {
    let Some(mut perf) = pdiff_testing::tool("perf") else { return };
    let directory = tempfile::tempdir().unwrap();
    let probe = directory.path().join("probe.data");
    let output = perf.args(["record", "-e", "cpu-clock", "-o"]).arg(&probe).arg("true").output().unwrap();
    if !pdiff_testing::did("perf", "record cpu-clock", output.status.success()) {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("share/record-pair.sh");
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new("sh");
        command.arg(&script).args(words).env("PERF_FLAGS", "-e cpu-clock -F 999 -g");
        command.current_dir(directory.path()).output().unwrap()
    };
    let turn = |side: &str| format!("echo {side} >>turns; i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done");
    let output = run(&["out", "2", &turn("before"), &turn("after")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let turns = std::fs::read_to_string(directory.path().join("turns")).unwrap();
    assert_eq!(
        turns, "before\nafter\nbefore\nafter\nafter\nbefore\n",
        "one of each unrecorded, then in turns"
    );
    for name in ["before-1", "before-2", "after-1", "after-2"] {
        assert!(directory.path().join("out").join(format!("{name}.data")).is_file(), "{name}");
    }
    let failing = run(&["out", "1", "true", "test -e once && exit 7; touch once"]);
    assert_eq!(failing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&failing.stderr).contains("recording after-1 failed"));
    assert_eq!(run(&["out", "none", "true", "true"]).status.code(), Some(2));
}
