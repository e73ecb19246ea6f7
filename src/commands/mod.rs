//! One file a command.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod inlines;
pub(crate) mod man;
pub(crate) mod pack;
pub(crate) mod symbolize;
