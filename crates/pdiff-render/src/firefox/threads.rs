//! The tables of one thread.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use pdiff_profile::{InlineFrame, Side};
use serde_json::{Value, json};

use super::libs::Libs;
use super::markers::FirefoxMarker;
use super::symbols::{Place, Symbols};
use super::{FirefoxLevel, FirefoxWeight, category_of};

/// The greatest whole number that JavaScript has exactly.
const MAX_EXACT: u64 = (1 << 53) - 1;

/// The process that a thread belongs to.
pub(super) struct Process<'a> {
    pub(super) name: &'a str,
    pub(super) end_ms: u64,
    /// Where machine functions lie, by number in the profile.
    pub(super) places: &'a [Place],
}

/// The objects of a profile and their machine functions.
#[derive(Default, Debug)]
pub(super) struct Code {
    pub(super) libs: Libs,
    pub(super) symbols: Symbols,
}

/// Values by number, in the order of their first use.
#[derive(Debug)]
struct Table<T> {
    numbers: HashMap<T, usize>,
    rows: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), rows: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Table<T> {
    fn number(&mut self, row: T) -> usize {
        let next = self.rows.len();
        let number = *self.numbers.entry(row.clone()).or_insert(next);
        if number == next {
            self.rows.push(row);
        }
        number
    }

    fn column<V: Into<Value>>(&self, value: impl Fn(&T) -> V) -> Value {
        self.rows.iter().map(|row| value(row).into()).collect()
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Func {
    name: usize,
    file: Option<usize>,
    resource: Option<usize>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Frame {
    func: usize,
    symbol: Option<usize>,
    address: Option<u64>,
    line: Option<u32>,
    depth: usize,
    category: u32,
}

#[derive(Debug)]
struct Sample {
    second: u32,
    stack: Option<usize>,
    weight: u64,
}

/// A thread with its samples.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) side: Side,
    name: String,
    strings: Table<Arc<str>>,
    /// The libs used: number and name.
    resources: Table<(usize, usize)>,
    funcs: Table<Func>,
    /// Machine functions: number in the profile, and name.
    symbols: Table<(usize, usize)>,
    frames: Table<Frame>,
    /// Prefix and frame.
    stacks: Table<(Option<usize>, usize)>,
    samples: Vec<Sample>,
}

impl Thread {
    pub(super) fn new(side: Side, name: &str) -> Self {
        Self {
            side,
            name: name.to_owned(),
            strings: Table::default(),
            resources: Table::default(),
            funcs: Table::default(),
            symbols: Table::default(),
            frames: Table::default(),
            stacks: Table::default(),
            samples: Vec::new(),
        }
    }

    pub(super) fn weight(&self) -> u128 {
        self.samples.iter().map(|sample| u128::from(sample.weight)).sum()
    }

    pub(super) fn end_ms(&self) -> u64 {
        let last = self.samples.iter().map(|sample| u64::from(sample.second)).max();
        last.map_or(0, |last| (last + 1) * 1000)
    }

    pub(super) fn sample(&mut self, second: u32, stack: Option<usize>, weight: u64) {
        self.samples.push(Sample { second, stack, weight });
    }

    pub(super) fn stack(&mut self, root_first: &[FirefoxLevel<'_>], code: &mut Code) -> Option<usize> {
        let mut prefix = None;
        for level in root_first {
            let lib = level.object.map(|object| code.libs.number(object));
            let symbol = self.symbol(level, lib, &mut code.symbols);
            let resource = level.object.zip(lib).map(|(object, lib)| {
                let name = self.strings.number(object.file_name().into());
                self.resources.number((lib, name))
            });
            for (depth, function) in level.functions.iter().enumerate() {
                let frame = Frame {
                    func: self.func(function, resource),
                    symbol,
                    address: level.address.filter(|address| *address <= MAX_EXACT && lib.is_some()),
                    line: function.line,
                    depth,
                    category: category_of(level.object),
                };
                let frame = self.frames.number(frame);
                prefix = Some(self.stacks.number((prefix, frame)));
            }
        }
        prefix
    }

    fn func(&mut self, function: &InlineFrame, resource: Option<usize>) -> usize {
        let name = self.strings.number(function.name.clone());
        let file = function.file.clone().map(|file| self.strings.number(file));
        self.funcs.number(Func { name, file, resource })
    }

    /// The machine function of a level, which is its outermost one.
    fn symbol(
        &mut self,
        level: &FirefoxLevel<'_>,
        lib: Option<usize>,
        symbols: &mut Symbols,
    ) -> Option<usize> {
        let (lib, outermost) = lib.zip(level.functions.first())?;
        let start = level.function_start.or(level.address).filter(|start| *start <= MAX_EXACT);
        let number = symbols.number(lib, &outermost.name, start);
        let name = self.strings.number(outermost.name.clone());
        Some(self.symbols.number((number, name)))
    }

    /// All of it; `place` is its process and its number in the profile.
    pub(super) fn json(
        &self,
        (process, number): (&Process<'_>, usize),
        is_main: bool,
        markers: &[FirefoxMarker],
        weight: FirefoxWeight,
    ) -> Value {
        // A process is shown under the name of its main thread.
        let name = if is_main { format!("{}, {}", process.name, self.name) } else { self.name.clone() };
        let mut strings = Strings(self.strings.rows.iter().map(|text| &**text).collect());
        let markers = marker_table(markers, process.end_ms, &mut strings);
        json!({
            "name": name,
            "isMainThread": is_main,
            "processName": process.name,
            "processType": "default",
            "pid": self.side.as_str(),
            "tid": format!("{}-{number}", self.side.as_str()),
            "processStartupTime": 0,
            "processShutdownTime": process.end_ms,
            "registerTime": 0,
            "unregisterTime": null,
            "pausedRanges": [],
            "showMarkersInTimeline": is_main,
            "stringArray": strings.0,
            "resourceTable": self.resource_table(),
            "funcTable": self.func_table(),
            "nativeSymbols": self.native_symbols(process.places),
            "frameTable": self.frame_table(),
            "stackTable": json!({
                "length": self.stacks.rows.len(),
                "prefix": self.stacks.column(|(prefix, _)| *prefix),
                "frame": self.stacks.column(|(_, frame)| *frame),
            }),
            "samples": self.sample_table(weight),
            "markers": markers,
        })
    }

    fn resource_table(&self) -> Value {
        /// A resource that is a lib.
        const LIB: u32 = 1;
        let len = self.resources.rows.len();
        json!({
            "length": len,
            "lib": self.resources.column(|(lib, _)| *lib),
            "name": self.resources.column(|(_, name)| *name),
            "host": vec![Value::Null; len],
            "type": vec![LIB; len],
        })
    }

    fn func_table(&self) -> Value {
        let len = self.funcs.rows.len();
        json!({
            "length": len,
            "name": self.funcs.column(|func| func.name),
            "isJS": vec![false; len],
            "relevantForJS": vec![false; len],
            "resource": self.funcs.column(|func| func.resource.map_or(json!(-1), |resource| json!(resource))),
            "fileName": self.funcs.column(|func| func.file),
            "lineNumber": vec![Value::Null; len],
            "columnNumber": vec![Value::Null; len],
        })
    }

    fn native_symbols(&self, places: &[Place]) -> Value {
        let len = self.symbols.rows.len();
        let place = |symbol: &(usize, usize)| places.get(symbol.0).copied();
        json!({
            "length": len,
            "address": self.symbols.column(|symbol| place(symbol).map(|place| place.address)),
            "functionSize": vec![Value::Null; len],
            "libIndex": self.symbols.column(|symbol| place(symbol).map(|place| place.lib)),
            "name": self.symbols.column(|(_, name)| *name),
        })
    }

    fn frame_table(&self) -> Value {
        let len = self.frames.rows.len();
        json!({
            "length": len,
            "address": self.frames.column(|frame| frame.address.map_or(json!(-1), |address| json!(address))),
            "inlineDepth": self.frames.column(|frame| frame.depth),
            "category": self.frames.column(|frame| frame.category),
            "subcategory": vec![0; len],
            "func": self.frames.column(|frame| frame.func),
            "nativeSymbol": self.frames.column(|frame| frame.symbol),
            "innerWindowID": vec![0; len],
            "line": self.frames.column(|frame| frame.line),
            "column": vec![Value::Null; len],
        })
    }

    fn sample_table(&self, weight: FirefoxWeight) -> Value {
        let mut samples: Vec<&Sample> = self.samples.iter().collect();
        samples.sort_by_key(|sample| sample.second);
        let mut times_us: Vec<u64> = Vec::with_capacity(samples.len());
        for of_second in samples.chunk_by(|a, b| a.second == b.second) {
            let len = of_second.len() as u64;
            let start = |sample: &Sample| u64::from(sample.second) * 1_000_000;
            times_us.extend((0..).zip(of_second).map(|(at, sample)| start(sample) + at * 1_000_000 / len));
        }
        let before = std::iter::once(0).chain(times_us.iter().copied());
        let deltas: Vec<f64> =
            times_us.iter().zip(before).map(|(time, before)| (time - before) as f64 / 1000.0).collect();
        let (kind, weights): (&str, Vec<Value>) = match weight {
            FirefoxWeight::Count => ("samples", samples.iter().map(|sample| json!(sample.weight)).collect()),
            FirefoxWeight::Time => {
                ("tracing-ms", samples.iter().map(|sample| json!(sample.weight as f64 / 1e6)).collect())
            }
        };
        json!({
            "length": samples.len(),
            "stack": samples.iter().map(|sample| sample.stack).collect::<Vec<_>>(),
            "timeDeltas": deltas,
            "weight": weights,
            "weightType": kind,
        })
    }
}

/// The strings of a thread, and those that its markers add.
struct Strings<'a>(Vec<&'a str>);

impl<'a> Strings<'a> {
    fn number(&mut self, text: &'a str) -> usize {
        self.0.iter().position(|known| *known == text).unwrap_or_else(|| {
            self.0.push(text);
            self.0.len() - 1
        })
    }
}

fn marker_table<'a>(markers: &'a [FirefoxMarker], end_ms: u64, strings: &mut Strings<'a>) -> Value {
    /// A marker with a start and an end.
    const INTERVAL: u32 = 1;
    let len = markers.len();
    json!({
        "length": len,
        "category": vec![0; len],
        "data": markers.iter().map(FirefoxMarker::json).collect::<Vec<_>>(),
        "name": markers.iter().map(|marker| strings.number(marker.name())).collect::<Vec<_>>(),
        "phase": vec![INTERVAL; len],
        "startTime": vec![0; len],
        "endTime": vec![end_ms; len],
    })
}
