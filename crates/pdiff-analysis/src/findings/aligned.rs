//! Both sides' stacks aligned at the functions that both sides ran, so that a picture of them is not torn by a caller that
//! one side inserted, a rename, a split or a change of inlining.
//!
//! A stack is drawn below the anchors that its deepest anchor has on both sides ([`AnchorTree`]), then by the functions
//! that both sides ran. Functions that only one side ran are left out if their callees have a counterpart on the other
//! side; otherwise they are separate code, and stay.
//!
//! Cost: unique stacks x depth.

use pdiff_profile::{PerSide, StackId};
use rustc_hash::FxHashMap;

use super::anchors::Anchors;
use super::code::CodeKinds;
use super::input::{Amount, Input};
use super::stacks::{Stack, Stacks};
use super::tree::AnchorTree;
use crate::normalize::KeyId;

/// Samples that each side must have of a function that both sides ran.
const LEAST_SAMPLES: u64 = 5;

/// The shares of two places that are each other's like differ by this factor at most.
const LEAST_RATIO: f64 = 0.25;

/// The stacks of all runs as they are drawn.
#[derive(Debug)]
pub(crate) struct AlignedStacks {
    paths: Vec<Box<[KeyId]>>,
    of_runs: Vec<Vec<Option<u32>>>,
}

/// A function that both sides ran, and what one side alone has above it.
struct Step {
    key: KeyId,
    left_out: Vec<KeyId>,
}

/// A stack before it is known what is left out.
struct Draft {
    steps: Vec<Step>,
    /// The end of the stack that only one side has.
    end: Vec<KeyId>,
}

impl AlignedStacks {
    pub(crate) fn new(input: &Input<'_>) -> Self {
        let codes = CodeKinds::new(input);
        let stacks = Stacks::new(input, &codes);
        let anchors = Anchors::find(input.keys, &stacks, &codes);
        let tree = AnchorTree::new(&stacks, &anchors);
        let drafter = Drafter { anchors: &anchors, tree: &tree, shared: shared_functions(&stacks) };
        let drafts: Vec<Draft> = stacks.iter().map(|stack| drafter.draft(&stack)).collect();
        let places = Places::new(&stacks, &drafts);
        let paths = drafts.iter().map(|draft| places.path(draft)).collect();
        Self { paths, of_runs: stacks.of_runs }
    }

    /// The functions of a run's stack as they are drawn, root first.
    pub(crate) fn path(&self, run: usize, stack: StackId) -> Option<&[KeyId]> {
        let distinct = self.of_runs.get(run)?.get(stack.index()).copied().flatten()?;
        self.paths.get(distinct as usize).map(|path| &**path)
    }
}

/// The functions that both sides have samples of, of whatever code.
fn shared_functions(stacks: &Stacks) -> FxHashMap<KeyId, bool> {
    let mut sums: FxHashMap<KeyId, PerSide<Amount>> = FxHashMap::default();
    let mut last: FxHashMap<KeyId, usize> = FxHashMap::default();
    for (number, stack) in stacks.iter().enumerate() {
        for key in stack.functions.iter() {
            if last.insert(*key, number) != Some(number) {
                let sum = sums.entry(*key).or_default();
                sum.update(stack.amounts, Amount::add);
            }
        }
    }
    let is_shared = |amounts: PerSide<Amount>| amounts.values().all(|amount| amount.samples >= LEAST_SAMPLES);
    sums.into_iter().map(|(key, amounts)| (key, is_shared(amounts))).collect()
}

struct Drafter<'a> {
    anchors: &'a Anchors,
    tree: &'a AnchorTree,
    shared: FxHashMap<KeyId, bool>,
}

impl Drafter<'_> {
    fn draft(&self, stack: &Stack<'_>) -> Draft {
        let (chain, from) = self.chain(stack.before_interrupt());
        let mut draft = Draft { steps: Vec::new(), end: Vec::new() };
        draft.steps.extend(chain.into_iter().map(|key| Step { key, left_out: Vec::new() }));
        for key in stack.functions.iter().skip(from).copied() {
            if self.shared.get(&key).copied().unwrap_or(false) {
                let left_out = std::mem::take(&mut draft.end);
                draft.steps.push(Step { key, left_out });
            } else {
                draft.end.push(key);
            }
        }
        draft
    }

    /// The anchors above the deepest one and itself, root first, and how much of the stack they represent. What helpers
    /// call is drawn where it is.
    fn chain(&self, functions: &[KeyId]) -> (Vec<KeyId>, usize) {
        let found =
            functions.iter().enumerate().filter_map(|(at, key)| Some((at, self.anchors.number(*key)?)));
        let owned = found.take_while(|(_, anchor)| !self.tree.is_helper(*anchor));
        let Some((at, deepest)) = owned.max_by_key(|(at, anchor)| (self.tree.depth(*anchor), *at)) else {
            return (Vec::new(), 0);
        };
        let above = std::iter::successors(Some(deepest), |anchor| self.tree.parent(*anchor));
        let mut chain: Vec<KeyId> = above.map(|anchor| self.anchors.key(anchor)).collect();
        chain.reverse();
        (chain, at + 1)
    }
}

/// Where drafts lead: each beginning once, with the share that each side has of it.
struct Places {
    ids: FxHashMap<(usize, KeyId), usize>,
    shares: Vec<PerSide<f64>>,
    /// By place and the first function left out below it.
    left_out: FxHashMap<(usize, KeyId), LeftOut>,
}

/// The share of both sides that a way through functions left out has.
#[derive(Clone, Copy, Default)]
struct LeftOut {
    /// What has a like on the other side.
    like: f64,
    all: f64,
}

const ROOT: usize = 0;

impl Places {
    fn new(stacks: &Stacks, drafts: &[Draft]) -> Self {
        let totals = stacks.totals().map(|total| total.weight.max(1) as f64);
        let shares_of =
            |stack: &Stack<'_>| stack.amounts.zip(totals).map(|(amount, total)| amount.weight as f64 / total);
        let mut places = Self {
            ids: FxHashMap::default(),
            shares: vec![PerSide::default()],
            left_out: FxHashMap::default(),
        };
        for (stack, draft) in stacks.iter().zip(drafts) {
            let shares = shares_of(&stack);
            let mut at = ROOT;
            for step in &draft.steps {
                let next = places.shares.len();
                at = *places.ids.entry((at, step.key)).or_insert(next);
                if at == next {
                    places.shares.push(PerSide::default());
                }
                places.shares[at].update(shares, |sum, share| *sum += share);
            }
        }
        for (stack, draft) in stacks.iter().zip(drafts) {
            let share: f64 = shares_of(&stack).values().sum();
            let mut at = ROOT;
            for step in &draft.steps {
                let below = places.ids[&(at, step.key)];
                if let Some(first) = step.left_out.first() {
                    let has_like = places.has_like(below);
                    let sums = places.left_out.entry((at, *first)).or_default();
                    sums.like += if has_like { share } else { 0.0 };
                    sums.all += share;
                }
                at = below;
            }
        }
        places
    }

    fn has_like(&self, place: usize) -> bool {
        let PerSide { before, after } = self.shares[place];
        before.min(after) >= LEAST_RATIO * before.max(after)
    }

    fn path(&self, draft: &Draft) -> Box<[KeyId]> {
        let mut path = Vec::new();
        let mut at = ROOT;
        for step in &draft.steps {
            if let Some(first) = step.left_out.first() {
                let LeftOut { like, all } = self.left_out.get(&(at, *first)).copied().unwrap_or_default();
                if like < all / 2.0 {
                    path.extend(&step.left_out);
                }
            }
            path.push(step.key);
            at = self.ids.get(&(at, step.key)).copied().unwrap_or(ROOT);
        }
        path.extend(&draft.end);
        path.into()
    }
}
