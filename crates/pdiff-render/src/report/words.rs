//! The summary in words: what happened, what explains it, what cannot be told.

use pdiff_analysis::classify::{Cause, Verdict};
use pdiff_analysis::noise::Method;
use pdiff_analysis::{Comparison, Cost, Gap, Gravity};
use pdiff_study::ablation::GapAt;

use super::ReportInput;
use super::closure::{Part, parts};
use super::text::{escaped, escaped_within};
use crate::attribution;
use crate::attribution::view::AttributionView;
use crate::compare::closing;
use crate::document::number::{CostUnit, fixed, grouped, interval, percent_of_log, signed};
use crate::verdicts::words::missing_text;

/// Parts of the program, and functions, that the summary names.
const MOST_NAMED: usize = 5;

/// Characters of a remark on both sides.
const MOST_OF_A_REMARK: usize = 1000;

/// Sentences of one list.
const MOST_SENTENCES: usize = 30;

/// A busy wait or a row without function below this many percent is not worth a sentence.
const LEAST_WORTH_PCT: f64 = 1.0;

pub(super) fn summary(input: &ReportInput<'_>) -> String {
    let mut out = String::new();
    push_list("What happened", &happened(input.comparison), &mut out);
    push_list("What explains it", &explains(input), &mut out);
    push_list("What cannot be told", &untold(input), &mut out);
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

fn happened(comparison: &Comparison) -> Vec<String> {
    let mut sentences = Vec::new();
    match &comparison.cost {
        Some(cost) => {
            sentences.extend(cost.gap.as_ref().map(|gap| gap_sentence(comparison, gap)));
            sentences.push(cost_sentence(cost));
        }
        None => sentences.push(
            "Operations are not known on both sides: shares show where the CPU went, not whether there was more of it. \
             Throughput given by <code>--tps-before</code> and <code>--tps-after</code> would tell."
                .to_owned(),
        ),
    }
    let noise = &comparison.noise;
    sentences.push(format!(
        "{} of {} functions tested changed their share by more than noise.",
        noise.significant, noise.tests
    ));
    sentences
}

fn gap_sentence(comparison: &Comparison, gap: &Gap) -> String {
    let [before, after] = [&comparison.before.label, &comparison.after.label].map(|label| escaped(label));
    let change = if gap.gap_pct < 0.0 { "fewer" } else { "more" };
    let whose = if gap.assumed { ", run-to-run variation assumed" } else { "" };
    format!(
        "<b>{after} does {} % {change} operations per second than {before}</b>: {} against {} (95 % {}{whose}), on {} \
         against {} CPU cores.",
        fixed(gap.gap_pct.abs(), 1),
        grouped(gap.tps.after.round() as u64),
        grouped(gap.tps.before.round() as u64),
        interval(gap.interval_pct, 1),
        fixed(gap.cores.after, 2),
        fixed(gap.cores.before, 2),
    )
}

fn cost_sentence(cost: &Cost) -> String {
    let unit = CostUnit::for_column(10.0 * cost.per_op.before.max(cost.per_op.after), cost.is_time);
    let what = if cost.is_time { "of CPU" } else { "of the event" };
    let noise = cost.log_interval.map_or_else(String::new, |(low, high)| {
        format!(", 95 % {}", interval((percent_of_log(low), percent_of_log(high)), 1))
    });
    format!(
        "An operation takes {} {unit} {what} instead of {} {unit}: {} %{noise}.",
        unit.fixed(cost.per_op.after),
        unit.fixed(cost.per_op.before),
        signed(percent_of_log(cost.log_ratio), 1),
        unit = unit.name,
    )
}

fn explains(input: &ReportInput<'_>) -> Vec<String> {
    let comparison = input.comparison;
    let mut sentences = Vec::new();
    let gap = comparison.cost.as_ref().and_then(|cost| cost.gap.as_ref());
    if let Some(of) = gap.and_then(|gap| gap.parts) {
        sentences.push(format!(
                "Of the gap, {} % is functions whose change is more than noise, {} % is CPU cores used (waiting, client, \
                 idle).",
                fixed(of.explained_pct, 1),
                fixed(of.utilisation_pct, 1)
            ));
    }
    sentences.push(format!("By part of the program: {}.", parts_text(comparison)));
    sentences.extend(input.attribution.as_ref().and_then(factors_text));
    let told = told(input);
    if told.is_empty() {
        sentences.push("No function has a cause beyond noise.".to_owned());
    } else {
        let named: Vec<String> = told.iter().take(MOST_NAMED).map(|verdict| verdict_text(verdict)).collect();
        sentences.push(format!("Largest changes with a cause: {}.", named.join("; ")));
        sentences.push(format!("All {} causes: {}.", told.len(), causes_text(&told)));
    }
    sentences
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

fn parts_text(comparison: &Comparison) -> String {
    let parts = parts(comparison);
    let unit = parts.unit();
    let text = |part: &Part| format!("{} {}", escaped(&part.name), unit.change(part));
    parts.largest(MOST_NAMED).map(text).collect::<Vec<_>>().join(", ")
}

fn told<'a>(input: &ReportInput<'a>) -> Vec<&'a Verdict> {
    let mut told: Vec<&Verdict> = input
        .classification
        .verdicts
        .iter()
        .filter(|verdict| !matches!(verdict.cause, Cause::Noise | Cause::Unclear))
        .collect();
    told.sort_by(|a, b| {
        let size = |verdict: &Verdict| verdict.delta_self_pp().abs();
        size(b)
            .total_cmp(&size(a))
            .then_with(|| a.function.cmp(&b.function))
            .then_with(|| a.object.cmp(&b.object))
    });
    told
}

fn verdict_text(verdict: &Verdict) -> String {
    format!(
        "<code>{}</code> {} points of self ({}, {})",
        escaped(&verdict.function),
        signed(verdict.delta_self_pp(), 2),
        verdict.cause.as_str(),
        verdict.confidence.as_str()
    )
}

fn causes_text(told: &[&Verdict]) -> String {
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for verdict in told {
        *counts.entry(verdict.cause.as_str()).or_default() += 1;
    }
    counts.iter().map(|(cause, count)| format!("{count} {cause}")).collect::<Vec<_>>().join(", ")
}

fn untold(input: &ReportInput<'_>) -> Vec<String> {
    let comparison = input.comparison;
    let mut sentences = Vec::new();
    for fact in comparison.comparability.iter().filter(|fact| fact.gravity != Gravity::Plain) {
        sentences.push(format!(
            "{}: {} before, {} after. {}",
            escaped(fact.name),
            escaped_within(&fact.before, MOST_OF_A_REMARK),
            escaped_within(&fact.after, MOST_OF_A_REMARK),
            escaped_within(&fact.remark, MOST_OF_A_REMARK)
        ));
    }
    let gap = comparison.cost.as_ref().and_then(|cost| cost.gap.as_ref());
    match gap.map(|gap| gap.parts) {
        Some(Some(of)) => sentences.push(format!(
            "{} % of the gap is functions whose change is no more than noise, {} % has no function.",
            fixed(of.not_significant_pct, 1),
            fixed(of.unresolved_pct, 1)
        )),
        Some(None) => sentences.push("The gap may be none at all: its interval holds zero.".to_owned()),
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
    let unclear =
        input.classification.verdicts.iter().filter(|verdict| verdict.cause == Cause::Unclear).count();
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
