//! Comparisons as text and pictures: tables, markdown and flame graphs for readers, JSON, CSV and Parquet for programs.
//!
//! Only form is decided here: every number comes from `pdiff-analysis`. Nothing is printed; callers get text or bytes.

#![forbid(unsafe_code)]

mod attribution;
mod ci;
mod compare;
mod counted_calls;
mod document;
mod error;
mod files;
mod findings;
mod firefox;
mod flame;
mod inlines;
mod plan;
#[cfg(feature = "plots")]
mod plots;
#[cfg(feature = "report")]
mod report;
mod resolution_lines;
mod script;
mod series;
mod settings;
mod verdicts;

pub use attribution::csv::attribution_csv;
pub use attribution::json::attribution_json;
pub use attribution::page::{attribution_markdown, attribution_table};
#[cfg(feature = "plots")]
pub use attribution::plots::{effects_svg, gap_waterfall_svg, interaction_matrix_svg};
pub use attribution::view::AttributionView;
pub use ci::annotations::annotations;
pub use ci::bencher::bencher_json;
pub use ci::junit::junit_xml;
pub use ci::page::{ci_comment, ci_summary, ci_text};
pub use ci::{CiInput, GateResult, GateStatus};
pub use compare::json::{json, json_with_causes, write_json_with_causes};
pub use compare::page::{markdown, markdown_with_causes, table, table_with_causes};
#[cfg(feature = "parquet")]
pub use compare::row_columns::parquet;
pub use compare::row_columns::write_csv;
pub use compare::side_fact_words::SideFactWords;
pub use counted_calls::{counts_json, counts_lines, counts_table};
pub use document::options::{SortBy, TableOptions, UnknownOrder};
pub use document::short_name::is_shown_as;
pub use document::visible_text::visible;
pub use error::Error;
pub use findings::columns::parts_csv;
pub use findings::one::ExplainedFinding;
pub use firefox::{FirefoxLevel, FirefoxMarker, FirefoxStack, FirefoxThread, FirefoxWeight, FirefoxWriter};
#[cfg(feature = "flame")]
pub use flame::write_flame_svg;
pub use flame::{FlameColor, FlameInput, FlameOptions, FlameTerms, FlameView, tree_json, write_folded};
pub use inlines::json::write_inlines_json;
pub use inlines::page::{inlines_markdown, inlines_table};
pub use inlines::view::{BuildFile, InlinesFilter, InlinesOptions, InlinesView};
pub use plan::json::plan_json;
pub use plan::page::{plan_markdown, plan_table};
pub use plan::runs::plan_runs_csv;
pub use plan::script::plan_script;
#[cfg(feature = "report")]
pub use report::{OtherTree, ReportInput, html_report};
pub use resolution_lines::{resolution_json_lines, resolution_text};
pub use script::{ScriptOptions, write_script};
pub use series::csv::series_csv;
pub use series::json::series_json;
pub use series::page::{series_markdown, series_table};
#[cfg(feature = "plots")]
pub use series::plots::{builds_svg, threads_svg};
pub use series::view::{BuildSystem, SeriesView};
pub use settings::json::{settings_csv, settings_json};
pub use settings::page::{settings_markdown, settings_table};
pub use verdicts::columns::verdict_csv;
pub use verdicts::explain::{ExplainView, explain_markdown, explain_text};
pub use verdicts::hot_lines::SourceTexts;
pub use verdicts::json::{explain_json, verdict_json};
pub use verdicts::page::{VerdictDetail, verdict_markdown, verdict_table};
pub use verdicts::words::{fact_numbers, fact_text, limit_text, missing_text, part_limit_text, reason_text};
