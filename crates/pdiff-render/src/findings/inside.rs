//! What a part is made of: functions by what they spend themselves, and the work of the kernel by its reason, because which
//! of the kernel's functions spend it tells nobody anything.

use pdiff_analysis::{Finding, FindingMember, KernelKind, KernelPart, is_kernel_object};

use crate::document::short_name::shorten;

/// Columns of a name in a sentence.
pub(super) const NAME_WIDTH: usize = 60;

/// One thing that a part is made of.
#[derive(Clone, Copy)]
pub(crate) enum Inside<'a> {
    Function(&'a FindingMember),
    Kernel(&'a KernelPart),
}

impl<'a> Inside<'a> {
    /// All of a part that has a name, the largest change first.
    pub(crate) fn all(finding: &'a Finding) -> Vec<Self> {
        let is_told = |member: &&FindingMember| !member.name.is_empty() && !is_kernel_object(&member.object);
        let functions = finding.members.iter().filter(is_told).map(Self::Function);
        let mut all: Vec<Self> = functions.chain(finding.kernel.iter().map(Self::Kernel)).collect();
        all.sort_by(|a, b| b.change().abs().total_cmp(&a.change().abs()));
        all
    }

    /// Of its share, in points, and per operation.
    pub(crate) fn delta(self) -> (f64, Option<f64>) {
        match self {
            Self::Function(of) => (of.delta_pp(), of.delta_per_op()),
            Self::Kernel(of) => (of.delta_pp(), of.delta_per_op()),
        }
    }

    /// Per operation where that is known, else in points.
    pub(crate) fn change(self) -> f64 {
        let (points, per_op) = self.delta();
        per_op.unwrap_or(points)
    }

    pub(crate) fn function(self) -> Option<&'a FindingMember> {
        match self {
            Self::Function(of) => Some(of),
            Self::Kernel(_) => None,
        }
    }

    /// The function, or what the kernel does, for a sentence with `in` before it.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Function(of) => shorten(&of.name, NAME_WIDTH).into_owned(),
            Self::Kernel(of) => format!("the kernel: {}", work_text(of.kind)),
        }
    }
}

/// The same as a mark of a part.
pub(crate) fn work_name(kind: KernelKind) -> &'static str {
    match kind {
        KernelKind::PageFaults => "page faults",
        KernelKind::Futex => "futex",
        KernelKind::ReadWrite => "file I/O",
        KernelKind::Network => "network",
        KernelKind::MemoryMapping => "mapping",
        KernelKind::Scheduling => "scheduling",
        KernelKind::Interrupts => "interrupts",
        KernelKind::Other => "kernel",
    }
}

/// What the kernel does, for a reader who does not know its functions.
pub(crate) fn work_text(kind: KernelKind) -> &'static str {
    match kind {
        KernelKind::PageFaults => "page faults, for memory that is touched and not there yet",
        KernelKind::Futex => "futex, where threads wait for each other and wake each other",
        KernelKind::ReadWrite => "reading and writing files",
        KernelKind::Network => "the network",
        KernelKind::MemoryMapping => "getting memory and giving it back",
        KernelKind::Scheduling => "scheduling, where threads give up the CPU or lose it",
        KernelKind::Interrupts => "interrupts",
        KernelKind::Other => "other work",
    }
}
