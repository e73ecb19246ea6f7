//! Which nodes become findings: the deepest that changed, netted where changes cancel, with remainders that matter.

use pdiff_profile::PerSide;

use super::groups::Groups;
use super::input::Amount;
use super::judged::{Change, Judge, NodeChanges};
use super::places::Place;

/// A remainder of a node is told when it is so much of the node's change.
const LEAST_REMAINDER: f64 = 0.3;

/// Changes of which less than this is left in sum cancel.
const CANCELS: f64 = 0.3;

/// What changes the other way by so much below a function may be what the function's own code gained or lost.
const TAKEN_BACK: f64 = 0.3;

/// Cancelling changes are netted where they are so much of the node's weight; further up they are two findings.
const NET_PART: f64 = 0.4;

/// The part of a change that a node's own samples must be, so that it is said of the node alone.
const OWN_PART: f64 = 0.5;

/// A node that has more of a side is not a place but a frame around places.
const MOST_OF_A_SIDE: f64 = 0.25;

/// Changes below a node that add up to no more than so much of its own go one way.
const COHERENT: f64 = 1.25;

/// A change that is so much of its caller's is reported by itself.
const STANDS_OUT: f64 = 0.6;

/// A function whose share is no more than so many times the change of its only changed callee is told with it.
const OF_CALLEE: f64 = 3.0;

/// So much of the changes that a list has no room for must lie below one function, so that they are told as its.
const GATHERED_PART: f64 = 0.3;

/// Of the functions that have most of them, the deepest that has so much of what the first one has.
const OF_MOST_GATHERED: f64 = 0.9;

/// Places of a list for changes that it has no room for one by one: what grew, and what shrank.
const GATHERED_SPREADS: usize = 3;

/// How a finding's samples lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// In one place.
    Place,
    /// Over many places below one, none of which changed enough alone.
    Spread,
    /// Smaller places below one that changed each by itself, and in one direction.
    Gathered,
    /// Places that changed in opposite directions: the net of them.
    Net,
    /// In one place that is inlined on one side, and its callers' own.
    WithCallers,
}

/// What becomes a finding.
#[derive(Clone, Debug)]
pub(super) struct Pick {
    pub(super) node: usize,
    pub(super) shape: Shape,
    /// The nodes whose own samples are its.
    pub(super) nodes: Vec<usize>,
    pub(super) change: Change,
}

/// Picks disjoint sets of nodes, children before parents. `flipped` are those of functions whose inlining changed.
pub(super) fn select(
    groups: &Groups,
    judge: &Judge<'_>,
    changes: &NodeChanges,
    flipped: &[bool],
) -> Vec<Pick> {
    let mut below: Vec<Vec<Pick>> = Vec::new();
    below.resize_with(groups.nodes.len(), Vec::new);
    let mut roots = Vec::new();
    for node in (0..groups.nodes.len()).rev() {
        let inner: Vec<Pick> =
            groups.nodes[node].children.iter().flat_map(|child| std::mem::take(&mut below[*child])).collect();
        let picks = Choice { groups, judge, changes, flipped, node }.of(inner);
        match groups.nodes[node].parent {
            Some(_) => below[node] = picks,
            None => roots.extend(picks),
        }
    }
    roots
}

/// The changes for which a list has no room.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Untold {
    pub(super) count: usize,
    /// The sum of their changes without sign, in points.
    pub(super) points: f64,
}

/// Leaves `most` of picks that stand largest first. The last places go, one after the other, to the largest of what is left: what
/// grew below one function as one, what shrank below one function as one, or a single pick; gives what the list leaves
/// out. `change` is how much a pick grew.
pub(super) fn gather(
    groups: &Groups,
    judge: &Judge<'_>,
    picks: &mut Vec<Pick>,
    most: usize,
    change: impl Fn(&Pick) -> f64,
) -> Untold {
    if picks.len() <= most {
        return Untold::default();
    }
    let mut left = picks.split_off(most.saturating_sub(GATHERED_SPREADS));
    for _ in 0..GATHERED_SPREADS {
        let (grew, shrank): (Vec<Pick>, Vec<Pick>) =
            left.iter().cloned().partition(|pick| change(pick) > 0.0);
        let as_one = |one_way: Vec<Pick>| gathered(groups, judge, &one_way, &change);
        let candidates = [grew, shrank].into_iter().filter_map(as_one).chain(left.iter().cloned());
        let largest = |a: &Pick, b: &Pick| change(a).abs().total_cmp(&change(b).abs());
        let Some(told) = candidates.max_by(largest) else { break };
        left.retain(|pick| !pick.nodes.iter().all(|node| told.nodes.contains(node)));
        picks.push(told);
    }
    Untold { count: left.len(), points: left.iter().map(|pick| pick.change.points.abs()).sum() }
}

/// Of picks that go one way, those below the deepest function that holds most of them, as one.
fn gathered(
    groups: &Groups,
    judge: &Judge<'_>,
    left: &[Pick],
    change: impl Fn(&Pick) -> f64,
) -> Option<Pick> {
    let size = |pick: &Pick| change(pick).abs();
    let total: f64 = left.iter().map(size).sum();
    if left.is_empty() {
        return None;
    }
    let held =
        |node: usize| -> f64 { left.iter().filter(|pick| groups.is_below(pick.node, node)).map(size).sum() };
    // Parents are before children.
    let most = (0..groups.nodes.len()).map(held).fold(0.0, f64::max);
    let is_deep_enough = |node: &usize| held(*node) >= OF_MOST_GATHERED * most;
    let node =
        (0..groups.nodes.len()).rev().find(is_deep_enough).filter(|_| most >= GATHERED_PART * total)?;
    let told: Vec<&Pick> = left.iter().filter(|pick| groups.is_below(pick.node, node)).collect();
    if let [one] = told.as_slice() {
        return Some((*one).clone());
    }
    let nodes: Vec<usize> = told.iter().flat_map(|pick| pick.nodes.iter().copied()).collect();
    let change = judge.of_sets(std::slice::from_ref(&nodes)).pop()?;
    Some(Pick { node, shape: Shape::Gathered, nodes, change })
}

/// The choice at one node.
struct Choice<'a> {
    groups: &'a Groups,
    judge: &'a Judge<'a>,
    changes: &'a NodeChanges,
    flipped: &'a [bool],
    node: usize,
}

impl Choice<'_> {
    fn of(&self, inner: Vec<Pick>) -> Vec<Pick> {
        let change = &self.changes.all[self.node];
        let is_found = self.judge.is_found(change);
        let inner = self.net_of_callees(inner);
        if inner.is_empty() {
            return if is_found {
                vec![self.whole(Shape::Place)]
            } else {
                self.own_alone().into_iter().collect()
            };
        }
        if self.cancels(&inner) {
            return if is_found { vec![self.whole(Shape::Net)] } else { Vec::new() };
        }
        let rest = self.remainder(&inner).or_else(|| self.own_beside(&inner));
        let mut picks = inner;
        picks.extend(rest);
        if is_found && self.is_one(&picks) { vec![self.whole(Shape::Place)] } else { picks }
    }

    /// A callee that one side alone has may have taken over from another one, or from its caller's own code: what counts is
    /// the net of the caller's own and of its callees that are nobody else's.
    fn net_of_callees(&self, inner: Vec<Pick>) -> Vec<Pick> {
        let (replaced, mut kept): (Vec<Pick>, Vec<Pick>) =
            inner.into_iter().partition(|pick| self.is_one_sided_callee(pick));
        if replaced.is_empty() {
            return kept;
        }
        let is_kept = |node: usize| kept.iter().any(|pick| pick.nodes.contains(&node));
        let callees = self.groups.nodes[self.node].children.iter().copied();
        let callees = callees.filter(|child| self.is_callee(*child) && !is_kept(*child));
        let nodes: Vec<usize> = std::iter::once(self.node).chain(callees).collect();
        let Some(change) = self.judge.of_sets(std::slice::from_ref(&nodes)).pop() else { return kept };
        let sum: f64 = replaced.iter().map(|pick| pick.change.points).sum();
        let size: f64 = replaced.iter().map(|pick| pick.change.points.abs()).sum();
        let is_net_new = sum.abs() >= size && change.points * sum >= (1.0 - CANCELS) * sum * sum;
        if is_net_new {
            kept.extend(replaced);
        } else if self.judge.is_found(&change) {
            kept.push(Pick { node: self.node, shape: Shape::Net, nodes, change });
        }
        kept
    }

    /// Whether a node represents a function below one of its callers.
    fn is_callee(&self, node: usize) -> bool {
        let node = &self.groups.nodes[node];
        node.parent == Some(self.node) && matches!(node.place, Place::Edge(..))
    }

    fn is_one_sided_callee(&self, pick: &Pick) -> bool {
        let is_one_sided = self.groups.nodes[pick.node].all.values().any(|amount| amount.samples == 0);
        // A function that was inlined in its caller on one side is netted with its callers' own code later.
        let is_flipped = self.flipped.get(pick.node).copied().unwrap_or(false);
        is_one_sided && !is_flipped && self.is_callee(pick.node)
    }

    /// Whether the changes below a node are better told as one: they go one way, none stands out, or one of its callees is
    /// most of it. What it reaches through a function that leads to many are several things.
    fn is_one(&self, picks: &[Pick]) -> bool {
        if picks.iter().any(|pick| self.is_across_helper(pick.node)) {
            return false;
        }
        let change = &self.changes.all[self.node];
        let sum: f64 = picks.iter().map(|pick| pick.change.points.abs()).sum();
        let largest = picks.iter().map(|pick| pick.change.points.abs()).fold(0.0, f64::max);
        let is_coherent = sum <= COHERENT * change.points.abs();
        let is_largest = |pick: &&Pick| pick.change.points.abs() >= largest;
        let is_its_callee = picks.iter().find(is_largest).is_some_and(|pick| self.is_callee(pick.node))
            && self.weight() <= OF_CALLEE * largest;
        let stands_out = largest >= STANDS_OUT * change.points.abs();
        is_coherent && !self.is_wide() && (is_its_callee || !stands_out)
    }

    /// Whether a node below this one is reached from it through a helper.
    fn is_across_helper(&self, below: usize) -> bool {
        let above = std::iter::successors(Some(below), |at| self.groups.nodes[*at].parent);
        above
            .take_while(|at| *at != self.node)
            .last()
            .is_some_and(|child| self.groups.nodes[child].is_across_helper)
    }

    fn weight(&self) -> f64 {
        let noise = &self.changes.all[self.node].noise;
        noise.before_pct.max(noise.after_pct)
    }

    /// Whether the node is not a place but a frame around places.
    fn is_wide(&self) -> bool {
        self.weight() >= 100.0 * MOST_OF_A_SIDE
    }

    fn whole(&self, shape: Shape) -> Pick {
        let change = self.changes.all[self.node].clone();
        let is_leaf = self.groups.nodes[self.node].children.is_empty();
        let is_spread = shape == Shape::Place && self.is_wide() && !is_leaf && !self.is_own(&change);
        let shape = if is_spread { Shape::Spread } else { shape };
        Pick { node: self.node, shape, nodes: self.groups.below(self.node), change }
    }

    /// A node's own samples, where these changed and the noise of what is below them hides that of the whole. What went from the node
    /// to its callees, or came from there, is no change.
    fn own_alone(&self) -> Option<Pick> {
        let (own, all) = (&self.changes.own[self.node], &self.changes.all[self.node]);
        let below = all.points - own.points;
        let is_taken_back = below * own.points < 0.0 && below.abs() >= TAKEN_BACK * own.points.abs();
        let is_told = self.judge.is_found(own) && !is_taken_back;
        is_told.then(|| self.alone(own))
    }

    /// The own samples of a frame around much of the program, where the rest of it hides their change: without operations, what grows takes
    /// share from all that is below.
    fn own_beside(&self, inner: &[Pick]) -> Option<Pick> {
        let own = &self.changes.own[self.node];
        let is_picked = inner.iter().any(|pick| pick.nodes.contains(&self.node));
        let is_hidden = self.is_wide() && self.judge.of_cost().is_none();
        let is_told = is_hidden && !is_picked && self.judge.is_found(own);
        is_told.then(|| self.alone(own))
    }

    fn alone(&self, own: &Change) -> Pick {
        Pick { node: self.node, shape: Shape::Place, nodes: vec![self.node], change: own.clone() }
    }

    /// Whether most of a change is the node's own, and not that of other places below it.
    fn is_own(&self, change: &Change) -> bool {
        self.changes.own[self.node].points.abs() >= OWN_PART * change.points.abs()
    }

    /// Whether the changes below are two sides of one. What cancels in a frame around much of the program is not one thing.
    fn cancels(&self, inner: &[Pick]) -> bool {
        let change = &self.changes.all[self.node];
        let sum: f64 = inner.iter().map(|pick| pick.change.points.abs()).sum();
        let is_small = change.points.abs() < CANCELS * sum && sum >= NET_PART * self.weight();
        inner.len() > 1 && is_small && !self.is_wide()
    }

    /// The rest of a node without the parts picked below it.
    fn remainder(&self, inner: &[Pick]) -> Option<Pick> {
        let all = self.changes.all[self.node].points;
        let left = all - inner.iter().map(|pick| pick.change.points).sum::<f64>();
        if left.abs() < LEAST_REMAINDER * all.abs() {
            return None;
        }
        let mut nodes = self.groups.below(self.node);
        nodes.retain(|node| !inner.iter().any(|pick| pick.nodes.contains(node)));
        let change = self.judge.of_sets(std::slice::from_ref(&nodes)).pop()?;
        let shape = if self.is_own(&change) || nodes.len() == 1 { Shape::Place } else { Shape::Spread };
        self.judge.is_found(&change).then_some(Pick { node: self.node, shape, nodes, change })
    }
}

impl Pick {
    /// Whether one side has no sample of it.
    pub(super) fn is_one_sided(&self, groups: &Groups) -> bool {
        self.amounts(groups).values().any(|amount| amount.samples == 0)
    }

    /// Its weight on each side.
    pub(super) fn amounts(&self, groups: &Groups) -> PerSide<Amount> {
        groups.amounts(&self.nodes)
    }
}
