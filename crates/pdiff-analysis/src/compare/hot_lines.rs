//! Where inside a function the samples are: source lines with their weight, on both sides.
//!
//! A sample counts if its leaf is in the function's code: in the function or in functions inlined into it, in its own body
//! or where it is inlined elsewhere (the leaf-chain weight X of rows). The line is that of the innermost function at the
//! leaf. If that function is inlined, the line of the call in the function itself is also kept.
//!
//! Law: the weights of a side's lines and its weight without a line sum to the function's X weight.

use pdiff_profile::{InlineFrame, Lookup, Lookups, PerSide, Side, StackId, Weight};
use rustc_hash::FxHashMap;

use super::prepare::{Prepared, PreparedRun};
use super::sampled::Sampled;
use crate::normalize::Level;

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceLine {
    /// The file, as the debug information has it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// One line of a function's code and what was sampled there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HotLine {
    /// The line of the innermost function at the leaf.
    pub at: SourceLine,
    /// The innermost function; `None` where it is the function itself.
    pub inlined: Option<String>,
    /// The line of the function itself that the inlined function is at.
    pub called_at: Option<SourceLine>,
    /// Weight of the samples there.
    pub weight: Weight,
    /// Number of the samples there.
    pub samples: u64,
}

/// The lines of one function on one side.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SideLines {
    /// Heaviest first.
    pub lines: Vec<HotLine>,
    /// Weight of all samples in the function's code.
    pub weight: Weight,
    /// The part of it that no line is known about: no debug information, or none for these addresses.
    pub without_line: Weight,
}

impl SideLines {
    /// A weight's share of the function, in percent.
    #[must_use]
    pub fn share_pct(&self, weight: Weight) -> f64 {
        if self.weight.0 == 0 { 0.0 } else { 100.0 * weight.as_f64() / self.weight.as_f64() }
    }
}

/// A row's function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowFunction {
    /// The function, as rows name it.
    pub name: String,
    /// Label of its object.
    pub object: String,
    /// Its source file, if known, which distinguishes functions with the same name in one object.
    pub file: Option<String>,
}

/// The lines of one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionLines {
    /// The function.
    pub of: RowFunction,
    /// Those of each side.
    pub sides: PerSide<SideLines>,
}

impl FunctionLines {
    /// One side's lines.
    #[must_use]
    pub fn side(&self, side: Side) -> &SideLines {
        &self.sides[side]
    }
}

type Place = (SourceLine, Option<String>, Option<SourceLine>);

/// The lines of some functions.
///
/// Cost: unique stacks a function.
pub(super) fn hot_lines(prepared: &Prepared<'_>, functions: &[RowFunction]) -> Vec<FunctionLines> {
    let lookups: Vec<Lookups<'_>> = prepared.runs.iter().map(|run| Lookups::new(run.input.profile)).collect();
    let of = |of: &RowFunction| {
        let is_it = is_function(prepared, of);
        let side = |side| {
            let runs = prepared.runs.iter().zip(&lookups).filter(|(run, _)| run.side == side);
            side_lines(runs, &is_it)
        };
        FunctionLines { of: of.clone(), sides: PerSide::from_fn(side) }
    };
    functions.iter().map(of).collect()
}

/// Whether a level of a stack is a row's function.
pub(super) fn is_function<'p>(
    prepared: &'p Prepared<'_>,
    of: &'p RowFunction,
) -> impl Fn(&Level) -> bool + 'p {
    |level| {
        let key = prepared.keys.get(prepared.renames.canonical(level.key));
        let is_file = !key.is_by_file || key.file() == of.file.as_deref();
        *key.name == *of.name && *key.object == *of.object && is_file
    }
}

/// The samples of each stack of a run.
pub(super) fn sums_by_stack(run: &PreparedRun<'_>) -> FxHashMap<StackId, Sampled> {
    let mut sums: FxHashMap<StackId, Sampled> = FxHashMap::default();
    for cell in run.cells {
        let samples = u64::from(cell.samples);
        sums.entry(cell.stack).or_default().add(Sampled { weight: cell.weight, samples });
    }
    sums
}

fn side_lines<'a>(
    runs: impl Iterator<Item = (&'a PreparedRun<'a>, &'a Lookups<'a>)>,
    is_it: &dyn Fn(&Level) -> bool,
) -> SideLines {
    let mut places: FxHashMap<Place, (Weight, u64)> = FxHashMap::default();
    let mut side = SideLines::default();
    for (run, lookups) in runs {
        for (stack, Sampled { weight, samples }) in sums_by_stack(run) {
            match find(run, lookups, stack, is_it) {
                Found::NotThere => {}
                Found::WithoutLine => {
                    side.weight += weight;
                    side.without_line += weight;
                }
                Found::At(place) => {
                    side.weight += weight;
                    let of_place = places.entry(place).or_default();
                    *of_place = (of_place.0 + weight, of_place.1 + samples);
                }
            }
        }
    }
    let line = |((at, inlined, called_at), (weight, samples)): (Place, (Weight, u64))| HotLine {
        at,
        inlined,
        called_at,
        weight,
        samples,
    };
    side.lines = places.into_iter().map(line).collect();
    side.lines.sort_by(|a, b| {
        let by_place = (&a.at, &a.inlined, &a.called_at).cmp(&(&b.at, &b.inlined, &b.called_at));
        b.weight.cmp(&a.weight).then(by_place)
    });
    side
}

/// Where a stack's leaf is in the function's code.
enum Found {
    NotThere,
    WithoutLine,
    At(Place),
}

fn find(
    run: &PreparedRun<'_>,
    lookups: &Lookups<'_>,
    stack: StackId,
    is_it: &dyn Fn(&Level) -> bool,
) -> Found {
    let levels = run.stacks.get(stack);
    // The leaf's machine function and what is inlined into it.
    let start = levels.iter().rposition(|level| !level.inlined).unwrap_or(0);
    let chain = levels.get(start..).unwrap_or(&[]);
    let Some(depth) = chain.iter().position(is_it) else { return Found::NotThere };
    let leaf = lookups.of(run.input.profile.stacks.get(stack)).last();
    let frames = leaf.and_then(|(id, lookup)| frames(run, id, lookup)).unwrap_or(&[]);
    // With rows for machine functions alone the chain is shorter than what the debug information tells.
    let is_whole = frames.len() == chain.len() || chain.len() == 1;
    let (Some(own), Some(innermost)) = (frames.get(depth).filter(|_| is_whole), frames.last()) else {
        return Found::WithoutLine;
    };
    let is_own = depth + 1 == frames.len();
    match (line_of(innermost), is_own) {
        (None, _) => Found::WithoutLine,
        (Some(at), true) => Found::At((at, None, None)),
        (Some(at), false) => Found::At((at, Some(innermost.name.to_string()), line_of(own))),
    }
}

fn frames<'a>(
    run: &PreparedRun<'a>,
    id: pdiff_profile::FrameId,
    lookup: Lookup,
) -> Option<&'a [InlineFrame]> {
    Some(run.input.resolutions?.get(id, lookup)?.chain()?.frames())
}

fn line_of(frame: &InlineFrame) -> Option<SourceLine> {
    let (file, line) = (frame.file.as_deref()?, frame.line.filter(|line| *line > 0)?);
    Some(SourceLine { file: file.to_owned(), line })
}
