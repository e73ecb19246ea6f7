//! The machine code of a function in both builds side by side, with its samples: where in it the cost changed.
//!
//! In: the code of each side and the addresses that were sampled in it. Out: code blocks in pairs, the largest change first.
//! A pair is one on which source lines and instructions agree ([`align`]); what is on one side only is new or vanished, and
//! a code block of which lines and instructions say different things is unclear.
//!
//! Law: on each side the weights of all code blocks and the weight without a place sum to the weight of the samples given.

mod align;
mod common_subsequence;
mod lines;

use pdiff_profile::{MachineCode, NoCode, ObjectAddr, PerSide, Side};

use crate::compare::{Comparison, RowFunction, Sampled};
use align::{Paired, align};
use common_subsequence::{side_by_side, tokens};

/// A score of 1.
const WHOLE: u32 = 1 << 16;

/// The code of one side, and what was sampled there.
#[derive(Clone, Debug)]
pub struct SampledCode {
    /// The code, or why there is none.
    pub code: Result<MachineCode, NoCode>,
    /// The sampled addresses with their samples; no address if it is not known or is of another file.
    pub samples: Vec<(Option<ObjectAddr>, Sampled)>,
}

/// The unit in which both sides are compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CodeUnit {
    /// Percent of all samples of the side.
    Percent,
    /// Nanoseconds of CPU per operation.
    NanosecondsPerOperation,
    /// Weight of the event per operation.
    WeightPerOperation,
}

/// What weights of a comparison are compared in.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CodeMeasure {
    /// The unit.
    pub unit: CodeUnit,
    /// What a weight of each side is multiplied by.
    pub factors: PerSide<f64>,
}

impl CodeMeasure {
    /// Cost per operation where it is known, else share of all samples.
    #[must_use]
    pub fn of(comparison: &Comparison) -> Self {
        let weights =
            PerSide::new(&comparison.before, &comparison.after).map(|side| side.weight.as_f64().max(1.0));
        let (unit, wholes) = match &comparison.cost {
            Some(cost) if cost.is_time => (CodeUnit::NanosecondsPerOperation, cost.per_op),
            Some(cost) => (CodeUnit::WeightPerOperation, cost.per_op),
            None => (CodeUnit::Percent, PerSide::new(100.0, 100.0)),
        };
        Self { unit, factors: wholes.zip(weights).map(|(whole, weight)| whole / weight) }
    }
}

/// How code blocks of both sides were paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlignedBy {
    /// Lines, and instructions with the functions that they call.
    LinesAndCode,
    /// Instructions and the functions that they call: the lines of a side are not known.
    Code,
    /// Not at all: a side has no code, or there is too much of it.
    Nothing,
}

/// What is known of a code block's counterpart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockState {
    /// It was found.
    Aligned,
    /// There is none: the block is new or vanished.
    OneSided,
    /// It is not known.
    Unclear,
}

/// One side's part of a [`CodeBlock`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockSide {
    /// Its first byte.
    pub start: ObjectAddr,
    /// The byte after its last.
    pub end: ObjectAddr,
    /// Its samples.
    pub sampled: Sampled,
}

/// A code block, with its counterpart if that is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeBlock {
    /// What is known of its counterpart.
    pub state: BlockState,
    /// Each side's part of it.
    pub sides: PerSide<Option<BlockSide>>,
    /// The instructions of both sides beside each other, as positions in the side's code.
    pub rows: Vec<PerSide<Option<usize>>>,
}

/// One side of a function's code.
#[derive(Clone, PartialEq, Debug)]
pub struct CodeSide {
    /// The code, or why there is none.
    pub code: Result<MachineCode, NoCode>,
    /// The samples of each instruction.
    pub sampled: Vec<Sampled>,
    /// All samples of the function: its self by symbol.
    pub whole: Sampled,
    /// Those of them that no instruction was found for.
    pub unplaced: Sampled,
}

/// The code of a function on both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionCode {
    /// The function.
    pub of: RowFunction,
    /// What its weights are compared in.
    pub measure: CodeMeasure,
    /// How its code blocks were paired.
    pub aligned_by: AlignedBy,
    /// The code of each side.
    pub sides: PerSide<CodeSide>,
    /// All code blocks but padding without samples: the largest change first, and those without a known change by their weight.
    pub blocks: Vec<CodeBlock>,
}

impl FunctionCode {
    /// Puts the code of both sides side by side.
    #[must_use]
    pub fn new(of: RowFunction, measure: CodeMeasure, sides: PerSide<SampledCode>) -> Self {
        let sides = sides.map(CodeSide::new);
        let codes = sides.as_ref().map(|side| side.code.as_ref().ok());
        let tokens = codes.both().map(tokens).unwrap_or_default();
        let (aligned_by, paired) = match codes.both() {
            Some(codes) => align(codes, &tokens),
            None => (AlignedBy::Nothing, unpaired(&sides)),
        };
        let mut blocks: Vec<CodeBlock> = paired
            .iter()
            .map(|paired| block(paired, &sides, &tokens))
            .filter(|block| !is_idle_padding(block, &sides))
            .collect();
        let rank = |block: &CodeBlock| {
            let values = block.values(&measure);
            let size = match block.state {
                BlockState::Unclear => values.before.max(values.after),
                BlockState::Aligned | BlockState::OneSided => (values.after - values.before).abs(),
            };
            (size, values.before.max(values.after))
        };
        let first = |block: &CodeBlock| {
            let start = |side: &Option<BlockSide>| side.as_ref().map_or(u64::MAX, |side| side.start.0);
            block.sides.as_ref().map(start).into_array()
        };
        blocks.sort_by(|a, b| {
            let ((a_size, a_weight), (b_size, b_weight)) = (rank(a), rank(b));
            b_size
                .total_cmp(&a_size)
                .then(b_weight.total_cmp(&a_weight))
                .then_with(|| first(a).cmp(&first(b)))
        });
        Self { of, measure, aligned_by, sides, blocks }
    }
}

impl CodeBlock {
    /// What it costs on each side, in the unit of the measure.
    #[must_use]
    pub fn values(&self, measure: &CodeMeasure) -> PerSide<f64> {
        let weights =
            self.sides.as_ref().map(|side| side.as_ref().map_or(0.0, |side| side.sampled.weight.as_f64()));
        weights.zip(measure.factors).map(|(weight, factor)| weight * factor)
    }

    /// The change of its cost; `None` if its counterpart is not known.
    #[must_use]
    pub fn change(&self, measure: &CodeMeasure) -> Option<f64> {
        let values = self.values(measure);
        (self.state != BlockState::Unclear).then_some(values.after - values.before)
    }
}

impl CodeSide {
    fn new(SampledCode { code, samples }: SampledCode) -> Self {
        let count = code.as_ref().map_or(0, |code| code.instructions().len());
        let mut side = Self {
            sampled: vec![Sampled::default(); count],
            whole: Sampled::default(),
            unplaced: Sampled::default(),
            code,
        };
        for (addr, of_addr) in samples {
            side.whole.add(of_addr);
            let at = side.code.as_ref().ok().zip(addr).and_then(|(code, addr)| code.at(addr));
            let place = at.and_then(|at| side.sampled.get_mut(at)).unwrap_or(&mut side.unplaced);
            place.add(of_addr);
        }
        side
    }

    fn block(&self, block: usize) -> Option<(BlockSide, std::ops::Range<usize>)> {
        let code = self.code.as_ref().ok()?;
        let range = code.blocks().get(block)?.clone();
        let instructions = code.instructions().get(range.clone())?;
        let (first, last) = (instructions.first()?, instructions.last()?);
        let end = ObjectAddr(last.addr.0.saturating_add(u64::from(last.length)));
        let mut sampled = Sampled::default();
        self.sampled.get(range.clone())?.iter().for_each(|one| sampled.add(*one));
        Some((BlockSide { start: first.addr, end, sampled }, range))
    }
}

/// Every code block of the only side that has code: in the other build it may be part of other functions.
fn unpaired(sides: &PerSide<CodeSide>) -> Vec<Paired> {
    let of_side = |(side, of): (Side, &CodeSide)| {
        let count = of.code.as_ref().map_or(0, |code| code.blocks().len());
        (0..count).map(move |block| Paired::alone(side, block, BlockState::Unclear))
    };
    sides.iter().flat_map(of_side).collect()
}

fn block(paired: &Paired, sides: &PerSide<CodeSide>, tokens: &PerSide<Vec<u32>>) -> CodeBlock {
    let found = PerSide::from_fn(|side| sides[side].block(paired.blocks[side]?));
    let ranges = found.as_ref().map(|of| of.as_ref().map_or(0..0, |(_, range)| range.clone()));
    let rows = match found.as_ref().map(Option::as_ref).both() {
        Some(_) => {
            let of_block =
                PerSide::from_fn(|side| tokens[side].get(ranges[side].clone()).unwrap_or_default());
            let place = |row: PerSide<Option<usize>>| {
                row.zip(ranges.as_ref()).map(|(at, range)| Some(range.start + at?))
            };
            side_by_side(of_block.before, of_block.after).into_iter().map(place).collect()
        }
        None => {
            let before = ranges.before.map(|at| PerSide::new(Some(at), None));
            before.chain(ranges.after.map(|at| PerSide::new(None, Some(at)))).collect()
        }
    };
    CodeBlock { state: paired.state, sides: found.map(|of| of.map(|(side, _)| side)), rows }
}

/// What fills the room before an aligned address, and was not sampled.
fn is_idle_padding(block: &CodeBlock, sides: &PerSide<CodeSide>) -> bool {
    let is_nop = |row: &PerSide<Option<usize>>| {
        row.iter().all(|(side, at)| {
            let instruction =
                sides[side].code.as_ref().ok().zip(*at).and_then(|(code, at)| code.instructions().get(at));
            instruction.is_none_or(|of| of.opcode.starts_with("nop") || &*of.opcode == "int3")
        })
    };
    let is_idle = block.sides.values().flatten().all(|side| side.sampled == Sampled::default());
    is_idle && block.rows.iter().all(is_nop)
}
