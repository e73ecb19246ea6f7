//! pprof, read and written: `profile.proto` as Go's runtime, py-spy, Parca, Pyroscope and perf_to_profile write it, mostly packed by gzip.
//!
//! ```text
//! bytes -> tables (strings, functions, locations, mappings) -> samples -> cells
//! ```
//!
//! In: the unpacked bytes, all of them in memory, as strings may be at the end. Out: the samples, and the functions that
//! the profile says are at its locations, inlined ones included. A profile without functions is symbolised as `perf.data`
//! is. There are no times of samples, only those of the whole.
//!
//! Messages are read and written by hand: generated code would bring a build of its own, for eight messages of numbers and texts.
//! What is read is bounded by its bytes; what grows beyond them has a limit with a name.

mod columns;
mod detect;
pub(crate) mod error;
mod frames;
mod message;
mod tables;
mod threads;
mod wire;
mod write;

use std::io::Read;

use pdiff_profile::{NoteKind, Profile, ProfileBuilder, Resolutions, Span, StackTable, Weight};

use self::columns::Columns;
use self::frames::Frames;
use self::tables::Tables;
use self::threads::{Labels, Threads};
use self::wire::Fields;
use crate::error::Error;
use crate::options::ReadOptions;
use crate::perf_script::TextInput;
use crate::time_window::TimeWindow;

pub(crate) use detect::is_pprof;
pub use error::PprofError;
pub use write::{PprofLocation, PprofMapping, PprofSide, PprofThread, PprofWriter};

/// The most bytes of a profile, unpacked: a profile contains each stack once, and large ones have some ten million bytes.
const MAX_BYTES: usize = 1 << 29;
/// How many bytes are read between two reports of progress.
const CHUNK_BYTES: usize = 1 << 20;

/// Reads a profile: its samples, and the functions that it names, if it does.
pub(crate) fn parse<R: Read>(
    mut input: TextInput<'_, R>,
    options: &ReadOptions<'_>,
) -> Result<(Profile, Option<Resolutions>), Error> {
    if options.time != TimeWindow::All {
        return Err(Error::NoTimes { path: input.path.into() });
    }
    let bytes = read(&mut input)?;
    let wrong = |source| Error::Pprof { path: input.path.into(), source };
    let tables = Tables::read(&bytes).map_err(wrong)?;
    let mut frames = Frames::new(&tables);
    let builder = samples(&bytes, &tables, &mut frames).map_err(wrong)?;
    let profile = builder.finish().map_err(|source| Error::Build { path: input.path.into(), source })?;
    if profile.cells.is_empty() {
        return Err(wrong(PprofError::NoSamples));
    }
    let resolutions = frames.into_resolutions(profile.frames.len());
    Ok((profile, resolutions))
}

fn read<R: Read>(input: &mut TextInput<'_, R>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    loop {
        let chunk = input.text.by_ref().take(CHUNK_BYTES as u64);
        let len = { chunk }.read_to_end(&mut bytes).map_err(input.on_error)?;
        (input.tick)();
        if bytes.len() > MAX_BYTES {
            let source = PprofError::TooLarge { limit: MAX_BYTES, what: "bytes" };
            return Err(Error::Pprof { path: input.path.into(), source });
        }
        if len == 0 {
            return Ok(bytes);
        }
    }
}

/// Counts all samples.
fn samples(bytes: &[u8], tables: &Tables<'_>, frames: &mut Frames<'_>) -> Result<ProfileBuilder, PprofError> {
    let mut builder = ProfileBuilder::new();
    let mut columns = Columns::new(tables)?;
    let threads = Threads::new(tables);
    let mut sample = Sample::default();
    for field in Fields::new(bytes) {
        if let (2, message) = field? {
            sample.read(message.bytes()?, &threads, columns.len())?;
            sample.count(&threads, frames, &mut columns, &mut builder)?;
        }
    }
    columns.name_default(&mut builder);
    builder.span = span(tables);
    Ok(builder)
}

/// When the profile was taken.
fn span(tables: &Tables<'_>) -> Option<Span> {
    let (first_ns, duration_ns) = (tables.time_ns, tables.duration_ns);
    let last_ns = first_ns.checked_add(duration_ns).filter(|_| duration_ns > 0)?;
    i64::try_from(last_ns).is_ok().then_some(Span { first_ns, last_ns })
}

/// One sample: a stack with its values.
///
/// ```text
/// Sample = 1 location_id*, leaf first  2 value*  3 label*
/// ```
#[derive(Default, Debug)]
struct Sample {
    leaf_first: Vec<u64>,
    values: Vec<u64>,
    labels: Labels,
}

impl Sample {
    /// Reads the next one in place of this one.
    fn read(&mut self, message: &[u8], threads: &Threads<'_>, columns: usize) -> Result<(), PprofError> {
        self.leaf_first.clear();
        self.values.clear();
        self.labels = Labels::default();
        for field in Fields::new(message) {
            match field? {
                (1, value) => value.push_numbers(&mut self.leaf_first, StackTable::MAX_DEPTH + 1)?,
                (2, value) => value.push_numbers(&mut self.values, columns + 1)?,
                (3, value) => threads.label(value.bytes()?, &mut self.labels)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn count(
        &mut self,
        threads: &Threads<'_>,
        frames: &mut Frames<'_>,
        columns: &mut Columns,
        builder: &mut ProfileBuilder,
    ) -> Result<(), PprofError> {
        if self.leaf_first.is_empty() {
            builder.notes.add(NoteKind::NoFrames, 1, Weight::ZERO, String::new);
        }
        if self.leaf_first.len() > StackTable::MAX_DEPTH {
            self.leaf_first.truncate(StackTable::MAX_DEPTH);
            builder.notes.add(NoteKind::StackTooDeep, 1, Weight::ZERO, String::new);
        }
        let mut root_first = Vec::with_capacity(self.leaf_first.len());
        for location in self.leaf_first.iter().rev() {
            root_first.push(frames.frame(*location, builder)?);
        }
        let stack = builder.stack(&root_first);
        let thread = threads.thread(self.labels, builder)?;
        columns.count(&self.values, builder, |builder, of| {
            builder.count(of.event, 0, thread, stack, of.samples, Weight(of.weight));
        })
    }
}
