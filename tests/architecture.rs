//! What ARCHITECTURE.md says is there: each file that it names, and a test for each of its laws.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// The section of a heading, up to the next one.
fn section<'t>(text: &'t str, heading: &str) -> &'t str {
    let (_, rest) = text.split_once(&format!("\n## {heading}\n")).unwrap();
    rest.split("\n## ").next().unwrap()
}

/// What stands between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// All sources, tests included.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn each_law_names_a_test_that_is_there() {
    let page = text(&root().join("ARCHITECTURE.md"));
    let laws = section(&page, "Laws");
    let code: Vec<String> = ["tests", "crates"]
        .iter()
        .flat_map(|folder| sources(&root().join(folder)))
        .map(|path| text(&path))
        .collect();
    let bullets: Vec<&str> = laws.split("\n- ").skip(1).collect();
    assert!(bullets.len() >= 8, "{laws}");
    for law in bullets {
        let tests: Vec<&str> = quoted(law).into_iter().filter(|word| word.contains('_')).collect();
        assert!(!tests.is_empty(), "no test holds: {law}");
        for test in tests {
            let is_there = code.iter().any(|text| text.contains(&format!("fn {test}(")));
            assert!(is_there, "there is no test {test}");
        }
    }
}

#[test]
fn the_ways_to_the_page_are_short_and_lead_through_files_that_are_there() {
    let page = text(&root().join("ARCHITECTURE.md"));
    assert!(page.lines().count() <= 150, "{} lines", page.lines().count());
    let (mut compare, mut classify) = (Vec::new(), Vec::new());
    for line in section(&page, "From `main` to the page")
        .lines()
        .filter(|line| line.starts_with("| `src/") || line.starts_with("| `crates/"))
    {
        let mut cells = line.trim_matches('|').split('|');
        compare.extend(quoted(cells.next().unwrap()));
        classify.extend(quoted(cells.next().unwrap()));
    }
    assert!((8..=12).contains(&compare.len()), "{compare:?}");
    assert!((8..=16).contains(&classify.len()), "{classify:?}");
    for file in compare.iter().chain(&classify) {
        assert!(root().join(file).is_file(), "{file} is not there");
    }
}

#[test]
fn the_library_of_the_root_package_prints_nothing() {
    let library = text(&root().join("src/lib.rs"));
    let modules = library.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let mut files: Vec<PathBuf> = modules.map(|name| root().join(format!("src/{name}.rs"))).collect();
    assert!(files.len() > 8, "{files:?}");
    files.extend(sources(&root().join("src/read")));
    let words = ["println!", "eprintln!", "print!(", "std::env::", "process::exit", "stderr()", "stdout()"];
    for file in files {
        for line in text(&file).lines().filter(|line| !line.trim_start().starts_with("//")) {
            let odd = words.iter().find(|word| line.contains(**word));
            assert!(odd.is_none(), "{}: {line}", file.display());
        }
    }
}
