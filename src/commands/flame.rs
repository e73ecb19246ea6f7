//! `pdiff flame`: one profile or the difference of two as a picture.

use anyhow::{Result, bail};
use pdiff_analysis::classify::{Classification, ClassifyInput, ClassifyKnowledge, Demands, classify};
use pdiff_analysis::{Architectural, SettingsKnowledge};
use pdiff_profile::Notes;
use pdiff_render::{FlameInput, FlameTerms, tree_json, write_flame_svg, write_folded};

use crate::builds::ReadBuilds;
use crate::cli::{FlameArgs, FlameFormat};
use crate::output::Output;
use crate::pipeline::{Examined, examine_with_tree};
use crate::settings::Drawn;
use crate::timings::Timings;

/// Draws, and writes the picture.
pub(crate) fn run(args: &FlameArgs) -> Result<()> {
    let output = Output::new(args.output.clone());
    if args.format == FlameFormat::Svg && output.is_terminal() {
        bail!("a picture is nothing for a terminal; hint: write it to a file by -o diff.svg, or pipe it");
    }
    let drawn = Drawn::new(args)?;
    let mut timings = Timings::start();
    let (mut examined, tree, _) = examine_with_tree(&drawn.compared, &drawn.tree, args.quiet, &mut timings)?;
    if drawn.options.terms == FlameTerms::PerOperation && examined.comparison.cost.is_none() {
        bail!(
            "--operations: operations are not known on both sides; hint: give --tps-before and --tps-after, or --windows"
        );
    }
    let verdicts = if drawn.verdicts { Some(verdicts(&drawn, &mut examined)?) } else { None };
    timings.lap("verdicts", None);
    let input = FlameInput { comparison: &examined.comparison, tree: &tree, verdicts: verdicts.as_ref() };
    let rendered = match args.format {
        FlameFormat::Svg => {
            let mut svg = Vec::new();
            write_flame_svg(&input, &drawn.options, &mut svg)?;
            svg
        }
        FlameFormat::Folded => {
            let mut text = Vec::new();
            write_folded(&input, drawn.options.view, &mut text)?;
            text
        }
        FlameFormat::Json => tree_json(&input)?,
    };
    timings.lap("render", Some(rendered.len() as u64));
    output.write(&rendered)?;
    if args.timings {
        crate::complain(&timings.report());
    }
    Ok(())
}

/// Why functions changed: by the binaries where they are given, else by names and samples alone.
fn verdicts(drawn: &Drawn, examined: &mut Examined) -> Result<Classification> {
    let debug_info = drawn.compared.debug_info.as_ref();
    let given = debug_info.filter(|info| !info.binaries_before.is_empty() && !info.binaries_after.is_empty());
    let mut notes = Notes::new();
    let builds = ReadBuilds::read(examined, given, &mut notes)?;
    examined.comparison.notes.merge(&notes);
    let knowledge = &drawn.compared.settings.knowledge;
    let architectural = Architectural::mysqld();
    Ok(classify(&ClassifyInput {
        comparison: &examined.comparison,
        calls: &examined.calls,
        builds: builds.of_program(),
        same_objects: &builds.same_objects,
        counts: None,
        settings: None,
        knowledge: ClassifyKnowledge {
            aliases: &knowledge.aliases,
            spin: &knowledge.spin,
            architectural: &architectural,
            settings: &SettingsKnowledge::mysqld(),
        },
        demands: Demands::Any,
    }))
}
