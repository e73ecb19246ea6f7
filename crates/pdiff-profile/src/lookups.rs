//! How the address of a recorded frame is looked up.
//!
//! A caller's address is a return address: the call is before it. So a recorded frame can be looked up in two ways: as the
//! leaf of one stack, and as a caller in another. Only [`Lookups`] decides this.

use crate::id::FrameId;
use crate::object::ObjectKind;
use crate::profile::{Frame, Profile};

/// How the address of a frame is looked up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lookup {
    /// As printed: the leaf, and a user frame that the kernel interrupted.
    Exact,
    /// One byte before: a return address.
    MinusOne,
}

/// How the frames of a profile's stacks are looked up.
///
/// The leaf's address is used unchanged, and so is that of the user frame right below a kernel interrupt entry
/// (`asm_sysvec_*`, `asm_exc_*`, `asm_common_interrupt`) or below the code that a signal handler returns to, because that
/// frame was interrupted and was not calling. All others are return addresses. Frames that perf expanded at one address are
/// looked up in the same way.
///
/// ```text
/// root   start_thread+0x305          minus one   a caller
///        do_command+0x15b            minus one
///        my_hash_sort+0x3            exact       interrupted
///        asm_sysvec_reschedule_ipi   minus one
/// leaf   irqentry_exit_to_user_mode  exact
/// ```
#[derive(Debug)]
pub struct Lookups<'a> {
    profile: &'a Profile,
    /// By frame: a frame is in many stacks.
    traits: Vec<Traits>,
}

/// The properties of a frame that decide how it and its neighbours are looked up.
#[derive(Clone, Copy, Debug)]
struct Traits {
    inlined: bool,
    is_kernel: bool,
    is_signal_return: bool,
    is_interrupt_entry: bool,
}

impl<'a> Lookups<'a> {
    /// Of a profile's frames.
    #[must_use]
    pub fn new(profile: &'a Profile) -> Self {
        let traits_of = |frame: &Frame| {
            let symbol = frame.symbol.map_or("", |symbol| profile.string(symbol));
            let object = profile.objects.get(frame.object.index());
            Traits {
                inlined: frame.inlined,
                is_kernel: object
                    .is_some_and(|object| object.kind.is_kernel() || object.kind == ObjectKind::Unknown),
                is_signal_return: is_signal_return(symbol),
                is_interrupt_entry: is_interrupt_entry(symbol),
            }
        };
        Self { profile, traits: profile.frames.iter().map(traits_of).collect() }
    }

    /// The frames of a stack (root first), and how each is looked up.
    pub fn of(&self, root_first: &[FrameId]) -> impl Iterator<Item = (FrameId, Lookup)> {
        let (mut end, mut is_exact) = (0, false);
        root_first.iter().enumerate().map(move |(at, &id)| {
            if at >= end {
                end = at + self.machine_frame_len(root_first.get(at..).unwrap_or(&[]));
                is_exact = root_first.get(end).is_none_or(|&above| self.is_interrupted(id, above));
            }
            (id, if is_exact { Lookup::Exact } else { Lookup::MinusOne })
        })
    }

    /// Whether perf expanded a frame from the debug information.
    #[must_use]
    pub fn is_inlined(&self, id: FrameId) -> bool {
        self.traits.get(id.index()).is_some_and(|traits| traits.inlined)
    }

    /// Whether a frame is of the kernel, or of an object that is not known.
    #[must_use]
    pub fn is_kernel(&self, id: FrameId) -> bool {
        self.traits.get(id.index()).is_some_and(|traits| traits.is_kernel)
    }

    /// The number of frames at the start of `root_first` that are one machine frame: one, and what perf expanded there.
    fn machine_frame_len(&self, root_first: &[FrameId]) -> usize {
        let is_inlined = |id: &&FrameId| self.is_inlined(**id);
        let place =
            |id: &FrameId| self.profile.frames.get(id.index()).map(|frame| (frame.addr, frame.object));
        let Some((outer, rest)) = root_first.split_first() else { return 1 };
        1 + rest.iter().take_while(is_inlined).take_while(|inner| place(inner) == place(outer)).count()
    }

    /// Whether the frame above (nearer the leaf) says that this one was interrupted, not calling.
    fn is_interrupted(&self, id: FrameId, above: FrameId) -> bool {
        let Some(above) = self.traits.get(above.index()) else { return false };
        above.is_signal_return || above.is_interrupt_entry && !self.is_kernel(id)
    }
}

/// Kernel entries on x86 that no code calls: those of Linux 5.8 and later, then older ones.
fn is_interrupt_entry(symbol: &str) -> bool {
    const PREFIXES: [&str; 3] = ["asm_sysvec_", "asm_exc_", "asm_common_interrupt"];
    const EARLIER: [&str; 5] =
        ["apic_timer_interrupt", "reschedule_interrupt", "ret_from_intr", "page_fault", "async_page_fault"];
    PREFIXES.iter().any(|prefix| symbol.starts_with(prefix)) || EARLIER.contains(&symbol)
}

/// The code that a signal handler returns to.
fn is_signal_return(symbol: &str) -> bool {
    ["__restore_rt", "__restore", "__kernel_rt_sigreturn"].contains(&symbol)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Object, ProfileBuilder, RawAddr, Thread, Weight};

    /// Frames as `object symbol`, root first, perf's inlined ones as `symbol(i)` at the address of the one before.
    fn check(frames: &[&str], expected: &str) {
        let mut builder = ProfileBuilder::new();
        let mut addr = 0;
        let mut ids = Vec::new();
        for text in frames {
            let (object, symbol) = text.split_once(' ').unwrap();
            let inlined = symbol.ends_with("(i)");
            addr += u64::from(!inlined);
            let object = builder.object(Object::from_text(object));
            let symbol = Some(builder.string(symbol));
            let addr = Some(RawAddr(addr));
            ids.push(builder.frame(Frame {
                addr,
                symbol,
                symbol_offset: None,
                object,
                source: None,
                inlined,
            }));
        }
        let stack = builder.stack(&ids);
        let thread = Thread { comm: builder.string("x"), pid: None, tid: None };
        let thread = builder.thread(thread);
        let event = builder.event("cycles");
        builder.count(event, 0, thread, stack, 1, Weight(1));
        let profile = builder.finish().unwrap();
        let got: String = Lookups::new(&profile)
            .of(profile.stacks.get(stack))
            .map(|(_, lookup)| if lookup == Lookup::Exact { 'e' } else { '-' })
            .collect();
        assert_eq!(got, expected, "{frames:?}");
    }

    #[test]
    fn leaves_are_looked_up_as_they_are_and_callers_minus_one() {
        check(&["a main", "a f", "a g"], "--e");
        check(&["a main"], "e");
        check(&[], "");
    }

    #[test]
    fn a_frame_that_was_interrupted_is_not_a_caller() {
        check(&["a main", "a f", "[kernel.kallsyms] asm_sysvec_x", "[kernel.kallsyms] g"], "-e-e");
        check(&["a main", "a f", "[kernel.kallsyms] entry_SYSCALL_64", "[kernel.kallsyms] g"], "---e");
        check(&["a main", "a f", "libc __restore_rt", "a handler"], "-e-e");
    }

    #[test]
    fn frames_that_perf_expanded_are_one_with_their_machine_frame() {
        check(&["a main", "a f", "a g(i)", "a h(i)"], "-eee");
        check(&["a main", "a f", "a g(i)", "a leaf"], "---e");
        check(&["a main", "a f", "a g(i)", "[kernel.kallsyms] asm_exc_page_fault"], "-eee");
        check(&["a main", "a f", "a g(i)", "[kernel.kallsyms] asm_sysvec_x", "[kernel.kallsyms] h"], "-ee-e");
    }
}
