//! The call tree as JSON, schema version 1: names once, frames as rows of numbers, because there are many.

use pdiff_analysis::{Align, FrameChange, TreeFrame, TreeFunction, TreeNode};
use pdiff_profile::PerSide;
use serde::Serialize;
use serde_json::{Value, json};

use super::FlameInput;
use super::change::CostTerms;
use crate::compare::json::side;
use crate::compare::json_shape::{PolicyReport, SCHEMA_VERSION, SideReport};
use crate::error::Error;
use crate::files::written_bytes::{json_line, json_value};

#[derive(Serialize)]
struct TreeReport<'a> {
    schema_version: u32,
    before: SideReport<'a>,
    after: SideReport<'a>,
    policy: PolicyReport,
    denominator: &'static str,
    filtered: &'a str,
    /// What an operation costs on each side.
    #[serde(skip_serializing_if = "Option::is_none")]
    per_op: Option<PerOperation>,
    /// Whether the stacks of both sides are laid along what both ran.
    is_aligned: bool,
    functions: Vec<FunctionReport<'a>>,
    subsystems: &'a [String],
    columns: [&'static str; 20],
    frames: Vec<Value>,
}

#[derive(Serialize)]
struct PerOperation {
    before: f64,
    after: f64,
    is_time: bool,
}

#[derive(Serialize)]
struct FunctionReport<'a> {
    name: &'a str,
    object: &'a str,
    subsystem: &'a str,
    presence: &'static str,
}

/// The columns of a frame.
const COLUMNS: [&str; 20] = [
    "parent",
    "function",
    "subsystem",
    "pruned_frames",
    "before_self_weight",
    "before_total_weight",
    "after_self_weight",
    "after_total_weight",
    "delta_self_pp",
    "self_ci_low_pp",
    "self_ci_high_pp",
    "self_significant",
    "delta_total_pp",
    "total_ci_low_pp",
    "total_ci_high_pp",
    "total_significant",
    "self_per_op_half",
    "self_per_op_significant",
    "total_per_op_half",
    "total_per_op_significant",
];

/// The tree as one line of JSON.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn tree_json(input: &FlameInput<'_>) -> Result<Vec<u8>, Error> {
    json_line(&tree_report(input))
}

/// The tree as a value of JSON.
pub(crate) fn tree_value(input: &FlameInput<'_>) -> Result<Value, Error> {
    json_value(&tree_report(input))
}

fn tree_report<'a>(input: &FlameInput<'a>) -> TreeReport<'a> {
    let FlameInput { comparison, tree, .. } = *input;
    let terms = CostTerms::new(input);
    let per_op = terms.cost().filter(|_| !input.is_single());
    TreeReport {
        schema_version: SCHEMA_VERSION,
        before: side(&comparison.before),
        after: side(&comparison.after),
        policy: comparison.policy.into(),
        denominator: comparison.share.as_str(),
        filtered: &comparison.filtered,
        per_op: per_op.map(|cost| PerOperation {
            before: cost.per_op.before,
            after: cost.per_op.after,
            is_time: cost.is_time,
        }),
        is_aligned: tree.align == Align::Anchors,
        functions: tree.functions.iter().map(function_report).collect(),
        subsystems: &tree.subsystems,
        columns: COLUMNS,
        frames: tree.nodes.iter().map(|node| frame_value(node, &terms)).collect(),
    }
}

fn function_report(of: &TreeFunction) -> FunctionReport<'_> {
    let presence = match of.ran {
        PerSide { before: true, after: false } => "only-before",
        PerSide { before: false, after: true } => "only-after",
        _ => "both",
    };
    FunctionReport { name: &of.name, object: &of.object, subsystem: &of.subsystem, presence }
}

/// One entry of `functions`.
pub(crate) fn function_value(of: &TreeFunction) -> Value {
    let FunctionReport { name, object, subsystem, presence } = function_report(of);
    json!({"name": name, "object": object, "subsystem": subsystem, "presence": presence})
}

/// One entry of `frames`.
pub(crate) fn frame_value(node: &TreeNode, terms: &CostTerms<'_>) -> Value {
    let (function, subsystem, pruned) = match node.frame {
        TreeFrame::Root => (None, None, None),
        TreeFrame::Function(index) => (Some(index), None, None),
        TreeFrame::Subsystem(index) => (None, Some(index), None),
        TreeFrame::Pruned { frames } => (None, None, Some(frames)),
    };
    let change = |of: fn(&pdiff_analysis::FrameChanges) -> FrameChange| {
        node.changes.as_ref().map(|changes| {
            let change = of(changes);
            (
                rounded(change.delta_pp()),
                rounded(change.ci_low_pp),
                rounded(change.ci_high_pp),
                change.significant,
            )
        })
    };
    let own = change(|changes| changes.of_self);
    let total = change(|changes| changes.of_total);
    let [own_cost, total_cost] = terms.of_node(node);
    json!([
        node.parent,
        function,
        subsystem,
        pruned,
        node.before.self_weight,
        node.before.total_weight,
        node.after.self_weight,
        node.after.total_weight,
        own.map(|own| own.0),
        own.map(|own| own.1),
        own.map(|own| own.2),
        own.map(|own| own.3),
        total.map(|total| total.0),
        total.map(|total| total.1),
        total.map(|total| total.2),
        total.map(|total| total.3),
        own_cost.map(|(half, _)| rounded(half)),
        own_cost.map(|(_, significant)| significant),
        total_cost.map(|(half, _)| rounded(half)),
        total_cost.map(|(_, significant)| significant),
    ])
}

/// Points and costs to four places: finer than any sample.
fn rounded(points: f64) -> f64 {
    let rounded = (points * 1e4).round() / 1e4;
    if rounded == 0.0 { 0.0 } else { rounded }
}
