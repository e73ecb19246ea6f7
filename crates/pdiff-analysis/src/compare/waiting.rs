//! Where threads wait: the outcome of comparing recordings of waiting.

use pdiff_profile::PerSide;

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
    /// Where threads wait that have work; the largest change first.
    pub places: Vec<WaitPlace>,
    /// Where threads wait for work, which is masked everywhere else; the longest first.
    pub idle: Vec<WaitPlace>,
    /// The waits that each finding of the comparison has, in the findings' order; a wait counts for the innermost of them.
    pub findings: Vec<PerSide<Waits>>,
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

    /// Whether both sides have times, so that waits are compared per second.
    #[must_use]
    pub fn has_rates(&self) -> bool {
        self.span_s.before.is_some() && self.span_s.after.is_some()
    }
}
