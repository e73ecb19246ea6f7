//! Gates, for all commands that compare two sides.

use clap::{Args, ValueEnum};

/// Conditions that make a build fail.
#[derive(Args, Debug)]
#[command(next_help_heading = "Gates")]
pub(crate) struct GateArgs {
    /// Exit with status 1 if a row matches: '[all:][SCOPE:]FIELD OP NUMBER' (repeatable)
    #[arg(long, value_name = "GATE")]
    pub(crate) fail_on: Vec<String>,
    /// Exit status if a gate cannot be judged: as if it passed (0) or failed (1) [default: exit with status 3]
    #[arg(long, value_name = "AS", value_enum, requires = "fail_on")]
    pub(crate) inconclusive: Option<Inconclusive>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Inconclusive {
    Pass,
    Fail,
}
