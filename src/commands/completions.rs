//! `pdiff completions`: a completion script for a shell.

use anyhow::Result;

use crate::cli::{self, CompletionsArgs};
use crate::output::Output;

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli::program(), "pdiff", &mut script);
    Output::Stdout.write(&script)
}
