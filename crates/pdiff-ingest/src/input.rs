//! What a source held: the text of a recording, or a pack of one.

use pdiff_profile::Profile;

use crate::pack::PackedRun;

/// One recording, from text or from a pack.
#[derive(Clone, PartialEq, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one a recording, and it is taken apart at once")]
pub enum Input {
    /// Samples as text; what their addresses are is still to be found out.
    Text(Profile),
    /// A pack, symbolised when it was made.
    Pack(PackedRun),
}

impl Input {
    /// The samples.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        match self {
            Self::Text(profile) => profile,
            Self::Pack(run) => &run.profile,
        }
    }

    /// The samples alone; what a pack resolved is dropped, so perf's own symbols hold.
    #[must_use]
    pub fn into_profile(self) -> Profile {
        match self {
            Self::Text(profile) => profile,
            Self::Pack(run) => run.profile,
        }
    }
}
