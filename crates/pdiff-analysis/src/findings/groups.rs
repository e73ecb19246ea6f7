//! The places as a tree with weights, from which findings are tested and picked.
//!
//! Only places whose weight on both sides together passes a floor are nodes; lighter ones count with the place above them.
//! The nodes are chosen here, by pooled weight, before any test.

use pdiff_profile::{PerSide, Side};
use rustc_hash::FxHashMap;

use super::anchors::AnchorId;
use super::input::{Amount, Input};
use super::places::{Place, Places};
use super::stacks::Stacks;
use super::tree::AnchorTree;
use crate::noise::{RowRun, RunBlocks};

/// The least share of a node, averaged over both sides' samples: half the least change that is reported, because the change
/// may be on one side only.
const LEAST_SHARE: f64 = 0.0005;

/// The most nodes; the heaviest stay.
const MOST_NODES: usize = 1024;

/// A place that is heavy enough to be tested.
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// Its parent leads to it by way of a function that leads to many.
    pub(super) is_across_helper: bool,
    /// Of the place and light ones below it, on each side.
    pub(super) own: PerSide<Amount>,
    /// Of all below it, too.
    pub(super) all: PerSide<Amount>,
}

/// The nodes, parents before children, and what each run has of them.
pub(super) struct Groups {
    pub(super) nodes: Vec<Node>,
    /// By distinct stack: its node; `None` for places too light to be tested that lie below none.
    pub(super) of_stacks: Vec<Option<usize>>,
    pub(super) totals: PerSide<Amount>,
    runs: Vec<RunWeights>,
}

/// The weights of nodes in one run: by node, then by block.
pub(super) struct RunWeights {
    side: Side,
    host: Option<u32>,
    blocks: usize,
    weights: Vec<f64>,
    samples: Vec<u64>,
    denominator: Vec<f64>,
    denominator_samples: u64,
}

impl Groups {
    pub(super) fn new(
        input: &Input<'_>,
        stacks: &Stacks,
        places: &Places,
        tree: &AnchorTree,
        anchor_count: usize,
    ) -> Self {
        let totals = stacks.totals();
        let all = AllPlaces::new(stacks, places, tree, anchor_count);
        let kept = all.kept(totals);
        let mut nodes: Vec<Node> = kept
            .iter()
            .map(|at| Node {
                place: all.places[*at],
                parent: None,
                children: Vec::new(),
                is_across_helper: match all.places[*at] {
                    Place::Anchor(anchor) => tree.is_across_helper(anchor.index()),
                    _ => false,
                },
                own: Default::default(),
                all: Default::default(),
            })
            .collect();
        let number: FxHashMap<usize, usize> = kept.iter().enumerate().map(|(node, at)| (*at, node)).collect();
        for (node, at) in kept.iter().enumerate() {
            if let Some(parent) = all.parents[*at].and_then(|parent| number.get(&parent)) {
                nodes[node].parent = Some(*parent);
                nodes[*parent].children.push(node);
            }
        }
        let of_places: Vec<Option<usize>> =
            (0..all.places.len()).map(|at| all.nearest(at, &number)).collect();
        let of_stacks: Vec<Option<usize>> =
            places.of_stacks.iter().map(|place| of_places[all.number(*place)]).collect();
        for (stack, node) in stacks.iter().zip(&of_stacks) {
            let mut at = *node;
            if let Some(node) = at {
                nodes[node].own.update(stack.amounts, Amount::add);
            }
            while let Some(node) = at {
                nodes[node].all.update(stack.amounts, Amount::add);
                at = nodes[node].parent;
            }
        }
        let runs = input.runs.iter().zip(&stacks.of_runs);
        let runs = runs.map(|(run, of_run)| {
            let weights =
                RunWeights::new(run.side, run.cells, |stack| of_stacks[of_run[stack]? as usize], nodes.len());
            RunWeights { host: run.host, ..weights }
        });
        Self { runs: runs.collect(), nodes, of_stacks, totals }
    }

    /// A node and all below it.
    pub(super) fn below(&self, node: usize) -> Vec<usize> {
        let mut found = vec![node];
        let mut at = 0;
        while let Some(next) = found.get(at) {
            found.extend(&self.nodes[*next].children);
            at += 1;
        }
        found
    }

    /// Whether a node is another one or lies below it.
    pub(super) fn is_below(&self, node: usize, of: usize) -> bool {
        let mut at = Some(node);
        while let Some(here) = at.filter(|here| *here != of) {
            at = self.nodes[here].parent;
        }
        at.is_some()
    }

    /// Each side's own weight of some nodes.
    pub(super) fn amounts(&self, nodes: &[usize]) -> PerSide<Amount> {
        let mut sums = PerSide::<Amount>::default();
        for node in nodes {
            sums.update(self.nodes[*node].own, Amount::add);
        }
        sums
    }

    /// The own weights of some nodes in one side's runs, in the form that the noise stage needs.
    pub(super) fn row_runs(&self, nodes: &[usize], side: Side) -> Vec<RowRun> {
        self.runs.iter().filter(|run| run.side == side).map(|run| run.row(nodes)).collect()
    }

    /// The denominator of one side's runs.
    pub(super) fn denominators(&self, side: Side) -> Vec<RunBlocks> {
        let mine = self.runs.iter().filter(|run| run.side == side);
        let blocks = |run: &RunWeights| RunBlocks {
            host: run.host,
            ..RunBlocks::from_blocks(&run.denominator, run.denominator_samples)
        };
        mine.map(blocks).collect()
    }
}

impl RunWeights {
    pub(super) fn new(
        side: Side,
        cells: &[pdiff_profile::Cell],
        node_of: impl Fn(usize) -> Option<usize>,
        nodes: usize,
    ) -> Self {
        let blocks = cells.chunk_by(|a, b| a.block == b.block).count();
        let mut run = Self {
            side,
            host: None,
            blocks,
            weights: vec![0.0; nodes * blocks],
            samples: vec![0; nodes],
            denominator: vec![0.0; blocks],
            denominator_samples: 0,
        };
        for (block, cells) in cells.chunk_by(|a, b| a.block == b.block).enumerate() {
            for cell in cells {
                run.denominator[block] += cell.weight.as_f64();
                run.denominator_samples += u64::from(cell.samples);
                if let Some(node) = node_of(cell.stack.index()) {
                    run.weights[node * blocks + block] += cell.weight.as_f64();
                    run.samples[node] += u64::from(cell.samples);
                }
            }
        }
        run
    }

    pub(super) fn row(&self, nodes: &[usize]) -> RowRun {
        let mut weights = vec![0.0; self.blocks];
        for node in nodes {
            let own = self.weights.get(node * self.blocks..(node + 1) * self.blocks).unwrap_or(&[]);
            weights.iter_mut().zip(own).for_each(|(sum, weight)| *sum += weight);
        }
        let samples = nodes.iter().map(|node| self.samples[*node]).sum();
        RowRun::from_blocks(&weights, &self.denominator, samples)
    }
}

/// All places that stacks have, and the anchors above them.
struct AllPlaces {
    places: Vec<Place>,
    /// How many of them are anchors, which stand first, by number. The others are sorted.
    anchors: usize,
    parents: Vec<Option<usize>>,
    /// Of the place and all below it, on each side.
    weights: Vec<PerSide<u64>>,
}

impl AllPlaces {
    fn new(stacks: &Stacks, places: &Places, tree: &AnchorTree, anchor_count: usize) -> Self {
        let mut all: Vec<Place> =
            (0..anchor_count).map(|anchor| Place::Anchor(AnchorId::new(anchor))).collect();
        let mut others: Vec<Place> =
            places.of_stacks.iter().copied().filter(|place| !matches!(place, Place::Anchor(_))).collect();
        others.sort_unstable();
        others.dedup();
        all.append(&mut others);
        let parents = all.iter().map(|place| match place {
            Place::Anchor(anchor) => tree.parent(anchor.index()),
            place => place.anchor().map(AnchorId::index),
        });
        let parents: Vec<Option<usize>> = parents.collect();
        let weights = vec![PerSide::default(); all.len()];
        let mut all = Self { places: all, anchors: anchor_count, parents, weights };
        for (stack, place) in stacks.iter().zip(&places.of_stacks) {
            let mut at = Some(all.number(*place));
            while let Some(here) = at {
                let of_stack = stack.amounts.map(|amount| amount.weight);
                all.weights[here].update(of_stack, |sum, weight| *sum = sum.saturating_add(weight));
                at = all.parents[here];
            }
        }
        all
    }

    /// The number of a place that stacks have.
    fn number(&self, place: Place) -> usize {
        match place {
            Place::Anchor(anchor) => anchor.index(),
            place => self.anchors + self.places[self.anchors..].partition_point(|other| *other < place),
        }
    }

    /// The places that become nodes, each after its parent.
    fn kept(&self, totals: PerSide<Amount>) -> Vec<usize> {
        let share = |at: usize| {
            let shares = self.weights[at].zip(totals);
            let half = |(weight, total): &(u64, Amount)| 0.5 * *weight as f64 / total.weight.max(1) as f64;
            shares.values().map(half).sum::<f64>()
        };
        let mut heavy: Vec<usize> = (0..self.places.len()).filter(|at| share(*at) >= LEAST_SHARE).collect();
        heavy.sort_by(|a, b| share(*b).total_cmp(&share(*a)).then(a.cmp(b)));
        heavy.truncate(MOST_NODES);
        let depth = |mut at: usize| {
            let mut depth = 0;
            while let Some(parent) = self.parents[at] {
                (at, depth) = (parent, depth + 1);
            }
            depth
        };
        heavy.sort_by_key(|at| (depth(*at), *at));
        heavy
    }

    /// The node of a place, or of what it lies below.
    fn nearest(&self, at: usize, number: &FxHashMap<usize, usize>) -> Option<usize> {
        let mut at = Some(at);
        while let Some(here) = at {
            if let Some(node) = number.get(&here) {
                return Some(*node);
            }
            at = self.parents[here];
        }
        None
    }
}
