//! A profile: the contents of one recording, with every sample counted into a cell.
//!
//! Memory follows unique stacks: a sample is not kept, it is added to the [`Cell`] of its event, thread, second and
//! stack. Names, objects, frames, threads and stacks are interned once.

use rustc_hash::FxHashMap;

use crate::address::{FileOffset, RawAddr, RuntimeAddr};
use crate::id::{EventId, FrameId, ObjectIndex, StackId, StringId, ThreadId};
use crate::notes::Notes;
use crate::object::Object;
use crate::stack::StackTable;
use crate::texts::Texts;
use crate::weight::Weight;

/// One recorded call level, as perf printed it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// The address printed; `None` when the `ip` field was not.
    pub addr: Option<RawAddr>,
    /// The symbol printed (for perf's own inlined frames: the inlined function); `None` for `[unknown]`.
    pub symbol: Option<StringId>,
    /// The offset after the symbol (`+0x1f`); `None` when it was not printed.
    pub symbol_offset: Option<u64>,
    /// The object printed.
    pub object: ObjectIndex,
    /// `file:line` after the frame, if the `srcline` field was printed.
    pub source: Option<StringId>,
    /// perf marked the frame `(inlined)`. Its object and offset are those of the frame that contains it.
    pub inlined: bool,
}

/// One thread: a comm may change during a thread's life, then it counts as another one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    /// The thread's name.
    pub comm: StringId,
    /// Process id, where printed.
    pub pid: Option<u32>,
    /// Thread id, where printed.
    pub tid: Option<u32>,
}

/// One event of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its name as perf printed it, without the closing colon; empty where the field was not printed.
    pub name: Box<str>,
    /// Number of samples.
    pub samples: u64,
    /// Sum of periods; equals `samples` where no period was printed.
    pub weight: Weight,
    /// Whether periods were printed; otherwise weight counts samples.
    pub has_period: bool,
}

impl Event {
    /// Whether the weight is time in nanoseconds (`cpu-clock`, `task-clock`, and `cpu` of pprof).
    #[must_use]
    pub fn is_time(&self) -> bool {
        self.has_period && (["cpu-clock", "task-clock"].contains(&self.base_name()) || &*self.name == "cpu")
    }

    /// The name without modifiers and PMU: `cpu_core/cycles/P` and `cycles:ppp` are `cycles`.
    #[must_use]
    pub fn base_name(&self) -> &str {
        base_name(&self.name)
    }

    /// Whether the event counts CPU time or cycles, as a CPU profile needs.
    #[must_use]
    pub fn is_cycles_like(&self) -> bool {
        is_cycles_like(self.base_name())
    }

    /// Whether shares of an event of this name are shares of CPU: its CPU time, its cycles, or samples of a profiler that does not
    /// name what it samples. Not so for bytes on the heap, page faults or instructions.
    #[must_use]
    pub fn measures_cpu(name: &str) -> bool {
        ["", "samples", "cpu", "itimer"].contains(&name) || is_cycles_like(base_name(name))
    }
}

fn base_name(name: &str) -> &str {
    let inner = match name.split('/').collect::<Vec<_>>().as_slice() {
        [_, inner, ..] => *inner,
        _ => name,
    };
    inner.split([':', ',']).next().unwrap_or(inner)
}

fn is_cycles_like(base: &str) -> bool {
    ["cpu-clock", "task-clock", "cpu-cycles", "cycles", "ref-cycles"].contains(&base)
        || base.starts_with("cpu_clk_unhalted")
        || base.starts_with("CPU_CLK_UNHALTED")
}

/// The samples of one event, thread, second and stack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cell {
    /// The event.
    pub event: EventId,
    /// The second since the clock's start in which the samples were taken; 0 where no time was printed.
    pub block: u32,
    /// The thread.
    pub thread: ThreadId,
    /// The stack.
    pub stack: StackId,
    /// Number of samples.
    pub samples: u32,
    /// Sum of periods.
    pub weight: Weight,
}

impl Cell {
    /// The key that identifies and orders cells: event, second, thread and stack as one number, for one comparison.
    #[must_use]
    pub fn order(&self) -> u128 {
        let parts = [self.event.0, self.block, self.thread.0, self.stack.0];
        parts.into_iter().fold(0, |order, part| order << 32 | u128::from(part))
    }

    /// Adds another cell of the same key; whether it was of that key, and the sums fit.
    #[inline]
    pub(crate) fn add(&mut self, other: &Self) -> bool {
        let samples = self.samples.checked_add(other.samples);
        let weight = self.weight.0.checked_add(other.weight.0);
        match (self.order() == other.order(), samples, weight) {
            (true, Some(samples), Some(weight)) => {
                (self.samples, self.weight) = (samples, Weight(weight));
                true
            }
            _ => false,
        }
    }
}

/// One sample as it was taken, before it is counted into its cell. Ids are those of the profile that it is counted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TakenSample {
    /// The event.
    pub event: EventId,
    /// When it was taken, in nanoseconds of the recorder's clock.
    pub time_ns: Option<u64>,
    /// The CPU it was taken on.
    pub cpu: Option<u32>,
    /// The thread.
    pub thread: ThreadId,
    /// The stack.
    pub stack: StackId,
    /// The period.
    pub weight: Weight,
}

/// One branch that a processor recorded before a sample. Frames are those of the profile that the sample is counted in: the
/// profile has stacks by which each is looked up as it is, and targets also one byte before, to see where functions begin.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TakenBranch {
    /// The event of the sample.
    pub event: EventId,
    /// The branch itself.
    pub from: FrameId,
    /// Where it led.
    pub to: FrameId,
    /// The branch before it, if that led to at most a few bytes before this one: a stub has nothing but a jump.
    pub through: Option<FrameId>,
    /// Whether it is a call, if the recording says so.
    pub is_call: bool,
    /// Whether the processor predicted it wrongly.
    pub is_mispredicted: bool,
    /// Its share of the sample's period: of an event that counts branches, how many it represents.
    pub weight: f64,
}

/// Where an object was mapped (`PERF_RECORD_MMAP2`).
///
/// Frames of a recording that was read without perf have the position in the file in place of an address. Then a mapping
/// says which part of a file was mapped as code: it has no process, and begins at its own position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// Process id; `None` for the kernel (-1), and for parts of files.
    pub pid: Option<u32>,
    /// First address.
    pub start: RuntimeAddr,
    /// Length in bytes.
    pub len: u64,
    /// Position in the file of the first byte.
    pub offset: FileOffset,
    /// The object.
    pub object: ObjectIndex,
}

impl Mapping {
    /// The file position of a runtime address, if this mapping contains it.
    #[must_use]
    pub fn file_offset(&self, addr: RuntimeAddr) -> Option<FileOffset> {
        let into = addr.0.checked_sub(self.start.0)?;
        if into >= self.len { None } else { self.offset.checked_add(into) }
    }
}

/// First and last time stamp of the samples, in nanoseconds of the recorder's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Time of the first sample.
    pub first_ns: u64,
    /// Time of the last sample.
    pub last_ns: u64,
}

impl Span {
    /// Length in seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.last_ns.saturating_sub(self.first_ns) as f64 / 1e9
    }
}

/// What one recording says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Symbols, comms and source lines.
    pub strings: Texts,
    /// Objects, in order of first appearance.
    pub objects: Vec<Object>,
    /// Recorded frames, each once.
    pub frames: Vec<Frame>,
    /// Stacks of frames, root first, each once.
    pub stacks: StackTable,
    /// Threads, each once.
    pub threads: Vec<Thread>,
    /// Events, in order of first appearance.
    pub events: Vec<Event>,
    /// The samples, sorted by (event, block, thread, stack), each key once.
    pub cells: Vec<Cell>,
    /// Where objects were mapped.
    pub mappings: Vec<Mapping>,
    /// The `# key : value` lines of `perf script --header`, in order.
    pub header: Vec<(Box<str>, Box<str>)>,
    /// First and last time stamp; `None` where no time was printed.
    pub span: Option<Span>,
    /// Whether samples carry call chains (some stack has more than one frame).
    pub has_callchains: bool,
    /// Imperfections met while reading.
    pub notes: Notes,
}

impl Profile {
    /// The key of the header line that names the event to compare unless the user names another.
    pub const DEFAULT_EVENT: &str = "default event";

    /// The event that the recording itself puts first, if it does.
    #[must_use]
    pub fn default_event(&self) -> Option<EventId> {
        let (_, name) = self.header.iter().find(|(key, _)| **key == *Self::DEFAULT_EVENT)?;
        (0..).map(EventId).zip(&self.events).find(|(_, event)| event.name == *name).map(|(id, _)| id)
    }

    /// The text of a string.
    #[must_use]
    pub fn string(&self, id: StringId) -> &str {
        self.strings.get(id.index()).unwrap_or_default()
    }

    /// Gives frames symbols, each with the distance from where it begins.
    pub fn name_frames<N: AsRef<str>>(&mut self, named: impl IntoIterator<Item = (FrameId, N, u64)>) {
        let known = self.strings.iter().map(Into::into).zip((0..).map(StringId));
        let mut ids: FxHashMap<Box<str>, StringId> = known.collect();
        for (frame, name, offset) in named {
            let name = name.as_ref();
            let symbol = ids.get(name).copied().unwrap_or_else(|| {
                let id = StringId(self.strings.push(name));
                ids.insert(name.into(), id);
                id
            });
            if let Some(frame) = self.frames.get_mut(frame.index()) {
                (frame.symbol, frame.symbol_offset) = (Some(symbol), Some(offset));
            }
        }
    }

    /// Frees the recorded frames and stacks. Samples keep the numbers of their stacks.
    pub fn forget_stacks(&mut self) {
        (self.frames, self.stacks) = Default::default();
    }

    /// The comm of a thread.
    #[must_use]
    pub fn comm(&self, id: ThreadId) -> &str {
        self.threads.get(id.index()).map_or("", |thread| self.string(thread.comm))
    }

    /// The cells of one event.
    #[must_use]
    pub fn cells_of(&self, event: EventId) -> &[Cell] {
        let from = self.cells.partition_point(|cell| cell.event < event);
        let to = self.cells.partition_point(|cell| cell.event <= event);
        self.cells.get(from..to).unwrap_or(&[])
    }
}
