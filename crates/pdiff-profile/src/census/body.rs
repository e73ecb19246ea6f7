//! The machine code of a function: one [`Body`] per out-of-line instance or split-off part.

use crate::address::ObjectAddr;

/// The role of a body in its function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BodyPart {
    /// The function as written.
    Whole,
    /// A specialised copy: `.constprop`, `.isra`, `.lto_priv`, a second constructor.
    Clone,
    /// The outlined rest of a partly inlined function: `.part`.
    Part,
    /// The unlikely blocks moved away: `.cold`. Not an instance of its own.
    Cold,
}

impl BodyPart {
    pub(super) const ALL: [Self; 4] = [Self::Whole, Self::Clone, Self::Part, Self::Cold];

    /// Whether calls can enter here, so that it counts as an out-of-line instance.
    pub(super) fn is_instance(self) -> bool {
        self != Self::Cold
    }
}

/// A hash over instructions, with everything masked that depends on the addresses of code and data.
///
/// Equal hashes from one compiler mean the same code: of 60,000 pairs of functions with different code, one build in 70,000
/// has one such pair with equal hashes. Hashes of different compilers are never compared ([`super::Census::same_code`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BodyHash(pub u32);

/// A sign of busy waiting in the code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Spin {
    /// The processor's hint for spin loops (`pause`, `yield`).
    Pause,
    /// An atomic exchange inside a short loop without calls.
    ExchangeLoop,
}

impl Spin {
    pub(super) const ALL: [Self; 2] = [Self::Pause, Self::ExchangeLoop];
}

/// One piece of machine code of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Body {
    /// Its first address.
    pub addr: ObjectAddr,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its role in the function.
    pub part: BodyPart,
    /// The hash of its instructions; `None` where they were not decoded.
    pub hash: Option<BodyHash>,
    /// The first sign of busy waiting in it.
    pub spin: Option<Spin>,
    /// Whether debug information describes it, so its inlined functions are known.
    pub described: bool,
}

impl Body {
    /// A whole body without anything known but its place.
    #[must_use]
    pub fn at(addr: ObjectAddr, bytes: u64) -> Self {
        Self { addr, bytes, part: BodyPart::Whole, hash: None, spin: None, described: true }
    }
}
