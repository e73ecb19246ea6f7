//! The runs of both sides made ready for counting: stacks as functions, samples filtered, threads grouped.

use std::borrow::Cow;

use pdiff_profile::{Cell, NoteKind, Notes, ObjectIndex, Side, StackId, Weight};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::input::{CompareSettings, RunInput, Sides};
use super::matching::Renames;
use crate::filter::Filtering;
use crate::normalize::{KeyId, Keys, NormalStacks};
use crate::objects::{ObjectLabels, ObjectWeights};
use crate::one_sided::OneSidedInlines;
use crate::threads::group_threads;

/// One run made ready.
pub(super) struct PreparedRun<'a> {
    pub(super) side: Side,
    pub(super) input: &'a RunInput<'a>,
    pub(super) stacks: NormalStacks,
    /// The cells of the event compared that passed the filters, by block.
    pub(super) cells: Cow<'a, [Cell]>,
    /// The group of each thread.
    pub(super) groups: Vec<String>,
}

impl PreparedRun<'_> {
    /// The weight of each stack.
    pub(super) fn stack_weights(&self) -> Vec<u64> {
        let mut weights = vec![0_u64; self.stacks.len()];
        for cell in self.cells.iter() {
            if let Some(weight) = weights.get_mut(cell.stack.index()) {
                *weight += cell.weight.0;
            }
        }
        weights
    }
}

/// All runs made ready, before's first, and the functions in them.
pub(super) struct Prepared<'a> {
    pub(super) keys: Keys,
    pub(super) runs: Vec<PreparedRun<'a>>,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(sides: &'a Sides<'a>, settings: &CompareSettings, notes: &mut Notes) -> Self {
        let [before, after] =
            Side::BOTH.map(|side| sides.get(side).runs.iter().map(leaf_weights).collect::<Vec<_>>());
        let labels = ObjectLabels::new(&before, &after, notes);
        let one_sided = one_sided_inlines(sides, &labels);
        let mut keys = Keys::new(settings.policy, labels, one_sided);
        let mut keys_of_after = keys.fresh();
        let (mut normalized, mut of_after) = rayon::join(
            || normalized(sides, Side::Before, &mut keys),
            || normalized(sides, Side::After, &mut keys_of_after),
        );
        let ids = keys.absorb(keys_of_after, Side::After);
        of_after.par_iter_mut().for_each(|(_, _, stacks)| stacks.replace(&ids));
        normalized.append(&mut of_after);
        for (_, input, _) in &normalized {
            notes.merge(&input.profile.notes);
            if let Some(symbol_notes) = input.notes {
                notes.merge(symbol_notes);
            }
            note_other_events(input, notes);
        }
        keys.fold_source_roots();
        let resolutions: Vec<_> = normalized.iter().map(|(_, input, _)| input.resolutions).collect();
        let by_file = keys.settle_files(&resolutions);
        normalized.par_iter_mut().for_each(|(side, _, stacks)| stacks.replace(&by_file[side.index()]));
        let thread_groups = &settings.knowledge.thread_groups;
        let roots: Vec<Option<usize>> =
            keys.iter().map(|(_, key)| thread_groups.by_root(&key.qualified)).collect();
        let runs = normalized
            .into_iter()
            .map(|(side, input, stacks)| {
                let what = Filtering {
                    profile: input.profile,
                    stacks: &stacks,
                    keys: &keys,
                    event: input.event,
                    side,
                };
                let cells = settings.filters.apply(&what, notes);
                let groups = group_threads(input.profile, &cells, &stacks, &roots, thread_groups);
                PreparedRun { side, input, stacks, cells, groups }
            })
            .collect();
        Self { keys, runs }
    }

    /// Which function of one side stands for which of the other.
    pub(super) fn renames(&self, settings: &CompareSettings) -> Renames {
        let seen = Side::BOTH.map(|side| self.seen(side));
        Renames::new(&self.keys, &seen, &settings.knowledge.aliases)
    }

    /// The functions that a side's stacks hold.
    fn seen(&self, side: Side) -> FxHashSet<KeyId> {
        let mut seen = FxHashSet::default();
        for run in self.runs.iter().filter(|run| run.side == side) {
            let mut has_samples = vec![false; run.stacks.len()];
            for cell in run.cells.iter() {
                if let Some(has) = has_samples.get_mut(cell.stack.index()) {
                    *has = true;
                }
            }
            let stacks = (0..).map(StackId).zip(has_samples).filter_map(|(stack, has)| has.then_some(stack));
            seen.extend(stacks.flat_map(|stack| run.stacks.get(stack)).map(|level| level.key));
        }
        seen
    }
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

fn one_sided_inlines(sides: &Sides<'_>, labels: &ObjectLabels) -> OneSidedInlines {
    let mut views = Vec::new();
    for side in Side::BOTH {
        for run in &sides.get(side).runs {
            views.push((side, run.profile, run.resolutions));
        }
    }
    OneSidedInlines::find(&views, labels)
}

fn leaf_weights<'a>(run: &'a RunInput<'a>) -> ObjectWeights<'a> {
    let mut weights = vec![0_u64; run.profile.objects.len()];
    for cell in run.profile.cells_of(run.event) {
        let leaf = run.profile.stacks.get(cell.stack).last();
        let frame = leaf.and_then(|leaf| run.profile.frames.get(leaf.index()));
        let object = frame.map_or(ObjectIndex(u32::MAX), |frame| frame.object);
        if let Some(weight) = weights.get_mut(object.index()) {
            *weight = weight.saturating_add(cell.weight.0);
        }
    }
    ObjectWeights { profile: run.profile, leaf_weights: weights }
}

fn note_other_events(run: &RunInput<'_>, notes: &mut Notes) {
    for (index, event) in run.profile.events.iter().enumerate() {
        if index != run.event.index() {
            notes.add(NoteKind::OtherEvent, event.samples, Weight::ZERO, || {
                format!("{}: {} samples of event {} left aside", run.path, event.samples, event.name)
            });
        }
    }
}
