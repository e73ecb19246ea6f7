//! One recording: read, its functions found, or both brought along by a pack.

use std::path::Path;

use anyhow::{Context, Result};
use pdiff_analysis::{Aliases, GroupBy, Knowledge, ObjectFacts, Sides, compare_with_calls};
use pdiff_ingest::{Input, PackedCensus, PackedObject, PackedRun, ReadOptions, Source, read_input};
use pdiff_profile::{EventId, Notes, ObjectKind, Profile, Resolutions, RunMeasures, Side};
use pdiff_symbolize::{Resolved, SymbolizeOptions, resolve_profile};

use super::Examined;
use super::found_code::{FoundCode, FoundFile};
use super::sides::side_input;
use crate::complain;
use crate::debuginfod::Debuginfod;
use crate::progress::Progress;
use crate::settings::{DebugInfo, Inputs, Recording, usual_settings};
use crate::timings::Timings;

/// One recording, read and symbolised.
pub(crate) struct Run {
    pub(super) path: String,
    pub(super) profile: Profile,
    pub(super) resolutions: Option<Resolutions>,
    pub(super) notes: Notes,
    pub(super) objects: Vec<ObjectFacts>,
    /// The files that were found for its objects.
    pub(super) files: Vec<FoundFile>,
    /// The censuses that a pack brought along, by the object's path.
    pub(super) censuses: Vec<(String, PackedCensus)>,
    /// Whether it is a pack that was symbolised where the binaries are.
    pub(super) is_packed: bool,
    pub(super) measures: RunMeasures,
}

/// Reads one recording and finds its functions.
pub(crate) fn read_run(
    recording: &Recording,
    inputs: &Inputs,
    debug_info: Option<&DebugInfo>,
    side: Side,
    quiet: bool,
    timings: &mut Timings,
) -> Result<Run> {
    let input = ingest(recording, inputs, side, quiet, timings)?;
    find_functions(recording, input, debug_info, side, timings)
}

/// Finds the functions of a recording that has been read; a pack brings them along.
pub(super) fn find_functions(
    recording: &Recording,
    input: Input,
    debug_info: Option<&DebugInfo>,
    side: Side,
    timings: &mut Timings,
) -> Result<Run> {
    let path = recording.source.to_string();
    let (profile, packed) = match input {
        Input::Text(profile) => (profile, None),
        Input::Pack(pack) => {
            let measures = recording.measures.or(pack.measures);
            if let Some(resolutions) = pack.resolutions {
                let mut objects = pack.objects;
                let census = |object: &mut PackedObject| Some((object.path.clone(), object.census.take()?));
                return Ok(Run {
                    path,
                    profile: pack.profile,
                    resolutions: debug_info.map(|_| resolutions),
                    notes: pack.notes,
                    censuses: objects.iter_mut().filter_map(census).collect(),
                    objects: objects.into_iter().map(packed_object).collect(),
                    files: Vec::new(),
                    is_packed: true,
                    measures,
                });
            }
            (pack.profile, Some(measures))
        }
    };
    let resolved = symbolize(&profile, debug_info, side, timings)?;
    let objects = objects(&profile, resolved.as_ref());
    let files = resolved.as_ref().map_or_else(Vec::new, |resolved| found_files(&profile, resolved));
    for binary in debug_info.into_iter().flat_map(|info| unused_binaries(info, side, resolved.as_ref())) {
        complain(&format!(
            "pdiff: warning: {binary} is not used: no object of the {side} side has its build-id or file name"
        ));
    }
    let (resolutions, notes) = match resolved {
        Some(resolved) => (Some(resolved.resolutions), resolved.notes),
        None => (None, Notes::new()),
    };
    let measures = packed.unwrap_or(recording.measures);
    let (censuses, is_packed) = (Vec::new(), false);
    Ok(Run { path, profile, resolutions, notes, objects, files, censuses, is_packed, measures })
}

/// Binaries given by the user that no object of the profile is.
fn unused_binaries(debug_info: &DebugInfo, side: Side, resolved: Option<&Resolved>) -> Vec<String> {
    let file = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let same = |a: &Path, b: &Path| file(a) == file(b);
    let used = |binary: &Path| {
        let mut objects = resolved.iter().flat_map(|resolved| &resolved.objects);
        objects.any(|object| {
            same(binary, &object.file) || object.debug_file.as_deref().is_some_and(|file| same(binary, file))
        })
    };
    let binaries = debug_info.binaries(side).iter();
    binaries.filter(|binary| !used(binary)).map(|binary| binary.display().to_string()).collect()
}

fn packed_object(object: PackedObject) -> ObjectFacts {
    ObjectFacts {
        path: object.path,
        object_id: object.object_id,
        build_id: object.build_id,
        producers: object.producers,
        has_debug_info: object.has_debug_info,
    }
}

impl Run {
    /// The run compared with itself, event by event: what its rows are called in a comparison.
    pub(crate) fn examine(&self) -> Vec<Examined> {
        let knowledge = Knowledge { aliases: Aliases::default(), ..Knowledge::builtin() };
        let settings = usual_settings(GroupBy::Function, knowledge);
        let code = FoundCode { files: self.files.clone(), ..FoundCode::default() };
        let examined = |event: usize| {
            let event = EventId(u32::try_from(event).ok()?);
            let side = || side_input(std::slice::from_ref(self), "", &[event]);
            let (comparison, calls) = compare_with_calls(&Sides { before: side(), after: side() }, &settings);
            Some(Examined { comparison, calls, code: [code.clone(), FoundCode::default()] })
        };
        (0..self.profile.events.len()).filter_map(examined).collect()
    }

    /// As a pack holds it, with the census of one object, and those that a pack brought along.
    pub(crate) fn into_pack(self, census: Option<(String, PackedCensus)>) -> PackedRun {
        let mut censuses: Vec<(String, PackedCensus)> = census.into_iter().chain(self.censuses).collect();
        let mut census_of = |object: &str| {
            let at = censuses.iter().position(|(path, _)| path == object)?;
            Some(censuses.remove(at).1)
        };
        let mut object = |object: ObjectFacts| PackedObject {
            census: census_of(&object.path),
            path: object.path,
            object_id: object.object_id,
            build_id: object.build_id,
            has_debug_info: object.has_debug_info,
            producers: object.producers,
        };
        PackedRun {
            tool_version: concat!("pdiff ", env!("CARGO_PKG_VERSION")).to_owned(),
            profile: self.profile,
            resolutions: self.resolutions,
            notes: self.notes,
            objects: self.objects.into_iter().map(&mut object).collect(),
            measures: self.measures,
        }
    }
}

/// Reads one recording with all workers.
pub(super) fn ingest(
    recording: &Recording,
    inputs: &Inputs,
    side: Side,
    quiet: bool,
    timings: &mut Timings,
) -> Result<Input> {
    let progress = Progress::new(format!("reading {}", recording.source), quiet);
    let options = ReadOptions {
        time: inputs.side(side).time,
        lenient: inputs.lenient,
        threads: inputs.threads,
        progress: Some(&|bytes, total| progress.update(bytes, total)),
    };
    let input = read_input(&recording.source, &options)?;
    let bytes = match &recording.source {
        Source::Path(path) => std::fs::metadata(path).ok().map(|metadata| metadata.len()),
        Source::Stdin | Source::Bytes { .. } => None,
    };
    timings.lap(format!("read {}", recording.source), bytes);
    Ok(input)
}

fn symbolize(
    profile: &Profile,
    debug_info: Option<&DebugInfo>,
    side: Side,
    timings: &mut Timings,
) -> Result<Option<Resolved>> {
    let Some(debug_info) = debug_info else { return Ok(None) };
    let options = symbolize_options(debug_info, side);
    let resolved =
        resolve_profile(profile, &options).with_context(|| format!("symbols of the {side} side"))?;
    timings.lap(format!("symbolise {side}"), None);
    Ok(Some(resolved))
}

/// Where a side's binaries are looked for.
pub(crate) fn symbolize_options(debug_info: &DebugInfo, side: Side) -> SymbolizeOptions {
    SymbolizeOptions {
        binaries: debug_info.binaries(side).to_vec(),
        symfs: debug_info.symfs.clone(),
        build_id_dirs: debug_info.build_id_dirs.clone(),
        debug_roots: debug_info.debug_roots.clone(),
        build_ids: debug_info.build_ids.clone(),
        cache_dir: debug_info.cache_dir.clone(),
        allow_mismatch: debug_info.allow_mismatch,
        fetch: debug_info.debuginfod.as_ref().map(Debuginfod::fetch),
    }
}

fn found_files(profile: &Profile, resolved: &Resolved) -> Vec<FoundFile> {
    let found = resolved.objects.iter().filter_map(|found| {
        let object = profile.objects.get(found.object.index())?;
        Some(FoundFile { path: object.path.to_string(), file: found.file.clone() })
    });
    found.collect()
}

/// The files of a profile, with what the symboliser found out about them.
fn objects(profile: &Profile, resolved: Option<&Resolved>) -> Vec<ObjectFacts> {
    let files = profile.objects.iter().enumerate().filter(|(_, object)| object.kind == ObjectKind::File);
    let facts = files.map(|(index, object)| {
        let mut found = resolved.iter().flat_map(|resolved| &resolved.objects);
        let found = found.find(|found| found.object.index() == index);
        ObjectFacts {
            path: object.path.to_string(),
            object_id: found.map(|found| found.id.clone()),
            build_id: object.build_id.as_ref().map(ToString::to_string),
            producers: Vec::new(),
            has_debug_info: found.is_some_and(|found| found.has_debug_info),
        }
    });
    facts.collect()
}
