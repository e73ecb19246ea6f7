//! Which frames of the tree are drawn in a view, how wide, and the lines that inferno lays them out from.

use pdiff_analysis::TreeNode;
use pdiff_profile::Side;

use super::change::Terms;
use super::{FlameInput, FlameView};

/// What a drawn frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Drawn {
    /// A frame of the tree, by its place.
    Node(usize),
    /// All stacks of a side, in a picture of both.
    Panel(Side),
    /// There is nothing to draw.
    Nothing,
}

/// A view made ready for inferno.
#[derive(Debug)]
pub(super) struct Frames {
    /// By number: the name that inferno knows a frame by.
    pub(super) drawn: Vec<Drawn>,
    /// Stacks of numbers, sorted.
    pub(super) lines: Vec<String>,
    /// Unit of the widths is this part of the whole picture.
    pub(super) width: u64,
}

/// Units of width that one panel of a picture of both sides has.
const PANEL_UNITS: f64 = 1e12;

impl Frames {
    pub(super) fn new(input: &FlameInput<'_>, view: FlameView, terms: &Terms<'_>) -> Self {
        let nodes = &input.tree.nodes;
        // A number has as many digits as the largest one, so that sorting as text keeps the order.
        let digits = (nodes.len() * 2 + 2).to_string().len();
        let mut frames = Self { drawn: Vec::new(), lines: Vec::new(), width: 0 };
        match view {
            FlameView::After => frames.add(nodes, digits, None, |node| node.after.self_weight),
            FlameView::Before => frames.add(nodes, digits, None, |node| node.before.self_weight),
            FlameView::Gone => frames.add(nodes, digits, None, |node| {
                if node.after.total_weight == 0 { node.before.self_weight } else { 0 }
            }),
            FlameView::Both => {
                for side in Side::BOTH {
                    let scale = panel_scale(input, terms, side);
                    let weight =
                        |node: &TreeNode| (node.side(side).self_weight as f64 * scale).round() as u64;
                    frames.add(nodes, digits, Some(side), weight);
                }
            }
        }
        if frames.width == 0 {
            frames.drawn = vec![Drawn::Nothing];
            frames.lines = vec!["0 1".to_owned()];
            frames.width = 1;
        }
        frames
    }

    /// Adds the frames that have weight, the tree's own order kept.
    fn add(
        &mut self,
        nodes: &[TreeNode],
        digits: usize,
        panel: Option<Side>,
        weight: impl Fn(&TreeNode) -> u64,
    ) {
        let own: Vec<u64> = nodes.iter().map(weight).collect();
        let mut total = own.clone();
        for (index, node) in nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                total[parent] = total[parent].saturating_add(total[index]);
            }
        }
        let mut path = String::new();
        // Where the path of each depth ends.
        let mut ends: Vec<usize> = Vec::new();
        if let Some(side) = panel {
            self.push(Drawn::Panel(side), digits, &mut path);
        }
        let top = path.len();
        for (index, node) in nodes.iter().enumerate().filter(|(index, _)| total[*index] > 0) {
            if node.parent.is_none() {
                continue;
            }
            let depth = node.depth as usize;
            ends.truncate(depth - 1);
            path.truncate(ends.last().copied().unwrap_or(top));
            self.push(Drawn::Node(index), digits, &mut path);
            ends.push(path.len());
            if own[index] > 0 {
                self.lines.push(format!("{path} {}", own[index]));
            }
        }
        self.width = self.width.saturating_add(total.first().copied().unwrap_or(0));
    }

    fn push(&mut self, drawn: Drawn, digits: usize, path: &mut String) {
        if !path.is_empty() {
            path.push(';');
        }
        path.push_str(&format!("{:0digits$}", self.drawn.len()));
        self.drawn.push(drawn);
    }
}

/// Panels are of one width, or as wide as what an operation costs.
fn panel_scale(input: &FlameInput<'_>, terms: &Terms<'_>, side: Side) -> f64 {
    let weight = match side {
        Side::Before => input.tree.side_weights.before,
        Side::After => input.tree.side_weights.after,
    };
    let part = terms.cost().map_or(1.0, |cost| {
        let own = if side == Side::Before { cost.per_op.before } else { cost.per_op.after };
        own / cost.per_op.before.max(cost.per_op.after)
    });
    if weight == 0 { 0.0 } else { PANEL_UNITS * part / weight as f64 }
}
