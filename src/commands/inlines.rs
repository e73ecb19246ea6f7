//! `pdiff inlines`: what changed in inlining between two binaries, or packs of them, without any profile.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use pdiff::inlines::{Change, InlineReasons};
use pdiff::profile::{Notes, PerSide, Side};
use pdiff::render::{self, BuildFile, InlinesFilter, InlinesOptions, InlinesView};
use pdiff::{Aliases, Binary, Lookup};

use crate::cli::{InlinesArgs, InlinesFormat};
use crate::settings::{KNOWLEDGE, Page, cache_dir, inline_reasons, most_rows, read_file, with_servers_asked};

/// Takes the census of both, compares, and writes the result.
pub(crate) fn run(args: &InlinesArgs) -> Result<()> {
    let page = Page::new(&args.file, &args.color)?;
    let filter = filter(args)?;
    let lookup = lookup(args)?;
    let reasons = inline_reasons(&args.remarks)?;
    let [(before_path, of_before), (after_path, of_after)] = [
        files(args.before.as_ref(), &args.binary_before, &args.binary)?,
        files(args.after.as_ref(), &args.binary_after, &args.binary)?,
    ];
    let read = |names: Names, path: &Path, more: &[PathBuf], side: Side| {
        let binary = match names {
            Names::All => Binary::read_with(path, more, &lookup),
            Names::Late => Binary::read_with_late_names(path, more, &lookup),
        };
        binary.with_context(|| format!("the binary of the {side} side"))
    };
    let read = |names: Names| {
        let (before, after) = rayon::join(
            || read(names, before_path, &of_before, Side::Before),
            || read(names, after_path, &of_after, Side::After),
        );
        Ok::<_, anyhow::Error>((before?, after?))
    };
    let names = names(args, &reasons);
    let (mut before, mut after) = read(names)?;
    let aliases = renames(args, [&before, &after])?;
    if names == Names::Late && aliases.concern_libraries() {
        (before, after) = read(Names::All)?;
    }
    let comparison = before.compare(&after, &aliases);
    let mut notes = Notes::new();
    [&before, &after].into_iter().for_each(|binary| notes.merge(&binary.notes));
    let (before, after) = (&file(before_path, &before), &file(after_path, &after));
    let reasons = reasons.as_ref().map(Option::as_ref);
    let view =
        InlinesView { comparison: &comparison, before, after, reasons, filter: &filter, notes: &notes };
    write(args, &page, &view)
}

/// Which names of library functions are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    All,
    /// Those that the output shows.
    Late,
}

/// Tables show few functions. What lists or searches all of them, and compilers' remarks on any of them, need all names.
fn names(args: &InlinesArgs, reasons: &PerSide<Option<InlineReasons>>) -> Names {
    let is_of_few = !matches!(args.format, InlinesFormat::Json) && most_rows(args.top).is_some();
    let has_remarks = Side::BOTH.into_iter().any(|side| reasons[side].is_some());
    if is_of_few && args.function.is_none() && !has_remarks { Names::Late } else { Names::All }
}

/// The binary of a side, and files that may contain its debug information.
fn files<'a>(
    given: Option<&'a PathBuf>,
    own: &'a [PathBuf],
    of_either: &[PathBuf],
) -> Result<(&'a Path, Vec<PathBuf>)> {
    let (path, own) = match (given, own.split_first()) {
        (Some(path), _) => (path, own),
        (None, Some((path, rest))) => (path, rest),
        (None, None) => bail!("no binary; hint: give two, as `pdiff inlines old/server new/server`"),
    };
    Ok((path, own.iter().chain(of_either).cloned().collect()))
}

/// The renames of the files given, then those that are known of the program.
fn renames(args: &InlinesArgs, sides: [&Binary; 2]) -> Result<Aliases> {
    let known = sides.map(Binary::preset).into_iter().max_by_key(|preset| preset.program().is_some());
    let known = known.filter(|_| !args.no_builtin_aliases).unwrap_or_default();
    args.aliases.iter().try_fold(known.aliases(), |aliases, path| {
        Ok(aliases.with(read_file(path, KNOWLEDGE, Aliases::parse)?))
    })
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

fn lookup(args: &InlinesArgs) -> Result<Lookup> {
    let lookup = args.debug_root.iter().rev().fold(Lookup::new(), Lookup::debug_root);
    let cache = cache_dir(args.cache_dir.as_deref(), args.no_cache)?;
    with_servers_asked(cache.into_iter().fold(lookup, Lookup::cache_dir), false)
}

fn file(path: &Path, binary: &Binary) -> BuildFile {
    BuildFile {
        path: path.display().to_string(),
        object_id: binary.object_id.clone().unwrap_or_default(),
        build_id: binary.build_id.clone(),
        debug_path: binary.debug_path.clone(),
    }
}

fn write(args: &InlinesArgs, page: &Page, view: &InlinesView<'_>) -> Result<()> {
    let options = InlinesOptions { width: page.width, color: page.color, top: most_rows(args.top) };
    let output = &page.output;
    match args.format {
        InlinesFormat::Table => output.write(render::inlines_table(view, &options).as_bytes()),
        InlinesFormat::Markdown => output.write(render::inlines_markdown(view, &options).as_bytes()),
        InlinesFormat::Json => output.write_by(|out| Ok(render::write_inlines_json(view, out)?)),
    }
}
