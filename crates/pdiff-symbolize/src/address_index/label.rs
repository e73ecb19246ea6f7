//! The name of a function by its entry in the debug information.
//!
//! An entry that has code refers to the abstract one, that to its declaration, and the name may stand on any of them,
//! in another unit or in a shared file. The linkage name says it all where there is one. Where there is none (static
//! functions, C, and two of three functions of compilers before 2010) the plain name gets the namespaces and classes
//! it stands in. References can form loops: hops are counted.

use gimli::{AttributeValue, DebugInfoOffset, UnitOffset};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

use crate::address_index::function_tree::{Origin, origin_of};
use crate::binary::entries::{Entries, Entry};
use crate::binary::scoped_name::{Around, plain_name};
use crate::binary::sections::{Dwarf, Slice};
use crate::binary::units::{Unit, Units};

/// Most references followed from one entry; three are usual.
const MAX_HOPS: usize = 16;
/// Deepest nesting of namespaces and classes put into a name.
const MAX_SCOPES: usize = 64;
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
    scopes: Vec<OnceLock<Scopes<'a>>>,
    /// The file that several debug files share.
    pub(crate) shared: Option<Box<LabelSource<'r, 'a>>>,
}

impl<'r, 'a> LabelSource<'r, 'a> {
    pub(crate) fn new(dwarf: &'r Dwarf<'a>, units: &'r Units<'a>, shared: Option<Self>) -> Self {
        let scopes = (0..units.len()).map(|_| OnceLock::new()).collect();
        Self { dwarf, units, scopes, shared: shared.map(Box::new) }
    }

    fn scopes(&self, index: usize, unit: &Unit<'a>) -> Option<&Scopes<'a>> {
        Some(self.scopes.get(index)?.get_or_init(|| Scopes::read(self.dwarf, unit)))
    }

    /// The name of the function that `origin`, seen from unit `index`, refers to.
    pub(crate) fn label(&self, index: usize, origin: Origin) -> Option<Label> {
        let mut source = self;
        let (mut index, mut origin) = (index, origin);
        let mut named: Option<Named<'a>> = None;
        for _ in 0..MAX_HOPS {
            let offset = match origin {
                Origin::Unit(offset) => offset,
                Origin::Info(offset) => {
                    (index, origin) = source.place(offset)?;
                    continue;
                }
                Origin::Shared(offset) => {
                    source = source.shared.as_deref()?;
                    (index, origin) = source.place(offset)?;
                    continue;
                }
            };
            let unit = source.units.get(source.dwarf, index)?;
            let entry = read_entry(source.dwarf, unit, offset)?;
            if let Some(linkage) = entry.linkage {
                return Some(Label::Linkage(text(linkage)));
            }
            let name = named.and_then(|named| named.name).or(entry.name);
            named = Some(Named { name, index, offset });
            match entry.next {
                Some(next) => origin = next,
                None => break,
            }
        }
        source.plain(named?)
    }

    fn place(&self, offset: DebugInfoOffset) -> Option<(usize, Origin)> {
        let index = self.units.holding(offset)?;
        let unit = self.units.get(self.dwarf, index)?;
        Some((index, Origin::Unit(offset.to_unit_offset(&unit.header)?)))
    }

    /// The plain name in its scopes; the scopes are those of the last entry, the declaration.
    fn plain(&self, named: Named<'a>) -> Option<Label> {
        let name = text(named.name?);
        let unit = self.units.get(self.dwarf, named.index)?;
        let around =
            self.scopes(named.index, unit).map(|scopes| scopes.around(self.dwarf, unit, named.offset));
        let unit_name = unit.name.map(text);
        Some(Label::Plain(plain_name(&around.unwrap_or_default(), &name, unit_name.as_deref()).into()))
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
    next: Option<Origin>,
}

fn read_entry<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, offset: UnitOffset) -> Option<NameEntry<'a>> {
    let mut entries = unit.entries_raw(Some(offset)).ok()?;
    let abbrev = entries.read_abbreviation().ok()??;
    let mut entry = NameEntry { linkage: None, name: None, next: None };
    for spec in abbrev.attributes() {
        let attribute = entries.read_attribute(*spec).ok()?;
        let string = |value: AttributeValue<Slice<'a>>| {
            dwarf.attr_string(unit, value).ok().filter(|text| !text.is_empty())
        };
        match attribute.name() {
            gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                entry.linkage = string(attribute.value());
            }
            gimli::DW_AT_name => entry.name = string(attribute.value()),
            gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                entry.next = origin_of(&attribute.value());
            }
            _ => {}
        }
    }
    Some(entry)
}

fn text(slice: Slice<'_>) -> Box<str> {
    let bytes = slice.slice();
    to_text(bytes.get(..MAX_NAME_BYTES).unwrap_or(bytes))
}

/// Bytes as text, with marks in the place of what is none. Whole text is known as such several times faster than marked.
fn to_text(bytes: &[u8]) -> Box<str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes).into(), Into::into)
}

/// The namespaces, classes and functions of one unit, and which functions stand in them.
struct Scopes<'a> {
    /// Parent of each, and what it is.
    scopes: Vec<(Option<u32>, Scope<'a>)>,
    /// The scope of functions that have one.
    functions: FxHashMap<usize, u32>,
}

#[derive(Clone, Copy)]
enum Scope<'a> {
    Namespace(Option<Slice<'a>>),
    /// With its number among the unnamed classes of the function it stands in.
    Class(Option<Slice<'a>>, u32),
    /// A function around a class, by its entry.
    Function(UnitOffset),
}

impl<'a> Scopes<'a> {
    fn read(dwarf: &Dwarf<'a>, unit: &Unit<'a>) -> Self {
        let mut scopes = Self { scopes: Vec::new(), functions: FxHashMap::default() };
        let _damage = scopes.fill(dwarf, unit);
        scopes
    }

    fn fill(&mut self, dwarf: &Dwarf<'a>, unit: &Unit<'a>) -> gimli::Result<()> {
        let mut open: Vec<(isize, u32)> = Vec::new();
        let mut unnamed: FxHashMap<Option<u32>, u32> = FxHashMap::default();
        let mut entries = Entries::of(unit)?;
        while let Some(Entry { offset, depth, abbreviation }) = entries.next()? {
            while open.last().is_some_and(|(open_depth, _)| *open_depth >= depth) {
                open.pop();
            }
            let parent = open.last().map(|(_, scope)| *scope);
            let is_function = abbreviation.tag() == gimli::DW_TAG_subprogram;
            if let (true, Some(scope)) = (is_function, parent) {
                self.functions.insert(offset.0, scope);
            }
            let scope = if is_scope(abbreviation.tag()) && abbreviation.has_children() {
                let name = read_name(dwarf, unit, &mut entries)?;
                if abbreviation.tag() == gimli::DW_TAG_namespace {
                    Scope::Namespace(name)
                } else {
                    let number = unnamed.entry(parent).or_default();
                    *number += u32::from(name.is_none());
                    Scope::Class(name, *number)
                }
            } else {
                if !is_function || !abbreviation.has_children() {
                    continue;
                }
                Scope::Function(offset)
            };
            open.push((depth, u32::try_from(self.scopes.len()).unwrap_or(u32::MAX)));
            self.scopes.push((parent, scope));
        }
        Ok(())
    }

    /// What stands around a function, outermost first. A function counts where a class stands in it: a lambda's, say.
    fn around(&self, dwarf: &Dwarf<'a>, unit: &Unit<'a>, function: UnitOffset) -> Vec<Around> {
        let mut around: Vec<Around> = Vec::new();
        let mut next = self.functions.get(&function.0).copied();
        while let Some((parent, scope)) = next.and_then(|scope| self.scopes.get(scope as usize)) {
            next = *parent;
            match *scope {
                Scope::Namespace(name) => around.push(Around::Namespace(name.map(text))),
                Scope::Class(name, number) => around.push(Around::Class(name.map(text), number)),
                Scope::Function(_) if around.is_empty() => {}
                Scope::Function(entry) => {
                    let (name, declaration) = name_of(dwarf, unit, entry);
                    around.push(Around::Function(name));
                    next = self.functions.get(&declaration.0).copied().or(next);
                }
            }
            if around.len() >= MAX_SCOPES {
                break;
            }
        }
        around.reverse();
        around
    }
}

/// The name of a function by its entry and those that it refers to in its unit, and the last of these.
fn name_of<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, entry: UnitOffset) -> (Option<Box<str>>, UnitOffset) {
    let (mut name, mut at) = (None, entry);
    for _ in 0..MAX_HOPS {
        let Some(entry) = read_entry(dwarf, unit, at) else { break };
        name = name.or(entry.name);
        match entry.next {
            Some(Origin::Unit(next)) => at = next,
            _ => break,
        }
    }
    (name.map(text), at)
}

fn is_scope(tag: gimli::DwTag) -> bool {
    use gimli::{
        DW_TAG_class_type, DW_TAG_interface_type, DW_TAG_namespace, DW_TAG_structure_type, DW_TAG_union_type,
    };
    [DW_TAG_namespace, DW_TAG_class_type, DW_TAG_structure_type, DW_TAG_union_type, DW_TAG_interface_type]
        .contains(&tag)
}

fn read_name<'a>(
    dwarf: &Dwarf<'a>,
    unit: &Unit<'a>,
    entries: &mut Entries<'_, 'a>,
) -> gimli::Result<Option<Slice<'a>>> {
    let mut name = None;
    entries.read(|attribute| {
        if attribute.name() == gimli::DW_AT_name {
            name = dwarf.attr_string(unit, attribute.value()).ok();
        }
        Ok(())
    })?;
    Ok(name)
}
