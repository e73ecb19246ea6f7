//! Samples of `sched:sched_switch` as the times that threads spent in each state.
//!
//! Which tracepoint a sample is of is known at the recording's end, where the names are, so samples are taken for switches by
//! their size, and [`Switches::has_other_events`] checks the names afterwards.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::event_attr::EventAttr;
use super::events::{AttrIndex, Events};
use super::fields::ByteOrder;
use super::sample::Sample;
use super::switch_fields::{self, SwitchFields};
use crate::waits;

/// `PERF_TYPE_TRACEPOINT`.
const TRACEPOINT: u32 = 2;

/// A sample that is kept until its thread gets the CPU back.
#[derive(Clone, Debug)]
pub(super) struct Departure {
    /// Process and thread.
    pub(super) ids: (Option<u32>, u32),
    pub(super) body: Box<[u8]>,
    pub(super) misc: u16,
    pub(super) attr: AttrIndex,
}

/// Switches of a recording.
#[derive(Debug)]
pub(super) struct Switches {
    pub(super) threads: waits::Switches<Departure>,
    common_bytes: Option<usize>,
    attrs: BTreeSet<AttrIndex>,
    /// What perf calls threads of other namespaces.
    tids: FxHashMap<u32, u32>,
}

impl Switches {
    pub(super) fn new() -> Self {
        Self {
            threads: waits::Switches::new(),
            common_bytes: None,
            attrs: BTreeSet::new(),
            tids: FxHashMap::default(),
        }
    }

    /// The switch that a sample is of; `None` if it is of another event. Threads have perf's numbers.
    pub(super) fn of_sample(
        &mut self,
        sample: &Sample<'_>,
        attr: &EventAttr,
        index: AttrIndex,
        order: ByteOrder,
    ) -> Option<SwitchFields> {
        let raw = sample.raw.filter(|raw| attr.kind == TRACEPOINT && switch_fields::is_switch(raw))?;
        let tid = sample.tid?;
        if self.common_bytes.is_none() {
            self.common_bytes = switch_fields::common_bytes(raw, tid, order);
        }
        let common = self.common_bytes.unwrap_or(switch_fields::DEFAULT_COMMON_BYTES);
        let fields = switch_fields::parse(raw, common, order)?;
        self.attrs.insert(index);
        // A thread that ends has lost its number there already.
        let from = match known_id(tid) {
            Some(tid) => {
                if fields.from != tid {
                    self.tids.insert(fields.from, tid);
                }
                tid
            }
            None => self.tid(fields.from),
        };
        Some(SwitchFields { from, to: self.tid(fields.to), ..fields })
    }

    /// Process and thread of a sample; one that ends has lost them.
    pub(super) fn ids(&self, sample: &Sample<'_>, thread: u32) -> (Option<u32>, u32) {
        let known = || self.threads.last_departure(thread).map(|last| last.ids);
        let is_gone = sample.tid.and_then(known_id).is_none();
        known().filter(|_| is_gone).unwrap_or((sample.pid, thread))
    }

    /// Whether samples of an event of another name were taken for switches.
    pub(super) fn has_other_events(&self, events: &Events) -> bool {
        self.attrs
            .iter()
            .any(|index| events.name_of(*index).is_some_and(|name| !name.contains("sched_switch")))
    }

    fn tid(&self, of_kernel: u32) -> u32 {
        self.tids.get(&of_kernel).copied().unwrap_or(of_kernel)
    }
}

/// perf has -1 where it does not know.
pub(super) fn known_id(id: u32) -> Option<u32> {
    (id != u32::MAX).then_some(id)
}
