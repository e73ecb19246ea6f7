//! What a thread did between two switches of its CPU: the events of recordings of waiting.

/// The state of a thread for an interval of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ThreadState {
    /// It slept: it waited for a lock, a disk, a client or a time.
    Blocked,
    /// It could have run, but another thread had the CPU.
    Runnable,
    /// It ran.
    OnCpu,
}

impl ThreadState {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Blocked, Self::Runnable, Self::OnCpu];

    /// The name of the event whose weights are nanoseconds in this state.
    #[must_use]
    pub fn event(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Runnable => "runnable",
            Self::OnCpu => "on-cpu",
        }
    }
}
