//! Which function of one file is which of another.

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use super::functions::Functions;

/// Fewer instructions are equal by chance.
const LEAST_INSTRUCTIONS: usize = 8;
/// The same where numbers are left out.
const LEAST_OF_SHAPE: usize = 24;
/// How alike two functions must be that refer to a text alone, of 1.
const ALIKE_BY_TEXT: f64 = 0.5;
/// How alike two functions must be that are at one place among calls.
const ALIKE_BY_PLACE: f64 = 0.75;
/// How much more alike than the next best candidate a pair must be.
const MARGIN: f64 = 0.1;
/// Rounds; what a round finds lets the next find more.
const MOST_ROUNDS: usize = 20;

/// Pairs of functions, by number.
pub(super) fn pairs(here: &Functions, there: &Functions) -> Vec<(usize, usize)> {
    let mut found = Found { here, there, of_here: FxHashMap::default(), of_there: FxHashSet::default() };
    found.by_key(|functions, at| functions.all[at].name.clone());
    found.by_key(|functions, at| {
        let body = &functions.all[at].body;
        (body.instructions >= LEAST_INSTRUCTIONS).then_some((body.hash, body.instructions))
    });
    found.by_key(|functions, at| {
        let body = &functions.all[at].body;
        (body.instructions >= LEAST_OF_SHAPE).then_some((body.shape, body.instructions))
    });
    for _ in 0..MOST_ROUNDS {
        let known = found.of_here.len();
        found.by_text();
        found.by_place();
        if found.of_here.len() == known {
            break;
        }
    }
    let mut pairs: Vec<(usize, usize)> = found.of_here.into_iter().collect();
    pairs.sort_unstable();
    pairs
}

struct Found<'f> {
    here: &'f Functions,
    there: &'f Functions,
    of_here: FxHashMap<usize, usize>,
    of_there: FxHashSet<usize>,
}

impl Found<'_> {
    fn add(&mut self, one: usize, other: usize) {
        if !self.of_here.contains_key(&one) && self.of_there.insert(other) {
            self.of_here.insert(one, other);
        }
    }

    fn is_open(&self, one: usize, other: usize) -> bool {
        // What has a symbol here needs none, and a stub is found by its name alone.
        !self.of_here.contains_key(&one)
            && !self.of_there.contains(&other)
            && self.here.all[one].name.is_none()
            && !self.there.all[other].name.as_deref().is_some_and(|name| name.ends_with("@plt"))
    }

    /// Pairs of which both have a key that no other function of their file has.
    fn by_key<K: Hash + Eq>(&mut self, key: impl Fn(&Functions, usize) -> Option<K>) {
        let unique = |functions: &Functions| {
            let mut by_key: FxHashMap<K, Option<usize>> = FxHashMap::default();
            for at in 0..functions.all.len() {
                if let Some(key) = key(functions, at) {
                    by_key.entry(key).and_modify(|known| *known = None).or_insert(Some(at));
                }
            }
            by_key
        };
        let (here, there) = (unique(self.here), unique(self.there));
        let both = here.into_iter().filter_map(|(key, one)| Some((one?, (*there.get(&key)?)?)));
        let mut both: Vec<(usize, usize)> = both.collect();
        both.sort_unstable();
        both.into_iter().for_each(|(one, other)| self.add(one, other));
    }

    /// Pairs that alone refer to a text.
    fn by_text(&mut self) {
        let users = |functions: &Functions| {
            let mut users: FxHashMap<u64, Option<usize>> = FxHashMap::default();
            for (at, function) in functions.all.iter().enumerate() {
                for (text, _) in &function.body.texts {
                    users.entry(*text).and_modify(|known| *known = None).or_insert(Some(at));
                }
            }
            users
        };
        let (here, there) = (users(self.here), users(self.there));
        let both = here.iter().filter_map(|(text, one)| Some(((*one)?, (*there.get(text)?)?)));
        let candidates: FxHashSet<(usize, usize)> =
            both.filter(|(one, other)| self.is_open(*one, *other)).collect();
        self.take(candidates, ALIKE_BY_TEXT);
    }

    /// Pairs that are at one place among the calls of a pair: between calls that are pairs, as many on both sides.
    fn by_place(&mut self) {
        let mut candidates: FxHashSet<(usize, usize)> = FxHashSet::default();
        for (one, other) in &self.of_here {
            let (here, there) = (&self.here.callees[*one], &self.there.callees[*other]);
            for (from, to) in gaps(here, there, &self.of_here) {
                let (here, there) = (&here[from], &there[to]);
                if here.len() == there.len() {
                    candidates.extend(here.iter().copied().zip(there.iter().copied()));
                } else if here.len() <= 4 && there.len() <= 4 {
                    candidates
                        .extend(here.iter().flat_map(|one| there.iter().map(move |other| (*one, *other))));
                }
            }
        }
        candidates.retain(|(one, other)| self.is_open(*one, *other));
        self.take(candidates, ALIKE_BY_PLACE);
    }

    /// Takes the candidates that are alike, and more so than others that either of them is a candidate with.
    fn take(&mut self, candidates: FxHashSet<(usize, usize)>, least: f64) {
        let mut scored: Vec<(usize, usize, f64)> =
            candidates.into_iter().map(|(one, other)| (one, other, self.likeness(one, other))).collect();
        scored.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)).then(a.1.cmp(&b.1)));
        let mut best: [BTreeMap<usize, Vec<f64>>; 2] = [BTreeMap::new(), BTreeMap::new()];
        for (one, other, score) in &scored {
            best[0].entry(*one).or_default().push(*score);
            best[1].entry(*other).or_default().push(*score);
        }
        let is_clear = |of: &BTreeMap<usize, Vec<f64>>, at: usize, score: f64| {
            let scores = of.get(&at).map_or(&[][..], Vec::as_slice);
            scores.first() == Some(&score) && scores.get(1).is_none_or(|next| score - next >= MARGIN)
        };
        for (one, other, score) in scored {
            if score >= least && is_clear(&best[0], one, score) && is_clear(&best[1], other, score) {
                self.add(one, other);
            }
        }
    }

    /// How alike two functions are: in instructions, and in texts, constants and callees.
    fn likeness(&self, one: usize, other: usize) -> f64 {
        let (a, b) = (&self.here.all[one].body, &self.there.all[other].body);
        let steps = dice(&a.steps, &b.steps);
        let tokens = |texts: &[u64], callees: &mut dyn Iterator<Item = u64>| {
            let mut all: Vec<u64> = texts.iter().copied().chain(callees).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        // Callees that are pairs, by their number in the other file; the others tell nothing yet.
        let mark = |callee: usize| (callee as u64) | 1 << 63;
        let mut of_here =
            self.here.callees[one].iter().filter_map(|callee| self.of_here.get(callee)).map(|at| mark(*at));
        let mut of_there = self.there.callees[other]
            .iter()
            .filter(|callee| self.of_there.contains(callee))
            .map(|at| mark(*at));
        let (left, right) = (tokens(&a.tokens, &mut of_here), tokens(&b.tokens, &mut of_there));
        if left.len().max(right.len()) < 2 {
            return steps * if a.instructions.min(b.instructions) < LEAST_INSTRUCTIONS { 0.5 } else { 1.0 };
        }
        0.5 * steps + 0.5 * dice(&left, &right)
    }
}

/// The calls between those that are pairs, in order: ranges of both lists.
fn gaps(
    here: &[usize],
    there: &[usize],
    known: &FxHashMap<usize, usize>,
) -> Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let mut gaps = Vec::new();
    let (mut from, mut to) = (0, 0);
    for (at, callee) in here.iter().enumerate() {
        let Some(other) = known.get(callee) else { continue };
        let Some(step) = there.iter().skip(to).position(|callee| callee == other) else { continue };
        gaps.push((from..at, to..to + step));
        (from, to) = (at + 1, to + step + 1);
    }
    gaps.push((from..here.len(), to..there.len()));
    gaps
}

/// Twice what two sorted lists share, of all that they have.
fn dice<T: Ord>(left: &[T], right: &[T]) -> f64 {
    let (mut a, mut b, mut shared) = (0, 0, 0_usize);
    while let (Some(x), Some(y)) = (left.get(a), right.get(b)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => (a, b, shared) = (a + 1, b + 1, shared + 1),
        }
    }
    let total = left.len() + right.len();
    if total == 0 { 0.0 } else { 2.0 * shared as f64 / total as f64 }
}
