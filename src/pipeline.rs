//! The straight line of pdiff: text -> profile -> functions -> comparison.

mod builds_read;

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use pdiff_analysis::noise::{ASSUMED_CV, FALSE_DISCOVERY_RATE, NoiseSettings};
use pdiff_analysis::{
    Aliases, CallTree, CompareSettings, Comparison, Filters, FunctionLines, GroupBy, Inlines, Knowledge,
    ObjectFacts, Policy, RowFunction, RunInput, SampledCalls, Share, SideInput, Sides, TreeSettings,
    choose_events, compare, compare_with_calls, compare_with_tree, hot_lines,
};
use pdiff_ingest::{Input, PackedCensus, PackedObject, PackedRun, ReadOptions, Source, read_input};
use pdiff_profile::names::MatchLevel;
use pdiff_profile::{EventId, Notes, ObjectKind, Profile, Resolutions, RunMeasures, Side};
use pdiff_symbolize::{Resolved, SymbolizeOptions, resolve_profile};

use crate::complain;
use crate::debuginfod::Debuginfod;
use crate::progress::Progress;
use crate::settings::{Compared, DebugInfo, Inputs, Recording};
use crate::timings::Timings;

pub(crate) use builds_read::BuildsRead;

/// One recording, read and symbolised.
pub(crate) struct Run {
    path: String,
    profile: Profile,
    resolutions: Option<Resolutions>,
    notes: Notes,
    objects: Vec<ObjectFacts>,
    /// The files that were found for its objects.
    files: Vec<FoundFile>,
    /// The censuses that a pack brought along, by the object's path.
    censuses: Vec<(String, PackedCensus)>,
    /// Whether it is a pack that was symbolised where the binaries are.
    is_packed: bool,
    measures: RunMeasures,
}

/// A file that stands for an object of a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FoundFile {
    /// The object's path in the profile.
    pub(crate) path: String,
    /// The file that was read.
    pub(crate) file: PathBuf,
}

/// A comparison with what verdicts need beyond it.
pub(crate) struct Examined {
    pub(crate) comparison: Comparison,
    pub(crate) calls: SampledCalls,
    /// What is there of the code of each side's objects, base first.
    pub(crate) code: [FoundCode; 2],
}

/// What is there of the code of one side's objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundCode {
    /// Files.
    pub(crate) files: Vec<FoundFile>,
    /// Censuses of packs, by the object's path.
    pub(crate) censuses: Vec<(String, PackedCensus)>,
    /// Whether packs stand for the binaries.
    pub(crate) is_packed: bool,
}

impl Examined {
    /// What is there of the code of one side's objects.
    pub(crate) fn code_of(&self, side: Side) -> &FoundCode {
        &self.code[usize::from(side == Side::After)]
    }
}

/// Reads, symbolises and compares.
pub(crate) fn run(compared: &Compared, quiet: bool, timings: &mut Timings) -> Result<Comparison> {
    let [before, after] = read_sides(compared, quiet, timings)?;
    let comparison = compare(&inputs(compared, &before, &after)?, &compared.settings);
    check_samples(&comparison, &before, &after)?;
    timings.lap("compare", None);
    Ok(comparison)
}

/// Reads, symbolises and compares, and keeps what verdicts need. `meanwhile` is done beside the comparison, with what was
/// found of the code of each side.
pub(crate) fn examine<T: Send>(
    compared: &Compared,
    quiet: bool,
    timings: &mut Timings,
    meanwhile: impl FnOnce(&[FoundCode; 2]) -> T + Send,
) -> Result<(Examined, ReadSides, T)> {
    let [before, after] = read_sides(compared, quiet, timings)?;
    let code = [&before, &after].map(|runs| found_code(runs));
    let sides = inputs(compared, &before, &after)?;
    let ((comparison, calls), done) = std::thread::scope(|scope| {
        let done = scope.spawn(|| meanwhile(&code));
        let compared = compare_with_calls(&sides, &compared.settings);
        timings.lap("compare", None);
        (compared, done.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    check_samples(&comparison, &before, &after)?;
    Ok((Examined { comparison, calls, code }, ReadSides { before, after }, done))
}

/// The recordings of both sides, for those who look at them again.
pub(crate) struct ReadSides {
    before: Vec<Run>,
    after: Vec<Run>,
}

impl ReadSides {
    /// The same recordings by part of the program, as shares of all CPU.
    pub(crate) fn by_subsystem(&self, compared: &Compared) -> Result<Comparison> {
        let settings =
            CompareSettings { group_by: GroupBy::Subsystem, share: Share::All, ..compared.settings.clone() };
        Ok(compare(&inputs(compared, &self.before, &self.after)?, &settings))
    }

    /// The hot lines of functions.
    pub(crate) fn hot_lines(
        &self,
        compared: &Compared,
        functions: &[RowFunction],
    ) -> Result<Vec<FunctionLines>> {
        Ok(hot_lines(&inputs(compared, &self.before, &self.after)?, &compared.settings, functions))
    }
}

/// Reads, symbolises and compares, and makes one tree of both sides' stacks.
pub(crate) fn examine_with_tree(
    compared: &Compared,
    tree: &TreeSettings,
    quiet: bool,
    timings: &mut Timings,
) -> Result<(Examined, CallTree, ReadSides)> {
    let [before, after] = read_sides(compared, quiet, timings)?;
    let sides = inputs(compared, &before, &after)?;
    let (comparison, calls, tree) = compare_with_tree(&sides, &compared.settings, tree);
    check_samples(&comparison, &before, &after)?;
    timings.lap("compare", None);
    let code = [&before, &after].map(|runs| found_code(runs));
    Ok((Examined { comparison, calls, code }, tree, ReadSides { before, after }))
}

/// What was found of a side's code, each file once.
fn found_code(runs: &[Run]) -> FoundCode {
    let mut code = FoundCode::default();
    for run in runs {
        code.files.extend_from_slice(&run.files);
        code.censuses.extend_from_slice(&run.censuses);
        code.is_packed |= run.is_packed;
    }
    code.files.sort_by(|a, b| (&a.path, &a.file).cmp(&(&b.path, &b.file)));
    code.files.dedup();
    code
}

/// A filter that leaves a side without samples is a mistake, not a result.
fn check_samples(comparison: &Comparison, before: &[Run], after: &[Run]) -> Result<()> {
    for (side, runs) in [(Side::Before, before), (Side::After, after)] {
        if !runs.is_empty() && comparison.side(side).samples == 0 {
            let comms: BTreeSet<&str> = runs
                .iter()
                .flat_map(|run| run.profile.threads.iter().map(|thread| run.profile.string(thread.comm)))
                .collect();
            let some: Vec<&str> = comms.into_iter().take(MOST_COMMS).collect();
            bail!(
                "the filters ({}) leave no samples on the {side} side; hint: its threads are named {}",
                comparison.filtered,
                some.join(", ")
            );
        }
    }
    Ok(())
}

/// Thread names that an error lists.
const MOST_COMMS: usize = 8;

fn read_sides(compared: &Compared, quiet: bool, timings: &mut Timings) -> Result<[Vec<Run>; 2]> {
    let mut sides = Vec::new();
    for side in Side::BOTH {
        let debug_info = compared.debug_info.as_ref();
        let read = |recording| read_run(recording, &compared.inputs, debug_info, side, quiet, timings);
        let runs: Vec<Run> = compared.inputs.side(side).recordings.iter().map(read).collect::<Result<_>>()?;
        sides.push(runs);
    }
    Ok(sides.try_into().unwrap_or_else(|_| unreachable!("there are two sides")))
}

fn inputs<'a>(compared: &Compared, before: &'a [Run], after: &'a [Run]) -> Result<Sides<'a>> {
    let recordings: Vec<(String, &Profile)> =
        before.iter().chain(after).map(|run| (run.path.clone(), &run.profile)).collect();
    let events = choose_events(&recordings, compared.inputs.event.as_deref())?;
    let (events_before, events_after) = events.split_at(before.len());
    Ok(Sides {
        before: side_input(before, &compared.inputs.before.label, events_before),
        after: side_input(after, &compared.inputs.after.label, events_after),
    })
}

/// Reads one recording and finds its functions; a pack brings them along.
pub(crate) fn read_run(
    recording: &Recording,
    inputs: &Inputs,
    debug_info: Option<&DebugInfo>,
    side: Side,
    quiet: bool,
    timings: &mut Timings,
) -> Result<Run> {
    let path = recording.source.to_string();
    let (profile, packed) = match ingest(recording, inputs, side, quiet, timings)? {
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
        let settings = CompareSettings {
            policy: Policy { match_level: MatchLevel::Qualified, inlines: Inlines::Expand },
            share: Share::All,
            group_by: GroupBy::Function,
            filters: Filters::default(),
            knowledge,
            noise: NoiseSettings { assumed_cv: ASSUMED_CV, false_discovery_rate: FALSE_DISCOVERY_RATE },
            scale_to_cpu_seconds: false,
        };
        let code = FoundCode { files: self.files.clone(), ..FoundCode::default() };
        let examined = |event: usize| {
            let event = EventId(u32::try_from(event).ok()?);
            let side = || side_input(std::slice::from_ref(self), "", &[event]);
            let (comparison, calls) = compare_with_calls(&Sides { before: side(), after: side() }, &settings);
            Some(Examined { comparison, calls, code: [code.clone(), FoundCode::default()] })
        };
        (0..self.profile.events.len()).filter_map(examined).collect()
    }

    /// As a pack holds it, with the census of one object.
    pub(crate) fn into_pack(self, mut census: Option<(String, PackedCensus)>) -> PackedRun {
        let mut object = |object: ObjectFacts| PackedObject {
            census: census.take_if(|(path, _)| *path == object.path).map(|(_, census)| census),
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

fn ingest(
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

fn side_input<'a>(runs: &'a [Run], label: &str, events: &[EventId]) -> SideInput<'a> {
    let input = |(run, event): (&'a Run, &EventId)| RunInput {
        path: run.path.clone(),
        profile: &run.profile,
        resolutions: run.resolutions.as_ref(),
        notes: Some(&run.notes),
        event: *event,
        measures: run.measures,
    };
    let mut seen = BTreeSet::new();
    let objects = runs.iter().flat_map(|run| &run.objects).filter(|object| seen.insert(&object.path));
    SideInput {
        label: label.to_owned(),
        objects: objects.cloned().collect(),
        runs: runs.iter().zip(events).map(input).collect(),
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
