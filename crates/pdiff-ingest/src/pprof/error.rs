//! Errors that make a pprof profile unreadable.

use std::fmt;

/// An error in a whole profile, read or to be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PprofError {
    /// The bytes are not those of a profile.
    #[error("the pprof profile is damaged ({0}); hint: it was cut off or changed, copy it again")]
    Damaged(Box<str>),
    /// The profile is the difference of two others.
    #[error(
        "the pprof profile has negative values, like the difference of two profiles; hint: give the two profiles \
         that it was made from"
    )]
    Negative,
    /// The profile has no sample with a value.
    #[error("the pprof profile has no samples; hint: check that the program ran while it was profiled")]
    NoSamples,
    /// A weight to be written does not fit.
    #[error("the weight of a stack does not fit in the 63 bits that pprof has for it")]
    TooHeavy,
    /// The profile is larger than a limit.
    #[error("the pprof profile has more than {limit} {what}, the most that pdiff reads")]
    TooLarge {
        /// The limit.
        limit: usize,
        /// The kind of thing that exceeds the limit.
        what: &'static str,
    },
}

/// An error in some bytes of a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Damage {
    /// A field continues after the end.
    CutOff,
    /// A number of more than ten bytes.
    LongNumber,
    /// A field of a type that protocol buffers do not have.
    UnknownType,
    /// A field of another type than it has in `profile.proto`.
    OtherType,
    /// Something is named by a number that nothing has.
    Missing(&'static str),
    /// Two things of one kind have one number.
    Twice(&'static str),
    /// The profile does not say what its values are.
    NoSampleType,
    /// Two kinds of value have one name.
    SameSampleType,
    /// A sample has more or fewer values than there are kinds of value.
    ValueCount,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CutOff => f.write_str("it ends within a field"),
            Self::LongNumber => f.write_str("a number has more than ten bytes"),
            Self::UnknownType => f.write_str("a field has an unknown type"),
            Self::OtherType => f.write_str("a field has the wrong type"),
            Self::Missing(what) => write!(f, "it refers to a {what} that it does not have"),
            Self::Twice(what) => write!(f, "two of its {what} have the same number"),
            Self::NoSampleType => f.write_str("it does not say what its values are"),
            Self::SameSampleType => f.write_str("two of its sample types have the same name"),
            Self::ValueCount => f.write_str("a sample has more or fewer values than there are sample types"),
        }
    }
}

impl From<Damage> for PprofError {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage.to_string().into())
    }
}
