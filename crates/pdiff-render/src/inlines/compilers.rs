//! Compilers and flags of two builds side by side; those that only one side has are marked.

use pdiff_profile::PerSide;
use std::collections::{BTreeMap, BTreeSet};

use pdiff_profile::census::{Census, Compiler, Producer};

use crate::document::number::{NONE, grouped};
use crate::document::visible_text::{cut_end, visible};
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Line, Tone};
use crate::inlines::view::InlinesView;

/// Compilers that get a row each.
const MOST_COMPILERS: usize = 12;

/// Longest name of a compiler.
const COMPILER: usize = 60;

/// Columns that the mark, the units and the room between take.
const UNITS: usize = 21;

/// Longest list of flags.
const FLAGS: usize = 600;

/// The compilers of both builds, and the flags they recorded.
pub(crate) fn blocks(view: &InlinesView<'_>, width: Option<usize>) -> Vec<Block> {
    let (before, after) = (view.comparison.before, view.comparison.after);
    let mut blocks = Vec::new();
    if view.comparison.same_compiler() == Some(false) {
        let text = "the builds come from different compilers: they may cause changes of inlining";
        blocks.push(Line::toned("!", text, Tone::Warning));
    }
    blocks.extend(lists(before, after, width));
    blocks
}

/// The compilers and the flags of two builds, without a word on what follows from them.
pub(crate) fn lists(before: &Census, after: &Census, width: Option<usize>) -> Vec<Block> {
    let mut blocks = vec![Block::Grid(compilers(before, after, width))];
    blocks.extend(flags(before, after));
    blocks
}

/// The name of a compiler without its flags.
fn head(producer: &Producer) -> &str {
    producer.text.strip_suffix(&*producer.flags).unwrap_or(&producer.text).trim_end()
}

/// Units by compiler, before and after; `None` where that side has it not.
fn compilers(before: &Census, after: &Census, width: Option<usize>) -> Grid {
    let mut units: BTreeMap<&str, PerSide<Option<u64>>> = BTreeMap::new();
    for (side, census) in PerSide::new(before, after) {
        for producer in census.producers() {
            let count = &mut units.entry(head(producer)).or_default()[side];
            *count = Some(count.unwrap_or(0) + u64::from(producer.units));
        }
    }
    let mut by_units: Vec<(&str, PerSide<Option<u64>>)> = units.into_iter().collect();
    by_units.sort_by_key(|(name, counts)| (std::cmp::Reverse(counts.values().flatten().sum::<u64>()), *name));
    let room = width.map_or(COMPILER, |width| width.saturating_sub(UNITS).min(COMPILER));
    let mut rows: Vec<Vec<GridCell>> = by_units
        .iter()
        .take(MOST_COMPILERS)
        .map(|(name, counts)| compiler_row(name, *counts, room))
        .collect();
    let more = by_units.len().saturating_sub(MOST_COMPILERS);
    if more > 0 {
        let text = GridCell::toned(format!("... and {more} more; JSON has all"), Tone::Dim);
        rows.push(vec![GridCell::default(), text, GridCell::default(), GridCell::default()]);
    }
    let title =
        |top: &str, bottom: &str, align| GridColumn { title: [top.to_owned(), bottom.to_owned()], align };
    let columns = vec![
        title("", "", Align::Left),
        title("", "compiler", Align::Left),
        title("units", "before", Align::Right),
        title("units", "after", Align::Right),
    ];
    Grid { columns, rows, sums: 0 }
}

fn compiler_row(name: &str, counts: PerSide<Option<u64>>, room: usize) -> Vec<GridCell> {
    let differs = counts.values().any(Option::is_none);
    let (mark, tone) = if differs { ("!", Tone::Warning) } else { ("", Tone::Plain) };
    let count = |count: Option<u64>| match count {
        None => NONE.to_owned(),
        // Named by the file as a whole, not by its units.
        Some(0) => "named".to_owned(),
        Some(count) => grouped(count),
    };
    let name = if name.is_empty() { "(not named)" } else { name };
    let mut row =
        vec![GridCell::toned(mark, tone), GridCell::toned(cut_end(&visible(name), room).into_owned(), tone)];
    row.extend(counts.into_array().map(|units| GridCell::plain(count(units))));
    row
}

/// The flags that compilers recorded, assemblers aside.
fn flags_of(census: &Census) -> BTreeSet<&str> {
    let compilers = census.producers().iter().filter(|producer| producer.compiler != Compiler::Assembler);
    compilers.flat_map(|producer| producer.flags.split_whitespace()).collect()
}

fn flags(before: &Census, after: &Census) -> Vec<Block> {
    let (ours, theirs) = (flags_of(before), flags_of(after));
    let unrecorded: Vec<&str> = [("before", &ours), ("after", &theirs)]
        .into_iter()
        .filter(|(_, flags)| flags.is_empty())
        .map(|(side, _)| side)
        .collect();
    let mut blocks = Vec::new();
    if !unrecorded.is_empty() {
        let sides = unrecorded.join(" and ");
        let text = format!("not recorded {sides}: whether they differ is not known");
        blocks.push(Line::block("flags", text));
    }
    let mut push = |words: &str, flags: Vec<&str>, tone: Tone| {
        if !flags.is_empty() {
            let text = format!("{words}: {}", flags.join(" "));
            blocks.push(Line::toned("flags", cut_end(&visible(&text), FLAGS).into_owned(), tone));
        }
    };
    let tone = if unrecorded.is_empty() { Tone::Warning } else { Tone::Plain };
    push("on both sides", ours.intersection(&theirs).copied().collect(), Tone::Plain);
    push("only before", ours.difference(&theirs).copied().collect(), tone);
    push("only after", theirs.difference(&ours).copied().collect(), tone);
    blocks
}
