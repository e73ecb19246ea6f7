//! The command that explains a function of what was compared, made from the words of this command: its recordings, and those of
//! its options that `explain` has, too.

use clap::parser::ValueSource;
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
    let is_repeated = |arg: &&Arg| {
        let is_given = given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        is_given && arg.get_help_heading() != Some(HOW_SHOWN) && has(arg)
    };
    let part = |arg: &Arg| {
        let at = given.index_of(arg.get_id().as_str())?;
        Some((!arg.is_positional(), at, words_of(arg, given)?))
    };
    let parts: Option<Vec<(bool, usize, Vec<String>)>> =
        own.get_arguments().filter(is_repeated).map(part).collect();
    let mut parts = parts?;
    // An option with several values would take the recordings behind it for more of them.
    parts.sort();
    let program = ["pdiff", "explain"].map(str::to_owned);
    Some(program.into_iter().chain(parts.into_iter().flat_map(|(_, _, words)| words)).collect())
}

/// An argument as it was typed, or to the same effect.
fn words_of(arg: &Arg, given: &ArgMatches) -> Option<Vec<String>> {
    let long = arg.get_long().map(|long| format!("--{long}"));
    if matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count) {
        return long.map(|long| vec![long]);
    }
    let mut words = Vec::new();
    for values in given.get_raw_occurrences(arg.get_id().as_str())? {
        let values: Option<Vec<&str>> =
            values.map(|value| value.to_str().filter(|value| *value != "-")).collect();
        let mut values = values?;
        let joined = arg.get_value_delimiter().map(|delimiter| values.join(&delimiter.to_string()));
        if let Some(joined) = &joined {
            values = vec![joined];
        }
        match (&long, values.as_slice()) {
            (Some(long), [value]) if value.starts_with('-') || arg.is_require_equals_set() => {
                words.push(format!("{long}={value}"));
            }
            _ => words.extend(long.iter().cloned().chain(values.into_iter().map(str::to_owned))),
        }
    }
    Some(words)
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
    fn values_in_a_list_stay_in_it() {
        let typed = ["pdiff", "compare", "a.perf", "b.perf", "--tid", "1,2", "--tid", "3", "--fdr", "0.1"];
        assert_eq!(again(&typed).unwrap(), "pdiff explain a.perf b.perf --tid 1,2 --tid 3 --fdr 0.1");
    }

    #[test]
    fn standard_input_cannot_be_read_again() {
        assert_eq!(again(&["pdiff", "compare", "a.perf", "-"]), None);
    }
}
