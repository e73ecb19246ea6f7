//! The words of a verdict: causes, confidence, tags, and whether a build contains a function.

use std::fmt;

use crate::compare::{CostChange, Row};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$of])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The stable text, in kebab case.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

words! {
    /// Why the cost of a function changed.
    Cause {
        /// Inlined before, called after.
        InlineRegression = "inline-regression",
        /// Code that Before's build does not have.
        NewOverhead = "new-overhead",
        /// Code that both builds have but only After's run entered.
        NewlyActive = "newly-active",
        /// After continues where Before returned early.
        MissingFastPath = "missing-fast-path",
        /// Called more often, by counts or by the calls in the code of a caller.
        MoreCalls = "more-calls",
        /// More time, and nothing of the above.
        Heavier = "heavier",
        /// The same source compiled to other code.
        CodeQuality = "code-quality",
        /// Renamed or moved.
        Moved = "moved",
        /// One function before, several after.
        Split = "split",
        /// Several functions before, one after.
        Merged = "merged",
        /// Called before, inlined after.
        InlineGain = "inline-gain",
        /// Inlined in one build and called in the other, at no cost beyond noise.
        InlineChange = "inline-change",
        /// Less time.
        Lighter = "lighter",
        /// Code that After's build does not have.
        Gone = "gone",
        /// The change is that of other functions, which have causes of their own.
        Consequence = "consequence",
        /// It cannot be said.
        Unclear = "unclear",
        /// Not more than noise.
        Noise = "noise",
    }
}

words! {
    /// How sure a verdict is.
    Confidence {
        /// Abstaining.
        Unclear = "unclear",
        /// Names and profile say so, or a part of the proof is missing.
        Likely = "likely",
        /// Debug information or code shows it.
        Proved = "proved",
    }
}

words! {
    /// A property of a function beside its cause.
    Tag {
        /// It busy-waits: saving it may turn into more waiting.
        SpinWait = "spin-wait",
        /// The user's rules name it as a cost of design.
        Architectural = "architectural",
        /// The builds come from different compilers.
        CompilerChange = "compiler-change",
        /// A differing setting gates it.
        Settings = "settings",
    }
}

words! {
    /// Whether a build contains a function, inlined or not.
    InBuild {
        /// It does.
        Yes = "yes",
        /// It does not: all its code was looked at.
        No = "no",
        /// The file does not let that be seen.
        NotVisible = "not-visible",
    }
}

words! {
    /// The measure whose change a verdict is about.
    Judged {
        /// Self (inlines split out).
        OwnSelf = "self",
        /// Self by symbol.
        Booked = "booked",
        /// Total.
        Total = "total",
    }
}

impl Judged {
    /// Whether the row's change of this measure is more than noise.
    pub(super) fn is_significant(self, row: &Row) -> bool {
        match self {
            Self::OwnSelf => row.significant,
            Self::Booked => row.booked.significant,
            Self::Total => row.total.significant,
        }
    }

    /// The row's change of this measure per operation, where that was tested.
    pub(super) fn cost_change(self, row: &Row) -> Option<CostChange> {
        match self {
            Self::OwnSelf => row.cost_change.as_deref().copied(),
            Self::Booked => row.booked.cost_change.as_deref().copied(),
            Self::Total => row.total.cost_change.as_deref().copied(),
        }
    }

    /// The row's shares of this measure, before and after.
    pub(super) fn shares(self, row: &Row) -> (f64, f64) {
        match self {
            Self::OwnSelf => (row.before.self_pct, row.after.self_pct),
            Self::Booked => (row.before.booked_self_pct, row.after.booked_self_pct),
            Self::Total => (row.before.total_pct, row.after.total_pct),
        }
    }

    /// Half the width of the 95 % interval of the change of this measure, in points.
    pub(super) fn half_width_pp(self, row: &Row) -> f64 {
        let (low, high) = match self {
            Self::OwnSelf => (row.ci_low_pp, row.ci_high_pp),
            Self::Booked => (row.booked.ci_low_pp, row.booked.ci_high_pp),
            Self::Total => (row.total.ci_low_pp, row.total.ci_high_pp),
        };
        (high - low) / 2.0
    }

    /// The row's change of this measure, in points.
    pub(super) fn delta_pp(self, row: &Row) -> f64 {
        match self {
            Self::OwnSelf => row.delta_self_pp(),
            Self::Booked => row.delta_booked_pp(),
            Self::Total => row.delta_total_pp(),
        }
    }
}

impl Cause {
    /// The cause with swapped sides. What has no mirror image of its own is lighter.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::InlineRegression => Self::InlineGain,
            Self::InlineGain => Self::InlineRegression,
            Self::NewOverhead => Self::Gone,
            Self::Gone => Self::NewOverhead,
            Self::Heavier | Self::NewlyActive | Self::MissingFastPath | Self::MoreCalls => Self::Lighter,
            Self::Lighter => Self::Heavier,
            Self::Split => Self::Merged,
            Self::Merged => Self::Split,
            Self::InlineChange
            | Self::CodeQuality
            | Self::Moved
            | Self::Consequence
            | Self::Noise
            | Self::Unclear => self,
        }
    }
}
