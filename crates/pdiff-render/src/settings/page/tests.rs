//! Tests of the page of differing settings.

use pdiff_analysis::{SettingsKnowledge, settings_diff};
use pdiff_profile::{ServerSettings, SettingsScope};

use super::*;
use crate::document::options::SortBy;

fn sample() -> SettingsDiff {
    let side = |values: &[(&str, &str)]| {
        let mut settings = ServerSettings::new(SettingsScope::All);
        for (name, value) in values {
            settings.insert(name, value);
        }
        settings
    };
    let before = [
        ("version", "5.7.22"),
        ("innodb_flush_neighbors", "1"),
        ("tx_isolation", "READ-COMMITTED"),
        ("some_limit", "\u{1b}[31m1"),
        ("other_limit", "3"),
        ("datadir", "/a"),
        ("query_cache_size", "0"),
    ];
    let after = [
        ("version", "8.0.33"),
        ("innodb_flush_neighbors", "0"),
        ("transaction_isolation", "REPEATABLE-READ"),
        ("some_limit", "2"),
        ("other_limit", "4"),
        ("datadir", "/b"),
    ];
    settings_diff(&side(&before), &side(&after), &SettingsKnowledge::mysqld())
}

fn options(width: usize) -> TableOptions {
    TableOptions {
        width: Some(width),
        color: false,
        top: Some(1),
        min_delta_pp: None,
        sort: SortBy::Delta,
        explain: None,
    }
}

#[test]
fn what_matters_stands_first_with_its_reason_and_lists_are_cut() {
    let text = settings_table(&sample(), PerSide::new("old", "new"), &options(120));
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("before   old: 5.7.22") < at("innodb_flush_neighbors"));
    assert!(at("innodb_flush_neighbors") < at("transaction_isolation <- tx_isolation"));
    assert!(at("default changed") < at("other_limit") && at("other_limit") < at("1 more; --top 0"));
    assert!(at("query_cache_size") < at("folded   1 paths, 1 versions"));
    assert!(!text.contains("some_limit"));
}

#[test]
fn widths_are_kept_and_nothing_reaches_the_terminal_as_it_came() {
    for width in [40, 56, 80, 84, 100, 160] {
        let options = TableOptions { top: None, ..options(width) };
        let text = settings_table(&sample(), PerSide::new("old", "new"), &options);
        assert!(!text.contains('\u{1b}'));
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn markdown_has_the_same_rows() {
    let text = settings_markdown(&sample(), PerSide::new("old", "new"), &options(80));
    assert!(text.contains("| `innodb_flush_neighbors` | 1 | 0 | default changed |"), "{text}");
}
