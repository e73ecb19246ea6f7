//! The summary: the answer in a few lines, and what is not certain about it.

use pdiff_analysis::Severity;
use pdiff_analysis::classify::Confidence;
use pdiff_analysis::noise::Method;
use pdiff_study::ablation::GapAt;

use super::ReportInput;
use super::text::{escaped, escaped_within};
use crate::attribution;
use crate::attribution::view::AttributionView;
use crate::compare::side_fact_words::SideFactWords;
use crate::compare::{closing, heading};
use crate::document::number::fixed;
use crate::verdicts::words::missing_text;

/// Characters of a remark on both sides.
const MOST_OF_A_REMARK: usize = 1000;

/// Sentences of one list.
const MOST_SENTENCES: usize = 30;

/// A busy wait or a row without function below this many percent is not worth a sentence.
const LEAST_WORTH_PCT: f64 = 1.0;

pub(super) fn summary(input: &ReportInput<'_>) -> String {
    let mut out = super::answer::first_screen(input);
    out.extend(input.attribution.as_ref().and_then(factors_text).map(|text| format!("<p>{text}</p>\n")));
    push_list("What is not certain", &untold(input), &mut out);
    out.push_str("<h3>What is compared</h3>\n");
    out.push_str(&super::blocks::lines(&heading::blocks(input.comparison)));
    out.push_str("<details><summary>The sums in full</summary>\n");
    out.push_str(&super::blocks::lines(&closing::blocks(input.comparison)));
    out.push_str("</details>\n");
    out
}

/// Sentences are of ours, with what is foreign escaped already.
fn push_list(title: &str, sentences: &[String], out: &mut String) {
    out.push_str(&format!("<h3>{title}</h3>\n<ul>\n"));
    for sentence in sentences.iter().take(MOST_SENTENCES) {
        out.push_str(&format!("<li>{sentence}</li>\n"));
    }
    if sentences.len() > MOST_SENTENCES {
        out.push_str(&format!("<li>And {} more.</li>\n", sentences.len() - MOST_SENTENCES));
    }
    out.push_str("</ul>\n");
}

/// What the benchmark runs say.
fn factors_text(view: &AttributionView<'_>) -> Option<String> {
    let of = view.attribution;
    let at = |gap: &GapAt| escaped(&attribution::page::gap_text(of, gap));
    let baseline = at(of.baseline.as_ref()?);
    let end = of.end.as_ref().map_or_else(
        || "with every factor changed it was not measured".to_owned(),
        |gap| format!("with every factor changed {}", at(gap)),
    );
    Some(format!(
        "In {} benchmark runs of {} and {} the gap is {baseline}; {end}: <a href=\"#factors\">factor by factor</a>.",
        of.design.runs,
        escaped(&of.base),
        escaped(&of.target),
    ))
}

fn untold(input: &ReportInput<'_>) -> Vec<String> {
    let comparison = input.comparison;
    let mut sentences = Vec::new();
    let serious = comparison.comparability.iter().filter(|fact| fact.severity != Severity::Plain);
    for fact in serious.map(SideFactWords::new) {
        sentences.push(format!(
            "{}: {} before, {} after. {}",
            escaped(fact.name),
            escaped_within(&fact.values.before, MOST_OF_A_REMARK),
            escaped_within(&fact.values.after, MOST_OF_A_REMARK),
            escaped_within(&fact.remark, MOST_OF_A_REMARK)
        ));
    }
    let gap = comparison.cost.as_ref().and_then(|cost| cost.gap.as_ref());
    if gap.is_some_and(|gap| gap.barely_significant) {
        sentences.push(
            "The gap may be less than half of what was measured: shares of the gap are less certain than their intervals say."
                .to_owned(),
        );
    }
    match gap.map(|gap| gap.parts) {
        Some(Some(of)) => sentences.push(format!(
            "{} % of the gap lies in functions whose own change is not significant, {} % has no function.",
            fixed(of.not_significant_pct, 1),
            fixed(of.unresolved_pct, 1)
        )),
        Some(None) => sentences.push("The gap may be zero: its interval contains zero.".to_owned()),
        None => {}
    }
    let unresolved = [comparison.before.unresolved_pct, comparison.after.unresolved_pct];
    if unresolved.iter().any(|percent| *percent >= LEAST_WORTH_PCT) {
        sentences.push(format!(
            "{} % of before and {} % of after has no function: symbols are missing.",
            fixed(unresolved[0], 1),
            fixed(unresolved[1], 1)
        ));
    }
    if comparison.noise.method == Method::SingleRun {
        sentences.push(
            "There is one recording a side: how much runs differ by themselves is assumed, not measured."
                .to_owned(),
        );
    }
    let unclear = input
        .classification
        .verdicts
        .iter()
        .filter(|verdict| verdict.confidence == Confidence::Unclear)
        .count();
    if unclear > 0 {
        sentences.push(format!("The cause of {unclear} changes is unclear."));
    }
    sentences.extend(
        input
            .classification
            .missing
            .iter()
            .map(|of| format!("Missing {}.", escaped_within(&missing_text(of), MOST_OF_A_REMARK))),
    );
    if sentences.is_empty() {
        sentences.push("Nothing that pdiff knows of.".to_owned());
    }
    sentences
}
