//! The tree as it is shown: narrow and deep frames pruned and counted, the others in order.

use pdiff_profile::PerSide;
use rustc_hash::FxHashMap;

use super::grow::{FrameKey, Grown, GrownNode, ROOT};
use super::{Align, CallTree, FrameWeight, TreeFrame, TreeFunction, TreeNode, TreeSettings};
use crate::compare::prepare::Prepared;

/// By grown frame: its place in [`CallTree::nodes`], or that of the pruned frames that it belongs to.
pub(super) type Places = Vec<u32>;

pub(super) fn prune(grown: &Grown, prepared: &Prepared<'_>, settings: &TreeSettings) -> (CallTree, Places) {
    let least = grown.side_weights.map(|weight| settings.min_width_pct / 100.0 * weight as f64);
    let is_kept = |node: &GrownNode| {
        let sides = node.total_weight.zip(least);
        let wide = sides.values().any(|(weight, least)| *weight > 0 && *weight as f64 >= *least);
        wide && settings.max_depth.is_none_or(|max| node.depth <= max)
    };
    let kept = kept_in_order(grown, &Order::new(grown, prepared), is_kept);
    let siblings = kept.chunk_by(|a, b| parent_of(grown, *a) == parent_of(grown, *b));
    let children: FxHashMap<u32, &[u32]> =
        siblings.filter_map(|of_one| Some((parent_of(grown, *of_one.first()?), of_one))).collect();
    let rests = rests(grown, is_kept);
    let mut tree = CallTree {
        nodes: Vec::with_capacity(kept.len() + 1),
        functions: Vec::new(),
        subsystems: grown.subsystems.clone(),
        side_weights: grown.side_weights,
        align: if settings.reverse { Align::Exact } else { settings.align },
    };
    let mut functions = Functions { ids: FxHashMap::default() };
    let mut places = vec![u32::MAX; grown.nodes.len()];
    let mut rest_places: FxHashMap<u32, u32> = FxHashMap::default();
    let mut waiting = vec![Waiting::Frame(ROOT)];
    while let Some(next) = waiting.pop() {
        let place = tree.nodes.len() as u32;
        match next {
            Waiting::Frame(id) => {
                let node = &grown.nodes[id as usize];
                places[id as usize] = place;
                let frame = match node.key {
                    None => TreeFrame::Root,
                    Some(FrameKey::Subsystem(index)) => TreeFrame::Subsystem(index as usize),
                    Some(FrameKey::Function(key)) => {
                        TreeFrame::Function(functions.id((key, grown), &mut tree.functions, prepared))
                    }
                };
                let parent = (id != ROOT).then(|| places[node.parent as usize] as usize);
                tree.nodes.push(shown(node, parent, frame));
                // The last one pushed comes first.
                waiting.extend(rests.contains_key(&id).then_some(Waiting::Rest(id)));
                let of_node = children.get(&id).copied().unwrap_or(&[]);
                waiting.extend(of_node.iter().rev().map(|child| Waiting::Frame(*child)));
            }
            Waiting::Rest(of) => {
                rest_places.insert(of, place);
                let parent = places[of as usize] as usize;
                tree.nodes.push(pruned(rests[&of], parent, grown.nodes[of as usize].depth + 1));
            }
        }
    }
    place_pruned(grown, &mut places, &rest_places, is_kept);
    (tree, places)
}

fn shown(node: &GrownNode, parent: Option<usize>, frame: TreeFrame) -> TreeNode {
    let PerSide { before, after } = PerSide::from_fn(|side| FrameWeight {
        self_weight: node.self_weight[side],
        total_weight: node.total_weight[side],
    });
    TreeNode { parent, depth: node.depth, frame, before, after, changes: None }
}

fn pruned(rest: Rest, parent: usize, depth: u32) -> TreeNode {
    let PerSide { before, after } =
        rest.weight.map(|weight| FrameWeight { self_weight: weight, total_weight: weight });
    let frame = TreeFrame::Pruned { frames: rest.frames };
    TreeNode { parent: Some(parent), depth, frame, before, after, changes: None }
}

/// The kept frames, siblings together and in order.
fn kept_in_order(grown: &Grown, order: &Order, is_kept: impl Fn(&GrownNode) -> bool) -> Vec<u32> {
    let mut kept: Vec<u32> =
        (1..grown.nodes.len() as u32).filter(|id| is_kept(&grown.nodes[*id as usize])).collect();
    let rank = |id: u32| grown.nodes[id as usize].key.map_or(0, |key| order.rank(key));
    kept.sort_unstable_by_key(|id| (parent_of(grown, *id), rank(*id)));
    kept
}

fn parent_of(grown: &Grown, id: u32) -> u32 {
    grown.nodes[id as usize].parent
}

/// Gives pruned frames the place of what was pruned from the shown frame above them.
fn place_pruned(
    grown: &Grown,
    places: &mut Places,
    rest_places: &FxHashMap<u32, u32>,
    is_kept: impl Fn(&GrownNode) -> bool,
) {
    for id in 1..grown.nodes.len() {
        if places[id] == u32::MAX {
            let parent = grown.nodes[id].parent;
            // A pruned frame's parent is kept, or has its place already: numbers grow from the root.
            let of_parent = places[parent as usize];
            places[id] = rest_places
                .get(&parent)
                .copied()
                .filter(|_| is_shown(grown, parent, &is_kept))
                .unwrap_or(of_parent);
        }
    }
}

fn is_shown(grown: &Grown, id: u32, is_kept: impl Fn(&GrownNode) -> bool) -> bool {
    id == ROOT || is_kept(&grown.nodes[id as usize])
}

enum Waiting {
    Frame(u32),
    /// The frames pruned from this frame.
    Rest(u32),
}

/// The frames pruned from one frame.
#[derive(Clone, Copy, Default)]
struct Rest {
    frames: u64,
    weight: PerSide<u64>,
}

/// By shown frame: what was pruned from it.
fn rests(grown: &Grown, is_kept: impl Fn(&GrownNode) -> bool) -> FxHashMap<u32, Rest> {
    let mut rests: FxHashMap<u32, Rest> = FxHashMap::default();
    // Number of the shown frame that a pruned one was pruned from, by grown frame.
    let mut pruned_from = vec![u32::MAX; grown.nodes.len()];
    for (id, node) in (0_u32..).zip(&grown.nodes).skip(1).filter(|(_, node)| !is_kept(node)) {
        let above = pruned_from[node.parent as usize];
        let is_outermost = above == u32::MAX;
        let from = if is_outermost { node.parent } else { above };
        pruned_from[id as usize] = from;
        let rest = rests.entry(from).or_default();
        rest.frames += 1;
        if is_outermost {
            rest.weight.update(node.total_weight, |sum, weight| *sum = sum.saturating_add(weight));
        }
    }
    rests
}

/// The functions that frames represent, numbered in order of the tree.
struct Functions {
    ids: FxHashMap<crate::normalize::KeyId, usize>,
}

impl Functions {
    fn id(
        &mut self,
        (key, grown): (crate::normalize::KeyId, &Grown),
        functions: &mut Vec<TreeFunction>,
        prepared: &Prepared<'_>,
    ) -> usize {
        *self.ids.entry(key).or_insert_with(|| {
            let named = prepared.keys.get(key);
            functions.push(TreeFunction {
                name: named.name.to_string(),
                object: named.object.to_string(),
                subsystem: prepared.facts.subsystem(key).to_owned(),
                ran: grown.ran.get(key.0 as usize).copied().unwrap_or_default(),
            });
            functions.len() - 1
        })
    }
}

/// The order of siblings: by name, then object and file.
struct Order {
    functions: Vec<u32>,
    subsystems: Vec<u32>,
}

impl Order {
    fn new(grown: &Grown, prepared: &Prepared<'_>) -> Self {
        let names: Vec<(&str, &str, Option<&str>)> =
            prepared.keys.iter().map(|(_, key)| (&*key.name, &*key.object, key.file())).collect();
        Self { functions: ranks(&names), subsystems: ranks(&grown.subsystems) }
    }

    fn rank(&self, key: FrameKey) -> u32 {
        match key {
            FrameKey::Function(key) => self.functions[key.0 as usize],
            FrameKey::Subsystem(index) => self.subsystems[index as usize],
        }
    }
}

/// The place of each value among the sorted ones.
fn ranks<T: Ord>(values: &[T]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_unstable_by(|a, b| values[*a as usize].cmp(&values[*b as usize]));
    let mut ranks = vec![0; values.len()];
    for (rank, index) in (0_u32..).zip(order) {
        ranks[index as usize] = rank;
    }
    ranks
}
