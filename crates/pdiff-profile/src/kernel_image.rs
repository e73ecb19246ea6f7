//! The kernel as a file (`vmlinux`), for naming the functions of a recording's kernel.
//!
//! The reader of recordings knows which kernel ran and at which address; the reader of binaries knows the file. This is the
//! request of the former and the answer of the latter.

use std::ops::Range;

use crate::address::ObjectAddr;
use crate::object::BuildId;

/// The kernel of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WantedKernel<'a> {
    /// The file is used only if it has this build-id.
    pub build_id: &'a BuildId,
    /// `uname -r`, by which distributions name the file.
    pub release: Option<&'a str>,
    /// The symbol whose address the recording says: the kernel lies elsewhere after each boot.
    pub reference: Option<&'a str>,
}

/// A function of the kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelFunction {
    /// Its addresses in the file.
    pub addrs: Range<ObjectAddr>,
    /// Where it begins: before its addresses where another function lies inside it.
    pub entry: ObjectAddr,
    /// Its name.
    pub name: Box<str>,
}

/// The functions of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelImage {
    /// By address; no two overlap.
    pub functions: Vec<KernelFunction>,
    /// Where the file has the symbol that was asked for.
    pub reference: Option<ObjectAddr>,
}

/// Finds the files of kernels.
pub trait KernelImages: Sync {
    /// Finds the kernel of a recording; `None` if this machine has no file with its build-id.
    fn find(&self, wanted: WantedKernel<'_>) -> Option<KernelImage>;

    /// The same from servers, which send some hundred megabytes.
    fn fetch(&self, wanted: WantedKernel<'_>) -> Option<KernelImage>;
}
