//! The caller's decisions about reading.

use std::fmt;
use std::num::NonZeroUsize;

use pdiff_profile::{KernelImages, TakenBranch, TakenSample, Unwinder};

use crate::cpu_list::CpuList;
use crate::kernel_lists::KernelLists;
use crate::symbol_places::SymbolPlaces;
use crate::time_window::TimeWindow;

/// How a recording is read.
///
/// ```
/// use pdiff_ingest::{ReadOptions, TimeWindow};
/// let options = ReadOptions { time: TimeWindow::parse("10%-20%")?, ..ReadOptions::new() };
/// assert!(!options.lenient);
/// # Ok::<(), pdiff_ingest::ParseTimeWindowError>(())
/// ```
#[derive(Clone)]
pub struct ReadOptions<'a> {
    /// The samples to keep, by time; the others are counted in a note.
    pub time: TimeWindow,
    /// The samples to keep, by the CPU they were taken on. Only `perf.data` and its text say which.
    pub cpus: Option<&'a CpuList>,
    /// The samples to keep, by the path of their cgroup. Only `perf.data` of `perf record --all-cgroups` says it.
    pub cgroup: Option<&'a (dyn Fn(&str) -> bool + Sync)>,
    /// Go on however many lines cannot be parsed.
    pub lenient: bool,
    /// Read switches of CPUs (or folded stacks of `offcputime`, in microseconds) as the times that threads spent in each
    /// [`ThreadState`](pdiff_profile::ThreadState), in nanoseconds; other samples are left out.
    pub waits: bool,
    /// Number of worker threads, at most [`Self::MAX_WORKERS`]; `None` for one per core. The result does not depend on it.
    pub threads: Option<NonZeroUsize>,
    /// Where the names of code that no binary has are looked for, for recordings read without perf.
    pub symbols: SymbolPlaces,
    /// Finds the callers in stacks that were recorded as bytes; without one such samples have no callers.
    pub unwinder: Option<&'a dyn Unwinder>,
    /// Finds the kernel's file, by which its functions are named; without one, or where it finds none, they are named by
    /// [`Self::symbols`].
    pub kernel_images: Option<&'a dyn KernelImages>,
    /// The lists of kernels' functions that were read for other recordings, and will be; without, each recording reads its own.
    pub kernel_lists: Option<&'a KernelLists>,
    /// Called with every sample that counts. Only `perf.data` is read sample by sample; samples whose stacks are unwound come
    /// later than their neighbours.
    pub each_sample: Option<&'a (dyn Fn(TakenSample) + Sync)>,
    /// Called with every branch record of the samples that count, those of a sample from the earliest to the latest. Only
    /// `perf.data` has them; it is an error if a recording has none.
    pub each_branch: Option<&'a (dyn Fn(TakenBranch) + Sync)>,
    /// Called now and then with the bytes read so far, and their total where it is known. Both count bytes of the
    /// file, compressed or not.
    pub progress: Option<&'a (dyn Fn(u64, Option<u64>) + Sync)>,
}

impl ReadOptions<'_> {
    /// More workers than this find nothing to do on any machine, and the system may refuse them.
    pub const MAX_WORKERS: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");

    /// Everything, strictly, on all cores, in silence.
    #[must_use]
    pub fn new() -> Self {
        Self {
            time: TimeWindow::All,
            cpus: None,
            cgroup: None,
            lenient: false,
            waits: false,
            threads: None,
            symbols: SymbolPlaces::default(),
            unwinder: None,
            kernel_images: None,
            kernel_lists: None,
            each_sample: None,
            each_branch: None,
            progress: None,
        }
    }

    /// The number of workers to start.
    pub(crate) fn worker_count(&self) -> usize {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or_else(cores).min(Self::MAX_WORKERS).get()
    }
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ReadOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadOptions")
            .field("time", &self.time)
            .field("lenient", &self.lenient)
            .field("threads", &self.threads)
            .field("symbols", &self.symbols)
            .finish_non_exhaustive()
    }
}
