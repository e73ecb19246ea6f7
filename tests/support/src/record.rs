//! What was skipped in a run of `cargo test`: a file that all test programs of the run add lines to.
//!
//! libtest shows what a test prints only if it fails, so a test cannot say itself that it was skipped. The programs of one run
//! have the same parent, cargo, so its process id names the file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

/// Adds a skipped check, named by the test that is running.
pub(crate) fn add(missing: &str) {
    let thread = std::thread::current();
    let line = format!("{missing}\t{}\n", thread.name().unwrap_or("a test"));
    let path = file();
    fs::create_dir_all(path.parent().expect("the file is in a directory")).expect("target can be written");
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("target can be written");
    // One call of write, so that lines of programs that run at the same time do not mix.
    file.write_all(line.as_bytes()).expect("target can be written");
}

/// Prints one line of what was skipped since cargo started.
#[expect(clippy::print_stdout, reason = "the line is what this is for")]
pub fn print_skipped() {
    let skipped = fs::read_to_string(file()).unwrap_or_default();
    println!("{}", summary(&skipped));
}

fn summary(skipped: &str) -> String {
    let mut tests: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (missing, test) in skipped.lines().filter_map(|line| line.split_once('\t')) {
        let tests = tests.entry(missing).or_default();
        if !tests.contains(&test) {
            tests.push(test);
        }
    }
    if tests.is_empty() {
        return "tests: nothing was skipped".to_owned();
    }
    let mut line = "tests: skipped, for lack of".to_owned();
    for (at, (missing, tests)) in tests.iter().enumerate() {
        let separator = if at == 0 { "" } else { ";" };
        write!(line, "{separator} {missing}: {}", tests.join(", ")).expect("a string can be written to");
    }
    line
}

/// `target/DIR/skipped-tests/PARENT-START`, from `target/DIR/deps/PROGRAM`.
fn file() -> PathBuf {
    let program = std::env::current_exe().expect("a program has a path");
    let directory = program.ancestors().nth(2).expect("cargo puts test programs below target");
    let parent = std::os::unix::process::parent_id();
    directory.join("skipped-tests").join(format!("{parent}-{}", started(parent).unwrap_or_default()))
}

/// When a process started, in ticks since boot: process ids are used again, these pairs are not.
fn started(process: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may contain spaces; the start time is the 20th field after it.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_one_line() {
        assert_eq!(summary(""), "tests: nothing was skipped");
        assert_eq!(
            summary("g++\tsome_test\nperf\tother_test\ng++\tsome_test\ng++\tthird_test\n"),
            "tests: skipped, for lack of g++: some_test, third_test; perf: other_test"
        );
    }

    #[test]
    fn a_process_has_a_start() {
        if cfg!(target_os = "linux") {
            assert!(started(std::process::id()).unwrap().parse::<u64>().unwrap() > 0);
        }
    }
}
