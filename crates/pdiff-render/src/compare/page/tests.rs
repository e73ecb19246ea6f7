//! Tables at every width: what is shown, in which order, and that nothing breaks.

use pdiff_analysis::{Family, InlineChange, InlineFlip, Row, Share};

use super::*;
use crate::compare::sample;
use crate::document::options::SortBy;
use crate::document::visible_text;

const WIDTHS: [usize; 7] = [40, 56, 60, 80, 100, 120, 200];

fn at(width: usize, top: Option<usize>) -> TableOptions {
    TableOptions { width: Some(width), top, ..sample::options() }
}

/// The lines from the heading of the rows to the total.
fn rows_of(text: &str) -> Vec<&str> {
    let from = text.lines().skip_while(|line| !line.starts_with("rows")).skip(1);
    let (mut rows, mut total) = (Vec::new(), false);
    for line in from.skip_while(|line| !line.starts_with("self %")) {
        if total {
            break;
        }
        total = line.contains("TOTAL");
        rows.push(line);
    }
    rows
}

#[test]
fn eighty_columns_hold_rows_rest_and_total() {
    let comparison = sample::comparison(vec![
        sample::significant("cmp_dtuple_rec_with_match_low", (0.44, 1.18)),
        sample::significant("THD::store_cached_properties", (0.0, 0.53)),
        sample::row("main", (99.56, 98.29)),
    ]);
    let text = table(&comparison, &at(80, Some(2)));
    let expected = [
        "self %  self %    self                 total",
        "before   after  change          95 %  change       function",
        "--------------------------------------------------------------------------------",
        "  0.44    1.18   +0.74  +0.24..+1.24   +1.48       cmp_dtuple_rec_with_match_low",
        "          0.53   +0.53  +0.03..+1.03   +1.06  new  THD::store_cached_properties",
        "--------------------------------------------------------------------------------",
        " 99.56   98.29   -1.27                             ... and 1 more",
        "100.00  100.00   +0.00                             TOTAL",
    ];
    assert_eq!(rows_of(&text), expected);
}

#[test]
fn self_by_symbol_is_explained_where_it_has_a_column() {
    let check = |by_symbol: f64, width: usize, is_told: bool| {
        let mut comparison = sample::comparison(vec![sample::row("main", (50.0, 50.0))]);
        comparison.rows[0].after.booked_self_pct = by_symbol;
        let text = table(&comparison, &at(width, None));
        assert_eq!(text.contains("symbol %  symbol %  symbol"), is_told, "{text}");
        assert_eq!(text.contains("symbol is self by symbol"), is_told, "{text}");
    };
    check(60.0, 200, true);
    check(60.0, 60, false);
    check(50.0, 200, false);
}

#[test]
fn inlined_functions_are_told_of_where_any_was_seen() {
    let mut comparison = sample::comparison(vec![sample::row("main", (50.0, 50.0))]);
    assert!(table(&comparison, &at(200, None)).contains("no debug information about inlined functions"));
    let mut inlining = pdiff_analysis::InlinedQuantities::default();
    inlining.self_weight.0 = 1;
    comparison.rows[0].after.inlining = Some(inlining.into());
    assert!(table(&comparison, &at(200, None)).contains("inlined functions have rows of their own"));
}

#[test]
fn no_line_is_wider_than_the_terminal_and_no_row_breaks() {
    let comparison = sample::full();
    for width in WIDTHS {
        let text = table(&comparison, &at(width, None));
        for line in text.lines() {
            assert!(visible_text::width(line) <= width, "{width}: {line}");
        }
        // Two lines of heading, two rules, six rows, the total.
        assert_eq!(rows_of(&text).len(), 11, "{width}:\n{text}");
    }
}

#[test]
fn without_colour_there_is_no_escape_and_no_control_character() {
    let comparison = sample::full();
    let hostile = |text: &str| text.chars().any(|c| c.is_control() && c != '\n');
    for width in WIDTHS {
        assert!(!hostile(&table(&comparison, &at(width, None))));
    }
    let coloured = table(&comparison, &TableOptions { color: true, ..at(200, None) });
    assert!(coloured.contains("\u{1b}[31m+0.74\u{1b}[39m"), "{coloured}");
    assert!(!coloured.contains("\u{1b}[31m|"), "a name's escape stays spelled out");
    assert!(coloured.contains("old_\\x1b[31m|`name`\\x0a"));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let comparison = sample::full();
    let plain = table(&comparison, &at(100, Some(3)));
    let mut coloured = table(&comparison, &TableOptions { color: true, ..at(100, Some(3)) });
    for code in ["1", "22", "31", "33", "34", "39", "90"] {
        coloured = coloured.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(coloured, plain);
}

#[test]
fn shown_rows_and_the_rest_add_up_to_the_total() {
    let shares = |share: f64| (share, 10.0 - share / 2.0);
    let rows: Vec<Row> =
        (0..20_u8).map(|at| sample::row(&format!("f{at}"), shares(f64::from(at) + 1.0))).collect();
    let sum_before: f64 = rows.iter().map(|row| row.before.self_pct).sum();
    let text = table(&sample::comparison(rows), &at(120, Some(7)));
    let number = |line: &&str| line.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    let numbers: Vec<f64> = rows_of(&text).iter().filter_map(number).collect();
    let (total, parts) = numbers.split_last().unwrap();
    assert_eq!((parts.len(), *total), (8, sum_before));
    assert!((parts.iter().sum::<f64>() - total).abs() < 0.005 * 8.0);
}

#[test]
fn shares_of_many_denominators_have_no_total() {
    let mut comparison =
        sample::comparison(vec![sample::row("f", (60.0, 40.0)), sample::row("g", (100.0, 100.0))]);
    comparison.share = Share::Object;
    let text = table(&comparison, &at(120, None));
    assert!(rows_of(&text).last().unwrap().trim() == "TOTAL", "{text}");
    assert!(text.contains("of the row's own object"));
}

#[test]
fn what_makes_sides_incomparable_comes_first_then_the_result_then_rows_then_warnings() {
    let text = table(&sample::full(), &at(120, None));
    let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("no '{what}' in\n{text}"));
    let order = [
        "!!       event cycles before, cpu-clock after: different events",
        "result   ",
        "rows     6 of 6 functions, significant ones first",
        "!        span 15.0 s before, 70.1 s after: runs of different length",
        "before   57: ",
        "same     call chains yes",
        "samples  10000 in 1 run  12000 in 1 run",
        "gap      -32.0 % operations/s (95 % -40.0..-22.0, run-to-run variation assumed): of that, 61.0 % is in rows",
        "waiting  9.59 % of CPU is busy waiting after, 13.64 % before",
        "removing the spinning gains at most +10.6 %",
        "noise    single run a side",
        "drift    shares drift",
        "phases   shares vary at least 3 times as much inside the runs",
        "note     unparsed-line x2, 0.20 % of weight: 57.perf line 12: \\x1b[2J",
    ];
    assert!(order.map(place).is_sorted());
}

#[test]
fn shares_of_a_gap_that_is_hardly_more_than_noise_have_a_warning() {
    let mut comparison = sample::full();
    let warning = "the gap may be less than half of what was measured";
    assert!(!table(&comparison, &at(120, None)).contains(warning));
    if let Some(gap) = comparison.cost.as_mut().and_then(|cost| cost.gap.as_mut()) {
        gap.barely_significant = true;
    }
    assert!(table(&comparison, &at(120, None)).contains(warning));
}

#[test]
fn a_page_of_twenty_rows_fits_two_screens() {
    let mut comparison = sample::full();
    let more =
        (0..100_u8).map(|at| sample::row(&format!("namespace::Class<int>::method_number_{at}"), (0.1, 0.2)));
    comparison.rows.extend(more);
    for width in [80, 120] {
        let lines = table(&comparison, &at(width, Some(20))).lines().count();
        assert!(lines <= 80, "{lines} lines at {width} columns");
    }
}

#[test]
fn names_of_several_objects_say_which_where_objects_have_no_column() {
    let mut rows = vec![sample::row("[unresolved]", (1.0, 2.0)), sample::row("[unresolved]", (3.0, 2.0))];
    rows[1].object = "libc.so".into();
    rows.push(sample::row("a_function_of_quite_a_long_name", (96.0, 96.0)));
    let text = table(&sample::comparison(rows), &at(60, None));
    assert!(text.contains("[unresolved] (mysqld)") && text.contains("[unresolved] (libc.so)"), "{text}");
}

#[test]
fn nothing_to_compare_is_a_page_all_the_same() {
    for sort in SortBy::ALL {
        let text = table(&sample::comparison(Vec::new()), &TableOptions { sort: *sort, ..at(80, Some(3)) });
        assert!(text.contains("rows     0 of 0 functions"), "{text}");
    }
}

#[test]
fn rows_of_thread_groups_fit_as_well() {
    let mut comparison = sample::full();
    for row in &mut comparison.rows {
        row.thread_group = Some("a group of many threads".into());
        row.matched.ambiguous = true;
    }
    for width in WIDTHS {
        let text = table(&comparison, &at(width, None));
        assert!(text.lines().all(|line| visible_text::width(line) <= width), "{text}");
    }
}

#[test]
fn rows_that_inlining_moved_weight_between_are_told_as_one() {
    let mut comparison = sample::full();
    comparison.rows[1].inline.get_or_insert_default().family = Some(0);
    comparison.families = vec![Family {
        id: 0,
        members: vec!["cmp_dtuple_rec_with_match_low".to_owned(), "cmp_data".to_owned()],
        flips: vec![InlineFlip {
            function: "cmp_data".to_owned(),
            caller: "cmp_dtuple_rec_with_match_low".to_owned(),
            change: InlineChange::Lost,
        }],
        booked_delta_pp: 0.3,
        moved_pp: -0.9,
        body_pp: 0.1,
        call_overhead_pp: 0.2,
    }];
    let text = table(&comparison, &at(200, None));
    assert!(text.contains("  f0  "), "{text}");
    let expected = "family   f0 inlining of cmp_data in cmp_dtuple_rec_with_match_low lost: 0.90 points moved between rows; \
                    its 2 rows together +0.30 by symbol (own code +0.10, calls and callers +0.20)";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_row_whose_cost_changed_while_its_share_held_is_marked_and_stands_first() {
    let mut hot = sample::row("hot_a", (45.0, 45.7));
    hot.cost_change = Some(sample::own_cost_change().into());
    let mut comparison = sample::comparison(vec![sample::row("main", (54.0, 53.0)), hot]);
    let text = table(&comparison, &at(100, None));
    let rows = rows_of(&text);
    assert!(rows.iter().any(|row| row.contains("/op") && row.contains("hot_a")), "{text}");
    let place = |name: &str| rows.iter().position(|row| row.contains(name)).unwrap();
    assert!(place("hot_a") < place("main") && text.contains("/op its cost per operation changed"), "{text}");
    comparison.rows[1].significant = true;
    assert!(!table(&comparison, &at(100, None)).contains("/op"), "the share tells it");
}

#[test]
fn only_columns_that_have_room_are_explained() {
    for width in [60, 80, 100, 200] {
        let text = table(&sample::full(), &at(width, None));
        let is_shown = text.lines().any(|line| line.contains("CPU change %"));
        let is_explained =
            text.split_whitespace().collect::<Vec<_>>().join(" ").contains("share of CPU change is");
        assert_eq!(is_explained, is_shown, "{width}: {text}");
    }
}
