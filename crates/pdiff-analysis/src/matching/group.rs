//! Functions that share a spelling: who of them belongs together.

use std::hash::BuildHasher as _;

use pdiff_profile::census::{Census, Function, FunctionId};
use rustc_hash::FxBuildHasher;

use super::neighbours::shared;
use super::source_file::likeness;

/// Largest product of both sides' sizes that is compared pair by pair.
const MAX_PAIRS: usize = 1 << 16;
/// How much the file counts against the parameters, which count 0 to 100.
const FILE_POINTS: u32 = 100;

/// How much it counts that both builds contain the function in some form: more than files and parameters together.
const PRESENT_POINTS: u32 = 1000;

/// A pair of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub(super) before: FunctionId,
    pub(super) after: FunctionId,
    pub(super) is_ambiguous: bool,
}

/// How to treat functions of a group that nothing distinguishes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ties {
    /// They are paired in order and marked.
    Mark,
    /// They stay alone.
    Leave,
}

/// Adds the pairs of a group.
pub(super) fn add_pairs(
    before: &Census,
    after: &Census,
    (left, right): (&[FunctionId], &[FunctionId]),
    ties: Ties,
    pairs: &mut Vec<Pair>,
) {
    if let ([only_before], [only_after]) = (left, right) {
        pairs.push(Pair { before: *only_before, after: *only_after, is_ambiguous: false });
        return;
    }
    let (mut left, mut right) = (left.to_vec(), right.to_vec());
    if left.len().saturating_mul(right.len()) <= MAX_PAIRS {
        pair_best(before, after, &mut left, &mut right, pairs);
    }
    if ties == Ties::Mark {
        let rest = left.into_iter().zip(right);
        pairs.extend(rest.map(|(before, after)| Pair { before, after, is_ambiguous: true }));
    }
}

/// Takes out, again and again, those that are each other's only best.
fn pair_best(
    before: &Census,
    after: &Census,
    left: &mut Vec<FunctionId>,
    right: &mut Vec<FunctionId>,
    pairs: &mut Vec<Pair>,
) {
    let (rows, columns) = (traits_of(before, left), traits_of(after, right));
    let mut points: Vec<Vec<u32>> =
        rows.iter().map(|row| columns.iter().map(|column| row.points(column)).collect()).collect();
    loop {
        let mut taken = Vec::new();
        for (row, row_points) in points.iter().enumerate() {
            let Some(column) = only_best(row_points.iter().copied()) else { continue };
            let column_points = points.iter().filter_map(|row| row.get(column)).copied();
            if only_best(column_points) == Some(row) {
                taken.push((row, column));
            }
        }
        if taken.is_empty() {
            return;
        }
        for (row, column) in &taken {
            let (Some(before), Some(after)) = (left.get(*row), right.get(*column)) else { continue };
            pairs.push(Pair { before: *before, after: *after, is_ambiguous: false });
        }
        let (rows, columns): (Vec<usize>, Vec<usize>) = taken.into_iter().unzip();
        remove(left, &rows);
        remove(right, &columns);
        remove(&mut points, &rows);
        points.iter_mut().for_each(|row| remove(row, &columns));
    }
}

fn remove<T>(items: &mut Vec<T>, places: &[usize]) {
    let mut at = 0..;
    items.retain(|_| at.next().is_some_and(|at| !places.contains(&at)));
}

/// The place of the greatest, if there is one and it is alone.
fn only_best(points: impl Iterator<Item = u32>) -> Option<usize> {
    let (mut best, mut at, mut is_alone) = (0, None, false);
    for (index, points) in points.enumerate() {
        if at.is_none() || points > best {
            (best, at, is_alone) = (points, Some(index), true);
        } else if points == best {
            is_alone = false;
        }
    }
    at.filter(|_| is_alone)
}

/// The properties that distinguish functions with one spelling; a group compares each with each, so words are split once.
struct Traits<'a> {
    function: Function<'a>,
    name: Vec<u64>,
    parameters: Vec<u64>,
}

fn traits_of<'a>(census: &'a Census, ids: &[FunctionId]) -> Vec<Traits<'a>> {
    let traits = |id: &FunctionId| {
        let function = census.function(*id)?;
        let parameters = words(function.parameters().unwrap_or(""));
        Some(Traits { function, name: words(function.name()), parameters })
    };
    ids.iter().filter_map(traits).collect()
}

impl Traits<'_> {
    /// How well two functions go together.
    fn points(&self, other: &Self) -> u32 {
        let words_alike = alike(&self.name, &other.name) + alike(&self.parameters, &other.parameters);
        let same_kind = u32::from(self.function.linkage() == other.function.linkage()) * 10;
        // What one build only declares is not a partner of what the other has code of, wherever they are declared.
        let both_there =
            u32::from(self.function.is_present() && other.function.is_present()) * PRESENT_POINTS;
        let files = likeness(self.function.file(), other.function.file()) * FILE_POINTS;
        both_there + files + words_alike + same_kind
    }
}

/// The hashes of a text's words, sorted.
fn words(text: &str) -> Vec<u64> {
    let words =
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let mut hashes: Vec<u64> = words.map(|word| FxBuildHasher.hash_one(word)).collect();
    hashes.sort_unstable();
    hashes
}

/// How many words two texts share, of 100.
fn alike(left: &[u64], right: &[u64]) -> u32 {
    let total = left.len() + right.len();
    if total == 0 {
        return 100;
    }
    u32::try_from(shared(left, right) * 200 / total).unwrap_or(0)
}
