//! The census of an object: from its cache file where there is one, else taken and kept there.
//!
//! In: a path and where debug information may be. Out: [`ObjectCensus`]. It is beside the address index in the one cache
//! file of the object, and is taken again when other debug information is found or the cache is damaged.
//!
//! From the cache, the census of a server of 195 MB (175,000 functions) is there in 0.2 s.
//!
//! What has late names is kept in the place of the whole one, until that is asked for.
//!
//! A comparison of samples needs no more than [`sampled_census`]. The cache holds it beside the whole one, with the names
//! that it was asked for; when others are asked for, it is taken again for all of them.

use std::path::{Path, PathBuf};

use pdiff_profile::census::{Census, CensusBytesError, Visibility};
use pdiff_profile::{BuildId, NoteKind, Notes, ObjectId, Weight};

use crate::binary::elf_file::ElfFile;
use crate::binary::object_files::ObjectFiles;
use crate::cache::{CacheFile, Section, SectionTag, Stamp, pack, unpack};
use crate::census::{AskedNames, Taken, WantedCensus, take_census};
use crate::error::Error;
use crate::options::SymbolizeOptions;
use crate::pair_cache::CachedCensus;

/// The census of one object, and where it comes from.
#[derive(Debug)]
pub struct ObjectCensus {
    /// The facts.
    pub census: Census,
    /// The stable identity of the file.
    pub id: ObjectId,
    /// Its build-id, if it has one.
    pub build_id: Option<BuildId>,
    /// The file with the debug information, where it is another one.
    pub debug_path: Option<PathBuf>,
    /// Where the cache has it, if it is there.
    pub cached: Option<CachedCensus>,
    /// What was imperfect: damaged caches, what debug information does not show.
    pub notes: Notes,
}

/// The census of a file, with the debug information that goes with it.
///
/// ```
/// use pdiff_symbolize::{SymbolizeOptions, census_of};
///
/// let program = std::env::current_exe()?;
/// let taken = census_of(&program, &SymbolizeOptions::new())?;
/// assert!(taken.census.functions().len() > 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the file cannot be read, or is no 64-bit little-endian ELF file.
pub fn census_of(path: &Path, options: &SymbolizeOptions) -> Result<ObjectCensus, Error> {
    taken(path, options, WantedCensus::All)
}

/// The same, where library functions have their linkage names alone, if they have one: their other names are made when they
/// are asked for, and [`Census::find`] does not find them. Half of the time for a large C++ program is that of names.
///
/// # Errors
/// As [`census_of`].
pub fn census_with_late_names(path: &Path, options: &SymbolizeOptions) -> Result<ObjectCensus, Error> {
    taken(path, options, WantedCensus::LateNames)
}

/// The census of a file without library functions that have no code, are only inlined and are not among `names`, the
/// qualified names of sampled functions. All that verdicts on sampled functions ask for is in it, in a fraction of the time
/// and memory.
///
/// # Errors
/// As [`census_of`].
pub fn sampled_census<'n>(
    path: &Path,
    names: impl IntoIterator<Item = &'n str>,
    options: &SymbolizeOptions,
) -> Result<ObjectCensus, Error> {
    taken(path, options, WantedCensus::Sampled(&AskedNames::new(names.into_iter())))
}

/// As [`sampled_census`], where the cache has it; else `None`. It needs little memory, so that several may be read at once.
///
/// # Errors
/// As [`census_of`].
pub fn kept_sampled_census<'n>(
    path: &Path,
    names: impl IntoIterator<Item = &'n str>,
    options: &SymbolizeOptions,
) -> Result<Option<ObjectCensus>, Error> {
    census(path, options, WantedCensus::Sampled(&AskedNames::new(names.into_iter())), |_, _| None)
}

fn taken(path: &Path, options: &SymbolizeOptions, wanted: WantedCensus<'_>) -> Result<ObjectCensus, Error> {
    let found = census(path, options, wanted, |files, wanted| Some(take_census(files, wanted)))?;
    Ok(found.expect("what the cache does not have is taken"))
}

/// The census of a file, from the cache or as `take` takes it; `None` if that takes none.
fn census(
    path: &Path,
    options: &SymbolizeOptions,
    wanted: WantedCensus<'_>,
    take: impl Fn(&ObjectFiles, WantedCensus<'_>) -> Option<Taken>,
) -> Result<Option<ObjectCensus>, Error> {
    let file = ElfFile::open(path)?;
    if !file.is_64_bit_little_endian() {
        let detail = "only 64-bit little-endian ELF files can be read".to_owned();
        return Err(Error::NotElf { path: path.to_path_buf(), detail });
    }
    let files = ObjectFiles::find(file, options);
    let id = files.file.object_id();
    let mut notes = Notes::new();
    let cache = options.cache_dir.as_deref().map(|directory| CacheFile::of(directory, &id));
    let source = files.fingerprint();
    let cache = cache.as_ref().map(|file| Cache { file, source });
    let take = |wanted: WantedCensus<'_>| take(&files, wanted);
    let found = match wanted {
        WantedCensus::All | WantedCensus::LateNames => whole(wanted, cache, &mut notes, take),
        WantedCensus::Sampled(asked) => sampled(asked, cache, &mut notes, take),
    };
    let Some((census, stamp)) = found else { return Ok(None) };
    let cached = options.cache_dir.as_deref().zip(stamp);
    let cached = cached.map(|(directory, stamp)| CachedCensus::new(directory, id.clone(), stamp));
    // Where the census came from the cache, nobody has read it.
    files.forget_kept();
    note_gaps(&files, &census, &mut notes);
    Ok(Some(ObjectCensus {
        census,
        cached,
        id,
        build_id: files.file.build_id().cloned(),
        debug_path: files.debug_file.as_ref().map(|file| file.path().to_path_buf()),
        notes,
    }))
}

/// The cache file of an object, and what its content must be made from.
#[derive(Clone, Copy)]
struct Cache<'c> {
    file: &'c CacheFile,
    source: u64,
}

/// A census, and what tells it from others in the cache, if it is there.
type Stamped = (Census, Option<Stamp>);

fn whole(
    wanted: WantedCensus<'_>,
    cache: Option<Cache<'_>>,
    notes: &mut Notes,
    take: impl Fn(WantedCensus<'_>) -> Option<Taken>,
) -> Option<Stamped> {
    if let Some((census, stamp)) = cache.and_then(|cache| cache.whole(wanted, notes)) {
        return Some((census, Some(stamp)));
    }
    let taken = take(wanted)?;
    let stamp = cache.and_then(|cache| cache.store(&taken, &AskedNames::default(), notes));
    Some((taken.census, stamp))
}

fn sampled(
    asked: &AskedNames,
    cache: Option<Cache<'_>>,
    notes: &mut Notes,
    take: impl Fn(WantedCensus<'_>) -> Option<Taken>,
) -> Option<Stamped> {
    let known = match cache.and_then(|cache| cache.part(asked, notes)) {
        Some(Part::Enough(census, stamp)) => return Some((*census, Some(stamp))),
        Some(Part::OfOtherNames(known)) => known,
        None => AskedNames::default(),
    };
    if let Some((census, stamp)) = cache.and_then(|cache| cache.whole(WantedCensus::Sampled(asked), notes)) {
        return Some((census, Some(stamp)));
    }
    let asked = AskedNames::new(known.names().chain(asked.names()));
    let taken = take(WantedCensus::Sampled(&asked))?;
    let stamp = cache.and_then(|cache| cache.store(&taken, &asked, notes));
    Some((taken.census, stamp))
}

/// The census in the cache that was taken for sampled functions.
enum Part {
    /// It contains all that are asked for.
    Enough(Box<Census>, Stamp),
    /// It was taken for these only.
    OfOtherNames(AskedNames),
}

impl Cache<'_> {
    /// The whole census; none if there is none, it lacks names that are wanted, it is damaged (a note), or another version
    /// wrote it.
    fn whole(self, wanted: WantedCensus<'_>, notes: &mut Notes) -> Option<(Census, Stamp)> {
        let section = self.section(SectionTag::Census, notes)?;
        let census = self.census(unpack(section.content())?, notes)?;
        let has_names = matches!(wanted, WantedCensus::LateNames) || !census.has_late_names();
        has_names.then_some((census, section.stamp))
    }

    /// The other census; none as with the whole one.
    fn part(self, asked: &AskedNames, notes: &mut Notes) -> Option<Part> {
        let section = self.section(SectionTag::SampledCensus, notes)?;
        let (names, census) = split_names(section.content())?;
        let known = AskedNames::new(names.split('\n'));
        if known.contains_all(asked) {
            let census = self.census(census.to_vec(), notes)?;
            Some(Part::Enough(Box::new(census), section.stamp))
        } else {
            Some(Part::OfOtherNames(known))
        }
    }

    fn section(self, tag: SectionTag, notes: &mut Notes) -> Option<Section> {
        match self.file.load(tag, self.source) {
            Ok(found) => found,
            Err(damage) => {
                self.rebuilt(&damage.to_string(), notes);
                None
            }
        }
    }

    fn census(self, bytes: Vec<u8>, notes: &mut Notes) -> Option<Census> {
        match Census::from_bytes(bytes) {
            Ok(census) => Some(census),
            // The checksum is right, so another version of this program wrote it in another form.
            Err(CensusBytesError::OtherVersion { .. } | CensusBytesError::NotACensus) => None,
            Err(damage) => {
                self.rebuilt(&damage.to_string(), notes);
                None
            }
        }
    }

    fn store(self, taken: &Taken, asked: &AskedNames, notes: &mut Notes) -> Option<Stamp> {
        let census = &taken.census;
        let stored = if taken.is_part {
            // It is read by every verdict, so it is not packed: that takes as long as all other reading of it.
            self.file.store(SectionTag::SampledCensus, self.source, &with_names(asked, census))
        } else {
            let packed = pack(census.text_bytes(), || census.row_bytes())?;
            self.file.store(SectionTag::Census, self.source, &packed)
        };
        stored.map_err(|error| self.rebuilt(&format!("not kept: {error}"), notes)).ok()
    }

    fn rebuilt(self, what: &str, notes: &mut Notes) {
        self.file.note(what, notes);
    }
}

/// Names, one a line, with their length before them and the census after them.
fn with_names(asked: &AskedNames, census: &Census) -> Vec<u8> {
    let names = asked.names().collect::<Vec<_>>().join("\n");
    let length = (names.len() as u64).to_le_bytes();
    [&length, names.as_bytes(), census.text_bytes(), &census.row_bytes()].concat()
}

fn split_names(section: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = section.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (names, census) = rest.split_at_checked(length)?;
    Some((std::str::from_utf8(names).ok()?, census))
}

/// Says what the census cannot see.
fn note_gaps(files: &ObjectFiles, census: &Census, notes: &mut Notes) {
    let path = files.file.path().display();
    let mut note = |count: u64, what: &str| {
        if count > 0 {
            notes.add(NoteKind::NoDebugInfo, count, Weight::ZERO, || format!("{path}: {what}"));
        }
    };
    match census.visibility() {
        Visibility::DynamicSymbols => note(1, "stripped: only exported functions are visible, no inlining"),
        Visibility::Symbols => note(1, "no debug information: no inlining is visible"),
        Visibility::DebugInfo => {}
    }
    let coverage = census.coverage();
    note(coverage.unreadable_units, &format!("{} damaged compilation units", coverage.unreadable_units));
    let split =
        format!("{} compilation units whose split debug information was not found", coverage.split_units);
    note(coverage.split_units, &split);
    note(
        coverage.undecoded_bodies,
        &format!("{} functions without code to decode", coverage.undecoded_bodies),
    );
}
