//! CSV and Parquet read back: names of columns, nulls, quoting.

use polars::prelude::{AnyValue, DataFrame, ParquetReader, SerReader as _};

use super::*;
use crate::compare::sample;

fn read_back(comparison: &Comparison) -> DataFrame {
    ParquetReader::new(std::io::Cursor::new(parquet(comparison).unwrap())).finish().unwrap()
}

fn csv(comparison: &Comparison) -> String {
    let mut bytes = Vec::new();
    write_csv(comparison, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn parquet_holds_every_row_and_says_null_for_a_side_without_weight() {
    let comparison = sample::full();
    let columns = read_back(&comparison);
    assert_eq!(columns.height(), comparison.rows.len());
    let value = |name: &str, row: usize| columns.column(name).unwrap().get(row).unwrap().into_static();
    assert_eq!(value("name", 2), AnyValue::StringOwned("THD::store_cached_properties".into()));
    assert_eq!(value("before_self_weight", 2), AnyValue::Null);
    assert_eq!(value("before_self_pct", 2), AnyValue::Null);
    assert_eq!(value("after_self_weight", 2), AnyValue::UInt64(53));
    assert_eq!(value("significant", 2), AnyValue::Boolean(true));
    assert_eq!(value("match_level", 5), AnyValue::StringOwned("alias".into()));
    let sum: u64 = columns.column("after_self_weight").unwrap().u64().unwrap().iter().flatten().sum();
    assert_eq!(sum, comparison.after.weight.0);
}

#[test]
fn columns_are_named_as_in_json() {
    let mut comparison = sample::full();
    comparison.rows.iter_mut().for_each(|row| row.cost_change = Some(sample::own_cost_change().into()));
    let json: serde_json::Value = serde_json::from_slice(&crate::json(&comparison).unwrap()).unwrap();
    let row = json["functions"].as_array().unwrap().iter().find(|row| row["presence"] == "both").unwrap();
    let columns = read_back(&comparison);
    for name in columns.get_column_names().into_iter().map(|name| name.as_str()) {
        let path = ["before_", "after_", "match_", "cost_change_"]
            .iter()
            .find_map(|part| Some((part.trim_end_matches('_'), name.strip_prefix(part)?)));
        let found = match path {
            Some((part, key)) => row[part].get(key),
            None => row.get(name),
        };
        assert!(
            found.is_some()
                || RowField::all().iter().any(|field| field.name() == name && field.is_optional()),
            "{name}"
        );
    }
}

#[test]
fn csv_quotes_hostile_names_and_has_one_record_a_row() {
    let comparison = sample::full();
    let text = csv(&comparison);
    assert!(
        text.starts_with("name,object,file,subsystem,thread_group,presence,match_level,match_ambiguous,")
    );
    assert!(text.contains("\nold_\\x1b[31m|`name`\\x0a,mysqld,,,,only-before,"), "{text}");
    let record = text.lines().find(|line| line.starts_with("THD::")).unwrap();
    assert!(record.contains(",only-after,qualified,false,,THD::store_cached_properties,,,,,,,"), "{record}");
}

#[test]
fn what_is_no_number_is_null_and_no_rows_are_no_error() {
    let mut comparison = sample::full();
    comparison.rows[0].ci_low_pp = f64::NAN;
    assert_eq!(read_back(&comparison).column("ci_low_pp").unwrap().null_count(), 1);
    let empty = sample::comparison(Vec::new());
    assert_eq!(read_back(&empty).height(), 0);
    assert_eq!(csv(&empty).lines().count(), 1);
}

#[test]
fn many_rows_are_written_in_parts_after_one_header() {
    let names: Vec<String> = (0..=ROWS_AT_ONCE).map(|row| format!("f{row}")).collect();
    let text = csv(&sample::comparison(names.iter().map(|name| sample::row(name, (1.0, 1.0))).collect()));
    let written: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(written, names);
    assert_eq!(text.lines().filter(|line| line.starts_with("name,")).count(), 1);
}
