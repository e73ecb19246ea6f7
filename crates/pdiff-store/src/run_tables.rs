//! One run as the rows of the store's tables.
//!
//! In: a profile and what its frames resolve to. Out: columns. A level is a function of a stack, inlined ones included;
//! what pdiff knows beyond that (raw addresses, threads, notes) is in the run's pack.
//!
//! Estimate for 20 MB of text: 45,000 cells become some 20,000 rows of samples, as blocks have 60 s, and 30,000 stacks of
//! 30 levels become a million rows of stacks, whose frames repeat: 5 MB.

use std::collections::BTreeMap;
use std::sync::Arc;

use pdiff_profile::names::FunctionName;
use pdiff_profile::{EventId, Frame, FrameId, Lookup, Lookups, Profile, Resolution, Resolutions, StackId};
use rustc_hash::FxHashMap;

use crate::content_id::ContentId;
use crate::error::StoreError;
use crate::parquet::{Column, Values};

/// The length of a block in seconds. Where runs are many, the host is the unit of variance: seconds only multiply rows.
const BLOCK_S: u32 = 60;

/// What stands for a frame without a function.
const UNRESOLVED: &str = "[unresolved]";

/// What stands for the object of a sample without frames.
const NO_OBJECT: &str = "[unknown]";

/// The tables of one run, and what its samples sum to.
pub(crate) struct RunTables {
    pub(crate) samples: Vec<Column>,
    pub(crate) stacks: Vec<Column>,
    pub(crate) frames: Vec<Column>,
    pub(crate) functions: Vec<Column>,
    /// By event: the rows of `samples`.
    pub(crate) sample_rows: Vec<u64>,
    /// How many of the rows of `frames` are inlined.
    pub(crate) inlined_frames: u64,
}

/// One function of a stack.
#[derive(Clone, PartialEq, Eq, Hash)]
struct FrameRow {
    function: usize,
    build_id: Option<String>,
    inlined: bool,
    file: Option<Arc<str>>,
    line: Option<u32>,
}

/// A function of an object.
#[derive(Clone, PartialEq, Eq, Hash)]
struct FunctionRow {
    name: FunctionName,
    object: Box<str>,
}

/// The rows of frames and functions, each once, in the order in which they are met.
struct Rows<'a> {
    profile: &'a Profile,
    resolutions: Option<&'a Resolutions>,
    functions: Interned<FunctionRow>,
    frames: Interned<FrameRow>,
    /// By frame of the profile and how it is looked up.
    levels: FxHashMap<(FrameId, Lookup), Levels>,
    names: FxHashMap<(Box<str>, Option<Box<str>>), FunctionName>,
}

/// The rows of one frame, outermost first.
#[derive(Clone)]
struct Levels {
    rows: Vec<usize>,
    /// Whether the symboliser found them.
    is_resolved: bool,
}

/// Values, each once, with their identifiers.
struct Interned<T> {
    numbers: FxHashMap<T, usize>,
    values: Vec<(ContentId, T)>,
}

impl<T: Clone + Eq + std::hash::Hash> Interned<T> {
    fn new() -> Self {
        Self { numbers: FxHashMap::default(), values: Vec::new() }
    }

    fn number(&mut self, value: T, id: impl FnOnce(&T) -> ContentId) -> usize {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.values.len();
        self.values.push((id(&value), value.clone()));
        self.numbers.insert(value, number);
        number
    }

    fn id(&self, number: usize) -> ContentId {
        self.values.get(number).map(|(id, _)| *id).expect("numbers are given by this table")
    }
}

/// The tables of a run.
///
/// # Errors
/// Returns an error if a sum of weights does not fit in 63 bits, which is what engines count with.
pub(crate) fn run_tables(
    run_id: ContentId,
    host: &str,
    profile: &Profile,
    resolutions: Option<&Resolutions>,
) -> Result<RunTables, StoreError> {
    let mut rows = Rows {
        profile,
        resolutions,
        functions: Interned::new(),
        frames: Interned::new(),
        levels: FxHashMap::default(),
        names: FxHashMap::default(),
    };
    let lookups = Lookups::new(profile);
    let mut stacks: BTreeMap<ContentId, Vec<usize>> = BTreeMap::new();
    let mut ids: FxHashMap<StackId, ContentId> = FxHashMap::default();
    for cell in &profile.cells {
        ids.entry(cell.stack).or_insert_with(|| {
            let levels = rows.stack(&lookups, profile.stacks.get(cell.stack));
            let parts: Vec<[u8; 16]> = levels.iter().map(|level| rows.frames.id(*level).bytes()).collect();
            let id = ContentId::new("stack", parts.iter().map(<[u8; 16]>::as_slice));
            stacks.insert(id, levels);
            id
        });
    }
    let (samples, sample_rows) = samples(run_id, host, profile, &ids)?;
    Ok(RunTables {
        samples,
        stacks: stack_columns(&stacks, &rows.frames),
        frames: rows.frame_columns(),
        functions: rows.function_columns(),
        sample_rows,
        inlined_frames: rows.frames.values.iter().filter(|(_, frame)| frame.inlined).count() as u64,
    })
}

/// The samples by event, block, thread's name and stack, in this order; and the number of rows of each event.
fn samples(
    run_id: ContentId,
    host: &str,
    profile: &Profile,
    ids: &FxHashMap<StackId, ContentId>,
) -> Result<(Vec<Column>, Vec<u64>), StoreError> {
    let mut cells: BTreeMap<(EventId, u32, &str, ContentId), (u64, u64)> = BTreeMap::new();
    for cell in &profile.cells {
        let stack = *ids.get(&cell.stack).expect("every cell's stack was met before");
        let block = cell.block - cell.block % BLOCK_S;
        let sum = cells.entry((cell.event, block, profile.comm(cell.thread), stack)).or_default();
        sum.0 += u64::from(cell.samples);
        sum.1 = sum.1.saturating_add(cell.weight.0);
    }
    let mut sample_rows = vec![0; profile.events.len()];
    for (event, ..) in cells.keys() {
        if let Some(rows) = sample_rows.get_mut(event.index()) {
            *rows += 1;
        }
    }
    let event = |id: &EventId| profile.events.get(id.index()).map(|event| event.name.to_string());
    let counts = |of: fn(&(u64, u64)) -> u64| -> Result<Vec<Option<i64>>, StoreError> {
        cells.values().map(|sums| stored_count(of(sums)).map(Some)).collect()
    };
    let columns = vec![
        texts("run_id", cells.keys().map(|_| Some(run_id.to_string()))),
        texts("host", cells.keys().map(|_| Some(host.to_owned()))),
        numbers("block_s", cells.keys().map(|(_, block, ..)| i64::from(*block))),
        texts("thread", cells.keys().map(|(_, _, thread, _)| Some((*thread).to_owned()))),
        texts("event", cells.keys().map(|(id, ..)| event(id))),
        texts("stack_id", cells.keys().map(|(.., stack)| Some(stack.to_string()))),
        Column { name: "samples", values: Values::Counts(counts(|sums| sums.0)?) },
        Column { name: "weight", values: Values::Counts(counts(|sums| sums.1)?) },
    ];
    Ok((columns, sample_rows))
}

/// A count as engines store it.
pub(crate) fn stored_count(count: u64) -> Result<i64, StoreError> {
    let what = || format!("a sum of {count} does not fit in the 63 bits that engines count with");
    i64::try_from(count).map_err(|_| StoreError::Unstorable { what: what() })
}

fn stack_columns(stacks: &BTreeMap<ContentId, Vec<usize>>, frames: &Interned<FrameRow>) -> Vec<Column> {
    let rows = || {
        stacks.iter().flat_map(|(id, levels)| (0_i64..).zip(levels).map(move |(at, level)| (id, at, level)))
    };
    vec![
        texts("stack_id", rows().map(|(id, ..)| Some(id.to_string()))),
        numbers("position", rows().map(|(_, at, _)| at)),
        texts("frame_id", rows().map(|(.., level)| Some(frames.id(*level).to_string()))),
    ]
}

impl Rows<'_> {
    /// The levels of a stack, root first; never empty.
    fn stack(&mut self, lookups: &Lookups<'_>, stack: &[FrameId]) -> Vec<usize> {
        let profile = self.profile;
        let mut levels = Vec::with_capacity(stack.len());
        let mut is_expanded = false;
        for (id, lookup) in lookups.of(stack) {
            let Some(frame) = profile.frames.get(id.index()) else { continue };
            // The chain of the machine frame before has it.
            if frame.inlined && is_expanded {
                continue;
            }
            let found = match self.levels.get(&(id, lookup)) {
                Some(found) => found.clone(),
                None => {
                    let found = self.levels_of(id, frame, lookup);
                    self.levels.insert((id, lookup), found.clone());
                    found
                }
            };
            is_expanded = found.is_resolved;
            levels.extend(found.rows);
        }
        if levels.is_empty() {
            levels.push(self.row(FunctionName::parse(UNRESOLVED), NO_OBJECT, None, (false, None, None)));
        }
        levels
    }

    /// The functions at a frame: those that the symboliser found, else perf's own symbol.
    fn levels_of(&mut self, id: FrameId, frame: &Frame, lookup: Lookup) -> Levels {
        let profile = self.profile;
        let object = profile.objects.get(frame.object.index());
        let build_id = object.and_then(|object| object.build_id.as_ref()).map(ToString::to_string);
        let object = object.map_or(NO_OBJECT, |object| object.file_name());
        // perf looked a return address up as it is: at offset 0 its symbol is the next function.
        let is_sound = !(lookup == Lookup::MinusOne && frame.symbol_offset == Some(0));
        let symbol = frame.symbol.map(|symbol| profile.string(symbol));
        match self.resolutions.and_then(|resolutions| resolutions.get(id, lookup)) {
            Some(Resolution::Resolved(chain)) => {
                let mut by_perf = symbol.filter(|_| is_sound);
                let mut rows = Vec::with_capacity(chain.frames().len());
                for inline in chain.frames() {
                    let by_debug_info = self.name(&inline.name, inline.linkage_name.as_deref());
                    let by_perf = by_perf.take().map(|symbol| self.name(symbol, None));
                    let name = match by_perf {
                        Some(name) if name.qualified() != by_debug_info.qualified() => name,
                        _ => by_debug_info,
                    };
                    let place = (inline.inlined, inline.file.clone(), inline.line);
                    rows.push(self.row(name, object, build_id.clone(), place));
                }
                Levels { rows, is_resolved: true }
            }
            Some(Resolution::Unresolved(_)) => {
                let name = FunctionName::parse(UNRESOLVED);
                Levels {
                    rows: vec![self.row(name, object, build_id, (false, None, None))],
                    is_resolved: true,
                }
            }
            None => {
                let name = self.name(symbol.unwrap_or(UNRESOLVED), None);
                let row = self.row(name, object, build_id, (frame.inlined, None, None));
                Levels { rows: vec![row], is_resolved: false }
            }
        }
    }

    /// A name, demangled once.
    fn name(&mut self, name: &str, linkage: Option<&str>) -> FunctionName {
        let key = (name.into(), linkage.map(Into::into));
        self.names.entry(key).or_insert_with(|| FunctionName::with_linkage(name, linkage)).clone()
    }

    fn row(
        &mut self,
        name: FunctionName,
        object: &str,
        build_id: Option<String>,
        (inlined, file, line): (bool, Option<Arc<str>>, Option<u32>),
    ) -> usize {
        let function = self.functions.number(FunctionRow { name, object: object.into() }, FunctionRow::id);
        let of_function = self.functions.id(function);
        let row = FrameRow { function, build_id, inlined, file, line };
        self.frames.number(row, |row| row.id(of_function))
    }

    fn frame_columns(&self) -> Vec<Column> {
        let rows = || self.frames.values.iter();
        vec![
            texts("frame_id", rows().map(|(id, _)| Some(id.to_string()))),
            texts("build_id", rows().map(|(_, row)| row.build_id.clone())),
            texts("function_id", rows().map(|(_, row)| Some(self.functions.id(row.function).to_string()))),
            Column { name: "inlined", values: Values::Flags(rows().map(|(_, row)| row.inlined).collect()) },
            texts("file", rows().map(|(_, row)| row.file.as_deref().map(str::to_owned))),
            Column {
                name: "line",
                values: Values::Counts(rows().map(|(_, row)| row.line.map(i64::from)).collect()),
            },
        ]
    }

    fn function_columns(&self) -> Vec<Column> {
        let rows = || self.functions.values.iter();
        let text = |of: fn(&FunctionName) -> Option<&str>| {
            rows().map(move |(_, row)| of(&row.name).map(str::to_owned)).collect::<Vec<_>>()
        };
        vec![
            texts("function_id", rows().map(|(id, _)| Some(id.to_string()))),
            texts("object", rows().map(|(_, row)| Some(row.object.to_string()))),
            texts("linkage_name", text(FunctionName::linkage).into_iter()),
            texts("signature", text(FunctionName::signature).into_iter()),
            texts("qualified_name", text(|name| Some(name.qualified())).into_iter()),
            texts("loose_name", text(|name| Some(name.loose())).into_iter()),
        ]
    }
}

impl FunctionRow {
    fn id(&self) -> ContentId {
        let name = &self.name;
        let texts = [Some(&*self.object), name.linkage(), name.signature(), Some(name.qualified())];
        ContentId::new("function", texts.iter().map(|text| text.unwrap_or("\0").as_bytes()))
    }
}

impl FrameRow {
    fn id(&self, function: ContentId) -> ContentId {
        let line = self.line.map_or(0, |line| u64::from(line) + 1).to_le_bytes();
        let parts: [&[u8]; 5] = [
            &function.bytes(),
            self.build_id.as_deref().unwrap_or_default().as_bytes(),
            &[u8::from(self.inlined)],
            self.file.as_deref().unwrap_or("\0").as_bytes(),
            &line,
        ];
        ContentId::new("frame", parts)
    }
}

pub(crate) fn texts(name: &'static str, values: impl Iterator<Item = Option<String>>) -> Column {
    Column { name, values: Values::Texts(values.collect()) }
}

pub(crate) fn numbers(name: &'static str, values: impl Iterator<Item = i64>) -> Column {
    Column { name, values: Values::Counts(values.map(Some).collect()) }
}
