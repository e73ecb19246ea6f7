//! Facts to know before reading the rows: serious ones as sentences, the others side by side.

use pdiff_analysis::{Comparison, Severity};

use crate::compare::side_fact_words::SideFactWords;
use crate::document::visible_text::{cut_middle, visible};
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Line, Tone};

/// Longest text of one side's value in a sentence: two settings with long names.
const SENTENCE_VALUE: usize = 120;

/// Longest text of one side's value in the grid, where the page has no width.
const GRID_VALUE: usize = 60;

/// Columns that the names of facts and the room between columns take.
const GRID_NAMES: usize = 24;

/// The facts of a comparison, gravest first.
pub(crate) fn blocks(comparison: &Comparison, width: Option<usize>) -> Vec<Block> {
    [grave_blocks(comparison), warning_blocks(comparison), plain_blocks(comparison, width)].concat()
}

/// What must be read before anything else: what makes the sides incomparable, and what looks like a mistake.
pub(crate) fn grave_blocks(comparison: &Comparison) -> Vec<Block> {
    let grave = of(comparison, Severity::Incomparable).chain(of(comparison, Severity::Suspect));
    grave.map(|fact| sentence("!!", Tone::Grave, &fact)).collect()
}

/// What may mislead.
pub(crate) fn warning_blocks(comparison: &Comparison) -> Vec<Block> {
    of(comparison, Severity::Warning).map(|fact| sentence("!", Tone::Warning, &fact)).collect()
}

/// What is good to know.
pub(crate) fn plain_blocks(comparison: &Comparison, width: Option<usize>) -> Vec<Block> {
    let (same, differing): (Vec<SideFactWords>, Vec<SideFactWords>) =
        of(comparison, Severity::Plain).partition(|fact| fact.values.before == fact.values.after);
    let mut blocks: Vec<Block> = Vec::new();
    if !same.is_empty() {
        let texts: Vec<String> =
            same.iter().map(|fact| format!("{} {}", fact.name, value(&fact.values.before))).collect();
        blocks.push(Line::block("same", texts.join("; ")));
    }
    if !differing.is_empty() {
        blocks.push(Block::Grid(side_by_side(&differing, width)));
    }
    blocks
}

fn of(comparison: &Comparison, severity: Severity) -> impl Iterator<Item = SideFactWords> {
    let facts = comparison.comparability.iter().filter(move |fact| fact.severity == severity);
    facts.map(SideFactWords::new)
}

fn sentence(label: &'static str, tone: Tone, fact: &SideFactWords) -> Block {
    let [before, after] = fact.values.as_ref().map(|text| value(text)).into_array();
    let values = if before == after { before } else { format!("{before} before, {after} after") };
    let remark = if fact.remark.is_empty() { String::new() } else { format!(": {}", fact.remark) };
    Line::toned(label, format!("{} {values}{remark}", fact.name), tone)
}

fn value(text: &str) -> String {
    let text = visible(text);
    if text.is_empty() { "not known".to_owned() } else { cut_middle(&text, SENTENCE_VALUE).into_owned() }
}

fn side_by_side(facts: &[SideFactWords], width: Option<usize>) -> Grid {
    let most = width.map_or(GRID_VALUE, |width| (width.saturating_sub(GRID_NAMES) / 2).clamp(8, GRID_VALUE));
    let column = |title: &str| GridColumn { title: [String::new(), title.to_owned()], align: Align::Left };
    let cell = |text: &str| GridCell::plain(cut_middle(&visible(text), most));
    Grid {
        columns: vec![column(""), column("before"), column("after")],
        rows: facts
            .iter()
            .map(|fact| vec![GridCell::plain(fact.name), cell(&fact.values.before), cell(&fact.values.after)])
            .collect(),
        sums: 0,
    }
}
