//! What the tests of all packages share: the built program, and the tools that some tests need.
//!
//! A test that needs a tool asks [`tool`] for it. Where the tool is missing, the check is skipped and the skip is recorded;
//! the last test of a run prints one line of what was skipped. In CI (`CI` or `PDIFF_TEST_WITHOUT` is set) a missing tool
//! fails the test instead, unless `PDIFF_TEST_WITHOUT` names it: `PDIFF_TEST_WITHOUT="clang++ perf" cargo test`. A tool
//! that is named there is not used even if it is installed.

mod record;

use std::path::Path;
use std::process::Command;

pub use record::print_skipped;

/// Every tool that a test may ask for, with the Debian package that has it; `.ci/run` installs them.
const TOOLS: &str = include_str!("../tools.tsv");

/// The tools that a run may go without, separated by spaces or commas.
const WITHOUT: &str = "PDIFF_TEST_WITHOUT";

/// The program under test, with nothing in its environment that changes its output.
#[must_use]
pub fn pdiff() -> Command {
    let program =
        std::env::var_os("CARGO_BIN_EXE_pdiff").expect("cargo names the program to the root package's tests");
    let mut command = Command::new(program);
    for variable in ["COLUMNS", "NO_COLOR", "CLICOLOR_FORCE", "DEBUGINFOD_URLS"] {
        command.env_remove(variable);
    }
    command
}

/// A tool to run, or `None` after recording that the check is skipped.
///
/// # Panics
///
/// In CI, if the tool is missing and not named in `PDIFF_TEST_WITHOUT`.
#[must_use]
pub fn tool(name: &str) -> Option<Command> {
    assert!(
        TOOLS.lines().any(|line| line.split('\t').next() == Some(name)),
        "{name} is not in tests/support/tools.tsv, so .ci/run does not install it"
    );
    if is_left_out(name) || !is_installed(name) {
        skip(name);
        return None;
    }
    Some(Command::new(name))
}

/// Whether a tool did what the check needs; if not, the skip is recorded: `did("objcopy", "compress as zlib-gnu", status.success())`.
///
/// # Panics
///
/// In CI, if it did not and the tool is not named in `PDIFF_TEST_WITHOUT`.
#[must_use]
pub fn did(tool: &str, what: &str, is_done: bool) -> bool {
    if !is_done {
        assert!(!is_strict() || is_left_out(tool), "{tool} cannot {what} here; {}", hint(tool));
        record::add(&format!("{tool} that can {what}"));
    }
    is_done
}

/// A Python that has a module which no distribution packages, or `None` after recording that the check is skipped. CI does not
/// install such a module, so its absence is never a failure.
#[must_use]
pub fn python_with(module: &str) -> Option<Command> {
    let python = || Command::new("python3");
    let found = python().args(["-c", &format!("import {module}")]).output();
    if is_left_out(module) || !found.is_ok_and(|output| output.status.success()) {
        record::add(&format!("python3 with {module}"));
        return None;
    }
    Some(python())
}

fn skip(name: &str) {
    assert!(!is_strict() || is_left_out(name), "{name} is not installed; {}", hint(name));
    record::add(name);
}

fn hint(name: &str) -> String {
    format!("hint: install it, or name it in {WITHOUT} to go without: {WITHOUT}=\"{name}\"")
}

fn is_strict() -> bool {
    [WITHOUT, "CI"].iter().any(|variable| std::env::var_os(variable).is_some())
}

fn is_left_out(name: &str) -> bool {
    let without = std::env::var(WITHOUT).unwrap_or_default();
    without.split([' ', ',']).any(|tool| tool == name)
}

fn is_installed(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| is_program(&directory.join(name)))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_a_program_on_the_path() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-tool"));
    }
}
