//! Server settings that differ between the sides: a page, JSON and CSV.

pub(crate) mod json;
pub(crate) mod page;
