//! `pdiff man`: the manual pages, made from the command line's own help.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::cli::{self, ManArgs};
use crate::output::Output;

/// Prints the main page, or writes one page a command into a directory.
pub(crate) fn run(args: &ManArgs) -> Result<()> {
    let mut command = cli::program();
    command.build();
    let Some(directory) = &args.dir else {
        return Output::Stdout.write(&page(&command, "pdiff")?);
    };
    if directory.exists() && !directory.is_dir() {
        bail!(
            "{} is not a directory; hint: name one for --dir, which is made if need be",
            directory.display()
        );
    }
    std::fs::create_dir_all(directory).with_context(|| format!("making {}", directory.display()))?;
    Output::File(directory.join("pdiff.1")).write(&page(&command, "pdiff")?)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        write_pages(sub, &format!("pdiff-{}", sub.get_name()), directory)?;
    }
    Ok(())
}

/// Writes the page of a command and those of its own commands.
fn write_pages(command: &clap::Command, name: &str, directory: &Path) -> Result<()> {
    Output::File(directory.join(format!("{name}.1"))).write(&page(command, name)?)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        write_pages(sub, &format!("{name}-{}", sub.get_name()), directory)?;
    }
    Ok(())
}

fn page(command: &clap::Command, name: &str) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).title(name.to_uppercase()).render(&mut page)?;
    Ok(page)
}
