//! `pdiff plan`: experiments that would tell causes, with what the profile expects of them.

use anyhow::Result;
use pdiff::classify::{Cause, finding_causes};
use pdiff::{By, Design, PlanSettings, Verdicts, render};

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
    let (comparison, rebuilds) = if args.causes {
        let verdicts = prepared.verdicts()?;
        let rebuilds = rebuilds(&verdicts);
        (verdicts.comparison, rebuilds)
    } else {
        (prepared.compare(By::Function), Vec::new())
    };
    let wanted = PlanSettings {
        factors: args.factors.clone(),
        design: args.design.map(|design| match design {
            PlanDesign::Factorial => Design::Factorial,
            PlanDesign::OneByOne => Design::OneByOne,
        }),
        rebuilds,
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
fn rebuilds(verdicts: &Verdicts<'_>) -> Vec<usize> {
    let findings = &verdicts.comparison.findings;
    let causes = finding_causes(findings, verdicts.classify());
    let is_of_compiler = |cause: Cause| matches!(cause, Cause::InlineRegression | Cause::CodeQuality);
    let ranks = findings.list.iter().zip(causes);
    ranks.filter(|(_, of)| is_of_compiler(of.cause)).map(|(finding, _)| finding.rank).collect()
}
