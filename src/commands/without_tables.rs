//! What needs tables of benchmark runs, in a program that was built without them: one line that says so.

use std::path::Path;

use anyhow::{Result, bail};
use pdiff::study::ablation::Attribution;

use crate::cli::{AttributeArgs, DesignArgs, SeriesArgs};

/// `pdiff attribute`.
pub(crate) fn run(_: &AttributeArgs) -> Result<()> {
    refuse()
}

/// `pdiff series`.
pub(crate) fn series(_: &SeriesArgs) -> Result<()> {
    refuse()
}

/// `pdiff report --runs`.
pub(super) fn attributed(_: &Path, _: &DesignArgs) -> Result<Attribution> {
    refuse()
}

/// Never asked, as nothing is attributed.
pub(super) fn subsystems_of(
    _: &Attribution,
    _: &[String],
    _: impl Fn(&str) -> bool,
) -> Result<Vec<(usize, String)>> {
    refuse()
}

fn refuse<T>() -> Result<T> {
    bail!(
        "this pdiff was built without tables of benchmark runs; hint: build it with `cargo build --release`"
    )
}
