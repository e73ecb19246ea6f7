//! `pdiff store`, in a program that was built without stores: one line that says so.

use anyhow::{Result, bail};

use crate::cli::StoreArgs;
use crate::exit::Outcome;

/// Refuses.
pub(crate) fn refuse(_: &StoreArgs) -> Result<Outcome> {
    bail!("this pdiff was built without stores of runs; hint: build it with `cargo build --release`")
}
