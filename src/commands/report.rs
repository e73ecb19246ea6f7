//! `pdiff report`: everything about two sides as one HTML file.

use anyhow::{Context, Result, bail};
use pdiff::classify::Classification;
use pdiff::profile::{PerSide, Side};
use pdiff::render::{AttributionView, ReportInput, html_report};
use pdiff::side_fact::{Concern, Subject};
use pdiff::study::ablation::{Attribution, Meeting, meet};
use pdiff::{Align, By, Comparison, Prepared, Severity, SideFact, TreeSettings, Verdicts, is_other_version};

use super::attribute::{attributed, subsystems_of};
use crate::cli::ReportArgs;
use crate::exit::Outcome;
use crate::gates::Gates;
use crate::output::Output;
use crate::settings::{MAX_DRAWN_DEPTH, command_line, examined, is_stdin, one_stream};
use crate::watching::Watching;

/// Compares, looks into the binaries, and writes the page.
pub(crate) fn run(args: &ReportArgs) -> Result<Outcome> {
    let gates = Gates::new(&args.gates)?;
    let output = Output::new(args.file.output.as_deref())?;
    if output.is_terminal() {
        bail!("refusing to write a page to a terminal; hint: use -o report.html, or pipe it");
    }
    let (comparer, reads_stdin) = examined(&args.examined, args.progress.quiet)?;
    let attribution = attribution(args, reads_stdin)?;
    let watching = Watching::start(args.progress.quiet);
    let prepared = comparer.watch(watching.watch()).prepare()?;
    let mut verdicts = prepared.verdicts()?;
    if let Some(attribution) = &attribution {
        check_builds(attribution, &mut verdicts.comparison);
    }
    let classification = verdicts.classify();
    let meeting = match &attribution {
        Some(attribution) => meeting(args, attribution, &prepared)?,
        None => None,
    };
    let attribution = attribution.as_ref().map(|attribution| AttributionView {
        attribution,
        meeting: meeting.as_ref(),
        foretold: None,
        chosen: args.design.chose_sides(),
    });
    let drawn = Drawn { title: args.title.as_deref(), min_width_pct: args.min_width };
    let page = html(&prepared, &verdicts, &classification, attribution, &drawn)?;
    watching.lap("render", Some(page.len() as u64));
    output.write(&page)?;
    watching.report(args.progress.timings);
    Ok(gates.judge(&verdicts.comparison))
}

/// How a page is drawn.
pub(super) struct Drawn<'a> {
    /// Its title; the labels of both sides where there is none.
    pub(super) title: Option<&'a str>,
    /// Frames narrower than this are merged, in percent of all samples.
    pub(super) min_width_pct: f64,
}

/// The page.
pub(super) fn html(
    prepared: &Prepared,
    verdicts: &Verdicts<'_>,
    classification: &Classification,
    attribution: Option<AttributionView<'_>>,
    drawn: &Drawn<'_>,
) -> Result<Vec<u8>> {
    let tree = verdicts.call_tree(&TreeSettings {
        align: Align::Anchors,
        reverse: false,
        focus: None,
        by_subsystem: false,
        min_width_pct: drawn.min_width_pct,
        max_depth: Some(MAX_DRAWN_DEPTH),
        judge: true,
    });
    Ok(html_report(&ReportInput {
        comparison: &verdicts.comparison,
        subsystems: &prepared.rows(By::Subsystem),
        classification,
        tree: &tree,
        settings: classification.settings.as_ref(),
        builds: Side::BOTH.map(|side| verdicts.facts.census(side)),
        attribution,
        title: drawn.title,
        command: &command_line(),
        tool: concat!("pdiff ", env!("CARGO_PKG_VERSION")),
    })?)
}

/// A table of runs of other builds than the profiles are of is a mistake, and is said among the facts of the comparison.
fn check_builds(attribution: &Attribution, comparison: &mut Comparison) {
    let program = comparison.comparability.iter().find_map(|fact| match &fact.subject {
        Subject::Program(files) => Some(files.as_ref().map(|file| file.path.clone())),
        _ => None,
    });
    let Some(programs) = program else { return };
    let builds = PerSide::new(attribution.base.clone(), attribution.target.clone());
    if Side::BOTH.into_iter().any(|side| is_other_version(&builds[side], &programs[side])) {
        let concern = Concern::RunTableOfOtherBuilds { programs };
        let fact = SideFact::new(Subject::BuildsOfRunTable(builds), Severity::Suspect, concern);
        comparison.comparability.insert(0, fact);
    }
}

/// What the runs say, where a table of them is given.
fn attribution(args: &ReportArgs, reads_stdin: bool) -> Result<Option<Attribution>> {
    let Some(runs) = &args.runs else { return Ok(None) };
    let servers = [&args.examined.servers.settings_before, &args.examined.servers.settings_after];
    let settings = servers.into_iter().flatten();
    one_stream(settings.chain([runs]).map(|path| is_stdin(path)).chain([reads_stdin]))?;
    attributed(runs, &args.design).context("--runs").map(Some)
}

/// Factors beside the subsystems that they switch, where any factor has one.
fn meeting(args: &ReportArgs, attribution: &Attribution, prepared: &Prepared) -> Result<Option<Meeting>> {
    let comparison = prepared.rows(By::Subsystem);
    let is_there = |subsystem: &str| comparison.rows.iter().any(|row| row.name == subsystem);
    let of_factor = subsystems_of(attribution, &args.factor_subsystem, is_there)?;
    if of_factor.is_empty() {
        return Ok(None);
    }
    let meeting = meet(attribution, &comparison, &of_factor).map_err(|text| anyhow::anyhow!(text));
    meeting.context("--factor-subsystem").map(Some)
}
