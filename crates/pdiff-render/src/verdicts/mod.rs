//! Verdicts: why each function changed, as a page, as JSON and as CSV.

pub(crate) mod code;
pub(crate) mod code_json;
pub(crate) mod columns;
pub(crate) mod explain;
pub(crate) mod hot_lines;
pub(crate) mod inlining;
pub(crate) mod json;
mod kernel;
mod lists;
pub(crate) mod page;
mod parts;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod words;
