//! `perf.data`: what `perf record` writes, read without perf.
//!
//! ```text
//! head -> records -> in order of time -> processes and maps -> samples -> cells
//! ```
//!
//! The recording says what was mapped where and when, so each frame's address is known to be a position in a file, or an
//! address of the kernel; nothing is inferred. Frames have no symbols here, because symbols come from the files, found by
//! build-id. Only functions of the kernel and of generated code, which are in no file, are named here.
//!
//! Every sample of the recording is in a cell or in a note.
//!
//! # Why no crate
//!
//! linux-perf-data 0.13 reads this container, too. But it allocates as much as a damaged header asks for, drops unknown
//! bits of `sample_type`, stops at a recording that was cut off, and copies each record twice; and half of the work,
//! samples and maps, would still be here. Tests compare this reader with `perf script`.
//!
//! # How it is fast
//!
//! Records wait for older ones in the buffers that they were read into, so that a sample costs a part of a sort of long runs, and a
//! lookup of its whole chain among those seen before. That takes about as long as the crate takes to iterate over the
//! records (`benches/README.md`).

mod branch_record;
mod byte_stream;
mod container;
mod counters;
pub(crate) mod error;
mod event_attr;
mod event_name;
mod events;
mod features;
mod fields;
mod finish;
mod inflater;
mod jit_dump;
mod jit_symbols;
mod kernel_symbols;
mod maps;
mod objects;
mod processes;
mod reader;
mod rounds;
mod sample;
mod stacks;
mod switch_fields;
mod switches;
mod unwinding;

use std::io::Read;

use pdiff_profile::Profile;

use crate::error::Error;
use crate::options::ReadOptions;
use crate::perf_script::TextInput;
use crate::time_window::TimeWindow;

use byte_stream::ByteStream;
use container::{HeadError, Layout};
use reader::Reader;

pub(crate) use container::is_perf_data;
pub use error::PerfDataError;

/// Reads a recording.
pub(crate) fn parse<R: Read>(input: TextInput<'_, R>, options: &ReadOptions<'_>) -> Result<Profile, Error> {
    let path = input.path;
    let wrong = |source| Error::PerfData { path: path.into(), source };
    if let TimeWindow::Percent { .. } = options.time {
        return Err(Error::PercentNeedsFile { path: path.into() });
    }
    let mut stream = ByteStream::new(input.text);
    let head = container::read_head(&mut stream).map_err(|error| match error {
        HeadError::Io(error) => (input.on_error)(error),
        HeadError::Wrong(error) => wrong(error),
    })?;
    let mut reader = Reader::new(head.order, head.events, options);
    let end = match head.layout {
        Layout::File { data_bytes, .. } => Some(stream.position().saturating_add(data_bytes)),
        Layout::Unbounded { .. } => None,
    };
    reader.read_records(&mut stream, end, input.tick).map_err(input.on_error)?;
    let is_cut = end.is_some_and(|end| stream.position() < end);
    let mut lacks_features = false;
    if let Layout::File { feature_bits, .. } = head.layout
        && !is_cut
    {
        let (features, is_whole) =
            container::read_features(&mut stream, head.order, feature_bits).map_err(input.on_error)?;
        lacks_features = !is_whole;
        reader.events.name_all(&features.events);
        reader.features = features;
    }
    // Its buffers hold a round or two of records: some megabytes.
    drop(stream);
    (input.tick)();
    let is_unfinished = is_cut || head.layout == Layout::Unbounded { is_unfinished: true };
    let end = finish::End { is_unfinished, lacks_features };
    finish::finish(reader, path, end, options)
}
