//! The content of a source: a recording, or a pack of one.

use pdiff_profile::{Profile, Resolutions};

use crate::pack::PackedRun;

/// One recording, or a pack of one.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// Samples as text; the kind of their addresses is not known yet.
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

    /// The samples alone. The resolutions of a pack are dropped, so perf's own symbols apply.
    #[must_use]
    pub fn into_profile(self) -> Profile {
        match self {
            Self::Text(profile) | Self::Named(profile, _) => profile,
            Self::Pack(run) => run.profile,
        }
    }
}
