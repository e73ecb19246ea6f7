//! Records one after the other, in the order of their times, each to what reads it.

mod address_spaces;
mod branches;
mod samples;
mod switched;

use std::io::{self, Read};
use std::path::Path;

use pdiff_profile::{NoteKind, Notes, ProfileBuilder, StringId, TakenBranch, TakenSample, Weight};
use rustc_hash::FxHashMap;

use super::byte_stream::{Buffers, ByteStream, Place};
use super::container::DescribedEvent;
use super::counters::LastValues;
use super::event_attr::EventAttr;
use super::events::Events;
use super::features::{Features, build_id};
use super::fields::{ByteOrder, Fields, until_nul};
use super::inflater::Inflater;
use super::jit_dump::JitCode;
use super::maps::Maps;
use super::objects::Objects;
use super::processes::Processes;
use super::rounds::{Batch, Record, Rounds};
use super::stacks::Stacks;
use super::switches::Switches;
use super::unwinding::Unwinding;
use crate::cpu_list::CpuList;
use crate::options::ReadOptions;
use crate::time_window::{TimeRange, TimeWindow};

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
    /// What the kernel writes: up to one more than `PERF_RECORD_AUX_OUTPUT_HW_ID`, the last of Linux 6.1.
    pub(super) const OF_KERNEL: std::ops::RangeInclusive<u32> = 1..=22;
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
    /// What perf writes: up to some more than `PERF_RECORD_COMPRESSED2`.
    pub(super) const OF_PERF: std::ops::RangeInclusive<u32> = 64..=86;
}

/// Bits of `misc`, whose meaning depends on the record.
mod misc {
    pub(super) const MMAP_DATA: u16 = 1 << 13;
    pub(super) const FORK_EXEC: u16 = 1 << 13;
    pub(super) const MMAP_BUILD_ID: u16 = 1 << 14;
    pub(super) const SWITCH_OUT: u16 = 1 << 13;
}

const HEADER_BYTES: usize = 8;
/// `PERF_RECORD_EVENT_UPDATE` with an event's name.
const UPDATE_NAME: u64 = 2;
/// The most attributes; more are of no recording.
const MAX_ATTRS: usize = 1 << 16;
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
    /// Branch records, and samples whose records are call stacks instead.
    pub(super) branches: u64,
    pub(super) call_stacks: u64,
    /// Bytes of a record that is cut off.
    pub(super) cut_bytes: u64,
    /// Those behind a damaged record: where the next one begins is not known.
    pub(super) unread_bytes: u64,
    /// The recording's bytes up to the end of its records.
    pub(super) all_bytes: u64,
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
    each_branch: Option<&'u (dyn Fn(TakenBranch) + Sync)>,
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
            each_branch: options.each_branch,
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
            stream.keep_from(self.rounds.first_buffer());
            let header = stream.peek(HEADER_BYTES)?;
            let Some((kind, misc, size)) = parse_header(header, self.order) else {
                self.counts.cut_bytes += header.len() as u64;
                break;
            };
            if size < HEADER_BYTES {
                // Where the next record begins is not known.
                self.damage(|| format!("a record of type {kind} has a size of {size} bytes"));
                let rest = end.map_or(u64::MAX, |end| end.saturating_sub(stream.position()));
                let unread = stream.skip(rest)?;
                self.counts.cut_bytes += unread;
                self.counts.unread_bytes = unread;
                break;
            }
            let there = stream.peek(size)?.len();
            if there < size {
                self.counts.cut_bytes += there as u64;
                break;
            }
            let (buffers, Place { buffer, start }) = (stream.buffers(), stream.place());
            let place = Place { buffer, start: start + HEADER_BYTES as u32 };
            let body = buffers.get(place, size - HEADER_BYTES);
            let behind = match kind {
                kind::COMPRESSED | kind::COMPRESSED2 => {
                    self.compressed(kind, body, &mut inflater, buffers);
                    0
                }
                kind::FINISHED_ROUND => {
                    self.counts.records += 1;
                    self.finish_round(buffers);
                    0
                }
                // Data of these follow the record.
                kind::AUXTRACE => Fields::new(body, self.order).number64().unwrap_or(0),
                kind::TRACING_DATA => Fields::new(body, self.order)
                    .number32()
                    .map_or(0, |size| u64::from(size).next_multiple_of(8)),
                _ => {
                    self.record(Record { kind, misc, body }, Some(place), buffers);
                    0
                }
            };
            stream.consume(size);
            stream.skip(behind)?;
        }
        self.counts.cut_bytes += inflater.left() as u64;
        self.counts.all_bytes = stream.position();
        self.finish_records(stream.buffers());
        stream.keep_from(None);
        Ok(())
    }

    fn compressed(&mut self, kind: u32, body: &[u8], inflater: &mut Inflater, buffers: &Buffers) {
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
                    kind::FINISHED_ROUND => self.finish_round(buffers),
                    _ => self.record(Record { kind, misc, body }, None, buffers),
                }
                rest = after;
            }
            bytes.len() - rest.len()
        });
        if is_broken || unpacked.is_err() {
            self.damage(|| "a packed record cannot be unpacked".into());
        }
    }

    /// Takes a record in: perf's own at once, the kernel's in the order of their times. What has a place in the stream is
    /// not copied.
    #[inline]
    fn record(&mut self, record: Record<'_>, at: Option<Place>, buffers: &Buffers) {
        self.counts.records += 1;
        if record.kind >= kind::FIRST_OF_PERF {
            return self.record_of_perf(record);
        }
        let time = self.events.time_of(record.kind == kind::SAMPLE, record.body, self.order);
        match time.filter(|time| ![0, u64::MAX].contains(time)) {
            Some(time) => {
                if self.rounds.push(time, &record, at) {
                    self.finish_round(buffers);
                }
            }
            None => self.deliver(record),
        }
    }

    fn finish_round(&mut self, buffers: &Buffers) {
        let batch = self.rounds.finish_round();
        self.deliver_all(batch, buffers);
    }

    fn finish_records(&mut self, buffers: &Buffers) {
        let batch = self.rounds.finish();
        self.deliver_all(batch, buffers);
        self.finish_switches();
        self.finish_unwinding();
    }

    fn deliver_all(&mut self, batch: Batch, buffers: &Buffers) {
        for record in batch.iter(buffers) {
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
            known if kind::OF_KERNEL.contains(&known) => Some(()),
            // It may have been a sample.
            unknown => return self.damage(|| format!("a record has the type {unknown}, which none has")),
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
            known if kind::OF_PERF.contains(&known) => {}
            unknown => self.damage(|| format!("a record has the type {unknown}, which none has")),
        }
    }

    fn finish_unwinding(&mut self) {
        self.unwinding.finish_batch(&self.kernel, &mut self.stacks, &mut self.objects, &mut self.builder);
    }
}

fn parse_header(bytes: &[u8], order: ByteOrder) -> Option<(u32, u16, usize)> {
    let mut fields = Fields::new(bytes, order);
    Some((fields.number32()?, fields.number16()?, usize::from(fields.number16()?)))
}

fn widen(span: &mut Option<(u64, u64)>, time_ns: u64) {
    let (first, last) = span.unwrap_or((time_ns, time_ns));
    *span = Some((first.min(time_ns), last.max(time_ns)));
}
