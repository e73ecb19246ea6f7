//! Records one after the other: who is who, what is mapped where, and samples counted into the profile.

use std::io::{self, Read};
use std::path::Path;

use pdiff_profile::{NoteKind, Notes, ProfileBuilder, StringId, TakenSample, Thread, ThreadState, Weight};
use rustc_hash::FxHashMap;

use super::byte_stream::ByteStream;
use super::container::DescribedEvent;
use super::counters::LastValues;
use super::event_attr::{EventAttr, sample_type};
use super::events::{AttrIndex, Events};
use super::features::{Features, build_id};
use super::fields::{ByteOrder, Fields, until_nul};
use super::inflater::Inflater;
use super::jit_dump::{JitCode, is_jit_dump};
use super::maps::Maps;
use super::objects::{Mapped, Objects};
use super::processes::Processes;
use super::rounds::{Batch, Record, Rounds};
use super::sample::Sample;
use super::stacks::{Mode, Space, Stacks};
use super::switches::{Departure, Switches, known_id};
use super::unwinding::{Counted, Unwinding, recorded_stack};
use crate::cpu_list::CpuList;
use crate::options::ReadOptions;
use crate::time_window::{NS, TimeRange, TimeWindow};
use crate::waits::Interval;

/// `type` of records.
mod kind {
    pub(super) const MMAP: u32 = 1;
    pub(super) const LOST: u32 = 2;
    pub(super) const COMM: u32 = 3;
    pub(super) const EXIT: u32 = 4;
    pub(super) const THROTTLE: u32 = 5;
    pub(super) const FORK: u32 = 7;
    pub(super) const SAMPLE: u32 = 9;
    pub(super) const MMAP2: u32 = 10;
    pub(super) const LOST_SAMPLES: u32 = 13;
    pub(super) const SWITCH: u32 = 14;
    pub(super) const KSYMBOL: u32 = 17;
    pub(super) const CGROUP: u32 = 19;
    /// From here on records are perf's own.
    pub(super) const FIRST_OF_PERF: u32 = 64;
    pub(super) const HEADER_ATTR: u32 = 64;
    pub(super) const TRACING_DATA: u32 = 66;
    pub(super) const BUILD_ID: u32 = 67;
    pub(super) const FINISHED_ROUND: u32 = 68;
    pub(super) const AUXTRACE: u32 = 71;
    pub(super) const EVENT_UPDATE: u32 = 78;
    pub(super) const HEADER_FEATURE: u32 = 80;
    pub(super) const COMPRESSED: u32 = 81;
    pub(super) const COMPRESSED2: u32 = 83;
}

/// Bits of `misc`, whose meaning depends on the record.
mod misc {
    pub(super) const MMAP_DATA: u16 = 1 << 13;
    pub(super) const FORK_EXEC: u16 = 1 << 13;
    pub(super) const MMAP_BUILD_ID: u16 = 1 << 14;
    pub(super) const SWITCH_OUT: u16 = 1 << 13;
}

const HEADER_BYTES: usize = 8;
const PROT_EXEC: u32 = 4;
const MAP_HUGETLB: u32 = 0x40000;
/// `PERF_RECORD_EVENT_UPDATE` with an event's name.
const UPDATE_NAME: u64 = 2;
/// The most attributes; more are of no recording.
const MAX_ATTRS: usize = 1 << 16;
/// The most cgroups that are kept; a machine has some thousands.
const MAX_CGROUPS: usize = 1 << 18;
/// Records between two reports of progress.
const TICK_RECORDS: u64 = 8192;

/// How many of each thing were met.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) records: u64,
    /// Samples of the recording; of a group's sample each member's is one.
    pub(super) samples: u64,
    pub(super) damaged: u64,
    pub(super) first_damage: Option<String>,
    /// Losses by buffer, and by event: perf tells of the same samples in both ways.
    pub(super) lost: u64,
    pub(super) lost_samples: u64,
    pub(super) throttled: u64,
    /// Whether a sample's CPU was met, where CPUs are chosen.
    pub(super) has_cpus: bool,
    /// Samples that count.
    pub(super) kept: u64,
    /// The same for cgroups.
    pub(super) has_cgroups: bool,
    /// Bytes of a record that is cut off.
    pub(super) cut_bytes: u64,
}

/// What a sample is counted as.
#[derive(Clone, Copy, Debug)]
enum Counting {
    Event(AttrIndex),
    Time(ThreadState),
}

/// Which samples are kept.
#[derive(Clone, Copy, Debug)]
enum Kept {
    All,
    Range(TimeRange),
    /// From the first sample's time on.
    Relative {
        start_ns: u64,
        end_ns: Option<u64>,
    },
}

/// All that is known so far.
pub(super) struct Reader<'u> {
    pub(super) order: ByteOrder,
    pub(super) events: Events,
    pub(super) features: Features,
    pub(super) processes: Processes,
    pub(super) kernel: Maps,
    kernel_stamp: u64,
    /// The symbol that says where the kernel is.
    pub(super) kernel_reference: Option<(Box<str>, u64)>,
    pub(super) objects: Objects,
    pub(super) stacks: Stacks,
    pub(super) unwinding: Unwinding<'u>,
    pub(super) jit: JitCode,
    jit_dump_root: Option<&'u Path>,
    pub(super) builder: ProfileBuilder,
    pub(super) notes: Notes,
    pub(super) counts: Counts,
    pub(super) span: Option<(u64, u64)>,
    pub(super) seen_span: Option<(u64, u64)>,
    last_values: LastValues,
    /// Where times between switches are counted instead of samples.
    pub(super) switches: Option<Box<Switches>>,
    rounds: Rounds,
    kept: Kept,
    cpus: Option<&'u CpuList>,
    cgroup: Option<&'u (dyn Fn(&str) -> bool + Sync)>,
    /// By number: its path, and whether it is chosen.
    pub(super) cgroups: FxHashMap<u64, (Box<str>, bool)>,
    each_sample: Option<&'u (dyn Fn(TakenSample) + Sync)>,
    unnamed: StringId,
}

impl<'u> Reader<'u> {
    /// Nothing read yet.
    pub(super) fn new(order: ByteOrder, events: Vec<DescribedEvent>, options: &'u ReadOptions<'u>) -> Self {
        let mut builder = ProfileBuilder::new();
        let mut processes = Processes::default();
        let swapper = builder.string("swapper");
        processes.name(0, 0, swapper);
        let mut known = Events::default();
        events.into_iter().take(MAX_ATTRS).for_each(|event| known.add(event.attr, event.ids));
        let kept = match options.time {
            TimeWindow::Absolute { start_ns, end_ns } => {
                Kept::Range(TimeRange { start_ns, end_ns: end_ns.unwrap_or(u64::MAX) })
            }
            TimeWindow::Relative { start_ns, end_ns } => Kept::Relative { start_ns, end_ns },
            TimeWindow::All | TimeWindow::Percent { .. } => Kept::All,
        };
        Self {
            order,
            events: known,
            features: Features::default(),
            processes,
            kernel: Maps::default(),
            kernel_stamp: 0,
            kernel_reference: None,
            objects: Objects::default(),
            stacks: Stacks::new(order),
            unwinding: Unwinding::new(options.unwinder, options.each_sample),
            jit: JitCode::default(),
            jit_dump_root: options.symbols.jit_dump_root.as_deref(),
            unnamed: builder.string(""),
            builder,
            notes: Notes::new(),
            counts: Counts::default(),
            span: None,
            seen_span: None,
            last_values: LastValues::default(),
            switches: options.waits.then(|| Box::new(Switches::new())),
            rounds: Rounds::default(),
            kept,
            cpus: options.cpus,
            cgroup: options.cgroup,
            cgroups: FxHashMap::default(),
            each_sample: options.each_sample,
        }
    }

    /// Reads records up to a position of the stream, or to its end.
    pub(super) fn read_records<R: Read>(
        &mut self,
        stream: &mut ByteStream<R>,
        end: Option<u64>,
        tick: &dyn Fn(),
    ) -> io::Result<()> {
        let mut inflater = Inflater::default();
        while end.is_none_or(|end| stream.position() < end) {
            if self.counts.records.is_multiple_of(TICK_RECORDS) {
                tick();
            }
            let header = stream.peek(HEADER_BYTES)?;
            let Some((kind, misc, size)) = parse_header(header, self.order) else {
                self.counts.cut_bytes += header.len() as u64;
                break;
            };
            if size < HEADER_BYTES {
                // Where the next record begins is not known.
                self.damage(|| format!("a record of type {kind} has a size of {size} bytes"));
                let rest = end.map_or(u64::MAX, |end| end.saturating_sub(stream.position()));
                self.counts.cut_bytes += stream.skip(rest)?;
                break;
            }
            let whole = stream.peek(size)?;
            if whole.len() < size {
                self.counts.cut_bytes += whole.len() as u64;
                break;
            }
            let body = whole.get(HEADER_BYTES..).unwrap_or(&[]);
            let behind = match kind {
                kind::COMPRESSED | kind::COMPRESSED2 => {
                    self.compressed(kind, body, &mut inflater);
                    0
                }
                kind::FINISHED_ROUND => {
                    self.counts.records += 1;
                    self.finish_round();
                    0
                }
                // Data of these follow the record.
                kind::AUXTRACE => Fields::new(body, self.order).number64().unwrap_or(0),
                kind::TRACING_DATA => Fields::new(body, self.order)
                    .number32()
                    .map_or(0, |size| u64::from(size).next_multiple_of(8)),
                _ => {
                    self.record(Record { kind, misc, body });
                    0
                }
            };
            stream.consume(size);
            stream.skip(behind)?;
        }
        self.counts.cut_bytes += inflater.left() as u64;
        self.finish_records();
        Ok(())
    }

    fn compressed(&mut self, kind: u32, body: &[u8], inflater: &mut Inflater) {
        let packed = match kind {
            kind::COMPRESSED => body,
            // The later form says how much of it is not padding.
            _ => {
                let mut fields = Fields::new(body, self.order);
                let size = fields.number64().and_then(|size| usize::try_from(size).ok());
                size.and_then(|size| fields.take(size)).unwrap_or(&[])
            }
        };
        self.counts.records += 1;
        let order = self.order;
        let mut is_broken = false;
        let unpacked = inflater.inflate(packed, |bytes| {
            let mut rest = bytes;
            while let Some((kind, misc, size)) = parse_header(rest, order) {
                if size < HEADER_BYTES {
                    is_broken = true;
                    return bytes.len();
                }
                let Some((record, after)) = rest.split_at_checked(size) else { break };
                let body = record.get(HEADER_BYTES..).unwrap_or(&[]);
                match kind {
                    kind::FINISHED_ROUND => self.finish_round(),
                    _ => self.record(Record { kind, misc, body }),
                }
                rest = after;
            }
            bytes.len() - rest.len()
        });
        if is_broken || unpacked.is_err() {
            self.damage(|| "a packed record cannot be unpacked".into());
        }
    }

    /// Takes a record in: perf's own at once, the kernel's in the order of their times.
    #[inline]
    fn record(&mut self, record: Record<'_>) {
        self.counts.records += 1;
        if record.kind >= kind::FIRST_OF_PERF {
            return self.record_of_perf(record);
        }
        let time = self.events.time_of(record.kind == kind::SAMPLE, record.body, self.order);
        match time.filter(|time| ![0, u64::MAX].contains(time)) {
            Some(time) => {
                if self.rounds.push(time, &record) {
                    self.finish_round();
                }
            }
            None => self.deliver(record),
        }
    }

    fn finish_round(&mut self) {
        let batch = self.rounds.finish_round();
        self.deliver_all(batch);
    }

    fn finish_records(&mut self) {
        let batch = self.rounds.finish();
        self.deliver_all(batch);
        self.finish_switches();
        self.finish_unwinding();
    }

    fn deliver_all(&mut self, batch: Batch) {
        for record in batch.iter() {
            self.deliver(record);
        }
        self.rounds.recycle(batch);
    }

    #[inline]
    fn deliver(&mut self, record: Record<'_>) {
        let done = match record.kind {
            kind::SAMPLE => return self.sample(record),
            kind::MMAP => self.mmap(record),
            kind::MMAP2 => self.mmap2(record),
            kind::COMM => self.comm(record),
            kind::FORK => self.fork(record),
            kind::EXIT => self.exit(record),
            kind::SWITCH if self.switches.is_some() => self.returned(record),
            kind::KSYMBOL => self.kernel_symbol(record),
            kind::CGROUP => self.cgroup(record),
            kind::LOST => self.fields(record).skip(8).and_then(|()| {
                let mut fields = self.fields(record);
                fields.skip(8)?;
                self.counts.lost = self.counts.lost.saturating_add(fields.number64()?);
                Some(())
            }),
            kind::LOST_SAMPLES => self.fields(record).number64().map(|lost| {
                self.counts.lost_samples = self.counts.lost_samples.saturating_add(lost);
            }),
            kind::THROTTLE => {
                self.counts.throttled += 1;
                Some(())
            }
            _ => Some(()),
        };
        if done.is_none() {
            self.damage(|| format!("a record of type {} is too short", record.kind));
        }
    }

    fn fields<'a>(&self, record: Record<'a>) -> Fields<'a> {
        Fields::new(record.body, self.order)
    }

    #[cold]
    fn damage(&mut self, text: impl FnOnce() -> String) {
        self.counts.damaged += 1;
        let text = text();
        self.notes.add(NoteKind::DamagedRecord, 1, Weight::ZERO, || text.clone());
        self.counts.first_damage.get_or_insert(text);
    }

    fn record_of_perf(&mut self, record: Record<'_>) {
        let order = self.order;
        let mut fields = self.fields(record);
        match record.kind {
            kind::HEADER_ATTR => {
                if let Some((attr, size)) = EventAttr::parse(record.body, order)
                    && self.events.attrs().count() < MAX_ATTRS
                {
                    let ids = order.numbers64(record.body.get(size..).unwrap_or(&[])).collect();
                    self.events.add(attr, ids);
                }
            }
            kind::HEADER_FEATURE => {
                if let Some(number) = fields.number64().and_then(|number| u32::try_from(number).ok()) {
                    self.features.add(number, fields.rest(), order);
                    if number == 12 {
                        self.events.name_all(&self.features.events);
                    }
                }
            }
            kind::BUILD_ID => self.features.build_ids.extend(build_id(record.body, record.misc, order)),
            kind::EVENT_UPDATE => {
                if let (Some(UPDATE_NAME), Some(id)) = (fields.number64(), fields.number64()) {
                    let name = String::from_utf8_lossy(until_nul(fields.rest())).into_owned();
                    self.events.name(id, &name);
                }
            }
            _ => {}
        }
    }

    fn mmap(&mut self, record: Record<'_>) -> Option<()> {
        let mut fields = self.fields(record);
        let (pid, _) = (fields.number32()?, fields.number32()?);
        let (start, len, offset) = (fields.number64()?, fields.number64()?, fields.number64()?);
        let is_code = record.misc & misc::MMAP_DATA == 0;
        let path = until_nul(fields.rest());
        self.map(record, Mapped { pid, start, len, offset, is_code, is_huge: false, build_id: None, path });
        Some(())
    }

    fn mmap2(&mut self, record: Record<'_>) -> Option<()> {
        let mut fields = self.fields(record);
        let (pid, _) = (fields.number32()?, fields.number32()?);
        let (start, len, offset) = (fields.number64()?, fields.number64()?, fields.number64()?);
        let file = fields.take(24)?;
        let build_id = (record.misc & misc::MMAP_BUILD_ID != 0).then(|| {
            let size = usize::from(*file.first()?);
            pdiff_profile::BuildId::from_bytes(file.get(4..4 + size)?)
        });
        let (protection, flags) = (fields.number32()?, fields.number32()?);
        let mapped = Mapped {
            pid,
            start,
            len,
            offset,
            is_code: protection & PROT_EXEC != 0,
            is_huge: flags & MAP_HUGETLB != 0,
            build_id: build_id.flatten(),
            path: until_nul(fields.rest()),
        };
        self.map(record, mapped);
        Some(())
    }

    fn map(&mut self, record: Record<'_>, mapped: Mapped<'_>) {
        let start = mapped.start;
        match Mode::of_misc(record.misc) {
            Mode::Kernel => {
                let name = String::from_utf8_lossy(mapped.path);
                if let Some((_, symbol)) = name.split_once(']').filter(|(_, symbol)| !symbol.is_empty()) {
                    self.kernel_reference.get_or_insert((symbol.into(), mapped.offset));
                }
                let map = self.objects.kernel_map(start, mapped.len, mapped.path);
                self.kernel.insert(start, map);
                self.kernel_stamp += 1;
            }
            Mode::User => {
                let pid = mapped.pid;
                if is_jit_dump(mapped.path) {
                    self.jit_dump(pid, mapped.path);
                }
                let map = self.objects.user_map(mapped);
                self.processes.map(pid, start, map);
            }
            Mode::Elsewhere => {}
        }
    }

    /// A process mapped the file that says what code it makes: only for that.
    fn jit_dump(&mut self, pid: u32, path: &[u8]) {
        let path = String::from_utf8_lossy(path);
        if let Some(root) = self.jit_dump_root {
            let is_monotonic = self.events.attr(0).is_some_and(|attr| attr.is_monotonic);
            self.jit.add(pid, &root.join(path.trim_start_matches('/')), is_monotonic);
        }
    }

    /// Maps the code that was made until a time.
    #[inline]
    fn load_jit_code(&mut self, until_ns: u64) {
        while let Some((pid, code)) = self.jit.next_at(until_ns) {
            let name = self.builder.string(&code.name);
            let map = self.objects.jit_function(pid, code.start, code.len, name);
            self.processes.map(pid, code.start, map);
        }
    }

    fn cgroup(&mut self, record: Record<'_>) -> Option<()> {
        let mut fields = self.fields(record);
        let id = fields.number64()?;
        let path = String::from_utf8_lossy(until_nul(fields.rest())).into_owned();
        if self.cgroups.len() < MAX_CGROUPS {
            let is_chosen = self.cgroup.is_none_or(|cgroup| cgroup(&path));
            self.cgroups.insert(id, (path.into(), is_chosen));
        }
        Some(())
    }

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

    fn kernel_symbol(&mut self, record: Record<'_>) -> Option<()> {
        const UNREGISTERED: u16 = 1;
        let mut fields = self.fields(record);
        let (start, len, _, flags) =
            (fields.number64()?, fields.number32()?, fields.number16()?, fields.number16()?);
        if flags & UNREGISTERED == 0 {
            let map = self.objects.kernel_function(start, u64::from(len), until_nul(fields.rest()));
            self.kernel.insert(start, map);
            self.kernel_stamp += 1;
        }
        Some(())
    }

    fn comm(&mut self, record: Record<'_>) -> Option<()> {
        let mut fields = self.fields(record);
        let (pid, tid) = (fields.number32()?, fields.number32()?);
        let name = String::from_utf8_lossy(until_nul(fields.rest()));
        let comm = self.builder.string(&name);
        self.processes.name(pid, tid, comm);
        Some(())
    }

    fn fork(&mut self, record: Record<'_>) -> Option<()> {
        let mut fields = self.fields(record);
        let (pid, parent_pid) = (fields.number32()?, fields.number32()?);
        let (tid, parent_tid) = (fields.number32()?, fields.number32()?);
        let keeps_maps = record.misc & misc::FORK_EXEC == 0;
        self.processes.fork((pid, tid), (parent_pid, parent_tid), keeps_maps, self.unnamed);
        Some(())
    }

    fn exit(&mut self, record: Record<'_>) -> Option<()> {
        let mut fields = self.fields(record);
        let (pid, _, tid) = (fields.number32()?, fields.number32()?, fields.number32()?);
        self.processes.exit(pid, tid);
        Some(())
    }

    #[inline]
    fn sample(&mut self, record: Record<'_>) {
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
    fn count(&mut self, sample: &Sample<'_>, what: Counting, period: u64, misc: u16) {
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
        let comm = self.comm_of(pid, tid);
        let thread = Thread { comm, pid: known_id(pid), tid: known_id(tid) };
        let space = Space {
            process: self.processes.process(pid),
            kernel: &self.kernel,
            kernel_stamp: self.kernel_stamp,
        };
        let (objects, builder) = (&mut self.objects, &mut self.builder);
        let thread = builder.thread(thread);
        let event = match what {
            Counting::Event(index) => self.events.event_id(index, builder),
            Counting::Time(state) => builder.event(state.event()),
        };
        let weight = Weight(period);
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
        builder.count(event, block, thread, stack, 1, weight);
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

    /// A sample where switches are counted.
    fn switched(&mut self, record: Record<'_>, sample: &Sample<'_>, attr_index: AttrIndex) {
        let Some(mut switches) = self.switches.take() else { return };
        let of = self.events.attr(attr_index);
        let switch = of.and_then(|attr| switches.of_sample(sample, attr, attr_index, self.order));
        match switch.zip(sample.time_ns) {
            Some((switch, time_ns)) => {
                let ids = switches.ids(sample, switch.from);
                let departure =
                    Departure { ids, body: record.body.into(), misc: record.misc, attr: attr_index };
                let count = |departure: &Departure, interval| self.count_interval(departure, interval);
                switches.threads.left(switch.from, time_ns, switch.how, departure, count);
                let count = |departure: &Departure, interval| self.count_interval(departure, interval);
                switches.threads.entered(switch.to, time_ns, count);
            }
            // Other events do not say who waits.
            None => self.counts.samples += 1,
        }
        self.switches = Some(switches);
    }

    /// A thread got a CPU, as `perf record --switch-events` records it.
    fn returned(&mut self, record: Record<'_>) -> Option<()> {
        if record.misc & misc::SWITCH_OUT != 0 {
            return Some(());
        }
        let mut switches = self.switches.take()?;
        let time = self.events.time_of(false, record.body, self.order);
        let has_tid = self.events.attr(0).is_some_and(|attr| attr.has(sample_type::TID));
        if let Some(time_ns) = time.filter(|_| has_tid)
            && let Some((_, tid)) = ids(self.fields(record))
        {
            switches.threads.entered(tid, time_ns, |departure, interval| {
                self.count_interval(departure, interval);
            });
        }
        self.switches = Some(switches);
        Some(())
    }

    /// What threads did until the recording's end.
    fn finish_switches(&mut self) {
        let Some(mut switches) = self.switches.take() else { return };
        switches.threads.finish(|departure, interval| self.count_interval(departure, interval));
        if let Some((first_ns, last_ns)) = switches.threads.span().filter(|_| self.span.is_some()) {
            widen(&mut self.span, first_ns);
            widen(&mut self.span, last_ns);
        }
        self.switches = Some(switches);
    }

    fn count_interval(&mut self, departure: &Departure, interval: Interval) {
        let Some(attr) = self.events.attr(departure.attr) else { return };
        let Some(sample) = Sample::parse(&departure.body, attr, self.order) else { return };
        let (pid, tid) = departure.ids;
        let sample = Sample { pid, tid: Some(tid), time_ns: Some(interval.start_ns), ..sample };
        self.count(&sample, Counting::Time(interval.state), interval.ns, departure.misc);
    }

    fn finish_unwinding(&mut self) {
        self.unwinding.finish_batch(&self.kernel, &mut self.stacks, &mut self.objects, &mut self.builder);
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

    /// The name of a thread; one that nothing is known about is called by its number, as in perf.
    #[inline]
    fn comm_of(&mut self, pid: u32, tid: u32) -> StringId {
        match self.processes.thread(pid, tid).filter(|thread| thread.comm != self.unnamed) {
            Some(thread) => thread.comm,
            None => {
                let comm = self.builder.string(&format!(":{}", tid.cast_signed()));
                self.processes.name(pid, tid, comm);
                comm
            }
        }
    }
}

/// Process and thread.
fn ids(mut fields: Fields<'_>) -> Option<(u32, u32)> {
    Some((fields.number32()?, fields.number32()?))
}

fn parse_header(bytes: &[u8], order: ByteOrder) -> Option<(u32, u16, usize)> {
    let mut fields = Fields::new(bytes, order);
    Some((fields.number32()?, fields.number16()?, usize::from(fields.number16()?)))
}

fn widen(span: &mut Option<(u64, u64)>, time_ns: u64) {
    let (first, last) = span.unwrap_or((time_ns, time_ns));
    *span = Some((first.min(time_ns), last.max(time_ns)));
}
