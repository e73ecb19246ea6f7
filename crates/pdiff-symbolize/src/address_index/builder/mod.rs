//! Puts what the units say together into one index.
//!
//! Two units may claim one address (a template's function that the linker kept once is in the debug information of each
//! unit that used it; damaged ranges overlap). The unit that comes first in the file has it; debug information goes before
//! symbols, and what was indexed before goes before both.

mod claims;
mod strings;
mod tables;

use crate::address_index::index::{AddressIndex, NONE, NOTHING, UNKNOWN};
use crate::address_index::unit_index::{SourceRow, UnitFunction, UnitIndex};

use claims::{Claim, Claims, Piece};
use tables::{Builder, Lines, Trees};

/// How much of the file the index is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// Only what was asked for.
    Part,
    /// All of it: what is not in the index is nowhere.
    Whole,
}

/// What becomes of the names that linkage names demangle to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Names {
    /// They are made once and kept.
    Made,
    /// Who asks makes those that are asked for. To make all of a large file takes 2 s.
    LeftOut,
}

/// Makes the bytes of an index from what the units say, and from an index that knows other addresses of the file.
/// `nothing` are addresses that were looked for in vain.
pub(crate) fn build(
    old: &AddressIndex<'_>,
    units: Vec<UnitIndex>,
    nothing: &[u64],
    extent: Extent,
    names: Names,
) -> Vec<u8> {
    let builder = place_all(old, &units, nothing, extent);
    // Freeing a million small pieces takes as long as writing the index.
    rayon::spawn(move || drop(units));
    builder.into_bytes(extent, names)
}

fn place_all(old: &AddressIndex<'_>, units: &[UnitIndex], nothing: &[u64], extent: Extent) -> Builder {
    let claims = Claims::gather(old, units, nothing);
    let mut builder = Builder::continuing(old, claims.base);
    let pieces: Vec<Piece> = claims.pieces().collect();
    let Builder { trees, lines, strings } = &mut builder;
    let mut files_of = |unit: &UnitIndex| unit.files.iter().map(|file| strings.add(file)).collect();
    let files: Vec<Vec<u32>> = units.iter().map(&mut files_of).collect();
    rayon::join(
        || place_trees(trees, old, units, &files, &pieces, extent),
        || place_lines(lines, old, units, &files, &pieces),
    );
    builder
}

/// Puts functions and what is inlined into them where they are.
fn place_trees(
    trees: &mut Trees,
    old: &AddressIndex<'_>,
    units: &[UnitIndex],
    files: &[Vec<u32>],
    pieces: &[Piece],
    extent: Extent,
) {
    let mut placed: Vec<PlacedUnit<'_>> =
        units.iter().zip(files).map(|(index, files)| PlacedUnit::of(index, files)).collect();
    for piece in pieces {
        match piece.claim {
            Claim::Old => trees.copy_old(old, piece.start, piece.end),
            Claim::Nothing => trees.start_segment(piece.start, NOTHING),
            Claim::Function { unit, function } => {
                let unit = placed.get_mut(unit as usize);
                unit.into_iter().for_each(|unit| unit.copy(trees, function as usize, piece));
            }
        }
        trees.end_piece(piece.end, extent);
    }
}

/// Puts files and lines where they are.
fn place_lines(
    lines: &mut Lines,
    old: &AddressIndex<'_>,
    units: &[UnitIndex],
    files: &[Vec<u32>],
    pieces: &[Piece],
) {
    for piece in pieces {
        match piece.claim {
            Claim::Old => lines.copy_old(old, piece.start, piece.end),
            Claim::Nothing => {}
            Claim::Function { unit, .. } => {
                let unit = units.get(unit as usize).zip(files.get(unit as usize));
                unit.into_iter().for_each(|(unit, files)| copy_lines(lines, unit, files, piece));
            }
        }
        lines.start_line(piece.end, NONE);
    }
}

fn copy_lines(lines: &mut Lines, unit: &UnitIndex, files: &[u32], piece: &Piece) {
    let from = unit.rows.partition_point(|row| row.addr <= piece.start).saturating_sub(1);
    for row in unit.rows.iter().skip(from).take_while(|row| row.addr < piece.end) {
        let SourceRow { addr, file, line } = *row;
        let place = match file.map(|file| files.get(file as usize).copied().unwrap_or(NONE)) {
            Some(file) => lines.place(file, line),
            None => NONE,
        };
        lines.start_line(addr.max(piece.start), place);
    }
}

/// Which labels and functions of a unit have been taken over, and as what.
struct PlacedUnit<'u> {
    index: &'u UnitIndex,
    files: &'u [u32],
    labels: Vec<Option<u32>>,
    roots: Vec<Option<u32>>,
}

impl<'u> PlacedUnit<'u> {
    fn of(index: &'u UnitIndex, files: &'u [u32]) -> Self {
        Self {
            index,
            files,
            labels: vec![None; index.labels.len()],
            roots: vec![None; index.functions.len()],
        }
    }

    fn copy(&mut self, trees: &mut Trees, function: usize, piece: &Piece) {
        let Some(tree) = self.index.functions.get(function) else { return };
        let Some(root) = self.root(trees, function, tree) else { return };
        let from = tree.segments.partition_point(|(addr, _)| *addr <= piece.start).saturating_sub(1);
        for (addr, node) in tree.segments.iter().skip(from).take_while(|(addr, _)| *addr < piece.end) {
            let node = node.and_then(|node| root.checked_add(node)).unwrap_or(NOTHING);
            trees.start_segment((*addr).max(piece.start), node);
        }
    }

    /// The first node of a function, which has been taken over then.
    fn root(&mut self, trees: &mut Trees, function: usize, tree: &UnitFunction) -> Option<u32> {
        if let Some(root) = *self.roots.get(function)? {
            return Some(root);
        }
        let root = u32::try_from(trees.nodes.len()).unwrap_or(UNKNOWN);
        for node in &tree.nodes {
            let name = node.label.map_or(NONE, |label| self.label(trees, label));
            let file = node.call_file.and_then(|file| self.files.get(file as usize)).copied().unwrap_or(NONE);
            trees.nodes.push([root.saturating_add(node.parent), name, file, node.call_line]);
        }
        *self.roots.get_mut(function)? = Some(root);
        Some(root)
    }

    fn label(&mut self, trees: &mut Trees, label: u32) -> u32 {
        let (labels, text) = (&mut self.labels, self.index.labels.get(label as usize));
        let known = labels.get_mut(label as usize).zip(text);
        known.map_or(NONE, |(known, text)| *known.get_or_insert_with(|| trees.function(text)))
    }
}
