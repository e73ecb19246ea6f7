//! Files of counted calls, one list of them a side.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use pdiff::classify::CallCounts;
use pdiff::profile::{CallSource, CountedCalls, NoteKind, Notes, PerSide, Side};
use pdiff::{BranchCounter, Lookup, Source, is_perf_data, parse_counts};

use super::{COUNTS, lookup, read_file};
use crate::cli::{DebugInfoArgs, EvidenceArgs};

/// The counts of both sides, where they are given.
pub(crate) fn call_counts(
    args: &EvidenceArgs,
    debug_info: &DebugInfoArgs,
    lenient: bool,
    quiet: bool,
) -> Result<Option<CallCounts>> {
    if args.counts_before.is_empty() || args.counts_after.is_empty() {
        return Ok(None);
    }
    let lookup = lookup(&debug_info.lookup, quiet)?;
    let files = PerSide::new(&debug_info.binary_before, &debug_info.binary_after);
    let binaries = files.map(|files| Binaries { files, lookup: lookup.as_ref(), lenient });
    let before = counted(&args.counts_before, Side::Before, binaries.before)?;
    let after = counted(&args.counts_after, Side::After, binaries.after)?;
    if before.source != after.source {
        bail!(
            "--counts-before is {}, --counts-after {}: they count differently; hint: count both sides with one tool",
            before.source,
            after.source
        );
    }
    let operations = PerSide::new(args.counts_operations_before, args.counts_operations_after);
    if before.source == CallSource::Table && operations.iter().any(|(_, count)| count.is_some()) {
        bail!("--counts-operations-before: a table is per operation already; hint: leave it out");
    }
    let names = PerSide::new(named(&args.counts_before), named(&args.counts_after));
    let origin = origin(before.source, &names, operations);
    let per_operation =
        |counts: CountedCalls, operations: Option<f64>| counts.divided_by(operations.unwrap_or(1.0));
    let before = per_operation(before, operations.before);
    let after = per_operation(after, operations.after);
    let counts = CallCounts::of_sides(&before, &after, &origin);
    let is_per_run = operations.both().is_none() && before.source != CallSource::Table;
    Ok(Some(if is_per_run { counts.of_whole_runs() } else { counts }))
}

fn origin(source: CallSource, names: &PerSide<String>, operations: PerSide<Option<f64>>) -> String {
    let unit = match (operations.both(), source) {
        (Some(PerSide { before, after }), _) => format!(", over {before} and {after} operations"),
        (_, CallSource::Table) => String::new(),
        (_, CallSource::BranchRecords) => ", sampled".to_owned(),
        _ => ", taking each side's whole count for one operation".to_owned(),
    };
    format!("{source} in {} and {}{unit}", names.before, names.after)
}

fn named(paths: &[PathBuf]) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match paths {
        [path, rest @ ..] if !rest.is_empty() => format!("{} and {} more", name(path), rest.len()),
        paths => paths.iter().map(|path| name(path)).collect(),
    }
}

/// Where the functions of addresses are found, for recordings with branch records.
#[derive(Clone, Copy)]
pub(crate) struct Binaries<'a> {
    /// Given by the user.
    pub(crate) files: &'a [PathBuf],
    pub(crate) lookup: Option<&'a Lookup>,
    /// Go on however many records cannot be read.
    pub(crate) lenient: bool,
}

/// What the files of one side counted, together.
pub(crate) fn counted(paths: &[PathBuf], side: Side, binaries: Binaries<'_>) -> Result<CountedCalls> {
    let mut whole: Option<CountedCalls> = None;
    for path in paths {
        let counts = counted_in(path, side, binaries)?;
        match &mut whole {
            None => whole = Some(counts),
            Some(whole) if whole.source == counts.source => whole.merge(counts),
            Some(whole) => bail!(
                "{}: {} beside {}; hint: give files of one tool",
                path.display(),
                counts.source,
                whole.source
            ),
        }
    }
    whole.ok_or_else(|| anyhow::anyhow!("no file of counted calls"))
}

fn counted_in(path: &Path, side: Side, binaries: Binaries<'_>) -> Result<CountedCalls> {
    let source = Source::Path(path.to_owned());
    if path.is_file() && is_perf_data(&source)? {
        let counter = BranchCounter::new(source).lookup(binaries.lookup.cloned()).lenient(binaries.lenient);
        let counted = binaries.files.iter().fold(counter, BranchCounter::binary).count()?;
        complain_of_missing(&path.display().to_string(), &counted.notes, "calls are missing", &MISSING);
        return Ok(counted.calls);
    }
    read_file(path, COUNTS, |text| parse_counts(text, side))
}

/// What a recording lacks, calls with it.
const MISSING: [NoteKind; 4] =
    [NoteKind::LostSamples, NoteKind::CutRecording, NoteKind::DamagedRecord, NoteKind::Throttled];

/// Says which of some kinds of notes a recording has, and so what is missing.
pub(crate) fn complain_of_missing(path: &str, notes: &Notes, what: &str, kinds: &[NoteKind]) {
    for note in notes.iter().filter(|note| kinds.contains(&note.kind)) {
        let (kind, count, examples) = (note.kind, note.count, note.examples.join("; "));
        let count = if count > 1 { format!(" x{count}") } else { String::new() };
        crate::complain(&format!("pdiff: note: {path}: {what}: {kind}{count}: {examples}"));
    }
}
