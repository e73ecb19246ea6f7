//! Which texts and chains of a worker another one met too.
//!
//! Workers read blocks of one recording, so most of what one met the others met too; it is worked out once. Texts are the
//! same if all their bytes are.

use super::chain_memo::ChainTexts;
use super::counts::Counts;
use super::memo::Memo;

/// The texts and chains of one worker, by its numbers.
#[derive(Clone, Copy)]
pub(super) struct PartTexts<'p> {
    pub(super) texts: &'p ChainTexts,
    pub(super) counts: &'p Counts,
}

/// The numbers that another worker has for the same, where it has one; by the own number.
#[derive(Default)]
pub(super) struct KnownTexts {
    pub(super) leaves: Vec<Option<u32>>,
    /// The lines of tails.
    pub(super) lines: Vec<Option<u32>>,
    pub(super) chains: Vec<Option<u32>>,
}

impl KnownTexts {
    /// The texts and chains of `part` that `other` knows too.
    pub(super) fn of(part: PartTexts<'_>, other: PartTexts<'_>) -> Self {
        let known_to = |own: &Memo, other: &Memo| own.texts().map(|text| other.find(text)).collect();
        let leaves: Vec<Option<u32>> = known_to(&part.texts.leaves, &other.texts.leaves);
        let lines: Vec<Option<u32>> = known_to(part.texts.tails.lines(), other.texts.tails.lines());
        let tails = part.texts.tails.known_to(&other.texts.tails, &lines);
        let known = |numbers: &[Option<u32>], id: u32| numbers.get(id as usize).copied().flatten();
        let chains = part.counts.chains.iter();
        let chains = chains
            .map(|chain| other.counts.chain_of(known(&leaves, chain.leaf)?, known(&tails, chain.tail)?))
            .collect();
        Self { leaves, lines, chains }
    }
}
