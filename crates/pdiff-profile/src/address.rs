//! The three kinds of address, so that one is never taken for another.
//!
//! perf prints addresses without their kind: [`RawAddr`]. The symboliser finds out the kind for each object
//! (symbol-and-offset vote, program headers, MMAP2 lines).

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
    /// An address in the virtual address space of an ELF file itself, as `nm` and `addr2line` use it.
    ObjectAddr
);
