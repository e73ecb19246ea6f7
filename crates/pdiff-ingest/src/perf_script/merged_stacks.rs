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

/// The stacks of one worker's chains.
pub(super) struct FoundStacks {
    /// By chain.
    pub(super) ids: Vec<StackId>,
    /// What was imperfect in the stacks of which something was, by chain.
    pub(super) flaws: FxHashMap<u32, Flaws>,
}

impl FoundStacks {
    fn none(chains: usize) -> Self {
        Self { ids: vec![StackId(0); chains], flaws: FxHashMap::default() }
    }

    /// What was imperfect in the stack of a chain, if anything.
    pub(super) fn flaws_of(&self, chain: u32) -> Option<Flaws> {
        if self.flaws.is_empty() { None } else { self.flaws.get(&chain).copied() }
    }

    fn set(&mut self, chain: u32, stack: StackId, flaws: Flaws) {
        if let Some(slot) = self.ids.get_mut(chain as usize) {
            *slot = stack;
        }
        if !flaws.is_empty() {
            self.flaws.insert(chain, flaws);
        }
    }
}

/// Stacks in the order of their first samples, by part and chain.
pub(super) fn merge_stacks(parts: &[PartTexts<'_>], builder: &mut ProfileBuilder) -> Vec<FoundStacks> {
    let read = work_on_all((0..parts.len()).collect(), |part| ReadPart::of(parts, part));
    let (read, read_lines): (Vec<ReadPart<'_>>, Vec<PartLines>) = read.into_iter().unzip();
    let order = order_of(&read);
    let mut lines = Lines::default();
    read_lines.into_iter().for_each(|part| lines.add(part));
    builder.reserve_stacks(lines.len(), order.len());
    let stacks = stacks_of(&order, &read, &lines, builder);
    let mut found: Vec<FoundStacks> =
        parts.iter().map(|part| FoundStacks::none(part.counts.chains.len())).collect();
    for (chain, (stack, flaws)) in order.iter().zip(stacks.iter().flat_map(StackList::iter)) {
        if let Some(found) = found.get_mut(chain.part as usize) {
            found.set(chain.id, builder.stack(stack), flaws);
        }
    }
    share_with_first(&mut found, &read);
    found
}

/// The stacks of chains, of which each part's worker takes a share. Their frames are put into the profile.
fn stacks_of(
    order: &[Place],
    read: &[ReadPart<'_>],
    lines: &Lines,
    builder: &mut ProfileBuilder,
) -> Vec<StackList<FrameId>> {
    let assemble = |chains: &[Place]| {
        let mut assembler = Assembler::new(lines);
        for chain in chains {
            let part = read.get(chain.part as usize);
            part.into_iter().for_each(|part| assembler.push(|lines| part.lines_of(chain.id, lines)));
        }
        assembler
    };
    let share = order.len().div_ceil(read.len()).max(1);
    let assembled = work_on_all(order.chunks(share).collect(), assemble);
    let mut numbering = Numbering::new(lines);
    let number = |stacks: Assembler<'_>| (numbering.number(&stacks, builder), stacks.stacks);
    let numbered: Vec<(PlacedIds, StackList<FrameRef>)> = assembled.into_iter().map(number).collect();
    work_on_all(numbered, |(placed, stacks)| stacks.map(|frame| numbering.id_of(frame, &placed)))
}

/// The chains of all parts in the order of the text, each once.
fn order_of(parts: &[ReadPart<'_>]) -> Vec<Place> {
    let mut order: Vec<(Position, Place)> =
        parts.iter().flat_map(|part| part.order.iter().copied()).collect();
    // Each part is in order already, which this sort makes use of.
    order.sort_by_key(|(first, _)| first.key());
    let mut seen: Vec<Vec<bool>> =
        parts.iter().map(|part| vec![false; part.texts.counts.chains.len()]).collect();
    let mut is_new = |place: Place| {
        let slot = seen.get_mut(place.part as usize).and_then(|seen| seen.get_mut(place.id as usize));
        slot.is_some_and(|seen| !std::mem::replace(seen, true))
    };
    order.into_iter().map(|(_, place)| place).filter(|place| is_new(*place)).collect()
}

/// Gives the chains that a part has in common with the first the stacks of that.
fn share_with_first(found: &mut [FoundStacks], read: &[ReadPart<'_>]) {
    let Some((first, others)) = found.split_first_mut() else { return };
    for (found, part) in others.iter_mut().zip(read.iter().skip(1)) {
        for (chain, known) in (0..).zip(&part.known) {
            let Some(known) = *known else { continue };
            let Some(stack) = first.ids.get(known as usize) else { continue };
            found.set(chain, *stack, first.flaws_of(known).unwrap_or_default());
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
