//! The anchors as a tree: which of them a function's work belongs to on both sides.
//!
//! The parent of an anchor is the lightest anchor above it in nearly all of its weight on each side. Stacks of both sides
//! are drawn along this tree, so a wrapper that one side has, a rename, a split or a change of inlining moves nothing
//! that lies below it.
//!
//! Stacks are first reduced to their anchors, each once; equal beginnings are counted once (a trie). Cost: nodes of the
//! trie x depth.

use pdiff_profile::PerSide;
use rustc_hash::{FxHashMap, FxHashSet};

use super::anchors::Anchors;
use super::stacks::Stacks;

/// The part of an anchor's weight that a parent must be above, on each side. Chains lose frames, so not all of it.
const PARENT_PART: f64 = 0.8;

/// A function belongs to an anchor if at least this part of its weight comes from calls below that anchor. If no anchor has so
/// much of it, the function is a helper of all of them.
const OWNED_PART: f64 = 0.5;

/// A function's work below one caller counts for that caller if the function's share there changed by this factor, ...
const CALLER_FACTOR: f64 = 2.0;

/// ... its share below all others together by no more than this one, ...
const OTHERS_FACTOR: f64 = 1.25;

/// ... each side has this part at least there, because a path that is new or gone is often the same work by another way, ...
const LEAST_OF_CALLER: f64 = 0.001;

/// ... and other callers changed the other way by no more than this part of it: calls that moved from one to another are no change.
const MOST_CANCELLED: f64 = 0.25;

/// Anchors with their parents.
pub(super) struct AnchorTree {
    parents: Vec<Option<usize>>,
    depths: Vec<u32>,
    is_helper: Vec<bool>,
    /// Whether a helper stands between it and its parent in most of its weight.
    is_across_helper: Vec<bool>,
    /// Callers and functions whose work below that caller is the caller's.
    of_caller: FxHashSet<(usize, usize)>,
}

/// A node of the trie of anchor paths, of which many different stacks make many.
struct PathNode {
    anchor: u32,
    /// The number of its parent, plus one; 0 for none.
    parent: u32,
    weights: PerSide<u64>,
}

impl PathNode {
    fn anchor(&self) -> usize {
        self.anchor as usize
    }

    fn parent(&self) -> Option<usize> {
        self.parent.checked_sub(1).map(|parent| parent as usize)
    }
}

impl AnchorTree {
    pub(super) fn new(stacks: &Stacks, anchors: &Anchors) -> Self {
        let totals = stacks.totals();
        let trie = trie(stacks, anchors);
        let mut by_anchor: Vec<Vec<u32>> = vec![Vec::new(); anchors.len()];
        for (node, path) in (0..).zip(&trie) {
            by_anchor[path.anchor()].push(node);
        }
        let shares = |weights: PerSide<u64>| {
            weights.zip(totals).map(|(weight, total)| weight as f64 / total.weight.max(1) as f64)
        };
        let share = |weights: PerSide<u64>| -> f64 { shares(weights).values().sum() };
        let weight = |anchor: usize| share(anchors.amounts(anchor).map(|amount| amount.weight));
        // Lightest first, so that a cycle is cut at its heavier end.
        let mut order: Vec<usize> = (0..anchors.len()).collect();
        order.sort_by(|a, b| weight(*a).total_cmp(&weight(*b)).then(a.cmp(b)));
        let mut rank = vec![0; anchors.len()];
        order.iter().enumerate().for_each(|(at, anchor)| rank[*anchor] = at);
        let mut tree = Self {
            parents: vec![None; anchors.len()],
            depths: vec![0; anchors.len()],
            is_helper: vec![false; anchors.len()],
            is_across_helper: vec![false; anchors.len()],
            of_caller: FxHashSet::default(),
        };
        let mut above = Above::new(anchors.len());
        let mut has_owner = vec![false; anchors.len()];
        for anchor in &order {
            above.fill(&trie, &by_anchor[*anchor]);
            let own = anchors.amounts(*anchor).map(|amount| amount.weight);
            let stands_above = |other: &usize, part: f64| {
                let weights = above.weights[*other].zip(own);
                weights.values().all(|(weight, own)| *weight as f64 >= part * *own as f64)
            };
            has_owner[*anchor] = above.touched.iter().any(|other| stands_above(other, OWNED_PART));
            let mut candidates: Vec<usize> = above.touched.clone();
            candidates.retain(|other| stands_above(other, PARENT_PART));
            candidates.sort_by_key(|other| rank[*other]);
            tree.parents[*anchor] = candidates.into_iter().find(|other| !tree.is_below(*other, *anchor));
        }
        tree.find_helpers(&trie, &by_anchor, &has_owner, shares);
        tree.find_across_helpers(&trie, &by_anchor, share);
        tree.set_depths();
        tree
    }

    /// Whether an anchor is another one or is below it.
    pub(super) fn is_below(&self, anchor: usize, of: usize) -> bool {
        let mut at = Some(anchor);
        while let Some(here) = at {
            if here == of {
                return true;
            }
            at = self.parents[here];
        }
        false
    }

    pub(super) fn parent(&self, anchor: usize) -> Option<usize> {
        self.parents[anchor]
    }

    /// The anchors that it is below, nearest first.
    pub(super) fn owners(&self, anchor: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parents[anchor], |at| self.parents[*at])
    }

    /// How many anchors are between it and a root.
    pub(super) fn depth(&self, anchor: usize) -> u32 {
        self.depths[anchor]
    }

    /// Whether no caller has half of it.
    pub(super) fn is_helper(&self, anchor: usize) -> bool {
        self.is_helper[anchor]
    }

    /// Whether its parent leads to it by way of a helper, that leads to many.
    pub(super) fn is_across_helper(&self, anchor: usize) -> bool {
        self.is_across_helper[anchor]
    }

    /// Whether a function's work below this caller is the caller's: that one alone calls it much more or much less.
    pub(super) fn is_of_caller(&self, caller: usize, function: usize) -> bool {
        self.of_caller.contains(&(caller, function))
    }

    /// Whether there is any such function.
    pub(super) fn has_any_of_caller(&self) -> bool {
        !self.of_caller.is_empty()
    }

    /// A function without one caller that has half of it is a helper, and is below nobody. So does one that a side calls
    /// from elsewhere than the other (`has_owner` is false): its work moved, and is not work of the new caller. Calls that one caller
    /// alone changed are found here, too.
    fn find_helpers(
        &mut self,
        trie: &[PathNode],
        by_anchor: &[Vec<u32>],
        has_owner: &[bool],
        shares: impl Fn(PerSide<u64>) -> PerSide<f64>,
    ) {
        for (anchor, nodes) in by_anchor.iter().enumerate() {
            let mut callers: FxHashMap<usize, PerSide<u64>> = FxHashMap::default();
            let (mut all, mut called) = (PerSide::default(), PerSide::default());
            for node in nodes {
                let path = &trie[*node as usize];
                add(&mut all, path.weights);
                if let Some(caller) = path.parent() {
                    add(&mut called, path.weights);
                    add(callers.entry(trie[caller].anchor()).or_default(), path.weights);
                }
            }
            let share = |weights: PerSide<u64>| -> f64 { shares(weights).values().sum() };
            let (total, of_callers) = (share(all), share(called));
            let most = callers.values().map(|weights| share(*weights)).fold(0.0, f64::max);
            let is_shared = of_callers > OWNED_PART * total && most < OWNED_PART * total;
            let is_called = |(all, called): &(u64, u64)| *called as f64 > OWNED_PART * *all as f64;
            let has_moved = !has_owner[anchor] && all.zip(called).values().any(is_called);
            self.is_helper[anchor] = is_shared || has_moved;
            let callers: Vec<(usize, PerSide<f64>)> =
                callers.into_iter().map(|(caller, weights)| (caller, shares(weights))).collect();
            let changed = caller_that_changed(&callers, shares(all));
            self.of_caller.extend(
                changed.filter(|caller| !self.is_below(anchor, *caller)).map(|caller| (caller, anchor)),
            );
        }
        for anchor in 0..self.parents.len() {
            if self.is_helper[anchor] {
                self.parents[anchor] = None;
            }
        }
    }

    /// Finds the anchors that their parents reach through helpers.
    fn find_across_helpers(
        &mut self,
        trie: &[PathNode],
        by_anchor: &[Vec<u32>],
        share: impl Fn(PerSide<u64>) -> f64,
    ) {
        for (anchor, nodes) in by_anchor.iter().enumerate() {
            let Some(parent) = self.parents[anchor] else { continue };
            let (mut all, mut across) = (PerSide::default(), PerSide::default());
            for path in nodes.iter().map(|node| &trie[*node as usize]) {
                let above = std::iter::successors(path.parent(), |at| trie[*at].parent());
                let between = above.map(|at| trie[at].anchor()).take_while(|above| *above != parent);
                add(&mut all, path.weights);
                if between.into_iter().any(|above| self.is_helper[above]) {
                    add(&mut across, path.weights);
                }
            }
            self.is_across_helper[anchor] = share(across) > OWNED_PART * share(all);
        }
    }

    fn set_depths(&mut self) {
        for anchor in 0..self.parents.len() {
            let mut depth = 0;
            let mut at = self.parents[anchor];
            while let Some(parent) = at {
                depth += 1;
                at = self.parents[parent];
            }
            self.depths[anchor] = depth;
        }
    }
}

/// The one caller that calls a function much more or much less, from the function's share below each caller and in all. What all
/// others have of it tells what was to be expected.
fn caller_that_changed(callers: &[(usize, PerSide<f64>)], all: PerSide<f64>) -> Option<usize> {
    let change = |shares: PerSide<f64>| shares.after - shares.before;
    let (caller, shares) = callers
        .iter()
        .max_by(|a, b| change(a.1).abs().total_cmp(&change(b.1).abs()).then(b.0.cmp(&a.0)))
        .copied()?;
    let others = all.zip(shares).map(|(all, of_caller)| all - of_caller);
    let is_like = |shares: PerSide<f64>, factor: f64| {
        shares.before.max(shares.after) <= factor * shares.before.min(shares.after)
    };
    if others.before <= 0.0 || !is_like(others, OTHERS_FACTOR) {
        return None;
    }
    let unchanged = others.after / others.before;
    let expected = |shares: PerSide<f64>| PerSide { before: unchanged * shares.before, ..shares };
    let changed = change(expected(shares));
    let cancelled = |(_, other): &(usize, PerSide<f64>)| {
        let other = change(expected(*other));
        if other * changed < 0.0 { other.abs() } else { 0.0 }
    };
    let is_alone = shares.before.min(shares.after) >= LEAST_OF_CALLER
        && !is_like(shares, CALLER_FACTOR)
        && callers.iter().map(cancelled).sum::<f64>() <= MOST_CANCELLED * changed.abs();
    is_alone.then_some(caller)
}

/// The paths of anchors in stacks, each beginning once; a node's weight is that of all stacks that pass it.
fn trie(stacks: &Stacks, anchors: &Anchors) -> Vec<PathNode> {
    let mut nodes: Vec<PathNode> = Vec::new();
    let mut ids: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut last_stack = vec![usize::MAX; anchors.len()];
    for (number, stack) in stacks.iter().enumerate() {
        let mut parent = 0;
        for anchor in stack.before_interrupt().iter().filter_map(|key| anchors.number(*key)) {
            if std::mem::replace(&mut last_stack[anchor], number) == number {
                continue;
            }
            let anchor = u32::try_from(anchor).expect("functions have numbers of 32 bits");
            let number = *ids.entry((parent, anchor)).or_insert_with(|| {
                nodes.push(PathNode { anchor, parent, weights: PerSide::default() });
                u32::try_from(nodes.len()).expect("fewer than 2^32 paths fit in memory")
            });
            add(&mut nodes[number as usize - 1].weights, stack.amounts.map(|amount| amount.weight));
            parent = number;
        }
    }
    nodes
}

fn add(sums: &mut PerSide<u64>, weights: PerSide<u64>) {
    sums.update(weights, |sum, weight| *sum = sum.saturating_add(weight));
}

/// The weight with which each anchor is above one of them.
struct Above {
    weights: Vec<PerSide<u64>>,
    touched: Vec<usize>,
}

impl Above {
    fn new(anchors: usize) -> Self {
        Self { weights: vec![PerSide::default(); anchors], touched: Vec::new() }
    }

    fn fill(&mut self, trie: &[PathNode], nodes: &[u32]) {
        for anchor in self.touched.drain(..) {
            self.weights[anchor] = PerSide::default();
        }
        for node in nodes {
            let PathNode { weights, .. } = trie[*node as usize];
            let mut at = trie[*node as usize].parent();
            while let Some(above) = at {
                let anchor = trie[above].anchor();
                if self.weights[anchor] == PerSide::default() {
                    self.touched.push(anchor);
                }
                add(&mut self.weights[anchor], weights);
                at = trie[above].parent();
            }
        }
    }
}
