//! Puts back callers that chains hide, if the code has exactly one path from the function above to the function below.
//!
//! A chain of frame pointers misses the caller of a function that has no frame, or that was sampled before it set up its
//! frame or after it removed it: the stack of such a leaf continues with its caller's caller. A jump in tail position
//! leaves no frame in any chain. Either way the stack shows a call that the code does not have. If the code has exactly one
//! path of direct calls and jumps between the two functions, and chains miss every function on it, these are put back. If
//! it has several paths, nothing is guessed. A leaf may be a function of a library (`strcmp`), which the program calls
//! through a stub.
//!
//! Where addresses were recorded, the instruction before a return address says which function was called. If the stack has
//! another one there, the function that was called is put back, and paths are looked for from there alone.
//!
//! Where the call went through a pointer, the function that was called is one that no code calls by its name, and of several the one that
//! other stacks show below the same caller.
//!
//! What one build has one path for, and the other several, is put back on neither side: it would be more there, and nothing changed.
//! So is a function that the other build's stacks may have lost where nothing shows what they lost.
//!
//! Cost: unique stacks x depth, twice; a pair of functions is looked up once for each way in which the call between them is known.

use std::hash::Hash;

use pdiff_profile::census::{Census, FunctionId, Visibility};
use pdiff_profile::{NoteKind, Notes, PerSide, Side, StackId, Weight};
use rustc_hash::{FxHashMap, FxHashSet};

use super::build_functions::BuildFunctions;
use super::call_ways::{
    called_from, has_few_pointers, is_entered, is_of_c, leads_to, paths, ways_by_callers, ways_of_pointers,
};
use super::input::{Knowledge, Sides};
use super::known_calls::{KnownCall, KnownCalls, knows_calls};
use super::mistakes::unwinding;
use super::prepare::{PreparedRun, PreparedSides};
use super::side_fact::Unwinding;
use crate::c_library::is_program_start;
use crate::findings::is_kernel_object;
use crate::matching::held;
use crate::normalize::{KeyId, Keys, Level, NormalStacks};

/// If the part of the samples for which the path between two functions is known differs by more than this between the builds, it is
/// put back on neither side.
const OTHER_PART: f64 = 0.5;

/// The least part of a side's samples for which it matters that the other side's stacks may have lost a caller.
const LEAST_LOST: f64 = 0.002;

/// The function that the start of a program calls.
const ENTRY: &str = "main";

impl PreparedSides {
    /// The same with the callers that chains hide, where the code of the program's builds (base first) tells them. It is no
    /// other comparison: samples, filters and groups stay unchanged.
    #[must_use]
    pub fn with_hidden_callers(
        &self,
        sides: &Sides<'_>,
        label: &str,
        builds: PerSide<Option<&Census>>,
        knowledge: &Knowledge,
    ) -> Self {
        let mut notes = self.notes().clone();
        let prepared = self.view(sides);
        let ways = unwinding(sides);
        // On both sides or on none: functions are compared across builds.
        let told = builds.map(|of| of.filter(|census| census.visibility() != Visibility::DynamicSymbols));
        let PerSide { before: Some(before), after: Some(after) } = told else {
            return self.with_stacks(sides, prepared.runs.iter().map(|_| None).collect(), notes, knowledge);
        };
        // So are calls read from the code: packs of earlier versions do not have them.
        let are_known = prepared.runs.iter().all(|run| knows_calls(run.input));
        let builds = PerSide::new(before, after);
        let mut hidden = PerSide::from_fn(|side| {
            HiddenCallers::new(prepared.keys, (label, builds[side]), side, ways[side], are_known)
        });
        let runs = |side: Side| prepared.runs.iter().filter(move |run| run.side == side);
        let seen = of_both(&mut hidden, |side, hidden| {
            runs(side).for_each(|run| hidden.add_pairs(run));
            hidden.seen()
        });
        let seen: FxHashSet<(KeyId, KeyId)> = seen.values().flatten().copied().collect();
        let weights = of_both(&mut hidden, |_, hidden| hidden.weigh(&seen));
        let one_sided = OneSided {
            gaps: known_on_one_side(&weights.before.gaps, &weights.after.gaps),
            callers: Side::BOTH
                .into_iter()
                .flat_map(|side| unknown_elsewhere(&weights[side], &weights[side.other()]))
                .collect(),
        };
        let put_back = of_both(&mut hidden, |side, hidden| {
            let mut notes = Notes::new();
            let stacks = runs(side).map(|run| hidden.put_back(run, &one_sided, &mut notes));
            (stacks.collect::<Vec<_>>().into_iter(), notes)
        });
        put_back.values().for_each(|(_, found)| notes.merge(found));
        let mut stacks = put_back.map(|(stacks, _)| stacks);
        let stacks = prepared.runs.iter().map(|run| stacks[run.side].next()).collect();
        self.with_stacks(sides, stacks, notes, knowledge)
    }
}

/// What something tells of each side, on two threads.
fn of_both<T: Send, U: Send>(of: &mut PerSide<T>, tell: impl Fn(Side, &mut T) -> U + Sync) -> PerSide<U> {
    let PerSide { before, after } = of.as_mut();
    let (before, after) = rayon::join(|| tell(Side::Before, before), || tell(Side::After, after));
    PerSide::new(before, after)
}

/// The gaps whose path is known for another part of the samples in one build than in the other.
fn known_on_one_side(before: &FxHashMap<Gap, Weighed>, after: &FxHashMap<Gap, Weighed>) -> FxHashSet<Gap> {
    let part = |of: &Weighed| of.known as f64 / (of.known as f64 + of.unknown as f64);
    let is_of_one = |(gap, before): (&Gap, &Weighed)| {
        let after = after.get(gap)?;
        ((part(before) - part(after)).abs() > OTHER_PART).then_some(*gap)
    };
    before.iter().filter_map(is_of_one).collect()
}

/// The functions that this side would have back above another function for more of its samples, where the other side's stacks may have lost
/// as much, and this side's have not.
fn unknown_elsewhere(here: &Weights, there: &Weights) -> FxHashSet<(KeyId, KeyId)> {
    fn part<K: Eq + Hash>(side: &Weights, weights: &FxHashMap<K, u64>, of: &K) -> f64 {
        weights.get(of).copied().unwrap_or(0) as f64 / side.total.max(1) as f64
    }
    let may_be_lost = |pair: &&(KeyId, KeyId)| {
        let (put_back, shown) = (part(here, &here.put_back, pair), part(there, &there.above, pair));
        let [lost_here, lost] = [here, there]
            .map(|side| part(side, &side.unknown, &pair.1) - part(side, &side.unknown_below, pair));
        put_back >= LEAST_LOST && shown < OTHER_PART * put_back && lost - lost_here >= OTHER_PART * put_back
    };
    here.put_back.keys().filter(may_be_lost).copied().collect()
}

/// What one side would have more of than the other only because of what the other's stacks lost.
struct OneSided {
    /// Their path is put back on neither side.
    gaps: FxHashSet<Gap>,
    /// Functions that are not put back above others.
    callers: FxHashSet<(KeyId, KeyId)>,
}

/// How much of a side's samples has, or may have, callers that its chains hide.
#[derive(Default)]
struct Weights {
    total: u64,
    gaps: FxHashMap<Gap, Weighed>,
    /// By function: of those between which and the function above the code has several ways, or none that it shows.
    unknown: FxHashMap<KeyId, u64>,
    /// By function that can be put back above one, and that: of those between which something else may be hidden.
    unknown_below: FxHashMap<(KeyId, KeyId), u64>,
    /// By function, and the next machine function below that the stack has: of samples to which it can be put back.
    put_back: FxHashMap<(KeyId, KeyId), u64>,
    /// By function above and below: of samples that show the pair, or to which the upper one can be put back.
    above: FxHashMap<(KeyId, KeyId), u64>,
}

impl Weights {
    fn add(&mut self, pair: Pair, between: &Between, weight: u64) {
        let add = |sum: &mut u64| *sum = sum.saturating_add(weight);
        let callee = pair.callee;
        let weighed = self.gaps.entry(pair.gap(between)).or_default();
        match &between.path {
            Path::Nothing => {}
            Path::Only(_) => add(&mut weighed.known),
            Path::Unknown => {
                add(&mut weighed.unknown);
                add(self.unknown.entry(callee).or_default());
                if let Some(called) = between.called {
                    add(self.unknown_below.entry((called, callee)).or_default());
                }
            }
        }
        add(self.above.entry((pair.caller, callee)).or_default());
        for key in between.hidden() {
            add(self.put_back.entry((*key, callee)).or_default());
            add(self.above.entry((*key, callee)).or_default());
        }
    }
}

/// Two functions, one above the other in a stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Pair {
    caller: KeyId,
    callee: KeyId,
    is_leaf: bool,
    /// What the caller called.
    call: KnownCall,
}

/// Where callers may be missing: between a function that was called and one below it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Gap {
    above: KeyId,
    below: KeyId,
    is_leaf: bool,
}

/// The weight of the samples with a gap for which the code has one path, and for which it has several.
#[derive(Clone, Copy, Default)]
struct Weighed {
    known: u64,
    unknown: u64,
}

/// What the code has between two functions of a stack.
#[derive(Default)]
struct Between {
    /// The function that the upper one called, where that is another one than the stack has.
    called: Option<KeyId>,
    path: Path,
}

/// The functions by which one leads to another.
#[derive(Default)]
enum Path {
    /// None: it calls it, or nothing shows that there are any.
    #[default]
    Nothing,
    Only(Box<[KeyId]>),
    /// There are several, or one of which there is no other sample, or one through a pointer.
    Unknown,
}

impl Between {
    /// The functions that the stack lacks, root first.
    fn hidden(&self) -> impl Iterator<Item = &KeyId> {
        let path = match &self.path {
            Path::Only(path) => &**path,
            Path::Nothing | Path::Unknown => &[],
        };
        self.called.iter().chain(path)
    }
}

impl Pair {
    fn gap(self, between: &Between) -> Gap {
        Gap { above: between.called.unwrap_or(self.caller), below: self.callee, is_leaf: self.is_leaf }
    }
}

/// What the code of one side's build tells of callers that its chains hide.
struct HiddenCallers<'a> {
    keys: &'a Keys,
    build: BuildFunctions<'a>,
    /// What rows call the program.
    label: &'a str,
    /// Whether chains miss the callers of leaves.
    misses_callers_of_leaves: bool,
    /// Whether the code before return addresses was read, of all runs.
    are_calls_known: bool,
    /// The pairs in its stacks, with the weight of their samples.
    pairs: FxHashMap<Pair, u64>,
    /// The functions between two of a stack.
    between: FxHashMap<Pair, Between>,
    /// The weight of its samples.
    weight: u64,
}

impl<'a> HiddenCallers<'a> {
    /// Of a side whose chains were made in one way; `None` where that is not known.
    fn new(
        keys: &'a Keys,
        (label, census): (&'a str, &'a Census),
        side: Side,
        unwinding: Option<Unwinding>,
        are_calls_known: bool,
    ) -> Self {
        let misses_callers_of_leaves =
            !matches!(unwinding, Some(Unwinding::DebugInformation | Unwinding::BranchRecords));
        let build = BuildFunctions::new(keys, (label, census), side);
        let (pairs, between) = (FxHashMap::default(), FxHashMap::default());
        Self { keys, build, label, misses_callers_of_leaves, are_calls_known, pairs, between, weight: 0 }
    }

    /// The calls in a run's stacks.
    fn calls_of<'r>(&self, run: &PreparedRun<'r>) -> Option<KnownCalls<'r>>
    where
        'a: 'r,
    {
        self.are_calls_known.then(|| KnownCalls::new(run.input, self.build.census))
    }

    /// Adds the pairs in a run's stacks.
    fn add_pairs(&mut self, run: &PreparedRun<'_>) {
        let mut calls = self.calls_of(run);
        let mut weights = vec![0_u64; run.stacks.len()];
        for cell in run.cells {
            let weight = weights.get_mut(cell.stack.index());
            weight.into_iter().for_each(|weight| *weight = weight.saturating_add(cell.weight.0));
        }
        for (stack, weight) in (0..).map(StackId).zip(weights).filter(|(_, weight)| *weight > 0) {
            self.weight = self.weight.saturating_add(weight);
            let calls = calls.as_mut().map_or_else(Vec::new, |calls| calls.of(stack));
            for (_, pair) in pairs(self.keys, &calls, run.stacks.get(stack)) {
                let sum = self.pairs.entry(pair).or_default();
                *sum = sum.saturating_add(weight);
            }
        }
    }

    /// The functions that its stacks show below callers that called through a pointer. What is a leaf may have lost its caller, unless no
    /// code calls it. Below a function whose frame is gone, because it jumped there or the leaf hides it, only what no code calls is sure
    /// to be called by it.
    fn seen(&mut self) -> Vec<(KeyId, KeyId)> {
        let census = self.build.census;
        let pairs: Vec<Pair> = self.pairs.keys().copied().collect();
        let mut seen = Vec::new();
        for pair in pairs {
            let caller = match pair.call {
                KnownCall::Pointer => Some(pair.caller),
                KnownCall::Other(called) => self.build.key_of(called),
                KnownCall::Itself | KnownCall::Unknown => None,
            };
            let Some(caller) = caller else { continue };
            let below = self.build.of_key(pair.callee);
            let is_sure = pair.call == KnownCall::Pointer && !pair.is_leaf;
            if is_sure || !below.is_empty() && !below.iter().any(|id| is_entered(census, *id)) {
                seen.push((caller, pair.callee));
            }
        }
        seen
    }

    /// What is between the pairs, where `seen` were seen below callers that called through a pointer: the gaps, and how much weight has
    /// them.
    fn weigh(&mut self, seen: &FxHashSet<(KeyId, KeyId)>) -> Weights {
        let mut weights = Weights { total: self.weight, ..Weights::default() };
        for (pair, weight) in std::mem::take(&mut self.pairs) {
            let between = self.between(pair, seen);
            weights.add(pair, &between, weight);
            self.between.insert(pair, between);
        }
        weights.gaps.retain(|_, weighed| weighed.known > 0 || weighed.unknown > 0);
        weights
    }

    /// A run's stacks with the callers that their chains hide. How many samples that changes is noted.
    fn put_back(&mut self, run: &PreparedRun<'_>, one_sided: &OneSided, notes: &mut Notes) -> NormalStacks {
        let mut calls = self.calls_of(run);
        let stacks = run.stacks.rewritten(|stack, levels, out| {
            let calls = calls.as_mut().map_or_else(Vec::new, |calls| calls.of(stack));
            self.append(&calls, levels, one_sided, out);
        });
        let (mut samples, mut weight, mut first) = (0_u64, 0_u64, None);
        for cell in run.cells {
            if stacks.get(cell.stack).len() > run.stacks.get(cell.stack).len() {
                samples += u64::from(cell.samples);
                weight = weight.saturating_add(cell.weight.0);
                first.get_or_insert(cell.stack);
            }
        }
        if let Some(first) = first {
            let example = || {
                let example = self.example(run.stacks, &stacks, first);
                format!(
                    "{}: callers that the stacks lack, known by the code, such as {example}",
                    run.input.path
                )
            };
            notes.add(NoteKind::CallersPutBack, samples, Weight(weight), example);
        }
        stacks
    }

    /// The first function that was put back, and where.
    fn example(&self, stacks: &NormalStacks, mended: &NormalStacks, stack: StackId) -> String {
        let (levels, mended) = (stacks.get(stack), mended.get(stack));
        let at = levels.iter().zip(mended).take_while(|(level, mended)| level == mended).count();
        let name = |level: Option<&Level>| level.map_or("", |level| &*self.keys.get(level.key).name);
        let above = at.checked_sub(1).and_then(|at| mended.get(at));
        format!("{} between {} and {}", name(mended.get(at)), name(above), name(levels.get(at)))
    }

    /// Appends a stack with what its chain hides; `calls` are those of its machine functions, where that is known.
    fn append(&mut self, calls: &[KnownCall], levels: &[Level], one_sided: &OneSided, out: &mut Vec<Level>) {
        let mut from = 0;
        for (at, pair) in pairs(self.keys, calls, levels) {
            out.extend_from_slice(levels.get(from..at).unwrap_or(&[]));
            from = at;
            let Some(between) = self.between.get(&pair) else { continue };
            let is_one_sided = |key: KeyId| {
                let is_of_path = between.called != Some(key);
                (is_of_path && one_sided.gaps.contains(&pair.gap(between)))
                    || one_sided.callers.contains(&(key, pair.callee))
            };
            let hidden = between.hidden().filter(|key| !is_one_sided(**key));
            out.extend(hidden.map(|key| Level { key: *key, inlined: false }));
        }
        out.extend_from_slice(levels.get(from..).unwrap_or(&[]));
    }

    /// What the code has between two functions that stand one above the other in a stack.
    fn between(&mut self, pair: Pair, seen: &FxHashSet<(KeyId, KeyId)>) -> Between {
        match pair.call {
            KnownCall::Itself => Between::default(),
            KnownCall::Other(called) => self.between_called(called, pair, seen),
            KnownCall::Unknown | KnownCall::Pointer => Between { called: None, path: self.path(pair, seen) },
        }
    }

    /// What is between a pair of which the upper one called `called`: that function, and the only path from there.
    fn between_called(
        &mut self,
        called: FunctionId,
        Pair { callee, is_leaf, .. }: Pair,
        seen: &FxHashSet<(KeyId, KeyId)>,
    ) -> Between {
        let below = self.below(callee);
        let key = self.build.key_of(called);
        if below.contains(&called) || key.is_none_or(|key| key == callee) {
            return Between::default();
        }
        let is_hiding = is_leaf && self.misses_callers_of_leaves;
        let census = self.build.census;
        let ways = leads_to(census, &below).and_then(|leads| paths(census, vec![called], &leads, is_hiding));
        let after_it =
            |ways: Vec<Vec<FunctionId>>| ways.into_iter().map(|way| way.into_iter().skip(1).collect());
        let path = match ways {
            Some(ways) if !ways.is_empty() => self.path_of(after_it(ways).collect()),
            // It jumps or calls on through a pointer.
            _ => {
                let way = key.and_then(|key| self.seen_way(key, &below, is_hiding, seen));
                way.unwrap_or_else(|| match self.way_by_only_caller(&below, is_hiding) {
                    Path::Nothing => Path::Unknown,
                    way => way,
                })
            }
        };
        Between { called: key, path }
    }

    /// The only one of some ways.
    fn path_of(&mut self, mut ways: Vec<Vec<FunctionId>>) -> Path {
        let Some(way) = ways.pop() else { return Path::Nothing };
        let keys: Option<Box<[KeyId]>> = way.into_iter().map(|id| self.build.key_of(id)).collect();
        keys.filter(|_| ways.is_empty()).map_or(Path::Unknown, Path::Only)
    }

    /// The way to functions from one that a caller calls through a pointer, if stacks show one such function below the caller; `None` if they
    /// show none.
    fn seen_way(
        &mut self,
        caller: KeyId,
        below: &[FunctionId],
        is_hiding: bool,
        seen: &FxHashSet<(KeyId, KeyId)>,
    ) -> Option<Path> {
        let census = self.build.census;
        let are = |is: fn(&Census, FunctionId) -> bool| below.iter().all(|id| is(census, *id));
        if !are(has_few_pointers) && !are(is_of_c) {
            return None;
        }
        let ways = ways_of_pointers(census, &leads_to(census, below)?, is_hiding);
        let mut is_seen = |way: &Vec<FunctionId>| {
            let first = way.first().and_then(|first| self.build.key_of(*first));
            first.is_some_and(|first| seen.contains(&(caller, first)))
        };
        let (of_seen, unseen): (Vec<_>, Vec<_>) = ways.into_iter().partition(&mut is_seen);
        // What calls nothing is in no chain but as a leaf: that no stack shows it tells nothing.
        let leaves_no_frame = |way: &Vec<FunctionId>| {
            way.first().is_some_and(|first| called_from(census, *first).next().is_none())
        };
        match of_seen.is_empty() {
            true => None,
            false if unseen.iter().any(leaves_no_frame) => Some(Path::Unknown),
            false => Some(self.path_of(of_seen)),
        }
    }

    /// The way to a leaf of a source file by the only function that calls it in the code, if nothing calls that by name: pointers and jumps
    /// lead there.
    fn way_by_only_caller(&mut self, below: &[FunctionId], is_hiding: bool) -> Path {
        let census = self.build.census;
        let [leaf] = below else { return Path::Nothing };
        let mut edges = census.calls_to(*leaf);
        let only = edges.next().filter(|edge| edge.tail_jumps == 0).filter(|_| edges.next().is_none());
        let only = only.filter(|edge| census.calls_to(edge.caller).all(|above| above.calls == 0));
        match only.filter(|_| is_hiding && has_few_pointers(census, *leaf)) {
            Some(edge) => self.path_of(vec![vec![edge.caller]]),
            None => Path::Nothing,
        }
    }

    /// The functions that a key represents; of one in a library, the stubs that lead to it.
    fn below(&mut self, callee: KeyId) -> Vec<FunctionId> {
        let below = self.build.of_key(callee).to_vec();
        if below.is_empty() { self.build.stubs_of(callee) } else { below }
    }

    /// The path by which the code leads from the upper function of a pair to the lower one, if it does not call it.
    fn path(
        &mut self,
        Pair { caller, callee, is_leaf, call }: Pair,
        seen: &FxHashSet<(KeyId, KeyId)>,
    ) -> Path {
        let census = self.build.census;
        let is_hiding = is_leaf && self.misses_callers_of_leaves;
        let below = self.below(callee);
        let key = self.keys.get(caller);
        let callers = match &*key.object == self.label {
            true => self.build.of_key(caller).to_vec(),
            false => Vec::new(),
        };
        let starts = is_program_start(&key.name) && &*key.object != self.label;
        let is_called = |id: &FunctionId| callers.iter().any(|from| census.call(*from, *id).is_some());
        if below.is_empty() || below.iter().any(is_called) || caller == callee {
            return Path::Nothing;
        }
        let entered: Vec<FunctionId> = match starts {
            true => held(census, ENTRY),
            false if call == KnownCall::Pointer => Vec::new(),
            false => callers.iter().flat_map(|id| called_from(census, *id)).collect(),
        };
        let Some(leads) = leads_to(census, &below) else { return Path::Unknown };
        let Some(paths) = paths(census, entered, &leads, is_hiding) else { return Path::Unknown };
        if call == KnownCall::Pointer && !starts {
            if let Some(path) = self.seen_way(caller, &below, is_hiding, seen) {
                return path;
            }
            if below.iter().all(|id| has_few_pointers(census, *id)) {
                let ways = ways_of_pointers(census, &leads, is_hiding);
                return if ways.is_empty() {
                    self.way_by_only_caller(&below, is_hiding)
                } else {
                    self.path_of(ways)
                };
            }
        }
        if !paths.is_empty() || !is_hiding {
            return self.path_of(paths);
        }
        // A caller that no code calls is called through a pointer, and so may be below any function; another need not be.
        let ways = ways_by_callers(census, &leads);
        let is_named = |way: &Vec<FunctionId>| way.first().is_some_and(|id| is_entered(census, *id));
        if ways.iter().any(is_named) { Path::Unknown } else { self.path_of(ways) }
    }
}

/// The machine functions of a stack, each with the one above it and its place in the stack; `calls` are their calls, where known.
fn pairs(keys: &Keys, calls: &[KnownCall], levels: &[Level]) -> impl Iterator<Item = (usize, Pair)> {
    let machine = levels.iter().enumerate().filter(|(_, level)| !level.inlined);
    let calls = if calls.len() == machine.clone().count() { calls } else { &[] };
    let is_of_kernel = |level: &Level| is_kernel_object(&keys.get(level.key).object);
    let leaf = levels.iter().rposition(|level| !level.inlined && !is_of_kernel(level));
    let calls = calls.iter().copied().chain(std::iter::repeat(KnownCall::Unknown));
    let callees = machine.clone().zip(calls).skip(1);
    machine.zip(callees).map(move |((_, above), ((at, below), call))| {
        (at, Pair { caller: above.key, callee: below.key, is_leaf: Some(at) == leaf, call })
    })
}
