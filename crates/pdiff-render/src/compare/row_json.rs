//! A row as JSON, field by field.

use pdiff_analysis::{FieldGroup, FieldValue, Row, RowField};
use pdiff_profile::names::MatchLevel;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A row to be written with all its fields.
#[derive(Clone, Copy)]
pub(crate) struct RowJson<'a> {
    pub(crate) row: &'a Row,
    /// The level at which names are matched.
    pub(crate) level: MatchLevel,
}

/// The fields of one group.
struct GroupJson<'a> {
    of: RowJson<'a>,
    fields: &'static [RowField],
}

impl Serialize for RowJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for fields in RowField::all().chunk_by(|a, b| a.group() == b.group()) {
            match fields.first().and_then(RowField::group) {
                None => self.entries(fields, &mut map)?,
                Some(group) if group.is_in(self.row) => {
                    map.serialize_entry(group.key(), &GroupJson { of: *self, fields })?;
                }
                Some(FieldGroup::CostChange) => {}
                Some(group) => map.serialize_entry(group.key(), &())?,
            }
        }
        map.end()
    }
}

impl RowJson<'_> {
    fn entries<M: SerializeMap>(&self, fields: &[RowField], map: &mut M) -> Result<(), M::Error> {
        for field in fields {
            let key = field.key();
            match field.value(self.row, self.level) {
                FieldValue::Text(None) | FieldValue::Count(None) | FieldValue::Number(None)
                    if field.is_optional() => {}
                FieldValue::Text(value) => map.serialize_entry(key, &value)?,
                FieldValue::Flag(value) => map.serialize_entry(key, &value)?,
                FieldValue::Count(value) => map.serialize_entry(key, &value)?,
                FieldValue::Number(value) => map.serialize_entry(key, &value)?,
            }
        }
        Ok(())
    }
}

impl Serialize for GroupJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.of.entries(self.fields, &mut map)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use pdiff_profile::Side;

    use super::*;

    /// One group's fields as a table of `docs/json.md`.
    fn documented(group: Option<FieldGroup>) -> String {
        let fields = RowField::all().iter().filter(|field| field.group() == group);
        let line = |field: &RowField| {
            let optional = if field.is_optional() { ", optional" } else { "" };
            format!("| `{}` | {}{optional} | {} |\n", field.key(), field.type_name(), field.meaning())
        };
        let lines: String = fields.map(line).collect();
        format!("| key | type | meaning |\n|---|---|---|\n{lines}")
    }

    #[test]
    fn the_documentation_has_every_field_and_no_other() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");
        let page = std::fs::read_to_string(path).expect("docs/json.md is readable");
        let groups = [
            ("## `functions`", None),
            ("### `match`", Some(FieldGroup::Match)),
            ("### `before`, `after`", Some(FieldGroup::Side(Side::After))),
            ("### `cost_change`", Some(FieldGroup::CostChange)),
        ];
        for (heading, group) in groups {
            let section = page.split(&format!("\n{heading}\n")).nth(1).unwrap_or_default();
            let section = section.split("\n#").next().unwrap_or_default();
            let rows = section.lines().filter(|line| line.starts_with('|'));
            let table: String = rows.map(|row| format!("{row}\n")).collect();
            let expected = documented(group);
            assert_eq!(
                table, expected,
                "{heading}: docs/json.md has the left table, the fields are on the right"
            );
        }
    }
}
