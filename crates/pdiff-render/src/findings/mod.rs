//! The few parts that contain the change: the first screen of a comparison, and JSON.

pub(crate) mod columns;
pub(crate) mod first_screen;
pub(crate) mod grid;
pub(crate) mod inside;
pub(crate) mod json;
pub(crate) mod kernel_json;
mod next;
pub(crate) mod one;
pub(crate) mod packages;
mod rest;
pub(crate) mod result;
