//! Frames of the call tree by importance, and the bytes that each needs.

use pdiff_analysis::{CallTree, TreeFrame, TreeNode};
use serde_json::Value;

use super::json_text::{bytes, economise};
use crate::flame::{CostTerms, frame_value, function_value};

/// Bytes that one frame `[pruned]` takes at most.
const PRUNED_BYTES: usize = 160;

/// A frame's place in the tree, and its width.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    pub(super) place: usize,
    /// The greater of both sides, in percent of the side's weight.
    pub(super) pct: f64,
}

/// Frames but the root and what is pruned, the widest first: no frame is before its parent.
pub(super) fn by_width(tree: &CallTree) -> Vec<Wide> {
    let pct = |node: &TreeNode| {
        let of = |weight: u64, whole: u64| 100.0 * weight as f64 / whole.max(1) as f64;
        of(node.before.total_weight, tree.side_weights.before)
            .max(of(node.after.total_weight, tree.side_weights.after))
    };
    let is_shown = |node: &TreeNode| node.parent.is_some() && !matches!(node.frame, TreeFrame::Pruned { .. });
    let all = tree.nodes.iter().enumerate().filter(|(_, node)| is_shown(node));
    let mut frames: Vec<Wide> = all.map(|(place, node)| Wide { place, pct: pct(node) }).collect();
    frames.sort_by(|a, b| b.pct.total_cmp(&a.pct).then(a.place.cmp(&b.place)));
    frames
}

/// What each frame costs at most: itself, its function where it is the first of it, and what is pruned from it.
pub(super) fn prices(tree: &CallTree, frames: &[Wide], terms: &CostTerms<'_>) -> Vec<usize> {
    let mut is_named = vec![false; tree.functions.len()];
    let price = |frame: &Wide| {
        let Some(node) = tree.nodes.get(frame.place) else { return 0 };
        let mut price = economised(frame_value(node, terms)) + PRUNED_BYTES;
        if let TreeFrame::Function(index) = node.frame
            && let Some((named, function)) = is_named.get_mut(index).zip(tree.functions.get(index))
            && !std::mem::replace(named, true)
        {
            price += economised(function_value(function));
        }
        price
    };
    frames.iter().map(price).collect()
}

fn economised(mut value: Value) -> usize {
    economise(&mut value);
    bytes(&value)
}

/// The tree of the first `shown` frames; `None` if that is all of them.
pub(super) fn narrowed(tree: &CallTree, frames: &[Wide], shown: usize) -> Option<CallTree> {
    if shown >= frames.len() {
        return None;
    }
    let mut is_kept = vec![false; tree.nodes.len()];
    for frame in frames.iter().take(shown) {
        if let Some(kept) = is_kept.get_mut(frame.place) {
            *kept = true;
        }
    }
    Some(tree.narrowed(|place| is_kept.get(place).copied().unwrap_or(false)))
}
