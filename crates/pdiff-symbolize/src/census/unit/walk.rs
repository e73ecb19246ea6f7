//! One walk through the entries of a unit, in file order, without recursion.
//!
//! Only subprograms, inlined subroutines, call sites and what gives names to them are read; all other entries are passed
//! over. An inlined subroutine counts where it is in a subprogram that has code: those in abstract instances are templates
//! of it.

use std::ops::Range;

use gimli::{AttributeValue, DwAt, constants as dw};

use super::records::{Link, NO_FILE, NO_SITE_FILE, RawCall, Records, Subprogram, Target};
use super::source::Source;
use crate::binary::call_fields::InlinedCall;
use crate::binary::code_ranges::CodeAttributes;
use crate::binary::dwarf::{Slice, Unit};
use crate::binary::entries::{Entries, Entry};
use crate::binary::reference::Reference;
use crate::binary::scopes::{ScopeKind, kind_of};
use crate::binary::strings::RawText;
use crate::binary::unit_root::MAX_RANGES;

/// Deepest nesting of scopes and functions that is followed; what is deeper counts for the scope above. Real ones
/// reach about 70.
const MAX_DEPTH: usize = 1024;
/// Most stretches of code taken of one function; real ones have two.
const MAX_FUNCTION_RANGES: usize = 4096;

/// What the entries below an entry belong to.
#[derive(Clone, Copy)]
struct Context {
    /// Entries deeper than this belong to it.
    depth: isize,
    scope: Option<u32>,
    /// The function whose code this is, an index into the roots.
    root: Option<u32>,
}

/// Walks through a unit, and notes it down in `records`, which have none.
pub(super) fn walk<'a>(
    source: &Source<'_, 'a>,
    unit: &Unit<'a>,
    records: &mut Records<'a>,
) -> gimli::Result<()> {
    let entries = Entries::of(unit, source.units.budget())?;
    let mut walk = Walk { source, unit, entries, records, contexts: Vec::new() };
    while let Some(entry) = walk.entries.next()? {
        walk.entry(&entry)?;
    }
    Ok(())
}

/// The code that a unit says is its own.
pub(super) fn covered<'a>(source: &Source<'_, 'a>, unit: &Unit<'a>) -> gimli::Result<Vec<Range<u64>>> {
    let entries = Entries::of(unit, source.units.budget())?;
    let mut records = Records::new();
    let mut walk = Walk { source, unit, entries, records: &mut records, contexts: Vec::new() };
    if walk.entries.next()?.is_some() {
        walk.root()?;
    }
    Ok(std::mem::take(&mut walk.records.covered))
}

struct Walk<'u, 'a> {
    source: &'u Source<'u, 'a>,
    unit: &'u Unit<'a>,
    entries: Entries<'u, 'a>,
    records: &'u mut Records<'a>,
    contexts: Vec<Context>,
}

impl<'u, 'a> Walk<'u, 'a> {
    fn entry(&mut self, entry: &Entry<'u>) -> gimli::Result<()> {
        match entry.tag() {
            dw::DW_TAG_inlined_subroutine => self.inlined(entry.depth),
            dw::DW_TAG_subprogram => self.subprogram(entry),
            dw::DW_TAG_call_site | dw::DW_TAG_GNU_call_site => self.call_site(entry.depth),
            dw::DW_TAG_compile_unit | dw::DW_TAG_partial_unit | dw::DW_TAG_skeleton_unit => self.root(),
            tag => match kind_of(tag).filter(|_| entry.abbreviation.has_children()) {
                Some(kind) => self.scope(entry, kind),
                None => Ok(()),
            },
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

    fn root(&mut self) -> gimli::Result<()> {
        let (text, mut code) = (text_of(self.source, self.unit), CodeAttributes::default());
        let records = &mut *self.records;
        let wanted = |name| name == dw::DW_AT_producer || CodeAttributes::is_one(name);
        self.entries.read(wanted, |name, value| {
            match name {
                dw::DW_AT_producer => records.producer = text(value)?,
                _ => code.add(name, value),
            }
            Ok(())
        })?;
        self.records.covered = self.ranges(&code, MAX_RANGES)?;
        Ok(())
    }

    /// Entries below a namespace or class are in it.
    fn scope(&mut self, entry: &Entry<'u>, kind: ScopeKind) -> gimli::Result<()> {
        let context = self.context(entry.depth);
        let text = text_of(self.source, self.unit);
        let scope = self.records.scopes.add(&mut self.entries, entry, kind, context.scope, text)?;
        self.push_context(Context { depth: entry.depth, scope: Some(scope), ..context });
        Ok(())
    }

    fn subprogram(&mut self, entry: &Entry<'u>) -> gimli::Result<()> {
        let context = self.context(entry.depth);
        let mut subprogram = Subprogram { offset: entry.offset, scope: context.scope, ..Subprogram::NOTHING };
        let (source, text) = (self.source, text_of(self.source, self.unit));
        let mut code = CodeAttributes::default();
        self.entries.read(is_of_subprogram, |name, value| {
            match name {
                dw::DW_AT_name => subprogram.name = text(value)?,
                dw::DW_AT_linkage_name | dw::DW_AT_MIPS_linkage_name => {
                    subprogram.linkage_name = text(value)?;
                }
                dw::DW_AT_decl_file => subprogram.file = value.udata_value().unwrap_or(NO_FILE),
                dw::DW_AT_decl_line => subprogram.line = small_number(&value).unwrap_or(0),
                dw::DW_AT_inline => subprogram.inline = value.udata_value(),
                dw::DW_AT_external => subprogram.is_external = is_set(&value),
                dw::DW_AT_abstract_origin => {
                    subprogram.link = target_of(source, &value).map_or(Link::None, Link::Abstract);
                }
                dw::DW_AT_specification if !matches!(subprogram.link, Link::Abstract(_)) => {
                    subprogram.link = target_of(source, &value).map_or(Link::None, Link::Declaration);
                }
                _ => code.add(name, value),
            }
            Ok(())
        })?;
        let index = self.records.add_subprogram(subprogram);
        let root = self.add_root(index, &code)?;
        if entry.abbreviation.has_children() {
            let scope = self.records.scopes.add_function(entry.offset, context.scope, subprogram.name);
            self.push_context(Context { depth: entry.depth, scope: Some(scope), root });
        }
        Ok(())
    }

    /// Notes the code of a subprogram; `None` where it has none in this file.
    fn add_root(&mut self, subprogram: usize, code: &CodeAttributes<'a>) -> gimli::Result<Option<u32>> {
        let ranges = self.ranges(code, MAX_FUNCTION_RANGES)?;
        if ranges.is_empty() {
            return Ok(None);
        }
        let index = u32::try_from(self.records.roots.len()).ok();
        self.records.roots.push((subprogram, ranges));
        Ok(index)
    }

    /// The stretches of code of an entry, at most `most`, without code that the linker dropped: it is at zero or at the end
    /// of the address space.
    fn ranges(&self, code: &CodeAttributes<'a>, most: usize) -> gimli::Result<Vec<Range<u64>>> {
        let address_size = self.unit.encoding().address_size;
        let top = if address_size >= 8 { u64::MAX } else { (1_u64 << (8 * address_size.min(7))) - 1 };
        let mut ranges = code.read(self.source.dwarf, self.unit, most, self.source.units.budget())?;
        ranges.retain(|range| range.start > 0 && range.start < top - 1);
        Ok(ranges)
    }

    fn inlined(&mut self, depth: isize) -> gimli::Result<()> {
        let Some(root) = self.context(depth).root else { return Ok(()) };
        if let Some(InlinedCall { origin, file, line, .. }) = self.entries.read_call()? {
            let small = |number: Option<u64>| number.and_then(|number| u32::try_from(number).ok());
            if let Some(origin) = origin {
                let (file, line) = (small(file).unwrap_or(NO_SITE_FILE), small(line).unwrap_or(0));
                self.records.add_site(Target::Here(origin), root, file, line);
            }
            return Ok(());
        }
        let (mut origin, mut file, mut line) = (None, NO_SITE_FILE, 0);
        let wanted =
            |name| matches!(name, dw::DW_AT_abstract_origin | dw::DW_AT_call_file | dw::DW_AT_call_line);
        self.entries.read(wanted, |name, value| {
            match name {
                dw::DW_AT_abstract_origin => origin = target_of(self.source, &value),
                dw::DW_AT_call_file => file = small_number(&value).unwrap_or(NO_SITE_FILE),
                dw::DW_AT_call_line => line = small_number(&value).unwrap_or(0),
                _ => {}
            }
            Ok(())
        })?;
        if let Some(origin) = origin {
            self.records.add_site(origin, root, file, line);
        }
        Ok(())
    }

    fn call_site(&mut self, depth: isize) -> gimli::Result<()> {
        let Some(root) = self.context(depth).root else { return Ok(()) };
        let (mut origin, mut is_tail) = (None, false);
        let wanted = |name| {
            let is_target = matches!(name, dw::DW_AT_call_origin | dw::DW_AT_abstract_origin);
            is_target || matches!(name, dw::DW_AT_call_tail_call | dw::DW_AT_GNU_tail_call)
        };
        self.entries.read(wanted, |name, value| {
            match name {
                dw::DW_AT_call_origin | dw::DW_AT_abstract_origin => {
                    origin = target_of(self.source, &value);
                }
                dw::DW_AT_call_tail_call | dw::DW_AT_GNU_tail_call => is_tail = is_set(&value),
                _ => {}
            }
            Ok(())
        })?;
        self.records.calls.extend(origin.map(|origin| RawCall { origin, root, is_tail }));
        Ok(())
    }
}

/// Whether an attribute of a subprogram is read.
fn is_of_subprogram(name: DwAt) -> bool {
    let is_name = matches!(name, dw::DW_AT_name | dw::DW_AT_linkage_name | dw::DW_AT_MIPS_linkage_name);
    let is_declaration = matches!(
        name,
        dw::DW_AT_decl_file
            | dw::DW_AT_decl_line
            | dw::DW_AT_inline
            | dw::DW_AT_external
            | dw::DW_AT_abstract_origin
            | dw::DW_AT_specification
    );
    is_name || is_declaration || CodeAttributes::is_one(name)
}

/// What reads the strings of a unit.
fn text_of<'u, 'a>(
    source: &'u Source<'u, 'a>,
    unit: &'u Unit<'a>,
) -> impl Fn(AttributeValue<Slice<'a>>) -> gimli::Result<RawText<'a>> + use<'u, 'a> {
    |value| RawText::read(source.home, source.dwarf, unit, value)
}

fn target_of<'a>(source: &Source<'_, 'a>, value: &AttributeValue<Slice<'a>>) -> Option<Target> {
    Reference::from_value(value).map(|reference| source.target(reference))
}

fn is_set(value: &AttributeValue<Slice<'_>>) -> bool {
    matches!(value, AttributeValue::Flag(true))
}

fn small_number(value: &AttributeValue<Slice<'_>>) -> Option<u32> {
    value.udata_value().and_then(|number| u32::try_from(number).ok())
}
