//! The parts of the change as CSV: one line each, then one of everything else, so that weights sum to those of the sides.
//! Names as in JSON, joined by `_`.

use pdiff_analysis::classify::FindingCause;
use pdiff_analysis::{Comparison, Finding, FindingSetting, FindingSide, FindingsRest};
use pdiff_profile::PerSide;

use crate::error::Error;
use crate::files::column::Column;
use crate::files::written_bytes::{csv_lines, numbers};
use crate::verdicts::words::part_limit_text;

/// The kind of the last line.
const REST: &str = "rest";

/// One line.
struct Part<'a> {
    finding: Option<&'a Finding>,
    cause: Option<&'a FindingCause>,
    before: &'a FindingSide,
    after: &'a FindingSide,
}

type Text = (&'static str, fn(&Part<'_>) -> Option<String>);
type Number = (&'static str, fn(&Part<'_>) -> Option<f64>);

const TEXTS: [Text; 9] = [
    ("kind", |part| Some(part.finding.map_or(REST, |of| of.kind.as_str()).to_owned())),
    ("name", |part| Some(part.finding?.name.clone())),
    ("object", |part| Some(part.finding?.object.clone())),
    ("subsystem", |part| part.finding?.subsystem.clone()),
    ("cause", |part| Some(part.cause?.cause.to_string())),
    ("confidence", |part| Some(part.cause?.confidence.to_string())),
    ("limited_by", |part| part.cause?.limited_by.as_ref().map(part_limit_text)),
    ("settings", |part| Some(part.finding?.settings.iter().map(setting).collect::<Vec<_>>().join("; "))),
    ("callers", |part| Some(part.finding?.callers.join("; "))),
];

const NUMBERS: [Number; 14] = [
    ("before_pct", |part| Some(part.before.pct)),
    ("after_pct", |part| Some(part.after.pct)),
    ("delta_pp", |part| Some(part.after.pct - part.before.pct)),
    ("ci_low_pp", |part| Some(part.finding?.interval_pp.0)),
    ("ci_high_pp", |part| Some(part.finding?.interval_pp.1)),
    ("before_per_op", |part| part.before.per_op),
    ("after_per_op", |part| part.after.per_op),
    ("delta_per_op", |part| Some(part.after.per_op? - part.before.per_op?)),
    ("ci_low_per_op", |part| Some(part.finding?.interval_per_op?.0)),
    ("ci_high_per_op", |part| Some(part.finding?.interval_per_op?.1)),
    ("gap_share_pct", |part| part.finding?.share_of_change_pct),
    ("q_value", |part| Some(part.finding?.q_value)),
    ("polling_pct_before", |part| Some(part.before.polling_pct())),
    ("polling_pct_after", |part| Some(part.after.polling_pct())),
];

/// The parts of the change as CSV, each with its cause where there are `causes`.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn parts_csv(of: &Comparison, causes: &[FindingCause]) -> Result<Vec<u8>, Error> {
    let findings = of.findings.list.iter().enumerate().map(|(at, finding)| Part {
        finding: Some(finding),
        cause: causes.get(at),
        before: &finding.before,
        after: &finding.after,
    });
    let rest: &FindingsRest = &of.findings.rest;
    let all_else = Part { finding: None, cause: None, before: &rest.before, after: &rest.after };
    let parts: Vec<Part<'_>> = findings.chain([all_else]).collect();
    let counts = |name: &str, value: fn(&Part<'_>) -> u64| {
        Column::new(name.into(), parts.iter().map(|part| Some(value(part))).collect::<Vec<Option<u64>>>())
    };
    let ranks: Vec<Option<u64>> = parts.iter().map(|part| Some(part.finding?.rank as u64)).collect();
    let mut columns = vec![Column::new("rank".into(), ranks)];
    columns.extend(TEXTS.iter().map(|(name, value)| {
        Column::new((*name).into(), parts.iter().map(value).collect::<Vec<Option<String>>>())
    }));
    columns.push(counts("before_weight", |part| part.before.weight.0));
    columns.push(counts("after_weight", |part| part.after.weight.0));
    columns.extend(NUMBERS.iter().map(|(name, value)| numbers(name, parts.iter().map(value))));
    csv_lines(parts.len(), columns)
}

fn setting(of: &FindingSetting) -> String {
    let PerSide { before, after } = of.values.as_ref().map(|value| value.as_deref().unwrap_or("unknown"));
    format!("{}: {before} -> {after}", of.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sample;

    #[test]
    fn parts_and_all_else_have_a_line_each() {
        let comparison = sample::comparison(Vec::new());
        let text = String::from_utf8(parts_csv(&comparison, &[]).unwrap()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("rank,kind,name,object,"), "{text}");
        assert_eq!(lines.len(), comparison.findings.list.len() + 2);
        assert!(lines[lines.len() - 1].starts_with(",rest,"), "{text}");
    }
}
