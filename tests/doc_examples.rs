//! The examples in the doc comments of all packages compile and run.
//!
//! cargo would run them after every test program; it does not (`doctest = false`), so that the line of what was skipped is the
//! last of `cargo test`.

use std::process::Command;

#[test]
fn examples_in_doc_comments_run() {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args([
        "test",
        "--doc",
        "--workspace",
        "--exclude",
        "pdiff-testing",
        "--quiet",
        "--locked",
        "--offline",
    ]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains(" passed"), "no example was run: {said}");
}
