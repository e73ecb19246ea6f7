//! Where in its code a caller called through a pointer, by the stacks of one run: the calls themselves do not say whom they call.

use pdiff_profile::{Call, FrameId, Lookup, Lookups, Profile, StackId};

use super::input::RunInput;
use super::known_calls::machine_frames;

/// The place of a call in the code of its caller: the offset in the function, or the address in the file where that is recorded. It is
/// the same in all runs of a build.
pub(super) type CallPlace = u64;

/// The calls through pointers in the stacks of one run.
pub(super) struct PointerCalls<'a> {
    profile: &'a Profile,
    lookups: Lookups<'a>,
    /// By frame.
    places: Vec<Option<CallPlace>>,
}

impl<'a> PointerCalls<'a> {
    /// Those of a run; `None` if none is known.
    pub(super) fn new(run: &RunInput<'a>) -> Option<Self> {
        let profile = run.profile;
        let calls = run.resolutions?.calls().by_frame(profile.frames.len());
        let place = |(frame, call): (&pdiff_profile::Frame, Option<Call>)| {
            let place = frame.symbol_offset.or(frame.addr.map(|addr| addr.0))?;
            (call == Some(Call::Pointer)).then_some(place)
        };
        let places: Vec<Option<CallPlace>> = profile.frames.iter().zip(calls).map(place).collect();
        places.iter().any(Option::is_some).then(|| Self { profile, lookups: Lookups::new(profile), places })
    }

    /// By machine function of a stack, root first: the place from which it was called, if that was through a pointer.
    pub(super) fn of(&self, stack: StackId) -> Vec<Option<CallPlace>> {
        let frames = machine_frames(&self.lookups, self.profile.stacks.get(stack));
        let place = |(id, lookup): (FrameId, Lookup)| {
            self.places.get(id.index()).copied().flatten().filter(|_| lookup == Lookup::MinusOne)
        };
        let mut called_from = vec![None];
        called_from.extend(frames.map(place));
        called_from.pop();
        called_from
    }
}
