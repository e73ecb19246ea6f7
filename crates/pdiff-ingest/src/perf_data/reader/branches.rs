//! Branch records of samples (`PERF_SAMPLE_BRANCH_STACK`): the last taken branches before each.
//!
//! A sample represents as many units of its event as its period says, and its branches share them equally: for an event that
//! counts taken branches this makes their number, for others what is proportional to it.

use pdiff_profile::{EventId, FrameId, TakenBranch};

use super::Reader;
use crate::perf_data::branch_record::{BranchRecord, CALL_STACK};
use crate::perf_data::events::AttrIndex;
use crate::perf_data::sample::Sample;
use crate::perf_data::stacks::{Mode, Space};

/// From here on addresses are the kernel's.
const FIRST_OF_KERNEL: u64 = 1 << 63;
/// Bytes before a jump in a stub of the procedure linkage table (`endbr64`).
const MAX_STUB_BYTES: u64 = 4;

impl Reader<'_> {
    /// Passes on the branches of a sample.
    pub(super) fn branches(
        &mut self,
        sample: &Sample<'_>,
        attr: AttrIndex,
        event: EventId,
        period: u64,
        each_branch: &dyn Fn(TakenBranch),
    ) {
        let Some(bytes) = sample.branches else { return };
        if self.events.attr(attr).is_some_and(|attr| attr.branch_sample_type & CALL_STACK != 0) {
            self.counts.call_stacks += 1;
            return;
        }
        let records = BranchRecord::all(bytes, self.order);
        let count = records.clone().count();
        self.counts.branches += count as u64;
        let weight = period.max(1) as f64 / count.max(1) as f64;
        let space = Space {
            process: self.processes.process(sample.pid.unwrap_or(u32::MAX)),
            kernel: &self.kernel,
            kernel_stamp: self.kernel_stamp,
        };
        let (stacks, objects, builder) = (&mut self.stacks, &mut self.objects, &mut self.builder);
        let mut before: Option<(u64, FrameId)> = None;
        for record in records.rev() {
            let [from, to] = [record.from, record.to].map(|addr| {
                let mode = if addr < FIRST_OF_KERNEL { Mode::User } else { Mode::Kernel };
                let frame = stacks.frame(addr, mode, space, objects, builder);
                builder.stack(&[frame]);
                frame
            });
            builder.stack(&[to, from]);
            let is_through = |(addr, _): &(u64, _)| {
                record.from.checked_sub(*addr).is_some_and(|bytes| bytes <= MAX_STUB_BYTES)
            };
            let through = before.filter(is_through).map(|(_, from)| from);
            before = Some((record.to, from));
            let BranchRecord { is_call, is_mispredicted, .. } = record;
            each_branch(TakenBranch { event, from, to, through, is_call, is_mispredicted, weight });
        }
    }
}
