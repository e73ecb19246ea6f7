//! Tests of matching: two lists of functions in, pairs out.
