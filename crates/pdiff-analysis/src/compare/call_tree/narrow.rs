//! A tree with fewer frames: other frames are pruned and counted, as far as no weight is lost.

use super::{CallTree, FrameWeight, TreeFrame, TreeFunction, TreeNode};

/// The frames pruned from one frame.
#[derive(Clone, Copy, Default)]
struct Rest {
    frames: u64,
    before: u64,
    after: u64,
}

impl CallTree {
    /// The tree of the frames that are kept; the others are [`TreeFrame::Pruned`] of the nearest kept one, together with
    /// what was pruned from it before. The root is kept, and no frame without its parent. `is_kept` gets places in
    /// [`CallTree::nodes`].
    #[must_use]
    pub fn narrowed(&self, is_kept: impl Fn(usize) -> bool) -> Self {
        // By frame: the kept frame that it is, or was pruned from, and whether it is kept.
        let mut owners: Vec<(usize, bool)> = Vec::with_capacity(self.nodes.len());
        let mut rests = vec![Rest::default(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            let (above, above_is_kept) =
                node.parent.map_or((0, true), |parent| owners.get(parent).copied().unwrap_or((0, true)));
            let pruned_frames = match node.frame {
                TreeFrame::Pruned { frames } => Some(frames),
                _ if node.parent.is_none() || (above_is_kept && is_kept(index)) => None,
                _ => Some(1),
            };
            owners.push(if pruned_frames.is_none() { (index, true) } else { (above, false) });
            if let Some((frames, rest)) = pruned_frames.zip(rests.get_mut(above)) {
                rest.frames += frames;
                if above_is_kept {
                    rest.before = rest.before.saturating_add(node.before.total_weight);
                    rest.after = rest.after.saturating_add(node.after.total_weight);
                }
            }
        }
        let mut tree = Self {
            nodes: Vec::new(),
            functions: Vec::new(),
            subsystems: self.subsystems.clone(),
            side_weights: self.side_weights,
            align: self.align,
        };
        let mut functions = vec![None; self.functions.len()];
        // Kept frames from the root to the last one: where they were, and where they are.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let kept = self.nodes.iter().zip(&owners).enumerate().filter(|(_, (_, (_, kept)))| *kept);
        for (index, (node, _)) in kept {
            while open.last().is_some_and(|(last, _)| Some(*last) != node.parent) {
                close(&mut tree, &mut open, &rests);
            }
            let parent = open.last().map(|(_, place)| *place);
            let frame = match node.frame {
                TreeFrame::Function(of) => {
                    TreeFrame::Function(number(of, &self.functions, &mut functions, &mut tree.functions))
                }
                frame => frame,
            };
            open.push((index, tree.nodes.len()));
            tree.nodes.push(TreeNode { parent, frame, ..node.clone() });
        }
        while !open.is_empty() {
            close(&mut tree, &mut open, &rests);
        }
        tree
    }
}

/// The last open frame gets no more children but what was pruned from it.
fn close(tree: &mut CallTree, open: &mut Vec<(usize, usize)>, rests: &[Rest]) {
    let Some((index, place)) = open.pop() else { return };
    let rest = rests.get(index).copied().unwrap_or_default();
    let depth = tree.nodes.get(place).map_or(0, |node| node.depth) + 1;
    let weight = |weight: u64| FrameWeight { self_weight: weight, total_weight: weight };
    if rest.frames > 0 {
        tree.nodes.push(TreeNode {
            parent: Some(place),
            depth,
            frame: TreeFrame::Pruned { frames: rest.frames },
            before: weight(rest.before),
            after: weight(rest.after),
            changes: None,
        });
    }
}

/// A function's number in the narrowed tree.
fn number(
    of: usize,
    from: &[TreeFunction],
    numbers: &mut [Option<usize>],
    to: &mut Vec<TreeFunction>,
) -> usize {
    let Some((function, number)) = from.get(of).zip(numbers.get_mut(of)) else { return of };
    *number.get_or_insert_with(|| {
        to.push(function.clone());
        to.len() - 1
    })
}
