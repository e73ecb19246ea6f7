//! The kernel as a file (`vmlinux`): what it takes to name the functions of a recording's kernel by it.
//!
//! Who reads recordings knows which kernel ran and where it was, and who reads binaries knows the file. This is what the one
//! asks, and the other answers.

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
    /// The kernel of a recording; `None` if there is no file of its build-id on this machine.
    fn find(&self, wanted: WantedKernel<'_>) -> Option<KernelImage>;

    /// The same from servers, which send some hundred megabytes.
    fn fetch(&self, wanted: WantedKernel<'_>) -> Option<KernelImage>;
}
