//! Tests of the page: what each part says, in both forms and at every width.

use pdiff_profile::Notes;

use super::*;
use crate::document::visible_text::width as columns;
use crate::inlines::sample::{Builds, builds, file, renamed, stripped_before, view};

const WIDE: InlinesOptions = InlinesOptions { width: None, color: false, top: None };

fn table_of(builds: &Builds, options: &InlinesOptions) -> String {
    let comparison = builds.comparison();
    let (before, after, notes) = (file("a/mysqld"), file("b/mysqld"), Notes::new());
    inlines_table(&view(&comparison, &before, &after, &notes), options)
}

/// The words of the first line that begins with `start`.
fn line(text: &str, start: &str) -> String {
    let found = text.lines().find(|line| line.starts_with(start));
    let line = found.unwrap_or_else(|| panic!("no line begins with {start} in\n{text}"));
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_heading_tells_builds_and_compilers() {
    let text = table_of(&builds(), &WIDE);
    assert_eq!(line(&text, "before"), "before a/mysqld: 8 functions, 6 inlined instances; id 00ff");
    assert!(line(&text, "!  ").contains("different compilers"));
    assert_eq!(line(&text, "!  GNU C++17"), "! GNU C++17 12.2.0 - 2");
    assert!(line(&text, "flags").contains("not recorded before"));
}

#[test]
fn every_change_has_its_section_in_order() {
    let text = table_of(&builds(), &WIDE);
    let starts = ["lost ", "gained ", "mixed ", "new ", "gone ", "grew ", "shrank "];
    // The summary has them first, in its own order.
    let places: Vec<usize> =
        starts.iter().map(|start| text.rfind(&format!("\n{start}")).unwrap_or_default()).collect();
    assert!(places.is_sorted() && places[0] > 0, "{places:?}\n{text}");
    assert_eq!(line(&text, "leaf"), "leaf 2 0 - 40 2 header -> source a x2");
    assert_eq!(line(&text, "wrap"), "wrap 0 1 30 - 1 same file a x1");
    assert_eq!(line(&text, "half"), "half 4 3 20 20 1 same file lost in a x1");
    assert_eq!(line(&text, "grows"), "grows 0 0 100 150 +50");
    assert_eq!(line(&text, "comes"), "comes 0 70");
}

#[test]
fn top_cuts_each_section_and_says_so() {
    let text = table_of(&builds(), &InlinesOptions { top: Some(0), ..WIDE });
    assert!(text.contains("0 shown, JSON has all"), "{text}");
}

#[test]
fn no_name_obeys_and_no_row_passes_the_width() {
    for width in [56, 60, 80, 100, 120, 200] {
        let text = table_of(&builds(), &InlinesOptions { width: Some(width), ..WIDE });
        assert!(!text.contains('\u{1b}'));
        for line in text.lines() {
            assert!(columns(line) <= width, "{width}: {line}");
        }
    }
    let comparison = builds();
    let comparison = comparison.comparison();
    let (before, after, notes) = (file("a"), file("b"), Notes::new());
    let text = inlines_markdown(&view(&comparison, &before, &after, &notes), &WIDE);
    assert!(text.contains("<code>evil&#92;x1b"), "{text}");
    assert!(text.contains("| function | inlined before |"), "{text}");
}

#[test]
fn what_a_stripped_build_hides_is_said_first() {
    let text = table_of(&stripped_before(), &WIDE);
    assert!(line(&text, "!!").contains("before is stripped"), "{text}");
    assert!(line(&text, "not-visible").starts_with("not-visible 1"), "{text}");
    assert!(!text.contains("\nnew"), "{text}");
}

#[test]
fn a_renamed_function_has_both_names() {
    let text = table_of(&renamed(), &WIDE);
    assert_eq!(line(&text, "log_t::write <- log_write"), "log_t::write <- log_write 0 0 100 150 +50");
    assert!(line(&text, "names").contains("named b before"), "{text}");
    assert!(!table_of(&builds(), &WIDE).contains("names "));
}
