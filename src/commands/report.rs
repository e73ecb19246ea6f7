//! `pdiff report`: everything about two sides as one HTML file.

use anyhow::{Context, Result, bail};
use pdiff_analysis::TreeSettings;
use pdiff_render::{AttributionView, ReportInput, html_report};
use pdiff_study::ablation::{Attribution, Meeting, meet};

use super::attribute::{attributed, subsystems_of};
use crate::cli::ReportArgs;
use crate::evidence::Evidence;
use crate::output::Output;
use crate::pipeline::ReadSides;
use crate::settings::{Classified, Compared, MAX_DRAWN_DEPTH, command_line, is_stdin, one_stream};
use crate::timings::Timings;

/// Compares, looks into the binaries, and writes the page.
pub(crate) fn run(args: &ReportArgs) -> Result<()> {
    let output = Output::new(args.file.output.as_deref())?;
    if output.is_terminal() {
        bail!("a page is nothing for a terminal; hint: write it to a file by -o report.html, or pipe it");
    }
    let classified = Classified::new(&args.examined, args.progress.quiet)?;
    let attribution = attribution(args, &classified.compared)?;
    let mut timings = Timings::start();
    let tree = TreeSettings {
        reverse: false,
        focus: None,
        by_subsystem: false,
        min_width_pct: args.min_width,
        max_depth: Some(MAX_DRAWN_DEPTH),
        judge: true,
    };
    let census = classified.compared.debug_info.as_ref();
    let (evidence, tree) =
        Evidence::read_with_tree(&classified, census, &tree, args.progress.quiet, &mut timings)?;
    let classification = evidence.classify(&classified);
    timings.lap("classify", None);
    let meeting = match &attribution {
        Some(attribution) => meeting(args, attribution, &evidence.sides, &classified.compared)?,
        None => None,
    };
    let Evidence { examined, builds, sides } = evidence;
    drop(sides);
    let of_program = builds.of_program();
    let page = html_report(&ReportInput {
        comparison: &examined.comparison,
        classification: &classification,
        tree: &tree,
        settings: classified.servers.diff.as_ref(),
        builds: of_program.map_or([None, None], |builds| [builds.before, builds.after]),
        attribution: attribution.as_ref().map(|attribution| AttributionView {
            attribution,
            meeting: meeting.as_ref(),
            chosen: args.design.chose_sides(),
        }),
        title: args.title.as_deref(),
        command: &command_line(),
        tool: concat!("pdiff ", env!("CARGO_PKG_VERSION")),
    })?;
    timings.lap("render", Some(page.len() as u64));
    output.write(&page)?;
    if args.progress.timings {
        crate::complain(&timings.report());
    }
    Ok(())
}

/// What the runs say, where a table of them is given.
fn attribution(args: &ReportArgs, compared: &Compared) -> Result<Option<Attribution>> {
    let Some(runs) = &args.runs else { return Ok(None) };
    let servers = [&args.examined.servers.settings_before, &args.examined.servers.settings_after];
    let settings = servers.into_iter().flatten();
    one_stream(settings.chain([runs]).map(|path| is_stdin(path)).chain([compared.inputs.reads_stdin()]))?;
    attributed(runs, &args.design).context("--runs").map(Some)
}

/// Factors beside the subsystems that they switch, where any factor has one.
fn meeting(
    args: &ReportArgs,
    attribution: &Attribution,
    sides: &ReadSides,
    compared: &Compared,
) -> Result<Option<Meeting>> {
    let comparison = sides.by_subsystem(compared)?;
    let is_there = |subsystem: &str| comparison.rows.iter().any(|row| row.name == subsystem);
    let of_factor = subsystems_of(attribution, &args.factor_subsystem, is_there)?;
    if of_factor.is_empty() {
        return Ok(None);
    }
    let meeting = meet(attribution, &comparison, &of_factor).map_err(|text| anyhow::anyhow!(text));
    meeting.context("--factor-subsystem").map(Some)
}
