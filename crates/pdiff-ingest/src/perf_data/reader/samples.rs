//! Samples counted into the profile, as far as they are chosen.

use pdiff_profile::{NoteKind, TakenSample, Thread, ThreadId, ThreadState, Weight};

use super::{Kept, Reader, widen};
use crate::perf_data::events::AttrIndex;
use crate::perf_data::processes::KnownThread;
use crate::perf_data::rounds::Record;
use crate::perf_data::sample::Sample;
use crate::perf_data::stacks::{Mode, Space};
use crate::perf_data::switches::known_id;
use crate::perf_data::unwinding::{Counted, recorded_stack};
use crate::time_window::{NS, TimeRange};

/// What a sample is counted as.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counting {
    Event(AttrIndex),
    Time(ThreadState),
}

impl Reader<'_> {
    /// Whether a sample was taken on the CPUs and in the cgroups that are chosen.
    #[inline]
    fn was_there(&mut self, sample: &Sample<'_>) -> bool {
        if let Some(cpus) = self.cpus {
            self.counts.has_cpus |= sample.cpu.is_some();
            if !sample.cpu.is_some_and(|cpu| cpus.contains(cpu)) {
                return false;
            }
        }
        if self.cgroup.is_none() {
            return true;
        }
        self.counts.has_cgroups |= sample.cgroup.is_some();
        let known = sample.cgroup.and_then(|id| self.cgroups.get(&id));
        known.is_some_and(|(_, is_chosen)| *is_chosen)
    }

    #[inline]
    pub(super) fn sample(&mut self, record: Record<'_>) {
        let Some(index) = self.events.of_sample(record.body, self.order) else {
            self.counts.samples += 1;
            return self.damage(|| "a sample is of an event that the recording does not describe".into());
        };
        let Some(attr) = self.events.attr(index) else { return };
        let Some(sample) = Sample::parse(record.body, attr, self.order) else {
            self.counts.samples += 1;
            let len = record.body.len();
            return self.damage(|| format!("a sample of {len} bytes is too short for its fields"));
        };
        let fixed_period = attr.fixed_period;
        if let Some(time_ns) = sample.time_ns {
            self.load_jit_code(time_ns);
        }
        if self.switches.is_some() {
            return self.switched(record, &sample, index);
        }
        match sample.counters {
            Some(counters) if counters.is_group() => {
                for (id, value) in counters.of_group() {
                    let growth = self.last_values.growth(id, value);
                    let Some(member) = self.events.by_id(id).filter(|_| growth > 0) else { continue };
                    self.count(&sample, Counting::Event(member), growth, record.misc);
                }
            }
            _ => self.count(
                &sample,
                Counting::Event(index),
                sample.period.unwrap_or(fixed_period),
                record.misc,
            ),
        }
    }

    #[inline]
    pub(super) fn count(&mut self, sample: &Sample<'_>, what: Counting, period: u64, misc: u16) {
        self.counts.samples += 1;
        if let Some(time_ns) = sample.time_ns {
            widen(&mut self.seen_span, time_ns);
        }
        if !self.is_kept(sample.time_ns) {
            let example = || "a sample outside the time window".into();
            return self.notes.add(NoteKind::FilteredOut, 1, Weight(period), example);
        }
        if !self.was_there(sample) {
            let example = || "a sample on another CPU or in another cgroup".into();
            return self.notes.add(NoteKind::FilteredOut, 1, Weight(period), example);
        }
        self.counts.kept += 1;
        let block = match sample.time_ns {
            Some(time_ns) => {
                widen(&mut self.span, time_ns);
                u32::try_from(time_ns / NS).unwrap_or(u32::MAX)
            }
            None => {
                self.notes.add(NoteKind::NoTime, 1, Weight(period), String::new);
                0
            }
        };
        let (pid, tid) = (sample.pid.unwrap_or(u32::MAX), sample.tid.unwrap_or(u32::MAX));
        let thread = self.thread_of(pid, tid);
        let builder = &mut self.builder;
        let event = match what {
            Counting::Event(index) => self.events.event_id(index, builder),
            Counting::Time(state) => builder.event(state.event()),
        };
        let weight = Weight(period);
        if let (Counting::Event(index), Some(each_branch)) = (what, self.each_branch) {
            self.branches(sample, index, event, period, each_branch);
        }
        let space = Space {
            process: self.processes.process(pid),
            kernel: &self.kernel,
            kernel_stamp: self.kernel_stamp,
        };
        let (objects, builder) = (&mut self.objects, &mut self.builder);
        let order = self.order;
        let recorded = sample.user_registers.zip(sample.user_stack);
        if let Some(stack) = recorded.and_then(|(registers, bytes)| recorded_stack(registers, bytes, order)) {
            let (time_ns, cpu) = (sample.time_ns, sample.cpu);
            let counted = Counted { event, time_ns, block, cpu, thread, weight };
            if self.unwinding.push(sample, stack, counted, space) {
                self.finish_unwinding();
            }
            return;
        }
        let of_chain = sample.chain.and_then(|chain| self.stacks.of_chain(chain, space, objects, builder));
        let stack = of_chain.unwrap_or_else(|| match sample.ip {
            Some(ip) => self.stacks.of_address(ip, Mode::of_misc(misc), space, objects, builder),
            None => {
                self.notes.add(NoteKind::NoFrames, 1, Weight(period), String::new);
                builder.stack(&[])
            }
        });
        builder.count_sample(event, block, thread, stack, weight);
        if let Some(each_sample) = self.each_sample {
            each_sample(TakenSample {
                event,
                time_ns: sample.time_ns,
                cpu: sample.cpu,
                thread,
                stack,
                weight,
            });
        }
    }

    #[inline]
    fn is_kept(&mut self, time_ns: Option<u64>) -> bool {
        match self.kept {
            Kept::All => true,
            Kept::Range(range) => time_ns.is_some_and(|time_ns| range.contains(time_ns)),
            Kept::Relative { start_ns, end_ns } => {
                let Some(time_ns) = time_ns else { return false };
                // Samples come in order: this is the first.
                let range = TimeRange::relative(time_ns, start_ns, end_ns);
                self.kept = Kept::Range(range);
                range.contains(time_ns)
            }
        }
    }

    /// A thread by its name and numbers; one that nothing is known about is called by its number, as in perf.
    #[inline]
    fn thread_of(&mut self, pid: u32, tid: u32) -> ThreadId {
        let known = self.processes.thread(pid, tid);
        known.and_then(|thread| thread.in_profile).unwrap_or_else(|| self.new_thread(pid, tid, known))
    }

    #[cold]
    fn new_thread(&mut self, pid: u32, tid: u32, known: Option<KnownThread>) -> ThreadId {
        let comm = match known.filter(|thread| thread.comm != self.unnamed) {
            Some(thread) => thread.comm,
            None => {
                let comm = self.builder.string(&format!(":{}", tid.cast_signed()));
                self.processes.name(pid, tid, comm);
                comm
            }
        };
        let thread = self.builder.thread(Thread { comm, pid: known_id(pid), tid: known_id(tid) });
        self.processes.number(tid, thread);
        thread
    }
}
