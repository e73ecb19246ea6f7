//! Puts what the units say together into one index.
//!
//! Two units may claim one address (a template's function that the linker kept once stands in the debug information
//! of each unit that used it; damaged ranges overlap). The unit that comes first in the file has it; debug information
//! goes before symbols, and what was indexed before goes before both.

mod builder;
mod claims;
mod strings;

use rustc_hash::FxHashMap;

use crate::address_index::{AddressIndex, NONE, NOTHING, UNKNOWN};
use crate::unit_index::{SourceRow, UnitFunction, UnitIndex};

use builder::Builder;
use claims::{Claim, Claims, Piece};

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
