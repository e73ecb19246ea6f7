//! What happened to a function.

use std::fmt;

/// The change of a function; the first match wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Change {
    /// After has it, Before does not have it.
    New,
    /// Before has it, After does not have it.
    Gone,
    /// Inlined somewhere in Before, only out of line in After.
    Lost,
    /// Only out of line in Before, inlined somewhere in After.
    Gained,
    /// Inlined on both sides, but no longer, or newly, in some callers.
    Mixed,
    /// Its code grew by more than [`Change::SIZE_FLOOR_PCT`].
    Grew,
    /// Its code shrank by more than that.
    Shrank,
    /// Nothing of these.
    Same,
    /// One build does not let it be seen.
    NotVisible,
}

impl Change {
    /// Code whose size changes by no more than this is called the same, in per cent of Before's.
    pub const SIZE_FLOOR_PCT: f64 = 10.0;

    /// All of them, in order of precedence.
    pub const ALL: [Self; 9] = [
        Self::New,
        Self::Gone,
        Self::Lost,
        Self::Gained,
        Self::Mixed,
        Self::Grew,
        Self::Shrank,
        Self::Same,
        Self::NotVisible,
    ];

    /// The stable text, in kebab case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Gone => "gone",
            Self::Lost => "lost",
            Self::Gained => "gained",
            Self::Mixed => "mixed",
            Self::Grew => "grew",
            Self::Shrank => "shrank",
            Self::Same => "same",
            Self::NotVisible => "not-visible",
        }
    }

    /// By code size alone; `None` where a side has no code.
    pub(super) fn of_sizes(before: u64, after: u64) -> Option<Self> {
        if before == 0 || after == 0 {
            return None;
        }
        let change_pct = 100.0 * (after as f64 / before as f64 - 1.0);
        Some(match change_pct {
            pct if pct > Self::SIZE_FLOOR_PCT => Self::Grew,
            pct if pct < -Self::SIZE_FLOOR_PCT => Self::Shrank,
            _ => Self::Same,
        })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
