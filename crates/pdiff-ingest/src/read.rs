//! Reading one recording: open, unpack, tell the format, parse.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pdiff_profile::Profile;

use crate::compressed::{self, Packing};
use crate::error::Error;
use crate::folded;
use crate::format::{self, Format, SNIFF_BYTES};
use crate::options::ReadOptions;
use crate::perf_script::{self, Input};
use crate::source::Source;
use crate::time_window::{TimeRange, TimeWindow};

/// Reads one recording: `perf script` text or folded stacks (`a;b;c 12`), plain or packed by gzip, zstd or xz; both are
/// told by content, not by name. Memory follows unique stacks, not the size of the input.
///
/// # Errors
/// [`Error`] if it cannot be read, is no recording, or has too many lines that cannot be parsed.
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
    let TimeWindow::Percent { start, end } = options.time else {
        return read_once(source, options);
    };
    let is_regular_file = open(source)?.is_regular_file;
    if !is_regular_file {
        return Err(Error::PercentNeedsFile { path: source.to_string().into() });
    }
    let whole = read_once(source, &ReadOptions { time: TimeWindow::All, ..options.clone() })?;
    let span = whole.span.ok_or_else(|| Error::NoTimes { path: source.to_string().into() })?;
    drop(whole);
    let time = TimeRange::percent(span.first_ns, span.last_ns, start, end).into();
    read_once(source, &ReadOptions { time, ..options.clone() })
}

fn open(source: &Source) -> Result<crate::source::OpenSource, Error> {
    source.open().map_err(|error| Error::Unreadable { path: source.to_string().into(), source: error })
}

fn read_once(source: &Source, options: &ReadOptions<'_>) -> Result<Profile, Error> {
    let path = source.to_string();
    let open = open(source)?;
    let consumed = Arc::new(AtomicU64::new(0));
    let mut reader = Counted { inner: open.reader, consumed: Arc::clone(&consumed) };
    let start = read_start(&mut reader, 6).map_err(|error| unreadable(&path, None, error))?;
    let packing = Packing::detect(&start);
    let stored = io::Cursor::new(start).chain(reader);
    let mut text: Box<dyn Read + Send> = match packing {
        None => Box::new(stored),
        Some(packing) => {
            compressed::unpack(packing, stored).map_err(|error| unreadable(&path, Some(packing), error))?
        }
    };
    let start = read_start(&mut text, SNIFF_BYTES).map_err(|error| unreadable(&path, packing, error))?;
    if start.is_empty() {
        return Err(Error::Empty { path: path.into() });
    }
    let format =
        format::detect(&start).map_err(|kind| Error::WrongKind { path: path.as_str().into(), kind })?;
    let tick = || {
        if let Some(progress) = options.progress {
            progress(consumed.load(Ordering::Relaxed), open.len);
        }
    };
    let on_error = |error| unreadable(&path, packing, error);
    let input =
        Input { path: &path, text: io::Cursor::new(start).chain(text), tick: &tick, on_error: &on_error };
    match format {
        Format::PerfScript => perf_script::parse(input, options),
        Format::Folded => folded::parse(input, options),
    }
}

fn unreadable(path: &str, packing: Option<Packing>, source: io::Error) -> Error {
    match packing {
        None => Error::Unreadable { path: path.into(), source },
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
