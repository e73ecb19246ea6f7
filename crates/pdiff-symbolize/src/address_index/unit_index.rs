//! The contents of one compilation unit for the requested addresses: functions with their trees, names, files and lines.
//!
//! In: a unit. Out: owned data, without references to the sections. Units are read independently, in parallel.

use std::ops::Range;

use pdiff_profile::names::split_clone_suffix;
use rustc_hash::FxHashMap;

use crate::address_index::function_tree::{FunctionTree, Node, Wanted, read_functions};
use crate::address_index::label::{Label, LabelSource};
use crate::binary::dwarf::{Dwarf, Unit};
use crate::binary::function_name::names_agree;
use crate::binary::gap::Gap;
use crate::binary::line_rows::{Files, LineRow, read_rows};
use crate::binary::ranges::{disjoint, range_at};
use crate::binary::reference::Reference;
use crate::binary::split::SplitFiles;
use crate::binary::symbol_table::{Symbol, SymbolTable};

/// A function or inlined call, named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NamedNode {
    /// The node it is inlined into; itself for the function.
    pub(crate) parent: u32,
    /// Its name in [`UnitIndex::labels`]; `None` if it has none.
    pub(crate) label: Option<u32>,
    /// File of the call in [`UnitIndex::files`].
    pub(crate) call_file: Option<u32>,
    /// Line of the call; 0 if unknown.
    pub(crate) call_line: u32,
}

/// A function of a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UnitFunction {
    pub(crate) ranges: Vec<Range<u64>>,
    pub(crate) nodes: Vec<NamedNode>,
    pub(crate) segments: Vec<(u64, Option<u32>)>,
    /// Whether only the symbol table knows it.
    pub(crate) is_symbol: bool,
}

/// A row of the line table with its file in [`UnitIndex::files`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SourceRow {
    pub(crate) addr: u64,
    pub(crate) file: Option<u32>,
    pub(crate) line: u32,
}

/// What one unit says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct UnitIndex {
    pub(crate) functions: Vec<UnitFunction>,
    pub(crate) labels: Vec<Label>,
    pub(crate) files: Vec<Box<str>>,
    /// Sorted by address.
    pub(crate) rows: Vec<SourceRow>,
    /// Why this is not all that the unit should say.
    pub(crate) gap: Option<Gap>,
}

/// What reading a unit needs beside the unit.
pub(crate) struct UnitContext<'r, 'a> {
    pub(crate) source: &'r LabelSource<'r, 'a>,
    pub(crate) symbols: &'r SymbolTable,
    pub(crate) split: &'r SplitFiles<'r>,
    pub(crate) is_code: &'r (dyn Fn(u64) -> bool + Sync),
}

impl UnitIndex {
    /// Reads what unit `index` says about wanted addresses. `claimed` is what the unit says it holds.
    pub(crate) fn read(
        context: &UnitContext<'_, '_>,
        index: usize,
        wanted: Wanted<'_>,
        claimed: &[Range<u64>],
    ) -> Self {
        let (dwarf, units) = (context.source.dwarf, context.source.units);
        let mut growing = Growing::default();
        let Some(unit) = units.get(dwarf, index) else {
            growing.miss(Gap::Damaged);
            growing.add_symbols(context.symbols, wanted, claimed);
            return growing.index;
        };
        let is_split = context.split.read_unit(dwarf, unit, &mut |split, units| {
            growing.read_functions(context, &LabelSource::new(split, units, None), 0, wanted);
            growing.labels.clear();
            growing.files.clear();
        });
        match is_split {
            Ok(true) => {}
            Ok(false) => growing.read_functions(context, context.source, index, wanted),
            Err(gap) => growing.miss(gap),
        }
        growing.add_symbols(context.symbols, wanted, claimed);
        growing.read_rows(dwarf, unit);
        growing.index
    }

    /// A function that the symbol table knows and no unit.
    pub(crate) fn from_symbols<'s>(symbols: impl Iterator<Item = &'s Symbol>) -> Self {
        let mut growing = Growing::default();
        symbols.for_each(|symbol| growing.add_symbol(symbol));
        growing.index
    }
}

#[derive(Default)]
struct Growing {
    index: UnitIndex,
    labels: FxHashMap<Reference, Option<u32>>,
    files: FxHashMap<u64, Option<u32>>,
}

impl Growing {
    fn miss(&mut self, gap: Gap) {
        self.index.gap.get_or_insert(gap);
    }

    fn read_functions(
        &mut self,
        context: &UnitContext<'_, '_>,
        source: &LabelSource<'_, '_>,
        index: usize,
        wanted: Wanted<'_>,
    ) {
        let Some(unit) = source.units.get(source.dwarf, index) else { return };
        let mut files = Files::new(source.dwarf, unit);
        let (trees, outcome) =
            read_functions(source.dwarf, unit, source.units.budget(), wanted, &context.is_code);
        if let Err(error) = outcome {
            self.miss(error.into());
        }
        for tree in trees {
            let FunctionTree { ranges, nodes, segments } = tree;
            let name = |node: &Node| NamedNode {
                parent: node.parent,
                label: node.origin.and_then(|origin| self.label(source, index, origin)),
                call_file: (node.call_line > 0).then(|| self.file(&mut files, node.call_file)).flatten(),
                call_line: node.call_line,
            };
            let mut nodes: Vec<NamedNode> = nodes.iter().map(name).collect();
            self.name_by_symbol(context.symbols, &ranges, nodes.first_mut());
            self.index.functions.push(UnitFunction { ranges, nodes, segments, is_symbol: false });
        }
    }

    /// A function whose entry has no linkage name has one in the symbol table, where it begins.
    fn name_by_symbol(&mut self, symbols: &SymbolTable, ranges: &[Range<u64>], root: Option<&mut NamedNode>) {
        let Some(root) = root else { return };
        let plain = match root.label.and_then(|label| self.index.labels.get(label as usize)) {
            Some(Label::Linkage(_)) => return,
            Some(Label::Plain(name)) => &**name,
            None => "",
        };
        let at_entry = |range: &Range<u64>| symbols.find(range.start).filter(|s| s.entry == range.start);
        let Some(symbol) = ranges.iter().find_map(at_entry) else { return };
        let name = symbol.name();
        let (linkage, _clone) = split_clone_suffix(&name);
        let is_mangled = linkage.starts_with("_Z");
        if (plain.is_empty() || is_mangled && names_agree(plain, linkage))
            && let Ok(label) = u32::try_from(self.index.labels.len())
        {
            self.index.labels.push(Label::Linkage(linkage.into()));
            root.label = Some(label);
        }
    }

    fn label(&mut self, source: &LabelSource<'_, '_>, index: usize, origin: Reference) -> Option<u32> {
        if let Some(label) = self.labels.get(&origin) {
            return *label;
        }
        let label = source.label(index, origin).unwrap_or_else(|gap| {
            self.miss(gap);
            None
        });
        let label = label.and_then(|label| {
            let id = u32::try_from(self.index.labels.len()).ok()?;
            self.index.labels.push(label);
            Some(id)
        });
        self.labels.insert(origin, label);
        label
    }

    fn file(&mut self, files: &mut Files<'_, '_>, number: u64) -> Option<u32> {
        if let Some(file) = self.files.get(&number) {
            return *file;
        }
        let file = files.path(number).and_then(|path| {
            let id = u32::try_from(self.index.files.len()).ok()?;
            self.index.files.push(path.into());
            Some(id)
        });
        self.files.insert(number, file);
        file
    }

    /// Functions with wanted addresses inside the unit that it has no entry for: assembly, thunks.
    fn add_symbols(&mut self, symbols: &SymbolTable, wanted: Wanted<'_>, claimed: &[Range<u64>]) {
        let known = self.function_ranges();
        for symbol in claimed.iter().flat_map(|range| symbols.within(range.clone())) {
            let is_known = range_at(&known, symbol.start).is_some();
            if !is_known && wanted.hits(&(symbol.start..symbol.end)) {
                self.add_symbol(symbol);
            }
        }
    }

    fn add_symbol(&mut self, symbol: &Symbol) {
        let Ok(label) = u32::try_from(self.index.labels.len()) else { return };
        self.index.labels.push(Label::Linkage(symbol.name().into()));
        let node = NamedNode { parent: 0, label: Some(label), call_file: None, call_line: 0 };
        self.index.functions.push(UnitFunction {
            ranges: std::iter::once(symbol.start..symbol.end).collect(),
            nodes: vec![node],
            segments: vec![(symbol.start, Some(0)), (symbol.end, None)],
            is_symbol: true,
        });
    }

    /// The code of the functions so far.
    fn function_ranges(&self) -> Vec<Range<u64>> {
        disjoint(self.index.functions.iter().flat_map(|function| &function.ranges).cloned().collect())
    }

    fn read_rows<'a>(&mut self, dwarf: &Dwarf<'a>, unit: &Unit<'a>) {
        let ranges = self.function_ranges();
        if ranges.is_empty() {
            return;
        }
        let mut files = Files::new(dwarf, unit);
        let rows = read_rows(unit, &ranges);
        self.index.rows = rows.iter().map(|row| self.source_row(&mut files, row)).collect();
    }

    fn source_row(&mut self, files: &mut Files<'_, '_>, row: &LineRow) -> SourceRow {
        let known = row.file.filter(|_| row.line > 0);
        SourceRow { addr: row.addr, file: known.and_then(|file| self.file(files, file)), line: row.line }
    }
}
