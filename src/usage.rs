//! What was typed wrongly, in one line as any other error: what, where, hint.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Command;
use clap::error::ErrorKind;

use crate::cli;
use crate::exit::TROUBLE;

/// Prints help or the version as clap does, and an error as one line.
pub(crate) fn say(error: &clap::Error) -> ExitCode {
    let is_help = !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_help {
        let written = error.print().and_then(|()| std::io::stdout().flush());
        return match written {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                crate::complain(&format!("pdiff: error: writing to standard output: {error}"));
                ExitCode::from(TROUBLE)
            }
            _ if error.use_stderr() => ExitCode::from(TROUBLE),
            _ => ExitCode::SUCCESS,
        };
    }
    let first = std::env::args_os().nth(1).unwrap_or_default();
    let program = cli::program();
    let command = match program.find_subcommand(&first) {
        Some(named) => format!("pdiff {}", named.get_name()),
        None => "pdiff".to_owned(),
    };
    let having = |option: &str| {
        let has_it = |command: &&Command| command.get_arguments().any(|of| of.get_long() == Some(option));
        let having = program.get_subcommands().filter(has_it);
        having.map(|command| format!("`pdiff {}`", command.get_name())).collect()
    };
    let line = one_line(&error.render().to_string(), &command, &having);
    crate::complain(&format!("pdiff: error: {line}"));
    ExitCode::from(TROUBLE)
}

/// Commands that take several recordings of a side.
const SEVERAL: [&str; 6] =
    ["pdiff compare", "pdiff classify", "pdiff explain", "pdiff flame", "pdiff report", "pdiff plan"];

/// Formats that other tools have an option each for.
const FORMATS: [&str; 5] = ["json", "csv", "markdown", "parquet", "table"];

/// Clap's paragraphs as one line: the error, its tip as the hint, and the command whose help says more. `having` lists the commands that have
/// an option.
fn one_line(rendered: &str, command: &str, having: &dyn Fn(&str) -> Vec<String>) -> String {
    let message = rendered.split("Usage: ").next().unwrap_or_default();
    let message = message.split("For more information").next().unwrap_or_default();
    let mut line = String::new();
    let mut hints = Vec::new();
    for part in message.trim_start_matches("error: ").lines().map(str::trim).filter(|part| !part.is_empty()) {
        match part.strip_prefix("tip: ") {
            // Nobody who writes `--all` means a file of that name.
            Some(tip) if tip.starts_with("to pass '-") => {}
            Some(tip) => hints.push(tip.to_owned()),
            None if line.is_empty() => line.push_str(part),
            None => line.push_str(&format!(" {part}")),
        }
    }
    for (lacking, given) in [("--after", "--before"), ("--before", "--after")] {
        if line
            .starts_with(&format!("the following required arguments were not provided: {lacking} <FILE>..."))
        {
            line = format!("{given} is given, and {lacking} is not");
            hints.push(format!("name the recordings of the other side with {lacking}"));
        }
    }
    let option = line.strip_prefix("unexpected argument '--").and_then(|rest| rest.split('\'').next());
    if let Some(format) = option.filter(|option| FORMATS.contains(option)) {
        hints = vec![format!("--format {format}")];
    }
    let others = option.filter(|_| hints.is_empty()).map_or_else(Vec::new, having);
    if !others.is_empty() {
        hints.push(format!("it is an option of {}", others.join(", ")));
    }
    let is_negative = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    if line.strip_prefix("unexpected argument '-").is_some_and(is_negative) {
        hints.push("no number here is below zero".to_owned());
    }
    if command == "pdiff compare" && line.ends_with(": <BEFORE> <AFTER>") {
        hints.push(
            "without any argument it takes perf.data.old and perf.data, where both are here".to_owned(),
        );
    }
    if line.starts_with("unexpected argument '")
        && !line.starts_with("unexpected argument '-")
        && SEVERAL.contains(&command)
    {
        hints.push("several recordings of a side are given with --before and --after".to_owned());
    }
    hints.push(format!("see `{command} --help`"));
    format!("{line}; hint: {}", hints.join(", or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_become_one_line() {
        let having = |option: &str| match option {
            "all" => vec!["`pdiff classify`".to_owned(), "`pdiff plan`".to_owned()],
            _ => Vec::new(),
        };
        let check = |rendered, expected| assert_eq!(one_line(rendered, "pdiff compare", &having), expected);
        check(
            "error: unexpected argument '--all' found\n\n  tip: to pass '--all' as a value, use '-- --all'\n\nUsage: pdiff compare\n",
            "unexpected argument '--all' found; hint: it is an option of `pdiff classify`, `pdiff plan`, or see `pdiff compare --help`",
        );
        check(
            "error: unexpected argument '-3' found\n\n  tip: to pass '-3' as a value, use '-- -3'\n\nUsage: pdiff compare\n",
            "unexpected argument '-3' found; hint: no number here is below zero, or see `pdiff compare --help`",
        );
        check(
            "error: unexpected argument '-x' found\n\n  tip: to pass '-x' as a value, use '-- -x'\n\nUsage: pdiff compare\n",
            "unexpected argument '-x' found; hint: see `pdiff compare --help`",
        );
        check(
            "error: unexpected argument '--topp' found\n\n  tip: a similar argument exists: '--top'\n\nUsage: pdiff compare --top <N> <BEFORE|--before <FILE>...>\n\nFor more information, try '--help'.\n",
            "unexpected argument '--topp' found; hint: a similar argument exists: '--top', or see `pdiff compare --help`",
        );
        check(
            "error: unexpected argument 'b2.perf' found\n\nUsage: pdiff compare <BEFORE|--before <FILE>...>\n\nFor more information, try '--help'.\n",
            "unexpected argument 'b2.perf' found; hint: several recordings of a side are given with --before and --after, or see `pdiff compare --help`",
        );
        check(
            "error: the following required arguments were not provided:\n  <BEFORE>\n  <AFTER>\n\nUsage: pdiff flame <BEFORE>\n\nFor more information, try '--help'.\n",
            "the following required arguments were not provided: <BEFORE> <AFTER>; hint: without any argument it takes perf.data.old and perf.data, where both are here, or see `pdiff compare --help`",
        );
        check(
            "error: the following required arguments were not provided:\n  --after <FILE>...\n  <BEFORE>\n  <AFTER>\n\nUsage: pdiff compare --after <FILE>... --before <FILE>... <BEFORE> <AFTER>\n",
            "--before is given, and --after is not; hint: name the recordings of the other side with --after, or see `pdiff compare --help`",
        );
        check(
            "error: unexpected argument '--json' found\n\n  tip: a similar argument exists: '--dso'\n\nUsage: pdiff compare\n",
            "unexpected argument '--json' found; hint: --format json, or see `pdiff compare --help`",
        );
        check(
            "error: invalid value 'x' for '--format <FORM>'\n  [possible values: table, json]\n\nFor more information, try '--help'.\n",
            "invalid value 'x' for '--format <FORM>' [possible values: table, json]; hint: see `pdiff compare --help`",
        );
    }
}
