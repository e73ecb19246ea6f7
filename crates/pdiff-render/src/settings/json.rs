//! Differing settings for programs: JSON, schema version 1 (`docs/json.md`), and CSV.

use pdiff_analysis::{
    AtDefault, FoldedSettings, MisleadingSetting, OneSidedSetting, SettingChange, SettingsDiff,
};
use pdiff_profile::Side;
use serde::Serialize;

use crate::compare::json_shape::SCHEMA_VERSION;
use crate::error::Error;
use crate::files::column::Column;
use crate::files::written_bytes::{csv_lines, json_line};

#[derive(Serialize)]
struct Report<'a> {
    schema_version: u32,
    #[serde(flatten)]
    settings: SettingsReport<'a>,
}

/// The part that other reports embed.
#[derive(Serialize)]
pub(crate) struct SettingsReport<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    misleading: Vec<MisleadingReport<'a>>,
    differs: Vec<ChangeReport<'a>>,
    only_before: Vec<OneSidedReport<'a>>,
    only_after: Vec<OneSidedReport<'a>>,
    folded: Vec<FoldedReport<'a>>,
    same: usize,
}

#[derive(Serialize)]
struct MisleadingReport<'a> {
    side: &'static str,
    name: &'a str,
    value: &'a str,
    why: &'a str,
}

#[derive(Serialize)]
struct ChangeReport<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before_name: Option<&'a str>,
    before: &'a str,
    after: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_default: Option<&'static str>,
}

#[derive(Serialize)]
struct OneSidedReport<'a> {
    name: &'a str,
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_default: Option<bool>,
}

#[derive(Serialize)]
struct FoldedReport<'a> {
    what: &'a str,
    names: &'a [String],
}

impl<'a> SettingsReport<'a> {
    pub(crate) fn new(of: &'a SettingsDiff) -> Self {
        let change = |of: &'a SettingChange| ChangeReport {
            name: &of.name,
            before_name: of.before_name.as_deref(),
            before: &of.before,
            after: &of.after,
            why: of.why.as_deref(),
            at_default: of.at_default.map(AtDefault::as_str),
        };
        let one = |of: &'a OneSidedSetting| OneSidedReport {
            name: &of.name,
            value: &of.value,
            why: of.why.as_deref(),
            at_default: of.at_default,
        };
        let folded = |of: &'a FoldedSettings| FoldedReport { what: &of.what, names: &of.names };
        let misleading = |of: &'a MisleadingSetting| MisleadingReport {
            side: of.side.as_str(),
            name: &of.name,
            value: &of.value,
            why: &of.why,
        };
        Self {
            misleading: of.misleading.iter().map(misleading).collect(),
            differs: of.differs.iter().map(change).collect(),
            only_before: of.only.before.iter().map(one).collect(),
            only_after: of.only.after.iter().map(one).collect(),
            folded: of.folded.iter().map(folded).collect(),
            same: of.same,
        }
    }
}

/// The differences as one line of JSON.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn settings_json(of: &SettingsDiff) -> Result<Vec<u8>, Error> {
    json_line(&Report { schema_version: SCHEMA_VERSION, settings: SettingsReport::new(of) })
}

/// One line of the CSV.
struct Line<'a> {
    presence: &'static str,
    name: &'a str,
    before_name: Option<&'a str>,
    before: Option<&'a str>,
    after: Option<&'a str>,
    why: Option<&'a str>,
}

impl<'a> Line<'a> {
    fn one_sided(of: &'a OneSidedSetting, presence: &'static str, on: Side) -> Self {
        let value = |side| (on == side).then_some(of.value.as_str());
        let (before, after) = (value(Side::Before), value(Side::After));
        Self { presence, name: &of.name, before_name: None, before, after, why: of.why.as_deref() }
    }
}

/// The differences as CSV: columns presence (`both`, `only-before`, `only-after`), name, before_name, before, after, why.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn settings_csv(of: &SettingsDiff) -> Result<Vec<u8>, Error> {
    let both = of.differs.iter().map(|of| Line {
        presence: "both",
        name: &of.name,
        before_name: of.before_name.as_deref(),
        before: Some(&of.before),
        after: Some(&of.after),
        why: of.why.as_deref(),
    });
    let before = of.only.before.iter().map(|of| Line::one_sided(of, "only-before", Side::Before));
    let after = of.only.after.iter().map(|of| Line::one_sided(of, "only-after", Side::After));
    let lines: Vec<Line<'_>> = both.chain(before).chain(after).collect();
    let text = |name: &'static str, value: fn(&Line<'_>) -> Option<String>| {
        Column::new(name.into(), lines.iter().map(value).collect::<Vec<Option<String>>>())
    };
    let columns = vec![
        text("presence", |line| Some(line.presence.to_owned())),
        text("name", |line| Some(line.name.to_owned())),
        text("before_name", |line| line.before_name.map(str::to_owned)),
        text("before", |line| line.before.map(str::to_owned)),
        text("after", |line| line.after.map(str::to_owned)),
        text("why", |line| line.why.map(str::to_owned)),
    ];
    csv_lines(lines.len(), columns)
}
