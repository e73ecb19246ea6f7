//! Functions whose code differs in numbers alone: of lines that moved, of records that have another layout, or another constant.
//!
//! `__LINE__` stands in the code of whatever reports an error, so a line more at the top of a file changes the code of all functions
//! below it that do, and what none of them does.

use std::ops::Range;

use pdiff_profile::PerSide;
use pdiff_profile::census::{BodyPart, Census, FunctionId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::code_paths::{CodePaths, NumberUse, OtherNumber};
use crate::matching::{Matching, file_stem};

/// A number that differs as much in so many functions is no constant of one of them.
const LEAST_FUNCTIONS: usize = 4;

/// So many are enough if it is a place in a record in one of them.
const LEAST_WITH_PLACES: usize = 2;

/// How the numbers differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OtherNumbers {
    /// As lines of the source that moved.
    Lines,
    /// As if a record had another layout, by as much as in other functions, and maybe lines, too.
    SharedLayout,
    /// As if a record had another layout that this function alone uses, and maybe lines and another one, too: it may read another field.
    Layout,
    /// Also in another way.
    Constants,
}

/// By function of both builds: how its code differs, where it differs in numbers alone.
#[derive(Debug, Default)]
pub(super) struct LikeCode(FxHashMap<(FunctionId, FunctionId), OtherNumbers>);

impl LikeCode {
    /// Of functions whose code differs and has the same length.
    pub(super) fn new(
        paths: &dyn CodePaths,
        censuses: PerSide<&Census>,
        matching: &Matching,
        functions: impl Iterator<Item = (FunctionId, FunctionId)>,
    ) -> Self {
        let mut moved = None;
        let differing = functions.filter_map(|(before, after)| {
            let code = PerSide::new(code(censuses.before, before)?, code(censuses.after, after)?);
            let mut numbers = paths.other_numbers(code.as_ref().map(Vec::as_slice))?;
            let moved = moved.get_or_insert_with(|| MovedLines::new(censuses, matching));
            let file = censuses.before.function(before)?.file().map_or("", file_stem);
            numbers.retain(|number| !moved.has(file, number));
            Some(((before, after), numbers))
        });
        let differing: Vec<((FunctionId, FunctionId), Vec<OtherNumber>)> = differing.collect();
        let mut in_functions: FxHashMap<i64, usize> = FxHashMap::default();
        let mut displaced: FxHashSet<i64> = FxHashSet::default();
        for (_, numbers) in &differing {
            let by: FxHashSet<i64> = numbers.iter().map(difference).collect();
            by.into_iter().for_each(|by| *in_functions.entry(by).or_default() += 1);
            displaced.extend(numbers.iter().filter(|of| of.used == NumberUse::Displacement).map(difference));
        }
        let is_shared = |number: &OtherNumber| {
            let by = difference(number);
            let count = in_functions.get(&by).copied().unwrap_or(0);
            count >= LEAST_FUNCTIONS || (count >= LEAST_WITH_PLACES && displaced.contains(&by))
        };
        let is_layout = |number: &OtherNumber| is_shared(number) || displaced.contains(&difference(number));
        let kind = |numbers: &[OtherNumber]| match numbers {
            [] => OtherNumbers::Lines,
            _ if numbers.iter().all(is_shared) => OtherNumbers::SharedLayout,
            _ if numbers.iter().all(is_layout) => OtherNumbers::Layout,
            _ => OtherNumbers::Constants,
        };
        Self(differing.iter().map(|(pair, numbers)| (*pair, kind(numbers))).collect())
    }

    /// How the code of a function differs; `None` where it differs in more than numbers, and where that is not known.
    pub(super) fn of(&self, before: FunctionId, after: FunctionId) -> Option<OtherNumbers> {
        self.0.get(&(before, after)).copied()
    }
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

    /// Whether a number may be that of a line of a file: it moved as the functions that are declared around it.
    fn has(&self, file: &str, number: &OtherNumber) -> bool {
        let Some(lines) = self.0.get(file).filter(|_| number.used == NumberUse::Moved) else { return false };
        let next = lines.partition_point(|(line, _)| i64::from(*line) <= number.before);
        let Some((_, above)) = next.checked_sub(1).and_then(|at| lines.get(at)) else { return false };
        let below = lines.get(next).map_or(*above, |(_, below)| *below);
        // Lines may have come in between.
        (*above.min(&below)..=*above.max(&below)).contains(&difference(number))
    }
}
