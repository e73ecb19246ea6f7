//! `pdiff inlines`: what changed in inlining between two binaries, without any profile.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use pdiff_analysis::inlines::{Change, InlineComparison, compare_inlines};
use pdiff_analysis::matching::match_functions;
use pdiff_profile::{Notes, Side};
use pdiff_render::{BuildFile, InlinesFilter, InlinesOptions, InlinesView};
use pdiff_symbolize::{ObjectCensus, SymbolizeOptions, census_of};

use crate::cli::{InlinesArgs, InlinesFormat};
use crate::debuginfod::Debuginfod;
use crate::output::Output;
use crate::settings::{cache_dir, debug_roots, debuginfod, known_renames, table_width, use_color};

/// Takes the census of both, compares, and writes the result.
pub(crate) fn run(args: &InlinesArgs) -> Result<()> {
    let filter = filter(args)?;
    let aliases = known_renames(&args.aliases, args.no_builtin_aliases)?;
    let options = lookup(args)?;
    let take = |path: &Path, side| {
        census_of(path, &options).with_context(|| format!("the binary of the {side} side"))
    };
    let (before, after) = rayon::join(|| take(&args.before, Side::Before), || take(&args.after, Side::After));
    let (before, after) = (before?, after?);
    let matching = match_functions(&before.census, &after.census, &aliases);
    let comparison = compare_inlines(&before.census, &after.census, &matching);
    let mut notes = Notes::new();
    [&before, &after].into_iter().for_each(|taken| notes.merge(&taken.notes));
    let files = [(&args.before, &before), (&args.after, &after)].map(|(path, taken)| file(path, taken));
    write(args, &comparison, &files, &filter, &notes)
}

fn filter(args: &InlinesArgs) -> Result<InlinesFilter> {
    let change = |word: &String| {
        let found = Change::ALL.into_iter().find(|change| change.as_str() == word.as_str());
        let known = || Change::ALL.map(Change::as_str).join(", ");
        found.ok_or_else(|| anyhow!("--change: '{word}' is no change; hint: use {}", known()))
    };
    let pattern = |word: &String| word.parse().map_err(|error| anyhow!("--function: {error}"));
    Ok(InlinesFilter {
        changes: args.change.iter().map(change).collect::<Result<_>>()?,
        function: args.function.as_ref().map(pattern).transpose()?,
    })
}

fn lookup(args: &InlinesArgs) -> Result<SymbolizeOptions> {
    let mut roots = args.debug_root.clone();
    roots.extend(debug_roots());
    Ok(SymbolizeOptions {
        debug_roots: roots,
        cache_dir: cache_dir(args.cache_dir.as_deref(), args.no_cache),
        fetch: debuginfod(false)?.as_ref().map(Debuginfod::fetch),
        ..SymbolizeOptions::new()
    })
}

fn file(path: &Path, taken: &ObjectCensus) -> BuildFile {
    BuildFile {
        path: path.display().to_string(),
        object_id: taken.id.to_string(),
        build_id: taken.build_id.as_ref().map(ToString::to_string),
        debug_path: taken.debug_path.as_ref().map(|path| path.display().to_string()),
    }
}

fn write(
    args: &InlinesArgs,
    comparison: &InlineComparison<'_>,
    [before, after]: &[BuildFile; 2],
    filter: &InlinesFilter,
    notes: &Notes,
) -> Result<()> {
    let view = InlinesView { comparison, before, after, filter, notes };
    let output = Output::new(args.output.clone());
    let to_terminal = output.is_terminal();
    let options = InlinesOptions {
        width: table_width(to_terminal),
        color: use_color(args.color, to_terminal),
        top: (args.top > 0).then_some(args.top),
    };
    match args.format {
        InlinesFormat::Table => output.write(pdiff_render::inlines_table(&view, &options).as_bytes()),
        InlinesFormat::Markdown => output.write(pdiff_render::inlines_markdown(&view, &options).as_bytes()),
        InlinesFormat::Json => output.write_by(|out| Ok(pdiff_render::write_inlines_json(&view, out)?)),
    }
}
