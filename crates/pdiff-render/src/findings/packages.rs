//! The packages of which the sides run other versions: one number for each dependency that was upgraded.

use pdiff_analysis::{Comparison, GroupBy, PackageChange, package_changes};
use pdiff_profile::Side;

use crate::document::number::fixed;
use crate::document::visible_text::visible;
use crate::document::{Block, Line};

/// A package has so much of a side to be named.
const LEAST_NAMED_PCT: f64 = 0.5;

/// So many are named.
const MOST_NAMED: usize = 4;

/// The packages that changed; rows that are no functions tell none.
pub(crate) fn changed(comparison: &Comparison) -> Vec<PackageChange> {
    match comparison.group_by {
        GroupBy::Function => package_changes(&comparison.rows),
        _ => Vec::new(),
    }
}

/// Names the heaviest of them, and says what the own code of all of them takes.
pub(super) fn line(comparison: &Comparison) -> Option<Block> {
    let changed = changed(comparison);
    let is_heavy = |of: &&PackageChange| of.self_pct.before.max(of.self_pct.after) >= LEAST_NAMED_PCT;
    let mut named: Vec<String> = changed.iter().filter(is_heavy).take(MOST_NAMED).map(words).collect();
    if named.is_empty() {
        return None;
    }
    if let more @ 1.. = changed.len() - named.len() {
        named.push(format!("{more} more"));
    }
    let sum = |side: Side| fixed(changed.iter().map(|of| of.self_pct[side]).sum(), 2);
    let together = if changed.len() > 1 { ", together" } else { "" };
    let text = format!(
        "{}: self {} -> {} % of CPU{together}",
        named.join(", "),
        sum(Side::Before).trim(),
        sum(Side::After).trim()
    );
    Some(Line::block("packages", text))
}

/// `regex 1.5.4 -> 1.10.6`.
fn words(of: &PackageChange) -> String {
    let versions = |side: Side| of.versions[side].join(" and ");
    let name = visible(&of.name);
    match (of.versions.before.is_empty(), of.versions.after.is_empty()) {
        (true, _) => format!("{name} {} after alone", versions(Side::After)),
        (_, true) => format!("{name} {} before alone", versions(Side::Before)),
        _ => format!("{name} {} -> {}", versions(Side::Before), versions(Side::After)),
    }
}

#[cfg(test)]
mod tests {
    use crate::compare::sample;

    #[test]
    fn upgraded_packages_have_one_line() {
        let with = |rows: &[(&str, (f64, f64))]| {
            let mut of = sample::with_findings();
            of.rows = rows
                .iter()
                .map(|(path, shares)| {
                    let mut row = sample::row("f", *shares);
                    row.file = Some(format!("/c/registry/src/i/{path}/src/lib.rs").into());
                    row
                })
                .collect();
            super::line(&of).map(|block| format!("{block:?}"))
        };
        let regex = [("regex-1.5.4", (9.0, 0.0)), ("regex-1.10.6", (0.0, 2.0)), ("regex-1.10.6", (3.0, 2.5))];
        let told = |text: &str| Some(text.to_owned());
        let text = |rows: &[(&str, (f64, f64))]| {
            with(rows).map(|block| block.split('"').find(|text| text.contains("self")).unwrap().to_owned())
        };
        assert_eq!(text(&regex), told("regex 1.5.4 -> 1.10.6: self 12.00 -> 4.50 % of CPU"));
        let with_new =
            [&regex[..], &[("regex-automata-0.4.9", (0.0, 5.0)), ("memchr-2.7.1", (0.2, 0.0))]].concat();
        assert_eq!(
            text(&with_new),
            told(
                "regex 1.5.4 -> 1.10.6, regex-automata 0.4.9 after alone, 1 more: self 12.20 -> 9.50 % of CPU, together"
            )
        );
        // One version on both sides, one side's version is not known, or next to no samples.
        assert_eq!(with(&[("regex-1.5.4", (9.0, 0.0)), ("regex-1.5.4", (0.0, 2.0))]), None);
        assert_eq!(with(&[("regex-1.10.6", (0.0, 2.0)), ("regex-1.10.6", (3.0, 2.5))]), None);
        assert_eq!(with(&[("regex-1.5.4", (0.3, 0.0)), ("regex-1.10.6", (0.0, 0.3))]), None);
    }
}
