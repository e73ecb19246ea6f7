//! What the instructions before the return addresses of one run's stacks say: which function each caller called.

use pdiff_profile::census::{Census, Function, FunctionId};
use pdiff_profile::names::FunctionName;
use pdiff_profile::{
    Call, FrameId, InlineChain, InlineFrame, Lookup, Lookups, Profile, Resolution, Resolutions, StackId,
};
use rustc_hash::FxHashMap;

use super::comparison::MissingCallers;
use super::input::RunInput;
use crate::findings::is_system_library;
use crate::matching::{file_likeness, held};
use crate::normalize::Gap;

/// What is known of the call of one level of a stack by the machine function above it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum KnownCall {
    /// Nothing.
    Unknown,
    /// The function below was called: nothing is hidden.
    Itself,
    /// This function was called, which is another one.
    Other(FunctionId),
    /// Some function was called through a pointer.
    Pointer,
}

/// Whether calls that return to frames of a run are known.
pub(super) fn knows_calls(run: &RunInput<'_>) -> bool {
    run.resolutions.is_some_and(|resolutions| !resolutions.calls().is_empty())
}

/// The stacks of one run that lack functions: the code says that a caller called another one than the one below it.
#[derive(Clone, Debug, Default)]
pub(super) struct Skipped {
    /// Where each lacks which, root first.
    pub(super) gaps: FxHashMap<StackId, Box<[Gap]>>,
    /// Its samples.
    all: u64,
    /// Those that lack the function that was called last.
    without_called: u64,
    /// Those that ran in a system library below a call through a pointer: what was called is not known.
    through_pointer: u64,
}

/// What the last call of a stack is known to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastCall {
    OfWhatRan,
    OfAnother,
    ThroughPointer,
}

impl Skipped {
    /// Of a run whose calls are known.
    pub(super) fn find(run: &RunInput<'_>) -> Self {
        let mut skipped = Self::default();
        let Some(resolutions) = run.resolutions else { return skipped };
        let profile = run.profile;
        let lookups = Lookups::new(profile);
        let functions = numbered_functions(resolutions);
        let function = |number: u32| functions.get(number as usize).copied().flatten();
        let mut called: Vec<Option<u32>> = vec![None; profile.frames.len()];
        let mut is_by_pointer = vec![false; profile.frames.len()];
        for (caller, call) in resolutions.calls().iter() {
            let Call::Function(number) = call else {
                is_by_pointer.get_mut(caller.index()).into_iter().for_each(|of| *of = true);
                continue;
            };
            // What a stub leads to is not in its name.
            let is_told = resolutions.table().get(number as usize).and_then(machine_function);
            let is_told = is_told.is_some_and(|called| !called.name.contains("@plt"));
            let of_caller = called.get_mut(caller.index()).filter(|_| is_told);
            of_caller.into_iter().for_each(|of| *of = function(number));
        }
        let is_skipping = |caller: FrameId, (below, lookup): (FrameId, Lookup)| {
            let called = called.get(caller.index()).copied().flatten();
            called.is_some() && resolutions.number(below, lookup).and_then(function) != called
        };
        let objects = profile.objects.iter().map(|object| is_system_library(object.file_name()));
        let is_of_library: Vec<bool> = objects.collect();
        let is_in_library = |id: FrameId| {
            let frame = profile.frames.get(id.index());
            frame.and_then(|frame| is_of_library.get(frame.object.index())).copied().unwrap_or(false)
        };
        let last_call = |caller: FrameId, ran: FrameId| {
            let is_by_pointer = is_by_pointer.get(caller.index()).copied().unwrap_or(false);
            match is_by_pointer && is_in_library(ran) && !is_in_library(caller) {
                true => LastCall::ThroughPointer,
                false => LastCall::OfWhatRan,
            }
        };
        let mut known: Vec<Option<LastCall>> = vec![None; profile.stacks.len()];
        let mut found = Vec::new();
        for cell in profile.cells_of(run.event) {
            let Some(known) = known.get_mut(cell.stack.index()) else { continue };
            let last = *known.get_or_insert_with(|| {
                let mut last = LastCall::OfWhatRan;
                let mut above: Option<(FrameId, Lookup)> = None;
                for (below, frame) in machine_frames(&lookups, profile.stacks.get(cell.stack)).enumerate() {
                    // What the kernel did for the function that ran is no call in the code.
                    if lookups.is_kernel(frame.0) {
                        break;
                    }
                    let caller = above.replace(frame).filter(|(_, lookup)| *lookup == Lookup::MinusOne);
                    last = match caller {
                        Some((caller, _)) if is_skipping(caller, frame) => {
                            found.push(Gap { caller, below });
                            LastCall::OfAnother
                        }
                        Some((caller, _)) => last_call(caller, frame.0),
                        None => LastCall::OfWhatRan,
                    };
                }
                if !found.is_empty() {
                    skipped.gaps.insert(cell.stack, found.drain(..).collect());
                }
                last
            });
            let samples = u64::from(cell.samples);
            skipped.all += samples;
            match last {
                LastCall::OfWhatRan => {}
                LastCall::OfAnother => skipped.without_called += samples,
                LastCall::ThroughPointer => skipped.through_pointer += samples,
            }
        }
        skipped
    }

    /// The parts of the samples of some runs; `None` without samples.
    pub(super) fn parts<'s>(runs: impl Iterator<Item = &'s Self>) -> Option<MissingCallers> {
        let (mut all, mut without_called, mut through_pointer) = (0, 0, 0);
        for run in runs {
            all += run.all;
            without_called += run.without_called;
            through_pointer += run.through_pointer;
        }
        let pct = |samples: u64| 100.0 * samples as f64 / all as f64;
        let parts = || MissingCallers { told_pct: pct(without_called), unknown_pct: pct(through_pointer) };
        (all > 0).then(parts)
    }
}

/// By resolution: a number for its machine function, the same one for each that is called the same.
fn numbered_functions(resolutions: &Resolutions) -> Vec<Option<u32>> {
    let mut by_name: FxHashMap<(&str, Option<&str>), u32> = FxHashMap::default();
    let functions = resolutions.table().iter().map(machine_function);
    functions
        .map(|function| {
            let function = function?;
            let next = by_name.len() as u32;
            Some(*by_name.entry((&function.name, function.linkage_name.as_deref())).or_insert(next))
        })
        .collect()
}

fn machine_function(resolution: &Resolution) -> Option<&InlineFrame> {
    resolution.chain().map(InlineChain::outermost)
}

fn are_one(one: &InlineFrame, other: &InlineFrame) -> bool {
    (&one.name, &one.linkage_name) == (&other.name, &other.linkage_name)
}

/// The calls in the stacks of one run.
pub(super) struct KnownCalls<'a> {
    profile: &'a Profile,
    lookups: Lookups<'a>,
    resolutions: Option<&'a Resolutions>,
    census: &'a Census,
    /// By frame.
    calls: Vec<Option<Call>>,
    /// By resolution: the program's function of that name.
    functions: FxHashMap<u32, Option<FunctionId>>,
}

impl<'a> KnownCalls<'a> {
    pub(super) fn new(run: &RunInput<'a>, census: &'a Census) -> Self {
        let (profile, resolutions) = (run.profile, run.resolutions);
        Self {
            profile,
            lookups: Lookups::new(profile),
            resolutions,
            census,
            calls: resolutions.map_or_else(Vec::new, |known| known.calls().by_frame(profile.frames.len())),
            functions: FxHashMap::default(),
        }
    }

    /// By machine function of a stack, root first: what is known of the call that led to it.
    pub(super) fn of(&mut self, stack: StackId) -> Vec<KnownCall> {
        let frames: Vec<(FrameId, Lookup)> =
            machine_frames(&self.lookups, self.profile.stacks.get(stack)).collect();
        let mut known = vec![KnownCall::Unknown; frames.len()];
        for (known, pair) in known.iter_mut().skip(1).zip(frames.windows(2)) {
            if let [caller, callee] = pair {
                *known = self.between(*caller, *callee);
            }
        }
        known
    }

    fn between(&mut self, caller: (FrameId, Lookup), callee: (FrameId, Lookup)) -> KnownCall {
        let called = self.calls.get(caller.0.index()).copied().flatten();
        let is_return_address = caller.1 == Lookup::MinusOne;
        match called.filter(|_| is_return_address) {
            None => KnownCall::Unknown,
            Some(Call::Pointer) => KnownCall::Pointer,
            Some(Call::Function(number)) => self.called(number, callee),
        }
    }

    /// The function that was called, next to the one that the stack has below.
    fn called(&mut self, number: u32, (callee, lookup): (FrameId, Lookup)) -> KnownCall {
        let Some(resolutions) = self.resolutions else { return KnownCall::Unknown };
        let Some(called) = resolutions.table().get(number as usize).and_then(machine_function) else {
            return KnownCall::Unknown;
        };
        let below = resolutions.get(callee, lookup).and_then(machine_function);
        if below.is_some_and(|below| are_one(below, called)) {
            return KnownCall::Itself;
        }
        let census = self.census;
        let id = *self.functions.entry(number).or_insert_with(|| only_function(census, called));
        id.map_or(KnownCall::Unknown, KnownCall::Other)
    }
}

/// The machine functions of a stack, root first: its frames without those that perf expanded.
pub(super) fn machine_frames<'p>(
    lookups: &'p Lookups<'p>,
    stack: &'p [FrameId],
) -> impl Iterator<Item = (FrameId, Lookup)> + 'p {
    lookups.of(stack).filter(|(id, _)| !lookups.is_inlined(*id))
}

/// The only function of the build that debug information describes so.
fn only_function(census: &Census, called: &InlineFrame) -> Option<FunctionId> {
    let name = FunctionName::with_linkage(&called.name, called.linkage_name.as_deref());
    let mut ids = held(census, name.qualified());
    if ids.len() > 1 {
        let file = |id: &FunctionId| census.function(*id).and_then(Function::file);
        ids.retain(|id| file_likeness(file(id), called.file.as_deref()) > 0);
    }
    ids.pop().filter(|_| ids.is_empty())
}
