//! Pairs of code blocks of both builds.
//!
//! Two things are asked of a pair, each without the other: which code block of the other side has most of the same source
//! lines ([`same_places`]), and which has most of the same instructions in the same order, with the same functions called.
//! Where both name each other, for both code blocks, they are a pair. Pairs are taken away and the rest is asked again. Code
//! blocks that are equally good in both ways are paired in order of address if both sides have as many.
//!
//! What is left has no counterpart if no code block that is left on the other side resembles it in either way, and if most of
//! the smaller function was paired: of code that another compiler made, or that was rewritten, nothing resembles anything.
//! Else its counterpart is unclear.
//!
//! Cost: the product of the numbers of code blocks, and that of the lengths of those that have instructions in common.

use pdiff_profile::{MachineCode, PerSide, Side};

use super::common_subsequence::common;
use super::lines::{common_part, same_places};
use super::{AlignedBy, BlockState, WHOLE};

/// The part of its instructions, and of its lines, that a pair has in common at least, in parts of [`WHOLE`]: two builds by
/// different compilers have no more in common, and lines and instructions must both name the pair.
const LEAST: u32 = WHOLE / 3;

/// The same of its instructions where lines are not known.
const LEAST_WITHOUT_LINES: u32 = WHOLE / 2;

/// The most pairs of code blocks that are compared.
const MOST_PAIRS: usize = 9_000_000;

/// A code block, or two of both sides, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Paired {
    pub(super) state: BlockState,
    pub(super) blocks: PerSide<Option<usize>>,
}

impl Paired {
    /// One code block without a counterpart.
    pub(super) fn alone(side: Side, block: usize, state: BlockState) -> Self {
        let mut blocks = PerSide::default();
        blocks[side] = Some(block);
        Self { state, blocks }
    }
}

/// Two code blocks that resemble each other.
#[derive(Clone, Copy, Debug)]
struct Pair {
    blocks: PerSide<usize>,
    /// The part of the instructions that is common.
    code: u32,
    /// The part of the lines that is common; 0 if lines do not count.
    lines: u32,
}

/// A code block in the form that is compared.
struct Shape<'t> {
    /// Its instructions, in order.
    tokens: &'t [u32],
    /// The same, sorted.
    sorted: Vec<u32>,
    /// Its places and how many instructions are of each, sorted; those of the base build by their number in the other.
    places: Vec<(usize, u32)>,
    /// The functions that it calls, in order.
    callees: Vec<&'t str>,
}

/// Pairs the code blocks of both sides.
pub(super) fn align(codes: PerSide<&MachineCode>, tokens: &PerSide<Vec<u32>>) -> (AlignedBy, Vec<Paired>) {
    let counts = codes.map(|code| code.blocks().len());
    if counts.before.saturating_mul(counts.after) > MOST_PAIRS {
        let alone =
            |side: Side| (0..counts[side]).map(move |block| Paired::alone(side, block, BlockState::Unclear));
        return (AlignedBy::Nothing, Side::BOTH.into_iter().flat_map(alone).collect());
    }
    let has_lines = codes.values().all(|code| has_lines(code));
    let same = if has_lines { same_places(codes, tokens) } else { Vec::new() };
    let in_after = |place: usize| same.get(place).copied().flatten();
    let shapes = PerSide::new(
        shapes(codes.before, &tokens.before, &in_after),
        shapes(codes.after, &tokens.after, &|place| has_lines.then_some(place)),
    );
    let least = if has_lines { LEAST } else { LEAST_WITHOUT_LINES };
    let pairs = pairs(&shapes, least);
    let aligned_by = if has_lines { AlignedBy::LinesAndCode } else { AlignedBy::Code };
    let mut paired = paired(&pairs, counts, has_lines);
    if !is_mostly_paired(&paired, codes) {
        paired
            .iter_mut()
            .filter(|of| of.state == BlockState::OneSided)
            .for_each(|of| of.state = BlockState::Unclear);
    }
    (aligned_by, paired)
}

/// Whether at least half of the instructions of the smaller function are in pairs.
fn is_mostly_paired(paired: &[Paired], codes: PerSide<&MachineCode>) -> bool {
    let smaller = Side::BOTH.into_iter().min_by_key(|side| codes[*side].instructions().len());
    let smaller = smaller.unwrap_or(Side::Before);
    let aligned = paired.iter().filter(|of| of.state == BlockState::Aligned);
    let blocks = aligned.filter_map(|of| codes[smaller].blocks().get(of.blocks[smaller]?));
    blocks.map(|block| block.len()).sum::<usize>() * 2 >= codes[smaller].instructions().len()
}

/// Whether the lines of at least half of the instructions are known.
fn has_lines(code: &MachineCode) -> bool {
    let known =
        code.instructions().iter().filter(|of| code.place(of).is_some_and(|place| place.line.is_some()));
    known.count() * 2 >= code.instructions().len()
}

fn shapes<'t>(
    code: &'t MachineCode,
    tokens: &'t [u32],
    place: &dyn Fn(usize) -> Option<usize>,
) -> Vec<Shape<'t>> {
    let shape = |range: &std::ops::Range<usize>| {
        let instructions = code.instructions().get(range.clone()).unwrap_or_default();
        let tokens = tokens.get(range.clone()).unwrap_or_default();
        let mut sorted = tokens.to_vec();
        sorted.sort_unstable();
        let mut all: Vec<usize> = instructions.iter().filter_map(|of| place(of.place?)).collect();
        all.sort_unstable();
        let places = all.chunk_by(|a, b| a == b).filter_map(|same| Some((*same.first()?, same.len() as u32)));
        Shape {
            tokens,
            sorted,
            places: places.collect(),
            callees: instructions.iter().filter_map(|of| of.callee.as_deref()).collect(),
        }
    };
    code.blocks().iter().map(shape).collect()
}

/// All pairs that resemble each other in one way at least.
fn pairs(shapes: &PerSide<Vec<Shape<'_>>>, least: u32) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (a, before) in shapes.before.iter().enumerate() {
        for (b, after) in shapes.after.iter().enumerate() {
            let (code, lines) = (common_code(before, after, least), common_lines(before, after));
            if code >= least || lines >= least {
                pairs.push(Pair { blocks: PerSide::new(a, b), code, lines });
            }
        }
    }
    pairs
}

fn common_code(a: &Shape<'_>, b: &Shape<'_>, least: u32) -> u32 {
    let at_most = common_part(&a.sorted, &b.sorted);
    if at_most * f64::from(WHOLE) < f64::from(least) || !may_be_same_calls(&a.callees, &b.callees) {
        return 0;
    }
    part_of_whole(common(a.tokens, b.tokens).len(), a, b)
}

fn common_lines(a: &Shape<'_>, b: &Shape<'_>) -> u32 {
    let in_b = |place: usize| b.places.binary_search_by_key(&place, |(other, _)| *other).ok();
    let common =
        a.places.iter().filter_map(|(place, count)| Some((b.places.get(in_b(*place)?)?.1).min(*count)));
    part_of_whole(common.sum::<u32>() as usize, a, b)
}

/// Twice what is common over the instructions of both.
fn part_of_whole(common: usize, a: &Shape<'_>, b: &Shape<'_>) -> u32 {
    let both = (a.tokens.len() + b.tokens.len()).max(1);
    (2 * common * WHOLE as usize / both) as u32
}

/// Whether one calls what the other calls, in the same order, and maybe more.
fn may_be_same_calls(a: &[&str], b: &[&str]) -> bool {
    let (fewer, more) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut rest = more.iter();
    fewer.iter().all(|callee| rest.any(|other| other == callee))
}

fn paired(pairs: &[Pair], counts: PerSide<usize>, has_lines: bool) -> Vec<Paired> {
    let mut is_free = counts.map(|count| vec![true; count]);
    let free =
        |is_free: &PerSide<Vec<bool>>, pair: &Pair| pair.blocks.iter().all(|(side, at)| is_free[side][*at]);
    let mut all: Vec<Paired> = Vec::new();
    loop {
        let left: Vec<&Pair> = pairs.iter().filter(|pair| free(&is_free, pair)).collect();
        let agreed = agreed(&left, counts, has_lines);
        if agreed.is_empty() {
            break;
        }
        for blocks in agreed {
            blocks.iter().for_each(|(side, at)| is_free[side][*at] = false);
            all.push(Paired { state: BlockState::Aligned, blocks: blocks.map(Some) });
        }
    }
    let mut is_unclear = counts.map(|count| vec![false; count]);
    for pair in pairs.iter().filter(|pair| free(&is_free, pair)) {
        pair.blocks.iter().for_each(|(side, at)| is_unclear[side][*at] = true);
    }
    for (side, is_free) in is_free.iter() {
        let left = (0..counts[side]).filter(|block| is_free[*block]);
        let state =
            |block: usize| if is_unclear[side][block] { BlockState::Unclear } else { BlockState::OneSided };
        all.extend(left.map(|block| Paired::alone(side, block, state(block))));
    }
    all
}

/// The pairs on which lines and code agree, for both of their code blocks.
fn agreed(pairs: &[&Pair], counts: PerSide<usize>, has_lines: bool) -> Vec<PerSide<usize>> {
    let best = |score: fn(&Pair) -> u32| {
        let mut best = counts.map(|count| vec![LEAST; count]);
        for pair in pairs {
            for (side, at) in pair.blocks.iter() {
                best[side][*at] = best[side][*at].max(score(pair));
            }
        }
        best
    };
    let is_best = |best: &PerSide<Vec<u32>>, pair: &Pair, score: u32| {
        pair.blocks.iter().all(|(side, at)| best[side][*at] == score)
    };
    let (code, lines) = (best(|pair| pair.code), best(|pair| pair.lines));
    let agrees =
        |pair: &&&Pair| is_best(&code, pair, pair.code) && (!has_lines || is_best(&lines, pair, pair.lines));
    let chosen: Vec<PerSide<usize>> = pairs.iter().filter(agrees).map(|pair| pair.blocks).collect();
    unambiguous(&chosen, counts, has_lines)
}

/// Those of equally good pairs that can be told apart: alone, or by their order if as many are equally good on each side.
fn unambiguous(chosen: &[PerSide<usize>], counts: PerSide<usize>, by_order: bool) -> Vec<PerSide<usize>> {
    let mut others: PerSide<Vec<Vec<usize>>> = counts.map(|count| vec![Vec::new(); count]);
    for blocks in chosen {
        others.before[blocks.before].push(blocks.after);
        others.after[blocks.after].push(blocks.before);
    }
    // A group is whole if each of its code blocks is as good as any other one: all have the same counterparts.
    let is_whole = |blocks: &PerSide<usize>| {
        let (of_before, of_after) = (&others.before[blocks.before], &others.after[blocks.after]);
        of_before.len() == of_after.len()
            && (by_order || of_before.len() == 1)
            && of_before.iter().all(|at| others.after[*at] == *of_after)
            && of_after.iter().all(|at| others.before[*at] == *of_before)
    };
    let is_in_order = |blocks: &PerSide<usize>| {
        let place = |of: &[usize], block: usize| of.iter().position(|other| *other == block);
        place(&others.after[blocks.after], blocks.before)
            == place(&others.before[blocks.before], blocks.after)
    };
    chosen.iter().filter(|blocks| is_whole(blocks) && is_in_order(blocks)).copied().collect()
}
