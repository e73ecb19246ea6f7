//! The stacks of all workers, in the order of the text.
//!
//! Workers met much the same lines and chains. What a worker has in common with the first is found and the other lines are
//! read at once, each worker's by a core; then each core puts a share of the stacks together. Only the numbers in the
//! profile are given out by one.

use pdiff_profile::{FrameId, ProfileBuilder, StackId};
use rustc_hash::FxHashMap;

use super::chain::{Assembler, Flaws, FrameRef, StackList};
use super::known_texts::{KnownTexts, PartTexts};
use super::lines::{LineIndex, Lines, PartLines};
use super::memo::Memo;
use super::numbering::{Numbering, PlacedIds};
use super::position::Position;
use super::shares::work_on_all;

/// The chains of all workers, in the order of the text, each once.
pub(super) struct Chains<'p> {
    read: Vec<ReadPart<'p>>,
    lines: Lines,
    order: Vec<(Position, Place)>,
}

/// By part and chain of it: its place in the order of the text.
pub(super) type ChainPlaces = Vec<Vec<u32>>;

/// The stacks of chains.
pub(super) struct ChainStacks {
    /// By place of the chain in the order of the text.
    pub(super) ids: Vec<StackId>,
    /// Flaws of stacks that have any, and where the stack first occurs in the text, by place.
    flawed: FxHashMap<u32, (Flaws, Position)>,
}

impl ChainStacks {
    /// The flaws in the stack of a chain, if any, and where that stack first occurs in the text.
    pub(super) fn flaws_of(&self, place: u32) -> Option<(Flaws, Position)> {
        if self.flawed.is_empty() { None } else { self.flawed.get(&place).copied() }
    }
}

impl<'p> Chains<'p> {
    /// Reads the lines of the chains that workers met, and puts the chains in order.
    pub(super) fn read(parts: &[PartTexts<'p>]) -> (Self, ChainPlaces) {
        let read = work_on_all((0..parts.len()).collect(), |part| ReadPart::of(parts, part));
        let (read, read_lines): (Vec<ReadPart<'_>>, Vec<PartLines>) = read.into_iter().unzip();
        let mut lines = Lines::default();
        read_lines.into_iter().for_each(|part| lines.add(part));
        let (order, places) = in_order(&read);
        (Self { read, lines, order }, places)
    }

    /// The stacks, of which each part's worker puts a share together.
    pub(super) fn assemble(&self) -> Vec<Assembler<'_>> {
        let assemble = |chains: &[(Position, Place)]| {
            let mut assembler = Assembler::new(&self.lines);
            for (_, chain) in chains {
                let part = self.read.get(chain.part as usize);
                part.into_iter().for_each(|part| assembler.push(|lines| part.lines_of(chain.id, lines)));
            }
            assembler
        };
        let share = self.order.len().div_ceil(self.read.len()).max(1);
        work_on_all(self.order.chunks(share).collect(), assemble)
    }

    /// Puts the stacks and their frames into the profile.
    pub(super) fn number(&self, stacks: Vec<Assembler<'_>>, builder: &mut ProfileBuilder) -> ChainStacks {
        builder.reserve_stacks(self.lines.len(), self.order.len());
        let mut numbering = Numbering::new(&self.lines);
        let number = |stacks: Assembler<'_>| (numbering.number(&stacks, builder), stacks.stacks);
        let numbered: Vec<(PlacedIds, StackList<FrameRef>)> = stacks.into_iter().map(number).collect();
        let lists: Vec<StackList<FrameId>> =
            work_on_all(numbered, |(placed, stacks)| stacks.map(|frame| numbering.id_of(frame, &placed)));
        let mut found =
            ChainStacks { ids: Vec::with_capacity(self.order.len()), flawed: FxHashMap::default() };
        let mut firsts: FxHashMap<(StackId, Flaws), Position> = FxHashMap::default();
        let stacks = self.order.iter().zip(lists.iter().flat_map(StackList::iter));
        for (place, ((first, _), (stack, flaws))) in (0..).zip(stacks) {
            let id = builder.stack(stack);
            if !flaws.is_empty() {
                let first = *firsts.entry((id, flaws)).or_insert(*first);
                found.flawed.insert(place, (flaws, first));
            }
            found.ids.push(id);
        }
        found
    }
}

/// The chains of all parts in the order of the text, each once, and their places in it.
fn in_order(parts: &[ReadPart<'_>]) -> (Vec<(Position, Place)>, ChainPlaces) {
    const NO_PLACE: u32 = u32::MAX;
    let mut order: Vec<(Position, Place)> =
        parts.iter().flat_map(|part| part.order.iter().copied()).collect();
    // Each part is in order already, which this sort makes use of.
    order.sort_by_key(|(first, _)| first.key());
    let mut places: ChainPlaces =
        parts.iter().map(|part| vec![NO_PLACE; part.texts.counts.chains.len()]).collect();
    let mut next = 0;
    order.retain(|(_, chain)| {
        let slot = places.get_mut(chain.part as usize).and_then(|places| places.get_mut(chain.id as usize));
        let Some(slot @ &mut NO_PLACE) = slot else { return false };
        *slot = next;
        next += 1;
        true
    });
    share_with_first(&mut places, parts);
    (order, places)
}

/// Gives the chains that a part has in common with the first the places of that.
fn share_with_first(places: &mut [Vec<u32>], parts: &[ReadPart<'_>]) {
    let Some((first, others)) = places.split_first_mut() else { return };
    for (places, part) in others.iter_mut().zip(parts.iter().skip(1)) {
        for (place, known) in places.iter_mut().zip(&part.known) {
            if let Some(of_first) = known.and_then(|known| first.get(known as usize)) {
                *place = *of_first;
            }
        }
    }
}

/// Where a text or chain is kept: in the first part if that has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Place {
    part: u32,
    id: u32,
}

/// One worker's chains in the order of the text, and what their texts are among those of all.
struct ReadPart<'p> {
    texts: PartTexts<'p>,
    /// The lines of leaves and of tails, by their numbers here.
    leaves: Vec<LineIndex>,
    lines: Vec<LineIndex>,
    /// The numbers that the first part has for chains.
    known: Vec<Option<u32>>,
    order: Vec<(Position, Place)>,
}

impl<'p> ReadPart<'p> {
    /// Of one part, and the lines of it that the first did not meet, read: those of leaves, then those of tails.
    fn of(parts: &[PartTexts<'p>], part: usize) -> (Self, PartLines) {
        let number = |count| u32::try_from(count).expect("fewer than 2^32 texts fit in memory");
        let line_count =
            |part: &PartTexts<'_>| part.texts.leaves.texts().len() + part.texts.tails.lines().texts().len();
        let mut read = PartLines::numbered_from(number(parts.iter().take(part).map(line_count).sum()));
        let texts = parts[part];
        let known = match part {
            0 => KnownTexts::default(),
            _ => KnownTexts::of(texts, parts[0]),
        };
        let leaves = read_unknown(&texts.texts.leaves, &known.leaves, 0, &mut read);
        let first_line = number(parts[0].texts.leaves.texts().len());
        let lines = read_unknown(texts.texts.tails.lines(), &known.lines, first_line, &mut read);
        let place = |id: u32| match known.chains.get(id as usize) {
            Some(Some(id)) => Place { part: 0, id: *id },
            _ => Place { part: number(part), id },
        };
        let chains = (0..).zip(&texts.counts.chains);
        let mut order: Vec<_> = chains.map(|(id, chain)| (chain.first, place(id))).collect();
        // No sample is the first of two chains.
        order.sort_unstable_by_key(|(first, _)| first.key());
        (Self { texts, leaves, lines, known: known.chains, order }, read)
    }

    /// Puts the lines of a chain into `lines`, leaf first.
    fn lines_of(&self, chain: u32, lines: &mut Vec<LineIndex>) {
        let Some(chain) = self.texts.counts.chains.get(chain as usize) else { return };
        let tail = self.texts.texts.tails.line_ids_of(chain.tail);
        lines.push(self.leaves[chain.leaf as usize]);
        lines.extend(tail.iter().map(|line| self.lines[*line as usize]));
    }
}

/// Reads the lines that the first part did not meet, and tells the number of each line among those of all parts; the first
/// part numbers its own from `first` on.
fn read_unknown(
    lines: &Memo,
    known: &[Option<u32>],
    first: LineIndex,
    read: &mut PartLines,
) -> Vec<LineIndex> {
    read.reserve(lines.texts().len() - known.iter().flatten().count());
    let mut number_of = |(id, line): (usize, &[u8])| match known.get(id) {
        Some(Some(known)) => first + known,
        _ => read.read(line),
    };
    lines.texts().enumerate().map(&mut number_of).collect()
}
