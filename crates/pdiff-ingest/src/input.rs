//! What a source held: a recording, or a pack of one.

use pdiff_profile::{Profile, Resolutions};

use crate::pack::PackedRun;

/// One recording, or a pack of one.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// Samples as text; what their addresses are is still to be found out.
    Text(Profile),
    /// Samples, and the functions that the recording itself says are at some of their frames, with those inlined there.
    Named(Profile, Resolutions),
    /// A pack, symbolised when it was made.
    Pack(PackedRun),
}

impl Input {
    /// The samples.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        match self {
            Self::Text(profile) | Self::Named(profile, _) => profile,
            Self::Pack(run) => &run.profile,
        }
    }

    /// The samples alone; what a pack resolved is dropped, so perf's own symbols hold.
    #[must_use]
    pub fn into_profile(self) -> Profile {
        match self {
            Self::Text(profile) | Self::Named(profile, _) => profile,
            Self::Pack(run) => run.profile,
        }
    }
}
