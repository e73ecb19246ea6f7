//! The recordings of both sides, read: one after another with all workers, or several at once with fewer workers each.
//!
//! Each worker of a recording learns its texts itself, and one of them merges the counts. So recordings of similar size are
//! read one per core at the same time, with one worker each if that is enough. A recording as long as all others together
//! is better read by all workers.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pdiff_ingest::{Error, Input, KernelLists, ReadOptions, Source, read_input};

use pdiff_profile::{KernelImages, TakenBranch, TakenSample, Unwinder};

use super::{Files, Reading};
use crate::build::Build;
use crate::progress::Progress;
use crate::recording::Recording;

/// Recordings are read at once if the largest, a core of its own given, takes at most this part of the time longer than
/// all of them on all cores.
const MAX_IDLE: f64 = 0.25;

/// A recording of a build, which says what of it counts.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) recording: &'a Recording,
    pub(super) build: &'a Build,
}

impl Wanted<'_> {
    /// Whether the samples of a cgroup count.
    fn is_cgroup(&self, path: &str) -> bool {
        self.build.cgroups.iter().any(|pattern| pattern.is_match(path))
    }

    /// How it is read, but for what happens meanwhile.
    fn options<'o>(
        &'o self,
        reading: &Reading,
        is_cgroup: &'o (dyn Fn(&str) -> bool + Sync),
        files: Option<&'o Files>,
    ) -> ReadOptions<'o> {
        ReadOptions {
            time: self.build.time,
            cpus: self.build.cpus.as_ref(),
            cgroup: (!self.build.cgroups.is_empty()).then_some(is_cgroup),
            lenient: reading.lenient,
            waits: reading.waits,
            symbols: reading.symbol_places(),
            unwinder: files.map(|files| -> &dyn Unwinder { &files.unwinder }),
            kernel_images: files.map(|files| -> &dyn KernelImages { &files.kernels }),
            ..ReadOptions::new()
        }
    }
}

/// Reads recordings, each with the part of it that counts, and makes of each what `then` makes while others are still read.
pub(super) fn read_recordings<T: Send>(
    recordings: &[Wanted<'_>],
    reading: &Reading,
    then: impl Fn(&Wanted<'_>, Input) -> T + Sync,
) -> Result<Vec<T>, Error> {
    let sizes: Option<Vec<u64>> = recordings.iter().map(|wanted| size(&wanted.recording.source)).collect();
    let threads = worker_count(reading);
    match sizes.map(|sizes| (lanes(&sizes, threads), sizes)) {
        Some((lanes, sizes)) if lanes > 1 => {
            let total = sizes.iter().sum();
            let read = read_at_once(recordings, reading, lanes, threads.div_ceil(lanes), total, then)?;
            reading.watcher.finished(&format!("read {} recordings at once", recordings.len()), Some(total));
            Ok(read)
        }
        _ => recordings.iter().map(|wanted| Ok(then(wanted, read_one(wanted, reading)?))).collect(),
    }
}

/// Reads one recording with all workers.
fn read_one(wanted: &Wanted<'_>, reading: &Reading) -> Result<Input, Error> {
    read_with(wanted, reading, None)
}

/// Reads one recording and the samples of which it is made, as far as they are known one by one.
pub(super) fn read_with_samples(
    wanted: &Wanted<'_>,
    reading: &Reading,
) -> Result<(Input, Vec<TakenSample>), Error> {
    let taken = Mutex::new(Vec::new());
    let keep = |sample| taken.lock().unwrap_or_else(PoisonError::into_inner).push(sample);
    let input = read_with(wanted, reading, Some(&keep))?;
    Ok((input, taken.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Reads one recording and passes on its branch records. Stacks that were recorded as bytes are not unwound.
pub(super) fn read_with_branches(
    wanted: &Wanted<'_>,
    reading: &Reading,
    each_branch: &(dyn Fn(TakenBranch) + Sync),
) -> Result<Input, Error> {
    let files = reading.files(&wanted.build.binaries);
    let is_cgroup = |path: &str| wanted.is_cgroup(path);
    let options = ReadOptions {
        each_branch: Some(each_branch),
        unwinder: None,
        ..wanted.options(reading, &is_cgroup, files.as_ref())
    };
    read_input(&wanted.recording.source, &options)
}

fn read_with(
    wanted: &Wanted<'_>,
    reading: &Reading,
    each_sample: Option<&(dyn Fn(TakenSample) + Sync)>,
) -> Result<Input, Error> {
    let source = &wanted.recording.source;
    let files = reading.files(&wanted.build.binaries);
    let is_cgroup = |path: &str| wanted.is_cgroup(path);
    let what = format!("reading {source}");
    let options = ReadOptions {
        threads: reading.threads,
        progress: Some(&|bytes, total| {
            reading.watcher.tell(Progress::Reading { what: &what, bytes, total });
        }),
        each_sample,
        ..wanted.options(reading, &is_cgroup, files.as_ref())
    };
    let input = read_input(source, &options)?;
    reading.watcher.finished(&format!("read {source}"), size(source));
    Ok(input)
}

/// One a core, unless the user says otherwise.
fn worker_count(reading: &Reading) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    reading.threads.map_or_else(cores, NonZeroUsize::get)
}

/// The bytes of a file; `None` of what is not a file.
fn size(source: &Source) -> Option<u64> {
    match source {
        Source::Path(path) => {
            std::fs::metadata(path).ok().filter(|meta| meta.is_file()).map(|meta| meta.len())
        }
        Source::Stdin | Source::Bytes { .. } => None,
    }
}

/// How many recordings of these sizes to read at once.
fn lanes(sizes: &[u64], threads: usize) -> usize {
    let lanes = sizes.len().min(threads);
    let (largest, total) = (sizes.iter().max().copied().unwrap_or(0), sizes.iter().sum::<u64>());
    if largest as f64 * lanes as f64 <= total as f64 * (1.0 + MAX_IDLE) { lanes } else { 1 }
}

/// Each lane takes the next recording that nobody has.
fn read_at_once<T: Send>(
    recordings: &[Wanted<'_>],
    reading: &Reading,
    lanes: usize,
    workers: usize,
    total: u64,
    then: impl Fn(&Wanted<'_>, Input) -> T + Sync,
) -> Result<Vec<T>, Error> {
    let what = format!("reading {} recordings", recordings.len());
    let read: Vec<AtomicU64> = recordings.iter().map(|_| AtomicU64::new(0)).collect();
    let kernel_lists = KernelLists::default();
    let results: Mutex<Vec<Option<Result<T, Error>>>> = Mutex::new(recordings.iter().map(|_| None).collect());
    let next = AtomicUsize::new(0);
    let read_one = |at: usize, wanted: &Wanted<'_>| {
        let files = reading.files(&wanted.build.binaries);
        let is_cgroup = |path: &str| wanted.is_cgroup(path);
        let update = |bytes: u64, _| {
            if let Some(read) = read.get(at) {
                read.store(bytes, Ordering::Relaxed);
            }
            let bytes = read.iter().map(|read| read.load(Ordering::Relaxed)).sum();
            reading.watcher.tell(Progress::Reading { what: &what, bytes, total: Some(total) });
        };
        let options = ReadOptions {
            threads: NonZeroUsize::new(workers),
            progress: Some(&update),
            kernel_lists: Some(&kernel_lists),
            ..wanted.options(reading, &is_cgroup, files.as_ref())
        };
        read_input(&wanted.recording.source, &options)
    };
    let lane = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(wanted) = recordings.get(at) else { return };
            let result = read_one(at, wanted).map(|input| then(wanted, input));
            if result.is_err() {
                // What nobody has begun is left alone.
                next.store(recordings.len(), Ordering::Relaxed);
            }
            if let Some(slot) = results.lock().unwrap_or_else(PoisonError::into_inner).get_mut(at) {
                *slot = Some(result);
            }
        }
    };
    // On the threads that count later: what they free while reading, they use again.
    rayon::scope(|scope| {
        for _ in 1..lanes {
            scope.spawn(|_| lane());
        }
        lane();
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Of several errors that of the first recording is said.
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_of_like_size_are_read_at_once() {
        let check =
            |sizes: &[u64], threads, expected| assert_eq!(lanes(sizes, threads), expected, "{sizes:?}");
        check(&[1085, 1211], 2, 2);
        check(&[100, 100], 1, 1);
        check(&[100, 10], 2, 1);
        check(&[100, 100], 16, 2);
        check(&[23, 25, 24, 25, 23, 22], 4, 4);
        check(&[1000, 25, 24], 2, 1);
        check(&[7], 2, 1);
        check(&[0, 0], 2, 2);
        check(&[], 2, 0);
    }
}
