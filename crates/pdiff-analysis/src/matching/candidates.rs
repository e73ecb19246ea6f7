//! Which functions have words in common: those of one build by the words in their names.
//!
//! A word that many functions share finds none, but counts where a rarer one did. The rare words in common are counted
//! while they are looked up, so that lists are only compared where there can be enough in common.

use super::neighbours::shared;

/// Below this share of common words a pair is mostly wrong (measured on two versions of a server ten years apart).
const MIN_WORDS_ALIKE: f64 = 0.3;
/// A word that more functions share finds no candidates.
const MAX_WORD_FUNCTIONS: usize = 300;

/// The functions of one build, by word.
pub(super) struct Candidates {
    by_word: Vec<Vec<u32>>,
    functions: Vec<WordsOf>,
}

/// The words of one function.
struct WordsOf {
    count: usize,
    /// Those that find no candidates, sorted.
    frequent: Vec<u32>,
}

/// How many rare words the functions seen have in common with one; empty between two look-ups.
#[derive(Default)]
pub(super) struct Tally {
    counts: Vec<u32>,
    seen: Vec<u32>,
}

impl Candidates {
    /// From the words of each function: numbers below `words`, sorted, each once.
    pub(super) fn new<'w>(functions: impl Iterator<Item = &'w [u32]> + Clone, words: usize) -> Self {
        let mut by_word: Vec<Vec<u32>> = vec![Vec::new(); words];
        for (function, own) in (0..).zip(functions.clone()) {
            for word in own {
                by_word.get_mut(*word as usize).into_iter().for_each(|found| found.push(function));
            }
        }
        let is_rare = |found: &Vec<u32>| found.len() <= MAX_WORD_FUNCTIONS;
        let is_frequent = |word: &u32| !by_word.get(*word as usize).is_some_and(is_rare);
        let words_of = |own: &'w [u32]| WordsOf {
            count: own.len(),
            frequent: own.iter().copied().filter(is_frequent).collect(),
        };
        let functions = functions.map(words_of).collect();
        Self { by_word, functions }
    }

    /// The functions that share enough words with these, one of them rare, and the share of common words.
    pub(super) fn alike(&self, words: &[u32], tally: &mut Tally) -> Vec<(usize, f64)> {
        tally.counts.resize(self.functions.len(), 0);
        let mut frequent: Vec<u32> = Vec::new();
        for word in words {
            match self.by_word.get(*word as usize) {
                Some(found) if found.len() <= MAX_WORD_FUNCTIONS => tally.add(found),
                _ => frequent.push(*word),
            }
        }
        let Tally { counts, seen } = tally;
        let alike = |candidate: u32| {
            let rare = std::mem::take(counts.get_mut(candidate as usize)?) as usize;
            let other = self.functions.get(candidate as usize)?;
            let all = words.len() + other.count;
            let share = |common: usize| common as f64 / (all - common) as f64;
            if share(rare + frequent.len().min(other.frequent.len())) < MIN_WORDS_ALIKE {
                return None;
            }
            let alike = share(rare + shared(&frequent, &other.frequent));
            (alike >= MIN_WORDS_ALIKE).then_some((candidate as usize, alike))
        };
        seen.drain(..).filter_map(alike).collect()
    }
}

impl Tally {
    fn add(&mut self, found: &[u32]) {
        for candidate in found {
            let Some(count) = self.counts.get_mut(*candidate as usize) else { continue };
            if *count == 0 {
                self.seen.push(*candidate);
            }
            *count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::neighbours::overlap;
    use super::*;

    #[test]
    fn all_with_a_rare_word_and_enough_in_common_are_found_with_their_share() {
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (random >> 33) % below
        };
        // Words 0 to 3 are in most of 2,000 functions, the others in few.
        let mut list = || {
            let mut words: Vec<u32> = (0..4).filter(|_| next(3) > 0).collect();
            words.extend((0..next(4)).map(|_| 4 + next(200) as u32));
            words.sort_unstable();
            words.dedup();
            words
        };
        let lists: Vec<Vec<u32>> = (0..2000).map(|_| list()).collect();
        let candidates = Candidates::new(lists.iter().map(Vec::as_slice), 204);
        let mut tally = Tally::default();
        let mut found = 0;
        for words in (0..50).map(|_| list()) {
            let mut alike = candidates.alike(&words, &mut tally);
            alike.sort_by_key(|(candidate, _)| *candidate);
            let is_alike = |(at, other): (usize, &Vec<u32>)| {
                let has_rare = words.iter().any(|word| *word > 3 && other.contains(word));
                let share = overlap(&words, other);
                (has_rare && share >= MIN_WORDS_ALIKE).then_some((at, share))
            };
            let expected: Vec<(usize, f64)> = lists.iter().enumerate().filter_map(is_alike).collect();
            assert_eq!(alike, expected);
            found += expected.len();
        }
        assert!(found > 100, "{found}");
    }
}
