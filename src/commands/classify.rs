//! `pdiff classify`: why functions cost more.

use anyhow::{Result, bail};
use pdiff::classify::finding_causes;
use pdiff::render::{self, SortBy, VerdictDetail};

use crate::cli::{ClassifyArgs, Format};
use crate::exit::Outcome;
use crate::gates::Gates;
use crate::settings::{Page, examined};
use crate::watching::Watching;

/// Compares, looks into the binaries, and writes the verdicts.
pub(crate) fn run(args: &ClassifyArgs) -> Result<Outcome> {
    let gates = Gates::new(&args.gates)?;
    if args.output.format == Format::Parquet {
        bail!("verdicts are not written as parquet; hint: use --format csv or json");
    }
    let (page, table) = Page::of_comparison(&args.output)?;
    if table.sort != SortBy::Delta {
        bail!("verdicts are listed by part or by cause, the largest change first; hint: leave out --sort");
    }
    let detail = if args.all { VerdictDetail::All } else { VerdictDetail::Largest };
    let progress = &args.output.progress;
    let watching = Watching::start(progress.quiet);
    let (comparer, _) = examined(&args.examined, progress.quiet)?;
    let prepared = comparer.watch(watching.watch()).prepare()?;
    let verdicts = prepared.verdicts()?;
    let (comparison, classification) = (&verdicts.comparison, verdicts.classify());
    page.output.write_by(|out| {
        Ok(match args.output.format {
            Format::Markdown => {
                pdiff::write_verdicts_markdown(comparison, classification, detail, &table, out)
            }
            Format::Json => pdiff::write_verdicts_json(comparison, classification, out),
            Format::Csv => pdiff::write_verdicts_csv(classification, out),
            Format::PartsCsv => {
                pdiff::write_parts_csv(comparison, &finding_causes(&comparison.findings, classification), out)
            }
            Format::Table | Format::Parquet => {
                pdiff::write_verdicts_table(comparison, classification, detail, &table, out)
            }
        }?)
    })?;
    watching.lap("render", None);
    // Pages say what is missing themselves.
    if matches!(args.output.format, Format::Json | Format::Csv | Format::PartsCsv) {
        for missing in &classification.missing {
            crate::complain(&format!("pdiff: missing: {}", render::missing_text(missing)));
        }
    }
    watching.report(progress.timings);
    let outcome = gates.judge(comparison);
    // The process ends: the system frees at once what would be freed in a hundred thousand pieces.
    std::mem::forget(verdicts);
    std::mem::forget(prepared);
    Ok(outcome)
}
