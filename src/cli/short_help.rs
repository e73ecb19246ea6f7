//! What `-h` shows: the options that most people need and one example; `--help` shows all of them.
//!
//! clap can hide options from `-h` itself, but then `--help` takes a page of blank lines.

use clap::{Arg, Command};

/// Commands with no more arguments than this show all of them.
const FEW: usize = 16;

/// The options that most people need, of all commands.
const USUAL: &[&str] = &[
    "before",
    "after",
    "before_runs",
    "after_runs",
    "binary_before",
    "binary_after",
    "tps_before",
    "tps_after",
    "by",
    "format",
    "output",
    "fail_on",
    "warn",
    "null",
    "dir",
    "function",
    "runs",
    "factors",
    "profiles",
    "recordings",
    "store",
    "diff",
    "view",
    "reverse",
];

/// Leaves out what few need, where the words of the command line ask for `-h`.
pub(super) fn shorten(program: Command, mut words: impl Iterator<Item = std::ffi::OsString>) -> Command {
    if !words.any(|word| word == "-h") {
        return program;
    }
    program.mut_subcommands(|command| {
        let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set()).count();
        let command = if arguments > FEW { command.mut_args(shorten_argument) } else { command };
        let Some(examples) = command.get_after_help().map(ToString::to_string) else { return command };
        let name = command.get_name().to_owned();
        let first = examples.lines().nth(1).unwrap_or_default().trim();
        let short = format!("Example: {first}\n`pdiff {name} --help` shows all options and more examples.");
        command.after_help(short)
    })
}

fn shorten_argument(argument: Arg) -> Arg {
    let is_usual = USUAL.contains(&argument.get_id().as_str()) || argument.is_hide_set();
    if is_usual { argument } else { argument.hide(true) }
}
