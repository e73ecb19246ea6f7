//! pdiff-render.
