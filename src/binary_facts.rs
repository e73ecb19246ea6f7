//! The contents of the program's builds: the census of each, from its binary or from packs, and which objects are the same
//! file on both sides.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pdiff_analysis::classify::ObjectBuilds;
use pdiff_analysis::matching::{MATCHING_VERSION, Matching, match_functions};
use pdiff_analysis::{Aliases, ObjectFacts, Program, SideObject};
use pdiff_ingest::PackedCensus;
use pdiff_profile::census::Census;
use pdiff_profile::{Notes, PerSide, Side};
use pdiff_symbolize::{
    CachedCensus, ObjectCensus, PairCache, Symbolizer, census_of, kept_sampled_census, sampled_census,
};

use crate::build::Build;
use crate::error::Error;
use crate::lookup::Lookup;
use crate::read::ReadBuild;

/// The facts that the files of both sides give about the program, as far as they were found.
#[derive(Clone, Debug, Default)]
pub struct BinaryFacts {
    program: Option<String>,
    censuses: PerSide<Option<Census>>,
    /// Where the cache has them.
    cached: PerSide<Option<CachedCensus>>,
    /// The program's files, where they are there.
    files: PerSide<Option<PathBuf>>,
    same_objects: Vec<String>,
    /// Sides of packs without a census.
    lacking: PerSide<bool>,
    notes: Notes,
}

/// The functions of a binary that are asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'w> {
    All,
    /// Without library functions that are only inlined and have none of these names.
    Sampled(&'w [&'w str]),
}

/// The census of one side's program.
pub(crate) struct FoundCensus {
    pub(crate) census: Census,
    /// Where the cache has it.
    cached: Option<CachedCensus>,
    /// The file that it was taken of.
    file: Option<PathBuf>,
    notes: Notes,
}

impl FoundCensus {
    fn of_file(taken: ObjectCensus, file: PathBuf) -> Self {
        let ObjectCensus { census, cached, notes, .. } = taken;
        Self { census, cached, file: Some(file), notes }
    }
}

/// What is known of the program on one side before its file is read.
enum Known {
    Census(Box<FoundCensus>),
    /// Its census is to be taken of this file.
    File(PathBuf),
    Nothing,
}

/// One side of a comparison: what was given, and what was read.
#[derive(Clone, Copy)]
pub(crate) struct BuildSide<'a> {
    pub(crate) side: Side,
    pub(crate) given: &'a Build,
    pub(crate) read: &'a ReadBuild,
}

impl BinaryFacts {
    /// The name of the program in rows; `None` if the program is not among the objects.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.program.as_deref()
    }

    /// The functions of one side's build, and who is inlined and called where; `None` if its binary was not found. In
    /// [`crate::Verdicts`] library functions are left out that were neither sampled nor have code of their own.
    #[must_use]
    pub fn census(&self, side: Side) -> Option<&Census> {
        self.censuses[side].as_ref()
    }

    /// Labels of objects whose file is the same on both sides.
    #[must_use]
    pub fn same_objects(&self) -> &[String] {
        &self.same_objects
    }

    /// Notes on imperfections of the binaries.
    #[must_use]
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// The program's files, where they are there.
    pub(crate) fn files(&self) -> &PerSide<Option<PathBuf>> {
        &self.files
    }

    /// Sides whose recordings are packs that contain no census, base first.
    pub(crate) fn lacking(&self) -> PerSide<bool> {
        self.lacking
    }

    /// The pairs of functions of both builds, if both are known; where the cache has both, they are kept there, too.
    pub(crate) fn matching(&self, aliases: &Aliases, notes: &mut Notes) -> Option<Matching> {
        let builds = self.censuses.as_ref().map(Option::as_ref).both()?;
        let find = || match_functions(builds.before, builds.after, aliases);
        let Some(cached) = self.cached.as_ref().map(Option::as_ref).both() else { return Some(find()) };
        let version = (env!("CARGO_PKG_VERSION"), MATCHING_VERSION);
        let cache = PairCache::new(cached, (version, aliases));
        let kept = cache.load(notes).and_then(|bytes| Matching::from_bytes(&bytes, builds));
        Some(kept.unwrap_or_else(|| {
            let found = find();
            cache.store(&found.to_bytes(), notes);
            found
        }))
    }

    /// As verdicts want it.
    pub(crate) fn of_program<'a>(&'a self, matching: Option<&'a Matching>) -> Option<ObjectBuilds<'a>> {
        let PerSide { before, after } = self.censuses.as_ref().map(Option::as_ref);
        Some(ObjectBuilds { label: self.program()?, before, after, matching })
    }

    /// Takes the census of the program's builds, as far as their files were found; without `lookup` of none.
    pub(crate) fn read(
        sides: PerSide<BuildSide<'_>>,
        program: Option<&Program>,
        objects: &[SideObject],
        lookup: Option<&Lookup>,
        wanted: Wanted<'_>,
    ) -> Result<Self, Error> {
        let known = |side: Side| match (program, lookup) {
            (Some(program), Some(lookup)) => sides[side].known_census(program, lookup, wanted),
            _ => Ok(Known::Nothing),
        };
        let (before, after) = rayon::join(|| known(Side::Before), || known(Side::After));
        let known = PerSide::new(before?, after?);
        // One after the other, each on all cores: together they would need the memory of both.
        let take = |(of, known): (BuildSide<'_>, Known)| match (known, lookup) {
            (Known::Census(found), _) => Ok(Some(*found)),
            (Known::File(file), Some(lookup)) => of.take_census(file, lookup, wanted).map(Some),
            _ => Ok(None),
        };
        let PerSide { before, after } = sides.zip(known);
        let taken = PerSide::new(take(before)?, take(after)?);
        let mut notes = Notes::new();
        let (mut cached, mut files) = (PerSide::default(), PerSide::default());
        let mut keep = |side: Side, found: FoundCensus| {
            notes.merge(&found.notes);
            (cached[side], files[side]) = (found.cached, found.file);
            found.census
        };
        let PerSide { before, after } = taken;
        let before = before.map(|found| keep(Side::Before, found));
        let censuses = PerSide::new(before, after.map(|found| keep(Side::After, found)));
        let lacking = sides.map(|of| censuses[of.side].is_none() && of.read.is_packed());
        let program = program.map(|program| program.label.clone());
        let same_objects = same_objects(sides, objects);
        Ok(Self { program, censuses, cached, files, same_objects, lacking, notes })
    }
}

impl<'a> BuildSide<'a> {
    /// The census of the program on this side: of its file, of a binary given beside packs, or from packs.
    pub(crate) fn census(
        self,
        program: &Program,
        lookup: &Lookup,
        wanted: Wanted<'_>,
    ) -> Result<Option<FoundCensus>, Error> {
        match self.known_census(program, lookup, wanted)? {
            Known::Census(found) => Ok(Some(*found)),
            Known::File(file) => self.take_census(file, lookup, wanted).map(Some),
            Known::Nothing => Ok(None),
        }
    }

    /// The same, where packs or the cache have it; else the file that it is to be taken of.
    fn known_census(self, program: &Program, lookup: &Lookup, wanted: Wanted<'_>) -> Result<Known, Error> {
        let paths = &program.paths[self.side];
        let is_program = |path: &str| paths.iter().any(|of| of == path);
        if let Some(file) = self.file(&is_program, lookup)? {
            let Wanted::Sampled(names) = wanted else { return Ok(Known::File(file)) };
            let options = lookup.options(&self.given.binaries);
            let kept = kept_sampled_census(&file, names.iter().copied(), &options);
            let kept = kept.map_err(|source| Error::BinaryFacts { path: file.clone(), source })?;
            return Ok(match kept {
                Some(census) => Known::Census(Box::new(FoundCensus::of_file(census, file))),
                None => Known::File(file),
            });
        }
        let packed = self.read.censuses().filter(|(path, _)| is_program(path)).map(|(_, census)| census);
        Ok(unpack_all(packed)?.map_or(Known::Nothing, |census| {
            Known::Census(Box::new(FoundCensus { census, cached: None, file: None, notes: Notes::new() }))
        }))
    }

    /// The census of a file, from the cache where that has it.
    fn take_census(self, file: PathBuf, lookup: &Lookup, wanted: Wanted<'_>) -> Result<FoundCensus, Error> {
        let options = lookup.options(&self.given.binaries);
        let taken = match wanted {
            Wanted::All => census_of(&file, &options),
            Wanted::Sampled(names) => sampled_census(&file, names.iter().copied(), &options),
        };
        let taken = taken.map_err(|source| Error::BinaryFacts { path: file.clone(), source })?;
        Ok(FoundCensus::of_file(taken, file))
    }

    /// The file of an object, by its path in the recordings: the one that was found for it, or that was given beside packs.
    pub(crate) fn file(
        self,
        is_it: &dyn Fn(&str) -> bool,
        lookup: &Lookup,
    ) -> Result<Option<PathBuf>, Error> {
        match self.read.files().into_iter().find(|found| is_it(&found.path)) {
            Some(found) => Ok(Some(found.file.clone())),
            None => Ok(self.given(is_it, lookup)?.map(Path::to_owned)),
        }
    }

    /// The binary that the user gives beside packs: one of those that the packs were made of.
    fn given(self, is_program: &dyn Fn(&str) -> bool, lookup: &Lookup) -> Result<Option<&'a Path>, Error> {
        if !self.read.is_packed() || self.given.binaries.is_empty() {
            return Ok(None);
        }
        let known: Vec<&ObjectFacts> = self.read.objects().filter(|facts| is_program(&facts.path)).collect();
        let Some(path) = known.first().map(|facts| &facts.path) else { return Ok(None) };
        let name = |path: &Path| path.file_name().map(ToOwned::to_owned);
        for binary in &self.given.binaries {
            let opened = Symbolizer::open(binary, &Lookup::new().options(&[]))
                .map_err(|source| Error::BinaryFacts { path: binary.clone(), source })?;
            let is_it = known.iter().any(|facts| facts.object_id.as_ref() == Some(opened.object_id()));
            let is_named = name(binary) == name(Path::new(path));
            if is_it || is_named && lookup.allows_mismatch() {
                return Ok(Some(binary));
            }
            if is_named && known.iter().all(|facts| facts.object_id.is_none()) {
                return Err(Error::PackedWithout { path: binary.clone(), side: self.side });
            }
            if is_named {
                return Err(Error::OtherBuild { path: binary.clone(), side: self.side });
            }
        }
        Ok(None)
    }
}

/// What the packs of one side hold together.
fn unpack_all<'a>(packed: impl Iterator<Item = &'a PackedCensus>) -> Result<Option<Census>, Error> {
    let mut joined: Option<Census> = None;
    let mut seen: Vec<&PackedCensus> = Vec::new();
    for census in packed {
        if seen.contains(&census) {
            continue;
        }
        seen.push(census);
        let part = unpack(census)?;
        joined = Some(match joined {
            Some(joined) => joined.join(&part),
            None => part,
        });
    }
    Ok(joined)
}

/// The census in a pack.
pub(crate) fn unpack(census: &PackedCensus) -> Result<Census, Error> {
    Census::from_packed_bytes(&census.to_bytes()?).map_err(|source| Error::PackedFacts { source })
}

/// Labels of objects with the same identity on both sides.
fn same_objects(sides: PerSide<BuildSide<'_>>, objects: &[SideObject]) -> Vec<String> {
    let PerSide { before, after } = sides.map(|of| identities(of, objects));
    let is_same = |(label, ids): &(&str, Vec<Option<String>>)| {
        let all = after.get(label).map(|others| ids.iter().chain(others));
        all.is_some_and(|mut all| all.all(|id| id.is_some() && Some(id) == ids.first()))
    };
    before.into_iter().filter(is_same).map(|(label, _)| label.to_owned()).collect()
}

/// By label: the identities of one side's objects of that name, `None` where one is not known.
fn identities<'a>(of: BuildSide<'_>, objects: &'a [SideObject]) -> BTreeMap<&'a str, Vec<Option<String>>> {
    let id = |facts: &ObjectFacts| {
        facts.object_id.as_ref().map(ToString::to_string).or_else(|| facts.build_id.clone())
    };
    let by_path: BTreeMap<&str, Option<String>> =
        of.read.objects().map(|facts| (facts.path.as_str(), id(facts))).collect();
    let mut by_label: BTreeMap<&str, Vec<Option<String>>> = BTreeMap::new();
    for object in objects.iter().filter(|object| object.side == of.side) {
        if let Some(id) = by_path.get(object.path.as_str()) {
            by_label.entry(&object.label).or_default().push(id.clone());
        }
    }
    by_label
}
