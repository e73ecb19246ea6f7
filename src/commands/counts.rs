//! `pdiff counts`: the calls that a tool counted, as pdiff reads them.

use anyhow::{Result, bail};
use pdiff::profile::{CallSource, Side};
use pdiff::render;

use crate::cli::{CountsArgs, CountsFormat};
use crate::settings::{Binaries, Page, check_files, counted, lookup, most_rows};

/// Reads the files, adds them up, and writes the result.
pub(crate) fn run(args: &CountsArgs) -> Result<()> {
    let page = Page::new(&args.file, &args.color)?;
    check_files("--binary", &args.binary)?;
    let lookup = lookup(&args.lookup, true)?;
    let binaries = Binaries { files: &args.binary, lookup: lookup.as_ref(), lenient: args.lenient };
    let counts = counted(&args.files, Side::Before, binaries)?;
    if counts.source == CallSource::Table && args.operations.is_some() {
        bail!("--operations: a table is per operation already; hint: leave it out");
    }
    let counts = counts.divided_by(args.operations.unwrap_or(1.0));
    let top = most_rows(args.top);
    let written = match args.format {
        CountsFormat::Table => {
            render::counts_table(&counts, args.operations, top, page.width, page.color).into_bytes()
        }
        CountsFormat::Lines => render::counts_lines(&counts).into_bytes(),
        CountsFormat::Json => render::counts_json(&counts, args.operations)?,
    };
    page.output.write(&written)
}
