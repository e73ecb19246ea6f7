//! Puts what the units say together into one index.
//!
//! Two units may claim one address (a template's function that the linker kept once stands in the debug information
//! of each unit that used it; damaged ranges overlap). The unit that comes first in the file has it; debug information
//! goes before symbols, and what was indexed before goes before both.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::address_index::{AddressIndex, FORMAT, HEADER_WORDS, MAGIC, NONE, NOTHING, UNKNOWN};
use crate::function_name::display_name;
use crate::label::Label;
use crate::paint::{Interval, paint};
use crate::unit_index::{SourceRow, UnitFunction, UnitIndex};

use object::LittleEndian as Le;

/// Addresses further than this from the first one are left out: no code of one file reaches so far.
const MAX_SPAN: u64 = u32::MAX as u64;

/// How much of the file the index is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// Only what was asked for.
    Part,
    /// All of it: what is not in the index is nowhere.
    Whole,
}

/// Makes the bytes of an index from what the units say, and from an index that knows other addresses of the file.
/// `nothing` are addresses that were looked for in vain.
pub(crate) fn build(
    old: &AddressIndex<'_>,
    units: Vec<UnitIndex>,
    nothing: &[u64],
    extent: Extent,
) -> Vec<u8> {
    let builder = place_all(old, &units, nothing, extent);
    // Freeing a million small pieces takes as long as writing the index.
    rayon::spawn(move || drop(units));
    builder.into_bytes(extent)
}

fn place_all(old: &AddressIndex<'_>, units: &[UnitIndex], nothing: &[u64], extent: Extent) -> Builder {
    let claims = Claims::gather(old, units, nothing);
    let mut builder = Builder::continuing(old, claims.base);
    let mut placed = Placed { units, labels: Vec::new(), files: Vec::new(), roots: FxHashMap::default() };
    placed.labels.resize_with(units.len(), FxHashMap::default);
    placed.files.resize_with(units.len(), FxHashMap::default);
    for piece in claims.pieces() {
        match piece.claim {
            Claim::Old => builder.copy_old(old, piece.start, piece.end),
            Claim::Nothing => builder.start_segment(piece.start, NOTHING),
            Claim::Function { unit, function } => placed.copy(&mut builder, unit, function, &piece),
        }
        builder.end_piece(piece.end, extent);
    }
    builder
}

#[derive(Clone, Copy, Debug)]
enum Claim {
    Old,
    Nothing,
    Function { unit: u32, function: u32 },
}

/// Who claims which addresses.
struct Claims {
    claims: Vec<Claim>,
    intervals: Vec<Interval>,
    base: u64,
}

struct Piece {
    start: u64,
    end: u64,
    claim: Claim,
}

impl Claims {
    fn gather(old: &AddressIndex<'_>, units: &[UnitIndex], nothing: &[u64]) -> Self {
        let mut gathered = Self { claims: Vec::new(), intervals: Vec::new(), base: 0 };
        for addr in nothing {
            gathered.add(*addr, addr.saturating_add(1), 0, Claim::Nothing);
        }
        // Of two intervals of one rank the later is taken, so the units go last to first.
        for (unit, index) in (0..).zip(units).collect::<Vec<(u32, _)>>().into_iter().rev() {
            for (function, tree) in (0..).zip(&index.functions) {
                let rank = if tree.is_symbol { 1 } else { 2 };
                for range in &tree.ranges {
                    gathered.add(range.start, range.end, rank, Claim::Function { unit, function });
                }
            }
        }
        for (start, end) in covered(old) {
            gathered.add(start, end, 3, Claim::Old);
        }
        gathered.base = gathered.intervals.iter().map(|interval| interval.start).min().unwrap_or(0);
        let limit = gathered.base.saturating_add(MAX_SPAN);
        gathered.intervals.retain(|interval| interval.end < limit);
        gathered
    }

    fn add(&mut self, start: u64, end: u64, rank: u32, claim: Claim) {
        if let Ok(node) = u32::try_from(self.claims.len()) {
            self.claims.push(claim);
            self.intervals.push(Interval { start, end, rank, node });
        }
    }

    fn pieces(self) -> impl Iterator<Item = Piece> {
        let painted = paint(self.intervals);
        let claims = self.claims;
        let pairs: Vec<_> = painted.iter().copied().zip(painted.iter().skip(1).map(|next| next.0)).collect();
        pairs.into_iter().filter_map(move |((start, node), end)| {
            let claim = *claims.get(node? as usize)?;
            Some(Piece { start, end, claim })
        })
    }
}

/// The ranges that an index knows.
fn covered(index: &AddressIndex<'_>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    let mut open: Option<u64> = None;
    for (addr, node) in index.segment_addrs.iter().zip(index.segment_nodes) {
        let addr = index.base.saturating_add(u64::from(addr.get(Le)));
        match (open, node.get(Le) == UNKNOWN) {
            (None, false) => open = Some(addr),
            (Some(start), true) => {
                ranges.push((start, addr));
                open = None;
            }
            _ => {}
        }
    }
    ranges
}

/// The name and linkage name of a function, as strings.
type NameIds = [u32; 2];

/// Which labels, files and functions of the units have been taken over, and as what.
struct Placed<'u> {
    units: &'u [UnitIndex],
    labels: Vec<FxHashMap<u32, u32>>,
    files: Vec<FxHashMap<u32, u32>>,
    roots: FxHashMap<(u32, u32), u32>,
}

impl Placed<'_> {
    fn copy(&mut self, builder: &mut Builder, unit: u32, function: u32, piece: &Piece) {
        let Some(index) = self.units.get(unit as usize) else { return };
        let Some(tree) = index.functions.get(function as usize) else { return };
        let root = match self.roots.get(&(unit, function)) {
            Some(root) => *root,
            None => self.add_nodes(builder, unit, function, index, tree),
        };
        let from = tree.segments.partition_point(|(addr, _)| *addr <= piece.start).saturating_sub(1);
        for (addr, node) in tree.segments.iter().skip(from).take_while(|(addr, _)| *addr < piece.end) {
            let node = node.and_then(|node| root.checked_add(node)).unwrap_or(NOTHING);
            builder.start_segment((*addr).max(piece.start), node);
        }
        self.copy_lines(builder, unit, index, piece);
    }

    fn add_nodes(
        &mut self,
        builder: &mut Builder,
        unit: u32,
        function: u32,
        index: &UnitIndex,
        tree: &UnitFunction,
    ) -> u32 {
        let root = u32::try_from(builder.nodes.len()).unwrap_or(UNKNOWN);
        for node in &tree.nodes {
            let name = node.label.map_or(NONE, |label| self.label(builder, unit, index, label));
            let file = node.call_file.map_or(NONE, |file| self.file(builder, unit, index, file));
            builder.nodes.push([root.saturating_add(node.parent), name, file, node.call_line]);
        }
        self.roots.insert((unit, function), root);
        root
    }

    fn copy_lines(&mut self, builder: &mut Builder, unit: u32, index: &UnitIndex, piece: &Piece) {
        let from = index.rows.partition_point(|row| row.addr <= piece.start).saturating_sub(1);
        for row in index.rows.iter().skip(from).take_while(|row| row.addr < piece.end) {
            let SourceRow { addr, file, line } = *row;
            let place = match file.map(|file| self.file(builder, unit, index, file)) {
                Some(file) => builder.place(file, line),
                None => NONE,
            };
            builder.start_line(addr.max(piece.start), place);
        }
    }

    fn label(&mut self, builder: &mut Builder, unit: u32, index: &UnitIndex, label: u32) -> u32 {
        let Some(known) = self.labels.get_mut(unit as usize) else { return NONE };
        let Some(text) = index.labels.get(label as usize) else { return NONE };
        *known.entry(label).or_insert_with(|| builder.function(text))
    }

    fn file(&mut self, builder: &mut Builder, unit: u32, index: &UnitIndex, file: u32) -> u32 {
        let Some(known) = self.files.get_mut(unit as usize) else { return NONE };
        let Some(text) = index.files.get(file as usize) else { return NONE };
        *known.entry(file).or_insert_with(|| builder.strings.add(text))
    }
}

/// Strings, each once.
#[derive(Default)]
struct Strings {
    ids: FxHashMap<Box<str>, u32>,
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

impl Strings {
    fn add(&mut self, text: &str) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let (Ok(id), Ok(end)) =
            (u32::try_from(self.ends.len()), u32::try_from(self.bytes.len() + text.len()))
        else {
            return NONE;
        };
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(end);
        self.ids.insert(text.into(), id);
        id
    }
}

struct Builder {
    base: u64,
    segments: Vec<(u32, u32)>,
    nodes: Vec<[u32; 4]>,
    lines: Vec<(u32, u32)>,
    places: Vec<[u32; 2]>,
    place_ids: FxHashMap<[u32; 2], u32>,
    /// Names that are known, and labels whose names are made at the end.
    functions: Vec<(Label, Option<NameIds>)>,
    function_ids: FxHashMap<Label, u32>,
    strings: Strings,
}

impl Builder {
    /// Begins with the nodes, places, functions and strings of `old`, so that its numbers stay valid.
    fn continuing(old: &AddressIndex<'_>, base: u64) -> Self {
        let mut builder = Self {
            base,
            segments: Vec::new(),
            nodes: old.nodes.iter().map(|node| node.map(|word| word.get(Le))).collect(),
            lines: Vec::new(),
            places: Vec::new(),
            place_ids: FxHashMap::default(),
            functions: Vec::new(),
            function_ids: FxHashMap::default(),
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
            let id = u32::try_from(builder.functions.len()).unwrap_or(NONE);
            builder.functions.push((label.clone(), Some([name, linkage])));
            builder.function_ids.insert(label, id);
        }
        builder
    }

    fn function(&mut self, label: &Label) -> u32 {
        if let Some(id) = self.function_ids.get(label) {
            return *id;
        }
        let id = u32::try_from(self.functions.len()).unwrap_or(NONE);
        self.functions.push((label.clone(), None));
        self.function_ids.insert(label.clone(), id);
        id
    }

    fn place(&mut self, file: u32, line: u32) -> u32 {
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

    fn start_segment(&mut self, addr: u64, node: u32) {
        let addr = self.relative(addr);
        push_change(&mut self.segments, addr, node);
    }

    fn start_line(&mut self, addr: u64, place: u32) {
        let addr = self.relative(addr);
        push_change(&mut self.lines, addr, place);
    }

    fn end_piece(&mut self, end: u64, extent: Extent) {
        self.start_segment(end, if extent == Extent::Whole { NOTHING } else { UNKNOWN });
        self.start_line(end, NONE);
    }

    fn copy_old(&mut self, old: &AddressIndex<'_>, start: u64, end: u64) {
        copy_range(old.base, old.segment_addrs, old.segment_nodes, start, end, |addr, node| {
            self.start_segment(addr, node);
        });
        copy_range(old.base, old.line_addrs, old.line_places, start, end, |addr, place| {
            self.start_line(addr, place);
        });
    }

    fn into_bytes(mut self, extent: Extent) -> Vec<u8> {
        let functions = self.name_functions(extent);
        (self.function_ids, self.place_ids) = (FxHashMap::default(), FxHashMap::default());
        self.strings.ids = FxHashMap::default();
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

    /// Demangles what is not yet, in parallel: the slowest step of a small index. A whole index would need 2 s for it,
    /// and leaves it to who asks.
    fn name_functions(&mut self, extent: Extent) -> Vec<NameIds> {
        let functions = std::mem::take(&mut self.functions);
        let shown: Vec<Option<Box<str>>> = functions
            .par_iter()
            .map(|(label, known)| match (label, known) {
                (Label::Linkage(linkage), None) if extent == Extent::Part => Some(display_name(linkage)),
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
