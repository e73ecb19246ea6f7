//! Functions that share a spelling: who of them belongs together.

use pdiff_profile::census::{Census, Function, FunctionId};

use super::source_file::likeness;

/// Largest product of both sides' sizes that is compared pair by pair.
const MAX_PAIRS: usize = 1 << 16;
/// How much the file counts against the parameters, which count 0 to 100.
const FILE_POINTS: u32 = 100;

/// A pair of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub(super) before: FunctionId,
    pub(super) after: FunctionId,
    pub(super) is_ambiguous: bool,
}

/// What is done with those of a group that nothing tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ties {
    /// They are paired in order and marked.
    Mark,
    /// They stay alone.
    Leave,
}

/// The pairs of a group.
pub(super) fn pairs(
    before: &Census,
    after: &Census,
    mut left: Vec<FunctionId>,
    mut right: Vec<FunctionId>,
    ties: Ties,
) -> Vec<Pair> {
    let mut pairs = Vec::new();
    if let ([only_before], [only_after]) = (left.as_slice(), right.as_slice()) {
        pairs.push(Pair { before: *only_before, after: *only_after, is_ambiguous: false });
        return pairs;
    }
    if left.len().saturating_mul(right.len()) <= MAX_PAIRS {
        pair_best(before, after, &mut left, &mut right, &mut pairs);
    }
    if ties == Ties::Mark {
        let rest = left.into_iter().zip(right);
        pairs.extend(rest.map(|(before, after)| Pair { before, after, is_ambiguous: true }));
    }
    pairs
}

/// Takes out, again and again, those that are each other's only best.
fn pair_best(
    before: &Census,
    after: &Census,
    left: &mut Vec<FunctionId>,
    right: &mut Vec<FunctionId>,
    pairs: &mut Vec<Pair>,
) {
    let points_of = |b: FunctionId, a: FunctionId| match (before.function(b), after.function(a)) {
        (Some(b), Some(a)) => points(b, a),
        _ => 0,
    };
    loop {
        let points: Vec<Vec<u32>> =
            left.iter().map(|b| right.iter().map(|a| points_of(*b, *a)).collect()).collect();
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
        *left = without(left, taken.iter().map(|pair| pair.0));
        *right = without(right, taken.iter().map(|pair| pair.1));
    }
}

fn without(ids: &[FunctionId], taken: impl Iterator<Item = usize>) -> Vec<FunctionId> {
    let taken: Vec<usize> = taken.collect();
    ids.iter().enumerate().filter(|(index, _)| !taken.contains(index)).map(|(_, id)| *id).collect()
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

/// How well two functions of one spelling go together.
fn points(before: Function<'_>, after: Function<'_>) -> u32 {
    let names_alike = alike(before.name(), after.name());
    let parameters_alike = alike(before.parameters().unwrap_or(""), after.parameters().unwrap_or(""));
    let same_kind = u32::from(before.linkage() == after.linkage()) * 10;
    likeness(before.file(), after.file()) * FILE_POINTS + names_alike + parameters_alike + same_kind
}

/// How many words two texts share, of 100.
fn alike(before: &str, after: &str) -> u32 {
    let words = |text: &'_ str| -> Vec<String> {
        let words =
            text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let (mut left, right) = (words(before), words(after));
    let total = left.len() + right.len();
    if total == 0 {
        return 100;
    }
    let mut shared = 0;
    for word in right {
        if let Some(at) = left.iter().position(|known| *known == word) {
            left.swap_remove(at);
            shared += 2;
        }
    }
    u32::try_from(shared * 100 / total).unwrap_or(0)
}
