//! `pdiff classify`: why functions cost more.

use std::mem::ManuallyDrop;

use anyhow::{Result, bail};
use pdiff_render::SortBy;

use crate::cli::{ClassifyArgs, Format};
use crate::evidence::Evidence;
use crate::settings::{Classified, Page};
use crate::timings::Timings;

/// Compares, looks into the binaries, and writes the verdicts.
pub(crate) fn run(args: &ClassifyArgs) -> Result<()> {
    if args.output.format == Format::Parquet {
        bail!("verdicts are not written as parquet; hint: use --format csv or json");
    }
    let (page, table) = Page::of_comparison(&args.output)?;
    if table.sort != SortBy::Delta {
        bail!("verdicts stand by cause, the largest change first; hint: leave out --sort");
    }
    let quiet = args.output.progress.quiet;
    // The process ends with this command; taking all of it apart before would cost 0.05 s.
    let classified = ManuallyDrop::new(Classified::new(&args.examined, quiet)?);
    let mut timings = Timings::start();
    let census = classified.compared.debug_info.as_ref();
    let evidence = ManuallyDrop::new(Evidence::read(&classified, census, quiet, &mut timings)?);
    let classification = ManuallyDrop::new(evidence.classify(&classified));
    timings.lap("classify", None);
    let comparison = &evidence.examined.comparison;
    let rendered = match args.output.format {
        Format::Markdown => pdiff_render::verdict_markdown(comparison, &classification, &table).into_bytes(),
        Format::Json => pdiff_render::verdict_json(comparison, &classification)?,
        Format::Csv => pdiff_render::verdict_csv(&classification)?,
        Format::Table | Format::Parquet => {
            pdiff_render::verdict_table(comparison, &classification, &table).into_bytes()
        }
    };
    timings.lap("render", Some(rendered.len() as u64));
    page.output.write(&rendered)?;
    // Pages say what is missing themselves.
    if matches!(args.output.format, Format::Json | Format::Csv) {
        for missing in &classification.missing {
            crate::complain(&format!("pdiff: missing: {}", pdiff_render::missing_text(missing)));
        }
    }
    if args.output.progress.timings {
        crate::complain(&timings.report());
    }
    Ok(())
}
