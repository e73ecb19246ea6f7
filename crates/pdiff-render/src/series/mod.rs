//! Several builds in order: a page, JSON and CSV.

pub(crate) mod change_points;
pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod page;
#[cfg(feature = "plots")]
pub(crate) mod plots;
pub(crate) mod view;
