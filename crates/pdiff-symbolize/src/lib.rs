//! pdiff-symbolize.
