//! Verdicts as CSV: one line per function, the names of JSON's paths joined by `_`; evidence stands in JSON only.

use pdiff_analysis::classify::{Classification, Verdict};
use pdiff_profile::Side;
use polars::prelude::Column;

use crate::error::Error;
use crate::written_bytes::csv_lines;

/// A column of text.
type Text = (&'static str, fn(&Verdict) -> String);

/// A column of numbers.
type Number = (&'static str, fn(&Verdict) -> Option<f64>);

const TEXTS: [Text; 15] = [
    ("function", |v| v.function.clone()),
    ("object", |v| v.object.clone()),
    ("file", |v| v.file.clone().unwrap_or_default()),
    ("rule_id", |v| v.rule_id.to_owned()),
    ("cause", |v| v.cause.to_string()),
    ("confidence", |v| v.confidence.to_string()),
    ("limited_by", |v| v.limited_by.clone().unwrap_or_default()),
    ("reason", |v| v.reason.clone()),
    ("judged_by", |v| v.judged.to_string()),
    ("callers", |v| v.callers.join("; ")),
    ("tags", |v| v.tags.iter().map(|tag| tag.as_str()).collect::<Vec<_>>().join("; ")),
    ("in_build_before", |v| v.in_build(Side::Before).to_string()),
    ("in_build_after", |v| v.in_build(Side::After).to_string()),
    ("sampled_before", |v| v.is_sampled(Side::Before).to_string()),
    ("sampled_after", |v| v.is_sampled(Side::After).to_string()),
];

const NUMBERS: [Number; 18] = [
    ("before_self_pct", |v| Some(v.before.self_pct)),
    ("before_booked_self_pct", |v| Some(v.before.booked_self_pct)),
    ("before_total_pct", |v| Some(v.before.total_pct)),
    ("before_x_pct", |v| Some(v.before.x_pct)),
    ("after_self_pct", |v| Some(v.after.self_pct)),
    ("after_booked_self_pct", |v| Some(v.after.booked_self_pct)),
    ("after_total_pct", |v| Some(v.after.total_pct)),
    ("after_x_pct", |v| Some(v.after.x_pct)),
    ("delta_self_pp", |v| Some(v.delta_self_pp())),
    ("delta_booked_pp", |v| Some(v.delta_booked_pp())),
    ("delta_total_pp", |v| Some(v.delta_total_pp())),
    ("ci_low_pp", |v| Some(v.ci_low_pp)),
    ("ci_high_pp", |v| Some(v.ci_high_pp)),
    ("q_value", |v| v.q_value),
    ("cost_change_pct", |v| v.cost_change?.pct),
    ("cost_change_ci_low_pct", |v| v.cost_change?.ci_low_pct),
    ("cost_change_ci_high_pct", |v| v.cost_change?.ci_high_pct),
    ("cost_change_q_value", |v| Some(v.cost_change?.q_value)),
];

/// The verdicts as CSV.
///
/// # Errors
/// If the writer refuses; it has no reason to.
pub fn verdict_csv(of: &Classification) -> Result<Vec<u8>, Error> {
    let verdicts = &of.verdicts;
    let texts = TEXTS.iter().map(|(name, value)| {
        Column::new((*name).into(), verdicts.iter().map(value).collect::<Vec<String>>())
    });
    let numbers = NUMBERS.iter().map(|(name, value)| {
        Column::new((*name).into(), verdicts.iter().map(value).collect::<Vec<Option<f64>>>())
    });
    let columns: Vec<Column> = texts.chain(numbers).collect();
    csv_lines(verdicts.len(), columns)
}

#[cfg(test)]
mod tests;
