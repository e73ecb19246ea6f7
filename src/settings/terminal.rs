//! How results are shown: what the terminal and the environment say of width and colour.

use crate::cli::ColorChoice;

/// How wide a table may be: the terminal, else `COLUMNS`, else as wide as it needs to be.
pub(crate) fn table_width(to_terminal: bool) -> Option<usize> {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| *columns > 0);
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    if to_terminal { terminal().or_else(columns) } else { columns() }
}

/// Whether to colour: as asked, else as `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` say, else if a terminal shows it.
pub(crate) fn use_color(choice: ColorChoice, to_terminal: bool) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) => false,
        ColorChoice::Auto if set("CLICOLOR_FORCE") => true,
        ColorChoice::Auto => to_terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}
