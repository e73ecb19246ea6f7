//! The two sides of a comparison and the runs on them.

use std::fmt;

/// Which build: base first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The base build.
    Before,
    /// The build compared with it.
    After,
}

impl Side {
    /// Both, base first.
    pub const BOTH: [Self; 2] = [Self::Before, Self::After];

    /// Its place in pairs, base first.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The other side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Before => Self::After,
            Self::After => Self::Before,
        }
    }

    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// On which sides something is: weight anywhere in a stack is above zero there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Presence {
    /// On both sides.
    Both,
    /// Only in the base build's profile.
    OnlyBefore,
    /// Only in the other build's profile.
    OnlyAfter,
}

impl Presence {
    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::OnlyBefore => "only-before",
            Self::OnlyAfter => "only-after",
        }
    }
}

/// What is known about the work done during one run, beside its samples.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct RunMeasures {
    /// Operations done inside the window.
    pub operations: Option<f64>,
    /// Operations per second.
    pub tps: Option<f64>,
    /// CPU seconds that the profiled process used inside the window.
    pub cpu_seconds: Option<f64>,
    /// Length of the window in seconds, where it is not the samples' span.
    pub window_s: Option<f64>,
}

impl RunMeasures {
    /// What is known here, else what is known there.
    #[must_use]
    pub fn or(self, there: Self) -> Self {
        Self {
            operations: self.operations.or(there.operations),
            tps: self.tps.or(there.tps),
            cpu_seconds: self.cpu_seconds.or(there.cpu_seconds),
            window_s: self.window_s.or(there.window_s),
        }
    }
}
