//! Tests of the census.
