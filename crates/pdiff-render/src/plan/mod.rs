//! A plan of experiments: a page, JSON, the table of its runs, and a script that makes them.

pub(crate) mod json;
pub(crate) mod page;
pub(crate) mod runs;
pub(crate) mod script;
pub(crate) mod words;
