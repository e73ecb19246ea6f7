//! `pdiff explain`: everything that is known of one function.

use anyhow::{Result, bail};
use pdiff_analysis::classify::explain;
use pdiff_render::{SortBy, TableOptions};

use super::classify::{input, read};
use crate::cli::{ExplainArgs, ExplainFormat};
use crate::output::Output;
use crate::settings::{Classified, table_width, use_color};
use crate::timings::Timings;

/// Compares, looks into the binaries, and writes the evidence on one function.
pub(crate) fn run(args: &ExplainArgs) -> Result<()> {
    let Some(name) = args.function.as_ref().or(args.named.as_ref()) else {
        bail!("no function is named; hint: give it behind the recordings, or by --function");
    };
    let output = Output::new(args.output.clone());
    let to_terminal = output.is_terminal();
    let classified = Classified::new(&args.examined, args.quiet)?;
    let (examined, builds) = read(&classified, args.quiet, &mut Timings::start())?;
    let (verdicts, facts) = explain(&input(&classified, &examined, &builds), name);
    let options = TableOptions {
        width: table_width(to_terminal),
        color: use_color(args.color, to_terminal),
        top: None,
        min_delta_pp: None,
        sort: SortBy::Delta,
    };
    let rendered = match args.format {
        ExplainFormat::Text => pdiff_render::explain_text(name, &verdicts, &facts, &options).into_bytes(),
        ExplainFormat::Markdown => pdiff_render::explain_markdown(name, &verdicts, &facts).into_bytes(),
        ExplainFormat::Json => pdiff_render::explain_json(&verdicts, &facts)?,
    };
    output.write(&rendered)
}
