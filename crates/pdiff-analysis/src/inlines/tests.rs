//! Tests of the comparison.
