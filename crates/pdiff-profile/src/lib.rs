//! The vocabulary of pdiff: what a profile, a stack, an object, a symbol and a name are. No IO.

pub mod names;
