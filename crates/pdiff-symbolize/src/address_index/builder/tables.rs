//! The tables of an index while they grow, and the bytes that they become.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use object::LittleEndian as Le;
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::strings::Strings;
use super::{Extent, Names};
use crate::address_index::index::{AddressIndex, FORMAT, HEADER_WORDS, MAGIC, NONE, NOTHING, UNKNOWN};
use crate::address_index::label::Label;
use crate::binary::function_name::display_name;

/// The name and linkage name of a function, as strings.
type NameIds = [u32; 2];

/// An index in the making, table by table.
pub(super) struct Builder {
    pub(super) trees: Trees,
    pub(super) lines: Lines,
    pub(super) strings: Strings,
}

/// Which node each address belongs to, and the nodes.
pub(super) struct Trees {
    segments: Changes,
    pub(super) nodes: Vec<[u32; 4]>,
    /// Names that are known, and labels whose names are made at the end.
    functions: Vec<(Label, Option<NameIds>)>,
    /// With the hash of the label.
    function_ids: HashTable<(u64, u32)>,
}

/// From which address on which file and line.
pub(super) struct Lines {
    lines: Changes,
    places: Vec<[u32; 2]>,
    place_ids: FxHashMap<[u32; 2], u32>,
}

/// A value from each address on.
struct Changes {
    base: u64,
    changes: Vec<(u32, u32)>,
}

impl Builder {
    /// Begins with the nodes, places, functions and strings of `old`, so that its numbers stay valid.
    pub(super) fn continuing(old: &AddressIndex<'_>, base: u64) -> Self {
        let mut strings = Strings::default();
        for id in 0.. {
            match old.string(id) {
                Some(text) => strings.add(text),
                None => break,
            };
        }
        Self { trees: Trees::continuing(old, base), lines: Lines::continuing(old, base), strings }
    }

    pub(super) fn into_bytes(self, extent: Extent, names: Names) -> Vec<u8> {
        let Self { trees, lines, mut strings } = self;
        let functions = &trees.functions;
        let (mut bytes, functions) =
            rayon::join(|| tables(&trees, &lines), || name_functions(functions, names, &mut strings));
        let base = trees.segments.base;
        let counts = [
            trees.segments.changes.len(),
            trees.nodes.len(),
            lines.lines.changes.len(),
            lines.places.len(),
            functions.len(),
            strings.ends.len(),
            strings.bytes.len(),
        ];
        let mut words: Vec<u32> = vec![FORMAT, base as u32, (base >> 32) as u32];
        words.push(u32::from(extent == Extent::Whole));
        words.extend(counts.iter().map(|count| u32::try_from(*count).unwrap_or(u32::MAX)));
        words.resize(HEADER_WORDS, 0);
        let mut header = MAGIC.to_vec();
        put(&mut header, words.into_iter());
        bytes.splice(..header.len(), header);
        bytes.reserve_exact(functions.len() * 8 + strings.ends.len() * 4 + strings.bytes.len());
        put(&mut bytes, functions.iter().flatten().copied());
        put(&mut bytes, strings.ends.iter().copied());
        bytes.extend_from_slice(&strings.bytes);
        bytes
    }
}

/// The tables that need no names, behind room for the header.
fn tables(trees: &Trees, lines: &Lines) -> Vec<u8> {
    let (segments, rows) = (&trees.segments.changes, &lines.lines.changes);
    let header = MAGIC.len() + HEADER_WORDS * 4;
    let pairs = segments.len() + rows.len() + lines.places.len();
    let mut bytes = Vec::with_capacity(header + pairs * 8 + trees.nodes.len() * 16);
    bytes.resize(header, 0);
    put(&mut bytes, segments.iter().map(|segment| segment.0));
    put(&mut bytes, segments.iter().map(|segment| segment.1));
    put(&mut bytes, trees.nodes.iter().flatten().copied());
    put(&mut bytes, rows.iter().map(|row| row.0));
    put(&mut bytes, rows.iter().map(|row| row.1));
    put(&mut bytes, lines.places.iter().flatten().copied());
    bytes
}

/// Names functions. What is to be demangled is so in parallel, the slowest step of a small index.
fn name_functions(
    functions: &[(Label, Option<NameIds>)],
    names: Names,
    strings: &mut Strings,
) -> Vec<NameIds> {
    let shown: Vec<Option<Box<str>>> = functions
        .par_iter()
        .map(|(label, known)| match (label, known) {
            (Label::Linkage(linkage), None) if names == Names::Made => Some(display_name(linkage)),
            _ => None,
        })
        .collect();
    let mut name =
        |((label, known), shown): (&(Label, Option<NameIds>), Option<Box<str>>)| match (known, label) {
            (Some(known), _) => *known,
            (None, Label::Plain(name)) => [strings.add(name), NONE],
            (None, Label::Linkage(linkage)) => {
                let name = shown.map_or(NONE, |name| strings.add(&name));
                [name, strings.add(linkage)]
            }
        };
    functions.iter().zip(shown).map(&mut name).collect()
}

impl Trees {
    fn continuing(old: &AddressIndex<'_>, base: u64) -> Self {
        let mut trees = Self {
            segments: Changes { base, changes: Vec::new() },
            nodes: old.nodes.iter().map(|node| node.map(|word| word.get(Le))).collect(),
            functions: Vec::new(),
            function_ids: HashTable::new(),
        };
        for [name, linkage] in old.functions.iter().map(|function| function.map(|word| word.get(Le))) {
            let label = match (old.string(linkage), old.string(name)) {
                (Some(linkage), _) => Label::Linkage(linkage.into()),
                (None, name) => Label::Plain(name.unwrap_or_default().into()),
            };
            let hash = FxBuildHasher.hash_one(&label);
            trees.add_function(hash, label, Some([name, linkage]));
        }
        trees
    }

    /// The number of a function.
    pub(super) fn function(&mut self, label: &Label) -> u32 {
        let hash = FxBuildHasher.hash_one(label);
        let is_label = |id: u32| self.functions.get(id as usize).is_some_and(|known| known.0 == *label);
        match self.function_ids.find(hash, |(known, id)| *known == hash && is_label(*id)) {
            Some((_, id)) => *id,
            None => self.add_function(hash, label.clone(), None),
        }
    }

    fn add_function(&mut self, hash: u64, label: Label, names: Option<NameIds>) -> u32 {
        let id = u32::try_from(self.functions.len()).unwrap_or(NONE);
        self.functions.push((label, names));
        self.function_ids.insert_unique(hash, (hash, id), |(hash, _)| *hash);
        id
    }

    pub(super) fn start_segment(&mut self, addr: u64, node: u32) {
        self.segments.start(addr, node);
    }

    /// Nothing is said of addresses from `end` on, in an index of some addresses.
    pub(super) fn end_piece(&mut self, end: u64, extent: Extent) {
        self.start_segment(end, if extent == Extent::Whole { NOTHING } else { UNKNOWN });
    }

    /// Takes over what `old` says of addresses.
    pub(super) fn copy_old(&mut self, old: &AddressIndex<'_>, start: u64, end: u64) {
        copy_range(old.base, old.segment_addrs, old.segment_nodes, start, end, |addr, node| {
            self.start_segment(addr, node);
        });
    }
}

impl Lines {
    fn continuing(old: &AddressIndex<'_>, base: u64) -> Self {
        let lines = Changes { base, changes: Vec::new() };
        let mut lines = Self { lines, places: Vec::new(), place_ids: FxHashMap::default() };
        for [file, line] in old.places {
            lines.place(file.get(Le), line.get(Le));
        }
        lines
    }

    /// The number of a file and line.
    pub(super) fn place(&mut self, file: u32, line: u32) -> u32 {
        let next = u32::try_from(self.places.len()).unwrap_or(NONE);
        let id = *self.place_ids.entry([file, line]).or_insert(next);
        if id == next {
            self.places.push([file, line]);
        }
        id
    }

    pub(super) fn start_line(&mut self, addr: u64, place: u32) {
        self.lines.start(addr, place);
    }

    /// Takes over what `old` says of addresses.
    pub(super) fn copy_old(&mut self, old: &AddressIndex<'_>, start: u64, end: u64) {
        copy_range(old.base, old.line_addrs, old.line_places, start, end, |addr, place| {
            self.start_line(addr, place);
        });
    }
}

impl Changes {
    /// Adds a change of value; the last one at an address counts, and a change to the same value is none.
    fn start(&mut self, addr: u64, value: u32) {
        let addr = u32::try_from(addr.saturating_sub(self.base)).unwrap_or(u32::MAX);
        if self.changes.last().is_some_and(|last| last.0 == addr) {
            self.changes.pop();
        }
        if self.changes.last().is_none_or(|last| last.1 != value) {
            self.changes.push((addr, value));
        }
    }
}

fn copy_range(
    base: u64,
    addrs: &[object::U32<Le>],
    values: &[object::U32<Le>],
    start: u64,
    end: u64,
    mut change: impl FnMut(u64, u32),
) {
    let absolute = |addr: &object::U32<Le>| base.saturating_add(u64::from(addr.get(Le)));
    let from = addrs.partition_point(|addr| absolute(addr) <= start).saturating_sub(1);
    let entries = addrs.iter().zip(values).skip(from);
    for (addr, value) in entries.map(|(addr, value)| (absolute(addr), value.get(Le))) {
        if addr >= end {
            return;
        }
        change(addr.max(start), value);
    }
}

fn put(bytes: &mut Vec<u8>, words: impl Iterator<Item = u32>) {
    words.for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
}
