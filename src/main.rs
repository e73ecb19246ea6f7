//! The command line tool: the only place that prints and exits.

#![forbid(unsafe_code)]

mod cli;
mod commands;
mod exit;
mod output;
mod pipeline;
mod progress;
mod settings;
mod timings;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use cli::{Cli, Command};
use exit::{Outcome, TROUBLE};

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli.command) {
        Ok(outcome) => outcome.into(),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("pdiff: error: {error:#}"));
            ExitCode::from(TROUBLE)
        }
    }
}

fn run(command: &Command) -> Result<Outcome> {
    match command {
        Command::Compare(args) => commands::compare::run(args),
        Command::Symbolize(args) => commands::symbolize::run(args).map(|()| Outcome::Ran),
        Command::Completions(args) => commands::completions::run(args).map(|()| Outcome::Ran),
        Command::Man(args) => commands::man::run(args).map(|()| Outcome::Ran),
    }
}

/// Says something on standard error; if that is closed, nobody is there to hear it.
fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
