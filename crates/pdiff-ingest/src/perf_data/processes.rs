//! Processes and threads as the recording continues: names, and maps from fork, exec and exit.
//!
//! A child begins with its parent's maps and its parent thread's name. A program that replaces itself (exec) maps over what
//! was there before; until it has, samples may still have the caller of exec in their chains. A process whose last known
//! thread ended keeps its name, as samples may follow, but no maps.

use std::sync::Arc;

use pdiff_profile::{StringId, ThreadId};
use rustc_hash::FxHashMap;

use super::maps::{Map, Maps};

/// The most maps kept of all processes together: forks copy them, and a damaged recording may fork without end.
const MAX_MAPS: usize = 4 << 20;

/// Marks one state of the maps of one process: no two states have the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Stamp(pub(super) u64);

/// The maps of a process, and the mark of their state.
#[derive(Clone, Debug, Default)]
pub(super) struct Process {
    pub(super) maps: Arc<Maps>,
    pub(super) stamp: Stamp,
    threads: u32,
    has_lost_first: bool,
}

/// A thread's process and name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KnownThread {
    pub(super) pid: u32,
    pub(super) comm: StringId,
    /// Its number in the profile, once it has a sample under this name.
    pub(super) in_profile: Option<ThreadId>,
}

/// All processes of a recording.
#[derive(Debug, Default)]
pub(super) struct Processes {
    processes: FxHashMap<u32, Process>,
    threads: FxHashMap<u32, KnownThread>,
    last_stamp: u64,
    maps: usize,
    /// Maps that found no room.
    pub(super) maps_dropped: u64,
}

impl Processes {
    /// The maps of a process.
    #[inline]
    pub(super) fn process(&self, pid: u32) -> Option<&Process> {
        self.processes.get(&pid)
    }

    /// A thread, if anything is known about it.
    #[inline]
    pub(super) fn thread(&self, pid: u32, tid: u32) -> Option<KnownThread> {
        self.threads.get(&tid).copied().filter(|thread| thread.pid == pid)
    }

    /// A thread has a name.
    pub(super) fn name(&mut self, pid: u32, tid: u32, comm: StringId) {
        let thread = KnownThread { pid, comm, in_profile: None };
        if self.threads.insert(tid, thread).is_none_or(|known| known.pid != pid) {
            self.process_mut(pid).threads += 1;
        }
    }

    /// A thread that has a name has a number in the profile.
    pub(super) fn number(&mut self, tid: u32, in_profile: ThreadId) {
        if let Some(thread) = self.threads.get_mut(&tid) {
            thread.in_profile = Some(in_profile);
        }
    }

    /// A thread began. `keeps_maps` is false where perf tells of one that ran before the recording.
    pub(super) fn fork(
        &mut self,
        child: (u32, u32),
        parent: (u32, u32),
        keeps_maps: bool,
        unnamed: StringId,
    ) {
        let ((pid, tid), (parent_pid, parent_tid)) = (child, parent);
        if pid != parent_pid {
            let maps = self
                .processes
                .get(&parent_pid)
                .filter(|_| keeps_maps)
                .map(|process| Arc::clone(&process.maps));
            self.replace_maps(pid, maps.unwrap_or_default());
            let process = self.process_mut(pid);
            (process.threads, process.has_lost_first) = (0, false);
        }
        let comm = self.thread(parent_pid, parent_tid).map_or(unnamed, |thread| thread.comm);
        self.threads.insert(tid, KnownThread { pid, comm, in_profile: None });
        self.process_mut(pid).threads += 1;
    }

    /// A thread ended. A process is over with its first thread and all others that are known: of some, perf lost the start.
    pub(super) fn exit(&mut self, pid: u32, tid: u32) {
        let is_known = self.thread(pid, tid).is_some();
        let Some(process) = self.processes.get_mut(&pid).filter(|_| is_known) else { return };
        process.threads = process.threads.saturating_sub(1);
        process.has_lost_first |= pid == tid;
        if process.threads == 0 && process.has_lost_first {
            self.replace_maps(pid, Arc::default());
        }
    }

    /// A process mapped something.
    pub(super) fn map(&mut self, pid: u32, start: u64, map: Map) {
        if self.maps >= MAX_MAPS {
            self.maps_dropped += 1;
            return;
        }
        let stamp = self.next_stamp();
        let process = self.processes.entry(pid).or_default();
        let is_copied = Arc::strong_count(&process.maps) > 1;
        let before = if is_copied { 0 } else { process.maps.len() };
        Arc::make_mut(&mut process.maps).insert(start, map);
        process.stamp = stamp;
        self.maps = self.maps.saturating_add(process.maps.len()).saturating_sub(before);
    }

    fn process_mut(&mut self, pid: u32) -> &mut Process {
        let Self { processes, last_stamp, .. } = self;
        processes.entry(pid).or_insert_with(|| {
            *last_stamp += 1;
            Process { stamp: Stamp(*last_stamp), ..Process::default() }
        })
    }

    fn replace_maps(&mut self, pid: u32, maps: Arc<Maps>) {
        let stamp = self.next_stamp();
        let process = self.process_mut(pid);
        let old = std::mem::replace(&mut process.maps, maps);
        process.stamp = stamp;
        // What other processes share is counted once.
        if Arc::strong_count(&old) == 1 {
            self.maps = self.maps.saturating_sub(old.len());
        }
    }

    fn next_stamp(&mut self) -> Stamp {
        self.last_stamp += 1;
        Stamp(self.last_stamp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMELESS: StringId = StringId(0);

    fn object(processes: &Processes, pid: u32, addr: u64) -> Option<u32> {
        processes.process(pid)?.maps.find(addr).map(|map| map.object)
    }

    fn map(object: u32) -> Map {
        Map { end: 100, shift: 0, object }
    }

    #[test]
    fn a_child_has_its_parents_maps_and_name_until_it_changes_them() {
        let mut processes = Processes::default();
        processes.name(1, 1, StringId(7));
        processes.map(1, 0, map(1));
        processes.fork((2, 2), (1, 1), true, NAMELESS);
        processes.fork((1, 3), (1, 1), true, NAMELESS);
        assert_eq!(processes.thread(2, 2).map(|thread| thread.comm), Some(StringId(7)));
        assert_eq!(processes.thread(1, 3).map(|thread| thread.comm), Some(StringId(7)));
        let before = processes.process(1).map(|process| process.stamp);
        processes.map(2, 0, map(2));
        assert_eq!((object(&processes, 1, 5), object(&processes, 2, 5)), (Some(1), Some(2)));
        assert_eq!(processes.process(1).map(|process| process.stamp), before);
    }

    #[test]
    fn a_thread_with_another_name_is_another_thread_of_the_profile() {
        let mut processes = Processes::default();
        let number = |processes: &Processes| processes.thread(1, 1).and_then(|thread| thread.in_profile);
        processes.name(1, 1, StringId(7));
        processes.number(1, ThreadId(3));
        assert_eq!(number(&processes), Some(ThreadId(3)));
        processes.name(1, 1, StringId(8));
        assert_eq!(number(&processes), None);
        processes.number(1, ThreadId(4));
        processes.fork((1, 1), (1, 1), true, NAMELESS);
        assert_eq!(number(&processes), None);
    }

    #[test]
    fn threads_that_ran_before_have_no_maps_of_their_parents() {
        let mut processes = Processes::default();
        processes.map(1, 0, map(1));
        processes.fork((2, 2), (1, 1), false, NAMELESS);
        assert_eq!(object(&processes, 2, 5), None);
        assert_eq!(processes.thread(2, 2).map(|thread| thread.comm), Some(NAMELESS));
        assert_eq!(processes.thread(9, 2), None);
    }

    #[test]
    fn a_process_ends_with_its_last_thread() {
        let mut processes = Processes::default();
        processes.fork((2, 2), (1, 1), true, NAMELESS);
        processes.fork((2, 3), (2, 2), true, NAMELESS);
        processes.map(2, 0, map(1));
        processes.exit(2, 4);
        processes.exit(2, 3);
        assert_eq!(object(&processes, 2, 5), Some(1));
        processes.exit(2, 2);
        assert_eq!((object(&processes, 2, 5), processes.maps), (None, 0));
        assert!(processes.thread(2, 3).is_some());
    }
}
