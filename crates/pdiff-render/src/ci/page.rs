//! The page of a pipeline: the verdict, the gates, the parts of the change; everything else folded.

use super::{CiInput, GateResult, GateStatus};
use crate::compare::comparability;
use crate::compare::page::{answer, markdown_with_causes};
use crate::document::options::{SortBy, TableOptions};
use crate::document::table::readable_width;
use crate::document::{Block, Line, Tone, apart, markdown, table};

/// Rows of the functions' table in the folded output.
const ROWS: usize = 50;

/// GitHub refuses comments of more characters; the folded output is left out where it does not fit.
const MOST_COMMENT: usize = 60_000;

/// For the log of a step.
#[must_use]
pub fn ci_text(of: &CiInput<'_>, width: Option<usize>, color: bool) -> String {
    let width = readable_width(width);
    table::draw(&page(of, width.or(Some(table::LINE_WIDTH))), width, color)
}

/// The summary of a step, as markdown: always worth reading, with the whole comparison folded.
#[must_use]
pub fn ci_summary(of: &CiInput<'_>) -> String {
    format!("{}\n{}", head(of), folded(of))
}

/// A comment on a change, as markdown, if there is anything to say: a gate that failed, warns or cannot be judged; without
/// gates, a part that changed. It begins with a marker by which a pipeline finds its last comment, to update it.
#[must_use]
pub fn ci_comment(of: &CiInput<'_>) -> Option<String> {
    let is_news = match of.gates {
        [] => !of.comparison.findings.list.is_empty(),
        gates => gates.iter().any(GateResult::is_news),
    };
    if !is_news {
        return None;
    }
    let head = format!("<!-- pdiff: {} -->\n{}", marker(of.name), head(of));
    let whole = format!("{head}\n{}", folded(of));
    Some(if whole.chars().count() <= MOST_COMMENT { whole } else { head })
}

/// The name within a marker, which nothing in it may end.
fn marker(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || " _.:/".contains(c) { c } else { '_' }).collect()
}

fn head(of: &CiInput<'_>) -> String {
    let name = markdown::escape(&crate::document::visible_text::visible(of.name));
    format!("### {name}: {}\n\n{}", verdict(of.gates), markdown::draw(&page(of, None)))
}

/// The whole in two words.
fn verdict(gates: &[GateResult]) -> &'static str {
    let any = |status, is_warning| {
        gates.iter().any(|gate: &GateResult| gate.status == status && gate.is_warning == is_warning)
    };
    if any(GateStatus::Failed, false) {
        "a gate failed"
    } else if any(GateStatus::Inconclusive, false) {
        "a gate cannot be judged"
    } else if any(GateStatus::Failed, true) || any(GateStatus::Inconclusive, true) {
        "passed, with warnings"
    } else if gates.is_empty() {
        "compared, no gates given"
    } else {
        "passed"
    }
}

fn page(of: &CiInput<'_>, width: Option<usize>) -> Vec<Block> {
    let gates = of.gates.iter().map(|result| {
        let detail = result.detail();
        let detail = if detail.is_empty() { detail } else { format!(": {detail}") };
        let tone = match result.status {
            GateStatus::Failed if !result.is_warning => Tone::Worse,
            GateStatus::Failed | GateStatus::Inconclusive => Tone::Warning,
            _ => Tone::Plain,
        };
        Line::toned("gate", format!("{} {}{detail}", result.gate, result.word()), tone)
    });
    let calibrated = of.calibration.iter().map(|text| Line::toned("null", text.clone(), Tone::Dim));
    let warnings = comparability::warning_blocks(of.comparison);
    apart([answer(of.comparison, of.causes, width), gates.chain(calibrated).collect(), warnings])
}

fn folded(of: &CiInput<'_>) -> String {
    let options = TableOptions {
        width: None,
        color: false,
        top: Some(ROWS),
        min_delta_pp: None,
        sort: SortBy::Delta,
        explain: None,
    };
    let whole = markdown_with_causes(of.comparison, of.causes, &options);
    format!("<details><summary>The whole comparison</summary>\n\n{whole}\n</details>\n")
}
