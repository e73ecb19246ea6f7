//! `pdiff inlines`: what changed in inlining between two binaries, or packs of them, without any profile.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use pdiff::inlines::{Change, compare_inlines};
use pdiff::matching::match_functions;
use pdiff::profile::census::Census;
use pdiff::profile::{Notes, ObjectId, Side};
use pdiff::render::{self, BuildFile, InlinesFilter, InlinesOptions, InlinesView};
use pdiff::symbolize::{ObjectCensus, SymbolizeOptions, census_of};
use pdiff::{Aliases, Lookup, Preset, is_pack, read_pack, unpack};

use crate::cli::{InlinesArgs, InlinesFormat};
use crate::settings::{KNOWLEDGE, Page, cache_dir, most_rows, read_file, with_servers_asked};

/// More bytes than a pack's first mark has.
const MAGIC_BYTES: u64 = 16;

/// Takes the census of both, compares, and writes the result.
pub(crate) fn run(args: &InlinesArgs) -> Result<()> {
    let page = Page::new(&args.file, &args.color)?;
    let filter = filter(args)?;
    let options = lookup(args)?;
    let take =
        |path: &Path, side| taken(path, &options).with_context(|| format!("the binary of the {side} side"));
    let (before, after) = rayon::join(|| take(&args.before, Side::Before), || take(&args.after, Side::After));
    let (before, after) = (before?, after?);
    let aliases = renames(args, [&before, &after])?;
    let matching = match_functions(&before.census, &after.census, &aliases);
    let comparison = compare_inlines(&before.census, &after.census, &matching);
    let mut notes = Notes::new();
    [&before, &after].into_iter().for_each(|taken| notes.merge(&taken.notes));
    let (before, after) = (&before.file, &after.file);
    let view = InlinesView { comparison: &comparison, before, after, filter: &filter, notes: &notes };
    write(args, &page, &view)
}

/// The renames of the files given, then those that are known of the program.
fn renames(args: &InlinesArgs, sides: [&Taken; 2]) -> Result<Aliases> {
    let presets = sides.map(|taken| Preset::of_program(&taken.program));
    let known = presets.into_iter().max_by_key(|preset| preset.program().is_some());
    let known = known.filter(|_| !args.no_builtin_aliases).unwrap_or_default();
    args.aliases.iter().try_fold(known.aliases(), |aliases, path| {
        Ok(aliases.with(read_file(path, KNOWLEDGE, Aliases::parse)?))
    })
}

/// One side: its census, and what it was taken from.
struct Taken {
    census: Census,
    file: BuildFile,
    /// The name of the program's file.
    program: String,
    notes: Notes,
}

fn taken(path: &Path, options: &SymbolizeOptions) -> Result<Taken> {
    if begins_like_a_pack(path)? {
        return packed(path);
    }
    let taken = census_of(path, options)?;
    let program = file_name(path);
    Ok(Taken { file: file(path, &taken), program, census: taken.census, notes: taken.notes })
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn begins_like_a_pack(path: &Path) -> Result<bool> {
    let opened = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut head = Vec::new();
    // What cannot be read (a directory) is told of by whoever reads it as a binary.
    let _is_told_later = opened.take(MAGIC_BYTES).read_to_end(&mut head);
    Ok(is_pack(&head))
}

/// The whole census of a pack.
fn packed(path: &Path) -> Result<Taken> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let pack = read_pack(&bytes).with_context(|| path.display().to_string())?;
    let object = pack.objects.iter().find_map(|object| Some((object, object.census.as_ref()?)));
    let hint = "hint: make it by `pdiff pack --full-census --binary FILE`";
    let Some((object, census)) = object else { bail!("{} holds no census; {hint}", path.display()) };
    let census = unpack(census)?;
    if census.is_part() {
        bail!("{} holds only what verdicts need of the census; {hint}", path.display());
    }
    let file = BuildFile {
        path: path.display().to_string(),
        object_id: object.object_id.as_ref().map_or_else(String::new, ToString::to_string),
        build_id: match &object.object_id {
            Some(ObjectId::BuildId(id)) => Some(id.to_string()),
            _ => object.build_id.clone(),
        },
        debug_path: None,
    };
    let program = file_name(Path::new(&object.path));
    Ok(Taken { census, file, program, notes: Notes::new() })
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
    let lookup = args.debug_root.iter().rev().fold(Lookup::new(), Lookup::debug_root);
    let cache = cache_dir(args.cache_dir.as_deref(), args.no_cache)?;
    let lookup = cache.into_iter().fold(lookup, Lookup::cache_dir);
    Ok(with_servers_asked(lookup, false)?.options(&[]))
}

fn file(path: &Path, taken: &ObjectCensus) -> BuildFile {
    BuildFile {
        path: path.display().to_string(),
        object_id: taken.id.to_string(),
        build_id: taken.build_id.as_ref().map(ToString::to_string),
        debug_path: taken.debug_path.as_ref().map(|path| path.display().to_string()),
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
