//! The stacks of all workers, in the order of the text.
//!
//! Workers met much the same lines and chains. What a worker has in common with the first is found and the other lines are
//! read at once, each worker's by a core; numbers in the profile are given out after that, by one.

use pdiff_profile::{FrameId, ProfileBuilder, StackId};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::chain::{ChainParser, Flaws, ParsedLine, ParsedText, ReadLine};
use super::known_texts::{KnownTexts, PartTexts};
use super::memo::Memo;
use super::position::Position;

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
    let mut read: Vec<ReadPart<'_>> =
        (0..parts.len()).into_par_iter().with_max_len(1).map(|part| ReadPart::of(parts, part)).collect();
    let order = order_of(&read);
    let mut texts = ParsedTexts::new(&read);
    for chain in &order {
        texts.parse(&read, *chain, builder);
    }
    // Where no line comes again they are most of the memory.
    read.iter_mut().for_each(ReadPart::forget_lines);
    builder.reserve_stacks(texts.parser.frame_count(), order.len());
    let mut stacks: Vec<FoundStacks> =
        parts.iter().map(|part| FoundStacks::none(part.counts.chains.len())).collect();
    let mut frames = Vec::new();
    for chain in order {
        let Some(flaws) = texts.assemble(&read, chain, builder, &mut frames) else { continue };
        if let Some(found) = stacks.get_mut(chain.part as usize) {
            found.set(chain.id, builder.stack(&frames), flaws);
        }
    }
    share_with_first(&mut stacks, &read);
    stacks
}

/// The chains of all parts in the order of the text, each once.
fn order_of(parts: &[ReadPart<'_>]) -> Vec<Place> {
    let mut order: Vec<(Position, Place)> =
        parts.iter().flat_map(|part| part.order.iter().copied()).collect();
    // Each part is in order already, which this sort makes use of.
    order.sort();
    let mut seen: Vec<Vec<bool>> =
        parts.iter().map(|part| vec![false; part.texts.counts.chains.len()]).collect();
    let mut is_new = |place: Place| {
        let slot = seen.get_mut(place.part as usize).and_then(|seen| seen.get_mut(place.id as usize));
        slot.is_some_and(|seen| !std::mem::replace(seen, true))
    };
    order.into_iter().map(|(_, place)| place).filter(|place| is_new(*place)).collect()
}

/// Gives the chains that a part has in common with the first the stacks of that.
fn share_with_first(stacks: &mut [FoundStacks], read: &[ReadPart<'_>]) {
    let Some((first, others)) = stacks.split_first_mut() else { return };
    for (found, part) in others.iter_mut().zip(read.iter().skip(1)) {
        for (chain, known) in (0..).zip(&part.known.chains) {
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

/// The lines of one worker that the first did not meet, read, and its chains in the order of the text.
struct ReadPart<'p> {
    part: u32,
    texts: PartTexts<'p>,
    known: KnownTexts,
    leaves: Vec<Option<ReadLine<'p>>>,
    /// The lines of tails.
    lines: Vec<Option<ReadLine<'p>>>,
    order: Vec<(Position, Place)>,
}

impl<'p> ReadPart<'p> {
    fn of(parts: &[PartTexts<'p>], part: usize) -> Self {
        let number = u32::try_from(part).expect("there are few workers");
        let texts = parts[part];
        let known = match part {
            0 => KnownTexts::default(),
            _ => KnownTexts::of(texts, parts[0]),
        };
        let leaves = read_unknown(&texts.texts.leaves, &known.leaves);
        let lines = read_unknown(texts.texts.tails.lines(), &known.lines);
        let mut read = Self { part: number, texts, known, leaves, lines, order: Vec::new() };
        let chains = (0..).zip(&texts.counts.chains);
        let placed = chains.map(|(id, chain)| (chain.first, read.place(&read.known.chains, id)));
        read.order = placed.collect();
        read.order.sort_unstable();
        read
    }

    /// Frees what only parsing needs.
    fn forget_lines(&mut self) {
        (self.leaves, self.lines) = (Vec::new(), Vec::new());
    }

    /// Where the leaf and the callers of a chain are kept.
    fn texts_of(&self, chain: u32) -> Option<(Place, Place)> {
        let chain = self.texts.counts.chains.get(chain as usize)?;
        Some((self.place(&self.known.leaves, chain.leaf), self.place(&self.known.tails, chain.tail)))
    }

    /// Where what has the number `id` here is kept.
    fn place(&self, known: &[Option<u32>], id: u32) -> Place {
        match known.get(id as usize) {
            Some(Some(id)) => Place { part: 0, id: *id },
            _ => Place { part: self.part, id },
        }
    }
}

/// The lines that are not known elsewhere, read; `None` for the others and for no line.
fn read_unknown<'p>(lines: &'p Memo, known: &[Option<u32>]) -> Vec<Option<ReadLine<'p>>> {
    let is_known = |id: usize| matches!(known.get(id), Some(Some(_)));
    let read = |(id, line): (usize, &'p [u8])| {
        let is_wanted = !line.is_empty() && !is_known(id);
        is_wanted.then(|| ReadLine::of(line))
    };
    lines.texts().enumerate().map(read).collect()
}

/// The texts of all parts, parsed as they are needed.
struct ParsedTexts {
    parser: ChainParser,
    parts: Vec<ParsedPart>,
}

/// By number; only what is kept in this part.
struct ParsedPart {
    leaves: Vec<Option<ParsedText>>,
    tails: Vec<Option<ParsedText>>,
    /// The lines of tails.
    lines: Vec<Option<ParsedLine>>,
}

impl ParsedTexts {
    fn new(read: &[ReadPart<'_>]) -> Self {
        let mut parser = ChainParser::default();
        parser.reserve(read.iter().map(|part| part.leaves.len() + part.lines.len()).sum());
        let none = |part: &ReadPart<'_>| ParsedPart {
            leaves: vec![None; part.leaves.len()],
            tails: vec![None; part.texts.texts.tails.len()],
            lines: vec![None; part.lines.len()],
        };
        Self { parser, parts: read.iter().map(none).collect() }
    }

    /// Parses the texts of a chain that are not yet.
    fn parse(&mut self, read: &[ReadPart<'_>], chain: Place, builder: &mut ProfileBuilder) {
        let part = read.get(chain.part as usize);
        if let Some((leaf, tail)) = part.and_then(|part| part.texts_of(chain.id)) {
            self.parse_leaf(read, leaf, builder);
            self.parse_tail(read, tail, builder);
        }
    }

    fn parse_leaf(&mut self, read: &[ReadPart<'_>], leaf: Place, builder: &mut ProfileBuilder) {
        let part = self.parts.get_mut(leaf.part as usize);
        let Some(slot @ None) = part.and_then(|part| part.leaves.get_mut(leaf.id as usize)) else { return };
        let line = read.get(leaf.part as usize).and_then(|part| part.leaves.get(leaf.id as usize)?.as_ref());
        let line = line.map(|line| self.parser.line(line, builder));
        *slot = Some(self.parser.text(line.into_iter()));
    }

    fn parse_tail(&mut self, read: &[ReadPart<'_>], tail: Place, builder: &mut ProfileBuilder) {
        let Self { parser, parts } = self;
        let Some((part, own)) = read.get(tail.part as usize).zip(parts.get(tail.part as usize)) else {
            return;
        };
        let Some(None) = own.tails.get(tail.id as usize) else { return };
        let lines = part.texts.texts.tails.line_ids_of(tail.id).iter();
        let lines = lines.map(|id| part.place(&part.known.lines, *id));
        for line in lines.clone() {
            let slot =
                parts.get_mut(line.part as usize).and_then(|part| part.lines.get_mut(line.id as usize));
            let Some(slot @ None) = slot else { continue };
            let text =
                read.get(line.part as usize).and_then(|part| part.lines.get(line.id as usize)?.as_ref());
            *slot = text.map(|text| parser.line(text, builder));
        }
        let parsed = |line: Place| *parts.get(line.part as usize)?.lines.get(line.id as usize)?;
        let text = parser.text(lines.filter_map(parsed));
        let slot = parts.get_mut(tail.part as usize).and_then(|part| part.tails.get_mut(tail.id as usize));
        if let Some(slot) = slot {
            *slot = Some(text);
        }
    }

    /// Puts the stack of a chain into `stack`, root first, and returns its flaws.
    fn assemble(
        &mut self,
        read: &[ReadPart<'_>],
        chain: Place,
        builder: &mut ProfileBuilder,
        stack: &mut Vec<FrameId>,
    ) -> Option<Flaws> {
        let (leaf, tail) = read.get(chain.part as usize)?.texts_of(chain.id)?;
        let leaf = self.parts.get(leaf.part as usize)?.leaves.get(leaf.id as usize)?.as_ref()?;
        let tail = self.parts.get(tail.part as usize)?.tails.get(tail.id as usize)?.as_ref()?;
        Some(self.parser.assemble(leaf, tail, builder, stack))
    }
}
