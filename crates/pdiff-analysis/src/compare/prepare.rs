//! The runs of both sides made ready for counting: stacks as functions, samples filtered, threads grouped.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use pdiff_profile::names::FunctionName;
use pdiff_profile::{
    Call, Cell, FrameId, NoteKind, Notes, ObjectIndex, ObjectKind, PerSide, Resolution, Resolutions, Side,
    StackId, Weight,
};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::comparability::ChainFacts;
use super::counterparts::Counterparts;
use super::coverage::Coverage;
use super::input::{CompareSettings, Knowledge, RunInput, Sides};
use super::key_facts::{KeyFacts, Waits};
use super::known_calls::Skipped;
use super::matching::Renames;
use super::side_fact::SideFact;
use super::side_object::{SideObject, objects};
use crate::filter::Filtering;
use crate::findings::Findings;
use crate::noise::NoiseSettings;
use crate::normalize::{KeyId, Keys, NormalStacks};
use crate::objects::{ObjectLabels, ObjectWeights, heaviest_program, weights_by_label};
use crate::one_sided::OneSidedInlines;
use crate::threads::group_threads;

/// Both sides made ready once, for every view of them: stacks as functions, samples filtered, threads grouped.
///
/// It contains no recording: those it was made of are given with each question.
#[derive(Debug)]
pub struct PreparedSides {
    keys: Arc<Keys>,
    renames: Renames,
    facts: Arc<KeyFacts>,
    runs: Vec<NormalRun>,
    notes: Notes,
    program: Option<Program>,
    /// What the builds tell of functions that the samples of one side alone hold; `None` without builds.
    pub(super) counterparts: Option<Counterparts>,
    /// What the recorded stacks say of call chains.
    pub(super) chains: ChainFacts,
    /// Likely mistakes in the input, once they were checked.
    pub(super) mistakes: OnceLock<Vec<SideFact>>,
    /// The findings under the noise settings that first asked for them; rows and denominators do not matter to them.
    pub(super) findings: OnceLock<(NoiseSettings, Findings)>,
}

/// One run made ready.
#[derive(Clone, Debug)]
struct NormalRun {
    stacks: Arc<NormalStacks>,
    /// The cells that passed the filters, by block; `None` where all did.
    kept: Option<Arc<[Cell]>>,
    /// The group of each thread.
    groups: Arc<[String]>,
    /// By stack: whether an address of it lies in a loop that busy-waits; empty where none does.
    polls: Arc<[bool]>,
    /// By object: the weight of the samples that it is the leaf of, filtered or not.
    leaf_weights: Arc<[u64]>,
}

/// The program compared: after the filters, the file with the most samples of its own, libraries ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// What rows call it.
    pub label: String,
    /// Its paths in the profiles of each side, base first.
    pub paths: PerSide<Vec<String>>,
}

/// One run, and what was made of it.
pub(super) struct PreparedRun<'a> {
    pub(super) side: Side,
    pub(super) input: &'a RunInput<'a>,
    pub(super) stacks: &'a NormalStacks,
    /// The cells of the event compared that passed the filters, by block.
    pub(super) cells: &'a [Cell],
    /// The group of each thread.
    pub(super) groups: &'a [String],
    /// The machine, as a number that both sides use; `None` if it is not known, or all runs are of one.
    pub(super) host: Option<u32>,
    /// How many runs its side has of that machine; 1 if it is not known.
    pub(super) runs_of_host: f64,
    /// By stack: whether an address of it lies in a loop that busy-waits; empty where none does.
    polls: &'a [bool],
    /// By object: the weight of the samples that it is the leaf of, filtered or not.
    pub(super) leaf_weights: &'a [u64],
}

impl PreparedRun<'_> {
    /// The weight of each stack.
    pub(super) fn stack_weights(&self) -> Vec<u64> {
        self.weights_where(|_| true)
    }

    /// The samples of each stack.
    pub(super) fn stack_samples(&self) -> Vec<u64> {
        let mut samples = vec![0_u64; self.stacks.len()];
        for cell in self.cells {
            let of_stack = samples.get_mut(cell.stack.index());
            of_stack.into_iter().for_each(|sum| *sum += u64::from(cell.samples));
        }
        samples
    }

    /// The weight of each stack in the threads of one group.
    pub(super) fn stack_weights_of(&self, group: &str) -> Vec<u64> {
        self.weights_where(|cell| self.is_of_group(cell, group))
    }

    /// Whether a cell is of a thread of the group.
    pub(super) fn is_of_group(&self, cell: &Cell, group: &str) -> bool {
        self.groups.get(cell.thread.index()).is_some_and(|of| of == group)
    }

    fn weights_where(&self, is_counted: impl Fn(&Cell) -> bool) -> Vec<u64> {
        let mut weights = vec![0_u64; self.stacks.len()];
        for cell in self.cells.iter().filter(|cell| is_counted(cell)) {
            if let Some(weight) = weights.get_mut(cell.stack.index()) {
                *weight += cell.weight.0;
            }
        }
        weights
    }

    /// Whether a stack busy-waits.
    pub(super) fn spins(&self, facts: &KeyFacts, stack: StackId) -> bool {
        self.polls(stack) || self.stacks.get(stack).iter().any(|level| facts.waits(level.key) == Waits::Spins)
    }

    /// Whether a stack busy-waits or idles: it is not work.
    pub(super) fn waits(&self, facts: &KeyFacts, stack: StackId) -> bool {
        self.polls(stack) || self.stacks.get(stack).iter().any(|level| facts.waits(level.key) != Waits::No)
    }

    /// Whether an address of a stack lies in a loop that busy-waits.
    fn polls(&self, stack: StackId) -> bool {
        self.polls.get(stack.index()).copied().unwrap_or(false)
    }

    /// The weight of each function as a leaf; samples without a function are left out.
    pub(super) fn leaf_functions(&self) -> FxHashMap<KeyId, u64> {
        let mut functions = FxHashMap::default();
        let weights = (0..).map(StackId).zip(self.stack_weights()).filter(|(_, weight)| *weight > 0);
        for (stack, weight) in weights {
            if let Some(leaf) = self.stacks.get(stack).last() {
                *functions.entry(leaf.key).or_default() += weight;
            }
        }
        functions
    }
}

/// All runs, before's first, what was made of them, and the functions in them.
pub(super) struct Prepared<'a> {
    pub(super) keys: &'a Keys,
    pub(super) renames: &'a Renames,
    pub(super) facts: &'a KeyFacts,
    pub(super) counterparts: Option<&'a Counterparts>,
    pub(super) runs: Vec<PreparedRun<'a>>,
}

impl Prepared<'_> {
    /// The key that represents `key` where the sides are aligned: of what was renamed, by known renames or by the builds,
    /// the one of both.
    pub(super) fn heir(&self, key: KeyId) -> KeyId {
        let key = self.renames.canonical(key);
        self.counterparts.map_or(key, |counterparts| counterparts.heir(key))
    }

    /// Whether the stack busy-waits or idles: it is not work.
    pub(super) fn waits(&self, run: &PreparedRun<'_>, stack: StackId) -> bool {
        run.waits(self.facts, stack)
    }

    /// By stack of a run: whether it busy-waits.
    pub(super) fn spins(&self, run: &PreparedRun<'_>) -> Vec<bool> {
        (0..).map(StackId).take(run.stacks.len()).map(|stack| run.spins(self.facts, stack)).collect()
    }
}

impl PreparedSides {
    /// Makes functions of stacks, filters samples and groups threads. Of the settings, policy, filters and knowledge count.
    #[must_use]
    pub fn new(sides: &Sides<'_>, settings: &CompareSettings) -> Self {
        let mut notes = Notes::new();
        let PerSide { before, after } = all_leaf_weights(sides);
        let labels = ObjectLabels::new(&before, &after, &mut notes);
        let one_sided = one_sided_inlines(sides, &labels);
        let mut keys = Keys::new(settings.policy, labels, one_sided);
        let mut keys_of_after = keys.fresh();
        let of_before = || normalized(sides, Side::Before, &mut keys);
        let of_after = || normalized(sides, Side::After, &mut keys_of_after);
        let chains = || ChainFacts::new(sides);
        // The longer of two comes first: what is said of chains fills the time that the shorter one leaves.
        let size = |side| sides.get(side).runs.iter().map(|run| run.profile.frames.len()).sum::<usize>();
        let ((mut normalized, mut of_after), chains) = if size(Side::Before) > size(Side::After) {
            let ((of_before, chains), of_after) = rayon::join(|| rayon::join(of_before, chains), of_after);
            ((of_before, of_after), chains)
        } else {
            let ((of_after, chains), of_before) = rayon::join(|| rayon::join(of_after, chains), of_before);
            ((of_before, of_after), chains)
        };
        let ids = keys.absorb(keys_of_after, Side::After);
        of_after.par_iter_mut().for_each(|(_, _, stacks)| stacks.replace(&ids));
        normalized.append(&mut of_after);
        for (_, input, _) in &normalized {
            notes.merge(&input.profile.notes);
            if let Some(symbol_notes) = input.notes {
                notes.merge(symbol_notes);
            }
            note_other_events(input, &mut notes);
        }
        keys.fold_source_roots();
        let resolutions: Vec<_> = normalized.iter().map(|(_, input, _)| input.resolutions).collect();
        let by_file = keys.settle_files(&resolutions);
        keys.shrink_to_fit();
        normalized.par_iter_mut().for_each(|(side, _, stacks)| stacks.replace(&by_file[*side]));
        for ((side, input, stacks), skipped) in normalized.iter_mut().zip(&chains.skipped) {
            add_called(&keys, (*side, input), skipped, stacks);
        }
        let leaf_weights = before.into_iter().chain(after).map(|run| run.leaf_weights);
        let with_weights = normalized.into_iter().zip(leaf_weights);
        let runs = normal_runs(with_weights, &keys, settings, &mut notes);
        let seen = seen_on_both(&view_runs(sides, &runs));
        let knowledge = &settings.knowledge;
        let (renames, facts) = rayon::join(
            || Renames::new(&keys, &seen, &knowledge.aliases),
            || KeyFacts::new(&keys, knowledge),
        );
        let program = program(&view_runs(sides, &runs), &keys);
        Self {
            keys: Arc::new(keys),
            renames,
            facts: Arc::new(facts),
            runs,
            notes,
            program,
            counterparts: None,
            chains,
            mistakes: OnceLock::new(),
            findings: OnceLock::new(),
        }
    }

    /// The same samples with other stacks, those of each run in turn; of `None` they stay.
    pub(super) fn with_stacks(
        &self,
        sides: &Sides<'_>,
        stacks: Vec<Option<NormalStacks>>,
        notes: Notes,
        knowledge: &Knowledge,
    ) -> Self {
        let run = |(run, stacks): (&NormalRun, Option<NormalStacks>)| NormalRun {
            stacks: stacks.map_or_else(|| Arc::clone(&run.stacks), Arc::new),
            ..run.clone()
        };
        let is_put_back = stacks.iter().any(Option::is_some);
        let runs: Vec<NormalRun> = self.runs.iter().zip(stacks).map(run).collect();
        let seen = seen_on_both(&view_runs(sides, &runs));
        Self {
            renames: Renames::new(&self.keys, &seen, &knowledge.aliases),
            keys: Arc::clone(&self.keys),
            facts: Arc::clone(&self.facts),
            runs,
            notes,
            program: self.program.clone(),
            counterparts: self.counterparts.clone(),
            chains: if is_put_back { self.chains.of_put_back() } else { self.chains.clone() },
            mistakes: self.mistakes.clone(),
            findings: OnceLock::new(),
        }
    }

    /// The functions of both sides.
    pub(super) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The same with what the builds tell; what was found without that is looked for again.
    pub(super) fn knowing(self, counterparts: Counterparts) -> Self {
        Self {
            counterparts: Some(counterparts),
            mistakes: OnceLock::new(),
            findings: OnceLock::new(),
            ..self
        }
    }

    /// The file name of each side's program before any filter, base first; `None` if every object is a library or has no file.
    #[must_use]
    pub fn program_names(sides: &Sides<'_>) -> PerSide<Option<String>> {
        let name = |runs: Vec<ObjectWeights<'_>>| {
            heaviest_program(&weights_by_label(&runs)).map(|(label, _)| label.to_owned())
        };
        all_leaf_weights(sides).map(name)
    }

    /// The program compared; `None` if every object is a library or has no file.
    #[must_use]
    pub fn program(&self) -> Option<&Program> {
        self.program.as_ref()
    }

    /// How many samples of a side passed the filters.
    #[must_use]
    pub fn samples(&self, sides: &Sides<'_>, side: Side) -> u64 {
        let runs = view_runs(sides, &self.runs);
        let cells = runs.iter().filter(|run| run.side == side).flat_map(|run| run.cells);
        cells.map(|cell| u64::from(cell.samples)).sum()
    }

    /// The functions of one object that are in the stacks, as rows name them.
    #[must_use]
    pub fn functions_of(&self, sides: &Sides<'_>, object: &str) -> Vec<&str> {
        let runs = view_runs(sides, &self.runs);
        let mut seen: FxHashSet<KeyId> = FxHashSet::default();
        Side::BOTH.into_iter().for_each(|side| seen.extend(self::seen(&runs, side)));
        let keys = self.keys.iter().filter(|(id, key)| seen.contains(id) && &*key.object == object);
        keys.map(|(_, key)| &*key.name).collect()
    }

    /// The objects of both sides, base first, and what rows call them.
    #[must_use]
    pub fn objects(&self, sides: &Sides<'_>) -> Vec<SideObject> {
        objects(&self.keys, sides)
    }

    /// Notes on imperfections of the recordings.
    pub(super) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// With the recordings that it was made of.
    pub(super) fn view<'a>(&'a self, sides: &'a Sides<'a>) -> Prepared<'a> {
        let runs = view_runs(sides, &self.runs);
        Prepared {
            keys: &self.keys,
            renames: &self.renames,
            facts: &self.facts,
            counterparts: self.counterparts.as_ref(),
            runs,
        }
    }

    /// What the view tells whose stacks have the functions that were called last, as far as the code names them and other stacks have
    /// them.
    pub(super) fn with_called<T>(&self, sides: &Sides<'_>, tell: impl FnOnce(&Prepared<'_>) -> T) -> T {
        let with_called = |(run, skipped): (&NormalRun, &Skipped)| {
            (!skipped.gaps.is_empty()).then(|| run.stacks.with_called(&skipped.gaps))
        };
        let stacks: Vec<Option<NormalStacks>> =
            self.runs.par_iter().zip(&self.chains.skipped).map(with_called).collect();
        let mut view = self.view(sides);
        for (run, stacks) in view.runs.iter_mut().zip(&stacks) {
            run.stacks = stacks.as_ref().unwrap_or(run.stacks);
        }
        tell(&view)
    }
}

/// Filters the samples of normalised runs, and groups their threads.
fn normal_runs<'a>(
    normalized: impl Iterator<Item = ((Side, &'a RunInput<'a>, NormalStacks), Vec<u64>)>,
    keys: &Keys,
    settings: &CompareSettings,
    notes: &mut Notes,
) -> Vec<NormalRun> {
    let thread_groups = &settings.knowledge.thread_groups;
    let roots: Vec<Option<usize>> =
        keys.iter().map(|(_, key)| thread_groups.by_root(&key.qualified)).collect();
    let run = |((side, input, stacks), leaf_weights): ((Side, &RunInput<'_>, NormalStacks), Vec<u64>)| {
        let mut notes = Notes::new();
        let (profile, event) = (input.profile, input.event);
        let groups_of = |cells: &[Cell]| group_threads(profile, cells, &stacks, &roots, thread_groups);
        // A thread's group goes by all of its samples, whatever else is filtered.
        let asks_for_groups = !settings.filters.thread_group.is_empty();
        let of_all = asks_for_groups.then(|| groups_of(profile.cells_of(event)));
        let groups = of_all.as_deref().unwrap_or(&[]);
        let what = Filtering { profile, stacks: &stacks, keys, groups, event, side };
        let kept = settings.filters.apply(&what, &mut notes);
        let cells = kept.as_deref().unwrap_or(profile.cells_of(event));
        let groups = of_all.unwrap_or_else(|| groups_of(cells));
        let polling = input.resolutions.map(Resolutions::polling).filter(|polling| !polling.is_empty());
        let polls = polling.map_or_else(Vec::new, |polling| polling.stacks(profile));
        let run = NormalRun {
            stacks: Arc::new(stacks),
            kept: kept.map(Into::into),
            groups: groups.into(),
            polls: polls.into(),
            leaf_weights: leaf_weights.into(),
        };
        (run, notes)
    };
    let runs: Vec<_> = normalized.collect();
    let (runs, notes_of_runs): (Vec<_>, Vec<_>) = runs.into_par_iter().map(run).unzip();
    notes_of_runs.iter().for_each(|of_run| notes.merge(of_run));
    runs
}

fn view_runs<'a>(sides: &'a Sides<'a>, runs: &'a [NormalRun]) -> Vec<PreparedRun<'a>> {
    let of_side = |side| sides.get(side).runs.iter().map(move |input| (side, input));
    let inputs = Side::BOTH.into_iter().flat_map(of_side);
    let hosts = Hosts::new(sides);
    let run = |((side, input), run): ((Side, &'a RunInput<'a>), &'a NormalRun)| PreparedRun {
        side,
        input,
        stacks: &run.stacks,
        cells: run.kept.as_deref().unwrap_or(input.profile.cells_of(input.event)),
        groups: &run.groups,
        host: hosts.of(input).map(|(number, _)| number),
        runs_of_host: hosts.of(input).map_or(1.0, |(_, runs)| runs[side]),
        polls: &run.polls,
        leaf_weights: &run.leaf_weights,
    };
    inputs.zip(runs).map(run).collect()
}

/// Machines by name: their numbers, and how many runs each side has of them.
struct Hosts<'a>(FxHashMap<&'a str, (u32, PerSide<f64>)>);

impl<'a> Hosts<'a> {
    /// Numbers machines in the order of their names. Runs of a single machine are replicates: there is nothing that they would
    /// be alike in beyond what all are.
    fn new(sides: &'a Sides<'a>) -> Self {
        let mut runs: BTreeMap<&str, PerSide<f64>> = BTreeMap::new();
        for side in Side::BOTH {
            for host in sides.get(side).runs.iter().filter_map(|run| run.host.as_deref()) {
                runs.entry(host).or_default()[side] += 1.0;
            }
        }
        let are_many = runs.len() > 1;
        let numbered = runs.into_iter().zip(0..).map(|((host, runs), number)| (host, (number, runs)));
        Self(numbered.filter(|_| are_many).collect())
    }

    fn of(&self, run: &RunInput<'_>) -> Option<(u32, PerSide<f64>)> {
        self.0.get(run.host.as_deref()?).copied()
    }
}

/// The functions that a side's stacks hold.
pub(super) fn seen(runs: &[PreparedRun<'_>], side: Side) -> FxHashSet<KeyId> {
    // Stacks have many functions and few different ones: they are marked in a list, and only then put into a set.
    let mut is_seen: Vec<bool> = Vec::new();
    for run in runs.iter().filter(|run| run.side == side) {
        let mut has_samples = vec![false; run.stacks.len()];
        for cell in run.cells {
            if let Some(has) = has_samples.get_mut(cell.stack.index()) {
                *has = true;
            }
        }
        let stacks = (0..).map(StackId).zip(has_samples).filter_map(|(stack, has)| has.then_some(stack));
        for level in stacks.flat_map(|stack| run.stacks.get(stack)) {
            let place = level.key.0 as usize;
            if is_seen.len() <= place {
                is_seen.resize(place + 1, false);
            }
            is_seen[place] = true;
        }
    }
    (0..).map(KeyId).zip(is_seen).filter_map(|(key, is_seen)| is_seen.then_some(key)).collect()
}

fn seen_on_both(runs: &[PreparedRun<'_>]) -> PerSide<FxHashSet<KeyId>> {
    let (before, after) = rayon::join(|| seen(runs, Side::Before), || seen(runs, Side::After));
    PerSide::new(before, after)
}

fn program(runs: &[PreparedRun<'_>], keys: &Keys) -> Option<Program> {
    let mut weights: FxHashMap<String, u64> = FxHashMap::default();
    let mut paths: FxHashMap<String, PerSide<Vec<String>>> = FxHashMap::default();
    for run in runs {
        let is_filtered = run.cells.len() < run.input.profile.cells_of(run.input.event).len();
        let of_objects = match is_filtered {
            true => Cow::Owned(leaf_weights(run.input, run.cells)),
            false => Cow::Borrowed(run.leaf_weights),
        };
        let objects = run.input.profile.objects.iter().zip(of_objects.iter().copied());
        for (object, weight) in objects.filter(|(object, _)| object.kind == ObjectKind::File) {
            let label = keys.label(object, run.side);
            let path = object.path.to_string();
            let of_label = &mut paths.entry(label.clone()).or_default()[run.side];
            if !of_label.contains(&path) {
                of_label.push(path);
            }
            let sum = weights.entry(label).or_default();
            *sum = sum.saturating_add(weight);
        }
    }
    let label = heaviest_program(&weights)?.0.to_owned();
    let paths = paths.remove(&label)?;
    Some(Program { label, paths })
}

/// The runs of a side with their stacks as functions.
fn normalized<'a>(
    sides: &'a Sides<'a>,
    side: Side,
    keys: &mut Keys,
) -> Vec<(Side, &'a RunInput<'a>, NormalStacks)> {
    let runs = sides.get(side).runs.iter();
    runs.map(|input| (side, input, keys.normalize(input.profile, input.resolutions, side))).collect()
}

/// Takes in which functions the stacks of a run lack that the other side's stacks alone have: put back on one side only, they would have
/// grown.
fn add_called(keys: &Keys, (side, run): (Side, &RunInput<'_>), skipped: &Skipped, stacks: &mut NormalStacks) {
    let callers = skipped.gaps.values().flat_map(|gaps| gaps.iter().map(|gap| gap.caller));
    let unknown: FxHashSet<FrameId> = callers.filter(|caller| !stacks.knows_called(*caller)).collect();
    let Some(resolutions) = run.resolutions.filter(|_| !unknown.is_empty()) else { return };
    for (caller, call) in resolutions.calls().iter().filter(|(caller, _)| unknown.contains(caller)) {
        let frame = run.profile.frames.get(caller.index());
        let object = frame.and_then(|frame| run.profile.objects.get(frame.object.index()));
        let (Call::Function(number), Some(object)) = (call, object) else { continue };
        let Some(chain) = resolutions.table().get(number as usize).and_then(Resolution::chain) else {
            continue;
        };
        let function = chain.outermost();
        let name = FunctionName::with_linkage(&function.name, function.linkage_name.as_deref());
        if let Some(key) = keys.of_other_side(&name, (&keys.label(object, side), side)) {
            stacks.add_called(caller, key);
        }
    }
}

fn one_sided_inlines(sides: &Sides<'_>, labels: &ObjectLabels) -> OneSidedInlines {
    let mut views = Vec::new();
    for side in Side::BOTH {
        for run in &sides.get(side).runs {
            views.push((side, run.profile, run.resolutions));
        }
    }
    OneSidedInlines::find(&views, labels, Coverage::find(sides, labels))
}

/// The weight of the samples that each object is the leaf of, of all runs before any filter.
fn all_leaf_weights<'a>(sides: &'a Sides<'a>) -> PerSide<Vec<ObjectWeights<'a>>> {
    let of_run = |run: &'a RunInput<'a>| ObjectWeights {
        profile: run.profile,
        leaf_weights: leaf_weights(run, run.profile.cells_of(run.event)),
    };
    let of_side = |side| sides.get(side).runs.par_iter().map(of_run).collect();
    let (before, after) = rayon::join(|| of_side(Side::Before), || of_side(Side::After));
    PerSide::new(before, after)
}

fn leaf_weights(run: &RunInput<'_>, cells: &[Cell]) -> Vec<u64> {
    let mut weights = vec![0_u64; run.profile.objects.len()];
    for cell in cells {
        let leaf = run.profile.stacks.get(cell.stack).last();
        let frame = leaf.and_then(|leaf| run.profile.frames.get(leaf.index()));
        let object = frame.map_or(ObjectIndex(u32::MAX), |frame| frame.object);
        if let Some(weight) = weights.get_mut(object.index()) {
            *weight = weight.saturating_add(cell.weight.0);
        }
    }
    weights
}

fn note_other_events(run: &RunInput<'_>, notes: &mut Notes) {
    let samples = run.profile.events.get(run.event.index()).map(|event| event.samples);
    for (index, event) in run.profile.events.iter().enumerate() {
        // pprof counts the same samples in an event of their own.
        let is_count = &*event.name == "samples" && !event.has_period && Some(event.samples) == samples;
        if index != run.event.index() && !is_count {
            notes.add(NoteKind::OtherEvent, event.samples, Weight::ZERO, || {
                format!("{}: {} samples of event {} ignored", run.path, event.samples, event.name)
            });
        }
    }
}
