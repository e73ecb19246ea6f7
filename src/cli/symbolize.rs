//! The arguments of `pdiff symbolize`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

const SYMBOLIZE_EXAMPLES: &str = "\
Examples:
  pdiff symbolize /usr/sbin/mysqld mysqld+0x1a704c5
  pdiff symbolize /usr/sbin/mysqld --as address 0x1e704c5 0x1e913a0
  cut -f2 addresses.tsv | pdiff symbolize /usr/sbin/mysqld -
  pdiff symbolize a.out 0x1139 --format json | jq -r '.frames[-1].function'

Addresses are those of the ELF file itself (as nm and addr2line print them), or positions in the file
(what perf prints after the file's name, as in server+0x1139), in hexadecimal, looked up unchanged.
The position of the code decides which of the two they are; if both are possible, give --as.
Text looks as from `addr2line -f -i -C`: innermost first, a blank line between addresses.";

/// Which addresses of which file.
#[derive(Args, Debug)]
#[command(after_help = SYMBOLIZE_EXAMPLES)]
pub(crate) struct SymbolizeArgs {
    /// Program, library or debug file (ELF)
    #[arg(value_name = "BINARY", value_hint = ValueHint::FilePath)]
    pub(crate) binary: PathBuf,
    /// Addresses in hexadecimal; reads standard input if - or none is given
    #[arg(value_name = "ADDR")]
    pub(crate) addresses: Vec<String>,
    /// Meaning of plain numbers: address or offset (position in the file) [default: whichever is possible]
    #[arg(long = "as", value_name = "WHAT", value_enum)]
    pub(crate) meaning: Option<AddressMeaning>,
    /// Output format
    #[arg(long, value_name = "FORM", value_enum, default_value_t = AddressFormat::Text)]
    pub(crate) format: AddressFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Also search for separate debug information under this directory (repeatable)
    #[arg(long = "symfs", alias = "debug-root", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) debug_root: Vec<PathBuf>,
}

/// What a number is to a file.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AddressMeaning {
    Address,
    Offset,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AddressFormat {
    Text,
    Json,
}
