//! A call tree as a flame graph: SVG drawn by inferno, folded stacks for other tools, JSON.
//!
//! inferno lays out and writes; what it knows of a frame is a number. Its names, colours and differentials go by
//! function and by leaf, ours by place in the tree, so each frame's text, title and colour are put in afterwards.
//! Nothing of a profile ever reaches inferno's parser or its script.

mod change;
mod folded;
mod frames;
mod legend;
mod paint;
mod still;
mod svg;
mod title;
mod tree_json;
mod xml_text;

use pdiff_analysis::classify::Classification;
use pdiff_analysis::{CallTree, Comparison};

pub(crate) use change::CostTerms;
pub use folded::write_folded;
pub(crate) use still::still_picture;
pub use svg::write_flame_svg;
pub use tree_json::tree_json;
pub(crate) use tree_json::{frame_value, function_value, tree_value};
pub(crate) use xml_text::{escaped, plain};

/// Which side is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlameView {
    /// After's stacks; stacks that are only in Before are not shown.
    After,
    /// Before's stacks; stacks that are only in After are not shown.
    Before,
    /// The stacks of Before that After does not have.
    Gone,
    /// Before's and After's stacks side by side.
    Both,
}

/// Which measure of a frame gives its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlameColor {
    /// Its self: the cost of its own code.
    OwnSelf,
    /// Its total: its cost with everything it calls.
    Total,
}

/// In which terms changes are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlameTerms {
    /// Share of the denominator, in points.
    Share,
    /// Weight per operation; where operations are not known on both sides, [`FlameTerms::Share`] is used instead.
    PerOperation,
}

/// How a flame graph is drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct FlameOptions {
    /// Which side.
    pub view: FlameView,
    /// Which measure gives the colour.
    pub color: FlameColor,
    /// In which terms.
    pub terms: FlameTerms,
    /// Roots on top, as suits a tree of leaf functions and their callers.
    pub inverted: bool,
    /// The first line; one is made of the labels where there is none.
    pub title: Option<String>,
    /// Remarks on how the tree was made; shown below the title.
    pub remarks: Vec<String>,
}

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct FlameInput<'a> {
    /// The comparison that the tree belongs to. A profile on its own is the base side, and the other has no runs.
    pub comparison: &'a Comparison,
    /// The tree.
    pub tree: &'a CallTree,
    /// Why functions changed, where that was asked.
    pub verdicts: Option<&'a Classification>,
}

impl FlameInput<'_> {
    /// There is one profile, and nothing to compare it with.
    pub(crate) fn is_single(&self) -> bool {
        self.comparison.after.runs.is_empty()
    }
}
