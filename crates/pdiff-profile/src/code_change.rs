//! How the machine code of a function differs between two builds, but for the addresses of code and data.

/// What a number of an instruction is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NumberUse {
    /// The place in a record, or in the stack frame.
    Displacement,
    /// It is added to a pointer: the size of a record, for one.
    Stride,
    /// It is put into a register or the stack frame as it is: an argument of a call, for one.
    Moved,
    /// Another number is compared with it.
    Compared,
    /// Another number is shifted by so many bits: multiplied with a power of two or divided by one.
    Shifted,
    /// It is added, or used in another way.
    Operand,
}

/// A number that is another one in the other build.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct OtherNumber {
    /// What it is for.
    pub used: NumberUse,
    /// The number in the base build...
    pub before: i64,
    /// ...and in the other build.
    pub after: i64,
}

/// How the code of a function differs between two builds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CodeChange {
    /// In these numbers alone, each once and sorted.
    Numbers(Vec<OtherNumber>),
    /// In other instructions, too.
    Instructions,
}
