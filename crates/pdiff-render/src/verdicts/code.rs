//! The machine code of a function in both builds side by side: its code blocks with their cost, the largest changes first,
//! and the instructions of these.

use pdiff_analysis::{AlignedBy, BlockState, CodeBlock, CodeUnit, FunctionCode, Sampled, SourceLine};
use pdiff_profile::{CodePlace, Instruction, NoCode, PerSide, Side};

use crate::document::number::{CostUnit, fixed, signed};
use crate::document::visible_text::{cut_end, cut_middle, visible};
use crate::document::{Align, Block, COLUMN_GAP, Grid, GridCell, GridColumn, Line, Tone};
use crate::verdicts::hot_lines::{SourceTexts, short};

/// Instructions of a code block that are shown: those with samples, and those that one side alone has, first.
const MOST_INSTRUCTIONS: usize = 40;

/// Instructions that are shown before and after one with samples.
const AROUND: usize = 2;

/// Columns of an instruction where the page has no width.
const CODE_WIDTH: usize = 44;

/// Fewer columns of an instruction say nothing.
const LEAST_CODE: usize = 16;

/// Columns of places and source lines where the page has no width.
const PLACE_WIDTH: usize = 60;

/// Fewer columns of places say nothing.
const LEAST_PLACE: usize = 12;

/// Columns that a number takes, with the room behind it.
const NUMBER_WIDTH: usize = 7 + COLUMN_GAP;

/// Columns that numbers, changes and states of code blocks take.
const BLOCK_NUMBERS_WIDTH: usize = 5 + 3 * NUMBER_WIDTH + 7 + 3 * COLUMN_GAP;

/// The `most` code blocks with the largest changes, and the sums of the others.
pub(crate) fn blocks(
    of: &FunctionCode,
    texts: &SourceTexts,
    most: usize,
    width: Option<usize>,
) -> Vec<Block> {
    let mut page = vec![Line::toned("code", heading(of), Tone::Strong)];
    page.extend(Side::BOTH.into_iter().filter_map(|side| remark(of, side)));
    if of.blocks.is_empty() {
        return page;
    }
    let shown = of.blocks.len().min(most);
    let numbers = Numbers::new(of);
    page.push(Block::Grid(overview(of, shown, &numbers, width)));
    for (number, block) in (1..).zip(of.blocks.iter().take(shown)) {
        page.push(Block::Gap);
        page.push(Line::toned("block", block_heading(number, block), Tone::Strong));
        page.push(Block::Grid(instructions(of, block, texts, &numbers, width)));
    }
    page
}

/// How a weight of each side is written.
struct Numbers {
    unit: Option<CostUnit>,
    factors: PerSide<f64>,
}

impl Numbers {
    fn new(of: &FunctionCode) -> Self {
        let factors = of.measure.factors;
        let total = Side::BOTH.map(|side| of.sides[side].whole.weight.as_f64() * factors[side]);
        let total = total[0].max(total[1]);
        let unit = match of.measure.unit {
            CodeUnit::Percent => None,
            CodeUnit::NanosecondsPerOperation => Some(CostUnit::of_total(total, true).for_parts()),
            CodeUnit::WeightPerOperation => Some(CostUnit::of_total(total, false).for_parts()),
        };
        Self { unit, factors }
    }

    /// The upper line of a column's title.
    fn title(&self) -> String {
        self.unit.map_or_else(|| "%".to_owned(), |unit| format!("{}/op", unit.name))
    }

    fn value(&self, value: f64) -> String {
        self.unit.map_or_else(|| fixed(value, 2), |unit| unit.fixed(value))
    }

    fn change(&self, value: f64) -> String {
        self.unit.map_or_else(|| signed(value, 2), |unit| unit.signed(value))
    }

    /// The samples of something on one side; nothing where there are none.
    fn sampled(&self, side: Side, of: Sampled) -> String {
        match of.samples {
            0 => String::new(),
            _ => self.value(of.weight.as_f64() * self.factors[side]),
        }
    }
}

fn heading(of: &FunctionCode) -> String {
    let count = |state: BlockState, side: Side| {
        let is_it = |block: &&CodeBlock| block.state == state && block.sides[side].is_some();
        of.blocks.iter().filter(is_it).count()
    };
    let all = |side: Side| of.blocks.iter().filter(|block| block.sides[side].is_some()).count();
    let [before, after] = Side::BOTH.map(all);
    let [unclear_before, unclear_after] = Side::BOTH.map(|side| count(BlockState::Unclear, side));
    let how = match of.aligned_by {
        AlignedBy::LinesAndCode => "aligned by lines and instructions",
        AlignedBy::Code => "aligned by instructions alone (no lines)",
        AlignedBy::Nothing => return format!("{before} code blocks before, {after} after, not aligned"),
    };
    format!(
        "{before} code blocks before, {after} after: {} {how}, {} vanished, {} new, {unclear_before} and {unclear_after} unclear",
        count(BlockState::Aligned, Side::Before),
        count(BlockState::OneSided, Side::Before),
        count(BlockState::OneSided, Side::After),
    )
}

/// What is missing on one side.
fn remark(of: &FunctionCode, side: Side) -> Option<Block> {
    let of_side = &of.sides[side];
    if let Err(why) = &of_side.code {
        return Some(Line::toned(side.as_str(), no_code_text(*why, side), Tone::Dim));
    }
    let unplaced_pct = 100.0 * of_side.unplaced.weight.as_f64() / of_side.whole.weight.as_f64().max(1.0);
    let text = format!(
        "{} % of its samples have no place in this code: their address is not known, or of another file",
        fixed(unplaced_pct, 1)
    );
    (of_side.unplaced.samples > 0).then(|| Line::toned(side.as_str(), text, Tone::Dim))
}

/// Why a side has no code, and what helps.
pub(crate) fn no_code_text(why: NoCode, side: Side) -> String {
    match why {
        NoCode::NoFile => {
            format!("no machine code: the file was not found; hint: give it with --binary-{side}")
        }
        NoCode::Packed => {
            format!("no machine code: a pack does not contain it; hint: give the binary with --binary-{side}")
        }
        NoCode::Unreadable => "no machine code: the file could not be read".to_owned(),
        NoCode::OtherProcessor => {
            "no machine code: instructions of x86-64 only are disassembled, and the file is for another processor"
                .to_owned()
        }
        NoCode::NoBody => {
            "no machine code of its own: it is inlined everywhere, or not in this build".to_owned()
        }
        NoCode::TooLarge => "no machine code: it is too large to be disassembled".to_owned(),
    }
}

/// All code blocks in one table: the first `shown`, the rest together, and all together.
fn overview(of: &FunctionCode, shown: usize, numbers: &Numbers, width: Option<usize>) -> Grid {
    let room = width.map_or(PLACE_WIDTH, |width| width.saturating_sub(BLOCK_NUMBERS_WIDTH));
    let values = |block: &CodeBlock| block.values(&of.measure);
    let sum = |blocks: &[CodeBlock]| {
        blocks
            .iter()
            .map(values)
            .fold(PerSide::default(), |sum: PerSide<f64>, of| sum.zip(of).map(|(a, b)| a + b))
    };
    let row = |name: String, values: PerSide<f64>, change: String, tone: Tone, state: &str, lines: String| {
        vec![
            GridCell::plain(name),
            GridCell::plain(numbers.value(values.before)),
            GridCell::plain(numbers.value(values.after)),
            GridCell::toned(change, tone),
            GridCell::plain(state),
            GridCell::plain(cut_middle(&lines, room).into_owned()),
        ]
    };
    let change = |values: PerSide<f64>| numbers.change(values.after - values.before);
    let (first, rest) = of.blocks.split_at(shown);
    let mut rows: Vec<_> = (1..)
        .zip(first)
        .map(|(number, block): (usize, &CodeBlock)| {
            let known = block.change(&of.measure);
            let tone = known.map_or(Tone::Plain, |by| if by > 0.0 { Tone::Worse } else { Tone::Better });
            let by = known.map_or_else(String::new, |by| numbers.change(by));
            row(number.to_string(), values(block), by, tone, state_text(block), lines_text(of, block))
        })
        .collect();
    if !rest.is_empty() {
        let name = format!("{} more", rest.len());
        rows.push(row(name, sum(rest), change(sum(rest)), Tone::Plain, "", String::new()));
    }
    let unplaced = PerSide::from_fn(|side| of.sides[side].unplaced.weight.as_f64() * numbers.factors[side]);
    if of.sides.values().any(|side| side.unplaced.samples > 0) {
        let name = "no place".to_owned();
        rows.push(row(name, unplaced, change(unplaced), Tone::Plain, "", String::new()));
    }
    let whole = PerSide::from_fn(|side| of.sides[side].whole.weight.as_f64() * numbers.factors[side]);
    rows.push(row("all".to_owned(), whole, change(whole), Tone::Plain, "", String::new()));
    let titles = [
        ("", "block", Align::Right),
        (&*numbers.title(), "before", Align::Right),
        (&*numbers.title(), "after", Align::Right),
        ("", "change", Align::Right),
        ("", "what", Align::Left),
        ("", "lines", Align::Left),
    ];
    let mut grid = Grid { columns: titles.map(column).to_vec(), rows, sums: 1 };
    if room < LEAST_PLACE {
        grid.drop_columns(|title| title == "lines");
    }
    grid
}

fn column((top, bottom, align): (&str, &str, Align)) -> GridColumn {
    GridColumn { title: [top.to_owned(), bottom.to_owned()], align }
}

/// What is known of a code block's counterpart, in a word or two.
fn state_text(block: &CodeBlock) -> &'static str {
    match (block.state, &block.sides.before) {
        (BlockState::Aligned, _) => "aligned",
        (BlockState::OneSided, Some(_)) => "vanished",
        (BlockState::OneSided, None) => "new",
        (BlockState::Unclear, _) => "unclear",
    }
}

/// The lines of a code block: of the side after, if it is there.
fn lines_text(of: &FunctionCode, block: &CodeBlock) -> String {
    let side = if block.sides.after.is_some() { Side::After } else { Side::Before };
    let mut lines: Vec<SourceLine> = Vec::new();
    for row in &block.rows {
        let place = row[side].and_then(|at| place(of, side, at)).and_then(line_of);
        if let Some(line) = place.filter(|line| !lines.contains(line)) {
            lines.push(line);
        }
    }
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let is_same_file =
            at.checked_sub(1).and_then(|at| lines.get(at)).is_some_and(|last| last.file == line.file);
        if is_same_file {
            text.push_str(&format!(",{}", line.line));
        } else {
            let gap = if text.is_empty() { "" } else { " " };
            text.push_str(&format!("{gap}{}", visible(&short(line))));
        }
    }
    text
}

fn line_of(place: &CodePlace) -> Option<SourceLine> {
    let (file, line) = (place.file.as_deref()?, place.line?);
    Some(SourceLine { file: file.to_owned(), line })
}

fn instruction(of: &FunctionCode, side: Side, at: usize) -> Option<&Instruction> {
    of.sides[side].code.as_ref().ok()?.instructions().get(at)
}

/// The place of an instruction.
fn place(of: &FunctionCode, side: Side, at: usize) -> Option<&CodePlace> {
    let code = of.sides[side].code.as_ref().ok()?;
    code.place(code.instructions().get(at)?)
}

fn block_heading(number: usize, block: &CodeBlock) -> String {
    let range = |side: Side| {
        let of_side = block.sides[side].as_ref()?;
        Some(format!("{side} {:#x}..{:#x}", of_side.start, of_side.end))
    };
    let ranges: Vec<String> = Side::BOTH.into_iter().filter_map(range).collect();
    format!("{number}: {}; {}", state_text(block), ranges.join(", "))
}

/// The instructions of a code block, both sides beside each other.
fn instructions(
    of: &FunctionCode,
    block: &CodeBlock,
    texts: &SourceTexts,
    numbers: &Numbers,
    width: Option<usize>,
) -> Grid {
    let sides: Vec<Side> = Side::BOTH.into_iter().filter(|side| block.sides[*side].is_some()).collect();
    let (code_width, place_width) = widths(sides.len(), width);
    let mut rows = Vec::new();
    let mut last_line = None;
    for shown in shown_rows(of, block) {
        let row = match shown {
            Shown::Row(row) => row,
            Shown::LeftOut(count) => {
                let mut cells = vec![GridCell::default(); 2 * sides.len() + 1];
                if let Some(cell) = cells.get_mut(1) {
                    *cell = GridCell::toned(format!("... {count} more"), Tone::Dim);
                }
                rows.push(cells);
                continue;
            }
        };
        let is_changed = sides.len() == 2 && row.values().any(Option::is_none);
        let mut cells = Vec::with_capacity(2 * sides.len() + 1);
        for side in &sides {
            let sampled =
                row[*side].and_then(|at| of.sides[*side].sampled.get(at)).copied().unwrap_or_default();
            let text = row[*side].and_then(|at| instruction(of, *side, at)).map_or("", |of| &*of.text);
            let tone = match side {
                Side::Before if is_changed => Tone::Better,
                Side::After if is_changed => Tone::Worse,
                _ => Tone::Plain,
            };
            cells.push(GridCell::plain(numbers.sampled(*side, sampled)));
            cells.push(GridCell::toned(cut_end(&visible(text), code_width).into_owned(), tone));
        }
        let at = Side::BOTH.into_iter().rev().find_map(|side| Some((side, row[side]?)));
        let line = at.and_then(|(side, at)| Some((side, place(of, side, at)?)));
        let is_new = line != last_line;
        last_line = line;
        let text = line.filter(|_| is_new).map_or_else(String::new, |(side, of)| place_text(side, of, texts));
        cells.push(GridCell::plain(cut_end(&visible(&text), place_width).into_owned()));
        rows.push(cells);
    }
    let mut columns = Vec::new();
    for side in &sides {
        columns.push(column((side.as_str(), &numbers.title(), Align::Right)));
        columns.push(column(("", "code", Align::Left)));
    }
    columns.push(column(("", "line", Align::Left)));
    let mut grid = Grid { columns, rows, sums: 0 };
    if place_width < LEAST_PLACE {
        grid.drop_columns(|title| title == "line");
    }
    grid
}

/// The columns of an instruction and of a place.
fn widths(sides: usize, width: Option<usize>) -> (usize, usize) {
    let Some(width) = width else { return (CODE_WIDTH, PLACE_WIDTH) };
    let room = width.saturating_sub(sides * (NUMBER_WIDTH + COLUMN_GAP));
    let code = (room / (sides + 1)).clamp(LEAST_CODE.min(room / sides), CODE_WIDTH);
    (code, room.saturating_sub(sides * code))
}

fn place_text(side: Side, of: &CodePlace, texts: &SourceTexts) -> String {
    let Some(line) = line_of(of) else { return String::new() };
    let source = texts.get(side, &line).map_or_else(String::new, |text| format!("  {text}"));
    let function = if of.inlined { format!(" in {}", of.function) } else { String::new() };
    format!("{}{function}{source}", short(&line))
}

/// A row of instructions, or some that are left out.
pub(crate) enum Shown {
    Row(PerSide<Option<usize>>),
    LeftOut(usize),
}

/// The rows of a code block that are shown: all of a short one; of a long one those with samples, those that one side
/// alone has, and a few around them.
pub(crate) fn shown_rows(of: &FunctionCode, block: &CodeBlock) -> Vec<Shown> {
    let count = block.rows.len();
    let weight = |row: &PerSide<Option<usize>>| {
        let value = |(side, at): (Side, &Option<usize>)| {
            let sampled = at.and_then(|at| of.sides[side].sampled.get(at));
            sampled.map_or(0.0, |sampled| sampled.weight.as_f64() * of.measure.factors[side])
        };
        row.iter().map(value).fold(0.0, f64::max)
    };
    let is_one_sided =
        |row: &PerSide<Option<usize>>| row.as_ref().map(Option::is_some).into_array() != [true; 2];
    let mut order: Vec<usize> = (0..count).collect();
    if count > MOST_INSTRUCTIONS {
        let is_pair = block.sides.values().all(Option::is_some);
        let key = |at: &usize| {
            block.rows.get(*at).map_or((0.0, false), |row| (weight(row), is_pair && is_one_sided(row)))
        };
        order.sort_by(|a, b| {
            let ((a_weight, a_alone), (b_weight, b_alone)) = (key(a), key(b));
            b_weight.total_cmp(&a_weight).then(b_alone.cmp(&a_alone)).then(a.cmp(b))
        });
        let telling: Vec<usize> =
            order.iter().copied().filter(|at| key(at) != (0.0, false)).take(MOST_INSTRUCTIONS / 2).collect();
        let near =
            telling.iter().flat_map(|at| at.saturating_sub(AROUND)..=at + AROUND).filter(|at| *at < count);
        order = telling.iter().copied().chain(near).chain(order).collect();
    }
    let mut is_shown = vec![false; count];
    let mut left = MOST_INSTRUCTIONS;
    for at in order {
        if left > 0 && !std::mem::replace(&mut is_shown[at], true) {
            left -= 1;
        }
    }
    let mut shown = Vec::new();
    for (row, is_shown) in block.rows.iter().zip(is_shown) {
        match (is_shown, shown.last_mut()) {
            (true, _) => shown.push(Shown::Row(*row)),
            (false, Some(Shown::LeftOut(count))) => *count += 1,
            (false, _) => shown.push(Shown::LeftOut(1)),
        }
    }
    shown
}
