//! `pdiff classify`: why functions cost more.

use std::mem::ManuallyDrop;

use anyhow::{Result, bail};
use pdiff_analysis::classify::{ClassifyInput, ClassifyKnowledge, classify};
use pdiff_analysis::{Comparison, Fact};
use pdiff_profile::Notes;

use super::compare::TableChoices;
use crate::builds::{ReadAhead, ReadBuilds};
use crate::cli::{ClassifyArgs, Format};
use crate::pipeline::{Examined, FoundCode, ReadSides, examine};
use crate::settings::Classified;
use crate::timings::Timings;

/// Compares, looks into the binaries, and writes the verdicts.
pub(crate) fn run(args: &ClassifyArgs) -> Result<()> {
    if args.output.format == Format::Parquet {
        bail!("verdicts are not written as parquet; hint: use --format csv or json");
    }
    let table = TableChoices::new(&args.output)?;
    let classified = Classified::new(&args.examined, args.output.quiet)?;
    let mut timings = Timings::start();
    // The process ends with this command; taking all of it apart before would cost 0.05 s.
    let read = ManuallyDrop::new(read(&classified, args.output.quiet, &mut timings)?);
    let (examined, builds, _) = &*read;
    let mut classification = classify(&input(&classified, examined, builds));
    builds.reword_missing(&mut classification.missing);
    timings.lap("classify", None);
    let comparison = &examined.comparison;
    let rendered = match args.output.format {
        Format::Markdown => {
            pdiff_render::verdict_markdown(comparison, &classification, &table.options).into_bytes()
        }
        Format::Json => pdiff_render::verdict_json(comparison, &classification)?,
        Format::Csv => pdiff_render::verdict_csv(&classification)?,
        Format::Table | Format::Parquet => {
            pdiff_render::verdict_table(comparison, &classification, &table.options).into_bytes()
        }
    };
    timings.lap("render", Some(rendered.len() as u64));
    table.output.write(&rendered)?;
    // Pages say what is missing themselves.
    if matches!(args.output.format, Format::Json | Format::Csv) {
        for text in &classification.missing {
            crate::complain(&format!("pdiff: missing: {text}"));
        }
    }
    if args.output.timings {
        crate::complain(&timings.report());
    }
    Ok(())
}

/// Everything that verdicts are made of.
pub(super) fn read(
    classified: &Classified,
    quiet: bool,
    timings: &mut Timings,
) -> Result<(Examined, ReadBuilds, ReadSides)> {
    let debug_info = classified.compared.debug_info.as_ref();
    let read_ahead = |code: &[FoundCode; 2]| ReadAhead::read(code, debug_info);
    let (mut examined, sides, ahead) = examine(&classified.compared, quiet, timings, read_ahead)?;
    let mut notes = Notes::new();
    let builds = ReadBuilds::read_on(&examined, debug_info, ahead, &mut notes)?;
    examined.comparison.notes.merge(&notes);
    add_fact(&mut examined.comparison, classified.servers.fact());
    timings.lap("census of the binaries", None);
    Ok((examined, builds, sides))
}

/// Puts a fact to its like, gravest first.
pub(super) fn add_fact(comparison: &mut Comparison, fact: Option<Fact>) {
    let Some(fact) = fact else { return };
    let facts = &mut comparison.comparability;
    let at = facts.iter().position(|other| other.gravity < fact.gravity).unwrap_or(facts.len());
    facts.insert(at, fact);
}

/// As the analysis wants it.
pub(super) fn input<'a>(
    classified: &'a Classified,
    examined: &'a Examined,
    builds: &'a ReadBuilds,
) -> ClassifyInput<'a> {
    let knowledge = &classified.compared.settings.knowledge;
    ClassifyInput {
        comparison: &examined.comparison,
        calls: &examined.calls,
        builds: builds.of_program(),
        same_objects: &builds.same_objects,
        counts: classified.counts.as_ref(),
        settings: classified.servers.diff.as_ref(),
        knowledge: ClassifyKnowledge {
            aliases: &knowledge.aliases,
            spin: &knowledge.spin,
            architectural: &classified.architectural,
            settings: &classified.servers.knowledge,
        },
        demands: classified.demands,
    }
}
