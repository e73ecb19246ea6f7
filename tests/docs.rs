//! What the documents claim of the program: messages exist as they are quoted, commands run as they stand.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};

use rayon::prelude::*;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The text of every source file under a directory.
fn sources(directory: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            text += &sources(&path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text += &std::fs::read_to_string(&path).unwrap();
        }
    }
    text
}

#[test]
fn every_message_of_the_troubleshooting_page_is_one_of_the_programs() {
    let page = std::fs::read_to_string(root().join("docs/troubleshooting.md")).unwrap();
    // String literals may be broken by a backslash at the end of a line.
    let sources = sources(&root().join("src")) + &sources(&root().join("crates"));
    let joined: String = sources
        .split("\\\n")
        .enumerate()
        .map(|(at, part)| if at == 0 { part } else { part.trim_start() })
        .collect();
    let quoted: Vec<&str> = page.split("**`").skip(1).map(|rest| rest.split_once("`**").unwrap().0).collect();
    assert!(quoted.len() > 20, "{quoted:?}");
    let unknown: Vec<&&str> = quoted.iter().filter(|message| !joined.contains(**message)).collect();
    assert!(unknown.is_empty(), "no source file holds {unknown:?}");
}

/// Files that commands of the documents speak of, and what stands for them here.
const STAND_INS: &[(&str, &str)] = &[
    ("old.perf", "fixtures/mysql/57-aligned-r1.perf.zst"),
    ("new.perf", "fixtures/mysql/80-aligned-r1.perf.zst"),
    ("old.data", "fixtures/perf-data/fp.data"),
    ("new.data", "fixtures/perf-data/deleted.data"),
    ("new-1.data", "fixtures/perf-data/fp.data"),
    ("56.perf", "fixtures/mysql/56-aligned-r1.perf.zst"),
    ("57.perf", "fixtures/mysql/57-aligned-r1.perf.zst"),
    ("80.perf", "fixtures/mysql/80-aligned-r1.perf.zst"),
    ("new-1.perf", "fixtures/mysql/80-aligned-r1.perf.zst"),
    ("old-variables.tsv", "fixtures/settings/57.tsv"),
    ("new-variables.tsv", "fixtures/settings/80.tsv"),
    ("mysqld", "fixtures/inlines/after.elf"),
    ("old/mysqld", "fixtures/inlines/before.elf"),
    ("new/mysqld", "fixtures/inlines/after.elf"),
    ("fixtures", "fixtures"),
];

/// Paths and programs of the documents that are not on every machine, and what stands for them here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("/usr/sbin/mysqld", "./mysqld"),
    // No distribution packages it; `tests/flame.rs` gives the same lines to inferno's library.
    ("| inferno-flamegraph", "| cat"),
];

/// The documents in a directory and in those below it.
fn documents(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(documents(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found
}

/// How the README runs pdiff where it is not installed.
const FROM_SOURCE: &str = "cargo quick ";

/// The commands of a document that run `pdiff`: in blocks of `sh`, and behind `$ ` in blocks of `console`; with the
/// directory that an earlier line of the block changed to.
fn commands(page: &str) -> Vec<(String, String)> {
    let mut commands = Vec::new();
    let mut block = None;
    let mut directory = String::new();
    let page = page.replace("\\\n", " ");
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            block = block.is_none().then_some(language);
            directory.clear();
            continue;
        }
        let command = match block {
            Some("sh") => Some(line),
            Some("console") => line.strip_prefix("$ "),
            _ => None,
        };
        let Some(command) = command else { continue };
        let command = command.replacen(FROM_SOURCE, "pdiff ", 1);
        match command.strip_prefix("cd ") {
            Some(to) => to.trim().clone_into(&mut directory),
            None if command.starts_with("pdiff ") => commands.push((command, directory.clone())),
            None => {}
        }
    }
    commands
}

#[test]
fn every_command_of_the_documents_runs() {
    let scratch = tempfile::tempdir().unwrap();
    for (name, stands_for) in STAND_INS {
        let link = scratch.path().join(name);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(root().join(stands_for), link).unwrap();
    }
    std::fs::create_dir_all(scratch.path().join(".local/share/bash-completion/completions")).unwrap();
    let pdiff = pdiff_testing::pdiff();
    let program = Path::new(pdiff.get_program()).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut pages: Vec<PathBuf> = vec![root().join("README.md")];
    pages.extend(documents(&root().join("docs")));
    pages.sort();
    assert!(pages.iter().any(|page| page.ends_with("docs/verdicts/moved.md")), "folders are left out");
    // A command may use what an earlier one of its page wrote; pages stand alone.
    let ran: usize = pages.par_iter().map(|page| run_page(page, scratch.path(), &path)).sum();
    assert!(ran >= 12 || pdiff_testing::tool("bash").is_none(), "{ran} commands");
}

/// Runs the commands of one page in order; gives how many ran.
fn run_page(page: &Path, scratch: &Path, path: &str) -> usize {
    let mut ran = 0;
    for (command, directory) in commands(&std::fs::read_to_string(page).unwrap()) {
        let here = ELSEWHERE.iter().fold(command.clone(), |text, (there, here)| text.replace(there, here));
        let piped_into = here.split('|').skip(1).filter_map(|command| command.split_whitespace().next());
        if !piped_into.into_iter().all(|program| program == "pdiff" || pdiff_testing::tool(program).is_some())
        {
            continue;
        }
        let Some(mut bash) = pdiff_testing::tool("bash") else { return 0 };
        let output = bash
            .args(["-o", "pipefail", "-c", &here])
            .current_dir(scratch.join(&directory))
            .env("PATH", path)
            .env("HOME", scratch)
            .env("XDG_CACHE_HOME", scratch.join("cache"))
            .env_remove("DEBUGINFOD_URLS")
            .output()
            .unwrap();
        let tripped = command.contains(" --fail-on ") && output.status.code() == Some(1);
        assert!(
            output.status.success() || tripped,
            "{}: {command}\n{}",
            page.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        ran += 1;
    }
    ran
}
