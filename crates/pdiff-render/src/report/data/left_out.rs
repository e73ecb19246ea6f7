//! What a page leaves out to stay small: counts, and the words for them.

use std::collections::HashSet;

use pdiff_analysis::Row;
use serde_json::{Value, json};

use super::frames::Wide;
use super::size_pct;
use crate::document::number::{fixed, grouped};
use crate::document::{Block, Line};
use crate::report::PAGE_BYTES;

/// What is left out.
#[derive(Clone, PartialEq, Debug, Default)]
pub(in crate::report) struct LeftOut {
    /// Functions, and their self before and after.
    functions: [u64; 3],
    /// The largest share of self among functions left out that are not significant, in percent.
    largest_pct: f64,
    /// How many of the functions are significant, and the largest change among them, in points.
    significant: (usize, f64),
    /// Verdicts, and the largest change among them, in points.
    told: (usize, f64),
    /// Verdicts without their evidence, and the largest change among them, in points.
    proved: (usize, f64),
    /// Frames, and the width of the widest of them, in percent.
    pub(super) frames: Option<(usize, f64)>,
    /// Entries of lists that are neither functions, verdicts nor frames.
    list_entries: usize,
}

impl LeftOut {
    /// Nothing but so many entries of lists.
    pub(super) fn of_lists(list_entries: usize) -> Self {
        Self { list_entries, ..Self::default() }
    }

    /// Counts the rows whose places are not kept.
    pub(super) fn rows(&mut self, rows: &[Row], kept: &HashSet<usize>) {
        for (place, row) in rows.iter().enumerate() {
            if kept.contains(&place) {
                continue;
            }
            let weights = [1, row.before.self_weight.0, row.after.self_weight.0];
            for (sum, more) in self.functions.iter_mut().zip(weights) {
                *sum += more;
            }
            if row.significant {
                self.significant.0 += 1;
                self.significant.1 = self.significant.1.max(row.delta_self_pp().abs());
            } else {
                self.largest_pct = self.largest_pct.max(size_pct(row));
            }
        }
    }

    /// Counts verdicts after the first `told`, and those after the first `proved`; changes are the largest first.
    pub(super) fn verdicts(&mut self, changes: &[f64], told: usize, proved: usize) {
        let first = |at: usize| changes.get(at).copied().unwrap_or(0.0);
        self.told = (changes.len() - told, first(told));
        self.proved = (told - proved, first(proved));
    }

    /// Counts frames after the first `shown`.
    pub(super) fn frames(&mut self, frames: &[Wide], shown: usize) {
        self.frames = frames.get(shown).map(|widest| (frames.len() - shown, widest.pct));
    }

    /// `functions_left_out`.
    pub(super) fn functions_value(&self) -> Value {
        let [count, before_self_weight, after_self_weight] = self.functions;
        json!({
            "count": count, "significant": self.significant.0, "before_self_weight": before_self_weight,
            "after_self_weight": after_self_weight
        })
    }

    /// What there is to say, as one line; none if nothing is left out.
    pub(in crate::report) fn blocks(&self) -> Vec<Block> {
        let count = |count: usize| grouped(count as u64);
        let mut parts = Vec::new();
        let within = self.functions[0].saturating_sub(self.significant.0 as u64);
        if within > 0 {
            let (within, pct) = (grouped(within), small(self.largest_pct));
            parts.push(format!(
                "{within} functions without a significant change, each {pct} % of self or less"
            ));
        }
        let mut changed = |(number, points): (usize, f64), what: &str| {
            if number > 0 {
                parts.push(format!("{} {what}, each {} points or less", count(number), small(points)));
            }
        };
        changed(self.significant, "functions with a significant change");
        changed(self.told, "verdicts");
        changed(self.proved, "verdicts' evidence");
        if let Some((number, pct)) = self.frames {
            parts.push(format!(
                "{} frames of the flame graph, each {} % wide or less",
                count(number),
                small(pct)
            ));
        }
        if self.list_entries > 0 {
            parts.push(format!("{} entries of other lists of the data", count(self.list_entries)));
        }
        if parts.is_empty() {
            return Vec::new();
        }
        let text = format!(
            "{}; so that the page stays small, under {} MB. All of it: pdiff compare, classify and flame with --format json",
            parts.join("; "),
            PAGE_BYTES / 1_000_000
        );
        vec![Line::block("left out", text)]
    }
}

/// Two places, or as many as show more than zero.
fn small(value: f64) -> String {
    fixed(value, if value < 0.01 { 4 } else { 2 })
}
