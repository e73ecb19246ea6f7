//! One walk through the entries of a unit, in file order, without recursion.
//!
//! Only subprograms, inlined subroutines, call sites and what gives names to them are read; the attributes of all
//! other entries are skipped. An inlined subroutine counts where it stands in a subprogram that has code: those in
//! abstract instances are templates of it.

use std::ops::Range;

use gimli::{Abbreviation, AttributeSpecification, AttributeValue, Dwarf, EntriesRaw, Unit, constants as dw};
use rustc_hash::FxHashMap;

use super::super::raw_text::RawText;
use super::super::sections::Slice;
use super::records::{Link, NO_FILE, RawCall, RawSite, Records, Scope, ScopeKind, Subprogram, Target};
use crate::binary::units::MAX_RANGES;

/// Deepest nesting of scopes and functions that is followed; what is deeper counts for the scope above. Real ones
/// reach about 70.
const MAX_DEPTH: usize = 1024;
/// Most stretches of code taken of one function; real ones have two.
const MAX_FUNCTION_RANGES: usize = 4096;

type Entries<'u, 'a> = EntriesRaw<'u, Slice<'a>>;

/// What the entries below an entry belong to.
#[derive(Clone, Copy)]
struct Context {
    /// Entries deeper than this belong to it.
    depth: isize,
    scope: Option<u32>,
    /// The function whose code this is, an index into the roots.
    root: Option<u32>,
}

/// Walks through a unit.
pub(super) fn walk<'a>(dwarf: &Dwarf<Slice<'a>>, unit: &Unit<Slice<'a>>) -> gimli::Result<Records<'a>> {
    let mut walk = Walk {
        dwarf,
        unit,
        entries: unit.entries_raw(None)?,
        records: Records::new(),
        contexts: Vec::new(),
        unnamed: FxHashMap::default(),
    };
    while !walk.entries.is_empty() {
        walk.entry()?;
    }
    Ok(walk.records)
}

struct Walk<'u, 'a> {
    dwarf: &'u Dwarf<Slice<'a>>,
    unit: &'u Unit<Slice<'a>>,
    entries: Entries<'u, 'a>,
    records: Records<'a>,
    contexts: Vec<Context>,
    /// How many unnamed classes stand in a scope so far.
    unnamed: FxHashMap<Option<u32>, u32>,
}

impl<'a> Walk<'_, 'a> {
    fn entry(&mut self) -> gimli::Result<()> {
        let offset = self.entries.next_offset().0;
        let depth = self.entries.next_depth();
        let Some(abbreviation) = self.entries.read_abbreviation()? else { return Ok(()) };
        match abbreviation.tag() {
            dw::DW_TAG_inlined_subroutine => self.inlined(depth, abbreviation),
            dw::DW_TAG_subprogram => self.subprogram(offset, depth, abbreviation),
            dw::DW_TAG_call_site | dw::DW_TAG_GNU_call_site => self.call_site(depth, abbreviation),
            dw::DW_TAG_namespace | dw::DW_TAG_module => {
                self.scope(offset, depth, abbreviation, ScopeKind::Namespace)
            }
            dw::DW_TAG_class_type
            | dw::DW_TAG_structure_type
            | dw::DW_TAG_union_type
            | dw::DW_TAG_interface_type
            | dw::DW_TAG_enumeration_type => self.scope(offset, depth, abbreviation, ScopeKind::Class),
            dw::DW_TAG_compile_unit | dw::DW_TAG_partial_unit | dw::DW_TAG_skeleton_unit => {
                self.root(abbreviation)
            }
            _ => self.entries.skip_attributes(abbreviation.attributes()),
        }
    }

    /// The context of an entry at `depth`.
    fn context(&mut self, depth: isize) -> Context {
        while self.contexts.last().is_some_and(|context| context.depth >= depth) {
            self.contexts.pop();
        }
        self.contexts.last().copied().unwrap_or(Context { depth: -1, scope: None, root: None })
    }

    fn push_context(&mut self, context: Context) {
        if self.contexts.len() < MAX_DEPTH {
            self.contexts.push(context);
        }
    }

    fn root(&mut self, abbreviation: &Abbreviation) -> gimli::Result<()> {
        let mut pc = Pc::default();
        for spec in abbreviation.attributes() {
            match spec.name() {
                dw::DW_AT_producer => self.records.producer = self.text(*spec)?,
                dw::DW_AT_dwo_name | dw::DW_AT_GNU_dwo_name => {
                    self.records.is_split = true;
                    self.skip(spec)?;
                }
                _ => self.pc_attribute(*spec, &mut pc)?,
            }
        }
        self.records.covered = self.ranges(&pc, MAX_RANGES);
        Ok(())
    }

    fn scope(
        &mut self,
        offset: usize,
        depth: isize,
        abbreviation: &Abbreviation,
        kind: ScopeKind,
    ) -> gimli::Result<()> {
        if !abbreviation.has_children() {
            return self.entries.skip_attributes(abbreviation.attributes());
        }
        let context = self.context(depth);
        let mut scope = Scope {
            offset,
            parent: context.scope,
            kind,
            name: RawText::Absent,
            number: 0,
            declaration: None,
        };
        for spec in abbreviation.attributes() {
            match spec.name() {
                dw::DW_AT_name => scope.name = self.text(*spec)?,
                dw::DW_AT_specification => {
                    if let Some(Target::Here(declaration)) = self.target(*spec)? {
                        scope.declaration = Some(declaration);
                    }
                }
                _ => self.skip(spec)?,
            }
        }
        if kind == ScopeKind::Class && abbreviation.tag() != dw::DW_TAG_enumeration_type {
            let number = self.unnamed.entry(context.scope).or_default();
            *number += u32::from(scope.name.is_absent());
            scope.number = *number;
        }
        self.open_scope(Context { depth, ..context }, scope);
        Ok(())
    }

    /// Entries below `context.depth` stand in `scope` from here on.
    fn open_scope(&mut self, context: Context, scope: Scope<'a>) {
        let Ok(index) = u32::try_from(self.records.scopes.len()) else { return };
        self.records.scopes.push(scope);
        self.push_context(Context { scope: Some(index), ..context });
    }

    fn subprogram(&mut self, offset: usize, depth: isize, abbreviation: &Abbreviation) -> gimli::Result<()> {
        let context = self.context(depth);
        let mut subprogram = Subprogram { offset, scope: context.scope, ..Subprogram::NOTHING };
        let mut pc = Pc::default();
        for spec in abbreviation.attributes() {
            self.subprogram_attribute(*spec, &mut subprogram, &mut pc)?;
        }
        let index = self.records.subprograms.len();
        self.records.subprograms.push(subprogram);
        let root = self.add_root(index, &pc);
        if abbreviation.has_children() {
            let name = subprogram.name;
            let scope = Scope {
                offset,
                parent: context.scope,
                kind: ScopeKind::Function,
                name,
                number: 0,
                declaration: None,
            };
            self.open_scope(Context { depth, scope: None, root }, scope);
        }
        Ok(())
    }

    fn subprogram_attribute(
        &mut self,
        spec: AttributeSpecification,
        subprogram: &mut Subprogram<'a>,
        pc: &mut Pc<'a>,
    ) -> gimli::Result<()> {
        match spec.name() {
            dw::DW_AT_name => subprogram.name = self.text(spec)?,
            dw::DW_AT_linkage_name | dw::DW_AT_MIPS_linkage_name => {
                subprogram.linkage_name = self.text(spec)?
            }
            dw::DW_AT_decl_file => subprogram.file = self.number(spec)?.unwrap_or(NO_FILE),
            dw::DW_AT_decl_line => subprogram.line = self.line(spec)?,
            dw::DW_AT_inline => subprogram.inline = self.number(spec)?,
            dw::DW_AT_external => subprogram.is_external = self.flag(spec)?,
            dw::DW_AT_abstract_origin => {
                subprogram.link = self.target(spec)?.map_or(Link::None, Link::Abstract)
            }
            dw::DW_AT_specification if !matches!(subprogram.link, Link::Abstract(_)) => {
                subprogram.link = self.target(spec)?.map_or(Link::None, Link::Declaration);
            }
            _ => self.pc_attribute(spec, pc)?,
        }
        Ok(())
    }

    fn pc_attribute(&mut self, spec: AttributeSpecification, pc: &mut Pc<'a>) -> gimli::Result<()> {
        match spec.name() {
            dw::DW_AT_low_pc => pc.low = Some(self.entries.read_attribute_inline(spec)?.raw_value()),
            dw::DW_AT_high_pc => pc.high = Some(self.entries.read_attribute_inline(spec)?.raw_value()),
            dw::DW_AT_ranges => pc.ranges = Some(self.entries.read_attribute_inline(spec)?.value()),
            _ => self.skip(&spec)?,
        }
        Ok(())
    }

    /// Notes the code of a subprogram; `None` where it has none in this file.
    fn add_root(&mut self, subprogram: usize, pc: &Pc<'a>) -> Option<u32> {
        let ranges = self.ranges(pc, MAX_FUNCTION_RANGES);
        if ranges.is_empty() {
            return None;
        }
        let index = u32::try_from(self.records.roots.len()).ok()?;
        self.records.roots.push((subprogram, ranges));
        Some(index)
    }

    /// The stretches of code of an entry, at most `most`.
    fn ranges(&self, pc: &Pc<'a>, most: usize) -> Vec<Range<u64>> {
        // Code that the linker dropped stands at zero or at the end of the address space.
        let address_size = self.unit.encoding().address_size;
        let top = if address_size >= 8 { u64::MAX } else { (1_u64 << (8 * address_size.min(7))) - 1 };
        let is_kept =
            |range: &Range<u64>| range.start > 0 && range.start < top - 1 && range.start < range.end;
        let one = || {
            let start = self.dwarf.attr_address(self.unit, pc.low?).ok()??;
            let end = match pc.high? {
                AttributeValue::Addr(end) => end,
                AttributeValue::DebugAddrIndex(_) => self.dwarf.attr_address(self.unit, pc.high?).ok()??,
                high => start.checked_add(number_of(high)?)?,
            };
            Some(start..end)
        };
        let Some(list) = pc.ranges else { return one().into_iter().filter(is_kept).collect() };
        let Ok(Some(mut list)) = self.dwarf.attr_ranges(self.unit, list) else { return Vec::new() };
        let mut ranges = Vec::new();
        while let (Ok(Some(range)), true) = (list.next(), ranges.len() < most) {
            ranges.extend(Some(range.begin..range.end).filter(is_kept));
        }
        ranges
    }

    fn inlined(&mut self, depth: isize, abbreviation: &Abbreviation) -> gimli::Result<()> {
        let Some(root) = self.context(depth).root else {
            return self.entries.skip_attributes(abbreviation.attributes());
        };
        let (mut origin, mut file, mut line) = (None, NO_FILE, 0);
        for spec in abbreviation.attributes() {
            match spec.name() {
                dw::DW_AT_abstract_origin => origin = self.target(*spec)?,
                dw::DW_AT_call_file => file = self.number(*spec)?.unwrap_or(NO_FILE),
                dw::DW_AT_call_line => line = self.line(*spec)?,
                _ => self.skip(spec)?,
            }
        }
        self.records.sites.extend(origin.map(|origin| RawSite { origin, root, file, line }));
        Ok(())
    }

    fn call_site(&mut self, depth: isize, abbreviation: &Abbreviation) -> gimli::Result<()> {
        let Some(root) = self.context(depth).root else {
            return self.entries.skip_attributes(abbreviation.attributes());
        };
        let (mut origin, mut is_tail) = (None, false);
        for spec in abbreviation.attributes() {
            match spec.name() {
                dw::DW_AT_call_origin | dw::DW_AT_abstract_origin => origin = self.target(*spec)?,
                dw::DW_AT_call_tail_call | dw::DW_AT_GNU_tail_call => is_tail = self.flag(*spec)?,
                _ => self.skip(spec)?,
            }
        }
        self.records.calls.extend(origin.map(|origin| RawCall { origin, root, is_tail }));
        Ok(())
    }

    fn skip(&mut self, spec: &AttributeSpecification) -> gimli::Result<()> {
        self.entries.skip_attributes(std::slice::from_ref(spec))
    }

    fn text(&mut self, spec: AttributeSpecification) -> gimli::Result<RawText<'a>> {
        let value = self.entries.read_attribute_inline(spec)?.raw_value();
        Ok(RawText::of(self.dwarf, self.unit, value))
    }

    fn number(&mut self, spec: AttributeSpecification) -> gimli::Result<Option<u64>> {
        Ok(number_of(self.entries.read_attribute_inline(spec)?.raw_value()))
    }

    fn line(&mut self, spec: AttributeSpecification) -> gimli::Result<u32> {
        Ok(self.number(spec)?.and_then(|line| u32::try_from(line).ok()).unwrap_or(0))
    }

    fn flag(&mut self, spec: AttributeSpecification) -> gimli::Result<bool> {
        Ok(matches!(self.entries.read_attribute_inline(spec)?.raw_value(), AttributeValue::Flag(true)))
    }

    fn target(&mut self, spec: AttributeSpecification) -> gimli::Result<Option<Target>> {
        Ok(match self.entries.read_attribute_inline(spec)?.raw_value() {
            AttributeValue::UnitRef(offset) => Some(Target::Here(offset.0)),
            AttributeValue::DebugInfoRef(offset) => Some(Target::Elsewhere(offset.0 as u64)),
            _ => None,
        })
    }
}

/// The attributes that say where a function's code lies.
#[derive(Default)]
struct Pc<'a> {
    low: Option<AttributeValue<Slice<'a>>>,
    high: Option<AttributeValue<Slice<'a>>>,
    ranges: Option<AttributeValue<Slice<'a>>>,
}

fn number_of(value: AttributeValue<Slice<'_>>) -> Option<u64> {
    match value {
        AttributeValue::Data1(number) => Some(u64::from(number)),
        AttributeValue::Data2(number) => Some(u64::from(number)),
        AttributeValue::Data4(number) => Some(u64::from(number)),
        AttributeValue::Data8(number) | AttributeValue::Udata(number) => Some(number),
        AttributeValue::Sdata(number) => u64::try_from(number).ok(),
        _ => None,
    }
}
