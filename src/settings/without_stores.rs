//! Stores of runs, in a program that was built without them: one line that says so.

#[cfg(feature = "parquet")]
use std::path::Path;
use std::path::PathBuf;

use anyhow::{Result, bail};
use pdiff::Recording;
use pdiff::profile::{PerSide, Side};

use crate::cli::RecordingArgs;

/// The runs of one side that a store has.
pub(super) struct ChosenRuns {
    pub(super) paths: Vec<PathBuf>,
    pub(super) hosts: Vec<Option<String>>,
    pub(super) label: String,
}

/// Refuses `--store`.
pub(super) fn stored_recordings(args: &RecordingArgs, _: Side) -> Result<Option<ChosenRuns>> {
    match &args.store {
        Some(_) => {
            bail!("--store: this pdiff was built without stores; hint: build it with `cargo build --release`")
        }
        None => Ok(None),
    }
}

/// Refuses `--store` of a series.
#[cfg(feature = "parquet")]
pub(crate) fn stored_series(_: &Path, _: &[String]) -> Result<Vec<(String, Vec<PathBuf>)>> {
    bail!("--store: this pdiff was built without stores; hint: build it with `cargo build --release`")
}

/// The runs of one side that an engine summed.
pub(super) struct SummedRuns {
    pub(super) recordings: Vec<Recording>,
    pub(super) label: String,
}

/// Refuses `--sums`.
pub(super) fn summed_recordings(args: &RecordingArgs) -> Result<Option<PerSide<SummedRuns>>> {
    match args.sums.is_empty() {
        false => {
            bail!("--sums: this pdiff was built without stores; hint: build it with `cargo build --release`")
        }
        true => Ok(None),
    }
}
