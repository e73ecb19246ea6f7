//! The straight line of pdiff: text -> profile -> functions -> comparison.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use pdiff_analysis::{Comparison, ObjectFacts, RunInput, SideInput, Sides, choose_events, compare};
use pdiff_ingest::{ReadOptions, Source, read_profile};
use pdiff_profile::{ObjectKind, Profile, Side};
use pdiff_symbolize::{Resolved, SymbolizeOptions, resolve_profile};

use crate::progress::Progress;
use crate::settings::{Compared, DebugInfo, Inputs, Recording, SideFiles};
use crate::timings::Timings;

/// One recording, read and symbolised.
struct Run {
    path: String,
    profile: Profile,
    resolved: Option<Resolved>,
}

/// Reads, symbolises and compares.
pub(crate) fn run(compared: &Compared, quiet: bool, timings: &mut Timings) -> Result<Comparison> {
    let mut sides = Vec::new();
    for side in Side::BOTH {
        let mut runs = Vec::new();
        for recording in &compared.inputs.side(side).recordings {
            let profile = ingest(recording, &compared.inputs, side, quiet, timings)?;
            let resolved = symbolize(&profile, compared.debug_info.as_ref(), side, timings)?;
            runs.push(Run { path: recording.source.to_string(), profile, resolved });
        }
        sides.push(runs);
    }
    let [before, after] = sides.as_slice() else { unreachable!("there are two sides") };
    let recordings: Vec<(String, &Profile)> =
        before.iter().chain(after).map(|run| (run.path.clone(), &run.profile)).collect();
    let events = choose_events(&recordings, compared.inputs.event.as_deref())?;
    let (events_before, events_after) = events.split_at(before.len());
    let inputs = Sides {
        before: side_input(before, &compared.inputs.before, events_before),
        after: side_input(after, &compared.inputs.after, events_after),
    };
    let comparison = compare(&inputs, &compared.settings);
    timings.lap("compare", None);
    Ok(comparison)
}

fn ingest(
    recording: &Recording,
    inputs: &Inputs,
    side: Side,
    quiet: bool,
    timings: &mut Timings,
) -> Result<Profile> {
    let progress = Progress::new(format!("reading {}", recording.source), quiet);
    let options = ReadOptions {
        time: inputs.side(side).time,
        lenient: inputs.lenient,
        threads: inputs.threads,
        progress: Some(&|bytes, total| progress.update(bytes, total)),
    };
    let profile = read_profile(&recording.source, &options)?;
    let bytes = match &recording.source {
        Source::Path(path) => std::fs::metadata(path).ok().map(|metadata| metadata.len()),
        Source::Stdin => None,
    };
    timings.lap(format!("read {}", recording.source), bytes);
    Ok(profile)
}

fn symbolize(
    profile: &Profile,
    debug_info: Option<&DebugInfo>,
    side: Side,
    timings: &mut Timings,
) -> Result<Option<Resolved>> {
    let Some(debug_info) = debug_info else { return Ok(None) };
    let binaries = match side {
        Side::Before => &debug_info.binaries_before,
        Side::After => &debug_info.binaries_after,
    };
    let options = SymbolizeOptions {
        binaries: binaries.clone(),
        symfs: debug_info.symfs.clone(),
        build_id_dirs: debug_info.build_id_dirs.clone(),
        debug_roots: debug_info.debug_roots.clone(),
        build_ids: debug_info.build_ids.clone(),
        cache_dir: debug_info.cache_dir.clone(),
        allow_mismatch: debug_info.allow_mismatch,
        fetch: None,
    };
    let resolved =
        resolve_profile(profile, &options).with_context(|| format!("symbols of the {side} side"))?;
    timings.lap(format!("symbolise {side}"), None);
    Ok(Some(resolved))
}

fn side_input<'a>(runs: &'a [Run], files: &SideFiles, events: &[pdiff_profile::EventId]) -> SideInput<'a> {
    let input = |((run, recording), event): ((&'a Run, &Recording), &pdiff_profile::EventId)| RunInput {
        path: run.path.clone(),
        profile: &run.profile,
        resolutions: run.resolved.as_ref().map(|resolved| &resolved.resolutions),
        notes: run.resolved.as_ref().map(|resolved| &resolved.notes),
        event: *event,
        measures: recording.measures,
    };
    SideInput {
        label: files.label.clone(),
        runs: runs.iter().zip(&files.recordings).zip(events).map(input).collect(),
        objects: objects(runs),
    }
}

/// The files of a side, with what the symboliser found out about them.
fn objects(runs: &[Run]) -> Vec<ObjectFacts> {
    let mut seen = BTreeSet::new();
    let mut facts = Vec::new();
    for run in runs {
        for (index, object) in run.profile.objects.iter().enumerate() {
            if object.kind != ObjectKind::File || !seen.insert(object.path.clone()) {
                continue;
            }
            let found = run.resolved.iter().flat_map(|resolved| &resolved.objects);
            let found = found.into_iter().find(|found| found.object.index() == index);
            facts.push(ObjectFacts {
                path: object.path.to_string(),
                object_id: found.map(|found| found.id.clone()),
                build_id: object.build_id.as_ref().map(ToString::to_string),
                producers: Vec::new(),
            });
        }
    }
    facts
}
