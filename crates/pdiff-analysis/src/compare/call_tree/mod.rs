//! Both sides' stacks as one tree of calls, each frame with its weight before and after: what pictures are drawn from.
//!
//! Stacks are the comparison's own: filtered, inlines expanded, names canonical, renames joined. So a function inlined on
//! one side and called on the other is at one place of the tree.
//!
//! Laws: a frame's total is its self and its children's totals, on each side. In a whole tree (nothing pruned, no
//! focus) the totals of a function's topmost frames sum to the comparison's total of it.
//!
//! Cost: unique stacks x depth to grow; cells x kept depth to judge. No step recurses: stacks may be as deep as they
//! like.

mod grow;
mod judged;
mod narrow;
mod prune;

use pdiff_profile::{PerSide, Side};
use rayon::prelude::*;

use super::input::CompareSettings;
use super::prepare::Prepared;
use super::stacks_of_both;
use crate::findings::AlignedStacks;
use crate::noise::ShareChange;
use crate::pattern::Pattern;
use grow::Grown;

/// How the stacks of both sides are aligned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// Equal callers: one more caller on one side separates everything below it.
    Exact,
    /// The functions that both sides ran, as in findings; code that only one side ran is inside them. Not for reversed
    /// trees, which stay exact.
    Anchors,
}

/// How the tree is made.
#[derive(Clone, Debug)]
pub struct TreeSettings {
    /// How the stacks of both sides are aligned.
    pub align: Align,
    /// Leaf functions at the root, their callers below them.
    pub reverse: bool,
    /// Only stacks with such a function, from the outermost one on (from the innermost one with `reverse`).
    pub focus: Option<Pattern>,
    /// Only the threads of this group; shares are still of all threads.
    pub thread_group: Option<String>,
    /// The subsystems of the leaf functions are below the root.
    pub by_subsystem: bool,
    /// Frames narrower than this on both sides are pruned; percent of the side's weight.
    pub min_width_pct: f64,
    /// Frames deeper than this are pruned; the root is at 0.
    pub max_depth: Option<u32>,
    /// Whether each frame's change is judged against noise.
    pub judge: bool,
}

/// The function or subsystem of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TreeFrame {
    /// All stacks.
    Root,
    /// A function: index into [`CallTree::functions`].
    Function(usize),
    /// The subsystem of leaf functions: index into [`CallTree::subsystems`].
    Subsystem(usize),
    /// All frames pruned from the parent, together.
    Pruned {
        /// How many they are, those below them included.
        frames: u64,
    },
}

/// A function of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeFunction {
    /// Its name, as rows have it.
    pub name: String,
    /// Label of its object.
    pub object: String,
    /// Part of the program.
    pub subsystem: String,
    /// Whether each side has samples of it anywhere, base first.
    pub ran: PerSide<bool>,
}

/// A frame's weight on one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FrameWeight {
    /// Of stacks that end here.
    pub self_weight: u64,
    /// Of stacks that pass here or end here.
    pub total_weight: u64,
}

/// The change of one measure of a frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FrameChange {
    /// Share on the base side, in percent of the denominator.
    pub before_pct: f64,
    /// Share on the other side.
    pub after_pct: f64,
    /// Lower end of the 95 % interval of the change, in points.
    pub ci_low_pp: f64,
    /// Upper end of it.
    pub ci_high_pp: f64,
    /// Standard error of the change, in points.
    pub se_pp: f64,
    /// Degrees of freedom of the t distribution that `se_pp` is used with.
    pub degrees_of_freedom: f64,
    /// There are samples enough for a test.
    pub tested: bool,
    /// Beyond noise, and large enough to matter.
    pub significant: bool,
}

impl FrameChange {
    /// The change of share, as common factors want it.
    #[must_use]
    pub fn share_change(&self) -> ShareChange {
        ShareChange {
            before_pct: self.before_pct,
            after_pct: self.after_pct,
            se_pp: self.se_pp,
            degrees_of_freedom: self.degrees_of_freedom,
        }
    }

    /// After minus before, in points.
    #[must_use]
    pub fn delta_pp(&self) -> f64 {
        self.after_pct - self.before_pct
    }
}

/// The changes of a frame's self and total.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FrameChanges {
    /// Of self.
    pub of_self: FrameChange,
    /// Of total.
    pub of_total: FrameChange,
}

/// One frame of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct TreeNode {
    /// Place of the caller (with `reverse`: the callee) in [`CallTree::nodes`]; `None` for the root.
    pub parent: Option<usize>,
    /// Frames between it and the root, itself included; 0 for the root.
    pub depth: u32,
    /// What it represents.
    pub frame: TreeFrame,
    /// On the base side.
    pub before: FrameWeight,
    /// On the other side.
    pub after: FrameWeight,
    /// Whether it changed; `None` if that was not judged.
    pub changes: Option<FrameChanges>,
}

impl TreeNode {
    /// One side's weight.
    #[must_use]
    pub fn side(&self, side: Side) -> FrameWeight {
        match side {
            Side::Before => self.before,
            Side::After => self.after,
        }
    }
}

/// Both sides' stacks as one tree.
#[derive(Clone, PartialEq, Debug)]
pub struct CallTree {
    /// Root first, each frame before its children; siblings by name, object and file; what was pruned last.
    pub nodes: Vec<TreeNode>,
    /// The functions that frames represent.
    pub functions: Vec<TreeFunction>,
    /// The subsystems that frames represent.
    pub subsystems: Vec<String>,
    /// Weight of each side, base first; more than the root's total where there is a focus or a thread group.
    pub side_weights: PerSide<u64>,
    /// How it was made.
    pub align: Align,
}

impl CallTree {
    /// Whether a frame is where one side's own code begins: the sides above it are both there.
    #[must_use]
    pub fn is_strip(&self, node: &TreeNode) -> bool {
        let is_one_sided = |node: &TreeNode| node.before.total_weight == 0 || node.after.total_weight == 0;
        let parent = node.parent.and_then(|parent| self.nodes.get(parent));
        is_one_sided(node) && parent.is_some_and(|parent| !is_one_sided(parent))
    }

    /// Whether a frame is drawn as of one side: in an exact tree if the other side has nothing of it, in an aligned one if
    /// its code is of that side alone, or begins there.
    #[must_use]
    pub fn is_marked(&self, node: &TreeNode) -> bool {
        match (self.align, node.frame) {
            (Align::Exact, _) => true,
            (Align::Anchors, TreeFrame::Function(function)) => {
                let ran = self.functions.get(function).map_or_else(PerSide::default, |function| function.ran);
                ran != PerSide::new(true, true) || self.is_strip(node)
            }
            (Align::Anchors, _) => true,
        }
    }
}

/// Makes trees of prepared sides. What both sides ran, along which stacks are aligned, is looked for once.
pub(super) fn call_trees(
    prepared: &Prepared<'_>,
    compared: &CompareSettings,
    wanted: &[TreeSettings],
) -> Vec<CallTree> {
    let is_aligned = |settings: &TreeSettings| settings.align == Align::Anchors && !settings.reverse;
    let aligned = wanted
        .iter()
        .any(is_aligned)
        .then(|| AlignedStacks::new(&stacks_of_both(prepared, None, compared.noise)));
    let tree = |settings: &TreeSettings| {
        let grown = Grown::new(prepared, settings, aligned.as_ref().filter(|_| is_aligned(settings)));
        let (mut tree, places) = prune::prune(&grown, prepared, settings);
        if settings.judge {
            judged::judge(&mut tree, &grown, &places, prepared, (compared, settings));
        }
        tree
    };
    wanted.par_iter().map(tree).collect()
}
