//! How two builds inline differently: a page and JSON.

pub(crate) mod callers;
pub(crate) mod compilers;
pub(crate) mod heading;
pub(crate) mod json;
pub(crate) mod page;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod section;
pub(crate) mod view;
mod why;
