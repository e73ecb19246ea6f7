//! Verdicts as CSV: one line per function, the names of JSON's paths joined by `_`; evidence is in JSON only.

use pdiff_analysis::classify::{Classification, Verdict};
use pdiff_profile::Side;

use crate::error::Error;
use crate::files::column::Column;
use crate::files::written_bytes::{csv_lines, numbers};
use crate::verdicts::words::{limit_text, reason_text};

/// A column of text.
type Text = (&'static str, fn(&Verdict) -> Option<String>);

/// A column of numbers.
type Number = (&'static str, fn(&Verdict) -> Option<f64>);

const TEXTS: [Text; 18] = [
    ("name", |v| Some(v.function.clone())),
    ("function", |v| Some(v.function.clone())),
    ("object", |v| Some(v.object.clone())),
    ("file", |v| v.file.clone()),
    ("rule_id", |v| Some(v.rule_id.to_owned())),
    ("cause", |v| Some(v.cause.to_string())),
    ("confidence", |v| Some(v.confidence.to_string())),
    ("limited_by", |v| v.limited_by.as_ref().map(limit_text)),
    ("reason", |v| Some(reason_text(&v.reason))),
    ("judged_by", |v| Some(v.judged.to_string())),
    ("callers", |v| Some(v.callers.join("; "))),
    ("tags", |v| Some(v.tags.iter().map(|tag| tag.as_str()).collect::<Vec<_>>().join("; "))),
    ("in_build_before", |v| Some(v.in_build(Side::Before).to_string())),
    ("in_build_after", |v| Some(v.in_build(Side::After).to_string())),
    ("sampled_before", |v| Some(v.is_sampled(Side::Before).to_string())),
    ("sampled_after", |v| Some(v.is_sampled(Side::After).to_string())),
    ("code_is_new", |v| v.code_is_new().map(|is_new| is_new.to_string())),
    ("cost_change_extent", |v| Some(v.cost_change?.extent.as_str().to_owned())),
];

const NUMBERS: [Number; 23] = [
    ("before_self_pct", |v| Some(v.before.self_pct)),
    ("before_booked_self_pct", |v| Some(v.before.booked_self_pct)),
    ("before_total_pct", |v| Some(v.before.total_pct)),
    ("before_x_pct", |v| Some(v.before.x_pct())),
    ("after_self_pct", |v| Some(v.after.self_pct)),
    ("after_booked_self_pct", |v| Some(v.after.booked_self_pct)),
    ("after_total_pct", |v| Some(v.after.total_pct)),
    ("after_x_pct", |v| Some(v.after.x_pct())),
    ("delta_self_pp", |v| Some(v.delta_self_pp())),
    ("delta_booked_pp", |v| Some(v.delta_booked_pp())),
    ("delta_total_pp", |v| Some(v.delta_total_pp())),
    ("ci_low_pp", |v| Some(v.ci_low_pp)),
    ("ci_high_pp", |v| Some(v.ci_high_pp)),
    ("q_value", |v| v.q_value),
    ("net_new_per_op_ns", |v| v.net_new_per_op_ns),
    ("cost_change_pct", |v| v.cost_change?.pct),
    ("cost_change_ci_low_pct", |v| v.cost_change?.ci_low_pct),
    ("cost_change_ci_high_pct", |v| v.cost_change?.ci_high_pct),
    ("cost_change_q_value", |v| Some(v.cost_change?.q_value)),
    ("cost_change_own_pct", |v| v.cost_change?.own?.pct),
    ("cost_change_own_ci_low_pct", |v| v.cost_change?.own?.ci_low_pct),
    ("cost_change_own_ci_high_pct", |v| v.cost_change?.own?.ci_high_pct),
    ("cost_change_own_q_value", |v| Some(v.cost_change?.own?.q_value)),
];

/// The verdicts as CSV.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn verdict_csv(of: &Classification) -> Result<Vec<u8>, Error> {
    let verdicts = &of.verdicts;
    let text = |(name, value): &Text| {
        Column::new((*name).into(), verdicts.iter().map(value).collect::<Vec<Option<String>>>())
    };
    let mut columns: Vec<Column> = TEXTS.iter().map(text).collect();
    columns.extend(NUMBERS.iter().map(|(name, value)| numbers(name, verdicts.iter().map(value))));
    let families: Vec<Option<u64>> = verdicts.iter().map(|v| v.family.map(|id| id as u64)).collect();
    columns.push(Column::new("family_id".into(), families));
    csv_lines(verdicts.len(), columns)
}

#[cfg(test)]
mod tests;
