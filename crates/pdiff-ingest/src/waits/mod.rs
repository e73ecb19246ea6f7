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

use pdiff_profile::{NoteKind, Notes, Weight};

/// Says that a recording lost returns to a CPU.
pub(crate) fn note_lost_returns(notes: &mut Notes, missed: u64) {
    if missed > 0 {
        let text = "counted as waiting until the thread left the CPU again; hint: record with a larger buffer, `perf record -m 4M`";
        notes.add(NoteKind::LostReturns, missed, Weight::ZERO, || text.into());
    }
}
