//! `pdiff plan`: experiments that would tell causes, with what the profile expects of them.

use anyhow::Result;
use pdiff::classify::{Cause, finding_causes};
use pdiff::{By, Comparison, Design, PlanSettings, Prepared, render};

use crate::cli::{PlanArgs, PlanDesign, PlanFormat};
use crate::output::Output;
use crate::settings::{Compared, Page, with_servers};
use crate::watching::Watching;

/// Compares, plans, and writes the plan, its table of runs and its script.
pub(crate) fn run(args: &PlanArgs) -> Result<()> {
    let page = Page::new(&args.file, &args.color)?;
    let watching = Watching::start(args.quiet);
    let compared = Compared::new(&args.inputs.recordings, &args.comparison, args.quiet)?;
    let comparer = with_servers(compared.comparer, &args.servers, compared.reads_stdin)?;
    let prepared = comparer.watch(watching.watch()).prepare()?;
    let comparison = prepared.compare(By::Function);
    let wanted = PlanSettings {
        factors: args.factors.clone(),
        design: args.design.map(|design| match design {
            PlanDesign::Factorial => Design::Factorial,
            PlanDesign::OneByOne => Design::OneByOne,
        }),
        rebuilds: if args.causes { rebuilds(&prepared, &comparison)? } else { Vec::new() },
        replicates: args.replicates.map(std::num::NonZeroUsize::get),
    };
    let plan = prepared.plan(&comparison, &wanted)?;
    if let Some(path) = &args.runs {
        Output::new(Some(path))?.write(render::plan_runs_csv(&plan).as_bytes())?;
    }
    if let Some(path) = &args.script {
        Output::new(Some(path))?.write(render::plan_script(&plan).as_bytes())?;
    }
    let rendered = match args.format {
        PlanFormat::Table => render::plan_table(&plan, page.width, page.color).into_bytes(),
        PlanFormat::Markdown => render::plan_markdown(&plan).into_bytes(),
        PlanFormat::Json => render::plan_json(&plan)?,
    };
    page.output.write(&rendered)
}

/// Findings whose cause is the compiler's work, by rank.
fn rebuilds(prepared: &Prepared, comparison: &Comparison) -> Result<Vec<usize>> {
    let causes = finding_causes(&comparison.findings, &prepared.verdicts()?.classify());
    let is_of_compiler = |cause: Cause| matches!(cause, Cause::InlineRegression | Cause::CodeQuality);
    let ranks = comparison.findings.list.iter().zip(causes);
    Ok(ranks.filter(|(_, of)| is_of_compiler(of.cause)).map(|(finding, _)| finding.rank).collect())
}
