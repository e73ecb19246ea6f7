//! What is shipped: every package says what it is and under which licence, no dependency has a licence or asks for a
//! compiler that we do not allow, manual pages and completions are in step with the command line.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// All packages that are built for this machine, from what cargo has at hand.
fn packages() -> Vec<Value> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let about = Command::new(rustc).arg("-vV").output().unwrap().stdout;
    let about = String::from_utf8(about).unwrap();
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let arguments = ["metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", host];
    let metadata: Value = serde_json::from_str(&cargo(&arguments)).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn is_ours(package: &Value) -> bool {
    package["source"].is_null()
}

fn toml(name: &str) -> toml::Table {
    std::fs::read_to_string(root().join(name)).unwrap().parse().unwrap()
}

/// Whether one may use it under the allowed licences: an SPDX expression of `AND`, `OR` and parentheses, or the older `/`.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let is_allowed = any(&mut words, allowed);
    is_allowed && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let mut is_allowed = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        is_allowed |= all(words, allowed);
    }
    is_allowed
}

fn all(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let mut is_allowed = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        is_allowed &= one(words, allowed);
    }
    is_allowed
}

fn one(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let word = words.next().unwrap_or_default();
    if word == "(" {
        let is_allowed = any(words, allowed);
        return words.next() == Some(")") && is_allowed;
    }
    match words.next_if_eq(&"WITH") {
        Some(_) => allowed.contains(&format!("{word} WITH {}", words.next().unwrap_or_default()).as_str()),
        None => allowed.contains(&word),
    }
}

#[test]
fn licence_expressions_are_read_as_spdx_has_them() {
    let check =
        |expression, expected| assert_eq!(is_allowed(expression, &["MIT", "Zlib", "A WITH x"]), expected);
    check("MIT", true);
    check("GPL-3.0", false);
    check("GPL-3.0 OR MIT", true);
    check("GPL-3.0 AND MIT", false);
    check("(GPL-3.0 OR MIT) AND Zlib", true);
    check("GPL-3.0 OR MIT AND GPL-3.0", false);
    check("Unlicense/MIT", true);
    check("A WITH x", true);
    check("A", false);
    check("MIT WITH x", false);
    check("", false);
    check("MIT MIT", false);
}

#[test]
fn every_dependency_has_a_licence_of_the_list() {
    let deny = toml("deny.toml");
    let allowed: Vec<&str> =
        deny["licenses"]["allow"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let packages = packages();
    assert!(packages.len() > 100);
    let odd: Vec<String> = packages
        .iter()
        .filter(|package| !is_allowed(package["license"].as_str().unwrap_or_default(), &allowed))
        .map(|package| format!("{}: {}", package["name"], package["license"]))
        .collect();
    assert!(odd.is_empty(), "{odd:#?}");
}

fn version(text: &str) -> Vec<u64> {
    text.split('.').map(|part| part.parse().unwrap()).collect()
}

#[test]
fn no_dependency_asks_for_a_newer_compiler_than_we_do() {
    let manifest = toml("Cargo.toml");
    let ours = manifest["workspace"]["package"]["rust-version"].as_str().unwrap();
    let newer: Vec<String> = packages()
        .iter()
        .filter_map(|package| {
            Some((package["name"].to_string(), package["rust_version"].as_str()?.to_owned()))
        })
        .filter(|(_, theirs)| version(theirs) > version(ours))
        .map(|(name, theirs)| format!("{name} {theirs}"))
        .collect();
    assert!(newer.is_empty(), "newer than {ours}: {newer:?}");
    let said = format!("Rust {ours}");
    let page = std::fs::read_to_string(root().join("docs/packaging.md")).unwrap();
    assert!(page.contains(&said), "docs/packaging.md does not say {said}");
}

#[test]
fn every_package_says_what_it_is_and_holds_its_licences() {
    // What is never published says so with an empty list of registries.
    let is_shipped = |package: &&Value| is_ours(package) && package["publish"].is_null();
    for package in packages().iter().filter(is_shipped) {
        let name = package["name"].as_str().unwrap();
        for key in ["description", "license", "repository", "readme", "rust_version"] {
            assert!(package[key].as_str().is_some_and(|text| !text.is_empty()), "{name}: {key}");
        }
        for key in ["keywords", "categories"] {
            assert!(!package[key].as_array().unwrap().is_empty(), "{name}: {key}");
        }
        let files = cargo(&["package", "--list", "--allow-dirty", "--offline", "--package", name]);
        for file in ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/lib.rs"] {
            assert!(files.lines().any(|line| line == file), "{name} is shipped without {file}");
        }
        assert!(!files.contains(".perf.zst"), "{name} is shipped with recordings");
    }
}

/// The commands, and the long options of each, from its help.
fn commands() -> Vec<(String, Vec<String>)> {
    let help = |arguments: &[&str]| {
        let output = pdiff_testing::pdiff().args(arguments).arg("--help").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let main = help(&[]);
    let list = main.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap().to_owned();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.map(|line| line.split_whitespace().next().unwrap().to_owned());
    let of_store = ["add", "list", "sums", "check", "prune", "sql"].map(|name| format!("store {name}"));
    let names = names.chain(of_store);
    let options = |name: &str| {
        let page = help(&name.split(' ').collect::<Vec<_>>());
        let page = page.split("\nExamples:").next().unwrap().to_owned();
        let starts = page.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        let long = starts.filter_map(|line| line.split([' ', ',', '[']).find(|word| word.starts_with("--")));
        long.map(str::to_owned).collect()
    };
    names.filter(|name| name != "help").map(|name| (name.clone(), options(&name))).collect()
}

/// Writes manual pages and completions as packages do.
fn make_share(directory: &Path) {
    let mut make = Command::new(root().join("share/make"));
    let made = make.arg(directory).arg(env!("CARGO_BIN_EXE_pdiff")).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

#[test]
fn manual_pages_and_completions_hold_every_command_and_option() {
    let directory = tempfile::tempdir().unwrap();
    make_share(directory.path());
    let read = |name: &str| -> String {
        let path: PathBuf = directory.path().join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let scripts = ["bash-completion/completions/pdiff", "zsh/site-functions/_pdiff"].map(read);
    let fish = read("fish/vendor_completions.d/pdiff.fish");
    let commands = commands();
    assert!(commands.len() > 8, "{commands:?}");
    for (name, options) in &commands {
        let page = read(&format!("man/man1/pdiff-{}.1", name.replace(' ', "-")));
        for option in options {
            let in_roff = option.replace('-', "\\-");
            assert!(page.contains(&in_roff), "pdiff-{name}.1 lacks {option}");
            assert!(
                scripts.iter().all(|script| script.contains(option)),
                "completions of {name} lack {option}"
            );
            assert!(fish.contains(&format!("-l {}", &option[2..])), "fish: {name} lacks {option}");
        }
    }
    let pages = std::fs::read_dir(directory.path().join("man/man1")).unwrap().count();
    assert_eq!(pages, commands.len() + 1, "a page a command and one for all");
}

/// All files under a directory, as paths from it.
fn files_under(directory: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                files.push(path.strip_prefix(directory).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    files
}

/// Whether a path is one that a pattern with at most one `*`, in its last part, names.
fn is_named_by(path: &str, pattern: &str) -> bool {
    let Some((start, end)) = pattern.split_once('*') else { return path == pattern };
    let rest = path.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    rest.is_some_and(|rest| !rest.contains('/'))
}

/// The sources and destinations of the Debian package.
fn files_of_deb(deb: &toml::Value) -> Vec<(String, String)> {
    let text = |value: &toml::Value| value.as_str().unwrap().to_owned();
    let assets = deb["assets"].as_array().unwrap().iter();
    assets.map(|asset| (text(&asset[0]), text(&asset[1]))).collect()
}

#[test]
fn the_debian_package_names_every_file_that_share_make_writes() {
    let directory = tempfile::tempdir().unwrap();
    make_share(directory.path());
    let made: Vec<String> =
        files_under(directory.path()).iter().map(|file| format!("target/share/{file}")).collect();
    assert!(made.len() > 10, "{made:?}");
    let assets = files_of_deb(&toml("Cargo.toml")["package"]["metadata"]["deb"]);
    for file in &made {
        let named = assets.iter().filter(|(source, _)| is_named_by(file, source)).count();
        assert_eq!(named, 1, "{file} is named {named} times in [package.metadata.deb]");
    }
    for (source, _) in assets.iter().filter(|(source, _)| source != "target/release/pdiff") {
        let is_there = made.iter().any(|file| is_named_by(file, source)) || root().join(source).is_file();
        assert!(is_there, "[package.metadata.deb] names {source}, which neither is here nor is made");
    }
}

#[test]
fn the_debian_package_has_the_program_and_its_licences_and_refuses_its_namesake() {
    let manifest = toml("Cargo.toml");
    let deb = &manifest["package"]["metadata"]["deb"];
    let assets = files_of_deb(deb);
    let expected = [
        ("target/release/pdiff", "usr/bin/"),
        ("LICENSE-APACHE", "usr/share/doc/pdiff/"),
        ("LICENSE-MIT", "usr/share/doc/pdiff/"),
        ("README.md", "usr/share/doc/pdiff/"),
    ];
    for (source, to) in expected {
        let is_there = assets.iter().any(|(file, directory)| (&**file, &**directory) == (source, to));
        assert!(is_there, "[package.metadata.deb] lacks {source} in {to}");
    }
    // Debian's a2ps has /usr/bin/pdiff and its manual page: unpacking ours next to it would fail halfway.
    assert_eq!(deb["conflicts"].as_str(), Some("a2ps"));
    assert!(deb.get("replaces").is_none(), "a2ps does something else, so it is not replaced silently");
}

/// A template of `[package.metadata.binstall]` for one target.
fn expanded(template: &toml::Value, manifest: &toml::Table, target: &str) -> String {
    let package = &manifest["workspace"]["package"];
    let values = [
        ("repo", package["repository"].as_str().unwrap()),
        ("version", package["version"].as_str().unwrap()),
        ("name", manifest["package"]["name"].as_str().unwrap()),
        ("bin", manifest["bin"][0]["name"].as_str().unwrap()),
        ("target", target),
        ("binary-ext", ""),
    ];
    let text = template.as_str().unwrap().to_owned();
    let text = values.iter().fold(text, |text, (key, value)| text.replace(&format!("{{ {key} }}"), value));
    assert!(!text.contains('{'), "{text}");
    text
}

/// A program that runs the tested one, so that archives in tests are small.
fn stand_in(directory: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = directory.join("pdiff");
    std::fs::write(&path, format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_pdiff"))).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn the_archive_of_a_release_is_where_binstall_looks_and_is_the_same_twice() {
    let Some(mut tar) = pdiff_testing::tool("tar") else { return };
    let directory = tempfile::tempdir().unwrap();
    let target = "x86_64-unknown-linux-musl";
    let release = |to: &str| -> PathBuf {
        let mut release = Command::new(root().join("share/release"));
        let to = directory.path().join(to);
        release.args([&to, &stand_in(directory.path())]).arg(target).env("SOURCE_DATE_EPOCH", "1700000000");
        let output = release.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        to
    };
    let (first, second) = (release("first"), release("second"));
    let manifest = toml("Cargo.toml");
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let url = expanded(&binstall["pkg-url"], &manifest, target);
    let name = url.rsplit('/').next().unwrap();
    let read =
        |path: PathBuf| std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(read(first.join(name)), read(second.join(name)));
    let checksum = String::from_utf8(read(first.join(format!("{name}.sha256")))).unwrap();
    assert!(checksum.len() > 64 && checksum.ends_with(&format!("  {name}\n")), "{checksum}");

    let output = tar.args(["-tzf".as_ref(), first.join(name).as_path()]).output().unwrap();
    let files = String::from_utf8(output.stdout).unwrap();
    let program = expanded(&binstall["bin-dir"], &manifest, target);
    let top = program.strip_suffix("pdiff").unwrap();
    let others = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "share/man/man1/pdiff-compare.1"];
    for file in others.map(|file| format!("{top}{file}")).iter().chain([&program]) {
        assert!(files.lines().any(|line| line == file), "{name} lacks {file}: {files}");
    }
}
