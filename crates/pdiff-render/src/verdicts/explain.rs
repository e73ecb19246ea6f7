//! One function in full: the verdict and every fact behind it.

use pdiff_analysis::classify::{Cause, Evidence, InBuild, Reason, Verdict};
use pdiff_analysis::{FunctionCode, FunctionLines, RowFunction};
use pdiff_profile::Side;

use crate::document::markdown;
use crate::document::number::CostUnit;
use crate::document::options::TableOptions;
use crate::document::short_name::with_file;
use crate::document::table;
use crate::document::{Block, Line, Tone, apart};
use crate::findings::one::{self, ExplainedFinding};
use crate::verdicts::code;
use crate::verdicts::hot_lines;
use crate::verdicts::hot_lines::SourceTexts;
use crate::verdicts::words::{cause_text, fact_text, limit_text, reason_text};

/// Everything that is known about the functions that a name represents.
#[derive(Clone, Copy, Debug)]
pub struct ExplainView<'a> {
    /// The name that was asked for.
    pub name: &'a str,
    /// The findings that the name represents.
    pub findings: &'a [ExplainedFinding<'a>],
    /// The verdicts on sampled functions.
    pub verdicts: &'a [Verdict],
    /// What the builds hold of a function that neither run sampled.
    pub facts: &'a [Evidence],
    /// The hot lines of the functions that have verdicts.
    pub lines: &'a [FunctionLines],
    /// The code of these functions in both builds side by side, if requested.
    pub code: &'a [FunctionCode],
    /// How many code blocks of a function a page shows with their instructions.
    pub most_blocks: usize,
    /// The source text of lines.
    pub texts: &'a SourceTexts,
    /// How many lines of a side a page shows.
    pub most_lines: usize,
}

/// The verdicts on one function with all their evidence.
#[must_use]
pub fn explain_text(view: &ExplainView<'_>, options: &TableOptions) -> String {
    let width = table::readable_width(options.width);
    table::draw(&page(view, width), width, options.color)
}

/// The same as markdown.
#[must_use]
pub fn explain_markdown(view: &ExplainView<'_>) -> String {
    markdown::draw(&page(view, None))
}

fn page(view: &ExplainView<'_>, width: Option<usize>) -> Vec<Block> {
    let unsampled = if view.facts.is_empty() {
        Vec::new()
    } else {
        let title = Line::toned(
            "function",
            format!("{}: no samples of its own in either run", view.name),
            Tone::Strong,
        );
        [title].into_iter().chain(view.facts.iter().map(fact)).collect()
    };
    let unit = view.findings.first().and_then(|of| of.comparison.cost.as_ref()).map(CostUnit::of);
    let explained = view.verdicts.iter().flat_map(|of| {
        let is_its = |function: &RowFunction| {
            (&function.name, &function.object, &function.file) == (&of.function, &of.object, &of.file)
        };
        let lines = view.lines.iter().find(|lines| is_its(&lines.of));
        let lines = lines.map(|lines| hot_lines::blocks(lines, view.texts, view.most_lines, width));
        let code = view.code.iter().find(|code| is_its(&code.of));
        let code = code.map(|code| code::blocks(code, view.texts, view.most_blocks, width));
        [verdict(of, unit), lines.unwrap_or_default(), code.unwrap_or_default()]
    });
    apart(view.findings.iter().map(one::blocks).chain(explained).chain([unsampled]))
}

/// A verdict, with costs in the unit of the findings beside it.
fn verdict(of: &Verdict, unit: Option<CostUnit>) -> Vec<Block> {
    let title =
        format!("{} ({})", with_file(&of.function, of.file.as_deref().filter(|_| of.is_by_file)), of.object);
    let mut blocks = vec![
        Line::toned("function", title, Tone::Strong),
        Line::block("verdict", format!("{} ({})", cause_text(of.cause, of.confidence), of.rule_id)),
        Line::block("why", reason_text(&of.reason)),
    ];
    blocks.extend(of.limited_by.as_ref().map(|why| Line::block("limited", limit_text(why))));
    blocks.extend(news(of, unit));
    let tags: Vec<&str> = of.tags.iter().map(|tag| tag.as_str()).collect();
    if !tags.is_empty() {
        blocks.push(Line::block("tags", tags.join(", ")));
    }
    let held = |side: Side| match of.other_name.as_ref().filter(|(named, _)| *named == side) {
        Some((_, name)) => format!("{side}: {}, as {name}", of.in_build(side)),
        None => format!("{side}: {}", of.in_build(side)),
    };
    blocks.push(Line::block("in build", Side::BOTH.map(held).join(", ")));
    blocks.extend(of.evidence.iter().map(fact));
    blocks
}

/// Of which kind the change is: code, calls and cost, each apart. That code is new does not say that its cost is.
fn news(of: &Verdict, unit: Option<CostUnit>) -> Option<Block> {
    let code = match (of.code_is_new()?, of.in_after) {
        (true, _) => "new",
        (false, InBuild::No) => "gone",
        (false, _) => "in both builds",
    };
    let calls = match Side::BOTH.map(|side| of.is_sampled(side)) {
        [true, true] => "sampled on both sides",
        [false, true] => "sampled after only",
        [true, false] => "sampled before only",
        [false, false] => "not sampled",
    };
    use Cause::{Consequence, Heavier, Lighter, Noise, Unclear};
    let is_named = matches!(of.cause, Noise | Unclear | Heavier | Lighter | Consequence);
    let cost = of.net_new_per_op_ns.filter(|_| !is_named).map_or_else(String::new, |ns| {
        let unit = unit.unwrap_or_else(|| CostUnit::of_total(ns.abs(), true)).for_parts();
        let (cost, unit) = (unit.signed(ns), unit.name);
        let is_net =
            matches!(of.reason, Reason::Succession { .. } | Reason::Renamed { .. } | Reason::Flipped { .. });
        let net = if is_net { ", net of what it took over or handed on" } else { "" };
        format!("; cost: {cost} {unit} per operation{net}")
    });
    (code != "in both builds" || !cost.is_empty())
        .then(|| Line::block("kind", format!("code: {code}; calls: {calls}{cost}")))
}

fn fact(of: &Evidence) -> Block {
    let side = of.side.map_or_else(String::new, |side| format!("{side}: "));
    Line::block(of.kind().as_str(), format!("{side}{}", fact_text(&of.fact)))
}

#[cfg(test)]
mod tests;
