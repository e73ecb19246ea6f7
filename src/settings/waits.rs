//! The recordings of waiting of both sides.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use pdiff::{Comparer, Recording, WaitList};

use super::{KNOWLEDGE, is_stdin, read_file, source};
use crate::cli::WaitArgs;

/// A comparison with its recordings of waiting.
pub(crate) fn with_waits(comparer: Comparer, args: &WaitArgs) -> Result<Comparer> {
    if args.waits_before.iter().chain(&args.waits_after).any(|path| is_stdin(path)) {
        bail!("--waits-before, --waits-after: standard input is not read here; hint: give files");
    }
    if args.waits_before.is_empty() {
        return Ok(comparer);
    }
    let comparer = match &args.wait_list {
        Some(path) => comparer.wait_list(read_file(path, KNOWLEDGE, WaitList::parse)?),
        None => comparer,
    };
    Ok(comparer.waits(recordings(&args.waits_before), recordings(&args.waits_after)))
}

fn recordings(paths: &[PathBuf]) -> Vec<Recording> {
    paths.iter().map(|path: &PathBuf| Recording::new(source(Path::new(path)))).collect()
}
