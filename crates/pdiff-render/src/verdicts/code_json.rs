//! The code of a function in both builds as JSON.

use std::collections::BTreeMap;

use pdiff_analysis::{
    AlignedBy, BlockSide, BlockState, CodeBlock, CodeUnit, FunctionCode, Sampled, SourceLine,
};
use pdiff_profile::{CodePlace, MachineCode, PerSide, Side};
use serde::Serialize;

use crate::verdicts::code::{Shown, no_code_text, shown_rows};
use crate::verdicts::hot_lines::SourceTexts;

/// How much of the code is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CodeExtent {
    /// All code blocks with all instructions.
    Whole,
    /// This many code blocks with the largest changes, and as many instructions of each as a page shows.
    Blocks(usize),
}

/// The code of one function, for programs.
#[derive(Serialize)]
pub(crate) struct FunctionCodeReport<'a> {
    function: &'a str,
    object: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    unit: &'static str,
    aligned_by: &'static str,
    before: SideReport,
    after: SideReport,
    /// Places in the source, to which instructions refer by their position here.
    places: Vec<PlaceReport<'a>>,
    blocks: Vec<BlockReport<'a>>,
    /// Code blocks that are not written.
    #[serde(skip_serializing_if = "is_zero")]
    blocks_left_out: usize,
}

#[derive(Serialize)]
struct SideReport {
    weight: u64,
    samples: u64,
    unplaced_weight: u64,
    unplaced_samples: u64,
    value: f64,
    code_blocks: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_code: Option<String>,
}

#[derive(Serialize)]
struct BlockReport<'a> {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<BlockSideReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<BlockSideReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<f64>,
    rows: Vec<RowReport<'a>>,
}

#[derive(Serialize)]
struct BlockSideReport {
    start: String,
    end: String,
    weight: u64,
    samples: u64,
    value: f64,
}

#[derive(Serialize)]
#[serde(untagged)]
enum RowReport<'a> {
    Row {
        #[serde(skip_serializing_if = "Option::is_none")]
        before: Option<InstructionReport<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        after: Option<InstructionReport<'a>>,
    },
    LeftOut {
        left_out: usize,
    },
}

#[derive(Serialize)]
struct InstructionReport<'a> {
    address: String,
    text: &'a str,
    #[serde(skip_serializing_if = "is_zero")]
    weight: u64,
    #[serde(skip_serializing_if = "is_zero")]
    samples: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<usize>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct PlaceReport<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inlined: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
}

/// The places that are referred to, each once.
#[derive(Default)]
struct Places<'a> {
    all: Vec<PlaceReport<'a>>,
    known: BTreeMap<PlaceReport<'a>, usize>,
}

impl<'a> Places<'a> {
    fn number(&mut self, place: PlaceReport<'a>) -> usize {
        *self.known.entry(place).or_insert_with_key(|place| {
            self.all.push(place.clone());
            self.all.len() - 1
        })
    }
}

fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

impl<'a> FunctionCodeReport<'a> {
    pub(crate) fn new(of: &'a FunctionCode, texts: &'a SourceTexts, extent: CodeExtent) -> Self {
        let most = match extent {
            CodeExtent::Whole => of.blocks.len(),
            CodeExtent::Blocks(most) => of.blocks.len().min(most),
        };
        let mut places = Places::default();
        let shown = of.blocks.iter().take(most);
        let blocks = shown.map(|block| block_report(of, block, texts, extent, &mut places)).collect();
        let PerSide { before, after } = PerSide::from_fn(|side| side_report(of, side));
        Self {
            function: &of.of.name,
            object: &of.of.object,
            file: of.of.file.as_deref(),
            unit: match of.measure.unit {
                CodeUnit::Percent => "percent",
                CodeUnit::NanosecondsPerOperation => "ns-per-op",
                CodeUnit::WeightPerOperation => "weight-per-op",
            },
            aligned_by: match of.aligned_by {
                AlignedBy::LinesAndCode => "lines-and-code",
                AlignedBy::Code => "code",
                AlignedBy::Nothing => "nothing",
            },
            before,
            after,
            places: places.all,
            blocks,
            blocks_left_out: of.blocks.len() - most,
        }
    }
}

fn side_report(of: &FunctionCode, side: Side) -> SideReport {
    let of_side = &of.sides[side];
    SideReport {
        weight: of_side.whole.weight.0,
        samples: of_side.whole.samples,
        unplaced_weight: of_side.unplaced.weight.0,
        unplaced_samples: of_side.unplaced.samples,
        value: of_side.whole.weight.as_f64() * of.measure.factors[side],
        code_blocks: of.blocks.iter().filter(|block| block.sides[side].is_some()).count(),
        no_code: of_side.code.as_ref().err().map(|why| no_code_text(*why, side)),
    }
}

fn block_report<'a>(
    of: &'a FunctionCode,
    block: &CodeBlock,
    texts: &'a SourceTexts,
    extent: CodeExtent,
    places: &mut Places<'a>,
) -> BlockReport<'a> {
    let side_report = |side: Side| {
        let BlockSide { start, end, sampled } = block.sides[side].as_ref()?;
        Some(BlockSideReport {
            start: format!("{start:#x}"),
            end: format!("{end:#x}"),
            weight: sampled.weight.0,
            samples: sampled.samples,
            value: sampled.weight.as_f64() * of.measure.factors[side],
        })
    };
    let mut row = |row: &PerSide<Option<usize>>| {
        let PerSide { before, after } =
            PerSide::from_fn(|side| instruction(of, side, row[side]?, texts, places));
        RowReport::Row { before, after }
    };
    let rows = match extent {
        CodeExtent::Whole => block.rows.iter().map(&mut row).collect(),
        CodeExtent::Blocks(_) => {
            let shown = |shown| match shown {
                Shown::Row(of) => row(&of),
                Shown::LeftOut(left_out) => RowReport::LeftOut { left_out },
            };
            shown_rows(of, block).into_iter().map(shown).collect()
        }
    };
    BlockReport {
        state: match (block.state, &block.sides.before) {
            (BlockState::Aligned, _) => "aligned",
            (BlockState::OneSided, Some(_)) => "only-before",
            (BlockState::OneSided, None) => "only-after",
            (BlockState::Unclear, _) => "unclear",
        },
        before: side_report(Side::Before),
        after: side_report(Side::After),
        change: block.change(&of.measure),
        rows,
    }
}

fn instruction<'a>(
    of: &'a FunctionCode,
    side: Side,
    at: usize,
    texts: &'a SourceTexts,
    places: &mut Places<'a>,
) -> Option<InstructionReport<'a>> {
    let of_side = &of.sides[side];
    let code: &MachineCode = of_side.code.as_ref().ok()?;
    let instruction = code.instructions().get(at)?;
    let Sampled { weight, samples } = of_side.sampled.get(at).copied().unwrap_or_default();
    let place = |of: &'a CodePlace| {
        let (file, line) = (of.file.as_deref(), of.line);
        let source_line = file.zip(line).map(|(file, line)| SourceLine { file: file.to_owned(), line });
        let inlined = of.inlined.then_some(&*of.function);
        PlaceReport { file, line, inlined, source: source_line.and_then(|line| texts.get(side, &line)) }
    };
    Some(InstructionReport {
        address: format!("{:#x}", instruction.addr),
        text: &instruction.text,
        weight: weight.0,
        samples,
        place: code.place(instruction).map(|of| places.number(place(of))),
    })
}
