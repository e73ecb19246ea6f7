//! `pdiff compare`: how CPU moved.

use std::io::Write;

use anyhow::{Result, anyhow, bail};
use pdiff::render::{self, TableOptions};
use pdiff::{Comparison, Gate};
use pdiff_profile::Side;

use crate::cli::{CompareArgs, Format, WorkArgs};
use crate::exit::Outcome;
use crate::settings::{Compared, Page, with_servers};
use crate::watching::Watching;

/// Compares, writes the result, and says whether a gate tripped.
pub(crate) fn run(args: &CompareArgs) -> Result<Outcome> {
    let gates: Vec<Gate> = args
        .fail_on
        .iter()
        .map(|gate| gate.parse().map_err(|error| anyhow!("--fail-on '{gate}': {error}")))
        .collect::<Result<_>>()?;
    let (page, table) = Page::of_comparison(&args.output)?;
    if args.output.format == Format::Parquet && page.output.is_terminal() {
        bail!("refusing to write Parquet to a terminal; hint: use -o rows.parquet, or pipe it");
    }
    let watching = Watching::start(args.output.progress.quiet);
    let compared = Compared::new(&args.inputs.recordings, &args.comparison, args.output.progress.quiet)?;
    let comparer = with_servers(compared.comparer, &args.servers, compared.reads_stdin)?;
    let comparison = comparer.watch(watching.watch()).prepare()?.compare(compared.by);
    warn_of_one_sided(&args.comparison.work, &comparison);
    page.output.write_by(|out| Ok(write(&comparison, args.output.format, &table, out)?))?;
    watching.lap("render", None);
    watching.report(args.output.progress.timings);
    judge(&comparison, &gates)
}

/// What is known of one side only gives neither cost per operation nor gap; packs and tables may know the other side.
fn warn_of_one_sided(work: &WorkArgs, comparison: &Comparison) {
    let gap = comparison.cost.as_ref().and_then(|cost| cost.gap.as_ref());
    let numbers = [
        ("operations", &work.operations_before, &work.operations_after, comparison.cost.is_some()),
        ("tps", &work.tps_before, &work.tps_after, gap.is_some()),
    ];
    for (name, before, after, is_used) in numbers {
        let (given, missing) = if after.is_empty() { ("before", "after") } else { ("after", "before") };
        if before.is_empty() != after.is_empty() && !is_used {
            crate::complain(&format!(
                "pdiff: warning: --{name}-{given} has no effect without the same of the other side; hint: give --{name}-{missing} too"
            ));
        }
    }
}

fn write(
    comparison: &Comparison,
    format: Format,
    options: &TableOptions,
    out: impl Write,
) -> Result<(), render::Error> {
    match format {
        Format::Table => pdiff::write_table(comparison, options, out),
        Format::Markdown => pdiff::write_markdown(comparison, options, out),
        Format::Json => pdiff::write_json(comparison, out),
        Format::Csv => pdiff::write_csv(comparison, out),
        Format::Parquet => pdiff::write_parquet(comparison, out),
    }
}

/// Rows named of those that trip one gate; the others are counted.
const MOST_TRIPS: usize = 10;

/// Says which rows trip which gates. A gate on something that no row has a value for is trouble, not a pass.
fn judge(comparison: &Comparison, gates: &[Gate]) -> Result<Outcome> {
    if !comparison.coverage.is_even() && !gates.is_empty() {
        let causes = Side::BOTH.into_iter().flat_map(|side| {
            comparison.coverage.causes(side).into_iter().map(move |cause| format!("{cause} ({side})"))
        });
        crate::complain(&format!(
            "pdiff: gates are inconclusive: debug information differs between the sides: {}",
            causes.collect::<Vec<_>>().join("; ")
        ));
        return Ok(Outcome::GateInconclusive);
    }
    let mut outcome = Outcome::Ran;
    for gate in gates {
        let judged = gate.evaluate(comparison);
        if judged.in_scope == 0 {
            crate::complain(&format!("pdiff: warning: gate '{gate}' met no row: nothing has that name here"));
        } else if judged.with_value == 0 {
            bail!("--fail-on '{gate}': no row has that value; hint: some need operations, see --tps-before");
        }
        for trip in judged.tripped.iter().take(MOST_TRIPS) {
            let object = if trip.object.is_empty() { String::new() } else { format!(" ({})", trip.object) };
            crate::complain(&format!(
                "pdiff: gate '{gate}' tripped by {}{object}: {:.4}",
                trip.name, trip.value
            ));
            outcome = Outcome::GateTripped;
        }
        if judged.tripped.len() > MOST_TRIPS {
            let more = judged.tripped.len() - MOST_TRIPS;
            crate::complain(&format!("pdiff: gate '{gate}' tripped by {more} more rows"));
        }
    }
    Ok(outcome)
}
