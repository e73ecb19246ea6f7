//! The arguments of `pdiff man`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

const MAN_EXAMPLES: &str = "\
Examples:
  pdiff man | man -l -
  pdiff man --dir ~/.local/share/man/man1
  pdiff man --dir /usr/local/share/man/man1";

#[derive(Args, Debug)]
#[command(after_help = MAN_EXAMPLES)]
pub(crate) struct ManArgs {
    /// Write one page per command into this directory [default: print the main page]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}
