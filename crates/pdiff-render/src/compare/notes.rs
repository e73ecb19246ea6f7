//! The imperfections of all stages, one line per kind.

use pdiff_analysis::Comparison;
use pdiff_profile::{Note, Notes};

use crate::document::number::{fixed, grouped};
use crate::document::visible_text::{cut_end, visible};
use crate::document::{Block, Line};

/// Kinds that get a line; the others are counted.
const MOST_KINDS: usize = 6;

/// Longest example.
const EXAMPLE: usize = 100;

/// One line for each kind of note.
pub(crate) fn blocks(comparison: &Comparison) -> Vec<Block> {
    lines(&comparison.notes, (comparison.before.weight + comparison.after.weight).as_f64())
}

/// One line for each kind of note; `weight` is that of which notes take a share.
pub(crate) fn lines(notes: &Notes, weight: f64) -> Vec<Block> {
    let kinds = notes.iter().count();
    let mut blocks: Vec<Block> =
        notes.iter().take(MOST_KINDS).map(|note| Line::block("note", text(note, weight))).collect();
    if kinds > MOST_KINDS {
        let more = kinds - MOST_KINDS;
        blocks.push(Line::block("note", format!("... and {more} more kinds of notes; JSON has all")));
    }
    blocks
}

fn text(note: &Note, weight: f64) -> String {
    let share = 100.0 * note.weight.as_f64() / weight;
    // Notes count what was read, and filters may leave little of it: a share of that would be more than all.
    let touched = if note.weight.0 > 0 && weight > 0.0 && share <= 100.0 {
        format!(", {} % of weight", fixed(share, 2))
    } else {
        String::new()
    };
    let example = match note.examples.first() {
        Some(example) => format!(": {}", cut_end(&visible(example), EXAMPLE)),
        None => String::new(),
    };
    format!("{} x{}{touched}{example}", note.kind, grouped(note.count))
}
