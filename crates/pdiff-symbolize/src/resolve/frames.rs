//! How the frames of a profile are used: which lookups each needs, and whether it is in a chain.

use pdiff_profile::{Frame, FrameId, Lookup, Lookups, Profile};

/// In which ways a frame is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Uses {
    pub(crate) exact: bool,
    pub(crate) minus_one: bool,
    /// In a stack of several frames: perf may print another kind of address there.
    pub(crate) chained: bool,
}

impl Uses {
    pub(crate) fn is_any(self) -> bool {
        self.exact || self.minus_one
    }

    pub(crate) fn lookups(self) -> impl Iterator<Item = Lookup> {
        [(self.exact, Lookup::Exact), (self.minus_one, Lookup::MinusOne)]
            .into_iter()
            .filter_map(|(is_used, lookup)| is_used.then_some(lookup))
    }
}

/// The frames of one object that are used.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectFrames {
    pub(crate) frames: Vec<(FrameId, Frame, Uses)>,
}

pub(crate) fn uses_of_frames(profile: &Profile) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); profile.frames.len()];
    let lookups = Lookups::new(profile);
    for stack in profile.stacks.iter() {
        for (frame, lookup) in lookups.of(stack) {
            let Some(entry) = uses.get_mut(frame.index()) else { continue };
            match lookup {
                Lookup::Exact => entry.exact = true,
                Lookup::MinusOne => entry.minus_one = true,
            }
            entry.chained |= stack.len() > 1;
        }
    }
    uses
}
