//! The analysis of pdiff: pure functions from profiles to comparisons.

pub mod noise;
