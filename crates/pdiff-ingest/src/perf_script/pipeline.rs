//! Blocks to workers to one profile.
//!
//! Each worker takes the next block off the input itself, under a lock, into memory of its own, and parses it while others
//! read on. Nothing is queued, so memory is one block per worker, and a block is parsed on the core that read it.

use std::io::{self, Read};
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

use pdiff_profile::Profile;

use crate::error::Error;
use crate::options::ReadOptions;
use crate::time_window::{TimeRange, TimeWindow};

use super::TextInput;
use super::blocks::{BLOCK_BYTES, Block, BlockReader, MAX_BLOCK_BYTES};
use super::columns::{self, HEAD_BYTES};
use super::cursor::Cursor;
use super::header_line;
use super::header_line::Columns;
use super::merge::merge;
use super::worker::Worker;

/// Parses a text. A window in percent must have been turned into an absolute one.
pub(crate) fn parse<R: Read + Send>(
    input: TextInput<'_, R>,
    options: &ReadOptions<'_>,
) -> Result<Profile, Error> {
    parse_blocks(input, options, BLOCK_BYTES)
}

/// The same with blocks of a given size.
pub(super) fn parse_blocks<R: Read + Send>(
    input: TextInput<'_, R>,
    options: &ReadOptions<'_>,
    block_bytes: usize,
) -> Result<Profile, Error> {
    let mut text = input.text;
    let mut head = Vec::new();
    text.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(input.on_error)?;
    let columns = columns::decide(&head);
    let mut blocks = BlockReader::new(io::Cursor::new(head).chain(text), block_bytes);
    let range = time_range(&mut blocks, options, input.path, columns).map_err(|error| match error {
        RangeError::Read(error) => (input.on_error)(error),
        RangeError::Other(error) => error,
    })?;
    let shared = Mutex::new(Shared { blocks, error: None });
    let work = || run_worker(&shared, Worker::new(range, options.cpus.cloned(), columns), input.tick);
    let workers = match options.worker_count() {
        0 | 1 => vec![work()],
        count => thread::scope(|scope| {
            // Where the system gives no more threads, fewer do the work.
            let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let handles: Vec<_> = (1..count).map_while(start).collect();
            let mut workers = vec![work()];
            workers.extend(
                handles.into_iter().map(|handle| handle.join().unwrap_or_else(|panic| resume_unwind(panic))),
            );
            workers
        }),
    };
    let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    match shared.error {
        Some(error) => Err((input.on_error)(error)),
        None => merge(workers, input.path, options),
    }
}

struct Shared<R> {
    blocks: BlockReader<R>,
    error: Option<io::Error>,
}

fn run_worker<R: Read>(shared: &Mutex<Shared<R>>, mut worker: Worker, tick: &(dyn Fn() + Sync)) -> Worker {
    let mut block = Block::default();
    while take_block(shared, &mut block) {
        tick();
        worker.read_block(&block);
    }
    worker.finish()
}

/// Reads the next block; false at the end or after an error.
fn take_block<R: Read>(shared: &Mutex<Shared<R>>, block: &mut Block) -> bool {
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    match shared.blocks.read_block(block) {
        Ok(has_more) => has_more,
        Err(error) => {
            shared.blocks.stop();
            shared.error.get_or_insert(error);
            false
        }
    }
}

enum RangeError {
    Read(io::Error),
    Other(Error),
}

/// The times to keep. A window relative to the first sample needs a look at the blocks up to it.
fn time_range<R: Read>(
    blocks: &mut BlockReader<R>,
    options: &ReadOptions<'_>,
    path: &str,
    columns: Columns,
) -> Result<Option<TimeRange>, RangeError> {
    match options.time {
        TimeWindow::All => Ok(None),
        TimeWindow::Absolute { start_ns, end_ns } => {
            Ok(Some(TimeRange { start_ns, end_ns: end_ns.unwrap_or(u64::MAX) }))
        }
        TimeWindow::Percent { .. } => Err(RangeError::Other(Error::PercentNeedsFile { path: path.into() })),
        TimeWindow::Relative { start_ns, end_ns } => {
            let first_ns = first_time(blocks, columns).map_err(RangeError::Read)?;
            let no_times = || RangeError::Other(Error::NoTimes { path: path.into() });
            Ok(Some(TimeRange::relative(first_ns.ok_or_else(no_times)?, start_ns, end_ns)))
        }
    }
}

/// The time of the first sample, if one of the blocks in [`MAX_BLOCK_BYTES`] has it: records may be before it.
fn first_time<R: Read>(blocks: &mut BlockReader<R>, columns: Columns) -> io::Result<Option<u64>> {
    let (mut seen, mut bytes, mut first_ns) = (Vec::new(), 0, None);
    while first_ns.is_none() && bytes < MAX_BLOCK_BYTES {
        let mut block = Block::default();
        if !blocks.read_block(&mut block)? {
            break;
        }
        first_ns = first_time_in(block.text.as_slice(), columns);
        bytes += block.text.as_slice().len();
        seen.push(block);
    }
    blocks.put_back(seen);
    Ok(first_ns)
}

fn first_time_in(text: &[u8], columns: Columns) -> Option<u64> {
    let mut cursor = Cursor::new(text);
    while let Some(line) = cursor.next_line() {
        let is_sample =
            !line.starts_with(b"\t") && !line.starts_with(b"#") && super::record_line::parse(line).is_none();
        if let Some(time_ns) = is_sample
            .then(|| header_line::parse_as(line, columns))
            .flatten()
            .and_then(|header| header.time_ns)
        {
            return Some(time_ns);
        }
    }
    None
}
