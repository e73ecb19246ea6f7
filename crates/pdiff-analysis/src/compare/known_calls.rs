//! What the instructions before the return addresses of one run's stacks say: which function each caller called.

use pdiff_profile::census::{Census, Function, FunctionId};
use pdiff_profile::names::FunctionName;
use pdiff_profile::{Call, FrameId, InlineFrame, Lookup, Lookups, Profile, Resolution, Resolutions, StackId};
use rustc_hash::FxHashMap;

use super::input::{RunInput, SideInput};
use crate::matching::{file_likeness, held};

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

/// The part of a side's samples whose stacks lack the function that was called last: the code says that the caller of the leaf calls another
/// function of the program. In percent; `None` where no run tells which functions are called.
pub(super) fn skipped_pct(side: &SideInput<'_>) -> Option<f64> {
    let (mut skipped, mut all) = (0_u64, 0_u64);
    for run in side.runs.iter().filter(|run| knows_calls(run)) {
        let (profile, resolutions) = (run.profile, run.resolutions?);
        let lookups = Lookups::new(profile);
        let calls = resolutions.calls().by_frame(profile.frames.len());
        let lacks_caller = |stack: StackId| {
            let stack = profile.stacks.get(stack);
            let is_machine = |at: &usize| stack.get(*at).is_some_and(|id| !lookups.is_inlined(*id));
            let caller = (0..stack.len()).rev().filter(is_machine).nth(1)?;
            let mut nearest = machine_frames(&lookups, stack.get(caller..)?);
            let (caller, leaf) = nearest.next().zip(nearest.next())?;
            let called = calls.get(caller.0.index()).copied().flatten();
            match called.filter(|_| caller.1 == Lookup::MinusOne)? {
                Call::Pointer => None,
                Call::Function(number) => {
                    let called = machine_function(resolutions.table().get(number as usize)?)?;
                    let below = resolutions.get(leaf.0, leaf.1).and_then(machine_function);
                    // What a stub leads to is not in its name.
                    let is_told = !called.name.contains("@plt");
                    Some(is_told && !below.is_some_and(|below| are_one(below, called)))
                }
            }
        };
        let mut known: Vec<Option<bool>> = vec![None; profile.stacks.len()];
        for cell in profile.cells_of(run.event) {
            all += u64::from(cell.samples);
            let is_known = known.get_mut(cell.stack.index());
            let lacks =
                is_known.map(|known| *known.get_or_insert_with(|| lacks_caller(cell.stack).unwrap_or(false)));
            skipped += if lacks == Some(true) { u64::from(cell.samples) } else { 0 };
        }
    }
    (all > 0).then(|| 100.0 * skipped as f64 / all as f64)
}

fn machine_function(resolution: &Resolution) -> Option<&InlineFrame> {
    match resolution {
        Resolution::Resolved(chain) => Some(chain.outermost()),
        Resolution::Unresolved(_) => None,
    }
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
