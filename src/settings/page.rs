//! Where results for readers go, and what the terminal and the environment say of width and colour there.

use anyhow::Result;
use pdiff::render::{SortBy, TableOptions};

use super::parse;
use crate::cli::{ColorArgs, ColorChoice, FileArgs, OutputArgs};
use crate::output::Output;

/// Where a result for readers goes, how wide it may be there and whether it is coloured.
pub(crate) struct Page {
    pub(crate) output: Output,
    pub(crate) width: Option<usize>,
    pub(crate) color: bool,
}

impl Page {
    /// As the arguments, the terminal and the environment say.
    pub(crate) fn new(file: &FileArgs, color: &ColorArgs) -> Result<Self> {
        let output = Output::new(file.output.as_deref())?;
        let to_terminal = output.is_terminal();
        let (width, color) = (table_width(to_terminal), use_color(color.color, to_terminal));
        Ok(Self { output, width, color })
    }

    /// A page that goes to standard output only.
    pub(crate) fn to_stdout(color: &ColorArgs) -> Result<Self> {
        Self::new(&FileArgs { output: None }, color)
    }

    /// The page of a comparison, and how its table is laid out.
    pub(crate) fn of_comparison(args: &OutputArgs) -> Result<(Self, TableOptions)> {
        let page = Self::new(&args.file, &args.color)?;
        let sort = parse("--sort", &args.sort)?;
        let explain = args.explain.clone();
        let table = TableOptions { min_delta_pp: args.min_delta, sort, explain, ..page.table(args.top) };
        Ok((page, table))
    }

    /// A table of every row in the usual order, as far as `top` goes.
    pub(crate) fn table(&self, top: usize) -> TableOptions {
        let (width, color) = (self.width, self.color);
        TableOptions {
            width,
            color,
            top: most_rows(top),
            min_delta_pp: None,
            sort: SortBy::Delta,
            explain: None,
        }
    }
}

/// How many rows are shown; 0 means all.
pub(crate) fn most_rows(top: usize) -> Option<usize> {
    (top > 0).then_some(top)
}

/// How wide a table may be: the terminal, else `COLUMNS`, else as wide as it needs to be.
fn table_width(to_terminal: bool) -> Option<usize> {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| *columns > 0);
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    if to_terminal { terminal().or_else(columns) } else { columns() }
}

/// Whether to colour: as asked, else as `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` say, else if a terminal shows it.
fn use_color(choice: ColorChoice, to_terminal: bool) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) => false,
        ColorChoice::Auto if set("CLICOLOR_FORCE") => true,
        ColorChoice::Auto => to_terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}
