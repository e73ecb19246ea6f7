//! `pdiff flame`: one profile or the difference of two as a picture, or as stacks for other tools.

use std::path::Path;

use anyhow::{Result, bail};
use pdiff::classify::finding_causes;
use pdiff::profile::Side;
use pdiff::render::{FlameInput, FlameTerms, FlameView, tree_json, write_flame_svg, write_folded};
use pdiff::{By, PprofView, Prepared};

use crate::cli::{FlameArgs, FlameFormat};
use crate::output::Output;
use crate::settings::Drawn;
use crate::watching::Watching;

/// Draws, and writes the picture.
pub(crate) fn run(args: &FlameArgs) -> Result<()> {
    let output = Output::new(args.file.output.as_deref())?;
    if args.format == FlameFormat::Svg {
        check_name(args.file.output.as_deref())?;
    }
    if args.format == FlameFormat::Svg && output.is_terminal() {
        bail!("refusing to write a picture to a terminal; hint: use -o diff.svg, or pipe it");
    }
    if args.format == FlameFormat::Pprof && output.is_terminal() {
        bail!("refusing to write a profile to a terminal; hint: use -o diff.pb.gz, or pipe it");
    }
    let drawn = Drawn::new(args)?;
    let watching = Watching::start(args.progress.quiet);
    let prepared = drawn.comparer.clone().watch(watching.watch()).prepare()?;
    let rendered = match args.format {
        FlameFormat::Pprof => prepared.pprof(pprof_view(drawn.options.view))?,
        FlameFormat::Firefox => firefox(&drawn, &prepared)?,
        FlameFormat::Svg | FlameFormat::Folded | FlameFormat::Json => tree(args, &drawn, &prepared)?,
    };
    watching.lap("render", Some(rendered.len() as u64));
    output.write(&rendered)?;
    watching.report(args.progress.timings);
    Ok(())
}

/// Refuses to write a picture into a file whose name says something else.
fn check_name(path: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let name = path.to_string_lossy();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    let others = [(".json", "json or --format firefox"), (".pb", "pprof"), (".folded", "folded")];
    match others.iter().find(|(end, _)| name.ends_with(end)) {
        Some((_, format)) => bail!("-o {}: a picture is SVG; hint: give --format {format}", path.display()),
        None => Ok(()),
    }
}

/// The stacks of both sides as one tree.
fn tree(args: &FlameArgs, drawn: &Drawn, prepared: &Prepared) -> Result<Vec<u8>> {
    let (tree, comparison, verdicts) = match drawn.verdicts {
        true => {
            let verdicts = prepared.verdicts()?;
            let (tree, classification) = (verdicts.call_tree(&drawn.tree), verdicts.classify().clone());
            (tree, verdicts.comparison, Some(classification))
        }
        false => (prepared.call_tree(&drawn.tree), prepared.compare(By::Function), None),
    };
    if drawn.options.terms == FlameTerms::PerOperation && comparison.cost.is_none() {
        bail!(
            "--operations: operations are not known on both sides; hint: give --tps-before and --tps-after, or --windows"
        );
    }
    if let Some(pattern) = args.picture.focus.as_deref().filter(|_| tree.nodes.len() <= 1) {
        bail!(
            "--focus: no stack has a function that '{pattern}' matches; hint: pdiff compare --top 0 lists the names"
        );
    }
    let input = FlameInput { comparison: &comparison, tree: &tree, verdicts: verdicts.as_ref() };
    let mut rendered = Vec::new();
    match args.format {
        FlameFormat::Svg => write_flame_svg(&input, &drawn.options, &mut rendered)?,
        FlameFormat::Folded => write_folded(&input, drawn.options.view, &mut rendered)?,
        FlameFormat::Json | FlameFormat::Pprof | FlameFormat::Firefox => rendered = tree_json(&input)?,
    }
    Ok(rendered)
}

/// The stacks of both sides as two processes, with what is known about the change.
fn firefox(drawn: &Drawn, prepared: &Prepared) -> Result<Vec<u8>> {
    let (comparison, causes) = match drawn.verdicts {
        true => {
            let verdicts = prepared.verdicts()?;
            let causes = finding_causes(&verdicts.comparison.findings, verdicts.classify());
            (verdicts.comparison, causes)
        }
        false => (prepared.compare(By::Function), Vec::new()),
    };
    let sides: &[Side] = match drawn.options.view {
        FlameView::Before => &[Side::Before],
        FlameView::After => &[Side::After],
        _ => &Side::BOTH,
    };
    Ok(prepared.firefox(sides, &comparison, &causes)?)
}

fn pprof_view(view: FlameView) -> PprofView {
    match view {
        FlameView::Before => PprofView::Side(Side::Before),
        FlameView::After => PprofView::Side(Side::After),
        _ => PprofView::Difference,
    }
}
