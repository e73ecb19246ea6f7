//! Where threads wait: the outcome of comparing recordings of waiting.

use pdiff_profile::PerSide;

use crate::noise::{Method, RunVariation, Test};

/// The waiting of both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiting {
    /// Length of the recordings of waiting, in seconds, all runs of a side together; `None` where they have no times. Where
    /// one side has none, waits cannot be compared per second.
    pub span_s: PerSide<Option<f64>>,
    /// How often the recordings lost when a thread got a CPU back, all threads of the machine together; until it left the CPU
    /// again, its time counts as waiting.
    pub lost_returns: PerSide<u64>,
    /// Operations per second, where the comparison knows them of both sides.
    pub tps: Option<PerSide<f64>>,
    /// The program whose threads these are; `None` if all threads of the recordings count, because nothing tells the program.
    pub program: Option<String>,
    /// Threads by group, the longest waits first.
    pub groups: Vec<WaitingGroup>,
    /// Where threads wait that have work; significant changes first, then the largest.
    pub places: Vec<WaitPlace>,
    /// Where threads wait for work, which is masked everywhere else; the longest first.
    pub idle: Vec<WaitPlace>,
    /// The waits that each finding of the comparison has, in the findings' order; a wait counts for the innermost of them.
    pub findings: Vec<FindingWaits>,
    /// How changes of waits were tested.
    pub noise: WaitNoise,
}

/// How changes of waits were tested.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WaitNoise {
    /// One recording a side, or several.
    pub method: Method,
    /// How waits vary from one recording to the next, assumed or measured.
    pub run_variation: RunVariation,
    /// Number of places and findings tested.
    pub tests: usize,
}

/// What is known about the change of a wait: of the seconds of sleep, in the unit of [`Waiting::measured`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WaitChange {
    /// Half of the 95 % interval of the change.
    pub half: f64,
    /// The test of no change.
    pub test: Test,
    /// The change is large enough to matter, and more than noise.
    pub significant: bool,
}

/// The waits of a finding.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FindingWaits {
    /// Both sides.
    pub waits: PerSide<Waits>,
    /// The change of its sleep.
    pub change: WaitChange,
}

/// Seconds of several threads together.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Waits {
    /// They slept, and it was not for lack of work.
    pub blocked_s: f64,
    /// Number of these waits.
    pub count: u64,
    /// They could have run, but had no CPU.
    pub runnable_s: f64,
}

/// One side's times of a group of threads: they sum to the time of its threads in the recording.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ThreadTimes {
    /// Threads.
    pub threads: usize,
    /// They ran; `None` where the recording does not say it.
    pub cpu_s: Option<f64>,
    /// Waits with work.
    pub waits: Waits,
    /// They waited for work.
    pub idle_s: f64,
}

impl ThreadTimes {
    /// The time of the threads in the recording: running, waiting, without work.
    #[must_use]
    pub fn wall_s(&self) -> Option<f64> {
        Some(self.cpu_s? + self.waits.blocked_s + self.waits.runnable_s + self.idle_s)
    }
}

/// Threads that do the same work.
#[derive(Clone, PartialEq, Debug)]
pub struct WaitingGroup {
    /// Name of the group.
    pub name: String,
    /// Times of both sides.
    pub times: PerSide<ThreadTimes>,
}

/// A function that waits.
#[derive(Clone, PartialEq, Debug)]
pub struct WaitPlace {
    /// The innermost function of the program that is not a wrapper of waiting; `None` if the stack has none.
    pub function: Option<String>,
    /// Label of its object; empty if there is no function.
    pub object: String,
    /// What it calls to wait: a wrapper, a function of the C library or of the kernel.
    pub waits_in: String,
    /// Functions of the program above it, innermost first: those of most of the waiting.
    pub callers: Vec<String>,
    /// The group of threads that waits longest there.
    pub group: String,
    /// Seconds of sleep.
    pub seconds: PerSide<f64>,
    /// Number of sleeps.
    pub count: PerSide<u64>,
    /// The change; `None` of waits for work.
    pub change: Option<WaitChange>,
}

impl Waiting {
    /// Seconds as a rate, where both sides have times: seconds of waiting per second, which is how many threads wait on average.
    #[must_use]
    pub fn rate(&self, seconds: PerSide<f64>) -> PerSide<f64> {
        match (self.span_s.before, self.span_s.after) {
            (Some(before), Some(after)) if before > 0.0 && after > 0.0 => {
                PerSide { before: seconds.before / before, after: seconds.after / after }
            }
            _ => seconds,
        }
    }

    /// Nanoseconds of waiting per operation, where operations per second are known.
    #[must_use]
    pub fn ns_per_op(&self, seconds: PerSide<f64>) -> Option<PerSide<f64>> {
        let tps = self.tps.filter(|_| self.has_rates())?;
        let rate = self.rate(seconds);
        Some(PerSide { before: 1e9 * rate.before / tps.before, after: 1e9 * rate.after / tps.after })
    }

    /// Waits as they are compared: in nanoseconds per operation where operations are known, else in seconds per second, else
    /// in seconds.
    #[must_use]
    pub fn measured(&self, seconds: PerSide<f64>) -> PerSide<f64> {
        self.ns_per_op(seconds).unwrap_or_else(|| self.rate(seconds))
    }

    /// Whether both sides have times, so that waits are compared per second.
    #[must_use]
    pub fn has_rates(&self) -> bool {
        self.span_s.before.is_some() && self.span_s.after.is_some()
    }
}
