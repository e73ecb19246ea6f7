//! The numbers that represent enum variants in bytes.
//!
//! A code is never reused for another variant, so codes missing from the notes stay free, and new notes continue at 25. The
//! matches are exhaustive: a new variant needs the next free code here. A reader that does not know a code treats its table
//! as damaged.

use crate::notes::NoteKind;
use crate::object::ObjectKind;
use crate::resolution::Reason;

/// A value that one byte represents.
pub(super) trait Code: Sized {
    fn to_code(self) -> u8;
    fn from_code(code: u8) -> Option<Self>;
}

macro_rules! codes {
    ($type:ident { $($variant:ident = $code:literal),+ $(,)? }) => {
        impl Code for $type {
            fn to_code(self) -> u8 {
                match self {
                    $(Self::$variant => $code,)+
                }
            }

            fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

codes!(ObjectKind {
    File = 0,
    Kernel = 1,
    KernelModule = 2,
    Vdso = 3,
    Jit = 4,
    Anonymous = 5,
    Unknown = 6,
});

codes!(Reason {
    NoObject = 0,
    FileNotFound = 1,
    WrongFile = 2,
    Unreadable = 3,
    OutsideObject = 4,
    NoSymbol = 5,
    NoAddress = 6,
});

codes!(NoteKind {
    UnparsedLine = 0,
    TruncatedSample = 1,
    SkippedField = 2,
    NotUtf8 = 3,
    DoubledFrame = 4,
    NoPeriod = 5,
    NoTime = 6,
    NoFrames = 7,
    TimeBackwards = 8,
    LostSamples = 9,
    OtherEvent = 10,
    FilteredOut = 11,
    StackTooDeep = 12,
    LineTooLong = 13,
    NoDebugInfo = 16,
    AddressOutside = 17,
    CacheRebuilt = 18,
    LooseMatch = 19,
    AmbiguousMatch = 20,
    PairedObjects = 21,
    Rescaled = 23,
    DamagedRecord = 25,
    CutRecording = 26,
    Throttled = 27,
    NoBuildIds = 28,
    NoKernelSymbols = 29,
    PartlyUnwound = 30,
    IdentityNotVerified = 31,
    NoJitSymbols = 32,
    NarrowFrames = 33,
    CallersPutBack = 34,
    LostReturns = 35,
    CountsNotSamples = 36,
});

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Code + Copy>(variants: usize) {
        let known = (0..=u8::MAX).filter_map(|code| Some((code, T::from_code(code)?)));
        let of_itself = known.filter(|(code, value)| value.to_code() == *code);
        assert_eq!(of_itself.count(), variants);
    }

    #[test]
    fn every_code_stands_for_one_variant() {
        check::<ObjectKind>(7);
        check::<Reason>(7);
        check::<NoteKind>(33);
    }
}
