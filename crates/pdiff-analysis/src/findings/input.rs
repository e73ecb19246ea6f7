//! The inputs of findings: both sides' stacks as functions, and the cost of operations.

use pdiff_profile::{Cell, Profile, Side, StackId};

use crate::compare::Cost;
use crate::noise::NoiseSettings;
use crate::normalize::{KeyId, Keys, NormalStacks};

/// One run.
pub(crate) struct RunOfStacks<'a> {
    pub(crate) side: Side,
    /// The machine, as a number that both sides use.
    pub(crate) host: Option<u32>,
    pub(crate) profile: &'a Profile,
    pub(crate) stacks: &'a NormalStacks,
    /// Its samples, by block.
    pub(crate) cells: &'a [Cell],
    /// By stack: whether it busy-waits.
    pub(crate) polls: Vec<bool>,
    /// By stack: the sum of its samples.
    pub(crate) amounts: Vec<Amount>,
}

impl RunOfStacks<'_> {
    /// The stacks that have samples, and what they have.
    pub(super) fn amounts(&self) -> impl Iterator<Item = (StackId, Amount)> {
        let all = (0..).map(StackId).zip(self.amounts.iter().copied());
        all.filter(|(_, amount)| *amount != Amount::default())
    }
}

/// Both sides.
pub(crate) struct Input<'a> {
    pub(crate) keys: &'a Keys,
    /// By key: the function that represents it, after renames.
    pub(crate) canonical: Vec<KeyId>,
    /// Base first.
    pub(crate) runs: Vec<RunOfStacks<'a>>,
    /// By key: the part of the program.
    pub(crate) subsystems: Vec<&'a str>,
    /// The cost of an operation, if operations are known.
    pub(crate) cost: Option<&'a Cost>,
    pub(crate) noise: NoiseSettings,
}

impl Input<'_> {
    /// The functions of a stack, root first.
    pub(super) fn functions<'s>(
        &'s self,
        run: &'s RunOfStacks<'_>,
        stack: StackId,
    ) -> impl Iterator<Item = KeyId> + 's {
        let levels = run.stacks.get(stack).iter();
        levels.map(|level| self.canonical(level.key))
    }

    /// The function that represents another one, after renames.
    pub(super) fn canonical(&self, key: KeyId) -> KeyId {
        self.canonical.get(key.0 as usize).copied().unwrap_or(key)
    }
}

/// Weight and number of samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Amount {
    pub(crate) weight: u64,
    pub(crate) samples: u64,
}

impl Amount {
    /// The sums of cells, by stack.
    pub(crate) fn of_stacks(stacks: usize, cells: &[Cell]) -> Vec<Self> {
        let mut amounts = vec![Self::default(); stacks];
        for cell in cells {
            if let Some(amount) = amounts.get_mut(cell.stack.index()) {
                amount.add(Self { weight: cell.weight.0, samples: u64::from(cell.samples) });
            }
        }
        amounts
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.weight = self.weight.saturating_add(other.weight);
        self.samples = self.samples.saturating_add(other.samples);
    }
}
