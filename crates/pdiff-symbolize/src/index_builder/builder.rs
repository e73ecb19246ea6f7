//! The tables of an index while they grow, and the bytes that they become.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use object::LittleEndian as Le;
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::strings::Strings;
use super::{Extent, Names};
use crate::address_index::{AddressIndex, FORMAT, HEADER_WORDS, MAGIC, NONE, NOTHING, UNKNOWN};
use crate::function_name::display_name;
use crate::label::Label;

/// The name and linkage name of a function, as strings.
type NameIds = [u32; 2];

/// An index in the making, table by table.
pub(super) struct Builder {
    base: u64,
    segments: Vec<(u32, u32)>,
    pub(super) nodes: Vec<[u32; 4]>,
    lines: Vec<(u32, u32)>,
    places: Vec<[u32; 2]>,
    place_ids: FxHashMap<[u32; 2], u32>,
    /// Names that are known, and labels whose names are made at the end.
    functions: Vec<(Label, Option<NameIds>)>,
    function_ids: HashTable<u32>,
    pub(super) strings: Strings,
}

impl Builder {
    /// Begins with the nodes, places, functions and strings of `old`, so that its numbers stay valid.
    pub(super) fn continuing(old: &AddressIndex<'_>, base: u64) -> Self {
        let mut builder = Self {
            base,
            segments: Vec::new(),
            nodes: old.nodes.iter().map(|node| node.map(|word| word.get(Le))).collect(),
            lines: Vec::new(),
            places: Vec::new(),
            place_ids: FxHashMap::default(),
            functions: Vec::new(),
            function_ids: HashTable::new(),
            strings: Strings::default(),
        };
        for id in 0.. {
            match old.string(id) {
                Some(text) => builder.strings.add(text),
                None => break,
            };
        }
        for [file, line] in old.places {
            builder.place(file.get(Le), line.get(Le));
        }
        for [name, linkage] in old.functions.iter().map(|function| function.map(|word| word.get(Le))) {
            let label = match (old.string(linkage), old.string(name)) {
                (Some(linkage), _) => Label::Linkage(linkage.into()),
                (None, name) => Label::Plain(name.unwrap_or_default().into()),
            };
            builder.add_function(label, Some([name, linkage]));
        }
        builder
    }

    pub(super) fn function(&mut self, label: &Label) -> u32 {
        let is_label = |id: &u32| self.functions.get(*id as usize).is_some_and(|known| known.0 == *label);
        match self.function_ids.find(FxBuildHasher.hash_one(label), is_label) {
            Some(id) => *id,
            None => self.add_function(label.clone(), None),
        }
    }

    fn add_function(&mut self, label: Label, names: Option<NameIds>) -> u32 {
        let id = u32::try_from(self.functions.len()).unwrap_or(NONE);
        let hash = FxBuildHasher.hash_one(&label);
        self.functions.push((label, names));
        let functions = &self.functions;
        let hash_of =
            |id: &u32| functions.get(*id as usize).map_or(0, |known| FxBuildHasher.hash_one(&known.0));
        self.function_ids.insert_unique(hash, id, hash_of);
        id
    }

    pub(super) fn place(&mut self, file: u32, line: u32) -> u32 {
        let next = u32::try_from(self.places.len()).unwrap_or(NONE);
        let id = *self.place_ids.entry([file, line]).or_insert(next);
        if id == next {
            self.places.push([file, line]);
        }
        id
    }

    fn relative(&self, addr: u64) -> u32 {
        u32::try_from(addr.saturating_sub(self.base)).unwrap_or(u32::MAX)
    }

    pub(super) fn start_segment(&mut self, addr: u64, node: u32) {
        let addr = self.relative(addr);
        push_change(&mut self.segments, addr, node);
    }

    pub(super) fn start_line(&mut self, addr: u64, place: u32) {
        let addr = self.relative(addr);
        push_change(&mut self.lines, addr, place);
    }

    pub(super) fn end_piece(&mut self, end: u64, extent: Extent) {
        self.start_segment(end, if extent == Extent::Whole { NOTHING } else { UNKNOWN });
        self.start_line(end, NONE);
    }

    pub(super) fn copy_old(&mut self, old: &AddressIndex<'_>, start: u64, end: u64) {
        copy_range(old.base, old.segment_addrs, old.segment_nodes, start, end, |addr, node| {
            self.start_segment(addr, node);
        });
        copy_range(old.base, old.line_addrs, old.line_places, start, end, |addr, place| {
            self.start_line(addr, place);
        });
    }

    pub(super) fn into_bytes(mut self, extent: Extent, names: Names) -> Vec<u8> {
        let functions = self.name_functions(names);
        self.place_ids = FxHashMap::default();
        let counts = [
            self.segments.len(),
            self.nodes.len(),
            self.lines.len(),
            self.places.len(),
            functions.len(),
            self.strings.ends.len(),
            self.strings.bytes.len(),
        ];
        let mut words: Vec<u32> = vec![FORMAT, self.base as u32, (self.base >> 32) as u32];
        words.push(u32::from(extent == Extent::Whole));
        words.extend(counts.iter().map(|count| u32::try_from(*count).unwrap_or(u32::MAX)));
        words.resize(HEADER_WORDS, 0);
        let mut bytes = MAGIC.to_vec();
        bytes.reserve_exact(
            words.len() * 4
                + (self.segments.len() + self.lines.len() + self.places.len() + functions.len()) * 8
                + self.nodes.len() * 16
                + self.strings.ends.len() * 4
                + self.strings.bytes.len(),
        );
        put(&mut bytes, words.into_iter());
        put(&mut bytes, self.segments.iter().map(|segment| segment.0));
        put(&mut bytes, self.segments.iter().map(|segment| segment.1));
        put(&mut bytes, self.nodes.iter().flatten().copied());
        put(&mut bytes, self.lines.iter().map(|line| line.0));
        put(&mut bytes, self.lines.iter().map(|line| line.1));
        put(&mut bytes, self.places.iter().flatten().copied());
        put(&mut bytes, functions.iter().flatten().copied());
        put(&mut bytes, self.strings.ends.iter().copied());
        bytes.extend_from_slice(&self.strings.bytes);
        bytes
    }

    /// Demangles what is not yet, in parallel, if names are to be made: the slowest step of a small index.
    fn name_functions(&mut self, names: Names) -> Vec<NameIds> {
        let functions = std::mem::take(&mut self.functions);
        let shown: Vec<Option<Box<str>>> = functions
            .par_iter()
            .map(|(label, known)| match (label, known) {
                (Label::Linkage(linkage), None) if names == Names::Made => Some(display_name(linkage)),
                _ => None,
            })
            .collect();
        let strings = &mut self.strings;
        let mut ids = Vec::with_capacity(functions.len());
        for ((label, known), shown) in functions.iter().zip(shown) {
            ids.push(match (known, label) {
                (Some(known), _) => *known,
                (None, Label::Plain(name)) => [strings.add(name), NONE],
                (None, Label::Linkage(linkage)) => {
                    let name = shown.map_or(NONE, |name| strings.add(&name));
                    [name, strings.add(linkage)]
                }
            });
        }
        ids
    }
}

/// Adds a change of value; the last one at an address counts, and a change to the same value is none.
fn push_change(changes: &mut Vec<(u32, u32)>, addr: u32, value: u32) {
    if changes.last().is_some_and(|last| last.0 == addr) {
        changes.pop();
    }
    if changes.last().is_none_or(|last| last.1 != value) {
        changes.push((addr, value));
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
