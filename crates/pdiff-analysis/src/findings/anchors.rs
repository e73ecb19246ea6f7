//! Functions that both sides ran, at which stacks of two builds are aligned.

use pdiff_profile::PerSide;

use super::code::{Code, CodeKinds};
use super::input::Amount;
use super::stacks::Stacks;
use crate::normalize::{KeyId, Keys};

/// Samples that each side must have of an anchor. Findings of recorded pairs are the same from 1 to 30.
const LEAST_SAMPLES: u64 = 5;

/// An anchor, by number, in four bytes: there are many places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct AnchorId(u32);

impl AnchorId {
    pub(super) fn new(number: usize) -> Self {
        Self(u32::try_from(number).expect("fewer than 2^32 functions fit in memory"))
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The functions of own code that both sides have samples of.
pub(super) struct Anchors {
    keys: Vec<KeyId>,
    /// By anchor: what each side has of it.
    amounts: Vec<PerSide<Amount>>,
    /// By key: the anchor.
    numbers: Vec<Option<u32>>,
}

impl Anchors {
    pub(super) fn find(keys: &Keys, stacks: &Stacks, codes: &CodeKinds) -> Self {
        // By key: the last stack that has it, and the sums.
        let mut seen = vec![(u32::MAX, PerSide::<Amount>::default()); keys.len()];
        for (number, stack) in (0..).zip(stacks.iter()) {
            for key in stack.before_interrupt().iter().filter(|key| codes.get(**key) == Code::Own) {
                let (last, sums) = &mut seen[key.0 as usize];
                if std::mem::replace(last, number) != number {
                    sums.update(stack.amounts, Amount::add);
                }
            }
        }
        let mut found: Vec<(KeyId, PerSide<Amount>)> = (0..)
            .map(KeyId)
            .zip(seen)
            .map(|(key, (_, amounts))| (key, amounts))
            .filter(|(_, amounts)| {
                amounts.values().all(|amount| amount.samples >= LEAST_SAMPLES && amount.weight > 0)
            })
            .collect();
        // By name, so that swapped sides agree.
        let name = |key: KeyId| (&keys.get(key).name, &keys.get(key).object, keys.get(key).file());
        found.sort_by(|a, b| name(a.0).cmp(&name(b.0)).then(a.0.cmp(&b.0)));
        let count = keys.len();
        let (keys, amounts): (Vec<KeyId>, Vec<PerSide<Amount>>) = found.into_iter().unzip();
        let mut numbers = vec![None; count];
        (0..).zip(&keys).for_each(|(number, key)| numbers[key.0 as usize] = Some(number));
        Self { keys, amounts, numbers }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn key(&self, anchor: usize) -> KeyId {
        self.keys[anchor]
    }

    pub(super) fn number(&self, key: KeyId) -> Option<usize> {
        self.numbers.get(key.0 as usize).copied().flatten().map(|number| number as usize)
    }

    pub(super) fn amounts(&self, anchor: usize) -> PerSide<Amount> {
        self.amounts[anchor]
    }
}
