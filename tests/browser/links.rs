//! Where the links of a report lead, and that what stands at both ends of them agrees.

use serde_json::json;

use super::points::default_report;
use super::{browser, by_id};
use crate::devtools::Page;

const SETTLED: &str = "new Promise(done => setTimeout(done, 300))";

#[test]
fn what_the_answer_links_is_there_and_back_returns_to_the_place() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut page = Page::open(&browser, &default_report(directory.path()), (1200, 900));

    // Each part that is as wide as two hundredths of the picture has a frame, interrupts that of their largest function.
    let missed = "(() => { const missed = [];
      for (const link of document.querySelectorAll('.parts a[data-function]')) {
        const part = data.classify.findings.find(one => one.name === link.textContent);
        showFunction(link.dataset.function);
        const told = document.querySelector('#frame b').textContent;
        const isWide = Math.max(part.before.pct, part.after.pct) >= 2;
        if (isWide && (told !== link.dataset.function || !byId('found').textContent.includes('frame'))) missed.push(part.name);
      }
      return missed; })()";
    assert_eq!(page.value(missed), json!([]));

    // The panel says which part of the answer a function is, and that a part is less than all below the function.
    page.value("showFunction('log_writer')");
    let told = page.text("document.getElementById('frame').textContent");
    let change = page.text("difference(data.classify.findings[0].delta_per_op)");
    assert!(told.contains(&format!("Part 1 of the answer: {change} us per operation, without")), "{told}");

    // Back returns to the line that was clicked.
    page.value("(resetView(), remember(), scrollTo(0, 0))");
    let link = "[...document.querySelectorAll('.parts a[data-function]')].at(-1)";
    page.value(&format!("{link}.scrollIntoView()"));
    let place = page.count("Math.round(scrollY)");
    page.value(&format!("{link}.click()"));
    page.value(SETTLED);
    assert_ne!(page.count("Math.round(scrollY)"), place);
    page.value("history.back()");
    page.value(SETTLED);
    assert_eq!(page.count("Math.round(scrollY)"), place);

    // Groups of threads sum to the whole, as far as they are large enough to be there, and lead to their stacks.
    let sum = "[...document.querySelectorAll('.threads tbody tr')].reduce((sum, row) => sum + Number(row.cells[2].textContent), 0) / \
        (data.tree.per_op.after / costUnit.divisor)";
    let sum = page.value(sum).as_f64().unwrap();
    assert!((0.95..1.01).contains(&sum), "{sum}");
    page.value("document.querySelector('a[data-threads]').click()");
    assert_eq!(page.text("flame.stacks"), "threads:redo log writers");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn a_change_has_one_interval_wherever_it_stands() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut page = Page::open(&browser, &default_report(directory.path()), (1200, 900));
    // ut_delay calls nothing but the kernel, so part, row and frame measure the same; its callers are not the same.
    let halves = "(() => { const part = data.classify.findings.find(one => one.name === 'ut_delay');
      const row = data.compare.functions.find(one => one.name === 'ut_delay');
      const frame = widestOf('ut_delay');
      return [(part.ci_high_per_op - part.ci_low_per_op) / 2, row.self_per_op_half, frame.self.half]; })()";
    let halves: Vec<f64> =
        page.value(halves).as_array().unwrap().iter().map(|one| one.as_f64().unwrap()).collect();
    assert!((halves[0] / halves[1] - 1.0).abs() < 0.02, "{halves:?}");
    let joined = page.count("frames.filter(frame => frame.name === 'ut_delay').length");
    assert!(joined > 1 || (halves[2] / halves[1] - 1.0).abs() < 0.02, "{halves:?}");
    // What is within noise though its interval excludes zero says why.
    let told = "[...document.querySelectorAll('#rows tr')].filter(row => row.querySelector('.col-noise')?.textContent === 'within')
      .map(row => row.querySelector('.col-delta').title).filter(title => /\\+.*\\.\\.\\+|\\.\\.-/.test(title))
      .every(title => title.includes('chance'))";
    assert!(page.value(told).as_bool().unwrap());
}

#[test]
fn verdicts_begin_with_the_parts_of_the_answer() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut page = Page::open(&browser, &default_report(directory.path()), (1200, 900));
    let ranks =
        "[...document.querySelectorAll('#cards .name')].map(name => partRanks.get(name.textContent) ?? 100)";
    let ranks: Vec<u64> =
        page.value(ranks).as_array().unwrap().iter().map(|one| one.as_u64().unwrap()).collect();
    assert!(ranks.first() == Some(&1) && ranks.is_sorted() && ranks.contains(&100), "{ranks:?}");
}

#[test]
fn escape_resets_the_view_from_its_buttons_too_and_a_search_says_what_it_missed() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut page = Page::open(&browser, &default_report(directory.path()), (1200, 900));
    page.value("showFunction('log_writer')");
    page.value("document.querySelector('#frame .actions button').focus()");
    page.press("Enter");
    assert_eq!(page.text("flame.around?.name ?? ''"), "log_writer");
    // The function in the middle is drawn once.
    assert!(page.text("byId('found').textContent").starts_with("1 frame,"));
    page.value("document.querySelector('#frame .actions button').focus()");
    page.press("Escape");
    assert!(
        page.value("flame.around === null && field('search').value === '' && field('unzoom').disabled")
            .as_bool()
            .unwrap()
    );

    page.click(&by_id("search"));
    page.type_text("nosuchthing");
    assert!(page.text("byId('found').textContent").starts_with("nothing on this page has such a name"));
    page.value("searchFor('^' + data.compare.functions.find(row => !hasFrame(row.name, row.object)).name.replace(/[^a-z_]/gi, '.') + '$')");
    assert!(page.text("byId('found').textContent").contains("the table of functions has it"));
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}
