//! Tests of this part of the verdicts' forms.

use super::*;
use crate::compare::sample::{comparison, options as usual_options};
use crate::verdicts::sample::classification;

fn table(width: Option<usize>, top: Option<usize>) -> String {
    let options = TableOptions { width, top, ..usual_options() };
    verdict_table(&comparison(Vec::new()), &classification(), VerdictDetail::All, &options)
}

#[test]
fn causes_stand_worst_first_and_what_points_to_callees_stands_last() {
    let text = table(None, None);
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("missing  before: the binary is stripped") < at("inline-regression: 1 function\n"));
    assert!(at("inline-regression: 1 function\n") < at("heavier: 3 functions"));
    assert!(at("\nslower ") < at("\nslow\\x1b") && at("\nslow\\x1b") < at("\npointing "));
    assert!(
        at("1 of 5 functions changed by no more than noise") < at("leaf, scan: real change +0.50 points")
    );
    assert!(!text.contains("steady"));
}

#[test]
fn tags_stand_before_the_reason_and_compilers_do_not() {
    let text = table(None, None);
    assert!(text.contains("[spin-wait] renamed from slower to heir"), "{text}");
    assert!(!text.contains("compiler-change"));
}

#[test]
fn the_measure_that_is_judged_is_the_one_that_is_shown() {
    let text = table(None, None);
    let line = text.lines().find(|line| line.starts_with("pointing")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[1..6], ["2.00", "18.00", "+16.00", "total", "likely"], "{line}");
}

#[test]
fn lists_are_cut_widths_kept_and_control_characters_shown_as_text() {
    assert!(table(None, Some(1)).contains("2 more; --top 0 shows all"));
    for width in [40, 56, 80, 120] {
        let text = table(Some(width), None);
        assert!(!text.contains('\u{1b}'));
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn markdown_holds_the_same_verdicts() {
    let options = usual_options();
    let text = verdict_markdown(&comparison(Vec::new()), &classification(), VerdictDetail::All, &options);
    assert!(text.contains("| `slower` | 1.00 | 3.00 | +2.00 | self | likely |"), "{text}");
}
