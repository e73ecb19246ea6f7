//! Trees that a reader can choose instead of the first one: the same stacks aligned at equal callers, and those of each
//! group of threads. They have the columns of the first tree.

use serde_json::{Value, json};

use super::super::{OtherTree, ReportInput};
use super::frames;
use super::json_text::{bytes, economise};
use super::shelf::Shelf;
use crate::error::Error;
use crate::flame::{CostTerms, FlameInput, tree_value};

/// A tree is made so often at most: prices of frames are upper limits, so the first try leaves room.
const TRIES: usize = 4;

/// The trees in at most `room` bytes; each gets an equal part of what those before it left.
pub(super) fn value(input: &ReportInput<'_>, room: usize) -> Result<Value, Error> {
    let terms =
        CostTerms::new(&FlameInput { comparison: input.comparison, tree: input.tree, verdicts: None });
    let mut left = room;
    let mut trees = Vec::new();
    for (at, other) in input.other_trees.iter().enumerate() {
        let part = left / (input.other_trees.len() - at);
        if let Some(tree) = tree_within(input, other, &terms, part)? {
            left = left.saturating_sub(bytes(&tree));
            trees.push(tree);
        }
    }
    Ok(Value::Array(trees))
}

/// As much of a tree as fits, the widest frames first; `None` if nothing does.
fn tree_within(
    input: &ReportInput<'_>,
    other: &OtherTree,
    terms: &CostTerms<'_>,
    room: usize,
) -> Result<Option<Value>, Error> {
    let widest = frames::by_width(&other.tree);
    let mut shelf = Shelf::new(frames::prices(&other.tree, &widest, terms));
    let mut found = None;
    let mut offered = room;
    for _ in 0..TRIES {
        let before = shelf.taken();
        shelf.take(offered);
        if found.is_some() && shelf.taken() == before {
            break;
        }
        let value = tree_of(input, other, &widest, shelf.taken())?;
        let Some(left) = room.checked_sub(bytes(&value)) else { break };
        found = Some(value);
        offered = left;
    }
    Ok(found)
}

/// A tree's widest frames.
fn tree_of(
    input: &ReportInput<'_>,
    other: &OtherTree,
    widest: &[frames::Wide],
    shown: usize,
) -> Result<Value, Error> {
    let narrowed = frames::narrowed(&other.tree, widest, shown);
    let tree = narrowed.as_ref().unwrap_or(&other.tree);
    let mut tree = tree_value(&FlameInput { comparison: input.comparison, tree, verdicts: None })?;
    let mut value = json!({"thread_group": other.thread_group});
    for key in ["is_aligned", "functions", "subsystems", "frames"] {
        value[key] = tree[key].take();
    }
    if let Some(left_out) = widest.get(shown) {
        value["left_out_pct"] = Value::from(left_out.pct);
    }
    economise(&mut value);
    Ok(value)
}
