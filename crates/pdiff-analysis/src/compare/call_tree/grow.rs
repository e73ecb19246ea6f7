//! The tree as stacks make it: every frame kept, in order of first sight.

use pdiff_profile::{PerSide, StackId};
use rustc_hash::FxHashMap;

use super::TreeSettings;
use crate::compare::key_facts::KeyFacts;
use crate::compare::matching::Renames;
use crate::compare::prepare::{Prepared, PreparedRun};
use crate::findings::AlignedStacks;
use crate::normalize::KeyId;

/// What a frame represents.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum FrameKey {
    Function(KeyId),
    /// Index into [`Grown::subsystems`].
    Subsystem(u32),
}

/// A frame while the tree grows.
#[derive(Clone, Copy, Debug)]
pub(super) struct GrownNode {
    /// The root is its own parent.
    pub(super) parent: u32,
    /// `None` for the root.
    pub(super) key: Option<FrameKey>,
    pub(super) depth: u32,
    /// By side.
    pub(super) self_weight: PerSide<u64>,
    /// By side.
    pub(super) total_weight: PerSide<u64>,
}

/// Number of the root.
pub(super) const ROOT: u32 = 0;

/// The whole tree. A frame's number is greater than its parent's.
#[derive(Debug)]
pub(super) struct Grown {
    pub(super) nodes: Vec<GrownNode>,
    /// By run and stack: where the stack ends; `None` if it has no weight or is out of focus.
    pub(super) ends: Vec<Vec<Option<u32>>>,
    pub(super) subsystems: Vec<String>,
    /// Weight of each side, in focus or not.
    pub(super) side_weights: PerSide<u64>,
    /// By function: whether each side has samples of it.
    pub(super) ran: Vec<PerSide<bool>>,
}

impl Grown {
    pub(super) fn new(
        prepared: &Prepared<'_>,
        settings: &TreeSettings,
        aligned: Option<&AlignedStacks>,
    ) -> Self {
        let root = GrownNode {
            parent: ROOT,
            key: None,
            depth: 0,
            self_weight: PerSide::default(),
            total_weight: PerSide::default(),
        };
        let tree = Self {
            nodes: vec![root],
            ends: Vec::new(),
            subsystems: Vec::new(),
            side_weights: PerSide::default(),
            ran: vec![PerSide::default(); prepared.keys.iter().count()],
        };
        let in_focus = prepared
            .keys
            .iter()
            .map(|(_, key)| settings.focus.as_ref().is_none_or(|focus| focus.is_match(&key.name)));
        let mut growing = Growing {
            tree,
            children: FxHashMap::default(),
            subsystem_ids: FxHashMap::default(),
            in_focus: in_focus.collect(),
            renames: prepared.renames,
            facts: prepared.facts,
            settings,
            aligned,
        };
        for (number, run) in prepared.runs.iter().enumerate() {
            growing.add_run(number, run);
        }
        let mut tree = growing.tree;
        for index in (1..tree.nodes.len()).rev() {
            let GrownNode { parent, total_weight, .. } = tree.nodes[index];
            let sums = &mut tree.nodes[parent as usize].total_weight;
            sums.update(total_weight, |sum, weight| *sum = sum.saturating_add(weight));
        }
        tree
    }
}

struct Growing<'a> {
    tree: Grown,
    children: FxHashMap<(u32, FrameKey), u32>,
    subsystem_ids: FxHashMap<&'a str, u32>,
    /// By function.
    in_focus: Vec<bool>,
    renames: &'a Renames,
    facts: &'a KeyFacts,
    settings: &'a TreeSettings,
    aligned: Option<&'a AlignedStacks>,
}

impl<'a> Growing<'a> {
    fn add_run(&mut self, number: usize, run: &PreparedRun<'_>) {
        let side = run.side;
        let weights = run.stack_weights();
        let side_weight = &mut self.tree.side_weights[side];
        *side_weight = weights.iter().fold(*side_weight, |sum, weight| sum.saturating_add(*weight));
        let group = self.settings.thread_group.as_deref().map(|group| run.stack_weights_of(group));
        let drawn = group.as_ref().unwrap_or(&weights);
        let mut path = Vec::new();
        let ends = (0_u32..).zip(weights.iter().zip(drawn)).map(|(stack, (all, weight))| {
            if *all == 0 || !self.path((number, run), StackId(stack), &mut path) || *weight == 0 {
                return None;
            }
            let end = path.iter().fold(ROOT, |at, key| self.child(at, *key));
            let node = &mut self.tree.nodes[end as usize];
            for sum in [&mut node.self_weight[side], &mut node.total_weight[side]] {
                *sum = sum.saturating_add(*weight);
            }
            Some(end)
        });
        let ends = ends.collect();
        self.tree.ends.push(ends);
    }

    /// Writes the frames of a stack, root of the tree first; false if it is out of focus.
    fn path(
        &mut self,
        (number, run): (usize, &PreparedRun<'_>),
        stack: StackId,
        path: &mut Vec<FrameKey>,
    ) -> bool {
        path.clear();
        let levels = run.stacks.get(stack);
        for level in levels {
            if let Some(ran) = self.tree.ran.get_mut(self.renames.canonical(level.key).0 as usize) {
                ran[run.side] = true;
            }
        }
        match self.aligned.and_then(|aligned| aligned.path(number, stack)) {
            Some(aligned) => path.extend(aligned.iter().copied().map(FrameKey::Function)),
            None => {
                path.extend(levels.iter().map(|level| FrameKey::Function(self.renames.canonical(level.key))))
            }
        }
        let leaf = levels.len().checked_sub(1).and_then(|at| self.facts.charged(levels, at));
        let leaf = leaf.map(|key| self.renames.canonical(key));
        if self.settings.reverse {
            path.reverse();
        }
        if self.settings.focus.is_some() {
            let is_focus = |key: &FrameKey| match key {
                FrameKey::Function(id) => self.in_focus.get(id.0 as usize).copied().unwrap_or(false),
                FrameKey::Subsystem(_) => false,
            };
            let Some(first) = path.iter().position(is_focus) else { return false };
            path.drain(..first);
        }
        if let Some(leaf) = leaf.filter(|_| self.settings.by_subsystem) {
            let subsystem = self.subsystem(leaf);
            path.insert(0, subsystem);
        }
        true
    }

    fn subsystem(&mut self, leaf: KeyId) -> FrameKey {
        let name = self.facts.subsystem(leaf);
        let known = &mut self.tree.subsystems;
        let id = *self.subsystem_ids.entry(name).or_insert_with(|| {
            known.push(name.to_owned());
            known.len() as u32 - 1
        });
        FrameKey::Subsystem(id)
    }

    fn child(&mut self, parent: u32, key: FrameKey) -> u32 {
        let nodes = &mut self.tree.nodes;
        *self.children.entry((parent, key)).or_insert_with(|| {
            let id = u32::try_from(nodes.len()).expect("fewer than 2^32 frames fit in memory");
            let depth = nodes[parent as usize].depth + 1;
            nodes.push(GrownNode {
                parent,
                key: Some(key),
                depth,
                self_weight: PerSide::default(),
                total_weight: PerSide::default(),
            });
            id
        })
    }
}
