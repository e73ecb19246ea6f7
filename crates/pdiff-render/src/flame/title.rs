//! What a frame says when asked: its name, then in brackets both sides' numbers, the noise and the verdict.
//!
//! The brackets contain no bracket themselves: inferno's script takes a title up to the last `(` for the frame's name.

use std::collections::HashMap;

use pdiff_analysis::classify::{Cause, Confidence, Missing, MissingPart, Verdict};
use pdiff_analysis::{FrameChange, TreeFrame, TreeNode};
use pdiff_profile::Side;

use super::FlameInput;
use super::change::Terms;
use super::xml_text::plain;
use crate::document::number::{CostUnit, fixed, grouped, interval, signed};
use crate::verdicts::words::{cause_text, reason_text};

/// Makes titles.
pub(super) struct Titles<'a> {
    input: FlameInput<'a>,
    terms: Terms<'a>,
    /// By function and object; `None` where files tell several of them apart, which frames do not.
    verdicts: HashMap<(&'a str, &'a str), Option<&'a Verdict>>,
    /// Whether the code of both builds was read for them.
    by_code: bool,
}

/// A frame's name and what else is known about it.
pub(super) struct Title {
    pub(super) name: String,
    /// Without brackets.
    pub(super) details: String,
}

impl<'a> Titles<'a> {
    pub(super) fn new(input: FlameInput<'a>, terms: Terms<'a>) -> Self {
        let mut verdicts = HashMap::new();
        for verdict in input.verdicts.into_iter().flat_map(|of| &of.verdicts) {
            let of_name = verdicts.entry((verdict.function.as_str(), verdict.object.as_str()));
            let is_claim = verdict.cause != Cause::Noise && verdict.confidence > Confidence::Unclear;
            let told = is_claim.then_some(verdict);
            of_name.and_modify(|one| *one = None).or_insert(told);
        }
        let lacks_code = |of: &Missing| matches!(of.what, MissingPart::Binary | MissingPart::PackedCode);
        let by_code = input.verdicts.is_some_and(|of| !of.missing.iter().any(lacks_code));
        Self { input, terms, verdicts, by_code }
    }

    pub(super) fn of_panel(&self, side: Side) -> Title {
        let of_side = self.input.comparison.side(side);
        let details = format!("{} samples", grouped(of_side.samples));
        Title { name: plain(&format!("{side}: {}", of_side.label)).into_owned(), details }
    }

    /// Of the frame below all others.
    pub(super) fn of_root(&self) -> Title {
        match self.input.tree.nodes.first() {
            Some(root) => self.of_node(root),
            None => Title { name: "all".to_owned(), details: "no stacks".to_owned() },
        }
    }

    pub(super) fn of_node(&self, node: &TreeNode) -> Title {
        let tree = self.input.tree;
        let mut facts = Vec::new();
        let name = match node.frame {
            TreeFrame::Root => {
                if self.input.is_single() {
                    facts.push(self.samples(node));
                }
                "all".to_owned()
            }
            TreeFrame::Pruned { frames } => {
                facts.push(format!("{} narrow frames together", grouped(frames)));
                "[pruned]".to_owned()
            }
            TreeFrame::Subsystem(index) => {
                facts.push("subsystem of the leaf function".to_owned());
                tree.subsystems.get(index).cloned().unwrap_or_default()
            }
            TreeFrame::Function(index) => match tree.functions.get(index) {
                Some(function) => {
                    facts.push(function.object.clone());
                    function.name.clone()
                }
                None => String::new(),
            },
        };
        if self.input.is_single() {
            facts.push(format!(
                "total {}, self {}",
                self.share(node.before.total_weight, Side::Before),
                self.share(node.before.self_weight, Side::Before)
            ));
        } else {
            self.push_changes(node, &mut facts);
        }
        if let Some(verdict) = self.verdict(node) {
            let basis = if self.by_code { "" } else { ", by names and samples alone" };
            facts.push(format!(
                "verdict on the function: {}{basis}: {}",
                cause_text(verdict.cause, verdict.confidence),
                reason_text(&verdict.reason)
            ));
        }
        let details = facts.join("; ").replace('(', "[").replace(')', "]");
        Title { name: plain(&name).into_owned(), details: plain(&details).into_owned() }
    }

    fn push_changes(&self, node: &TreeNode, facts: &mut Vec<String>) {
        match (node.before.total_weight, node.after.total_weight) {
            (0, _) => facts.push("new: only in After".to_owned()),
            (_, 0) => facts.push("gone: only in Before".to_owned()),
            _ => {}
        }
        let is_function = !matches!(node.frame, TreeFrame::Pruned { .. } | TreeFrame::Root);
        if let Some(changes) = node.changes.filter(|_| is_function) {
            facts.push(change_text("total", &changes.of_total));
            facts.push(change_text("self", &changes.of_self));
        } else {
            let shares = Side::BOTH.map(|side| self.share(node.side(side).total_weight, side));
            facts.push(format!("total {} before, {} after", shares[0], shares[1]));
        }
        if let (Some(cost), Some(change)) = (self.terms.cost(), self.terms.change(node)) {
            let unit = CostUnit::of(cost).for_parts();
            let noise = if change.significant { "" } else { ", within noise" };
            let measure = match self.terms.color() {
                super::FlameColor::OwnSelf => "self",
                super::FlameColor::Total => "total",
            };
            let numbers =
                format!("{} -> {} {}", unit.fixed(change.before), unit.fixed(change.after), unit.name);
            facts.push(format!("{measure} per operation {}{noise}", numbers.trim_end()));
        }
    }

    /// How many samples of what the frame represents; whoever reads the picture learns noise from it.
    fn samples(&self, root: &TreeNode) -> String {
        let side = &self.input.comparison.before;
        let drawn = root.before.total_weight as f64 / side.weight.0.max(1) as f64;
        let samples = grouped((side.samples as f64 * drawn).round() as u64);
        match side.runs.first().map_or("", |run| &*run.event) {
            "" => format!("{samples} samples"),
            event => format!("{samples} samples of {event}"),
        }
    }

    fn share(&self, weight: u64, side: Side) -> String {
        let of = self.input.tree.side_weights[side];
        let share = if of == 0 { 0.0 } else { 100.0 * weight as f64 / of as f64 };
        format!("{} %", fixed(share, 2))
    }

    fn verdict(&self, node: &TreeNode) -> Option<&Verdict> {
        let TreeFrame::Function(index) = node.frame else { return None };
        let function = self.input.tree.functions.get(index)?;
        self.verdicts.get(&(function.name.as_str(), function.object.as_str())).copied().flatten()
    }
}

fn change_text(measure: &str, change: &FrameChange) -> String {
    let excludes_zero = change.ci_low_pp > 0.0 || change.ci_high_pp < 0.0;
    let noise = match (change.significant, excludes_zero) {
        (true, _) => "",
        (false, true) => ", too small to matter or, among so many functions, chance",
        (false, false) => ", within noise",
    };
    format!(
        "{measure} {} -> {} %, {} points [95 % {}]{noise}",
        fixed(change.before_pct, 2),
        fixed(change.after_pct, 2),
        signed(change.delta_pp(), 2),
        interval((change.ci_low_pp, change.ci_high_pp), 2)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_whose_interval_excludes_zero_is_not_called_noise() {
        let text = |ci_low_pp, significant| {
            let change = FrameChange {
                before_pct: 1.0,
                after_pct: 3.0,
                ci_low_pp,
                ci_high_pp: 4.0,
                se_pp: 1.0,
                degrees_of_freedom: 10.0,
                tested: true,
                significant,
            };
            change_text("self", &change)
        };
        assert!(text(-0.5, false).ends_with("[95 % -0.50..+4.00], within noise"));
        assert!(
            text(0.5, false).ends_with("+4.00], too small to matter or, among so many functions, chance")
        );
        assert!(text(0.5, true).ends_with("[95 % +0.50..+4.00]"));
    }
}
