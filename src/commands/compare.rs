//! `pdiff compare`: how CPU moved.

use std::io::Write;

use anyhow::{Result, bail};
use pdiff::classify::{FindingCause, finding_causes};
use pdiff::noise::NoiseSettings;
use pdiff::render::{self, TableOptions};
use pdiff::{By, Comparison, Prepared};

use crate::cli::{CompareArgs, Format, WorkArgs};
use crate::exit::Outcome;
use crate::gates::Gates;
use crate::settings::{Compared, Page, with_servers, with_waits};
use crate::watching::Watching;

/// Compares, writes the result, and says whether a gate tripped.
pub(crate) fn run(args: &CompareArgs) -> Result<Outcome> {
    let gates = Gates::new(&args.gates)?;
    let (page, table) = Page::of_comparison(&args.output)?;
    if args.output.format == Format::Parquet && page.output.is_terminal() {
        bail!("refusing to write Parquet to a terminal; hint: use -o rows.parquet, or pipe it");
    }
    if args.output.format == Format::Parquet && !cfg!(feature = "parquet") {
        bail!("this pdiff was built without Parquet; hint: build it with `cargo build --release`");
    }
    let watching = Watching::start(args.output.progress.quiet);
    let compared = Compared::new(&args.inputs.recordings, &args.comparison, args.output.progress.quiet)?;
    let comparer = with_servers(compared.comparer, &args.servers, compared.reads_stdin)?;
    let comparer = with_waits(comparer, &args.waits)?;
    check_beside(args)?;
    let prepared = comparer.watch(watching.watch()).prepare()?;
    let (comparison, causes) = match args.causes || !args.beside.is_empty() {
        true => with_more(prepared, args, compared.by)?,
        false => (prepared.into_comparison(compared.by), Vec::new()),
    };
    if !args.beside.is_empty() && comparison.beside.is_empty() {
        bail!(
            "--beside: operations are not known on both sides, so costs cannot be divided; hint: give --operations-before and \
             --operations-after, or --windows"
        );
    }
    warn_of_one_sided(&args.comparison.work, &comparison);
    page.output.write_by(|out| Ok(write((&comparison, &causes), args.output.format, &table, out)?))?;
    watching.lap("render", None);
    watching.report(args.output.progress.timings);
    let outcome = gates.judge(&comparison);
    // The program ends here: freeing hundreds of thousands of stacks one by one would only make its user wait.
    std::mem::forget(comparison);
    Ok(outcome)
}

/// With the causes, or the costs by other events, that were asked for.
fn with_more(mut prepared: Prepared, args: &CompareArgs, by: By) -> Result<(Comparison, Vec<FindingCause>)> {
    let (mut comparison, causes) = match args.causes {
        true => with_causes(&prepared, by)?,
        false => (prepared.compare(by), Vec::new()),
    };
    for event in &args.beside {
        prepared = prepared.with_event(event)?;
        let counts = prepared.rows(by);
        comparison.beside.extend(pdiff::beside(&comparison, &counts, assumed_cv(args)));
    }
    // See the end of `run`.
    std::mem::forget(prepared);
    Ok((comparison, causes))
}

/// The comparison that the causes are of: its findings are those of the verdicts, and so are rows by function.
fn with_causes(prepared: &Prepared, by: By) -> Result<(Comparison, Vec<FindingCause>)> {
    let verdicts = prepared.verdicts()?;
    let causes = finding_causes(&verdicts.comparison.findings, verdicts.classify());
    let of_verdicts = verdicts.comparison;
    if by == By::Function {
        return Ok((of_verdicts, causes));
    }
    let (findings, waiting) = (of_verdicts.findings, of_verdicts.waiting);
    Ok((Comparison { findings, waiting, ..prepared.compare(by) }, causes))
}

/// Refuses shares that are not costs.
fn check_beside(args: &CompareArgs) -> Result<()> {
    let share = &args.comparison.shares.denominator;
    if !args.beside.is_empty() && share != "all" {
        bail!("--beside: costs are of all samples, not of --denominator {share}; hint: leave that out");
    }
    Ok(())
}

/// The variation between runs that is taken for granted.
fn assumed_cv(args: &CompareArgs) -> f64 {
    let given = args.comparison.shares.assumed_cv.map(|percent| percent / 100.0);
    NoiseSettings { assumed_cv: given, ..NoiseSettings::default() }.single_run_cv()
}

/// What is known about one side only gives neither cost per operation nor gap; packs and tables may know the other side.
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
    (comparison, causes): (&Comparison, &[FindingCause]),
    format: Format,
    options: &TableOptions,
    mut out: impl Write,
) -> Result<(), render::Error> {
    let mut put = |bytes: &[u8]| out.write_all(bytes).map_err(|source| render::Error::Write { source });
    match format {
        Format::Table => put(render::table_with_causes(comparison, causes, options).as_bytes()),
        Format::Markdown => put(render::markdown_with_causes(comparison, causes, options).as_bytes()),
        Format::Json => render::write_json_with_causes(comparison, causes, out),
        Format::Csv => pdiff::write_csv(comparison, out),
        Format::PartsCsv => pdiff::write_parts_csv(comparison, causes, out),
        #[cfg(feature = "parquet")]
        Format::Parquet => pdiff::write_parquet(comparison, out),
        // Refused before anything was read.
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Ok(()),
    }
}
