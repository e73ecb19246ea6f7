//! Markdown read as a reader does: rows, headings, and names that try to be markup.

use super::*;
use crate::compare::page::markdown;
use crate::compare::sample;
use crate::document::Line;
use crate::document::options::TableOptions;

#[test]
fn rows_are_a_table_with_numbers_to_the_right() {
    let comparison = sample::comparison(vec![
        sample::significant("f<int>", (0.44, 1.18)),
        sample::row("main", (99.56, 98.82)),
    ]);
    let text = markdown(&comparison, &TableOptions { top: Some(1), ..sample::options() });
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    let expected = [
        "| self % before | self % after | self change | 95 % | total % before | total % after | total change | function | object |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | :--- | :--- |",
        "| 0.44 | 1.18 | +0.74 | +0.24..+1.24 | 0.88 | 2.36 | +1.48 | `f<int>` | `mysqld` |",
        "| **99.56** | **98.82** | **-0.74** |  |  |  |  | **... and 1 more** |  |",
        "| **100.00** | **100.00** | **+0.00** |  |  |  |  | **TOTAL** |  |",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn nothing_in_a_name_is_obeyed() {
    let check = |name: &str, expected: &str| assert_eq!(code(&visible(name)), expected, "{name}");
    check("f<int>", "`f<int>`");
    check("a|b", "<code>a&#124;b</code>");
    check("a`b", "<code>a&#96;b</code>");
    check("a\\|b</code><script>", "<code>a&#92;&#124;b&#60;&#47;code&#62;&#60;script&#62;</code>");
    check("a\x1b[0m", "<code>a&#92;x1b&#91;0m</code>");
    assert_eq!(
        escape("[a](b) <i> *c* d|e `f` & ~~g~~"),
        "\\[a\\](b) &lt;i> \\*c\\* d&#124;e &#96;f&#96; &amp; \\~\\~g\\~\\~"
    );
    assert_eq!(escape("a_b __GI_x __c__ (_d) e_"), "a_b \\_\\_GI_x \\_\\_c\\_\\_ (\\_d) e\\_");
}

#[test]
fn a_line_without_a_label_stands_under_the_one_before() {
    let page = [Line::block("missing", "2 runs"), Line::block("", "one"), Line::block("", "two")];
    assert_eq!(draw(&page), "- **missing** 2 runs\n  - one\n  - two\n");
}

#[test]
fn every_row_has_as_many_cells_as_the_heading_and_no_control_character() {
    let text = markdown(&sample::full(), &sample::options());
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
    let pipes: Vec<usize> = text
        .lines()
        .skip_while(|line| !line.starts_with("| self"))
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.matches('|').count())
        .collect();
    assert_eq!(pipes.len(), 2 + 6 + 1);
    assert!(pipes.iter().all(|count| count == &pipes[0]), "{pipes:?}\n{text}");
}

#[test]
fn a_table_begins_after_an_empty_line() {
    let text = markdown(&sample::full(), &sample::options());
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair[1].starts_with('|') && !pair[0].starts_with('|')) {
        assert_eq!(pair[0], "", "{text}");
    }
    for pair in lines.windows(2).filter(|pair| pair[0].starts_with('|') && !pair[1].starts_with('|')) {
        assert_eq!(pair[1], "", "{text}");
    }
}
