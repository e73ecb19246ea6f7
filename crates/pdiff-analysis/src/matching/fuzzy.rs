//! Renames: pairs of similar functions that have no partner in the other build.
//!
//! A score of words in the name, neighbours and code size. Words must be similar, because neighbours alone would pair any
//! function with its replacement. A pair counts only if each is the other's best match, by a margin.

use std::sync::OnceLock;

use pdiff_profile::census::{Census, Function, FunctionId};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::candidates::{Candidates, Tally};
use super::matches::Matching;
use super::neighbours::{neighbours, overlap};
use super::source_file::stem;
use super::spelling::Spellings;

/// A pair needs this score; below it most are wrong.
const MIN_SCORE: f64 = 0.5;
/// A pair's score must be this much above the next best of either.
const MARGIN: f64 = 0.05;
/// A function that has less of another one's code than this may be a part of it.
const LEAST_OF_WHOLE: f64 = 0.75;
/// One function keeps one of so many neighbours.
const TELLING_NEIGHBOURS: usize = 2;
const WORDS_WEIGHT: f64 = 0.5;
const NEIGHBOURS_WEIGHT: f64 = 0.3;
const SIZE_WEIGHT: f64 = 0.1;
const FILE_WEIGHT: f64 = 0.1;

/// A rename found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Rename {
    pub(super) before: FunctionId,
    pub(super) after: FunctionId,
    pub(super) score: f64,
}

/// A function that has no partner yet.
struct Single<'a> {
    function: Function<'a>,
    /// The numbers of its words, sorted, each once.
    words: Vec<u32>,
    /// Neighbours as functions of After, sorted; looked up when first needed.
    neighbours: OnceLock<Vec<FunctionId>>,
}

/// One build, and what its functions are called in After.
#[derive(Clone, Copy)]
struct Build<'a, F> {
    census: &'a Census,
    spellings: &'a Spellings<'a>,
    in_after: F,
}

impl<F: Fn(FunctionId) -> Option<FunctionId>> Build<'_, F> {
    fn neighbours<'s>(&self, single: &'s Single<'_>) -> &'s [FunctionId] {
        single.neighbours.get_or_init(|| {
            let own = neighbours(self.census, single.function.id(), |id| self.tells(id));
            let mut ids: Vec<FunctionId> = own.into_iter().filter_map(&self.in_after).collect();
            ids.sort_unstable();
            ids
        })
    }

    /// Library code that is only ever inlined is a neighbour of everyone.
    fn tells(&self, id: FunctionId) -> bool {
        let has_code = self.census.function(id).is_some_and(|function| !function.bodies().is_empty());
        has_code || !self.spellings.is_library(id)
    }
}

/// The renames among the functions of both builds; library code is left out.
pub(super) fn renames<'a>(
    before: (&'a Census, &'a Spellings<'a>, &[Function<'a>]),
    after: (&'a Census, &'a Spellings<'a>, &[Function<'a>]),
    matching: &Matching,
) -> Vec<Rename> {
    let in_after = |id: FunctionId| matching.after_of(id).map(|found| found.after);
    let (left_build, right_build) = (
        Build { census: before.0, spellings: before.1, in_after },
        Build { census: after.0, spellings: after.1, in_after: Some },
    );
    let mut words = Words::default();
    let left = singles(before.2, before.1, &mut words, |id| matching.after_of(id).is_none());
    let right = singles(after.2, after.1, &mut words, |id| matching.before_of(id).is_none());
    let candidates = Candidates::new(right.iter().map(|single| single.words.as_slice()), words.0.len());
    let scored = |tally: &mut Tally, single: &Single<'_>| -> Vec<(usize, f64)> {
        let own = before.1.get(single.function.id());
        let score = |(candidate, words): (usize, f64)| {
            let other = right.get(candidate)?;
            let of_other = after.1.get(other.function.id());
            own.zip(of_other).filter(|(own, other)| own.shares_own_word(other))?;
            let (ours, theirs) = (left_build.neighbours(single), right_build.neighbours(other));
            let neighbours = overlap(ours, theirs);
            if neighbours == 0.0 && are_known(ours, theirs) {
                return None;
            }
            Some((candidate, score(single.function, other.function, words, neighbours)?))
        };
        candidates.alike(&single.words, tally).into_iter().filter_map(score).collect()
    };
    let scored: Vec<Vec<(usize, f64)>> = left.par_iter().map_init(Tally::default, scored).collect();
    let mut best_left = vec![Best::default(); left.len()];
    let mut best_right = vec![Best::default(); right.len()];
    for (index, (best, scored)) in best_left.iter_mut().zip(&scored).enumerate() {
        for (candidate, score) in scored {
            best.see(*candidate, *score);
            best_right.get_mut(*candidate).into_iter().for_each(|best| best.see(index, *score));
        }
    }
    let rename = |(index, best): (usize, &Best)| {
        let candidate = best.clear_winner()?;
        let back = best_right.get(candidate)?.clear_winner()?;
        let (single, other) = (left.get(index)?, right.get(candidate)?);
        let rival_of = |best: &Best, rivals: &[Best], functions: &[Single<'_>], of: usize| {
            let rival = best
                .second_index
                .filter(|rival| rivals.get(*rival).is_some_and(|best| best.index == Some(of)))?;
            functions.get(rival).map(|rival| rival.function.code_bytes())
        };
        let (bytes, of_other) = (single.function.code_bytes(), other.function.code_bytes());
        let is_parted = rival_of(best, &best_right, &right, index)
            .is_some_and(|rival| are_parts(bytes, of_other, rival))
            || rival_of(best_right.get(candidate)?, &best_left, &left, candidate)
                .is_some_and(|rival| are_parts(of_other, bytes, rival));
        (back == index && !is_parted).then(|| Rename {
            before: single.function.id(),
            after: other.function.id(),
            score: best.score,
        })
    };
    best_left.iter().enumerate().filter_map(rename).collect()
}

/// The numbers of words, by their hashes.
#[derive(Default)]
struct Words(FxHashMap<u64, u32>);

impl Words {
    /// Sorted, each once.
    fn numbers(&mut self, words: &[u64]) -> Vec<u32> {
        let mut number = |word: &u64| {
            let next = u32::try_from(self.0.len()).expect("fewer words than bytes of names");
            *self.0.entry(*word).or_insert(next)
        };
        let mut numbers: Vec<u32> = words.iter().map(&mut number).collect();
        numbers.sort_unstable();
        numbers
    }
}

fn singles<'a>(
    own: &[Function<'a>],
    spellings: &Spellings<'_>,
    words: &mut Words,
    is_single: impl Fn(FunctionId) -> bool + Sync,
) -> Vec<Single<'a>> {
    let may_be_renamed = |function: &Function<'a>| is_single(function.id()) && function.is_present();
    let singles = own.par_iter().copied().filter(may_be_renamed);
    let with_words = singles.filter_map(|function| Some((function, spellings.get(function.id())?.words())));
    let with_words: Vec<(Function<'a>, Vec<u64>)> = with_words.collect();
    let single = |(function, own): (Function<'a>, Vec<u64>)| Single {
        function,
        words: words.numbers(&own),
        neighbours: OnceLock::new(),
    };
    with_words.into_iter().map(single).collect()
}

fn score(before: Function<'_>, after: Function<'_>, words: f64, neighbours: f64) -> Option<f64> {
    let size = ratio(before.code_bytes(), after.code_bytes());
    let same_file = match (before.file(), after.file()) {
        (Some(before), Some(after)) if stem(before) == stem(after) => 1.0,
        _ => 0.0,
    };
    let score =
        WORDS_WEIGHT * words + NEIGHBOURS_WEIGHT * neighbours + SIZE_WEIGHT * size + FILE_WEIGHT * same_file;
    (score >= MIN_SCORE).then_some(score)
}

/// Whether enough neighbours of two functions are known for one of them to be common, if they are one function.
fn are_known(ours: &[FunctionId], theirs: &[FunctionId]) -> bool {
    let (fewer, more) = (ours.len().min(theirs.len()), ours.len().max(theirs.len()));
    fewer >= 1 && more >= TELLING_NEIGHBOURS
}

/// Whether two functions make up a third one's code, and neither does alone: it was split, and not renamed.
fn are_parts(whole: u64, part: u64, other: u64) -> bool {
    let alone = ratio(whole, part);
    part < whole && alone < LEAST_OF_WHOLE && ratio(whole, part.saturating_add(other)) > alone
}

/// The smaller by the greater; 0 where one has no code.
fn ratio(left: u64, right: u64) -> f64 {
    let (small, great) = (left.min(right), left.max(right));
    if small == 0 { 0.0 } else { small as f64 / great as f64 }
}

/// The best candidate so far, and how good the second is.
#[derive(Clone, Copy, Default)]
struct Best {
    index: Option<usize>,
    score: f64,
    second_index: Option<usize>,
    second: f64,
}

impl Best {
    fn see(&mut self, index: usize, score: f64) {
        if score > self.score {
            *self = Self { index: Some(index), score, second_index: self.index, second: self.score };
        } else if score > self.second {
            (self.second_index, self.second) = (Some(index), score);
        }
    }

    fn clear_winner(&self) -> Option<usize> {
        self.index.filter(|_| self.score >= self.second + MARGIN)
    }
}
