//! pdiff-ingest.
