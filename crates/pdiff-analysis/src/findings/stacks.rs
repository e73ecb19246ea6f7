//! Both sides' stacks, each distinct one once a side: functions up to where an interrupt struck.
//!
//! Cost: unique stacks x depth; what follows works on distinct stacks, not on samples.

use std::sync::Arc;

use pdiff_profile::{PerSide, Side};
use rustc_hash::FxHashMap;

use super::code::{Code, CodeKinds};
use super::input::{Amount, Input};
use crate::normalize::KeyId;

/// A distinct stack of functions.
pub(super) struct Stack {
    /// Root first; renames joined.
    pub(super) functions: Arc<[KeyId]>,
    /// How many of them were running when an interrupt struck; all of them where none did.
    pub(super) until: usize,
    /// On each side.
    pub(super) amounts: PerSide<Amount>,
    /// The part of them that busy-waits: the same functions may poll at one address and work at another.
    pub(super) polling: PerSide<Amount>,
}

impl Stack {
    /// The functions that ran before an interrupt.
    pub(super) fn before_interrupt(&self) -> &[KeyId] {
        self.functions.get(..self.until).unwrap_or(&[])
    }

    /// Whether an interrupt struck.
    pub(super) fn is_struck(&self) -> bool {
        self.until < self.functions.len()
    }
}

/// All stacks, and which of them each run's stacks are.
pub(super) struct Stacks {
    pub(super) all: Vec<Stack>,
    /// By run, by stack of the run.
    pub(super) of_runs: Vec<Vec<Option<u32>>>,
}

impl Stacks {
    pub(super) fn new(input: &Input<'_>, codes: &CodeKinds) -> Self {
        let mut ids: FxHashMap<Arc<[KeyId]>, u32> = FxHashMap::default();
        let mut functions = Vec::new();
        let mut stacks = Self { all: Vec::new(), of_runs: Vec::new() };
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
        stacks
    }

    fn add(&mut self, ids: &mut FxHashMap<Arc<[KeyId]>, u32>, functions: &[KeyId], codes: &CodeKinds) -> u32 {
        if let Some(known) = ids.get(functions) {
            return *known;
        }
        let next = u32::try_from(self.all.len()).expect("fewer than 2^32 stacks fit in memory");
        let struck = functions.iter().position(|key| codes.get(*key) == Code::Interrupt);
        let until = struck.unwrap_or(functions.len());
        let functions: Arc<[KeyId]> = functions.into();
        ids.insert(Arc::clone(&functions), next);
        let (amounts, polling) = Default::default();
        self.all.push(Stack { functions, until, amounts, polling });
        next
    }

    fn count(&mut self, stack: u32, side: Side, amount: Amount, polls: bool) {
        let Some(stack) = self.all.get_mut(stack as usize) else { return };
        stack.amounts[side].add(amount);
        if polls {
            stack.polling[side].add(amount);
        }
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
