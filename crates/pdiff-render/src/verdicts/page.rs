//! Verdicts as a page: the answer first, then why its parts changed, then the other functions; or all functions by cause.

use pdiff_analysis::Comparison;
use pdiff_analysis::classify::{BuildDistance, Cause, Classification, VerdictFamily, finding_causes};

use crate::compare::comparability;
use crate::compare::heading;
use crate::compare::notes;
use crate::document::markdown;
use crate::document::number::{fixed, signed};
use crate::document::options::TableOptions;
use crate::document::table;
use crate::document::{Block, Line, Tone, apart};
use crate::findings::first_screen;
use crate::settings;
use crate::verdicts::words::missing_text;
use crate::verdicts::{inlining, kernel, lists, parts};

/// Differing settings listed before the verdicts.
const MOST_SETTINGS: usize = 12;

/// Which functions a page of verdicts lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum VerdictDetail {
    /// Those that make the parts of the change, and the largest others; the rest in a line each kind.
    #[default]
    Largest,
    /// All, by cause.
    All,
}

/// The verdicts as a table for a terminal or a bug report.
#[must_use]
pub fn verdict_table(
    comparison: &Comparison,
    of: &Classification,
    detail: VerdictDetail,
    options: &TableOptions,
) -> String {
    let width = table::readable_width(options.width);
    let screen = Some(width.unwrap_or(table::LINE_WIDTH));
    table::draw(&page(comparison, of, detail, options, [width, screen]), width, options.color)
}

/// The verdicts as markdown.
#[must_use]
pub fn verdict_markdown(
    comparison: &Comparison,
    of: &Classification,
    detail: VerdictDetail,
    options: &TableOptions,
) -> String {
    markdown::draw(&page(comparison, of, detail, options, [None, None]))
}

fn page(
    comparison: &Comparison,
    of: &Classification,
    detail: VerdictDetail,
    options: &TableOptions,
    [width, screen]: [Option<usize>; 2],
) -> Vec<Block> {
    let causes = finding_causes(&comparison.findings, of);
    let mut sections = vec![
        comparability::grave_blocks(comparison),
        first_screen::blocks(comparison, &causes, screen, options.explain.as_deref()),
    ];
    sections.push(inlining::blocks(comparison, of));
    sections
        .push(of.missing.iter().map(|of| Line::toned("missing", missing_text(of), Tone::Warning)).collect());
    let settings = of.settings.as_ref();
    sections
        .push(settings.map_or_else(Vec::new, |of| settings::page::short_blocks(of, MOST_SETTINGS, width)));
    sections.extend(match detail {
        VerdictDetail::Largest => parts::blocks(comparison, of, &causes, options, screen),
        VerdictDetail::All => lists::blocks(of, options, width),
    });
    sections.push(kernel::blocks(comparison, &of.verdicts, options, width));
    sections.push(comparability::warning_blocks(comparison));
    sections.push([heading::blocks(comparison), comparability::plain_blocks(comparison, width)].concat());
    sections.push(closing(of, detail));
    sections.push(families(of));
    sections.push(notes::blocks(comparison));
    apart(sections)
}

fn closing(of: &Classification, detail: VerdictDetail) -> Vec<Block> {
    let noise = of.verdicts.iter().filter(|verdict| verdict.cause == Cause::Noise).count();
    let text = format!("{noise} of {} functions changed by no more than noise", of.verdicts.len());
    let counts = if detail == VerdictDetail::Largest { parts::counts(of) } else { Vec::new() };
    let distance = of.distance.map(|of| Line::block("builds", distance_text(of)));
    counts.into_iter().chain([Line::block("noise", text)]).chain(distance).collect()
}

/// How far the builds are from each other: it decides which rules are tried.
fn distance_text(of: BuildDistance) -> String {
    let BuildDistance { is_of_sampled, compared, same, is_patch } = of;
    let functions = match is_of_sampled {
        true => format!("of {compared} functions that both runs sampled {same} have the same code"),
        false => format!(
            "of {compared} functions that both builds have {same} have the same code; too few were sampled to tell"
        ),
    };
    match is_patch {
        Some(true) => format!("a patch apart: {functions}"),
        Some(false) => {
            format!("more than a patch apart: {functions}; rules for builds a patch apart are not tried")
        }
        None => format!(
            "too few functions to call them a patch apart: {functions}; rules for builds a patch apart are not tried"
        ),
    }
}

fn families(of: &Classification) -> Vec<Block> {
    let line = |family: &VerdictFamily| {
        let text = format!(
            "{}: real change {} points (bodies {}, calls and callers {}); {} points changed rows only",
            family.members.join(", "),
            signed(family.booked_delta_pp, 2),
            signed(family.body_pp, 2),
            signed(family.call_overhead_pp, 2),
            fixed(family.moved_pp, 2)
        );
        Line::block("family", text)
    };
    of.families.iter().map(line).collect()
}

#[cfg(test)]
mod tests;
