//! How the code of functions differs: in numbers alone, of lines that moved or of records that have another layout, or in more.
//!
//! `__LINE__` stands in the code of whatever reports an error, so a line more at the top of a file changes the code of all functions
//! below it that do, and what none of them does.

use std::ops::Range;

use pdiff_profile::census::{BodyPart, Census, FunctionId};
use pdiff_profile::{CodeChange, NumberUse, OtherNumber, PerSide};
use rustc_hash::{FxHashMap, FxHashSet};

use super::code_paths::CodePaths;
use crate::matching::{Matching, file_stem};

/// One function alone may read another field of a record.
const LEAST_FUNCTIONS: usize = 2;

/// How much the codes of a function that differ are like each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Likeness {
    /// They differ as lines of the source that moved.
    Lines,
    /// As if a record had another layout, by as much as in other functions, and maybe by lines, too.
    SharedLayout,
    /// As if a record had another layout that this function alone uses, and maybe by lines and another one, too: it may read another
    /// field.
    Layout,
    /// In other numbers.
    Constants,
    /// In instructions.
    Instructions,
}

/// By function of both builds: how its code differs, where that is known.
#[derive(Debug, Default)]
pub(super) struct LikeCode(FxHashMap<(FunctionId, FunctionId), Codes>);

/// The codes of a function.
#[derive(Debug)]
struct Codes {
    likeness: Likeness,
    /// The numbers in which they differ, without those of lines that moved, if they differ in nothing else.
    numbers: Box<[OtherNumber]>,
}

impl LikeCode {
    /// Of functions whose code differs, and whether each has the same calls in both builds.
    pub(super) fn new(
        paths: &dyn CodePaths,
        censuses: PerSide<&Census>,
        matching: &Matching,
        functions: impl Iterator<Item = (PerSide<FunctionId>, bool)>,
    ) -> Self {
        let mut moved = None;
        let mut known = Self::default();
        let mut differing: Vec<((FunctionId, FunctionId), Vec<OtherNumber>)> = Vec::new();
        for (PerSide { before, after }, has_same_calls) in functions {
            let codes = code(censuses.before, before).zip(code(censuses.after, after));
            let change = codes.and_then(|(old, new)| paths.change(PerSide::new(&old, &new)));
            match change.map(|change| if has_same_calls { change } else { CodeChange::Instructions }) {
                Some(CodeChange::Numbers(mut numbers)) => {
                    let moved = moved.get_or_insert_with(|| MovedLines::new(censuses, matching));
                    numbers.retain(|number| !moved.has(censuses.before, before, number));
                    differing.push(((before, after), numbers));
                }
                Some(CodeChange::Instructions) => {
                    let codes = Codes { likeness: Likeness::Instructions, numbers: Box::default() };
                    known.0.insert((before, after), codes);
                }
                None => {}
            }
        }
        let mut in_functions: FxHashMap<i64, usize> = FxHashMap::default();
        let mut displaced: FxHashSet<i64> = FxHashSet::default();
        for (_, numbers) in &differing {
            let of_layout = || numbers.iter().filter(|of| may_be_layout(of));
            let by: FxHashSet<i64> = of_layout().map(difference).collect();
            by.into_iter().for_each(|by| *in_functions.entry(by).or_default() += 1);
            displaced.extend(numbers.iter().filter(|of| of.used == NumberUse::Displacement).map(difference));
        }
        let is_layout =
            |number: &OtherNumber| may_be_layout(number) && displaced.contains(&difference(number));
        let is_shared = |number: &OtherNumber| {
            let count = in_functions.get(&difference(number)).copied().unwrap_or(0);
            is_layout(number) && count >= LEAST_FUNCTIONS
        };
        let likeness = |numbers: &[OtherNumber]| match numbers {
            [] => Likeness::Lines,
            _ if numbers.iter().all(is_shared) => Likeness::SharedLayout,
            _ if numbers.iter().all(is_layout) => Likeness::Layout,
            _ => Likeness::Constants,
        };
        let with_likeness = |(pair, numbers): ((FunctionId, FunctionId), Vec<OtherNumber>)| {
            (pair, Codes { likeness: likeness(&numbers), numbers: numbers.into_boxed_slice() })
        };
        known.0.extend(differing.into_iter().map(with_likeness));
        known
    }

    /// How the code of a function differs; `None` where that is not known.
    pub(super) fn of(&self, before: FunctionId, after: FunctionId) -> Option<Likeness> {
        self.0.get(&(before, after)).map(|codes| codes.likeness)
    }

    /// The numbers in which the code of a function differs, without those of lines that moved, if it differs in nothing else.
    pub(super) fn numbers(&self, before: FunctionId, after: FunctionId) -> &[OtherNumber] {
        self.0.get(&(before, after)).map_or(&[], |codes| &codes.numbers)
    }
}

/// Whether a number can be that of the layout of a record.
fn may_be_layout(number: &OtherNumber) -> bool {
    matches!(number.used, NumberUse::Displacement | NumberUse::Stride)
}

fn difference(number: &OtherNumber) -> i64 {
    number.after.wrapping_sub(number.before)
}

/// Where a function with one copy of its own has its code, and then its cold part.
fn code(census: &Census, function: FunctionId) -> Option<Vec<Range<u64>>> {
    let mut bodies: Vec<_> = census.function(function)?.bodies().iter().collect();
    bodies.sort_by_key(|body| body.part);
    let is_one = match &*bodies {
        [_] => true,
        [own, cold] => own.part != BodyPart::Cold && cold.part == BodyPart::Cold,
        _ => false,
    };
    let range = |body: &pdiff_profile::census::Body| body.addr.0..body.addr.0.saturating_add(body.bytes);
    is_one.then(|| bodies.into_iter().map(range).collect())
}

/// Bits of a number in which a line may be, below those of something else, such as the kind of an error.
const BITS_OF_LINE: [u32; 2] = [16, 24];

/// The lines that a number may be, if it moved by a line.
fn lines_of(number: &OtherNumber) -> impl Iterator<Item = i64> {
    let OtherNumber { before, after, .. } = *number;
    let packed = BITS_OF_LINE.into_iter().filter(move |bits| before >> bits == after >> bits);
    std::iter::once(before).chain(packed.map(move |bits| before & ((1 << bits) - 1)))
}

/// By file: the lines at which functions of both builds are declared before, and how far each moved; in order.
struct MovedLines(FxHashMap<String, Vec<(u32, i64)>>);

impl MovedLines {
    fn new(censuses: PerSide<&Census>, matching: &Matching) -> Self {
        let mut lines: FxHashMap<String, Vec<(u32, i64)>> = FxHashMap::default();
        for found in matching.matches() {
            let functions = censuses.before.function(found.before).zip(censuses.after.function(found.after));
            let Some((before, after)) = functions else { continue };
            let (Some(file), Some(of_after)) = (before.file(), after.file()) else { continue };
            let declared = before.line().zip(after.line()).filter(|_| file_stem(file) == file_stem(of_after));
            let Some((from, to)) = declared else { continue };
            let of_file = lines.entry(file_stem(file).to_owned()).or_default();
            of_file.push((from, i64::from(to) - i64::from(from)));
        }
        lines.values_mut().for_each(|of_file| of_file.sort_unstable());
        Self(lines)
    }

    /// Whether a number may be that of a line of a function, or of one that is copied into it: it moved as the functions that are
    /// declared around it.
    fn has(&self, census: &Census, function: FunctionId, number: &OtherNumber) -> bool {
        let copied = census.sites_by_caller(function).map(|site| site.callee);
        let mut functions = std::iter::once(function).chain(copied);
        number.used == NumberUse::Moved && functions.any(|of| self.is_in(census, of, number) == Some(true))
    }

    fn is_in(&self, census: &Census, function: FunctionId, number: &OtherNumber) -> Option<bool> {
        let function = census.function(function)?;
        let (line, lines) = (function.line()?, self.0.get(file_stem(function.file()?))?);
        let own = lines.get(lines.binary_search_by_key(&line, |(of, _)| *of).ok()?)?;
        let next = lines.get(lines.partition_point(|(of, _)| *of <= line));
        let lines = i64::from(line)..next.map_or(i64::MAX, |(next, _)| i64::from(*next));
        let is_inside = lines_of(number).any(|of| lines.contains(&of));
        // Lines may have come in between.
        let below = next.map_or(own.1, |(_, moved)| *moved);
        Some(is_inside && (own.1.min(below)..=own.1.max(below)).contains(&difference(number)))
    }
}
