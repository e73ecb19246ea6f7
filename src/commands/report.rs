//! `pdiff report`: everything about two sides as one HTML file.

use anyhow::{Result, bail};
use pdiff_analysis::TreeSettings;
use pdiff_analysis::classify::classify;
use pdiff_profile::Notes;
use pdiff_render::{ReportInput, html_report};

use super::classify::{add_fact, input};
use crate::builds::ReadBuilds;
use crate::cli::ReportArgs;
use crate::output::Output;
use crate::pipeline::examine_with_tree;
use crate::settings::{Classified, MAX_DRAWN_DEPTH, command_line};
use crate::timings::Timings;

/// Compares, looks into the binaries, and writes the page.
pub(crate) fn run(args: &ReportArgs) -> Result<()> {
    let output = Output::new(args.output.clone());
    if output.is_terminal() {
        bail!("a page is nothing for a terminal; hint: write it to a file by -o report.html, or pipe it");
    }
    if !(0.0..=100.0).contains(&args.min_width) {
        bail!("--min-width: {} is not a percentage of 0 to 100", args.min_width);
    }
    let classified = Classified::new(&args.examined, args.quiet)?;
    let mut timings = Timings::start();
    let tree = TreeSettings {
        reverse: false,
        focus: None,
        by_subsystem: false,
        min_width_pct: args.min_width,
        max_depth: Some(MAX_DRAWN_DEPTH),
        judge: true,
    };
    let (mut examined, tree) = examine_with_tree(&classified.compared, &tree, args.quiet, &mut timings)?;
    let mut notes = Notes::new();
    let builds = ReadBuilds::read(&examined, classified.compared.debug_info.as_ref(), &mut notes)?;
    examined.comparison.notes.merge(&notes);
    add_fact(&mut examined.comparison, classified.servers.fact());
    timings.lap("census of the binaries", None);
    let classification = classify(&input(&classified, &examined, &builds));
    timings.lap("classify", None);
    let of_program = builds.of_program();
    let page = html_report(&ReportInput {
        comparison: &examined.comparison,
        classification: &classification,
        tree: &tree,
        settings: classified.servers.diff.as_ref(),
        builds: of_program.map_or([None, None], |builds| [builds.before, builds.after]),
        title: args.title.as_deref(),
        command: &command_line(),
        tool: concat!("pdiff ", env!("CARGO_PKG_VERSION")),
    })?;
    timings.lap("render", Some(page.len() as u64));
    output.write(&page)?;
    if args.timings {
        crate::complain(&timings.report());
    }
    Ok(())
}
