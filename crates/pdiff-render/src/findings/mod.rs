//! The few places that hold the change.

pub(crate) mod json;
