//! What a profile has beside its samples: names, functions, locations, mappings.
//!
//! ```text
//! Profile   = 1 sample_type*  2 sample*  3 mapping*  4 location*  5 function*  6 string_table*
//!             9 time_nanos  10 duration_nanos  14 default_sample_type
//! ValueType = 1 type  2 unit                         numbers of strings
//! Mapping   = 1 id  2 memory_start  3 memory_limit  4 file_offset  5 filename  6 build_id
//! Location  = 1 id  2 mapping_id  3 address  4 line*         innermost first: the last is the machine function
//! Line      = 1 function_id  2 line
//! Function  = 1 id  2 name  3 system_name  4 filename
//! ```
//!
//! `string_table` may be after all that refers to it, and the samples before what they refer to. So a profile is read as a
//! whole before its samples are.

use rustc_hash::FxHashMap;

use super::error::{Damage, PprofError};
use super::wire::Fields;

/// The most strings, and the most locations, functions and mappings.
const MAX_ENTRIES: usize = 1 << 24;
/// The most functions of one location.
const MAX_LINES: usize = 1 << 16;

/// The number of a string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Text(pub(super) u64);

/// The type of a column of values.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct SampleType {
    pub(super) kind: Text,
    pub(super) unit: Text,
}

/// Where a file was mapped.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct MappedFile {
    pub(super) start: u64,
    pub(super) limit: u64,
    pub(super) offset: u64,
    pub(super) path: Text,
    pub(super) build_id: Text,
}

/// A call level.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Location<'a> {
    /// 0 if there is none.
    pub(super) mapping: u64,
    /// 0 if there is none.
    pub(super) address: u64,
    /// Its own bytes, which contain its lines.
    message: &'a [u8],
}

/// A function at a location.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Line {
    /// 0 if it is not known.
    pub(super) function: u64,
    pub(super) line: u64,
}

/// What a function is called.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Function {
    pub(super) name: Text,
    pub(super) system_name: Text,
    pub(super) file: Text,
}

/// All of a profile but its samples.
#[derive(Default, Debug)]
pub(super) struct Tables<'a> {
    pub(super) sample_types: Vec<SampleType>,
    pub(super) default_sample_type: Text,
    pub(super) time_ns: u64,
    pub(super) duration_ns: u64,
    strings: Vec<&'a [u8]>,
    mappings: FxHashMap<u64, MappedFile>,
    locations: FxHashMap<u64, Location<'a>>,
    functions: FxHashMap<u64, Function>,
}

impl<'a> Tables<'a> {
    /// Of all of a profile's bytes.
    pub(super) fn read(profile: &'a [u8]) -> Result<Self, PprofError> {
        let mut tables = Self::default();
        for field in Fields::new(profile) {
            let (field, value) = field?;
            match field {
                1 => push(&mut tables.sample_types, sample_type(value.bytes()?)?, "sample types")?,
                3 => mapping(value.bytes()?, &mut tables.mappings)?,
                4 => location(value.bytes()?, &mut tables.locations)?,
                5 => function(value.bytes()?, &mut tables.functions)?,
                6 => push(&mut tables.strings, value.bytes()?, "strings")?,
                9 => tables.time_ns = value.number()?,
                10 => tables.duration_ns = value.number()?,
                14 => tables.default_sample_type = Text(value.number()?),
                _ => {}
            }
        }
        if tables.sample_types.is_empty() { Err(Damage::NoSampleType.into()) } else { Ok(tables) }
    }

    /// A string's bytes.
    pub(super) fn text(&self, text: Text) -> Result<&'a [u8], Damage> {
        let index = usize::try_from(text.0).unwrap_or(usize::MAX);
        // The first string is empty; a profile without any has no texts at all.
        match self.strings.get(index) {
            Some(text) => Ok(text),
            None if index == 0 => Ok(&[]),
            None => Err(Damage::Missing("string")),
        }
    }

    /// All strings, with their numbers.
    pub(super) fn texts(&self) -> impl Iterator<Item = (Text, &'a [u8])> {
        (0..).map(Text).zip(self.strings.iter().copied())
    }

    /// A location by its id.
    pub(super) fn location(&self, id: u64) -> Result<Location<'a>, Damage> {
        self.locations.get(&id).copied().ok_or(Damage::Missing("location"))
    }

    /// A mapping by its id; `None` of 0.
    pub(super) fn mapping(&self, id: u64) -> Result<Option<MappedFile>, Damage> {
        let known = self.mappings.get(&id).copied();
        if known.is_none() && id != 0 { Err(Damage::Missing("mapping")) } else { Ok(known) }
    }

    /// A function by its id; `None` of 0.
    pub(super) fn function(&self, id: u64) -> Result<Option<Function>, Damage> {
        let known = self.functions.get(&id).copied();
        if known.is_none() && id != 0 { Err(Damage::Missing("function")) } else { Ok(known) }
    }
}

impl Location<'_> {
    /// Its functions, innermost first.
    pub(super) fn lines(&self) -> Result<Vec<Line>, PprofError> {
        let mut lines = Vec::new();
        for field in Fields::new(self.message) {
            if let (4, value) = field? {
                if lines.len() >= MAX_LINES {
                    return Err(PprofError::TooLarge { limit: MAX_LINES, what: "functions at one location" });
                }
                lines.push(line(value.bytes()?)?);
            }
        }
        Ok(lines)
    }
}

fn push<T>(list: &mut Vec<T>, item: T, what: &'static str) -> Result<(), PprofError> {
    if list.len() >= MAX_ENTRIES {
        return Err(PprofError::TooLarge { limit: MAX_ENTRIES, what });
    }
    list.push(item);
    Ok(())
}

fn insert<T>(map: &mut FxHashMap<u64, T>, id: u64, item: T, what: &'static str) -> Result<(), PprofError> {
    if map.len() >= MAX_ENTRIES {
        return Err(PprofError::TooLarge { limit: MAX_ENTRIES, what });
    }
    // Zero says that there is none, but some writers have a function of that number.
    if map.insert(id, item).is_some() {
        return Err(Damage::Twice(what).into());
    }
    Ok(())
}

fn sample_type(message: &[u8]) -> Result<SampleType, Damage> {
    let mut of = SampleType::default();
    for field in Fields::new(message) {
        match field? {
            (1, value) => of.kind = Text(value.number()?),
            (2, value) => of.unit = Text(value.number()?),
            _ => {}
        }
    }
    Ok(of)
}

fn mapping(message: &[u8], into: &mut FxHashMap<u64, MappedFile>) -> Result<(), PprofError> {
    let (mut id, mut of) = (0, MappedFile::default());
    for field in Fields::new(message) {
        match field? {
            (1, value) => id = value.number()?,
            (2, value) => of.start = value.number()?,
            (3, value) => of.limit = value.number()?,
            (4, value) => of.offset = value.number()?,
            (5, value) => of.path = Text(value.number()?),
            (6, value) => of.build_id = Text(value.number()?),
            _ => {}
        }
    }
    insert(into, id, of, "mappings")
}

fn location<'a>(message: &'a [u8], into: &mut FxHashMap<u64, Location<'a>>) -> Result<(), PprofError> {
    let (mut id, mut of) = (0, Location { message, ..Location::default() });
    for field in Fields::new(message) {
        match field? {
            (1, value) => id = value.number()?,
            (2, value) => of.mapping = value.number()?,
            (3, value) => of.address = value.number()?,
            _ => {}
        }
    }
    insert(into, id, of, "locations")
}

fn line(message: &[u8]) -> Result<Line, Damage> {
    let mut of = Line::default();
    for field in Fields::new(message) {
        match field? {
            (1, value) => of.function = value.number()?,
            (2, value) => of.line = value.number()?,
            _ => {}
        }
    }
    Ok(of)
}

fn function(message: &[u8], into: &mut FxHashMap<u64, Function>) -> Result<(), PprofError> {
    let (mut id, mut of) = (0, Function::default());
    for field in Fields::new(message) {
        match field? {
            (1, value) => id = value.number()?,
            (2, value) => of.name = Text(value.number()?),
            (3, value) => of.system_name = Text(value.number()?),
            (4, value) => of.file = Text(value.number()?),
            _ => {}
        }
    }
    insert(into, id, of, "functions")
}
