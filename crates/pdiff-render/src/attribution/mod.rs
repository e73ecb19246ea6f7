//! A throughput gap attributed to settings: a page, JSON, CSV and plots.

pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod page;
#[cfg(feature = "plots")]
pub(crate) mod plots;
pub(crate) mod view;
