//! Reads one recording: opens, decompresses, detects the format and parses it.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pdiff_profile::{Profile, Resolutions};

use crate::compressed::{self, Packing};
use crate::error::Error;
use crate::flame_graph;
use crate::folded;
use crate::format::{self, Format, SNIFF_BYTES};
use crate::input::Input;
use crate::options::ReadOptions;
use crate::pack::{is_pack, read_pack};
use crate::perf_data;
use crate::perf_script;
use crate::pprof;
use crate::source::{OpenSource, Source};
use crate::time_window::{TimeRange, TimeWindow};
use crate::waits::{SwitchText, note_lost_returns};

/// The most bytes read of one pack; more are not of a pack that was written by this crate.
const MAX_PACK_BYTES: u64 = 1 << 32;

/// Reads one recording: `perf.data`, `perf script` text, folded stacks (`a;b;c 12`), a pprof profile, a flame graph as SVG,
/// or a pack of one, plain or compressed by gzip, zstd or xz; all are recognised by content, not by name. Memory follows
/// unique stacks, not the size of the input.
///
/// # Errors
/// [`Error`] if it cannot be read, is not a recording, has too many lines that cannot be parsed, or is a pack and the time
/// window is not one of whole seconds.
///
/// ```
/// use pdiff_ingest::{Input, PackedRun, ReadOptions, Source, read_input, write_pack};
/// use pdiff_profile::{Notes, RunMeasures};
/// let path = std::env::temp_dir().join(format!("pdiff-doc-{}.pdiff", std::process::id()));
/// let (source, options) = (Source::Path(path.clone()), ReadOptions::new());
/// std::fs::write(&path, "main;work 3\nmain 1\n")?;
/// let Input::Text(profile) = read_input(&source, &options)? else { panic!("it is text") };
/// let tool_version = "pdiff 0.1.0".into();
/// let (notes, objects, measures) = (Notes::new(), Vec::new(), RunMeasures::default());
/// let run = PackedRun { tool_version, profile, resolutions: None, notes, objects, measures };
/// std::fs::write(&path, write_pack(&run)?)?;
/// assert_eq!(read_input(&source, &options)?, Input::Pack(run));
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_input(source: &Source, options: &ReadOptions<'_>) -> Result<Input, Error> {
    let first = open(source)?;
    let (TimeWindow::Percent { start, end }, true) = (options.time, first.is_regular_file) else {
        return read_once(source, first, options);
    };
    let all = ReadOptions { time: TimeWindow::All, each_sample: None, each_branch: None, ..options.clone() };
    let whole = match read_once(source, first, &all)? {
        Input::Text(profile) | Input::Named(profile, _) => profile,
        pack => return restrict(source, pack, options.time),
    };
    let span = whole.span.ok_or_else(|| Error::NoTimes { path: source.to_string().into() })?;
    drop(whole);
    let time = TimeRange::percent(span.first_ns, span.last_ns, start, end).into();
    read_once(source, open(source)?, &ReadOptions { time, ..options.clone() })
}

/// The samples of one recording, as [`read_input`]; of a pack too, without what it resolved.
///
/// # Errors
/// As [`read_input`].
///
/// ```
/// use pdiff_ingest::{ReadOptions, Source, read_profile};
/// let path = std::env::temp_dir().join(format!("pdiff-doc-{}.folded", std::process::id()));
/// std::fs::write(&path, "main;work 3\nmain 1\n")?;
/// let profile = read_profile(&Source::Path(path.clone()), &ReadOptions::new())?;
/// assert_eq!(profile.events[0].samples, 4);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_profile(source: &Source, options: &ReadOptions<'_>) -> Result<Profile, Error> {
    read_input(source, options).map(Input::into_profile)
}

fn open(source: &Source) -> Result<OpenSource, Error> {
    source.open().map_err(|error| Error::Unreadable { path: source.to_string().into(), source: error })
}

fn read_once(source: &Source, open: OpenSource, options: &ReadOptions<'_>) -> Result<Input, Error> {
    let path = source.to_string();
    let consumed = Arc::new(AtomicU64::new(0));
    let reader = Counted { inner: open.reader, consumed: Arc::clone(&consumed) };
    let (packing, mut text) = unpacked(&path, reader)?;
    let start = read_start(&mut text, SNIFF_BYTES).map_err(|error| unreadable(&path, packing, error))?;
    if start.is_empty() {
        return Err(Error::Empty { path: path.into() });
    }
    if is_pack(&start) {
        no_switches_in(&path, options, "it is a pack")?;
        places_known(&path, options, false, false)?;
        let packed = io::Cursor::new(start).chain(text).take(MAX_PACK_BYTES);
        return restrict(source, read_packed(&path, packing, packed)?, options.time);
    }
    let format =
        format::detect(&start).map_err(|kind| Error::WrongKind { path: path.as_str().into(), kind })?;
    places_known(
        &path,
        options,
        matches!(format, Format::PerfData | Format::PerfScript),
        format == Format::PerfData,
    )?;
    let tick = || {
        if let Some(progress) = options.progress {
            progress(consumed.load(Ordering::Relaxed), open.len);
        }
    };
    let on_error = |error| unreadable(&path, packing, error);
    let text = io::Cursor::new(start).chain(text);
    let input = perf_script::TextInput { path: &path, text, tick: &tick, on_error: &on_error };
    match format {
        Format::PerfScript if options.waits => read_switch_text(input, options),
        Format::Pprof => no_switches_in(&path, options, "it is a pprof profile")
            .and_then(|()| pprof::parse(input, options).map(named)),
        Format::FlameGraph => no_switches_in(&path, options, "it is a flame graph")
            .and_then(|()| flame_graph::parse(input, options).map(named)),
        Format::PerfScript => perf_script::parse(input, options).map(Input::Text),
        Format::Folded => folded::parse(input, options).map(named),
        Format::PerfData => perf_data::parse(input, options).map(Input::Text),
    }
}

/// What is read, without its compression.
fn unpacked(
    path: &str,
    mut reader: impl Read + Send + 'static,
) -> Result<(Option<Packing>, Box<dyn Read + Send>), Error> {
    let start = read_start(&mut reader, 6).map_err(|error| unreadable(path, None, error))?;
    let packing = Packing::detect(&start);
    let stored = io::Cursor::new(start).chain(reader);
    let text: Box<dyn Read + Send> = match packing {
        None => Box::new(stored),
        Some(packing) => {
            compressed::unpack(packing, stored).map_err(|error| unreadable(path, Some(packing), error))?
        }
    };
    Ok((packing, text))
}

/// Whether a file is `perf.data`, compressed or not.
///
/// # Errors
/// Returns an error if it cannot be read.
pub fn is_perf_data(source: &Source) -> Result<bool, Error> {
    let path = source.to_string();
    let (packing, mut text) = unpacked(&path, open(source)?.reader)?;
    let start = read_start(&mut text, 8).map_err(|error| unreadable(&path, packing, error))?;
    Ok(perf_data::is_perf_data(&start))
}

/// A profile with what its file says of functions.
fn named((profile, names): (Profile, Option<Resolutions>)) -> Input {
    match names {
        Some(names) => Input::Named(profile, names),
        None => Input::Text(profile),
    }
}

/// Refuses formats that have no switches, where waiting is asked for.
fn no_switches_in(path: &str, options: &ReadOptions<'_>, found: &'static str) -> Result<(), Error> {
    if options.waits { Err(Error::NoSwitches { path: path.into(), found }) } else { Ok(()) }
}

/// The text of switches, as text of the times in each state.
fn read_switch_text<R: Read + Send>(
    input: perf_script::TextInput<'_, R>,
    options: &ReadOptions<'_>,
) -> Result<Input, Error> {
    let mut text = SwitchText::new(input.text);
    let made = perf_script::TextInput {
        path: input.path,
        text: &mut text,
        tick: input.tick,
        on_error: input.on_error,
    };
    let profile = perf_script::parse(made, options);
    let path = || input.path.into();
    match profile {
        Err(error @ Error::Unreadable { .. }) | Err(error @ Error::Compressed { .. }) => Err(error),
        _ if text.switches().is_empty() => {
            Err(Error::NoSwitches { path: path(), found: "it has no sched:sched_switch samples" })
        }
        _ if text.switches().lacks_returns() => Err(Error::NoReturns { path: path() }),
        profile => profile.map(|mut profile| {
            note_lost_returns(&mut profile.notes, text.switches().missed());
            Input::Text(profile)
        }),
    }
}

/// Refuses to choose by what a format does not say.
fn places_known(
    path: &str,
    options: &ReadOptions<'_>,
    has_cpus: bool,
    has_cgroups: bool,
) -> Result<(), Error> {
    if options.cpus.is_some() && !has_cpus {
        return Err(Error::NoCpus { path: path.into() });
    }
    if options.cgroup.is_some() && !has_cgroups {
        return Err(Error::NoCgroups { path: path.into() });
    }
    Ok(())
}

fn read_packed(path: &str, packing: Option<Packing>, mut packed: impl Read) -> Result<Input, Error> {
    let mut bytes = Vec::new();
    packed.read_to_end(&mut bytes).map_err(|error| unreadable(path, packing, error))?;
    let run = read_pack(&bytes).map_err(|source| Error::Pack { path: path.into(), source })?;
    Ok(Input::Pack(run))
}

/// The part of a pack in a time window; text was restricted while it was read.
fn restrict(source: &Source, input: Input, time: TimeWindow) -> Result<Input, Error> {
    match input {
        Input::Text(_) | Input::Named(..) => Ok(input),
        Input::Pack(run) => {
            let no_window = |error| Error::PackWindow { path: source.to_string().into(), source: error };
            Ok(Input::Pack(run.restrict(time).map_err(no_window)?))
        }
    }
}

fn unreadable(path: &str, packing: Option<Packing>, source: io::Error) -> Error {
    match packing {
        None => Error::Unreadable { path: path.into(), source },
        Some(_) if source.kind() == io::ErrorKind::Unsupported => {
            Error::Unreadable { path: path.into(), source }
        }
        Some(packing) => Error::Compressed { path: path.into(), format: packing.name(), source },
    }
}

/// Up to `len` first bytes; fewer only at the end of the input.
fn read_start(reader: &mut impl Read, len: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(len);
    reader.take(len as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// A reader that counts what was taken from it.
struct Counted {
    inner: Box<dyn Read + Send>,
    consumed: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(buffer)?;
        self.consumed.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }
}
