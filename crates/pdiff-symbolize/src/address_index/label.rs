//! The name of a function by its entry in the debug information.
//!
//! An entry with code refers to the abstract entry, which refers to its declaration, and the name may be on any of them, in
//! another unit or in a shared file. If there is a linkage name, it is enough. If there is none (static functions, C, and
//! two of three functions of compilers before 2010) the plain name gets the namespaces and classes it is in. References can
//! form loops: hops are counted.

use gimli::{AttributeValue, DebugInfoOffset, UnitOffset};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

use crate::binary::budget::Budget;
use crate::binary::dwarf::{Dwarf, Slice, Unit};
use crate::binary::entries::Entries;
use crate::binary::gap::Gap;
use crate::binary::reference::Reference;
use crate::binary::scoped_name::{Around, plain_name};
use crate::binary::scopes::{Scopes, kind_of};
use crate::binary::strings::{RawText, StringHome, Strings};
use crate::binary::units::Units;

/// Most references followed from one entry; three are usual.
const MAX_HOPS: usize = 16;
/// Longest name, in bytes.
const MAX_NAME_BYTES: usize = 1 << 16;

/// What names a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Label {
    /// The mangled name.
    Linkage(Box<str>),
    /// The source's name with its namespaces and classes.
    Plain(Box<str>),
}

/// One file's units, with what their names need.
pub(crate) struct LabelSource<'r, 'a> {
    pub(crate) dwarf: &'r Dwarf<'a>,
    pub(crate) units: &'r Units<'a>,
    scopes: Vec<OnceLock<gimli::Result<UnitScopes<'a>>>>,
    /// The file that several debug files share.
    pub(crate) shared: Option<Box<LabelSource<'r, 'a>>>,
}

impl<'r, 'a> LabelSource<'r, 'a> {
    pub(crate) fn new(dwarf: &'r Dwarf<'a>, units: &'r Units<'a>, shared: Option<Self>) -> Self {
        let scopes = (0..units.len()).map(|_| OnceLock::new()).collect();
        Self { dwarf, units, scopes, shared: shared.map(Box::new) }
    }

    fn scopes(&self, index: usize, unit: &Unit<'a>) -> Option<&gimli::Result<UnitScopes<'a>>> {
        Some(self.scopes.get(index)?.get_or_init(|| UnitScopes::read(self.dwarf, unit, self.units.budget())))
    }

    /// The name of the function that `origin`, seen from unit `index`, refers to; `None` if it has none.
    ///
    /// # Errors
    /// If an entry on the way cannot be read.
    pub(crate) fn label(&self, index: usize, origin: Reference) -> Result<Option<Label>, Gap> {
        let mut source = self;
        let (mut index, mut origin) = (index, origin);
        let mut named: Option<Named<'a>> = None;
        for _ in 0..MAX_HOPS {
            let offset = match origin {
                Reference::Unit(offset) => offset,
                Reference::Info(offset) => {
                    (index, origin) = source.place(offset).ok_or(Gap::Damaged)?;
                    continue;
                }
                Reference::Shared(offset) => {
                    source = source.shared.as_deref().ok_or(Gap::SharedNotFound)?;
                    (index, origin) = source.place(offset).ok_or(Gap::Damaged)?;
                    continue;
                }
            };
            let unit = source.units.get(source.dwarf, index).ok_or(Gap::Damaged)?;
            let entry = read_entry(source.dwarf, unit, offset)?;
            if let Some(linkage) = entry.linkage {
                return Ok(Some(Label::Linkage(text(linkage))));
            }
            let name = named.and_then(|named| named.name).or(entry.name);
            named = Some(Named { name, index, offset });
            match entry.next {
                Some(next) => origin = next,
                None => break,
            }
        }
        named.map_or(Ok(None), |named| source.plain(named))
    }

    fn place(&self, offset: DebugInfoOffset) -> Option<(usize, Reference)> {
        let index = self.units.holding(offset)?;
        let unit = self.units.get(self.dwarf, index)?;
        Some((index, Reference::Unit(offset.to_unit_offset(&unit.header)?)))
    }

    /// The plain name in its scopes; the scopes are those of the last entry, the declaration.
    fn plain(&self, named: Named<'a>) -> Result<Option<Label>, Gap> {
        let Some(name) = named.name.map(text) else { return Ok(None) };
        let unit = self.units.get(self.dwarf, named.index).ok_or(Gap::Damaged)?;
        let scopes = self.scopes(named.index, unit).ok_or(Gap::Damaged)?;
        let scopes = scopes.as_ref().map_err(|error| Gap::from(*error))?;
        let around = scopes.around(self.dwarf, unit, named.offset);
        let unit_name = unit.name.map(text);
        Ok(Some(Label::Plain(plain_name(&around, &name, unit_name.as_deref()).into())))
    }
}

/// What the entries followed so far say.
#[derive(Clone, Copy)]
struct Named<'a> {
    name: Option<Slice<'a>>,
    index: usize,
    offset: UnitOffset,
}

/// What one entry says of a function's name.
struct NameEntry<'a> {
    linkage: Option<Slice<'a>>,
    name: Option<Slice<'a>>,
    next: Option<Reference>,
}

fn read_entry<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, offset: UnitOffset) -> gimli::Result<NameEntry<'a>> {
    let mut entries = unit.entries_raw(Some(offset))?;
    let unknown = gimli::Error::InvalidAbbreviationCode(0);
    let abbrev = entries.read_abbreviation()?.ok_or(unknown)?;
    let mut entry = NameEntry { linkage: None, name: None, next: None };
    let mut has_empty = false;
    let mut string = |value: AttributeValue<Slice<'a>>| -> gimli::Result<Option<Slice<'a>>> {
        let text = dwarf.attr_string(unit, value)?;
        has_empty |= text.is_empty();
        Ok(Some(text).filter(|text| !text.is_empty()))
    };
    for spec in abbrev.attributes() {
        let attribute = entries.read_attribute(*spec)?;
        match attribute.name() {
            gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                entry.linkage = string(attribute.value())?;
            }
            gimli::DW_AT_name => entry.name = string(attribute.value())?,
            gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                entry.next = Reference::from_value(&attribute.value());
            }
            _ => {}
        }
    }
    // Compilers leave a name out; one that is empty was overwritten.
    if has_empty && entry.linkage.is_none() && entry.name.is_none() {
        return Err(gimli::Error::BadUtf8);
    }
    Ok(entry)
}

fn text(slice: Slice<'_>) -> Box<str> {
    let bytes = slice.slice();
    to_text(bytes.get(..MAX_NAME_BYTES).unwrap_or(bytes))
}

/// Bytes as text, with marks in the place of what is none. Whole text is known as such several times faster than marked.
fn to_text(bytes: &[u8]) -> Box<str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes).into(), Into::into)
}

/// The scopes of one unit, and which functions are in them.
struct UnitScopes<'a> {
    scopes: Scopes<'a>,
    /// The scope of functions that have one.
    functions: FxHashMap<UnitOffset, u32>,
}

impl<'a> UnitScopes<'a> {
    fn read(dwarf: &Dwarf<'a>, unit: &Unit<'a>, budget: &Budget) -> gimli::Result<Self> {
        let mut read = Self { scopes: Scopes::default(), functions: FxHashMap::default() };
        let text = |value| RawText::read(StringHome::Apart, dwarf, unit, value);
        let mut open: Vec<(isize, u32)> = Vec::new();
        let mut entries = Entries::of(unit, budget)?;
        while let Some(entry) = entries.next()? {
            while open.last().is_some_and(|(depth, _)| *depth >= entry.depth) {
                open.pop();
            }
            let parent = open.last().map(|(_, scope)| *scope);
            let is_function = entry.tag() == gimli::DW_TAG_subprogram;
            if let (true, Some(scope)) = (is_function, parent) {
                read.functions.insert(entry.offset, scope);
            }
            if !entry.abbreviation.has_children() {
                continue;
            }
            let scope = match kind_of(entry.tag()) {
                Some(kind) => read.scopes.add(&mut entries, &entry, kind, parent, text)?,
                // Its name is read when a name asks for it.
                None if is_function => read.scopes.add_function(entry.offset, parent, RawText::Absent),
                None => continue,
            };
            open.push((entry.depth, scope));
        }
        Ok(read)
    }

    /// What stands around a function, outermost first.
    fn around(&self, dwarf: &Dwarf<'a>, unit: &Unit<'a>, function: UnitOffset) -> Vec<Around> {
        let scope_of = |offset: UnitOffset| self.functions.get(&offset).copied();
        self.scopes.around(scope_of(function), &Strings::new(dwarf, None, true), |entry| {
            let (name, declaration) = name_of(dwarf, unit, entry);
            let name = name.map_or(RawText::Absent, |name| RawText::Bytes(name.slice()));
            (name, scope_of(declaration).or_else(|| scope_of(entry)))
        })
    }
}

/// The name of a function by its entry and those that it refers to in its unit, and the last of these.
fn name_of<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, entry: UnitOffset) -> (Option<Slice<'a>>, UnitOffset) {
    let (mut name, mut at) = (None, entry);
    for _ in 0..MAX_HOPS {
        let Ok(entry) = read_entry(dwarf, unit, at) else { break };
        name = name.or(entry.name);
        match entry.next {
            Some(Reference::Unit(next)) => at = next,
            _ => break,
        }
    }
    (name, at)
}
