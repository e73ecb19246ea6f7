//! A comparison, row by row: the page for readers, and JSON, CSV and Parquet for programs.

pub(crate) mod beside;
pub(crate) mod closing;
pub(crate) mod comparability;
pub(crate) mod families;
pub(crate) mod heading;
pub(crate) mod json;
pub(crate) mod json_shape;
pub(crate) mod legend;
pub(crate) mod noise_lines;
pub(crate) mod notes;
pub(crate) mod page;
pub(crate) mod row_columns;
pub(crate) mod row_field;
pub(crate) mod row_grid;
pub(crate) mod row_json;
pub(crate) mod row_order;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod side_fact_words;
pub(crate) mod waiting;
pub(crate) mod waiting_json;
