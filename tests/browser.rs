//! Pictures and reports in a real browser (Chromium, headless), opened from `file://`. Skipped aloud where there is none.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]
#![expect(clippy::print_stderr, reason = "what is skipped is said")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&path).flat_map(|directory| names.map(|name| directory.join(name)));
    let found = found.into_iter().find(|file| file.is_file());
    if found.is_none() {
        eprintln!("skipped: no Chromium on PATH");
    }
    found
}

fn pdiff(arguments: &[&str], target: &Path) {
    let fixture = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mysql").join(name);
    let output = Command::new(env!("CARGO_BIN_EXE_pdiff"))
        .args(arguments)
        .args([fixture("57-default.perf.zst"), fixture("80-default.perf.zst")])
        .args(["--no-symbolize", "--windows"])
        .arg(fixture("windows.tsv"))
        .arg("-o")
        .arg(target)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The page's document after its scripts ran. Nothing may be said on the console: that is where errors, and requests
/// that the page's policy forbids, are told.
fn opened(browser: &Path, file: &Path, address: &str) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output: Output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--dump-dom",
        ])
        .args(["--enable-logging=stderr", "--window-size=1200,900", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}{address}", file.display()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let console: Vec<&str> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "{console:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What stands between `start` and `end`, from each `start` on.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    text.split(start).skip(1).filter_map(|rest| rest.split_once(end)).map(|(inside, _)| inside).collect()
}

#[test]
fn a_report_draws_sorts_filters_zooms_and_searches() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("report.html");
    pdiff(&["report"], &file);

    let page = opened(&browser, &file, "");
    assert!(page.contains("data-drawn=\"yes\""));
    assert_eq!(between(&page, "aria-sort=\"descending\"", "</th>").len(), 1);
    let rows = |page: &str| between(page, "<table id=\"rows\">", "</table>")[0].matches("<tr>").count() - 1;
    assert_eq!(rows(&page), 60);
    let frames = page.matches("data-frame=").count();
    assert!(frames > 300, "{frames}");
    assert!(page.matches("class=\"card ").count() > 50);

    let sorted = opened(&browser, &file, "#?sort=function");
    let names: Vec<&str> = between(&sorted, "title=\"Show it in the flame graph\">", "</a>");
    assert!(names.len() == 60 && names[0].to_lowercase() <= names[59].to_lowercase());
    assert_ne!(names, between(&page, "title=\"Show it in the flame graph\">", "</a>"));

    let filtered = opened(&browser, &file, "#?filter=log_writer&significant=1");
    assert!(rows(&filtered) >= 1 && rows(&filtered) < 20, "{}", rows(&filtered));
    assert!(
        between(&filtered, "title=\"Show it in the flame graph\">", "</a>")
            .iter()
            .all(|name| name.contains("log_writer"))
    );

    let found = opened(&browser, &file, "#?search=%5Elog_writer%24");
    assert!(found.contains("class=\"match"), "no frame is marked");
    assert!(between(&found, "id=\"found\">", "</output>")[0].contains("frames, "));

    let zoomed = opened(&browser, &file, "#?zoom=log_writer&view=after");
    assert!(zoomed.contains("class=\"above\"") && zoomed.matches("data-frame=").count() < frames);

    let gone = opened(&browser, &file, "#?view=gone");
    assert!(
        gone.contains("url(&quot;#gone&quot;)") && !gone.contains("url(&quot;#new&quot;)"),
        "gone is Before's alone"
    );
}

#[test]
fn a_picture_opens_and_restores_a_search() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("diff.svg");
    pdiff(&["flame", "--diff"], &file);
    let plain = opened(&browser, &file, "");
    assert!(plain.matches("<title>").count() > 300);
    let searched = opened(&browser, &file, "?s=^log_writer$");
    assert!(searched.contains("Reset Search"), "the search ran");
    let marked =
        searched.matches("fill=\"#f5e642\"").count() + searched.matches("fill=\"rgb(245,230,66)\"").count();
    assert!((1..20).contains(&marked), "{marked} frames are marked: names alone are searched");
    let (x, y) = frame_place(&plain, "log_writer (");
    let zoomed = opened(&browser, &file, &format!("?x={x}&y={y}"));
    assert!(zoomed.contains("class=\"parent\"") && zoomed.matches("class=\"hide\"").count() > 10);
}

/// What inferno's script calls a frame by.
fn frame_place(svg: &str, title: &str) -> (String, String) {
    let (_, rest) = svg.split_once(&format!("<title>{title}")).unwrap();
    let value = |name: &str| between(rest, &format!(" {name}=\""), "\"")[0].to_owned();
    (value("fg:x"), value("y"))
}
