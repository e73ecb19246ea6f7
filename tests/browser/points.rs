//! What a reader must be able to trust at a glance, each checked in the page as it is drawn.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;

use super::devtools::Page;
use super::{browser, by_id};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mysql").join(name)
}

/// A report of recordings, some a side.
fn report(directory: &Path, before: &[&str], after: &[&str]) -> PathBuf {
    let file = directory.join("report.html");
    let paths = |names: &[&str]| names.iter().map(|name| fixture(name)).collect::<Vec<_>>();
    let output = pdiff_testing::pdiff()
        .args(["report", "--no-symbolize", "--before"])
        .args(paths(before))
        .arg("--after")
        .args(paths(after))
        .arg("--windows")
        .arg(fixture("operations.tsv"))
        .arg("-o")
        .arg(&file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    file
}

pub(crate) fn default_report(directory: &Path) -> PathBuf {
    report(directory, &["57-default.perf.zst"], &["80-default.perf.zst"])
}

const OLD: [&str; 3] = ["56-aligned-r1.perf.zst", "56-aligned-r2.perf.zst", "56-aligned-r3.perf.zst"];
const NEW: [&str; 3] = ["80-aligned-r1.perf.zst", "80-aligned-r2.perf.zst", "80-aligned-r3.perf.zst"];

/// The colours, frame by frame, and the sign and significance that the data have of the measure drawn.
const COLORS_AGREE: &str = "(() => {
  const column = Object.fromEntries(data.tree.columns.map((name, at) => [name, at]));
  const wrong = [];
  const measures = data.tree.per_op ? ['operation', 'share'] : ['share'];
  for (const stacks of stacksByName.keys()) for (const measure of measures) for (const color of ['total', 'self']) {
    useStacks(stacks); choose('measure', measure); choose('color', color); drawFlame();
    for (const { frame } of drawn) {
      if (frame.parent === null || frame.pruned !== null) continue;
      const row = tree.frames[frame.index];
      const of = (side) => row[column[`${side}_${color}_weight`]] / data.tree[side].weight *
        (measure === 'operation' ? data.tree.per_op[side] : 100);
      const delta = of('after') - of('before');
      const isBeyond = row[column[measure === 'operation' ? `${color}_per_op_significant` : `${color}_significant`]];
      const seen = document.querySelector(`#graph g[data-frame=\"${frame.id}\"] > rect`).style.fill;
      const isMore = /--more|#new(?!-noise)/.test(seen), isLess = /--less|#gone(?!-noise)/.test(seen);
      const isRight = isBeyond ? (delta > 0 ? isMore && !isLess : isLess && !isMore) : !isMore && !isLess;
      if (!isRight) wrong.push(`${frame.name} ${stacks} ${measure} ${color} ${delta} ${isBeyond} ${seen}`);
    }
  }
  useStacks('aligned'); choose('color', 'total'); choose('measure', measures[0]); drawFlame();
  return wrong;
})()";

#[test]
fn the_first_screen_names_the_cause_and_colours_are_those_of_the_data() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut page = Page::open(&browser, &default_report(directory.path()), (1200, 900));

    // The largest part of the change stands first, above the fold, and no row says that it does not know.
    let first = "document.querySelector('.parts tbody th a')";
    assert_eq!(page.text(&format!("{first}.textContent")), "log_writer");
    assert!(page.value(&format!("{first}.getBoundingClientRect().bottom < innerHeight")).as_bool().unwrap());
    let parts = "[...document.querySelectorAll('.parts tbody tr')].map(row => row.querySelector('th a')?.textContent + row.lastElementChild.textContent).join()";
    let parts = page.text(parts);
    assert!(!parts.contains("unclear") && !parts.contains("[unresolved]"), "{parts}");
    let charted = page.value("[...document.querySelectorAll('#closure .chart:not(.steps) th[scope=row]')].map(one => one.textContent.startsWith('without function'))");
    assert!(
        charted.as_array().unwrap().is_sorted_by_key(|one| one.as_bool()),
        "what has no function comes last"
    );

    assert_eq!(page.value(COLORS_AGREE), json!([]));
    let commit = "frames.filter(one => one.name === 'MYSQL_BIN_LOG::commit')";
    assert!(page.count(&format!("{commit}.length")) > 0);
    let blue = format!(
        "{commit}.filter(one => changeOf(one, 'total') > 0 && fill(one, 1).includes('--less')).length"
    );
    assert_eq!(page.count(&blue), 0, "what costs more is not blue");

    // Every significant frame with a label has its direction in it.
    let unmarked = "drawn.filter(({frame, width}) => !isWhole(frame) && !isPruned(frame) && isSignificant(frame) && width > 40)
        .filter(({frame}) => !/^[\u{25b2}\u{25bc}]/.test(document.querySelector(`#graph g[data-frame=\"${frame.id}\"] text`).textContent)).length";
    assert_eq!(page.count(unmarked), 0);

    // The bar of widths is as long as it says: the whole picture is the larger side, frame by frame.
    let off = "(() => { const bar = document.querySelector('.scale-bar');
        const said = Number(bar.parentElement.textContent.match(/([\\d.]+) us/)[1]) * 1000;
        const whole = widthsOf(frames, 'diff', ofFrame, false)[0];
        return Math.abs(bar.getBoundingClientRect().width - said / whole * document.getElementById('graph').clientWidth); })()";
    assert!(page.value(off).as_f64().unwrap() < 1.5);
    page.click(&by_id("search"));
    page.type_text("LOG_WRITER");
    let found = page.text("document.getElementById('found').textContent");
    assert!(found.contains("% of after") && !found.starts_with('0'), "upper and lower case alike: {found}");
    let share: f64 = found.split("; ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((0.0..=100.0).contains(&share), "{found}");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

/// What a reader of a window of this width does not see: an answer far down, causes that are cut off or squeezed, values of an
/// axis that run into each other, a strip of time whose letters are too small.
const UNREADABLE: &str = "(() => {
  const wrong = [];
  const box = (one) => one.getBoundingClientRect();
  const top = box(document.querySelector('.verdict')).top + scrollY;
  if (top > 260) wrong.push(`the answer begins at ${top}`);
  for (const one of document.querySelectorAll('.parts tbody .cause, #rows tbody .col-cause, #rows tbody .col-delta')) {
    if (!one.textContent.trim()) continue;
    const { right, width } = box(one);
    if (right > innerWidth + 1 || width < 50) wrong.push(`${one.textContent.slice(0, 30)}: ${width} wide, to ${right}`);
  }
  for (const axis of document.querySelectorAll('.axis')) {
    const values = [...axis.children].map(box);
    if (values.length < 2) wrong.push(`an axis with ${values.length} values`);
    if (values.some((one, at) => at > 0 && one.left < values[at - 1].right)) wrong.push(`values overlap: ${axis.innerText}`);
  }
  for (const strips of document.querySelectorAll('svg.strips')) {
    if (box(strips).width * 13 / strips.viewBox.baseVal.width < 10) wrong.push('small letters over time');
  }
  return wrong;
})()";

#[test]
fn changes_are_stronger_than_noise_and_can_be_read_in_both_themes_and_all_windows() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut page = Page::open(&browser, &default_report(directory.path()), (1200, 900));
    let strengths = "(() => {
      const dots = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
      const luminance = (color) => {
        dots.fillStyle = color; dots.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...dots.getImageData(0, 0, 1, 1).data].map(v => v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const probe = document.body.appendChild(document.createElement('i'));
      const of = (color) => { probe.style.color = color; return luminance(getComputedStyle(probe).color); };
      const contrast = (a, b) => { const [x, y] = [of(a), of(b)].sort((m, n) => n - m); return (x + 0.05) / (y + 0.05); };
      const made = [contrast('var(--noise)', 'var(--ground)'), contrast(shade('more', strengthOf(0, 1)), 'var(--ground)'),
        contrast(shade('less', strengthOf(0, 1)), 'var(--ground)'), contrast('var(--more)', 'var(--less)')];
      probe.remove();
      return made; })()";
    let axe = std::env::var_os("PDIFF_AXE").map(|path| std::fs::read_to_string(path).unwrap());
    for theme in ["light", "dark"] {
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": theme}]});
        page.call("Emulation.setEmulatedMedia", media);
        let strength: Vec<f64> =
            page.value(strengths).as_array().unwrap().iter().map(|one| one.as_f64().unwrap()).collect();
        assert!(strength[1] > strength[0] && strength[2] > strength[0], "{theme} {strength:?}");
        assert!(strength[3] > 1.4, "more and less differ without hue: {theme} {strength:?}");
        for width in [400, 800, 1200, 1600, 2560] {
            page.resize(width, 900);
            page.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
            assert_eq!(page.value(include_str!("rules.js")), json!([]), "{theme} {width}");
            let overhang = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(page.value(overhang), 0, "{theme} {width}");
            assert_eq!(page.value(UNREADABLE), json!([]), "{theme} {width}");
        }
        if let Some(axe) = &axe {
            page.value(&format!("{axe};1"));
            let found = page.value(
                "axe.run(document).then(found => found.violations.filter(one => one.impact !== 'minor').map(one => one.id))",
            );
            assert_eq!(found, json!([]), "{theme}");
        }
    }
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn one_inserted_caller_does_not_tear_the_picture_and_paper_bears_the_page() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut page = Page::open(&browser, &report(directory.path(), &OLD, &NEW), (1200, 900));
    let torn = "(() => { let all = 0, torn = 0;
        for (const { frame, width } of drawn) {
          if (frame.parent === null || isPruned(frame)) continue;
          all += width;
          if (isOneSided(frame) && isMarked(frame) && frame.of?.presence === 'both') torn += width;
        }
        return 100 * torn / all; })()";
    let torn = page.value(torn).as_f64().unwrap();
    assert!(torn <= 5.0, "{torn} % is marked as of one side though its function ran on both");
    let missing = "(() => { const names = new Set(drawn.map(place => place.frame.of).filter(Boolean).map(of => of.name + of.object));
        const large = data.compare.functions.filter(row => row.before?.total_pct >= 0.3 && row.after?.total_pct >= 0.3);
        return 100 * large.filter(row => !names.has(row.name + row.object)).length / large.length; })()";
    let missing = page.value(missing).as_f64().unwrap();
    assert!(missing <= 5.0, "{missing} % of the functions of 0.3 % or more are not drawn");
    assert_eq!(page.value(COLORS_AGREE), json!([]));

    // A page that one can scroll and tab through.
    let height = page.count("document.documentElement.scrollHeight");
    assert!(height < 12_000, "{height} px");
    let stops = "[...document.querySelectorAll('a[href], button, input, summary, [tabindex]')]
        .filter(one => !one.disabled && one.tabIndex >= 0 && one.checkVisibility()).length";
    let stops = page.count(stops);
    assert!(stops < 300, "{stops} tab stops");
    assert_eq!(page.count("document.querySelectorAll('.card').length"), 20);
    assert_eq!(page.count("document.querySelectorAll('.card[open]').length"), 0);
    let unclear =
        "[...document.querySelectorAll('.card summary')].filter(one => one.textContent.includes('unclear')
        && !partRanks.has(one.querySelector('.name').textContent)).length";
    assert_eq!(
        page.count(unclear),
        0,
        "what says nothing is there on demand, but for the parts of the answer"
    );

    let started = Instant::now();
    let sheets = page.sheets();
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    assert!((3..=12).contains(&sheets), "{sheets} sheets");
    page.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    let told = page.text("getComputedStyle(document.querySelector('#cards'), '::after').content");
    assert!(told.contains("the file has all"), "paper says what it leaves out: {told}");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn two_recordings_of_one_build_are_explained_by_nothing_on_the_page() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut page = Page::open(&browser, &report(directory.path(), &NEW[..1], &NEW[1..2]), (1200, 900));
    assert_eq!(page.count("document.querySelectorAll('.parts, .steps, .card').length"), 0);
    let colored = "[...document.querySelectorAll('#graph g[data-frame] > rect')].filter(one => /--more|--less|#new\\d|#gone\\d/.test(one.style.fill)).length";
    assert_eq!(page.count(colored), 0);
    let verdict = page.text("document.querySelector('.verdict').textContent");
    assert!(verdict.contains("neither clearly more nor clearly fewer operations/s"), "{verdict}");
    let unmarked = "[...document.querySelectorAll('#closure tbody tr')].filter(row => !/noise|not judged/.test(row.textContent)).length";
    assert_eq!(page.count(unmarked), 0, "each part of the program says that its change is noise");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn functions_are_seen_between_their_callers_and_callees_and_the_panel_stays() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = default_report(directory.path());
    let mut page = Page::open(&browser, &file, (1200, 900));
    let head = "document.querySelector('#frame b').textContent";

    // A row leads to its frames, which are wide enough to see, and the panel about them is in the window.
    page.click(
        "[...document.querySelectorAll('#rows td.name a')].find(one => one.textContent === 'ut_delay')",
    );
    assert_eq!(page.text(head), "ut_delay");
    let widest =
        "Math.max(...drawn.filter(place => place.frame.name === 'ut_delay').map(place => place.width))";
    assert!(page.value(widest).as_f64().unwrap() > 60.0);
    let in_view = "(() => { const box = document.getElementById('frame').getBoundingClientRect();
        return box.top < innerHeight && box.bottom > 0; })()";
    assert!(page.value(in_view).as_bool().unwrap());
    let frameless = "data.compare.functions.find(row => !hasFrame(row.name, row.object))";
    let told = format!(
        "(() => {{ const row = {frameless}; const cell = tableRow(row).querySelector('td.name').textContent; \
        showFunction(row.name, row.object); return cell + document.getElementById('frame').textContent; }})()"
    );
    let told = page.text(&told);
    assert!(told.contains(", no frame") && told.contains("No frame:"), "{told}");
    page.value("showFunction('ut_delay')");

    // The panel stays while the pointer leaves the picture.
    page.value("window.scrollTo(0, 0)");
    assert_eq!(page.text(head), "ut_delay");

    // Around the function: callers above it, callees below it, with all its weight.
    page.value("document.getElementById('graph').focus()");
    page.press("s");
    assert!(page.text("location.hash").contains("around=ut_delay"));
    let kinds = "new Set(drawn.map(place => place.frame.id[0] + Math.sign(place.row - drawn.find(one => one.frame.id === 'd0').row))).size >= 2";
    assert!(page.value(kinds).as_bool().unwrap());
    let whole = "['before', 'after'].every(side => drawn.find(one => one.frame.id === 'd0').frame[side].total >= \
        LEAST_HELD * outermostOf(frames, flame.around).reduce((sum, one) => sum + one[side].total, 0))";
    assert!(page.value(whole).as_bool().unwrap());
    // Its callers are those of the recordings, also where only one side has them and the aligned picture leaves them out.
    let caller =
        "drawn.some(place => place.frame.name.startsWith('PolicyMutex<') && place.frame.depth === 1)";
    assert!(page.value(caller).as_bool().unwrap());
    assert!(page.text("document.getElementById('around').textContent").ends_with("by exact stacks"));
    assert!(page.text("document.getElementById('frame').textContent").contains("called byPolicyMutex<"));
    // Other stacks keep the function in the middle.
    page.value("(() => { const choice = document.getElementById('stacks'); choice.value = 'exact'; choice.dispatchEvent(new Event('change')); })()");
    assert_eq!(page.text("flame.around.name"), "ut_delay");
    page.value("history.back()");
    page.value("new Promise(done => setTimeout(done, 300))");
    assert_eq!(page.text("flame.stacks + flame.around.name"), "alignedut_delay");
    page.press("ArrowUp");
    let caller = page.text(head);
    assert_ne!(caller, "ut_delay");
    page.press("Enter");
    assert_eq!(page.text("flame.around.name"), caller);
    page.value("history.back()");
    page.value("new Promise(done => setTimeout(done, 300))");
    assert_eq!(page.text("flame.around.name"), "ut_delay");
    page.press("Escape");
    assert!(page.value("flame.around === null").as_bool().unwrap());

    // Leaves first: the same weight.
    page.click("document.querySelector('input[name=direction][value=callers]')");
    let same = "['before', 'after'].every(side => drawn[0].frame[side].total === frames[0][side].total)";
    assert!(page.value(same).as_bool().unwrap());
    assert!(page.text("location.hash").contains("direction=callers"));

    // What is saved is whole: a picture with its colours, dots, and every row of the table.
    let svg = page.text("pictureText()");
    assert!(!svg.contains("var(--") && svg.starts_with("<svg"), "{}", &svg[..200]);
    let read = "new DOMParser().parseFromString(pictureText(), 'image/svg+xml').querySelector('parsererror') === null";
    assert!(page.value(read).as_bool().unwrap());
    assert!(page.text("pictureCanvas().toDataURL()").len() > 10_000);
    page.click(&by_id("filter"));
    page.type_text("^log_.*er$");
    let lines = page.count("tableText().trim().split('\\r\\n').length");
    assert_eq!(lines, 1 + page.count("document.querySelectorAll('#rows tbody tr').length"));

    // A link to a view is that view, and shows it.
    let link = page.text("location.hash");
    drop(page);
    let mut page = Page::open_at(&browser, &file, &format!("{link}&around=log_writer"), (400, 800));
    assert_eq!(page.text("flame.around.name"), "log_writer");
    let top = "Math.abs(document.getElementById('flame').getBoundingClientRect().top) < innerHeight";
    assert!(page.value(top).as_bool().unwrap());
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn stacks_are_those_of_all_threads_exact_or_of_one_group() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = default_report(directory.path());
    let mut page = Page::open(&browser, &file, (1200, 900));
    let names = page.value("[...document.querySelectorAll('#stacks option')].map(one => one.value)");
    assert_eq!(
        names,
        json!(["aligned", "exact", "threads:connections", "threads:redo log writers", "threads:purge"])
    );

    // Groups are parts of the whole: their roots sum to it, as far as groups are not too small to be there.
    let part = "(side) => [...stacksByName.keys()].filter(name => name.startsWith('threads:'))
        .reduce((sum, name) => sum + framesOf(name)[0][side].total, 0) / framesOf('aligned')[0][side].total";
    for side in ["before", "after"] {
        let part = page.value(&format!("({part})('{side}')")).as_f64().unwrap();
        assert!((0.95..=1.0 + 1e-9).contains(&part), "{side} {part}");
    }
    // Each group has the cost that the page says, and its picture holds functions of its threads alone.
    page.value("byId('stacks').value = 'threads:redo log writers'; byId('stacks').dispatchEvent(new Event('change'))");
    assert!(page.text("location.hash").contains("stacks=threads"));
    assert_eq!(page.text("drawn[0].frame.name"), "redo log writers");
    assert_eq!(page.count("drawn.filter(place => place.frame.name === 'do_command').length"), 0);
    assert!(page.count("drawn.filter(place => place.frame.name === 'log_writer').length") > 0);
    let link = page.text("location.hash");

    // The exact tree tears at the inserted caller; the aligned one does not.
    page.value("byId('stacks').value = 'exact'; byId('stacks').dispatchEvent(new Event('change'))");
    let gone =
        "drawn.filter(place => place.frame.name === 'ut_delay').every(place => isOneSided(place.frame))";
    assert!(page.value(gone).as_bool().unwrap());
    page.value("history.back()");
    page.value("new Promise(done => setTimeout(done, 300))");
    assert_eq!(page.text("flame.stacks"), "threads:redo log writers");

    // A function of other threads is shown among all stacks.
    page.value("showFunction('do_command')");
    assert_eq!(
        page.text("flame.stacks + document.querySelector('#frame b').textContent"),
        "aligneddo_command"
    );
    drop(page);
    let mut page = Page::open_at(&browser, &file, &link, (400, 800));
    assert_eq!(page.text("drawn[0].frame.name"), "redo log writers");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn the_panel_has_callers_evidence_code_and_time() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = default_report(directory.path());
    let mut page = Page::open(&browser, &file, (1200, 900));
    page.value("showFunction('log_writer')");
    let tab = |name: &str| format!("document.getElementById('tab-{name}')");
    let text = "document.getElementById('tab-panel').textContent";
    assert!(page.text(text).contains("called by"));
    page.click(&tab("evidence"));
    let told = page.text(text);
    assert!(told.contains("As part 1 of the answer") && told.contains("innodb_log_writer_threads"), "{told}");
    assert_eq!(page.text("document.activeElement.id"), "tab-evidence");
    page.press("ArrowRight");
    assert_eq!(page.text("document.activeElement.id"), "tab-code");
    let told = page.text(text);
    assert!(told.contains("before") && told.contains("Lines are not known"), "{told}");
    page.press("ArrowRight");
    let told = page.text(text);
    // What stands there is the mean of the shares in the data.
    let mean =
        "(() => { const all = data.seconds.functions.find(one => one.name === 'log_writer').after_pct.flat();
        return (all.reduce((a, b) => a + b) / all.length).toFixed(2); })()";
    let mean = page.text(mean);
    assert!(told.contains(&format!("after {mean} %, from")) && told.contains("before 0.00 %"), "{told}");
    assert_eq!(page.count("document.querySelectorAll('#tab-panel polyline').length"), 2);
    assert!(page.text("location.hash").contains("tab=time"));

    // Nothing in the panel is cut off.
    for name in ["callers", "evidence", "code", "time"] {
        page.click(&tab(name));
        let cut = "(() => { const box = document.getElementById('frame'); return box.scrollWidth - box.clientWidth; })()";
        assert_eq!(page.count(cut), 0, "{name}");
    }

    // Both sides over time, in the facts on the recordings.
    assert_eq!(page.count("document.querySelectorAll('#comparability svg.strips polyline').length"), 2);
    assert!(page.text("document.getElementById('comparability').textContent").contains("drift"));
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn the_panel_shows_the_instructions_of_both_builds_with_their_samples() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("report.html");
    let of = |side: &str, name: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/two-versions/gcc").join(side).join(name)
    };
    let mut made = pdiff_testing::pdiff();
    made.arg("report").arg(of("before", "1.perf.zst")).arg(of("after", "1.perf.zst"));
    made.arg("--binary-before").arg(of("before", "server")).arg("--binary-after").arg(of("after", "server"));
    let output = made.arg("--no-cache").arg("-o").arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // In larger programs the page has the lines of other functions than the instructions.
    for (width, has_lines) in [(1200, true), (800, true), (1200, false)] {
        let mut page = Page::open(&browser, &file, (width, 900));
        assert!(page.count("data.code.length") > 2);
        if !has_lines {
            page.value("data.hot_lines.length = 0");
        }
        for at in 0..page.count("data.code.length") {
            page.value(&format!("showFunction(data.code[{at}].function)"));
            page.click("document.getElementById('tab-code')");
            page.value(
                "document.querySelectorAll('#tab-panel .code-block').forEach(block => block.open = true)",
            );
            // By code block and side: each instruction of the data is there, and the costs are those of the block.
            let wrong = format!(
                "(() => {{
  const of = data.code[{at}], shown = [...document.querySelectorAll('#tab-panel .code-block')], wrong = [];
  if (shown.length !== of.blocks.length) wrong.push(`${{shown.length}} code blocks`);
  of.blocks.forEach((block, number) => {{
    const sides = ['before', 'after'].filter(side => block[side]);
    sides.forEach((side, column) => {{
      const told = block.rows.filter(row => row[side]).map(row => row[side].text);
      const rows = [...shown[number].querySelectorAll('tbody tr')].filter(row => row.cells.length === 2 * sides.length);
      const texts = rows.map(row => row.cells[2 * column + 1].textContent).filter(text => text);
      if (texts.join() !== told.join()) wrong.push(`${{number}} ${{side}}: ${{texts}} is not ${{told}}`);
      const sum = rows.reduce((sum, row) => sum + Number(row.cells[2 * column].textContent), 0);
      const isWhole = !block.rows.some(row => row.left_out);
      if (isWhole && Math.abs(sum - block[side].value) > 0.006 * rows.length) wrong.push(`${{number}} ${{side}}: ${{sum}}`);
    }});
  }});
  const box = document.getElementById('frame');
  if (box.scrollWidth > box.clientWidth) wrong.push('cut off');
  return wrong.join('; ');
}})()"
            );
            assert_eq!(page.text(&wrong), "", "function {at} at {width}, lines: {has_lines}");
        }
        assert!(page.complaints.is_empty(), "{:?}", page.complaints);
    }
}

#[test]
fn sorting_by_keys_keeps_the_focus_and_cards_lead_to_frames() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut page = Page::open(&browser, &default_report(directory.path()), (1200, 900));
    page.value("document.querySelector('[data-sort=after]').focus()");
    page.press("Enter");
    assert_eq!(page.text("document.activeElement.dataset.sort"), "after");
    let card = "[...document.querySelectorAll('.card')].find(one => functionsByName.has(one.querySelector('b').textContent))";
    page.click(&format!("{card}.querySelector('summary')"));
    let name = page.text(&format!("{card}.querySelector('summary b').textContent"));
    page.click("document.querySelector('.card[open] a[href=\"#flame\"]')");
    assert_eq!(page.text("document.querySelector('#frame b').textContent"), name);
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn a_page_without_scripts_has_the_answer_the_picture_and_the_functions() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = default_report(directory.path());
    let mut page = Page::open_without_scripts(&browser, &file, (1200, 900));
    assert_eq!(page.count("document.querySelectorAll('#functions noscript tbody tr').length"), 20);
    let labels = "[...document.querySelectorAll('#flame svg.still text')].map(one => one.textContent).join()";
    assert!(page.text(labels).contains("\u{25b2} log_writer"));
    let wide = "document.querySelector('svg.still').getBoundingClientRect().width";
    assert!(page.value(wide).as_f64().unwrap() > 1000.0);
    assert_eq!(page.text("document.querySelector('.parts tbody th a').textContent"), "log_writer");
    let idle = "[...document.querySelectorAll('button, input')].filter(one => one.checkVisibility()).length";
    assert_eq!(page.count(idle), 0, "what does nothing without scripts is not there");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn a_picture_has_a_name_is_worked_by_keys_and_says_all_of_a_frame() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("diff.svg");
    super::pdiff(&["flame", "--diff"], &file);
    let mut page = Page::open(&browser, &file, (1200, 900));
    assert!(page.text("document.title").contains("57-default -> 80-default"));
    assert_eq!(page.text("document.documentElement.getAttribute('role')"), "group");
    page.value("document.getElementById('frames').focus()");
    assert_eq!(page.text("document.activeElement.id"), "frames");
    page.press("ArrowUp");
    assert!(page.text("frames.getAttribute('aria-label')").starts_with("all ("));
    page.press("ArrowUp");
    let told = page.text("frames.getAttribute('aria-label')");
    assert!(!told.starts_with("all ("), "{told}");
    // Its title is whole, on some lines below the picture, and no line leaves it.
    let lines = "[...document.querySelectorAll('#details, [id^=details-]')].map(one => one.textContent).filter(one => one.trim())";
    let shown = format!("{lines}.join(' ')");
    assert_eq!(page.text(&shown), told);
    let overhang = "[...document.querySelectorAll('#details, [id^=details-]')].some(one => one.getBoundingClientRect().right > innerWidth)";
    assert_eq!(page.value(overhang), false);
    page.press("Enter");
    assert!(page.count("document.querySelectorAll('#frames .parent').length") > 0);
    page.press("Escape");
    assert_eq!(page.count("document.querySelectorAll('#frames .parent').length"), 0);
    let verdict = "[...frames.children].find(one => one.querySelector('title').textContent.includes('verdict on the function'))";
    page.value(&format!("focus_on({verdict})"));
    let shown = page.text(&shown);
    assert!(shown.contains("verdict on the function: ") && shown.ends_with(')'), "{shown}");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}
