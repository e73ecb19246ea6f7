//! `pdiff report`: everything about two sides as one HTML file.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use pdiff::classify::{Cause, Classification, Verdict};
use pdiff::profile::{PerSide, Side};
use pdiff::render::{AttributionView, OtherTree, ReportInput, html_report};
use pdiff::side_fact::{Concern, Subject};
use pdiff::study::ablation::{Attribution, Meeting, meet};
use pdiff::{
    Align, By, CallTree, Comparison, Prepared, RowFunction, Severity, SideFact, TreeFrame, TreeSettings,
    Verdicts, is_kernel_object, is_other_version,
};

use super::attribute::{attributed, subsystems_of};
use crate::cli::ReportArgs;
use crate::exit::Outcome;
use crate::gates::Gates;
use crate::output::Output;
use crate::settings::{MAX_DRAWN_DEPTH, command_line, examined, is_stdin, one_stream, with_waits};
use crate::source_text::{SourceRoots, lines_of, lines_of_code};
use crate::watching::Watching;

/// Compares, looks into the binaries, and writes the page.
pub(crate) fn run(args: &ReportArgs) -> Result<Outcome> {
    let gates = Gates::new(&args.gates)?;
    let output = Output::new(args.file.output.as_deref())?;
    if output.is_terminal() {
        bail!("refusing to write a page to a terminal; hint: use -o report.html, or pipe it");
    }
    let roots = SourceRoots::new(&args.source)?;
    let (comparer, reads_stdin) = examined(&args.examined, args.progress.quiet)?;
    let comparer = with_waits(comparer, &args.waits)?;
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
    let drawn = Drawn { title: args.title.as_deref(), min_width_pct: args.min_width, roots: &roots };
    let page = html(&prepared, &verdicts, classification, attribution, &drawn)?;
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
    /// Where the source of both builds is.
    pub(super) roots: &'a SourceRoots,
}

/// The page.
pub(super) fn html(
    prepared: &Prepared,
    verdicts: &Verdicts<'_>,
    classification: &Classification,
    attribution: Option<AttributionView<'_>>,
    drawn: &Drawn<'_>,
) -> Result<Vec<u8>> {
    let (tree, other_trees) = trees(verdicts, drawn.min_width_pct);
    let seconds = verdicts.seconds(&wide_functions(&tree));
    let told = told_functions(verdicts, classification, &tree);
    let lines = prepared.hot_lines(&row_functions(told.iter().copied().take(MOST_WITH_LINES)));
    let code = prepared.function_code(&verdicts.comparison, &functions_with_code(told))?;
    let wanted = lines_of(&lines, MOST_LINES).chain(lines_of_code(&code));
    let (texts, missing) = drawn.roots.read(wanted);
    missing.iter().for_each(|text| crate::complain(&format!("pdiff: {text}")));
    Ok(html_report(&ReportInput {
        comparison: &verdicts.comparison,
        subsystems: &prepared.rows(By::Subsystem),
        classification,
        tree: &tree,
        other_trees: &other_trees,
        seconds: &seconds,
        lines: &lines,
        code: &code,
        texts: &texts,
        settings: classification.settings.as_ref(),
        builds: PerSide::from_fn(|side| verdicts.facts.census(side)),
        attribution,
        title: drawn.title,
        command: &command_line(),
        tool: concat!("pdiff ", env!("CARGO_PKG_VERSION")),
    })?)
}

/// Groups of threads below this many percent of both sides have no picture of their own.
const LEAST_GROUP_PCT: f64 = 0.5;

/// Groups of threads that have pictures of their own.
const MOST_GROUPS: usize = 8;

/// The tree that is drawn first, and those that a reader can choose: aligned at equal callers, and of each group of threads.
fn trees(verdicts: &Verdicts<'_>, min_width_pct: f64) -> (CallTree, Vec<OtherTree>) {
    let settings = |align: Align, thread_group: Option<String>| TreeSettings {
        align,
        reverse: false,
        focus: None,
        thread_group,
        by_subsystem: false,
        min_width_pct,
        max_depth: Some(MAX_DRAWN_DEPTH),
        judge: true,
    };
    let groups = verdicts.thread_groups();
    let whole = PerSide::from_fn(|side| groups.iter().map(|(_, weights)| weights[side]).sum::<u64>());
    let is_shown = |weights: &PerSide<u64>| {
        let is_large =
            |(own, all): &(u64, u64)| *own as f64 >= LEAST_GROUP_PCT / 100.0 * (*all).max(1) as f64;
        weights.zip(whole).values().any(is_large)
    };
    let shown: Vec<String> =
        groups.into_iter().filter(|(_, weights)| is_shown(weights)).map(|(group, _)| group).collect();
    // One group is the whole.
    let shown = if shown.len() > 1 { shown } else { Vec::new() };
    let mut wanted = vec![settings(Align::Anchors, None), settings(Align::Exact, None)];
    wanted.extend(shown.into_iter().take(MOST_GROUPS).map(|group| settings(Align::Anchors, Some(group))));
    let mut trees = verdicts.call_trees(&wanted).into_iter();
    let first = trees.next().expect("there is a tree for each of the settings");
    let others = wanted.into_iter().skip(1).zip(trees);
    (first, others.map(|(of, tree)| OtherTree { thread_group: of.thread_group, tree }).collect())
}

/// Functions narrower than this have no course over time, in percent.
const LEAST_WIDE_PCT: f64 = 0.5;

/// Functions that have a course over time.
const MOST_WIDE: usize = 120;

/// The functions of the widest frames, the widest first.
fn wide_functions(tree: &CallTree) -> Vec<(String, String)> {
    let mut widest = vec![0.0_f64; tree.functions.len()];
    for node in &tree.nodes {
        let TreeFrame::Function(function) = node.frame else { continue };
        let pct = |weight: u64, whole: u64| 100.0 * weight as f64 / whole.max(1) as f64;
        let own = pct(node.before.total_weight, tree.side_weights.before)
            .max(pct(node.after.total_weight, tree.side_weights.after));
        widest[function] = widest[function].max(own);
    }
    let mut order: Vec<usize> =
        (0..widest.len()).filter(|function| widest[*function] >= LEAST_WIDE_PCT).collect();
    order.sort_by(|a, b| widest[*b].total_cmp(&widest[*a]).then(a.cmp(b)));
    let named = order.into_iter().take(MOST_WIDE).map(|function| &tree.functions[function]);
    named.map(|of| (of.name.clone(), of.object.clone())).collect()
}

/// Functions whose hot lines are shown.
const MOST_WITH_LINES: usize = 40;

/// Those of them whose instructions are shown.
const MOST_WITH_INSTRUCTIONS: usize = 15;

/// Lines of code that are shown on each side.
const MOST_LINES: usize = 8;

/// The verdicts that a reader asks about, the largest changes first: those with a cause, and those on parts of the change. The
/// panel beside the flame graph shows their code, so they have a frame there.
fn told_functions<'v>(
    verdicts: &Verdicts<'_>,
    classification: &'v Classification,
    tree: &CallTree,
) -> Vec<&'v Verdict> {
    let framed: BTreeSet<(&str, &str)> = tree.functions.iter().map(|of| (&*of.name, &*of.object)).collect();
    let is_part = |name: &str| verdicts.comparison.findings.list.iter().any(|of| of.function() == name);
    let mut told: Vec<_> = classification
        .verdicts
        .iter()
        .filter(|of| framed.contains(&(&*of.function, &*of.object)))
        .filter(|of| is_part(&of.function) || !matches!(of.cause, Cause::Noise | Cause::Unclear))
        .collect();
    told.sort_by(|a, b| b.delta_judged_pp().abs().total_cmp(&a.delta_judged_pp().abs()));
    told
}

/// Those of them whose own code changed most.
fn functions_with_code(mut told: Vec<&Verdict>) -> Vec<RowFunction> {
    let has_code = |of: &&Verdict| {
        let is_sampled = [&of.before, &of.after].iter().any(|of| of.booked_self_weight.0 > 0);
        is_sampled && !is_kernel_object(&of.object)
    };
    told.retain(has_code);
    told.sort_by(|a, b| b.delta_booked_pp().abs().total_cmp(&a.delta_booked_pp().abs()));
    row_functions(told.into_iter().take(MOST_WITH_INSTRUCTIONS))
}

fn row_functions<'v>(verdicts: impl Iterator<Item = &'v Verdict>) -> Vec<RowFunction> {
    let function = |of: &Verdict| RowFunction {
        name: of.function.clone(),
        object: of.object.clone(),
        file: of.file.clone(),
    };
    verdicts.map(function).collect()
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
    let is_there = |subsystem: &str| comparison.rows.iter().any(|row| *row.name == *subsystem);
    let of_factor = subsystems_of(attribution, &args.factor_subsystem, is_there)?;
    if of_factor.is_empty() {
        return Ok(None);
    }
    let meeting = meet(attribution, &comparison, &of_factor).map_err(|text| anyhow::anyhow!(text));
    meeting.context("--factor-subsystem").map(Some)
}
