//! What was typed wrongly, in one line as any other error: what, where, hint.

use std::io::Write as _;
use std::process::ExitCode;

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
    let command = match cli::program().find_subcommand(&first) {
        Some(named) => format!("pdiff {}", named.get_name()),
        None => "pdiff".to_owned(),
    };
    crate::complain(&format!("pdiff: error: {}", one_line(&error.render().to_string(), &command)));
    ExitCode::from(TROUBLE)
}

/// Commands that take several recordings of a side.
const SEVERAL: [&str; 6] =
    ["pdiff compare", "pdiff classify", "pdiff explain", "pdiff flame", "pdiff report", "pdiff plan"];

/// Formats that other tools have an option each for.
const FORMATS: [&str; 5] = ["json", "csv", "markdown", "parquet", "table"];

/// Clap's paragraphs as one line: the error, its tip as the hint, and the command whose help says more.
fn one_line(rendered: &str, command: &str) -> String {
    let message = rendered.split("Usage: ").next().unwrap_or_default();
    let message = message.split("For more information").next().unwrap_or_default();
    let mut line = String::new();
    let mut hints = Vec::new();
    for part in message.trim_start_matches("error: ").lines().map(str::trim).filter(|part| !part.is_empty()) {
        match part.strip_prefix("tip: ") {
            Some(tip) => hints.push(tip.to_owned()),
            None if line.is_empty() => line.push_str(part),
            None => line.push_str(&format!(" {part}")),
        }
    }
    let option = line.strip_prefix("unexpected argument '--").and_then(|rest| rest.split('\'').next());
    if let Some(format) = option.filter(|option| FORMATS.contains(option)) {
        hints = vec![format!("--format {format}")];
    }
    if command == "pdiff compare" && line.ends_with(": <BEFORE> <AFTER>") {
        hints.push("without recordings it takes perf.data.old and perf.data, where both are here".to_owned());
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
        let check = |rendered, expected| assert_eq!(one_line(rendered, "pdiff compare"), expected);
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
            "the following required arguments were not provided: <BEFORE> <AFTER>; hint: without recordings it takes perf.data.old and perf.data, where both are here, or see `pdiff compare --help`",
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
