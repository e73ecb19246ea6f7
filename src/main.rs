//! The command line tool: the only place that prints and exits.

#![forbid(unsafe_code)]

mod again;
mod cli;
mod commands;
#[cfg(feature = "debuginfod")]
mod debuginfod;
mod exit;
mod gates;
mod output;
mod overwriting;
mod progress_bar;
mod settings;
mod source_text;
mod timings;
mod usage;
mod usual_recordings;
#[cfg(feature = "store")]
mod utc_day;
mod watching;

#[cfg(test)]
mod odd_numbers;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::FromArgMatches;

use cli::{Cli, Command};
use exit::{Outcome, TROUBLE};

/// The allocator of the static program: with the one of musl, reading recordings takes far longer.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    #[cfg(feature = "parquet")]
    keep_caught_panics_quiet();
    let mut program = cli::program();
    let words = usual_recordings::with_recordings(std::env::args_os(), Path::new("."));
    let parsed = program.try_get_matches_from_mut(words);
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (mut cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return usage::say(&error.format(&mut program)),
    };
    if let Command::Explain(args) = &mut cli.command {
        args.take_name_from_recordings();
    }
    if let Some(shown) = cli.command.comparison_shown() {
        shown.explain = again::explain(&program, &matches);
    }
    match overwriting::check(&program, &matches).and_then(|()| run(&cli.command)) {
        Ok(outcome) => outcome.into(),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("pdiff: error: {}", one_line(&error)));
            ExitCode::from(TROUBLE)
        }
    }
}

/// A panic inside the reader of a table becomes an error in one line; it is not printed as well.
#[cfg(feature = "parquet")]
fn keep_caught_panics_quiet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        #[cfg(feature = "store")]
        let is_guarded = pdiff::study::is_reading_guarded() || pdiff::store::is_reading_guarded();
        #[cfg(not(feature = "store"))]
        let is_guarded = pdiff::study::is_reading_guarded();
        if !is_guarded {
            usual(panic);
        }
    }));
}

fn run(command: &Command) -> Result<Outcome> {
    match command {
        Command::Compare(args) => commands::compare::run(args),
        Command::Classify(args) => commands::classify::run(args),
        Command::Explain(args) => commands::explain::run(args).map(|()| Outcome::Ran),
        Command::Flame(args) => commands::flame::run(args).map(|()| Outcome::Ran),
        Command::Report(args) => commands::report::run(args),
        Command::Ci(args) => commands::ci::run(args),
        Command::Pack(args) => commands::pack::run(args).map(|()| Outcome::Ran),
        Command::Inlines(args) => commands::inlines::run(args).map(|()| Outcome::Ran),
        Command::Settings(args) => commands::settings::run(args).map(|()| Outcome::Ran),
        Command::Attribute(args) => commands::attribute::run(args).map(|()| Outcome::Ran),
        #[cfg(feature = "parquet")]
        Command::Series(args) => commands::series::run(args).map(|()| Outcome::Ran),
        #[cfg(not(feature = "parquet"))]
        Command::Series(args) => commands::attribute::series(args).map(|()| Outcome::Ran),
        #[cfg(feature = "store")]
        Command::Store(args) => commands::store::run(args),
        #[cfg(not(feature = "store"))]
        Command::Store(args) => commands::store::refuse(args),
        Command::Script(args) => commands::script::run(args).map(|()| Outcome::Ran),
        Command::Symbolize(args) => commands::symbolize::run(args).map(|()| Outcome::Ran),
        Command::Counts(args) => commands::counts::run(args).map(|()| Outcome::Ran),
        Command::Plan(args) => commands::plan::run(args).map(|()| Outcome::Ran),
        Command::Completions(args) => commands::completions::run(args).map(|()| Outcome::Ran),
        Command::Man(args) => commands::man::run(args).map(|()| Outcome::Ran),
    }
}

/// An error and its causes in one line; a cause that the error's own text ends in is not said twice.
fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if line.is_empty() {
            line = cause;
        } else if !says(&line, &cause) {
            line = format!("{line}: {cause}");
        }
    }
    line.replace('\n', " ")
}

/// Whether a line has a text in it that is no part of a word.
fn says(line: &str, text: &str) -> bool {
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    line.match_indices(text).any(|(at, _)| {
        let (before, after) = (line.get(..at), line.get(at + text.len()..));
        !is_letter(before.and_then(|before| before.chars().next_back()))
            && !is_letter(after.and_then(|after| after.chars().next()))
    })
}

/// Says something on standard error; if that is closed, nobody is there to hear it. Names from files and arguments are in
/// it, so what a terminal would obey is spelled out.
fn complain(text: &str) {
    let lines: Vec<_> = text.split('\n').map(pdiff::render::visible).collect();
    let _ = writeln!(std::io::stderr().lock(), "{}", lines.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_not_said_twice_and_not_lost_in_a_word() {
        let check = |causes: &[&str]| {
            let inner = anyhow::anyhow!("{}", causes[0]);
            one_line(&causes[1..].iter().fold(inner, |error, context| error.context((*context).to_owned())))
        };
        assert_eq!(check(&["cut off", "x.perf"]), "x.perf: cut off");
        assert_eq!(check(&["cut off", "x.perf: it is cut off"]), "x.perf: it is cut off");
        assert_eq!(check(&["no file", "s", "--sums"]), "--sums: s: no file");
    }
}
