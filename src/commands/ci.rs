//! `pdiff ci`: a change judged in a build pipeline, and everything a pipeline shows of it.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use pdiff::classify::{Cause, Classification, finding_causes};
use pdiff::render::{self, CiInput, GateResult, GateStatus};
use pdiff::{Build, By, Comparer, Comparison, Gate, Recording, RowFunction};

use super::report;
use crate::cli::{CiArgs, Inconclusive};
use crate::exit::Outcome;
use crate::gates::{self, Hidden};
use crate::output::Output;
use crate::settings::{Page, Pipeline, check_files, examined, source, with_windows_beside};
use crate::source_text::SourceRoots;
use crate::watching::Watching;

/// Functions that get an annotation: more are noise in a review.
const MOST_ANNOTATED: usize = 10;

/// Frames narrower than this are merged in the report, in percent of all samples, as `pdiff report` does.
const MIN_WIDTH_PCT: f64 = 0.05;

/// What is written, in the order below.
const FILES: [&str; 7] = [
    "summary.md",
    "comment.md",
    "junit.xml",
    "bencher.json",
    "comparison.json",
    "annotations.txt",
    "report.html",
];

/// Compares, judges, and writes what a pipeline shows.
pub(crate) fn run(args: &CiArgs) -> Result<Outcome> {
    // A run that stops with an error leaves nothing of an earlier one to be taken for its own.
    for path in FILES.map(|name| args.dir.join(name)).iter().filter(|path| path.is_file()) {
        put(path, None)?;
    }
    let failing = gates::parse("--fail-on", &args.gates.fail_on)?;
    let warning = gates::parse("--warn", &args.warn)?;
    check_null(args)?;
    let pipeline = Pipeline::new(args);
    make_directory(&args.dir)?;
    let page = Page::to_stdout(&args.color)?;
    let watching = Watching::start(args.progress.quiet);
    let (comparer, _) = examined(&args.examined, args.progress.quiet)?;
    let one_build = null_comparisons(args, &comparer)?;
    let prepared = comparer.watch(watching.watch()).prepare()?;
    let verdicts = prepared.verdicts()?;
    let classification = verdicts.classify();
    let comparison = &verdicts.comparison;

    let passes = args.gates.inconclusive == Some(Inconclusive::Pass);
    let mut calibration = Vec::new();
    let mut results = Vec::new();
    for (gates, is_warning) in [(&failing, false), (&warning, true)] {
        for gate in gates {
            let Calibrated { gate: raised, hidden, said } = calibrated(gate, &one_build);
            calibration.extend(said);
            let result = gates::judge(&raised, comparison, hidden);
            // What cannot be judged passes if it is wanted so: it is then a warning in every file, too.
            let is_warning = is_warning || (passes && result.status == GateStatus::Inconclusive);
            // A pipeline knows a test by its name, which stays.
            results.push(GateResult { gate: gate.to_string(), is_warning, ..result });
        }
    }
    let lines = prepared.hot_lines(&annotated(comparison, classification, &results));
    let told = CiInput {
        name: &args.name,
        comparison,
        classification,
        causes: &finding_causes(&comparison.findings, classification),
        gates: &results,
        calibration: &calibration,
        lines: &lines,
    };
    let annotations = render::annotations(&told, pipeline.sources.as_deref());
    let roots = SourceRoots::default();
    let drawn = report::Drawn { title: Some(&args.name), min_width_pct: MIN_WIDTH_PCT, roots: &roots };
    let html = report::html(&prepared, &verdicts, classification, None, &drawn)?;
    let summary = render::ci_summary(&told);
    let contents = [
        Some(summary.clone().into_bytes()),
        render::ci_comment(&told).map(String::into_bytes),
        Some(render::junit_xml(&told).into_bytes()),
        Some(render::bencher_json(&told)?),
        Some(render::json_with_causes(comparison, told.causes)?),
        Some(annotations.iter().map(|line| format!("{line}\n")).collect::<String>().into()),
        Some(html),
    ];
    for (name, bytes) in FILES.into_iter().zip(contents) {
        put(&args.dir.join(name), bytes.as_deref())?;
    }
    if let Some(path) = &pipeline.step_summary {
        append(path, &summary).with_context(|| format!("appending to {}", path.display()))?;
    }
    let mut text = render::ci_text(&told, page.width, page.color);
    if pipeline.annotates {
        text.extend(annotations.iter().map(|line| format!("{line}\n")));
    }
    page.output.write(text.as_bytes())?;
    watching.lap("render", None);
    watching.report(args.progress.timings);
    Ok(gates::outcome(results.iter().filter(|result| !result.is_warning), args.gates.inconclusive))
}

fn check_null(args: &CiArgs) -> Result<()> {
    check_files("--null", &args.null)?;
    let (operations, recordings) = (args.operations_null.len(), args.null.len());
    if operations > 0 && operations != recordings {
        bail!(
            "--operations-null: {operations} values for {recordings} recordings; hint: give one for each, in the same order, with spaces between them"
        );
    }
    if !args.null.is_empty() && args.gates.fail_on.is_empty() && args.warn.is_empty() {
        bail!("--null: there is no gate to raise; hint: give one with --fail-on or --warn");
    }
    Ok(())
}

/// Each recording of one build compared with the next, both ways round.
fn null_comparisons(args: &CiArgs, comparer: &Comparer) -> Result<Vec<Comparison>> {
    let binaries = &args.examined.comparison.debug_info.binary_before;
    let build = |at: usize| -> Result<Build> {
        let at = at % args.null.len();
        let recording = Recording::new(source(&args.null[at]));
        let recording =
            args.operations_null.get(at).copied().into_iter().fold(recording, Recording::operations);
        let is_listed = args.examined.comparison.work.windows.is_some();
        let recording = if is_listed { recording } else { with_windows_beside(recording, &args.null[at])? };
        Ok(binaries.iter().fold(Build::recordings([recording]), Build::binary))
    };
    // Two recordings are one pair; the next of the last one is the first.
    let pairs = if args.null.len() == 2 { 1 } else { args.null.len() };
    let compare = |before: usize, after: usize| -> Result<Comparison> {
        let prepared = comparer.clone().before(build(before)?).after(build(after)?).prepare();
        Ok(prepared.context("--null")?.rows(By::Function))
    };
    let both_ways = (0..pairs).flat_map(|at| [(at, at + 1), (at + 1, at)]);
    both_ways.map(|(before, after)| compare(before, after)).collect()
}

/// A gate after recordings of one build were looked at.
struct Calibrated {
    /// The gate, raised to what they show.
    gate: Gate,
    /// Where they do not show the noise of its value, noise may still hide what it looks for.
    hidden: Hidden,
    /// What to say of it.
    said: Option<String>,
}

fn calibrated(gate: &Gate, one_build: &[Comparison]) -> Calibrated {
    let of = |gate, hidden, said| Calibrated { gate, hidden, said };
    if one_build.is_empty() {
        return of(gate.clone(), Hidden::Inconclusive, None);
    }
    match gate.beyond_noise_of(one_build) {
        Some(raised) if raised.to_string() != gate.to_string() => {
            let text = format!("{gate} was raised to {raised}: recordings of one build differ by that much");
            of(raised, Hidden::Passes, Some(text))
        }
        Some(_) => {
            let text = format!("{gate} stays: recordings of one build differ by less");
            of(gate.clone(), Hidden::Passes, Some(text))
        }
        None => {
            let text = format!(
                "{gate} stays: such a gate cannot be raised, or nothing has its value; what an operation costs needs --operations-null \
                 or --windows"
            );
            of(gate.clone(), Hidden::Inconclusive, Some(text))
        }
    }
}

/// What trips gates, the parts that grew, and functions that lost inlining; each once.
fn annotated(
    comparison: &Comparison,
    classification: &Classification,
    results: &[GateResult],
) -> Vec<RowFunction> {
    let tripped = results.iter().flat_map(|result| &result.trips);
    let tripped = tripped.map(|trip| (trip.name.as_str(), trip.object.as_str()));
    let grew =
        comparison.findings.list.iter().filter(|finding| finding.is_function() && finding.delta_pp() > 0.0);
    let grew = grew.map(|finding| (finding.function(), finding.object.as_str()));
    let lost = classification.verdicts.iter().filter(|verdict| verdict.cause == Cause::InlineRegression);
    let lost = lost.map(|verdict| (verdict.function.as_str(), verdict.object.as_str()));
    let mut seen = BTreeSet::new();
    let once = tripped.chain(grew).chain(lost).filter(|function| seen.insert(*function));
    let row = |(name, object): (&str, &str)| {
        let row = comparison.rows.iter().find(|row| *row.name == *name && *row.object == *object)?;
        Some(RowFunction {
            name: row.name.to_string(),
            object: row.object.to_string(),
            file: row.file.as_deref().map(str::to_owned),
        })
    };
    once.filter_map(row).take(MOST_ANNOTATED).collect()
}

fn make_directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("--dir: cannot make {}", path.display()))
}

/// Writes a file; without content, one of an earlier run is taken away.
fn put(path: &Path, bytes: Option<&[u8]>) -> Result<()> {
    match bytes {
        Some(bytes) => Output::new(Some(path))?.write(bytes),
        None => match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("removing {}", path.display()))
            }
            _ => Ok(()),
        },
    }
}

fn append(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(text.as_bytes())
}
