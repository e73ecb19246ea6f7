//! Comparisons as text and pictures: tables, markdown and flame graphs for readers, JSON, CSV and Parquet for programs.
//!
//! Only form is decided here: every number comes from `pdiff-analysis`. Nothing is printed; callers get text or bytes.

#![forbid(unsafe_code)]

mod attribution_csv;
mod attribution_json;
mod attribution_page;
#[cfg(feature = "plots")]
mod attribution_plots;
mod attribution_view;
mod closing;
mod column;
mod comparability;
mod error;
mod families;
mod findings_json;
mod flame;
mod heading;
mod hot_lines;
#[cfg(feature = "report")]
mod html;
mod inlines_callers;
mod inlines_compilers;
mod inlines_heading;
mod inlines_json;
mod inlines_page;
#[cfg(test)]
mod inlines_sample;
mod inlines_section;
mod inlines_view;
mod json;
mod legend;
mod markdown;
mod noise_lines;
mod notes;
mod number;
mod options;
mod page;
#[cfg(feature = "parquet")]
mod parquet_file;
mod ranked_columns;
mod report;
mod resolution_lines;
mod row_columns;
mod row_field;
mod row_grid;
mod row_order;
#[cfg(test)]
mod sample;
mod series_csv;
mod series_json;
mod series_page;
mod series_view;
mod settings_json;
mod settings_page;
mod short_name;
mod table;
mod verdict_columns;
mod verdict_explain;
mod verdict_json;
mod verdict_page;
#[cfg(test)]
mod verdict_sample;
mod verdict_words;
mod visible_text;
mod written_bytes;

pub use attribution_csv::attribution_csv;
pub use attribution_json::attribution_json;
pub use attribution_page::{attribution_markdown, attribution_table};
#[cfg(feature = "plots")]
pub use attribution_plots::{gap_waterfall_svg, interaction_matrix_svg};
pub use attribution_view::AttributionView;
pub use error::Error;
#[cfg(feature = "flame")]
pub use flame::write_flame_svg;
pub use flame::{FlameColor, FlameInput, FlameOptions, FlameTerms, FlameView, tree_json, write_folded};
pub use hot_lines::SourceTexts;
#[cfg(feature = "report")]
pub use html::{ReportInput, html_report};
pub use inlines_json::write_inlines_json;
pub use inlines_page::{inlines_markdown, inlines_table};
pub use inlines_view::{BuildFile, InlinesFilter, InlinesOptions, InlinesView};
pub use json::json;
pub use markdown::markdown;
pub use options::{SortBy, TableOptions, UnknownOrder};
pub use resolution_lines::{resolution_json_lines, resolution_text};
pub use row_columns::csv;
#[cfg(feature = "parquet")]
pub use row_columns::parquet;
pub use series_csv::series_csv;
pub use series_json::series_json;
pub use series_page::{series_markdown, series_table};
pub use series_view::{BuildSystem, SeriesView};
pub use settings_json::{settings_csv, settings_json};
pub use settings_page::{settings_markdown, settings_table};
pub use table::table;
pub use verdict_columns::verdict_csv;
pub use verdict_explain::{ExplainView, explain_markdown, explain_text};
pub use verdict_json::{explain_json, verdict_json};
pub use verdict_page::{verdict_markdown, verdict_table};
pub use verdict_words::{fact_numbers, fact_text, limit_text, missing_text, reason_text};
pub use visible_text::visible;
