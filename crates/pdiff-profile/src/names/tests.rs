//! Tables of names.
