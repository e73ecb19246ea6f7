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
//! Cost: unique stacks x depth; a pair of functions is looked up once for each way in which the call between them is known.

use pdiff_profile::census::{Census, Function, FunctionId, Linkage, Visibility};
use pdiff_profile::{NoteKind, Notes, PerSide, Side, StackId, Weight};
use rustc_hash::FxHashMap;

use super::build_functions::BuildFunctions;
use super::input::{Knowledge, Sides};
use super::known_calls::{KnownCall, KnownCalls, knows_calls};
use super::mistakes::unwinding;
use super::prepare::{PreparedRun, PreparedSides};
use super::side_fact::Unwinding;
use crate::c_library::is_program_start;
use crate::findings::is_kernel_object;
use crate::matching::held;
use crate::normalize::{KeyId, Keys, Level, NormalStacks};

/// How many jumps in a row are followed.
const MOST_JUMPS: usize = 3;

/// A function that leads to more others may have ways that were not looked at.
const WIDEST: usize = 4096;

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
        let tell_all = builds
            .values()
            .all(|census| census.is_some_and(|census| census.visibility() != Visibility::DynamicSymbols));
        if !tell_all {
            return self.with_stacks(sides, prepared.runs.iter().map(|_| None).collect(), notes, knowledge);
        }
        // So are calls read from the code: packs of earlier versions do not have them.
        let are_known = prepared.runs.iter().all(|run| knows_calls(run.input));
        let mut hidden = PerSide::from_fn(|side| {
            let census = builds[side]?;
            Some(HiddenCallers::new(prepared.keys, (label, census), side, ways[side]))
        });
        let stacks = prepared.runs.iter().map(|run| {
            let hidden = hidden[run.side].as_mut()?;
            let calls = are_known.then(|| KnownCalls::new(run.input, hidden.build.census));
            Some(hidden.put_back(run, calls, &mut notes))
        });
        let stacks = stacks.collect();
        self.with_stacks(sides, stacks, notes, knowledge)
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

/// What the code of one side's build tells of callers that its chains hide.
struct HiddenCallers<'a> {
    keys: &'a Keys,
    build: BuildFunctions<'a>,
    /// What rows call the program.
    label: &'a str,
    /// Whether chains miss the callers of leaves.
    misses_callers_of_leaves: bool,
    /// The functions between two of a stack.
    between: FxHashMap<Pair, Box<[KeyId]>>,
}

impl<'a> HiddenCallers<'a> {
    /// Of a side whose chains were made in one way; `None` where that is not known.
    fn new(
        keys: &'a Keys,
        (label, census): (&'a str, &'a Census),
        side: Side,
        unwinding: Option<Unwinding>,
    ) -> Self {
        let misses_callers_of_leaves =
            !matches!(unwinding, Some(Unwinding::DebugInformation | Unwinding::BranchRecords));
        let build = BuildFunctions::new(keys, (label, census), side);
        Self { keys, build, label, misses_callers_of_leaves, between: FxHashMap::default() }
    }

    /// A run's stacks with the callers that their chains hide. How many samples that changes is noted.
    fn put_back(
        &mut self,
        run: &PreparedRun<'_>,
        mut calls: Option<KnownCalls<'_>>,
        notes: &mut Notes,
    ) -> NormalStacks {
        let stacks = run.stacks.rewritten(|stack, levels, out| {
            let calls = calls.as_mut().map_or_else(Vec::new, |calls| calls.of(stack));
            self.append(&calls, levels, out);
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
            let example =
                || format!("{}: such as {}", run.input.path, self.example(run.stacks, &stacks, first));
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
    fn append(&mut self, calls: &[KnownCall], levels: &[Level], out: &mut Vec<Level>) {
        let functions = levels.iter().filter(|level| !level.inlined).count();
        let calls = if calls.len() == functions { calls } else { &[] };
        let mut calls = calls.iter().copied();
        let is_of_kernel = |level: &Level| is_kernel_object(&self.keys.get(level.key).object);
        let leaf = levels.iter().rposition(|level| !level.inlined && !is_of_kernel(level));
        let mut caller: Option<KeyId> = None;
        for (at, level) in levels.iter().enumerate() {
            if !level.inlined {
                let call = calls.next().unwrap_or(KnownCall::Unknown);
                if let Some(caller) = caller {
                    let pair = Pair { caller, callee: level.key, is_leaf: Some(at) == leaf, call };
                    let hidden = self.between(pair).iter();
                    out.extend(hidden.map(|key| Level { key: *key, inlined: false }));
                }
                caller = Some(level.key);
            }
            out.push(*level);
        }
    }

    /// The functions that the code has between two that stand one above the other in a stack.
    fn between(&mut self, pair: Pair) -> &[KeyId] {
        if !self.between.contains_key(&pair) {
            let path = match pair.call {
                KnownCall::Itself => None,
                KnownCall::Other(called) => self.path_from(called, pair),
                KnownCall::Unknown | KnownCall::Pointer => self.path(pair),
            };
            self.between.insert(pair, path.unwrap_or_default());
        }
        self.between.get(&pair).map_or(&[], |path| path)
    }

    /// The functions between a pair of which the upper one called `called`: the only path from there, else that function alone.
    fn path_from(&mut self, called: FunctionId, Pair { callee, is_leaf, .. }: Pair) -> Option<Box<[KeyId]>> {
        let below = self.below(callee);
        if below.contains(&called) {
            return None;
        }
        let is_hiding = is_leaf && self.misses_callers_of_leaves;
        let census = self.build.census;
        let ways = leads_to(census, &below).and_then(|leads| paths(census, vec![called], &leads, is_hiding));
        let path = ways.and_then(|mut paths| only(&mut paths)).and_then(|path| self.keys_of(path));
        path.or_else(|| self.keys_of(vec![called])).filter(|path| path.first() != Some(&callee))
    }

    fn keys_of(&mut self, path: Vec<FunctionId>) -> Option<Box<[KeyId]>> {
        path.into_iter().map(|id| self.build.key_of(id)).collect()
    }

    /// The functions that a key represents; of one in a library, the stubs that lead to it.
    fn below(&mut self, callee: KeyId) -> Vec<FunctionId> {
        let below = self.build.of_key(callee).to_vec();
        if below.is_empty() { self.build.stubs_of(callee) } else { below }
    }

    fn path(&mut self, Pair { caller, callee, is_leaf, call }: Pair) -> Option<Box<[KeyId]>> {
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
            return None;
        }
        let entered: Vec<FunctionId> = match starts {
            true => held(census, ENTRY),
            false if call == KnownCall::Pointer => Vec::new(),
            false => callers.iter().flat_map(|id| called_from(census, *id)).collect(),
        };
        let leads = leads_to(census, &below)?;
        let mut paths = paths(census, entered, &leads, is_hiding)?;
        let path = match call {
            KnownCall::Pointer if !starts && below.iter().all(|id| has_few_pointers(census, *id)) => {
                only(&mut ways_of_pointers(census, &leads, is_hiding))
            }
            _ if paths.is_empty() && is_hiding => only_caller(census, &leads),
            _ => only(&mut paths),
        };
        self.keys_of(path?)
    }
}

/// The callees in the code of a function; a jump in tail position is not a call.
fn called_from(census: &Census, id: FunctionId) -> impl Iterator<Item = FunctionId> {
    census.calls_from(id).iter().filter(|edge| edge.calls > 0).map(|edge| edge.callee)
}

/// The first of some ways, if there is no second one.
fn only(ways: &mut Vec<Vec<FunctionId>>) -> Option<Vec<FunctionId>> {
    ways.pop().filter(|_| ways.is_empty())
}

/// The ways by which jumps lead to one of `below`, root first, with the function that they lead to; `None` where there are too many.
fn leads_to(census: &Census, below: &[FunctionId]) -> Option<Vec<Vec<FunctionId>>> {
    let mut leads: Vec<Vec<FunctionId>> = below.iter().map(|id| vec![*id]).collect();
    let mut from = 0;
    for _ in 0..MOST_JUMPS {
        let until = leads.len();
        for at in from..until {
            let way = leads.get(at)?.clone();
            let jumps = census.calls_to(*way.first()?).filter(|edge| edge.tail_jumps > 0);
            let before = jumps.map(|edge| edge.caller).filter(|id| !way.contains(id));
            let longer = before.map(|id| std::iter::once(id).chain(way.iter().copied()).collect());
            leads.extend(longer.collect::<Vec<Vec<FunctionId>>>());
        }
        if leads.len() > WIDEST {
            return None;
        }
        from = until;
    }
    Some(leads)
}

/// The paths by which one of the functions `entered` leads to one of those that `leads` end with, and that no chain has, root first:
/// all, or the first two. `None` where there are too many to look at.
fn paths(
    census: &Census,
    mut entered: Vec<FunctionId>,
    leads: &[Vec<FunctionId>],
    misses_caller: bool,
) -> Option<Vec<Vec<FunctionId>>> {
    entered.sort_unstable();
    entered.dedup();
    let above = jumps_from(census, &entered, WIDEST)?;
    let mut paths = Vec::new();
    for lead in leads {
        let (first, hidden) = (*lead.first()?, lead.get(..lead.len() - 1)?);
        // By jumps alone: no chain has them.
        if !hidden.is_empty() && entered.binary_search(&first).is_ok() {
            paths.push(hidden.to_vec());
        }
        // By jumps to the leaf's caller, which its chain misses, and from there by a call and jumps.
        if misses_caller {
            let calls_it = |way: &&Vec<FunctionId>| {
                let edge = way.last().and_then(|last| census.call(*last, first));
                edge.is_some_and(|edge| edge.calls > 0) && way.iter().all(|id| !lead.contains(id))
            };
            paths.extend(above.iter().filter(calls_it).map(|way| [way, hidden].concat()));
        }
        if paths.len() > 1 {
            break;
        }
    }
    Some(paths)
}

/// Whether a function is hardly called through a pointer: one of its file, or a stub, that code calls or jumps to.
fn has_few_pointers(census: &Census, id: FunctionId) -> bool {
    let is_of_file = |of: Function<'_>| matches!(of.linkage(), Linkage::Local | Linkage::Imported);
    census.function(id).is_some_and(is_of_file) && census.calls_to(id).next().is_some()
}

/// The ways to one of the functions that `leads` end with from functions that are called through pointers alone, as no code calls
/// them or jumps to them: by jumps, and of a leaf by a call and jumps.
fn ways_of_pointers(census: &Census, leads: &[Vec<FunctionId>], misses_caller: bool) -> Vec<Vec<FunctionId>> {
    let is_entered = |id: FunctionId| census.calls_to(id).next().is_some();
    let mut ways = Vec::new();
    for lead in leads {
        let (Some(first), Some(hidden)) = (lead.first(), lead.get(..lead.len() - 1)) else { continue };
        if !hidden.is_empty() && !is_entered(*first) {
            ways.push(hidden.to_vec());
        }
        let calls = census.calls_to(*first).filter(|edge| misses_caller && edge.calls > 0);
        let callers = calls.map(|edge| edge.caller).filter(|id| !is_entered(*id) && !lead.contains(id));
        ways.extend(callers.map(|caller| [&[caller], hidden].concat()));
    }
    ways
}

/// The only caller that a leaf has in the code, and the jumps from there: where no code calls that caller, it is called
/// through a pointer, and so may be below any function.
fn only_caller(census: &Census, leads: &[Vec<FunctionId>]) -> Option<Vec<FunctionId>> {
    let calls_to = |lead: &'_ Vec<FunctionId>| {
        let edges = lead.first().into_iter().flat_map(|first| census.calls_to(*first));
        edges.filter(|edge| edge.calls > 0).map(|edge| edge.caller).collect::<Vec<_>>()
    };
    let mut ways = leads.iter().flat_map(|lead| calls_to(lead).into_iter().map(move |caller| (caller, lead)));
    let (caller, lead) = ways.next().filter(|_| ways.next().is_none())?;
    let is_called = census.calls_to(caller).next().is_some() || lead.contains(&caller);
    (!is_called).then(|| std::iter::once(caller).chain(lead.iter().copied().take(lead.len() - 1)).collect())
}

/// The ways that begin with one of some functions and continue by jumps; `None` where there are too many.
fn jumps_from(census: &Census, first: &[FunctionId], most: usize) -> Option<Vec<Vec<FunctionId>>> {
    let mut ways: Vec<Vec<FunctionId>> = first.iter().map(|id| vec![*id]).collect();
    let mut from = 0;
    for _ in 0..MOST_JUMPS {
        let until = ways.len();
        for at in from..until {
            let way = ways.get(at)?.clone();
            let jumps = census.calls_from(*way.last()?).iter().filter(|edge| edge.tail_jumps > 0);
            let after = jumps.map(|edge| edge.callee).filter(|id| !way.contains(id));
            ways.extend(
                after.map(|id| way.iter().copied().chain([id]).collect::<Vec<_>>()).collect::<Vec<_>>(),
            );
        }
        if ways.len() > most {
            return None;
        }
        from = until;
    }
    Some(ways)
}
