//! Stacks as a pprof profile, which `go tool pprof`, Pyroscope, Parca and speedscope read.
//!
//! [`read_input`](crate::read_input) reads back what was written: the same stacks and weights, functions with the functions
//! inlined into them, files, lines, threads and build-ids. Values are the number of samples and the weight of one event;
//! times of samples are lost.
//!
//! A difference has the samples of both sides, those of the base with negative values and the label `pprof::base`, as
//! `pprof -diff_base` makes it, so that percentages are of the base.

use pdiff_profile::names::FunctionName;
use pdiff_profile::{Event, InlineFrame, Mapping, Object, ObjectKind, RawAddr};
use rustc_hash::FxHashMap;

use super::error::PprofError;
use super::message::Message;

/// The label of samples to compare with, and its value.
const BASE: [&str; 2] = ["pprof::base", "true"];

/// A thread, as labels describe it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct PprofThread<'a> {
    /// Its name; empty if it is not known.
    pub name: &'a str,
    /// The process.
    pub pid: Option<u32>,
    /// The thread.
    pub tid: Option<u32>,
}

/// Whether samples belong to the side shown, or to the base of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PprofSide {
    /// They count.
    Profile,
    /// They count against the others.
    Base,
}

/// An object in a profile being written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PprofMapping(u64);

/// A call level in a profile being written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PprofLocation(u64);

/// What distinguishes samples.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct SampleKey {
    leaf_first: Box<[u64]>,
    /// The thread's name, as a string's number.
    name: u64,
    ids: [Option<u32>; 2],
    side: PprofSide,
}

/// A call level: its mapping, its address, and its functions with their lines, innermost first.
type LocationKey = (u64, u64, Box<[[u64; 2]]>);

/// A profile in the making.
///
/// ```
/// use pdiff_ingest::{PprofSide, PprofThread, PprofWriter, ReadOptions, Source, read_profile};
/// use pdiff_profile::{Event, InlineFrame, Object, Weight};
///
/// let event = Event { name: "cycles".into(), samples: 2, weight: Weight(30), has_period: true };
/// let mut writer = PprofWriter::new(&event, None);
/// let main = InlineFrame { name: "main".into(), linkage_name: None, file: None, line: None, inlined: false };
/// let program = writer.mapping(&Object::from_text("/bin/x"), None);
/// let main = writer.location(program, None, &[main]);
/// writer.sample(&[main], PprofThread::default(), PprofSide::Profile, [2, 30]);
/// let source = Source::Bytes { name: "x".into(), bytes: writer.finish()?.into() };
/// let profile = read_profile(&source, &ReadOptions::new())?;
/// assert_eq!(profile.events[1], event);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PprofWriter {
    /// Messages and numbers of the profile but samples and strings.
    head: Message,
    tables: Message,
    strings: FxHashMap<Box<str>, u64>,
    texts: Vec<Box<str>>,
    mappings: FxHashMap<[u64; 5], u64>,
    functions: FxHashMap<[u64; 3], u64>,
    locations: FxHashMap<LocationKey, u64>,
    keys: FxHashMap<SampleKey, usize>,
    samples: Vec<(SampleKey, [u64; 2])>,
    has_weight: bool,
}

impl PprofWriter {
    /// Of samples of one event. `duration_ns` is the time that they were taken in.
    #[must_use]
    pub fn new(event: &Event, duration_ns: Option<u64>) -> Self {
        let mut writer = Self {
            head: Message::default(),
            tables: Message::default(),
            strings: FxHashMap::default(),
            texts: Vec::new(),
            mappings: FxHashMap::default(),
            functions: FxHashMap::default(),
            locations: FxHashMap::default(),
            keys: FxHashMap::default(),
            samples: Vec::new(),
            has_weight: event.has_period && &*event.name != "samples",
        };
        writer.text("");
        writer.sample_type("samples", "count");
        let name = if event.name.is_empty() { "event" } else { &*event.name };
        if writer.has_weight {
            writer.sample_type(name, if event.is_time() { "nanoseconds" } else { "count" });
        }
        let default = writer.text(if writer.has_weight { name } else { "samples" });
        writer.head.number(10, duration_ns.unwrap_or(0)).number(14, default);
        writer
    }

    /// An object, or a part of one that was mapped. Addresses are those of the process, or positions in the file where `part` says so.
    pub fn mapping(&mut self, object: &Object, part: Option<&Mapping>) -> PprofMapping {
        if object.kind == ObjectKind::Unknown {
            return PprofMapping(0);
        }
        let place =
            part.map_or([0; 3], |part| [part.start.0, part.start.0.saturating_add(part.len), part.offset.0]);
        let [start, limit, offset] = place;
        let path = self.text(&object.path);
        let build_id = object.build_id.as_ref().map_or(0, |id| self.text(&id.to_string()));
        let (next, tables) = (self.mappings.len() as u64 + 1, &mut self.tables);
        let id = *self.mappings.entry([start, limit, offset, path, build_id]).or_insert_with(|| {
            let mut of = Message::default();
            of.number(1, next).number(2, start).number(3, limit).number(4, offset).number(5, path);
            // It has functions, files, lines and inlined functions, so that no reader looks for them.
            of.number(6, build_id).number(7, 1).number(8, 1).number(9, 1).number(10, 1);
            tables.message(3, &of);
            next
        });
        PprofMapping(id)
    }

    /// A call level with its functions, outermost first.
    pub fn location(
        &mut self,
        mapping: PprofMapping,
        address: Option<RawAddr>,
        functions: &[InlineFrame],
    ) -> PprofLocation {
        let lines = functions.iter().rev();
        let lines: Box<[[u64; 2]]> =
            lines.map(|of| [self.function(of), u64::from(of.line.unwrap_or(0))]).collect();
        let address = address.map_or(0, |address| address.0);
        let (next, tables) = (self.locations.len() as u64 + 1, &mut self.tables);
        let id = *self.locations.entry((mapping.0, address, lines)).or_insert_with_key(|(_, _, lines)| {
            let mut of = Message::default();
            of.number(1, next).number(2, mapping.0).number(3, address);
            for [function, line] in lines {
                of.message(4, Message::default().number(1, *function).number(2, *line));
            }
            tables.message(4, &of);
            next
        });
        PprofLocation(id)
    }

    /// Counts samples and their weight; the stack is root first.
    pub fn sample(
        &mut self,
        root_first: &[PprofLocation],
        thread: PprofThread<'_>,
        side: PprofSide,
        [samples, weight]: [u64; 2],
    ) {
        let leaf_first = root_first.iter().rev().map(|location| location.0).collect();
        let key = SampleKey { leaf_first, name: self.text(thread.name), ids: [thread.pid, thread.tid], side };
        let at = *self.keys.entry(key).or_insert_with_key(|key| {
            self.samples.push((key.clone(), [0; 2]));
            self.samples.len() - 1
        });
        if let Some((_, [of_samples, of_weight])) = self.samples.get_mut(at) {
            (*of_samples, *of_weight) =
                (of_samples.saturating_add(samples), of_weight.saturating_add(weight));
        }
    }

    /// The profile, packed by gzip.
    ///
    /// # Errors
    /// [`PprofError::TooHeavy`] if a weight does not fit in 63 bits.
    pub fn finish(mut self) -> Result<Vec<u8>, PprofError> {
        let [base, is_true] = BASE.map(|text| self.text(text));
        let [name, tid, pid] = ["thread", "thread_id", "pid"].map(|text| self.text(text));
        let mut profile = std::mem::take(&mut self.head);
        for (key, [samples, weight]) in &self.samples {
            let values = [signed(*samples, key.side)?, signed(*weight, key.side)?];
            let values = values.into_iter().take(if self.has_weight { 2 } else { 1 });
            let mut sample = Message::default();
            sample.numbers(1, key.leaf_first.iter().copied()).numbers(2, values);
            let mut label = |key: u64, field: u64, value: u64| {
                sample.message(3, Message::default().number(1, key).number(field, value));
            };
            if key.name != 0 {
                label(name, 2, key.name);
            }
            for (key, id) in [pid, tid].into_iter().zip(key.ids).filter_map(|(key, id)| Some((key, id?))) {
                label(key, 3, u64::from(id));
            }
            if key.side == PprofSide::Base {
                label(base, 2, is_true);
            }
            profile.message(2, &sample);
        }
        profile.append(&self.tables);
        for text in &self.texts {
            profile.text(6, text);
        }
        Ok(profile.gzip())
    }

    fn sample_type(&mut self, kind: &str, unit: &str) {
        let (kind, unit) = (self.text(kind), self.text(unit));
        self.head.message(1, Message::default().number(1, kind).number(2, unit));
    }

    fn function(&mut self, of: &InlineFrame) -> u64 {
        // Readers take the linkage name for the truth, so one of another function is left out.
        let is_its_own = |linkage: &&str| {
            let names = FunctionName::with_linkage(&of.name, Some(linkage));
            names.qualified() == &*of.name && **linkage != *of.name
        };
        let linkage = of.linkage_name.as_deref().filter(is_its_own).unwrap_or("");
        let texts = [&of.name, linkage, of.file.as_deref().unwrap_or("")].map(|text| self.text(text));
        let [name, system_name, file] = texts;
        let (next, tables) = (self.functions.len() as u64 + 1, &mut self.tables);
        *self.functions.entry(texts).or_insert_with(|| {
            let mut of = Message::default();
            of.number(1, next).number(2, name).number(3, system_name).number(4, file);
            tables.message(5, &of);
            next
        })
    }

    fn text(&mut self, text: &str) -> u64 {
        if let Some(known) = self.strings.get(text) {
            return *known;
        }
        let next = self.texts.len() as u64;
        self.texts.push(text.into());
        self.strings.insert(text.into(), next);
        next
    }
}

/// A value as it is written.
fn signed(value: u64, side: PprofSide) -> Result<u64, PprofError> {
    let value = i64::try_from(value).map_err(|_| PprofError::TooHeavy)?;
    Ok(match side {
        PprofSide::Profile => value.cast_unsigned(),
        PprofSide::Base => value.wrapping_neg().cast_unsigned(),
    })
}
