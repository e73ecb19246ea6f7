//! Recordings of waiting: switches of CPUs become times that threads ran, could have run, and slept.
//!
//! `perf record -a -e sched:sched_switch -g` writes a sample whenever a CPU goes from one thread to another, with the call
//! chain of the thread that leaves. A thread is off the CPU from its switch out to its next switch in, and that time belongs to
//! the stack with which it left. `perf.data` and text share this bookkeeping ([`switches`]); [`switch_text`] makes ordinary
//! text of the text of switches.

mod switch_text;
mod switches;

pub(crate) use switch_text::SwitchText;
pub(crate) use switches::{Interval, Left, Switches};
