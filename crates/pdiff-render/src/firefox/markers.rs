//! Findings as markers, so that they are listed beside the stacks that they are about.

use pdiff_analysis::Finding;
use pdiff_analysis::classify::FindingCause;
use serde_json::{Value, json};

use crate::document::number::{fixed, interval, signed};
use crate::verdicts::words::cause_text;

/// What markers are called in the schema.
const TYPE: &str = "pdiff finding";

/// A finding as the profiler shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirefoxMarker {
    name: String,
    change: String,
    cause: String,
    functions: String,
}

impl FirefoxMarker {
    /// Of a finding, with its cause where that is known.
    #[must_use]
    pub fn finding(finding: &Finding, cause: Option<&FindingCause>) -> Self {
        let (before, after) = (finding.before.pct, finding.after.pct);
        let members: Vec<&str> = finding.members.iter().map(|member| &*member.name).collect();
        Self {
            name: format!("#{} {}", finding.rank, finding.name),
            change: format!(
                "{} -> {} % of CPU, {} points [95 % {}]",
                fixed(before, 2),
                fixed(after, 2),
                signed(after - before, 2),
                interval(finding.interval_pp, 2)
            ),
            cause: cause.map_or_else(String::new, |of| cause_text(of.cause, of.confidence)),
            functions: members.join(", "),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "type": TYPE,
            "finding": self.name,
            "change": self.change,
            "cause": self.cause,
            "functions": self.functions,
        })
    }
}

/// What the profiler shows of a marker, and where.
pub(super) fn schema() -> Value {
    let field = |key: &str, label: &str| json!({ "key": key, "label": label, "format": "string", "searchable": true });
    json!({
        "name": TYPE,
        "display": ["marker-chart", "marker-table"],
        "chartLabel": "{marker.data.finding}",
        "tooltipLabel": "{marker.data.finding}",
        "tableLabel": "{marker.data.change}: {marker.data.cause}",
        "description": "A part of the program with some of the change between both sides",
        "fields": [
            field("finding", "Part"),
            field("change", "Change"),
            field("cause", "Cause"),
            field("functions", "Functions"),
        ],
    })
}
