//! Hot lines: their weights sum to what was sampled in the function's code, wherever it stands.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "support/resolved.rs"]
mod resolved;
#[expect(dead_code, reason = "shared with tests that need more of it")]
mod support;

use pdiff_analysis::{HotLine, PreparedSides, Row, RowFunction, Sides};
use pdiff_profile::{InlineFrame, Profile, Resolutions, Weight};
use resolved::{Leaf, side};

/// A leaf's functions as `name@line`, outermost first; all in `/src/name.cc`.
fn frames(words: &str) -> Vec<InlineFrame> {
    let frame = |(depth, word): (usize, &str)| {
        let (name, line) = word.split_once('@').unwrap();
        let file = Some(format!("/src/{name}.cc").into());
        InlineFrame {
            name: name.into(),
            linkage_name: None,
            file,
            line: line.parse().ok(),
            inlined: depth > 0,
        }
    };
    words.split_whitespace().enumerate().map(frame).collect()
}

/// A profile of leaves with their weights.
fn sampled(leaves: &[(&str, u64)]) -> (Profile, Resolutions) {
    resolved::sampled((0x1000..).zip(leaves).map(|(addr, (words, weight))| Leaf {
        addr,
        symbol: words.split('@').next().unwrap(),
        symbol_offset: None,
        weight: *weight,
        frames: frames(words),
    }))
}

const BEFORE: [(&str, u64); 5] =
    [("scan@10", 30), ("scan@10", 5), ("scan@12 leaf@3", 40), ("other@1 scan@14", 20), ("other@2", 99)];
const AFTER: [(&str, u64); 2] = [("scan@x", 7), ("leaf@3", 11)];

#[test]
fn lines_of_all_copies_sum_to_the_functions_weight() {
    let (before, after) = (sampled(&BEFORE), sampled(&AFTER));
    let sides = Sides { before: side(&before), after: side(&after) };
    let settings = support::settings();
    let prepared = PreparedSides::new(&sides, &settings);
    let comparison = prepared.compare(&sides, &settings);
    let function = |row: &Row| RowFunction {
        name: row.name.to_string(),
        object: row.object.to_string(),
        file: row.file.as_deref().map(str::to_owned),
    };
    let functions: Vec<RowFunction> = comparison.rows.iter().map(function).collect();
    let all = prepared.hot_lines(&sides, &functions);
    for (row, lines) in comparison.rows.iter().zip(&all) {
        for (side, lines) in lines.sides.iter() {
            let expected = row.side(side).x_weight();
            let sum: u64 = lines.lines.iter().map(|line| line.weight.0).sum();
            assert_eq!(lines.weight, expected, "{}", row.name);
            assert_eq!(Weight(sum + lines.without_line.0), expected, "{}", row.name);
        }
    }
    let scan: Vec<_> =
        all.iter().filter(|of| of.of.name == "scan").flat_map(|of| &of.sides.before.lines).collect();
    let words = |line: &&HotLine| {
        let at = line.called_at.as_ref().map_or(0, |at| at.line);
        let inlined = line.inlined.as_deref().unwrap_or("-");
        format!("{}:{} {inlined} {at} {}", line.at.file, line.at.line, line.weight.0)
    };
    let mut words: Vec<String> = scan.iter().map(words).collect();
    words.sort();
    words.dedup();
    assert!(words.contains(&"/src/leaf.cc:3 leaf 12 40".to_owned()), "{words:?}");
    assert!(words.contains(&"/src/scan.cc:14 - 0 20".to_owned()), "{words:?}");
    let after: Vec<_> = all.iter().filter(|of| of.of.name == "scan").map(|of| &of.sides.after).collect();
    assert!(after.iter().any(|side| side.without_line == Weight(7) && side.lines.is_empty()));
}
