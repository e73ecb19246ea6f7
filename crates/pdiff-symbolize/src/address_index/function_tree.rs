//! The functions of one compilation unit that have code, each with the tree of functions inlined into it.
//!
//! One pass over the unit's entries, without recursion, in the order of the file. Functions are at any depth (in
//! namespaces, classes, other functions, abstract instances), so every entry is visited; all but functions, inlined calls
//! and their attributes are skipped by size. For a function without any wanted address, only its own entry is read. Depth,
//! ranges and chains have limits; anything beyond them is left out, never followed.
//!
//! Estimate: 3.3 million entries of 8.0.33 at 30 ns are 0.1 s, 2.1 million inlined calls at 200 ns 0.4 s.

use std::ops::Range;

use gimli::UnitOffset;
use pdiff_profile::InlineChain;

use crate::address_index::flatten::{Interval, flatten};
use crate::binary::budget::Budget;
use crate::binary::code_ranges::CodeAttributes;
use crate::binary::dwarf::{Dwarf, Unit};
use crate::binary::entries::{Entries, Entry};
use crate::binary::reference::Reference;
use crate::binary::unit_root::MAX_RANGES;

/// Which addresses are asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'w> {
    /// The whole file.
    All,
    /// These, sorted.
    Addrs(&'w [u64]),
}

impl Wanted<'_> {
    /// Whether an address of the range is wanted.
    pub(crate) fn hits(&self, range: &Range<u64>) -> bool {
        match self {
            Self::All => true,
            Self::Addrs(addrs) => {
                let at = addrs.partition_point(|addr| *addr < range.start);
                addrs.get(at).is_some_and(|addr| *addr < range.end)
            }
        }
    }
}

/// A function or one inlined call in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The node it is inlined into; itself for the function.
    pub(crate) parent: u32,
    /// Number of inlined calls around it.
    pub(crate) depth: u32,
    /// The entry that names it; `None` if the call has no origin.
    pub(crate) origin: Option<Reference>,
    /// File of the call, by the line table; 0 if unknown.
    pub(crate) call_file: u64,
    /// Line of the call; 0 if unknown.
    pub(crate) call_line: u32,
}

/// A function with code.
#[derive(Clone, Debug)]
pub(crate) struct FunctionTree {
    /// Its code; not sorted.
    pub(crate) ranges: Vec<Range<u64>>,
    /// The function, then what is inlined into it, callers before callees.
    pub(crate) nodes: Vec<Node>,
    /// Which node each address belongs to, from that address on; sorted.
    pub(crate) segments: Vec<(u64, Option<u32>)>,
}

/// Reads the functions that have wanted addresses. What is damaged ends the reading; what was read before stays, and the
/// damage is told.
pub(crate) fn read_functions<'a>(
    dwarf: &Dwarf<'a>,
    unit: &Unit<'a>,
    budget: &Budget,
    wanted: Wanted<'_>,
    is_code: &dyn Fn(u64) -> bool,
) -> (Vec<FunctionTree>, gimli::Result<()>) {
    let mut reader = Reader { dwarf, unit, budget, wanted, is_code, functions: Vec::new(), open: Vec::new() };
    let outcome = reader.read();
    (reader.functions.into_iter().map(Growing::finish).collect(), outcome)
}

/// A function while its entries are read.
struct Growing {
    ranges: Vec<Range<u64>>,
    nodes: Vec<Node>,
    intervals: Vec<Interval>,
}

/// An entry whose children are being read.
struct Open {
    depth: isize,
    /// The function it belongs to (`None`: one that is not wanted), and the node.
    place: Option<(usize, u32)>,
}

struct Reader<'r, 'a> {
    dwarf: &'r Dwarf<'a>,
    unit: &'r Unit<'a>,
    budget: &'r Budget,
    wanted: Wanted<'r>,
    is_code: &'r dyn Fn(u64) -> bool,
    functions: Vec<Growing>,
    open: Vec<Open>,
}

/// The attributes of a function or inlined call.
#[derive(Default)]
struct Attributes<'a> {
    code: CodeAttributes<'a>,
    origin: Option<Reference>,
    call_file: u64,
    call_line: u32,
}

impl<'a> Reader<'_, 'a> {
    fn read(&mut self) -> gimli::Result<()> {
        let mut entries = Entries::of(self.unit, self.budget)?;
        while let Some(entry) = entries.next()? {
            let depth = entry.depth;
            while self.open.last().is_some_and(|open| open.depth >= depth) {
                self.open.pop();
            }
            let place = match entry.tag() {
                gimli::DW_TAG_subprogram if has_code(&entry) => {
                    let attributes = self.attributes(&mut entries)?;
                    self.add_function(entry.offset, &attributes)?
                }
                // A declaration, or what several inlined calls have in common.
                gimli::DW_TAG_subprogram => None,
                gimli::DW_TAG_inlined_subroutine if self.place().is_some() => {
                    let attributes = self.attributes(&mut entries)?;
                    self.add_inlined(&attributes)?
                }
                _ => continue,
            };
            self.open.push(Open { depth, place });
        }
        Ok(())
    }

    fn place(&self) -> Option<(usize, u32)> {
        self.open.last().and_then(|open| open.place)
    }

    fn add_function(
        &mut self,
        offset: UnitOffset,
        attributes: &Attributes<'a>,
    ) -> gimli::Result<Option<(usize, u32)>> {
        let mut ranges = attributes.code.read(self.dwarf, self.unit, MAX_RANGES, self.budget)?;
        ranges.retain(|range| (self.is_code)(range.start));
        if !ranges.iter().any(|range| self.wanted.hits(range)) {
            return Ok(None);
        }
        let interval = |range: &Range<u64>| Interval { start: range.start, end: range.end, rank: 0, node: 0 };
        let intervals = ranges.iter().map(interval).collect();
        let origin = Some(Reference::Unit(offset));
        let root = Node { parent: 0, depth: 0, origin, call_file: 0, call_line: 0 };
        self.functions.push(Growing { ranges, nodes: vec![root], intervals });
        Ok(Some((self.functions.len() - 1, 0)))
    }

    fn add_inlined(&mut self, attributes: &Attributes<'a>) -> gimli::Result<Option<(usize, u32)>> {
        let Some((index, parent)) = self.place() else { return Ok(None) };
        let ranges = attributes.code.read(self.dwarf, self.unit, MAX_RANGES, self.budget)?;
        let Some(function) = self.functions.get_mut(index) else { return Ok(None) };
        let depth = function.nodes.get(parent as usize).map_or(0, |node| node.depth) + 1;
        if depth as usize >= InlineChain::MAX_DEPTH {
            return Ok(Some((index, parent)));
        }
        let Ok(node) = u32::try_from(function.nodes.len()) else { return Ok(None) };
        let Attributes { origin, call_file, call_line, .. } = *attributes;
        function.nodes.push(Node { parent, depth, origin, call_file, call_line });
        let interval = |range: Range<u64>| Interval { start: range.start, end: range.end, rank: 0, node };
        function.intervals.extend(ranges.into_iter().map(interval));
        Ok(Some((index, node)))
    }

    fn attributes(&self, entries: &mut Entries<'_, 'a>) -> gimli::Result<Attributes<'a>> {
        let mut attributes = Attributes::default();
        let wanted = |name| {
            let is_told = [gimli::DW_AT_abstract_origin, gimli::DW_AT_call_file, gimli::DW_AT_call_line];
            is_told.contains(&name) || CodeAttributes::is_one(name)
        };
        entries.read(wanted, |name, value| {
            match name {
                gimli::DW_AT_abstract_origin => attributes.origin = Reference::from_value(&value),
                gimli::DW_AT_call_file => attributes.call_file = value.udata_value().unwrap_or(0),
                gimli::DW_AT_call_line => {
                    let line = value.udata_value().unwrap_or(0);
                    attributes.call_line = u32::try_from(line).unwrap_or(0);
                }
                _ => attributes.code.add(name, value),
            }
            Ok(())
        })?;
        Ok(attributes)
    }
}

impl Growing {
    fn finish(self) -> FunctionTree {
        FunctionTree { ranges: self.ranges, nodes: self.nodes, segments: flatten(self.intervals) }
    }
}

/// Whether an entry has attributes that place its code.
fn has_code(entry: &Entry<'_>) -> bool {
    let is_place = |name| [gimli::DW_AT_low_pc, gimli::DW_AT_ranges].contains(&name);
    entry.abbreviation.attributes().iter().any(|spec| is_place(spec.name()))
}
