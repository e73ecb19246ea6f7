//! Remarks at source lines, as GitHub's workflow commands: each change at the line with most of its samples.

use pdiff_analysis::classify::Verdict;
use pdiff_analysis::{FunctionLines, SourceLine};
use pdiff_profile::Side;

use super::{CiInput, GateStatus};
use crate::document::number::{fixed, signed};
use crate::document::visible_text::visible;
use crate::verdicts::words::{cause_text, reason_text};

/// One line for each function whose hot line is known, in the order of their lines; `below` is the directory that the sources
/// are in, and only files below it are named, beside those whose path is relative. Without it all are, as the debug information has them.
#[must_use]
pub fn annotations(of: &CiInput<'_>, below: Option<&str>) -> Vec<String> {
    of.lines.iter().filter_map(|lines| annotation(of, lines, below)).collect()
}

fn annotation(of: &CiInput<'_>, lines: &FunctionLines, below: Option<&str>) -> Option<String> {
    let verdict = of
        .classification
        .verdicts
        .iter()
        .find(|verdict| verdict.function == lines.of.name && verdict.object == lines.of.object)?;
    let (file, line) = place(lines, below)?;
    let fails = |verdict: &Verdict| {
        let failed = of.gates.iter().filter(|gate| gate.status == GateStatus::Failed && !gate.is_warning);
        failed
            .flat_map(|gate| &gate.trips)
            .any(|trip| trip.name == verdict.function && trip.object == verdict.object)
    };
    let level = if fails(verdict) { "error" } else { "warning" };
    let (before, after) = (verdict.before.self_pct, verdict.after.self_pct);
    let text = format!(
        "{} -> {} % of {} itself ({} points). {}: {}",
        fixed(before, 2),
        fixed(after, 2),
        visible(of.comparison.measured()),
        signed(after - before, 2),
        cause_text(verdict.cause, verdict.confidence),
        reason_text(&verdict.reason)
    );
    let title = format!("pdiff: {}", verdict.function);
    Some(format!(
        "::{level} file={},line={line},title={}::{}",
        property(&file),
        property(&title),
        message(&text)
    ))
}

/// The hottest line of the build after that is in the sources, else the place from which such a line is inlined.
fn place(lines: &FunctionLines, below: Option<&str>) -> Option<(String, u32)> {
    let named = |at: &SourceLine| {
        let file = match below {
            Some(below) if at.file.starts_with('/') => {
                at.file.strip_prefix(below.trim_end_matches('/'))?.strip_prefix('/')?
            }
            _ => &at.file,
        };
        Some((file.to_owned(), at.line))
    };
    let lines = &lines.side(Side::After).lines;
    lines.iter().find_map(|line| named(&line.at).or_else(|| line.called_at.as_ref().and_then(named)))
}

/// A message as a workflow command takes it.
fn message(text: &str) -> String {
    visible(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of one.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
