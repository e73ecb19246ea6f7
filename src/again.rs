//! The command that explains a function of what was compared, made from the words of this command: its recordings, and those of
//! its options that `explain` has, too.

use clap::{Arg, ArgAction, ArgMatches};

/// Options of this heading say how a result is shown, not what is compared.
const HOW_SHOWN: &str = "Output";

/// The words of that command without the function's name; `None` if it cannot be typed, as after standard input.
pub(crate) fn explain(program: &clap::Command, matches: &ArgMatches) -> Option<Vec<String>> {
    let (name, given) = matches.subcommand()?;
    let own = program.find_subcommand(name)?;
    let explain = program.find_subcommand("explain")?;
    // What verdicts refuse is hidden.
    let has = |arg: &Arg| {
        explain.get_arguments().any(|other| other.get_id() == arg.get_id() && !other.is_hide_set())
    };
    let is_known = |arg: &&Arg| has(arg);
    let is_given = |arg: &&Arg| {
        given.value_source(arg.get_id().as_str()) == Some(clap::parser::ValueSource::CommandLine)
    };
    let is_shown = |arg: &&Arg| arg.get_help_heading() == Some(HOW_SHOWN);
    let mut parts: Vec<(bool, usize, Vec<String>)> = Vec::new();
    for arg in own.get_arguments().filter(is_given).filter(is_known).filter(|arg| !is_shown(arg)) {
        let id = arg.get_id().as_str();
        let at = given.index_of(id)?;
        let mut occurrences = given.get_raw_occurrences(id)?;
        let is_flag = matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count);
        let mut words = Vec::new();
        if is_flag {
            words.push(format!("--{}", arg.get_long()?));
        } else {
            for values in occurrences.by_ref() {
                words.extend(arg.get_long().map(|long| format!("--{long}")));
                for value in values {
                    let value = value.to_str().filter(|value| *value != "-")?;
                    words.push(value.to_owned());
                }
            }
        }
        parts.push((!arg.is_positional(), at, words));
    }
    // An option with several values would take the recordings behind it for more of them.
    parts.sort();
    let program = ["pdiff", "explain"].map(str::to_owned);
    Some(program.into_iter().chain(parts.into_iter().flat_map(|(_, _, words)| words)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;

    fn again(words: &[&str]) -> Option<String> {
        let mut program = cli::program();
        let matches = program.try_get_matches_from_mut(words).unwrap();
        explain(&program, &matches).map(|words| words.join(" "))
    }

    #[test]
    fn recordings_come_first_and_what_explain_does_not_have_is_left_out() {
        let typed = [
            "pdiff",
            "compare",
            "--windows",
            "w.tsv",
            "--by",
            "dso",
            "-n",
            "3",
            "a.perf",
            "b.perf",
            "--no-kernel",
            "--color",
            "never",
        ];
        assert_eq!(again(&typed).unwrap(), "pdiff explain a.perf b.perf --windows w.tsv --no-kernel");
    }

    #[test]
    fn several_recordings_keep_their_options_and_values() {
        let typed = [
            "pdiff",
            "classify",
            "--before",
            "a1",
            "a2",
            "--after",
            "b1",
            "--comm",
            "x",
            "--comm",
            "y z",
            "--inline-check",
        ];
        let expected = "pdiff explain --before a1 a2 --after b1 --comm x --comm y z --inline-check";
        assert_eq!(again(&typed).unwrap(), expected);
    }

    #[test]
    fn standard_input_cannot_be_read_again() {
        assert_eq!(again(&["pdiff", "compare", "a.perf", "-"]), None);
    }
}
