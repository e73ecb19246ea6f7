//! Functions that are inlined on one side and called on the other, or inlined on both while lines went between them and the code
//! around: their cost is reported together with their callers.
//!
//! If a caller stops inlining a function, that function's own samples grow by what the caller's samples lose: the lines of
//! the copies, many of which count for the caller, and the registers that the copies used. So a part that is such a
//! function contains the own samples of the callers that it left or entered, and only the net of them is its change. The
//! chains are those of sampled addresses.
//!
//! A function that is inlined on both sides is code of its caller, and which lines an instruction has is up to the compiler. If the
//! caller's own samples changed the other way, only the net is known to be a change.

use pdiff_profile::{PerSide, Side};
use rustc_hash::{FxHashMap, FxHashSet};

use super::anchors::Anchors;
use super::groups::Groups;
use super::input::{Amount, Input};
use super::judged::{Change, Judge, NodeChanges};
use super::places::Place;
use super::select::{Pick, Shape};
use super::stacks::Stacks;
use crate::noise::MIN_SAMPLES;
use crate::normalize::KeyId;

/// A caller that changed by more than so many times what its callee changed did so in its own right.
const CALLER_FACTOR: f64 = 2.0;

/// A caller of a function that is inlined on both sides lost lines to it, or gained them, if it changed by so much of what the
/// function did.
const SHIFTED_PART: f64 = 0.2;

/// What changed so many times as much is not joined with a part because of what they have in common.
const MUCH_LARGER: f64 = 5.0;

/// A place is a caller's where so much of its samples are in the caller's code.
const NEARLY_ALL: f64 = 0.9;

/// Functions whose inlining changed, each with the callers that it left or entered.
pub(super) struct Flipped {
    holders: FxHashMap<KeyId, FxHashSet<KeyId>>,
    /// Functions that both sides have inlined only, each with the callers that contain it on both.
    inlined: FxHashMap<KeyId, FxHashSet<KeyId>>,
}

impl Flipped {
    pub(super) fn new(input: &Input<'_>) -> Self {
        let chains = Chains::new(input);
        Self { holders: chains.holders(), inlined: chains.inlined_on_both() }
    }

    /// By function: those that are inlined in it on one side or both.
    fn contained(&self) -> FxHashMap<KeyId, FxHashSet<KeyId>> {
        let mut contained: FxHashMap<KeyId, FxHashSet<KeyId>> = FxHashMap::default();
        for (function, holders) in self.holders.iter().chain(&self.inlined) {
            for holder in holders {
                contained.entry(*holder).or_default().insert(*function);
            }
        }
        contained
    }

    /// By node: whether it represents such a function.
    pub(super) fn nodes(&self, anchors: &Anchors, groups: &Groups) -> Vec<bool> {
        let function = |place| function_of(place, anchors);
        let is_one = |key: KeyId| self.holders.contains_key(&key);
        groups.nodes.iter().map(|node| function(node.place).is_some_and(is_one)).collect()
    }
}

/// Joins parts that are functions whose inlining changed, or that lines went to, with what is their callers' own; parts of which
/// nothing is left beyond noise go.
pub(super) fn with_callers(
    input: &Input<'_>,
    stacks: &Stacks,
    anchors: &Anchors,
    groups: &Groups,
    (judge, changes): (&Judge<'_>, &NodeChanges),
    flipped: &Flipped,
    picks: Vec<Pick>,
) -> Vec<Pick> {
    let (holders, inlined) = (&flipped.holders, &flipped.inlined);
    if holders.is_empty() && inlined.is_empty() {
        return picks;
    }
    let contained = flipped.contained();
    let function = |node: usize| function_of(groups.nodes[node].place, anchors);
    let is_of_node = |pick: &Pick| matches!(pick.shape, Shape::Place | Shape::Net);
    let flipped = |pick: &Pick| function(pick.node).filter(|_| is_of_node(pick));
    let code = NodeCode::new(input, stacks, groups);
    let (mut of_functions, others): (Vec<Pick>, Vec<Pick>) = picks.into_iter().partition(|pick| {
        flipped(pick).is_some_and(|key| holders.contains_key(&key) || inlined.contains_key(&key))
    });
    of_functions.sort_by(|a, b| b.change.points.abs().total_cmp(&a.change.points.abs()));
    let mut others: Vec<Part> = others.into_iter().map(|pick| Part { pick, is_less: false }).collect();
    let mut families = Families::default();
    for pick in of_functions {
        let of = flipped(&pick).and_then(|key| holders.get(&key));
        let around = flipped(&pick).and_then(|key| inlined.get(&key)).filter(|_| of.is_none());
        let of = of.or(around);
        let is_caller = |node: &usize| {
            let is_holder = of.is_some_and(|of| {
                function(*node).is_some_and(|key| of.contains(&key)) || code.is_in(*node, of)
            });
            // What is the function's own there is no change of the caller.
            let of_function = flipped(&pick).map_or(0.0, |key| code.change_of(*node, key, groups));
            let of_caller = changes.own[*node].points - of_function;
            let is_small = of_caller.abs() <= CALLER_FACTOR * pick.change.points.abs();
            let is_counterpart = of_caller * pick.change.points < 0.0
                && of_caller.abs() >= SHIFTED_PART * pick.change.points.abs();
            let is_meant = around.is_none() || is_counterpart;
            is_holder && is_small && is_meant && !pick.nodes.contains(node)
        };
        let mut callers: Vec<usize> = (0..groups.nodes.len()).filter(is_caller).collect();
        // A caller that is in a larger part already is told there, unless that part is what its callers' code lost or gained.
        callers.retain(|node| {
            let Some(part) = others.iter_mut().find(|part| part.pick.nodes.contains(node)) else {
                return true;
            };
            let is_counterpart = part.pick.change.points * pick.change.points < 0.0;
            let is_taken = is_counterpart || part.pick.nodes == [*node];
            if is_taken {
                part.pick.nodes.retain(|other| other != node);
                part.is_less = true;
            }
            is_taken
        });
        // And so is one that is in a family of a much larger change.
        callers.retain(|node| !families.has_much_larger(*node, &pick.change));
        // It left all its callers, or entered all: what it did below the others is the same change.
        let is_itself = |node: &usize| around.is_none() && function(*node) == flipped(&pick);
        let below_others: Vec<usize> = match callers.is_empty() {
            true => Vec::new(),
            false => (0..groups.nodes.len()).filter(is_itself).collect(),
        };
        let nodes = [pick.nodes.as_slice(), &below_others].concat();
        families.add(Pick { nodes, ..pick }, callers);
    }
    let (nets, alone): (Vec<Family>, Vec<Family>) =
        families.all.into_iter().partition(|family| family.has_callers);
    let sets: Vec<Vec<usize>> = nets.iter().map(|family| family.nodes.clone()).collect();
    let of_nets = judge.of_nets(&sets);
    let nets = nets.into_iter().zip(of_nets).filter(|(_, change)| judge.is_found(change));
    let nets = nets.map(|(family, change)| family.pick(Shape::WithCallers, change));
    let alone = alone.into_iter().map(|family| {
        let own = family.own.clone();
        let shape = family.shape;
        family.pick(shape, own)
    });
    let all: Vec<Pick> =
        others.into_iter().filter_map(|part| part.settled(judge)).chain(nets).chain(alone).collect();
    with_inlined(all, &contained, function, groups, (judge, changes))
}

/// Joins parts that are a caller's own code with the functions inlined in it that changed the other way; parts of which nothing is
/// left beyond noise go.
fn with_inlined(
    picks: Vec<Pick>,
    contained: &FxHashMap<KeyId, FxHashSet<KeyId>>,
    function: impl Fn(usize) -> Option<KeyId>,
    groups: &Groups,
    (judge, changes): (&Judge<'_>, &NodeChanges),
) -> Vec<Pick> {
    let mut taken: FxHashSet<usize> = picks.iter().flat_map(|pick| pick.nodes.iter().copied()).collect();
    let (mut found, mut joined, mut sets) = (Vec::new(), Vec::new(), Vec::new());
    for pick in picks {
        let is_inlined = |node: usize| {
            let inlined = function(pick.node).and_then(|caller| contained.get(&caller));
            function(node).zip(inlined).is_some_and(|(key, inlined)| inlined.contains(&key))
        };
        let is_counterpart = |node: &usize| {
            let ratio = -changes.own[*node].points / pick.change.points;
            (SHIFTED_PART..=CALLER_FACTOR).contains(&ratio) && is_inlined(*node) && !taken.contains(node)
        };
        let inlined: Vec<usize> = match pick.shape {
            Shape::Place => (0..groups.nodes.len()).filter(is_counterpart).collect(),
            _ => Vec::new(),
        };
        if inlined.is_empty() {
            found.push(pick);
        } else {
            taken.extend(&inlined);
            sets.push([pick.nodes.as_slice(), &inlined].concat());
            joined.push(pick);
        }
    }
    let nets = joined.into_iter().zip(&sets).zip(judge.of_nets(&sets));
    let nets = nets.filter(|(_, change)| judge.is_found(change));
    found.extend(nets.map(|((pick, nodes), change)| Pick { nodes: nodes.clone(), change, ..pick }));
    found
}

/// A part of which places may have been taken.
struct Part {
    pick: Pick,
    is_less: bool,
}

impl Part {
    /// The rest of it; `None` if the rest is within noise.
    fn settled(self, judge: &Judge<'_>) -> Option<Pick> {
        if !self.is_less {
            return Some(self.pick);
        }
        let nodes = Some(self.pick.nodes).filter(|nodes| !nodes.is_empty())?;
        let change = judge.of_sets(std::slice::from_ref(&nodes)).pop()?;
        judge.is_found(&change).then_some(Pick { nodes, change, ..self.pick })
    }
}

/// Parts with callers' own samples; those that have a place in common are one, named by the one that changed most.
#[derive(Default)]
struct Families {
    all: Vec<Family>,
}

struct Family {
    /// The function that it is named by.
    node: usize,
    /// Without those of callers, if there are no others.
    own: Change,
    shape: Shape,
    nodes: Vec<usize>,
    has_callers: bool,
}

impl Families {
    /// Whether a node is in a family whose part changed many times as much.
    fn has_much_larger(&self, node: usize, change: &Change) -> bool {
        let mut families = self.all.iter().filter(|family| family.nodes.contains(&node));
        families.any(|family| family.own.points.abs() >= MUCH_LARGER * change.points.abs())
    }

    /// Takes a part in.
    fn add(&mut self, part: Pick, callers: Vec<usize>) {
        let has_callers = !callers.is_empty();
        let mut nodes = part.nodes;
        nodes.extend(callers);
        let mut family = Family { node: part.node, own: part.change, shape: part.shape, nodes, has_callers };
        let shares = |other: &mut Family| other.nodes.iter().any(|node| family.nodes.contains(node));
        for mut other in self.all.extract_if(.., shares).collect::<Vec<_>>() {
            if other.own.points.abs() > family.own.points.abs() {
                std::mem::swap(&mut other, &mut family);
            }
            family.nodes.extend(other.nodes);
            family.has_callers |= other.has_callers;
        }
        family.nodes.sort_unstable();
        family.nodes.dedup();
        self.all.push(family);
    }
}

impl Family {
    fn pick(self, shape: Shape, change: Change) -> Pick {
        Pick { node: self.node, shape, nodes: self.nodes, change }
    }
}

/// The function that a place is named by.
fn function_of(place: Place, anchors: &Anchors) -> Option<KeyId> {
    match place {
        Place::Anchor(anchor) => Some(anchors.key(anchor.index())),
        Place::Edge(_, key) | Place::Region(key) => Some(key),
        Place::Interrupts | Place::NoCaller(_) | Place::Unresolved(_) => None,
    }
}

/// The functions whose code contains the samples of nodes.
struct NodeCode {
    /// By node and machine function.
    samples: FxHashMap<(usize, KeyId), PerSide<Amount>>,
    /// By node.
    totals: Vec<u64>,
}

impl NodeCode {
    fn new(input: &Input<'_>, stacks: &Stacks, groups: &Groups) -> Self {
        let mut code = Self { samples: FxHashMap::default(), totals: vec![0; groups.nodes.len()] };
        for (run, of_run) in input.runs.iter().zip(&stacks.of_runs) {
            for (id, amount) in run.amounts() {
                let stack = of_run.get(id.index()).copied().flatten();
                let node = stack.and_then(|stack| groups.of_stacks.get(stack as usize).copied().flatten());
                let machine = run.stacks.get(id).iter().rfind(|level| !level.inlined);
                if let Some((node, level)) = node.zip(machine) {
                    code.totals[node] += amount.samples;
                    let of_code = code.samples.entry((node, input.canonical(level.key))).or_default();
                    of_code[run.side].add(amount);
                }
            }
        }
        code
    }

    /// Whether nearly all of a node's samples are in the code of some functions.
    fn is_in(&self, node: usize, functions: &FxHashSet<KeyId>) -> bool {
        let of_code = functions.iter().filter_map(|key| self.samples.get(&(node, *key)));
        let samples: u64 = of_code.flat_map(PerSide::values).map(|amount| amount.samples).sum();
        samples as f64 > NEARLY_ALL * self.totals[node] as f64
    }

    /// The change of what a node has of a function's own code, in points.
    fn change_of(&self, node: usize, function: KeyId, groups: &Groups) -> f64 {
        let Some(of_code) = self.samples.get(&(node, function)) else { return 0.0 };
        let pct = PerSide::from_fn(|side| {
            100.0 * of_code[side].weight as f64 / groups.totals[side].weight.max(1) as f64
        });
        pct.after - pct.before
    }
}

/// Samples of functions, by how their code stands, by side.
struct Chains {
    sides: PerSide<SideChains>,
}

struct SideChains {
    /// By function and the machine function that it stands inlined in.
    inlined: FxHashMap<(KeyId, KeyId), u64>,
    /// Out of line, by function.
    called: Vec<u64>,
}

impl Chains {
    fn new(input: &Input<'_>) -> Self {
        let of_side = |side| SideChains::new(input, side);
        let (before, after) = rayon::join(|| of_side(Side::Before), || of_side(Side::After));
        Self { sides: PerSide::new(before, after) }
    }

    /// By function whose inlining changed: the callers that it left or entered.
    fn holders(&self) -> FxHashMap<KeyId, FxHashSet<KeyId>> {
        let mut holders: FxHashMap<KeyId, FxHashSet<KeyId>> = FxHashMap::default();
        for side in Side::BOTH {
            let [with, without] = [side, side.other()].map(|side| &self.sides[side]);
            let is_called =
                |key: &KeyId| without.called.get(key.0 as usize).is_some_and(|count| *count >= MIN_SAMPLES);
            let has_left = |edge: &(KeyId, KeyId)| {
                let (function, holder) = edge;
                let differ = function != holder && !without.inlined.contains_key(edge);
                differ && is_called(function) && is_called(holder)
            };
            let left = with.inlined.iter().filter(|(edge, _)| has_left(edge));
            // Where one caller shows it beyond doubt, others show it with few samples.
            let sure = left.clone().filter(|(_, count)| **count >= MIN_SAMPLES);
            let sure: FxHashSet<KeyId> = sure.map(|(edge, _)| edge.0).collect();
            for ((function, holder), _) in left.filter(|(edge, _)| sure.contains(&edge.0)) {
                holders.entry(*function).or_default().insert(*holder);
            }
        }
        holders
    }
}

impl Chains {
    /// By function that neither side calls: the callers that contain it on both.
    fn inlined_on_both(&self) -> FxHashMap<KeyId, FxHashSet<KeyId>> {
        let mut inlined: FxHashMap<KeyId, FxHashSet<KeyId>> = FxHashMap::default();
        let PerSide { before, after } = &self.sides;
        let is_called = |key: KeyId| {
            self.sides.values().any(|side| side.called.get(key.0 as usize).is_some_and(|count| *count > 0))
        };
        for (function, holder) in before.inlined.keys().filter(|edge| after.inlined.contains_key(edge)) {
            if function != holder && !is_called(*function) {
                inlined.entry(*function).or_default().insert(*holder);
            }
        }
        inlined
    }
}

impl SideChains {
    fn new(input: &Input<'_>, side: Side) -> Self {
        let mut chains = Self { inlined: FxHashMap::default(), called: vec![0; input.keys.len()] };
        for run in input.runs.iter().filter(|run| run.side == side) {
            for (stack, amount) in run.amounts() {
                let mut holder = None;
                for level in run.stacks.get(stack) {
                    let key = input.canonical(level.key);
                    if !level.inlined {
                        holder = Some(key);
                        chains.called[key.0 as usize] += amount.samples;
                    } else if let Some(holder) = holder {
                        *chains.inlined.entry((key, holder)).or_default() += amount.samples;
                    }
                }
            }
        }
        chains
    }
}
