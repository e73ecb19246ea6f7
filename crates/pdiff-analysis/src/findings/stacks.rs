//! Both sides' stacks, each distinct one once a side: functions up to where an interrupt struck.
//!
//! Cost: unique stacks x depth; what follows works on distinct stacks, not on samples.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use pdiff_profile::{PerSide, Side};
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::code::{Code, CodeKinds};
use super::input::{Amount, Input};
use crate::normalize::KeyId;

/// A distinct stack of functions.
#[derive(Clone, Copy)]
pub(super) struct Stack<'a> {
    /// Root first; renames joined.
    pub(super) functions: &'a [KeyId],
    /// How many of them were running when an interrupt struck; all of them where none did.
    pub(super) until: usize,
    /// On each side.
    pub(super) amounts: PerSide<Amount>,
}

impl<'a> Stack<'a> {
    /// The functions that ran before an interrupt.
    pub(super) fn before_interrupt(&self) -> &'a [KeyId] {
        self.functions.get(..self.until).unwrap_or(&[])
    }

    /// Whether an interrupt struck.
    pub(super) fn is_struck(&self) -> bool {
        self.until < self.functions.len()
    }
}

/// What is kept of a stack. There may be millions.
struct Kept {
    /// Where its functions end in the list of all.
    end: usize,
    /// See [`Stack::until`].
    until: u32,
    amounts: PerSide<Amount>,
}

/// All stacks, and which of them each run's stacks are.
#[derive(Default)]
pub(super) struct Stacks {
    all: Vec<Kept>,
    /// Those of each stack, one after the other.
    functions: Vec<KeyId>,
    /// By stack, of the few that busy-wait.
    polling: FxHashMap<u32, PerSide<Amount>>,
    /// By run, by stack of the run.
    pub(super) of_runs: Vec<Vec<Option<u32>>>,
}

impl Stacks {
    pub(super) fn new(input: &Input<'_>, codes: &CodeKinds) -> Self {
        let mut ids: HashTable<u32> = HashTable::new();
        let mut functions = Vec::new();
        // Runs have most stacks in common.
        let most = input.runs.iter().map(|run| run.amounts.len()).max().unwrap_or(0);
        let mut stacks = Self { all: Vec::with_capacity(most), ..Self::default() };
        for run in &input.runs {
            let mut of_run = vec![None; run.amounts.len()];
            for (stack, amount) in run.amounts() {
                functions.clear();
                functions.extend(input.functions(run, stack));
                let at = stacks.add(&mut ids, &functions, codes);
                let polls = run.polls.get(stack.index()).copied().unwrap_or(false);
                stacks.count(at, run.side, amount, polls);
                of_run[stack.index()] = Some(at);
            }
            stacks.of_runs.push(of_run);
        }
        stacks.all.shrink_to_fit();
        stacks.functions.shrink_to_fit();
        stacks
    }

    fn add(&mut self, ids: &mut HashTable<u32>, functions: &[KeyId], codes: &CodeKinds) -> u32 {
        let hash = |functions: &[KeyId]| FxBuildHasher.hash_one(functions);
        if let Some(known) = ids.find(hash(functions), |id| self.functions(*id as usize) == functions) {
            return *known;
        }
        let next = u32::try_from(self.all.len()).expect("fewer than 2^32 stacks fit in memory");
        let struck = functions.iter().position(|key| codes.get(*key) == Code::Interrupt);
        let until = struck.unwrap_or(functions.len()) as u32;
        self.functions.extend_from_slice(functions);
        self.all.push(Kept { end: self.functions.len(), until, amounts: PerSide::default() });
        ids.insert_unique(hash(functions), next, |id| hash(self.functions(*id as usize)));
        next
    }

    fn count(&mut self, stack: u32, side: Side, amount: Amount, polls: bool) {
        let Some(kept) = self.all.get_mut(stack as usize) else { return };
        kept.amounts[side].add(amount);
        if polls {
            self.polling.entry(stack).or_default()[side].add(amount);
        }
    }

    fn functions(&self, stack: usize) -> &[KeyId] {
        let end = |stack: usize| self.all.get(stack).map_or(0, |kept| kept.end);
        let start = stack.checked_sub(1).map_or(0, end);
        self.functions.get(start..end(stack)).unwrap_or(&[])
    }

    fn stack<'a>(&'a self, (at, kept): (usize, &'a Kept)) -> Stack<'a> {
        Stack { functions: self.functions(at), until: kept.until as usize, amounts: kept.amounts }
    }

    /// The numbers of stacks that busy-wait, in no order, each with the part that does: the same functions may poll at one address
    /// and work at another.
    pub(super) fn polling(&self) -> impl Iterator<Item = (usize, PerSide<Amount>)> {
        self.polling.iter().map(|(stack, amounts)| (*stack as usize, *amounts))
    }

    /// The stacks, by number.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Stack<'_>> {
        self.all.iter().enumerate().map(|kept| self.stack(kept))
    }

    /// The same on all cores.
    pub(super) fn par_iter(&self) -> impl IndexedParallelIterator<Item = Stack<'_>> {
        self.all.par_iter().enumerate().map(|kept| self.stack(kept))
    }

    /// The amount of each side.
    pub(super) fn totals(&self) -> PerSide<Amount> {
        let mut totals = PerSide::<Amount>::default();
        for stack in &self.all {
            totals.update(stack.amounts, Amount::add);
        }
        totals
    }
}
