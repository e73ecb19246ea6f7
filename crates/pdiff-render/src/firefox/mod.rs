//! Stacks as a profile of the Firefox Profiler (profiler.firefox.com), symbolicated: nothing is left for it to look up.
//!
//! Written is the *processed profile format*, version 55, as fxprof-processed-profile 0.8.1 (samply) writes it and every later profiler upgrades it.
//! That package itself has inline depth zero, no files and no lines, and weights of 32 bits, which nanoseconds do not fit in; so the
//! tables are written here.
//!
//! ```text
//! profile = meta (categories, marker schema), libs, threads
//! thread  = stringArray, resourceTable, funcTable, nativeSymbols, frameTable, stackTable, samples, markers
//! sample  -> stack -> prefix stack, frame -> func -> name (string), resource -> lib
//! ```
//!
//! Each table is an object of columns and refers to others by index. Inlined functions are frames with the address and the
//! native symbol of the frame that contains them, at inline depths from 1. A side is a process, so both are seen in one
//! timeline; its samples have the seconds that they were recorded in, and are spread evenly within a second, as their own
//! times are not kept.

mod libs;
mod markers;
mod symbols;
mod threads;

use pdiff_profile::{InlineFrame, Object, PerSide, Side};
use serde_json::{Value, json};

use self::threads::{Code, Thread};
use crate::error::Error;
use crate::files::written_bytes::json_line;

pub use markers::FirefoxMarker;

/// Version of the format; the profiler upgrades all versions.
const VERSION: u32 = 55;

/// What weights are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirefoxWeight {
    /// Nanoseconds, shown as milliseconds.
    Time,
    /// A number of something, which the profiler calls samples.
    Count,
}

/// A thread in a profile being written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FirefoxThread(usize);

/// A stack of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FirefoxStack(usize);

/// One call level: a machine function with what is inlined into it.
#[derive(Clone, Copy, Debug)]
pub struct FirefoxLevel<'a> {
    /// The object.
    pub object: Option<&'a Object>,
    /// Its address in the object.
    pub address: Option<u64>,
    /// Where the machine function begins.
    pub function_start: Option<u64>,
    /// The functions, outermost first.
    pub functions: &'a [InlineFrame],
}

/// A profile in the making.
#[derive(Debug)]
pub struct FirefoxWriter {
    title: String,
    weight: FirefoxWeight,
    process_names: PerSide<String>,
    code: Code,
    threads: Vec<Thread>,
    markers: PerSide<Vec<FirefoxMarker>>,
}

impl FirefoxWriter {
    /// Of two sides, or one, with their names.
    #[must_use]
    pub fn new(title: &str, process_names: PerSide<String>, weight: FirefoxWeight) -> Self {
        Self {
            title: title.to_owned(),
            weight,
            process_names,
            code: Code::default(),
            threads: Vec::new(),
            markers: PerSide::default(),
        }
    }

    /// Adds a thread.
    pub fn thread(&mut self, side: Side, name: &str) -> FirefoxThread {
        self.threads.push(Thread::new(side, name));
        FirefoxThread(self.threads.len() - 1)
    }

    /// A stack of a thread, root first; `None` without levels.
    pub fn stack(&mut self, thread: FirefoxThread, root_first: &[FirefoxLevel<'_>]) -> Option<FirefoxStack> {
        let thread = self.threads.get_mut(thread.0)?;
        thread.stack(root_first, &mut self.code).map(FirefoxStack)
    }

    /// Adds samples of a stack of this thread that were taken in one second.
    pub fn sample(&mut self, thread: FirefoxThread, second: u32, stack: Option<FirefoxStack>, weight: u64) {
        if let Some(thread) = self.threads.get_mut(thread.0) {
            thread.sample(second, stack.map(|stack| stack.0), weight);
        }
    }

    /// Marks a side from its first second to its last.
    pub fn marker(&mut self, side: Side, marker: FirefoxMarker) {
        self.markers[side].push(marker);
    }

    /// The profile as JSON.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn finish(mut self) -> Result<Vec<u8>, Error> {
        // The profiler wants a process's main thread first.
        self.threads.sort_by_key(|thread| (thread.side, std::cmp::Reverse(thread.weight())));
        let places = self.code.symbols.places();
        let mut threads = Vec::new();
        let mut selected = 0;
        for (at, thread) in self.threads.iter().enumerate() {
            let is_main = at == 0 || self.threads.get(at - 1).is_some_and(|last| last.side != thread.side);
            let side = thread.side;
            let process = threads::Process {
                name: &self.process_names[side],
                end_ms: self.end_ms(side),
                places: &places,
            };
            let markers = if is_main { &self.markers[side][..] } else { &[] };
            if is_main {
                selected = at;
            }
            threads.push(thread.json((&process, at), is_main, markers, self.weight));
        }
        let profile = json!({
            "meta": self.meta(selected),
            "libs": self.code.libs.json(),
            "threads": threads,
            "pages": [],
            "profilerOverhead": [],
            "counters": [],
        });
        json_line(&profile)
    }

    /// The end of the last second of a side.
    fn end_ms(&self, side: Side) -> u64 {
        let of_side = self.threads.iter().filter(|thread| thread.side == side);
        of_side.map(Thread::end_ms).max().unwrap_or(0)
    }

    fn meta(&self, selected: usize) -> Value {
        json!({
            "categories": categories(),
            "debug": false,
            "extensions": { "length": 0, "baseURL": [], "id": [], "name": [] },
            "initialSelectedThreads": [selected],
            "interval": 1,
            "markerSchema": [markers::schema()],
            "pausedRanges": [],
            "preprocessedProfileVersion": VERSION,
            "processType": 0,
            "product": self.title,
            "sampleUnits": { "time": "ms", "eventDelay": "ms", "threadCPUDelta": "µs" },
            "sourceCodeIsNotOnSearchfox": true,
            "startTime": 0,
            "symbolicated": true,
            "usesOnlyOneStackType": true,
            "version": 24,
        })
    }
}

/// What frames are coloured by. The profiler needs a grey one called `Other`.
fn categories() -> Value {
    let category =
        |name: &str, color: &str| json!({ "name": name, "color": color, "subcategories": ["Other"] });
    json!([category("Other", "grey"), category("User", "yellow"), category("Kernel", "orange")])
}

/// The number of a category in [`categories`].
fn category_of(object: Option<&Object>) -> u32 {
    match object {
        None => 0,
        Some(object) => 1 + u32::from(object.kind.is_kernel()),
    }
}
