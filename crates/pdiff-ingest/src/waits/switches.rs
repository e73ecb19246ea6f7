//! The state of each thread between its switches.

use pdiff_profile::ThreadState;
use rustc_hash::FxHashMap;

/// The most threads that are followed; a machine has some thousands.
const MAX_THREADS: usize = 1 << 20;

/// The kernel's idle task, one a CPU.
const IDLE_TASK: u32 = 0;

/// More than one departure in so many without the return before it: the recording does not have the returns.
const MAX_MISSED_ONE_IN: u64 = 10;

/// How a thread left the CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Left {
    /// It sleeps.
    Asleep,
    /// It was preempted, or it yielded.
    Runnable,
    /// It ended.
    Ended,
}

/// A time that a thread spent in one state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub(crate) state: ThreadState,
    pub(crate) start_ns: u64,
    pub(crate) ns: u64,
}

impl Interval {
    /// Counts it, unless it is empty.
    fn count<R>(self, record: &R, count: &mut impl FnMut(&R, Self)) {
        if self.ns > 0 {
            count(record, self);
        }
    }
}

/// Threads by number, each with the record of when it last left the CPU.
#[derive(Debug)]
pub(crate) struct Switches<R> {
    threads: FxHashMap<u32, Thread<R>>,
    first_ns: Option<u64>,
    last_ns: u64,
    departures: u64,
    missed: u64,
}

#[derive(Debug)]
struct Thread<R> {
    since_ns: u64,
    state: Option<ThreadState>,
    left: Option<R>,
}

impl<R> Switches<R> {
    pub(crate) fn new() -> Self {
        Self { threads: FxHashMap::default(), first_ns: None, last_ns: 0, departures: 0, missed: 0 }
    }

    /// A thread left the CPU; the time that it was on it is counted with the same record. A thread that nothing was known
    /// about has been on it since the recording began.
    pub(crate) fn left(
        &mut self,
        thread: u32,
        time_ns: u64,
        how: Left,
        record: R,
        mut count: impl FnMut(&R, Interval),
    ) {
        let first_ns = self.seen(time_ns);
        if thread == IDLE_TASK || self.is_full(thread) {
            return;
        }
        self.departures += 1;
        let entry = self.threads.entry(thread);
        let known =
            entry.or_insert(Thread { since_ns: first_ns, state: Some(ThreadState::OnCpu), left: None });
        match (known.state, &known.left) {
            (Some(ThreadState::OnCpu), _) => {
                interval(ThreadState::OnCpu, known.since_ns, time_ns).count(&record, &mut count);
            }
            // The return is lost, and with it how long the thread waited and how long it then ran. Most of it is waiting.
            (Some(state), Some(before)) => {
                self.missed += 1;
                interval(state, known.since_ns, time_ns).count(before, &mut count);
            }
            _ => self.missed += 1,
        }
        let state = match how {
            Left::Asleep => Some(ThreadState::Blocked),
            Left::Runnable => Some(ThreadState::Runnable),
            Left::Ended => None,
        };
        *known = Thread { since_ns: time_ns, state, left: Some(record) };
    }

    /// A thread got a CPU.
    pub(crate) fn entered(&mut self, thread: u32, time_ns: u64, mut count: impl FnMut(&R, Interval)) {
        self.seen(time_ns);
        if thread == IDLE_TASK || self.is_full(thread) {
            return;
        }
        let fresh = || Thread { since_ns: time_ns, state: Some(ThreadState::OnCpu), left: None };
        let known = self.threads.entry(thread).or_insert_with(fresh);
        match known.state {
            // Two sources say the same.
            Some(ThreadState::OnCpu) => {}
            Some(state) => {
                if let Some(record) = &known.left {
                    interval(state, known.since_ns, time_ns).count(record, &mut count);
                }
                (known.since_ns, known.state) = (time_ns, Some(ThreadState::OnCpu));
            }
            // A thread of the same number came after one that ended.
            None => *known = fresh(),
        }
    }

    /// What all threads did until the recording's end, in the order of their numbers.
    pub(crate) fn finish(&mut self, mut count: impl FnMut(&R, Interval)) {
        let mut threads: Vec<(u32, Thread<R>)> = self.threads.drain().collect();
        threads.sort_unstable_by_key(|(number, _)| *number);
        for (_, thread) in threads {
            if let (Some(state), Some(record)) = (thread.state, &thread.left) {
                interval(state, thread.since_ns, self.last_ns).count(record, &mut count);
            }
        }
    }

    /// What was recorded when a thread last left the CPU.
    pub(crate) fn last_departure(&self, thread: u32) -> Option<&R> {
        self.threads.get(&thread)?.left.as_ref()
    }

    /// Whether there was a switch at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.departures == 0
    }

    /// Whether threads left the CPU again and again without getting it back in between.
    pub(crate) fn lacks_returns(&self) -> bool {
        self.missed.saturating_mul(MAX_MISSED_ONE_IN) > self.departures
    }

    /// How often a thread left the CPU without getting it back before.
    pub(crate) fn missed(&self) -> u64 {
        self.missed
    }

    /// First and last time seen.
    pub(crate) fn span(&self) -> Option<(u64, u64)> {
        self.first_ns.map(|first| (first, self.last_ns))
    }

    fn seen(&mut self, time_ns: u64) -> u64 {
        self.last_ns = self.last_ns.max(time_ns);
        *self.first_ns.get_or_insert(time_ns)
    }

    fn is_full(&self, thread: u32) -> bool {
        self.threads.len() >= MAX_THREADS && !self.threads.contains_key(&thread)
    }
}

fn interval(state: ThreadState, start_ns: u64, end_ns: u64) -> Interval {
    Interval { state, start_ns, ns: end_ns.saturating_sub(start_ns) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is counted of `left thread time how` and `entered thread time` lines: `record state start+ns`.
    fn counted(steps: &[(char, u32, u64, Left)]) -> (Vec<String>, bool) {
        let mut counted = Vec::new();
        let mut switches = Switches::new();
        for (at, (step, thread, time_ns, how)) in steps.iter().enumerate() {
            let count = |record: &usize, of: Interval| {
                counted.push(format!("{record} {} {}+{}", of.state.event(), of.start_ns, of.ns));
            };
            match step {
                'l' => switches.left(*thread, *time_ns, *how, at, count),
                _ => switches.entered(*thread, *time_ns, count),
            }
        }
        switches.finish(|record, of| {
            counted.push(format!("{record} {} {}+{}", of.state.event(), of.start_ns, of.ns));
        });
        let lacks_returns = switches.lacks_returns();
        (counted, lacks_returns)
    }

    #[test]
    fn a_thread_is_off_from_its_switch_out_to_its_next_switch_in() {
        let steps = [
            ('l', 7, 100, Left::Asleep),
            ('e', 8, 100, Left::Asleep),
            ('l', 8, 130, Left::Runnable),
            ('e', 7, 150, Left::Asleep),
            ('e', 8, 170, Left::Asleep),
            ('l', 7, 190, Left::Ended),
            ('l', 0, 195, Left::Runnable),
            ('e', 9, 200, Left::Asleep),
        ];
        let expected = [
            "2 on-cpu 100+30",
            "0 blocked 100+50",
            "2 runnable 130+40",
            "5 on-cpu 150+40",
            "2 on-cpu 170+30",
        ];
        assert_eq!(counted(&steps), (expected.map(str::to_owned).to_vec(), false));
    }

    #[test]
    fn the_times_of_a_thread_sum_to_its_time_in_the_recording() {
        let mut sum = 0;
        let mut switches = Switches::new();
        for step in 0..1000_u64 {
            let time_ns = 10 + step * step % 97 + step * 100;
            let count = |_: &(), of: Interval| sum += of.ns;
            match step % 2 {
                0 => {
                    let how = if step % 3 == 0 { Left::Asleep } else { Left::Runnable };
                    switches.left(5, time_ns, how, (), count);
                }
                _ => switches.entered(5, time_ns, count),
            }
        }
        let span = switches.span().unwrap();
        switches.finish(|(), of| sum += of.ns);
        assert_eq!(sum, span.1 - span.0);
    }

    #[test]
    fn a_recording_without_returns_is_known() {
        let steps: Vec<_> = (0..20).map(|time_ns| ('l', 7, time_ns, Left::Asleep)).collect();
        let (counted, lacks_returns) = counted(&steps);
        assert!(lacks_returns);
        // Each time is counted, as the state in which it began.
        assert_eq!(counted.len(), 19);
        assert_eq!(counted[0], "0 blocked 0+1");
    }
}
