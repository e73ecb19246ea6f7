//! Files that a command would both read and write, or write twice: refused before anything is read, for the recording would be
//! lost.

use std::ffi::OsStr;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{ArgMatches, Command, ValueHint};

/// The options that name files to be written, of every command.
const OUTPUTS: [&str; 5] = ["output", "plot", "plot_effects", "plot_interactions", "plot_threads"];

/// The word for standard output in place of a file.
const STANDARD_OUTPUT: &str = "-";

/// Those of one command: others read files that they give by the same name.
const OUTPUTS_OF_ONE: [(&str, &str); 2] = [("plan", "runs"), ("plan", "script")];

/// Refuses arguments that name a file both to be read and to be written, or to be written twice.
pub(crate) fn check(program: &Command, matches: &ArgMatches) -> Result<()> {
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    let arguments = program.find_subcommand(name).into_iter().flat_map(Command::get_arguments);
    let files = arguments.filter(|argument| argument.get_value_hint() == ValueHint::FilePath);
    let (outputs, inputs): (Vec<&str>, Vec<&str>) =
        files.map(|argument| argument.get_id().as_str()).partition(|id| is_output(name, id));
    let values = |id: &&str| matches.try_get_raw(id).ok().flatten().into_iter().flatten();
    let inputs: Vec<PathBuf> = inputs.iter().flat_map(values).filter_map(file).collect();
    let mut written: Vec<&OsStr> = Vec::new();
    for output in outputs.iter().flat_map(values) {
        if output != STANDARD_OUTPUT && written.contains(&output) {
            bail!(
                "two outputs are written to {}; hint: give each a file of its own",
                output.to_string_lossy()
            );
        }
        written.push(output);
        if file(output).is_some_and(|output| inputs.contains(&output)) {
            let output = output.to_string_lossy();
            bail!("writing {output}: it is read by this command, too; hint: write to another file");
        }
    }
    Ok(())
}

fn is_output(command: &str, id: &str) -> bool {
    OUTPUTS.contains(&id) || OUTPUTS_OF_ONE.contains(&(command, id))
}

/// The regular file that an argument names, as FILE or LABEL=FILE.
fn file(value: &OsStr) -> Option<PathBuf> {
    let labelled = || value.to_str().and_then(|value| Some(value.split_once('=')?.1));
    let path = std::fs::canonicalize(value).ok().or_else(|| std::fs::canonicalize(labelled()?).ok())?;
    path.is_file().then_some(path)
}
