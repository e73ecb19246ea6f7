//! Pictures and reports in a real browser (Chromium, headless), opened from `file://`. Skipped where there is none.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "browser/devtools.rs"]
mod devtools;
#[path = "browser/links.rs"]
mod links;
#[path = "browser/points.rs"]
mod points;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use devtools::Page;

fn browser() -> Option<PathBuf> {
    pdiff_testing::tool("chromium").map(|browser| browser.get_program().into())
}

fn pdiff(arguments: &[&str], target: &Path) {
    let fixture = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mysql").join(name);
    let output = pdiff_testing::pdiff()
        .args(arguments)
        .args([fixture("57-default.perf.zst"), fixture("80-default.perf.zst")])
        .args(["--no-symbolize", "--windows"])
        .arg(fixture("operations.tsv"))
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
    assert!(frames > 200, "{frames}");
    assert_eq!(page.matches("class=\"card ").count(), 20, "the others are there on demand");
    assert!(opened(&browser, &file, "#v0").contains("id=\"v0\" open"), "a link opens its card");

    let names = |page: &str| -> Vec<String> {
        let names = between(page, "title=\"Show it in the flame graph\">", "</a>");
        names.into_iter().map(str::to_owned).collect()
    };
    let sorted = names(&opened(&browser, &file, "#?sort=function"));
    assert!(sorted.len() == 60 && sorted[0].to_lowercase() <= sorted[59].to_lowercase());
    assert_ne!(sorted, names(&page));
    assert_eq!(names(&opened(&browser, &file, "#?sort=delta")), names(&page), "the largest changes first");

    let filtered = opened(&browser, &file, "#?filter=log_writer&significant=1");
    assert!(rows(&filtered) >= 1 && rows(&filtered) < 20, "{}", rows(&filtered));
    assert!(names(&filtered).iter().all(|name| name.contains("log_writer")));

    let found = opened(&browser, &file, "#?search=%5Elog_writer%24");
    assert!(found.contains("class=\"match"), "no frame is marked");
    assert!(between(&found, "id=\"found\">", "</output>")[0].contains("1 frame, "));

    let zoomed = opened(&browser, &file, "#?zoom=log_writer&view=after");
    assert!(zoomed.contains("class=\"above\"") && zoomed.matches("data-frame=").count() < frames);

    let gone = opened(&browser, &file, "#?view=gone");
    let hatched = |hue: &str| (0..4).any(|at| gone.contains(&format!("url(&quot;#{hue}{at}&quot;)")));
    assert!(hatched("gone") && !hatched("new"), "gone is Before's alone");
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

const FRAMES: &str = "document.querySelectorAll('#graph g[data-frame]').length";
const ROWS: &str = "document.querySelectorAll('#rows tbody tr').length";
const NAMES: &str = "[...document.querySelectorAll('#rows td.name a')].map(one => one.textContent)";

fn by_id(id: &str) -> String {
    format!("document.getElementById('{id}')")
}

#[test]
fn hands_on_a_report_search_zoom_toggle_sort_and_print_it() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("report.html");
    pdiff(&["report"], &file);
    let mut page = Page::open(&browser, &file, (1200, 900));

    // A header sorts, and sorts the other way round at the second click.
    page.click("document.querySelector('[data-sort=function]')");
    let names = page.value(NAMES);
    page.click("document.querySelector('[data-sort=function]')");
    let reversed = page.value(NAMES);
    assert!(names[0].as_str().unwrap().to_lowercase() < names[59].as_str().unwrap().to_lowercase());
    assert!(reversed[0].as_str().unwrap().to_lowercase() > reversed[59].as_str().unwrap().to_lowercase());
    assert_eq!(
        page.text("document.querySelector('th[aria-sort=descending] button').dataset.sort"),
        "function"
    );

    // All rows, then the significant ones of them, then those of a name.
    page.click(&by_id("more"));
    let all = page.count(ROWS);
    page.click(&by_id("significant"));
    let significant = page.count(ROWS);
    assert!(60 < all && 0 < significant && significant < all, "{significant} of {all}");
    page.click(&by_id("filter"));
    page.type_text("log_writer");
    assert!((1..significant).contains(&page.count(ROWS)));
    assert!(page.set(NAMES).iter().all(|name| name.contains("log_writer")));

    // A search as it is typed, and a wrong one.
    let frames = page.count(FRAMES);
    page.click(&by_id("search"));
    page.type_text("^log_writer$");
    assert!(page.count("document.querySelectorAll('#graph g.match').length") > 0);
    assert!(page.text("document.getElementById('found').textContent").contains(" frame, "));
    assert!(page.text("location.hash").contains("search=%5Elog_writer%24"), "the address keeps the view");
    page.type_text("(");
    assert_eq!(page.text("document.getElementById('found').textContent"), "not a regular expression");

    // The views by keys, from the first of them; what is gone is there after one click, too.
    page.click("document.querySelector('input[name=view][value=diff]')");
    for view in ["after", "before", "gone"] {
        page.press("ArrowRight");
        assert_eq!(page.text("document.querySelector('input[name=view]:checked').value"), view);
        assert!(page.count(FRAMES) > 1, "{view}");
    }
    page.click("document.querySelector('input[name=view][value=diff]')");
    assert_eq!(page.count(FRAMES), frames);
    page.click("document.querySelector('input[name=view][value=gone]')");
    let fills = "[...document.querySelectorAll('#graph g[data-frame] > rect')].map(one => one.style.fill)";
    let fills = page.set(fills);
    assert!(fills.iter().any(|fill| fill.contains("#gone")), "{fills:?}");
    assert!(!fills.iter().any(|fill| fill.contains("#new")), "{fills:?}");
    page.click("document.querySelector('input[name=view][value=diff]')");

    // Zoom by a click and back by a key; then by keys alone.
    let deep = "[...document.querySelectorAll('#graph g[data-frame]')].find(one => \
                one.querySelector('text')?.textContent.startsWith('\u{25b2} log_writer'))";
    page.click(deep);
    let zoomed = page.count(FRAMES);
    assert!(zoomed < frames && page.count("document.querySelectorAll('#graph g.above').length") > 0);
    page.value("document.getElementById('graph').focus()");
    page.press("Escape");
    assert_eq!(page.count(FRAMES), frames);
    page.press("ArrowUp");
    let told = page.text("document.querySelector('#frame b').textContent");
    page.press("ArrowDown");
    assert_ne!(page.text("document.querySelector('#frame b').textContent"), told);
    page.press("Enter");
    assert!(page.value("!document.getElementById('unzoom').disabled").as_bool().unwrap());
    page.click(&by_id("unzoom"));
    assert_eq!(page.count(FRAMES), frames);

    // The page counts in costs, and in shares when asked to: table, colours and words.
    let unit = "document.querySelector('[data-sort=before]').textContent";
    assert!(page.text(unit).contains("us per operation"));
    let hues = |sign: &str, hue: &str| {
        format!(
            "frames.filter(one => changeOf(one, 'total') {sign} 0 && fill(one, 1).includes('--{hue}')).length"
        )
    };
    assert!(page.count(&hues(">", "more")) > 0 && page.count(&hues("<", "less")) > 0);
    assert_eq!(page.count(&hues(">", "less")) + page.count(&hues("<", "more")), 0, "colours go by cost");
    page.click("document.querySelector('input[name=measure][value=share]')");
    assert!(page.text(unit).contains("% of all samples"));
    page.click("document.querySelector('input[name=measure][value=operation]')");

    // Back takes a step back.
    page.click("document.querySelector('input[name=color][value=self]')");
    assert!(page.text("location.hash").contains("color=self"));
    page.value("history.back()");
    page.value("new Promise(done => setTimeout(done, 300))");
    assert_eq!(page.text("document.querySelector('input[name=color]:checked').value"), "total");

    // A part of the answer leads to its frames, which the panel beside them tells about.
    page.click("document.querySelector('a[data-function=log_writer]')");
    assert_eq!(page.text("document.querySelector('#frame b').textContent"), "log_writer");
    assert!(page.count("document.querySelectorAll('#graph g.match').length") > 0);
    page.click(&by_id("unzoom"));
    page.value("searchFor('')");

    // In a small window the page does not scroll sideways, and it can be printed.
    page.resize(400, 800);
    let overhang = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(page.value(overhang), 0);
    let sheets = page.sheets();
    assert!((3..=12).contains(&sheets), "{sheets} sheets");

    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
    assert_eq!(page.requests, [format!("file://{}", file.display())], "the page alone is read");
}
