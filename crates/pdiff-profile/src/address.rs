//! The three kinds of address, so that one is never taken for another.
//!
//! perf prints addresses without saying of which kind they are: [`RawAddr`]. What they mean is found out per object
//! (symbol-and-offset vote, program headers, MMAP2 lines) by the symboliser.

use std::fmt;

macro_rules! address {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $name(pub u64);

        impl $name {
            /// The address `by` bytes further, or `None` past the end of the address space.
            #[must_use]
            pub fn checked_add(self, by: u64) -> Option<Self> {
                self.0.checked_add(by).map(Self)
            }

            /// The address `by` bytes before, or `None` below zero.
            #[must_use]
            pub fn checked_sub(self, by: u64) -> Option<Self> {
                self.0.checked_sub(by).map(Self)
            }
        }

        impl fmt::LowerHex for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::LowerHex::fmt(&self.0, f)
            }
        }
    };
}

address!(
    /// An address as perf printed it; its kind is not known yet.
    RawAddr
);
address!(
    /// An address in the running process.
    RuntimeAddr
);
address!(
    /// A position in the file of an object.
    FileOffset
);
address!(
    /// An address in the virtual address space of an ELF file itself (what `nm` and `addr2line` speak of).
    ObjectAddr
);
