//! One finding in full: its change, cause, settings, and the functions inside.

use pdiff_analysis::classify::{Classification, finding_causes};
use pdiff_analysis::{Comparison, Finding};

use crate::document::number::{CostUnit, fixed, interval, signed};
use crate::document::{Block, Line, Tone};
use crate::findings::first_screen::setting_text;
use crate::findings::grid::what;
use crate::findings::inside::Inside;
use crate::findings::result::measured;
use crate::verdicts::words::{as_a_whole, cause_text, part_limit_text};

/// Functions inside that are listed.
const MOST_MEMBERS: usize = 8;

/// A finding to be explained, and where it is from.
#[derive(Clone, Copy, Debug)]
pub struct ExplainedFinding<'a> {
    /// What was compared.
    pub comparison: &'a Comparison,
    /// The verdicts on all functions.
    pub classification: &'a Classification,
    /// The finding.
    pub finding: &'a Finding,
}

/// Everything that is known about a finding.
pub(crate) fn blocks(of: &ExplainedFinding<'_>) -> Vec<Block> {
    let ExplainedFinding { comparison, classification, finding } = of;
    let object = if finding.object.is_empty() { String::new() } else { format!(" ({})", finding.object) };
    let count = comparison.findings.list.len();
    let title = format!("{} of {count}: {}{object}, {}", finding.rank, finding.name, what(finding));
    let mut blocks = vec![Line::toned("part", title, Tone::Strong), Line::block("change", change_text(of))];
    let causes = finding_causes(&comparison.findings, classification);
    if let Some(cause) = finding.rank.checked_sub(1).and_then(|at| causes.get(at)) {
        blocks.push(Line::block("cause", cause_text(cause.cause, cause.confidence)));
        blocks.extend(cause.limited_by.as_ref().map(|why| Line::block("limited", part_limit_text(why))));
    }
    blocks.extend(polling_line(finding, 0.0));
    blocks.extend(finding.settings.iter().map(|setting| Line::block("setting", setting_text(setting))));
    if !finding.callers.is_empty() {
        blocks.push(Line::block("callers", finding.callers.join(", ")));
    }
    let inside = Inside::all(finding).into_iter().take(MOST_MEMBERS);
    blocks.extend(inside.map(|inside| Line::block("inside", inside_text(of, inside))));
    blocks
}

/// How much of a part is busy waiting, if that is more than `least` percent of it on a side.
pub(crate) fn polling_line(finding: &Finding, least: f64) -> Option<Block> {
    let [before, after] = [&finding.before, &finding.after].map(|side| side.polling_pct());
    let text = || format!("{} % of it before, {} % after", fixed(before, 1), fixed(after, 1));
    (before.max(after) > least).then(|| Line::block("polling", text()))
}

fn change_text(of: &ExplainedFinding<'_>) -> String {
    let finding = of.finding;
    let points = format!(
        "{} -> {} % of {}: {} points, 95 % interval {}, q {:.2e}",
        fixed(finding.before.pct, 2),
        fixed(finding.after.pct, 2),
        measured(of.comparison),
        signed(finding.delta_pp(), 2),
        interval(finding.interval_pp, 2),
        finding.q_value
    );
    let Some((cost, delta)) = of.comparison.cost.as_ref().zip(finding.delta_per_op()) else { return points };
    let unit = CostUnit::of(cost);
    let bounds = finding.interval_per_op.map_or_else(String::new, |(low, high)| {
        format!(", 95 % interval {}..{}", unit.signed(low), unit.signed(high))
    });
    let share = finding
        .share_of_change_pct
        .map_or_else(String::new, |share| format!(", {} % of all that changed", fixed(share, 0)));
    format!("{} {} per operation{bounds}{share}; {points}", unit.signed(delta), unit.name)
}

/// What a function spends itself in the finding's stacks with its verdict, or what the kernel spends for one reason.
fn inside_text(of: &ExplainedFinding<'_>, inside: Inside<'_>) -> String {
    let (points, per_op) = inside.delta();
    let change = match of.comparison.cost.as_ref().zip(per_op) {
        Some((cost, delta)) => {
            let unit = CostUnit::of(cost);
            format!("{} {}", unit.signed(delta), unit.name)
        }
        None => format!("{} points", signed(points, 2)),
    };
    let Some(member) = inside.function() else { return format!("{change} in {}", inside.text()) };
    let mut verdicts = of.classification.verdicts.iter();
    let verdict = verdicts.find(|of| of.function == member.name && of.object == member.object);
    let verdict = verdict.map_or_else(String::new, |of| {
        format!(": {}{}", as_a_whole(of.cause, inside.change()), cause_text(of.cause, of.confidence))
    });
    format!("{change} in {} itself{verdict}", member.name)
}
