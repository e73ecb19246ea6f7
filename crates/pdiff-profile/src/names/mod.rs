//! Names of functions.
