//! How the addresses that perf printed for one object become addresses of its file.

/// What kind of address perf printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AddressKind {
    /// The file's own address (also the address in the process, for programs that are not relocated).
    Object,
    /// A position in the file, or relative to the mapping of the file.
    FileOffset,
    /// The address in a process where the file was relocated.
    Runtime,
}

/// One way by which perf's addresses become addresses of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressMap {
    /// What kind of address it is.
    pub kind: AddressKind,
    /// What is added to perf's address, modulo 2^64.
    pub bias: u64,
    /// How many functions of the profile bear it out.
    pub votes: u32,
}
