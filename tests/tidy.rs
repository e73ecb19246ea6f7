//! The shape of the workspace: who may depend on whom, and which libraries stand where.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names under `[dependencies]` of a manifest.
fn dependencies(manifest: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(manifest).unwrap();
    let table: toml::Table = text.parse().unwrap();
    table
        .get("dependencies")
        .and_then(toml::Value::as_table)
        .map_or_else(Vec::new, |table| table.keys().cloned().collect())
}

fn packages() -> BTreeMap<String, Vec<String>> {
    let mut packages = BTreeMap::from([("pdiff".to_owned(), dependencies(&root().join("Cargo.toml")))]);
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        packages.insert(name, dependencies(&entry.path().join("Cargo.toml")));
    }
    packages
}

/// Files of a kind below a directory, what cargo builds aside.
fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|of| of == extension) {
            found.push(path);
        }
    }
    found
}

fn sources() -> Vec<PathBuf> {
    let mut sources = files(&root().join("src"), "rs");
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        sources.extend(files(&entry.unwrap().path().join("src"), "rs"));
    }
    sources
}

#[test]
fn packages_depend_only_along_the_line() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("pdiff-profile", &[][..]),
        ("pdiff-ingest", &["pdiff-profile"][..]),
        ("pdiff-symbolize", &["pdiff-profile"][..]),
        ("pdiff-analysis", &["pdiff-profile"][..]),
        ("pdiff-study", &["pdiff-analysis", "pdiff-profile"][..]),
        ("pdiff-render", &["pdiff-analysis", "pdiff-profile", "pdiff-study"][..]),
        ("pdiff-store", &["pdiff-profile"][..]),
        (
            "pdiff",
            &[
                "pdiff-analysis",
                "pdiff-ingest",
                "pdiff-profile",
                "pdiff-render",
                "pdiff-store",
                "pdiff-study",
                "pdiff-symbolize",
            ][..],
        ),
    ]);
    for (package, dependencies) in packages() {
        let allowed = allowed
            .get(package.as_str())
            .unwrap_or_else(|| panic!("{package}: another package needs a written reason"));
        for dependency in dependencies.iter().filter(|name| name.starts_with("pdiff")) {
            assert!(allowed.contains(&dependency.as_str()), "{package} must not depend on {dependency}");
        }
    }
}

#[test]
fn libraries_stand_where_they_belong() {
    let homes: &[(&str, &[&str])] = &[
        ("gimli", &["pdiff-symbolize"]),
        ("object", &["pdiff-symbolize"]),
        ("memmap2", &["pdiff-symbolize"]),
        ("csv", &["pdiff-render"]),
        ("inferno", &["pdiff-render"]),
        ("tabled", &["pdiff-render"]),
        ("plotters", &["pdiff-render"]),
        ("polars", &["pdiff-render", "pdiff-store", "pdiff-study"]),
        ("clap", &["pdiff"]),
        ("anyhow", &["pdiff"]),
        ("indicatif", &["pdiff"]),
        ("debuginfod", &["pdiff"]),
        ("ureq", &["pdiff"]),
    ];
    for (package, dependencies) in packages() {
        for (library, homes) in homes {
            let here = dependencies.iter().any(|dependency| dependency == library);
            assert!(!here || homes.contains(&package.as_str()), "{library} does not belong in {package}");
        }
    }
}

/// Packages that the library needs without default features: those that read, symbolise, compare and classify.
const MOST_PACKAGES: usize = 60;

#[test]
fn the_library_alone_needs_few_packages() {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root()).args(["tree", "--locked", "--offline", "--no-default-features"]);
    let output =
        command.args(["--package", "pdiff", "--edges", "normal", "--prefix", "none"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let packages: BTreeSet<&str> = text.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    assert!(packages.iter().any(|package| package.starts_with("pdiff-analysis ")), "{packages:?}");
    assert!(packages.len() <= MOST_PACKAGES, "{}: {packages:?}", packages.len());
}

#[test]
fn only_the_root_package_prints_reads_the_environment_or_exits() {
    let words = ["println!", "eprintln!", "print!(", "std::env::", "process::exit"];
    for file in sources().iter().filter(|file| !file.starts_with(root().join("src"))) {
        let text = std::fs::read_to_string(file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let code = line.trim_start();
            if code.starts_with("//") {
                continue;
            }
            if code.starts_with("#[cfg(test)]") {
                break;
            }
            let is_test = file.file_name().is_some_and(|name| name == "tests.rs");
            let odd = words.iter().find(|word| code.contains(**word) && !code.contains("env!("));
            assert!(odd.is_none() || is_test, "{}:{}: {}", file.display(), number + 1, code);
        }
    }
}

/// cargo runs test programs in order of the packages' names, then of the targets' names.
#[test]
fn the_line_of_what_was_skipped_is_the_last_of_a_test_run() {
    assert!(packages().keys().all(|package| package.as_str() < "pdiff-testing"), "pdiff-testing is not last");
    for entry in std::fs::read_dir(root().join("tests")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.ends_with(".rs") || name.as_str() <= "what_was_skipped.rs", "{name} runs after it");
    }
    for manifest in files(root(), "toml").iter().filter(|file| file.ends_with("Cargo.toml")) {
        let manifest_text = std::fs::read_to_string(manifest).unwrap();
        let is_quiet =
            !manifest.with_file_name("src/lib.rs").exists() || manifest_text.contains("doctest = false");
        assert!(is_quiet, "{}: doc examples would run after it", manifest.display());
    }
}

/// Source files of one package by their module paths; tests are left out.
fn modules(src: &Path) -> BTreeMap<Vec<String>, String> {
    let mut modules = BTreeMap::new();
    for file in files(src, "rs") {
        let names = file.strip_prefix(src).unwrap().with_extension("");
        let mut path: Vec<String> = names.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
        if path.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
            path.pop();
        }
        if path.iter().any(|name| name.ends_with("tests")) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        modules.insert(path, lines.collect::<Vec<_>>().join("\n"));
    }
    modules
}

/// Adds the paths that begin at the start of `text`, and gives the text behind them.
fn paths<'t>(text: &'t str, before: &[String], found: &mut Vec<Vec<String>>) -> &'t str {
    if let Some(mut rest) = text.strip_prefix('{') {
        while !rest.is_empty() && !rest.starts_with('}') {
            let after = paths(rest, before, found);
            rest = if after.len() < rest.len() { after } else { rest.get(1..).unwrap_or_default() };
            rest = rest.trim_start_matches([' ', '\n', ',']);
        }
        return rest.strip_prefix('}').unwrap_or(rest);
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let mut path = before.to_vec();
    match word {
        "" => return rest,
        "super" => drop(path.pop()),
        _ => path.push(word.to_owned()),
    }
    match rest.strip_prefix("::") {
        Some(rest) => paths(rest, &path, found),
        None => {
            found.push(path);
            rest
        }
    }
}

/// The modules of its package that a module names.
fn imports(module: &[String], code: &str, all: &BTreeMap<Vec<String>, String>) -> BTreeSet<Vec<String>> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let is_inside = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
            if !is_inside {
                let before =
                    if start == "crate::" { &[] } else { module.split_last().map_or(&[][..], |(_, of)| of) };
                paths(&code[at + start.len()..], before, &mut found);
            }
        }
    }
    let module_of = |path: Vec<String>| (0..=path.len()).rev().find_map(|n| all.get_key_value(&path[..n]));
    found.into_iter().filter_map(module_of).map(|(of, _)| of.clone()).filter(|of| of != module).collect()
}

/// A module and what it is made of may know each other; no two others may.
#[test]
fn no_file_imports_one_that_imports_it_back() {
    let mut packages = vec![root().join("src")];
    let crates = std::fs::read_dir(root().join("crates")).unwrap();
    packages.extend(crates.map(|entry| entry.unwrap().path().join("src")));
    let (mut circles, mut seen) = (Vec::new(), 0);
    for src in packages {
        let all = modules(&src);
        let known: BTreeMap<_, _> =
            all.iter().map(|(path, code)| (path, imports(path, code, &all))).collect();
        for (path, of) in &known {
            seen += of.len();
            let back = |other: &&Vec<String>| path < other && known[other].contains(*path);
            let is_part = |other: &Vec<String>| path.starts_with(other) || other.starts_with(path);
            for other in of.iter().filter(back).filter(|other| !is_part(other)) {
                circles.push(format!("{}: {} and {}", src.display(), path.join("::"), other.join("::")));
            }
        }
    }
    assert!(seen > 500, "only {seen} imports were found");
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn every_file_says_what_it_is() {
    for file in sources() {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} does not begin with //!", file.display());
    }
}

#[test]
fn no_file_is_named_after_nothing() {
    for file in sources() {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let vague = ["util", "utils", "common", "shared", "types", "misc", "helpers"];
        assert!(!vague.contains(&name.as_str()), "{} is named after nothing", file.display());
    }
}

/// What a heading is called in a link, as GitHub makes it of its words.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn documents_link_to_files_and_headings_that_exist() {
    let documents = files(root(), "md");
    assert!(documents.len() > 30, "{documents:?}");
    for document in documents {
        let text = std::fs::read_to_string(&document).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { document.clone() } else { document.parent().unwrap().join(file) };
            assert!(path.exists(), "{} links to {target}, which is not there", document.display());
            if !heading.is_empty() {
                let there = std::fs::read_to_string(&path).unwrap();
                let mut headings = there.lines().filter(|line| line.starts_with('#'));
                let is_there = headings.any(|line| anchor(line) == heading);
                assert!(is_there, "{} links to {target}, which has no such heading", document.display());
            }
        }
    }
}
