//! One recording: read, its functions found, or both brought along by a pack.

use std::path::{Path, PathBuf};

use pdiff_analysis::{ObjectFacts, RunInput};
use pdiff_ingest::{Input, PackedCensus, PackedObject, PackedRun};
use pdiff_profile::{EventId, Notes, ObjectKind, Profile, Resolutions, RunMeasures, Side};
use pdiff_symbolize::{Resolved, resolve_profile};

use super::Reading;
use crate::error::Error;
use crate::progress::Warning;
use crate::recording::Recording;

/// One recording, read and symbolised.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) path: String,
    pub(crate) profile: Profile,
    pub(crate) resolutions: Option<Resolutions>,
    pub(crate) notes: Notes,
    pub(crate) objects: Vec<ObjectFacts>,
    /// The files that were found for its objects.
    pub(crate) files: Vec<FoundFile>,
    /// The censuses that a pack brought along, by the object's path.
    pub(crate) censuses: Vec<(String, PackedCensus)>,
    /// Whether it is a pack that was symbolised where the binaries are.
    pub(crate) is_packed: bool,
    pub(crate) measures: RunMeasures,
}

/// A file that stands for an object of a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FoundFile {
    /// The object's path in the profile.
    pub(crate) path: String,
    /// The file that was read.
    pub(crate) file: PathBuf,
}

/// Finds the functions of a recording that has been read; a pack brings them along.
pub(super) fn find_functions(
    recording: &Recording,
    input: Input,
    binaries: &[PathBuf],
    side: Side,
    reading: &Reading,
) -> Result<(Run, Vec<Warning>), Error> {
    let path = recording.source.to_string();
    let (profile, measures) = match input {
        Input::Text(profile) => (profile, recording.measures),
        Input::Pack(pack) => {
            let measures = recording.measures.or(pack.measures);
            if let Some(resolutions) = pack.resolutions {
                let mut objects = pack.objects;
                let census = |object: &mut PackedObject| Some((object.path.clone(), object.census.take()?));
                let run = Run {
                    path,
                    profile: pack.profile,
                    resolutions: reading.lookup.is_some().then_some(resolutions),
                    notes: pack.notes,
                    censuses: objects.iter_mut().filter_map(census).collect(),
                    objects: objects.into_iter().map(packed_object).collect(),
                    files: Vec::new(),
                    is_packed: true,
                    measures,
                };
                return Ok((run, Vec::new()));
            }
            (pack.profile, measures)
        }
    };
    let resolved = symbolize(&profile, binaries, side, reading)?;
    let objects = objects(&profile, resolved.as_ref());
    let files = resolved.as_ref().map_or_else(Vec::new, |resolved| found_files(&profile, resolved));
    let odd = match reading.lookup {
        Some(_) => unused_binaries(binaries, side, resolved.as_ref()),
        None => Vec::new(),
    };
    let (resolutions, notes) = match resolved {
        Some(resolved) => (Some(resolved.resolutions), resolved.notes),
        None => (None, Notes::new()),
    };
    let (censuses, is_packed) = (Vec::new(), false);
    Ok((Run { path, profile, resolutions, notes, objects, files, censuses, is_packed, measures }, odd))
}

/// Binaries given by the user that no object of the profile is.
fn unused_binaries(binaries: &[PathBuf], side: Side, resolved: Option<&Resolved>) -> Vec<Warning> {
    let file = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let same = |a: &Path, b: &Path| file(a) == file(b);
    let used = |binary: &Path| {
        let mut objects = resolved.iter().flat_map(|resolved| &resolved.objects);
        objects.any(|object| {
            same(binary, &object.file) || object.debug_file.as_deref().is_some_and(|file| same(binary, file))
        })
    };
    let unused = binaries.iter().filter(|binary| !used(binary));
    unused.map(|binary| Warning::UnusedBinary { path: binary.clone(), side }).collect()
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
    /// As the analysis wants it.
    pub(crate) fn input(&self, event: EventId) -> RunInput<'_> {
        RunInput {
            path: self.path.clone(),
            profile: &self.profile,
            resolutions: self.resolutions.as_ref(),
            notes: Some(&self.notes),
            event,
            measures: self.measures,
        }
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

fn symbolize(
    profile: &Profile,
    binaries: &[PathBuf],
    side: Side,
    reading: &Reading,
) -> Result<Option<Resolved>, Error> {
    let Some(lookup) = &reading.lookup else { return Ok(None) };
    let resolved = resolve_profile(profile, &lookup.options(binaries))
        .map_err(|source| Error::Symbols { side, source })?;
    reading.watcher.finished(&format!("symbolise {side}"), None);
    Ok(Some(resolved))
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
