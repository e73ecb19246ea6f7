//! Where a direct jump or call of x86-64 leads.

use iced_x86::{Instruction, OpKind};

/// The target of a direct jump or call; `None` for everything else.
pub(crate) fn branch_target(instruction: &Instruction) -> Option<u64> {
    let is_near =
        matches!(instruction.op0_kind(), OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64);
    is_near.then(|| instruction.near_branch_target())
}
