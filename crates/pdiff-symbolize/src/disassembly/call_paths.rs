//! Whether a function of x86-64 can be left without a certain call, by the jumps in its code, and on which code.
//!
//! In: where the code of a function lies, and where its callee begins. All ways from the entry are followed. What a condition asks is
//! not looked at, so a way that is never taken counts as one. Where the ways are not known, there is no answer.
//!
//! Cost: the bytes of the function.

use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use pdiff_profile::CodeChange;
use pdiff_profile::names::FunctionName;
use rustc_hash::FxHashMap;

use crate::binary::call_targets::{CallTargets, ways_out};
use crate::binary::elf_file::ElfFile;
use crate::binary::layout::{Layout, Processor};
use crate::disassembly::both_ways::{BothWays, both_ways};
use crate::disassembly::conditions::all_conditions;
use crate::disassembly::conditions_around::{WayAround, conditions_around};
use crate::disassembly::frame_bytes::frame_bytes;
use crate::disassembly::hardly_taken::{CodeSamples, hardly_skips};
use crate::disassembly::least_calls::least_calls;
use crate::disassembly::no_return::NoReturn;
use crate::disassembly::numbers::{Code, change};
use crate::disassembly::once::{RunOnce, in_loops, run_once};
use crate::disassembly::steps::{NeverReturns, Step, around, calls, calls_in_a_row, ranges, reached, steps};
use crate::disassembly::turns::{TurnsAround, turns_around};
use crate::error::Error;

/// Larger functions are not followed.
const MAX_CODE_BYTES: u64 = 1 << 20;

/// The calls in the code of one file.
#[derive(Debug)]
pub struct CallPaths {
    file: ElfFile,
    no_return: OnceLock<NoReturn>,
    targets: OnceLock<CallTargets>,
    layout: OnceLock<Layout>,
    ways_out: OnceLock<FxHashMap<String, Vec<u64>>>,
    /// Whether functions have loops, by their code: this is asked often.
    loops: Mutex<FxHashMap<Vec<Range<u64>>, Option<bool>>>,
}

impl CallPaths {
    /// Opens a file.
    ///
    /// # Errors
    /// Returns an error if it cannot be read as ELF.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self {
            file: ElfFile::open(path)?,
            no_return: OnceLock::new(),
            targets: OnceLock::new(),
            layout: OnceLock::new(),
            ways_out: OnceLock::new(),
            loops: Mutex::default(),
        })
    }

    /// Reads what is needed of the whole file to answer anything.
    pub fn look_ahead(&self) {
        self.no_return();
        self.targets();
        // The names of all symbols were read, and few are asked for again.
        self.file.forget_all();
    }

    /// The linker's stubs and slots by which the program calls a function of a library, given by its name with scopes.
    #[must_use]
    pub fn ways_to(&self, function: &str) -> Vec<u64> {
        let read = || {
            let mut starts: FxHashMap<String, Vec<u64>> = FxHashMap::default();
            for way in ways_out(&self.file) {
                let name = FunctionName::with_linkage(&way.function, Some(&way.function));
                starts.entry(name.qualified().to_owned()).or_default().push(way.start);
            }
            starts
        };
        self.ways_out.get_or_init(read).get(function).cloned().unwrap_or_default()
    }

    /// Whether there is a way through a function without a call of one that begins at one of the addresses `callees`. The function is
    /// entered where the first of its `bodies` begins; the others are parts of it, such as its cold code. `None` where that cannot be
    /// told, and where no way leads to such a call.
    #[must_use]
    pub fn can_skip(&self, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool> {
        self.asked(bodies, callees, can_skip)
    }

    /// How many calls of one that begins at one of the addresses `callees` every way through a function makes at least. The function is given
    /// as in [`Self::can_skip`]; `None` if its ways are not known, or none leads out.
    #[must_use]
    pub fn least_calls(&self, bodies: &[Range<u64>], callees: &[u64]) -> Option<u32> {
        self.asked(bodies, callees, least_calls)
    }

    /// Instructions of a function that are reached only without a call of one that begins at one of the addresses `callees`, and from
    /// which no such call follows. The function is given as in [`Self::can_skip`], and there is no answer where that has none.
    #[must_use]
    pub fn ways_around(&self, bodies: &[Range<u64>], callees: &[u64]) -> Option<Vec<Range<u64>>> {
        self.asked(bodies, callees, ways_around)
    }

    /// The calls in the code of a function of one that begins at one of the addresses `callees`, in the order of the code; `None` if its
    /// code is not known.
    #[must_use]
    pub fn calls(&self, bodies: &[Range<u64>], callees: &[u64]) -> Option<Vec<Range<u64>>> {
        let parts = self.parts(bodies)?;
        Some(calls(&parts, (callees, self.targets())))
    }

    /// How many calls of one that begins at one of the addresses `callees` are followed by another one in the code of a function, within a few
    /// dozen instructions and without a jump backwards. `None` if its code is not known.
    #[must_use]
    pub fn calls_in_a_row(&self, bodies: &[Range<u64>], callees: &[u64]) -> Option<usize> {
        let parts = self.parts(bodies)?;
        Some(calls_in_a_row(&parts, (callees, self.targets())))
    }

    /// The conditions under which a function leaves a way to a call of one that begins at one of the addresses `callees`, sorted by
    /// what they ask: after one way of its conditional jump no such call follows, and after the other one may. The function is given
    /// as in [`Self::can_skip`]. There is no answer where that has none, and where it is not known what a jump asks.
    #[must_use]
    pub fn conditions_around(&self, bodies: &[Range<u64>], callees: &[u64]) -> Option<Vec<WayAround>> {
        self.asked(bodies, callees, conditions_around)
    }

    /// What all conditional jumps in the code of a function ask, sorted; empty words where that is not known. `None` if its code is not
    /// known.
    #[must_use]
    pub fn conditions(&self, bodies: &[Range<u64>]) -> Option<Vec<Box<str>>> {
        Some(all_conditions(&self.parts(bodies)?))
    }

    /// How many bytes of the stack a function takes for itself, without what it pushes; `None` if its code is not known.
    #[must_use]
    pub fn frame_bytes(&self, bodies: &[Range<u64>]) -> Option<u64> {
        Some(frame_bytes(&self.parts(bodies)?))
    }

    /// The code on both ways of each conditional jump that asks one of these, as far as the other way does not lead there, in the order of
    /// the jumps. The function is given as in [`Self::can_skip`]; `None` if its ways are not known.
    #[must_use]
    pub fn both_ways(&self, bodies: &[Range<u64>], asks: &[String]) -> Option<Vec<BothWays>> {
        self.asked(bodies, &[], |parts, callees, never_returns| {
            both_ways(parts, callees, never_returns, asks)
        })
    }

    /// Whether every way through a function without a call of one that begins at one of the addresses `callees` leads through code that has
    /// hardly any samples, in comparison with the code that each call of the function runs first. `samples` are those in some code: of
    /// leaves, and with those of calls there. The function is given as in [`Self::can_skip`]. There is no answer where that has none,
    /// where the first code has too few samples, and where a way goes on in another function by a jump, whose samples are there.
    #[must_use]
    pub fn hardly_skips(
        &self,
        bodies: &[Range<u64>],
        callees: &[u64],
        samples: &dyn Fn(&Range<u64>) -> CodeSamples,
    ) -> Option<bool> {
        self.asked(bodies, callees, |parts, callees, never_returns| {
            hardly_skips(parts, callees, never_returns, samples)
        })
    }

    /// Whether a turn of the innermost loop around all calls of one that begins at one of the addresses `callees` can go on with the next
    /// turn without such a call, and the instructions that only such turns run. The function is given as in [`Self::can_skip`]; `None`
    /// if its ways are not known, and if there is no such loop.
    #[must_use]
    pub fn turns_around(&self, bodies: &[Range<u64>], callees: &[u64]) -> Option<TurnsAround> {
        self.asked(bodies, callees, turns_around)
    }

    /// Whether a call of one that begins at one of the addresses `callees` may follow another in the same run of a function, so that a
    /// loop says how many there are. Calls at instructions that `was_made` denies do not count. The function is given as in
    /// [`Self::can_skip`]; `None` if its ways are not known.
    #[must_use]
    pub fn repeats(
        &self,
        bodies: &[Range<u64>],
        callees: &[u64],
        was_made: &dyn Fn(&Range<u64>) -> bool,
    ) -> Option<bool> {
        self.asked(bodies, callees, |parts, callees, never_returns| {
            repeats(parts, callees, never_returns, was_made)
        })
    }

    /// Whether a call of one that begins at one of the addresses `callees` may follow itself in the same run of a function: whether it is in
    /// a loop. Otherwise as in [`Self::repeats`].
    #[must_use]
    pub fn calls_in_loop(
        &self,
        bodies: &[Range<u64>],
        callees: &[u64],
        was_made: &dyn Fn(&Range<u64>) -> bool,
    ) -> Option<bool> {
        self.asked(bodies, callees, |parts, callees, never_returns| {
            calls_in_loop(parts, callees, never_returns, was_made)
        })
    }

    /// The code of a function that a call runs once: at most, and always. `None` if the ways through it are not known.
    #[must_use]
    pub fn run_once(&self, bodies: &[Range<u64>]) -> Option<RunOnce> {
        self.asked(bodies, &[], |parts, (_, targets), never_returns| run_once(parts, targets, never_returns))
    }

    /// Whether functions that begin at these addresses set up a frame at once, so that stacks by frame pointers show who called them.
    #[must_use]
    pub fn have_frames(&self, functions: &[u64]) -> bool {
        /// `push %rbp; mov %rsp,%rbp`
        const FRAME: [u8; 4] = [0x55, 0x48, 0x89, 0xe5];
        /// One instruction may be before it: `endbr64`.
        const BEGINNING: u64 = 8;
        let has_frame =
            |start: &u64| self.file.instructions(*start, BEGINNING).windows(4).any(|bytes| bytes == FRAME);
        functions.iter().all(has_frame)
    }

    /// Whether a function has a loop; `None` if where it jumps cannot be told.
    #[must_use]
    pub fn has_loop(&self, bodies: &[Range<u64>]) -> Option<bool> {
        let known = self.loops.lock().ok().and_then(|loops| loops.get(bodies).copied());
        known.unwrap_or_else(|| {
            let found = self.asked(bodies, &[], has_loop);
            if let Ok(mut loops) = self.loops.lock() {
                loops.insert(bodies.to_vec(), found);
            }
            found
        })
    }

    /// How the code of a function of this file differs from that of the same function of another file. Both are given as in
    /// [`Self::can_skip`]. `None` if the code of one is not known.
    #[must_use]
    pub fn change(
        &self,
        bodies: &[Range<u64>],
        (other, others): (&Self, &[Range<u64>]),
    ) -> Option<CodeChange> {
        let (parts, others) = (self.parts(bodies)?, other.parts(others)?);
        let before = Code { parts: &parts, layout: self.layout() };
        Some(change(&before, &Code { parts: &others, layout: other.layout() }))
    }

    fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| Layout::read(&self.file))
    }

    /// Where each part of a function begins, with its bytes; `None` if they are too many, or those of another processor.
    fn parts(&self, bodies: &[Range<u64>]) -> Option<Vec<(u64, &[u8])>> {
        let length =
            bodies.iter().map(|body| body.end.saturating_sub(body.start)).fold(0, u64::saturating_add);
        if Processor::of(&self.file) != Processor::X86 || length > MAX_CODE_BYTES {
            return None;
        }
        let code =
            |body: &Range<u64>| self.file.instructions(body.start, body.end.saturating_sub(body.start));
        Some(bodies.iter().map(|body| (body.start, code(body))).collect())
    }

    fn no_return(&self) -> &NoReturn {
        self.no_return.get_or_init(|| NoReturn::new(&self.file))
    }

    fn targets(&self) -> &CallTargets {
        self.targets.get_or_init(|| CallTargets::read(&self.file))
    }

    fn asked<T>(
        &self,
        bodies: &[Range<u64>],
        callees: &[u64],
        question: impl Fn(&[(u64, &[u8])], (&[u64], &CallTargets), NeverReturns<'_>) -> Option<T>,
    ) -> Option<T> {
        let parts = self.parts(bodies)?;
        let (no_return, targets) = (self.no_return(), self.targets());
        question(&parts, (callees, targets), &|function| no_return.is_at((&self.file, targets), function))
    }
}

fn can_skip(
    parts: &[(u64, &[u8])],
    callees: (&[u64], &CallTargets),
    never_returns: NeverReturns<'_>,
) -> Option<bool> {
    let steps = steps(parts, callees, never_returns)?;
    let run = reached(&steps, [parts.first()?.0], false)?;
    let any = |is_it: fn(&Step) -> bool| run.iter().filter_map(|at| steps.get(at)).any(is_it);
    any(|step| step.calls).then(|| any(|step| step.leaves))
}

fn ways_around(
    parts: &[(u64, &[u8])],
    callees: (&[u64], &CallTargets),
    never_returns: NeverReturns<'_>,
) -> Option<Vec<Range<u64>>> {
    let steps = steps(parts, callees, never_returns)?;
    let around = around(&steps, parts.first()?.0)?;
    Some(ranges(&steps, around))
}

fn repeats(
    parts: &[(u64, &[u8])],
    callees: (&[u64], &CallTargets),
    never_returns: NeverReturns<'_>,
    was_made: &dyn Fn(&Range<u64>) -> bool,
) -> Option<bool> {
    let steps = steps(parts, callees, never_returns)?;
    let is_made = |at: u64, step: &Step| is_made(was_made, at, step);
    let made = steps.iter().filter(|(at, step)| is_made(**at, step));
    let backs = made.filter_map(|(_, step)| step.back).filter(|back| steps.contains_key(back));
    let after_calls = reached(&steps, backs, false)?;
    Some(after_calls.iter().any(|at| steps.get(at).is_some_and(|step| step.calls && is_made(*at, step))))
}

fn calls_in_loop(
    parts: &[(u64, &[u8])],
    callees: (&[u64], &CallTargets),
    never_returns: NeverReturns<'_>,
    was_made: &dyn Fn(&Range<u64>) -> bool,
) -> Option<bool> {
    let steps = steps(parts, callees, never_returns)?;
    for (at, step) in steps.iter().filter(|(at, step)| step.calls && is_made(was_made, **at, step)) {
        let back = step.back.filter(|back| steps.contains_key(back));
        if reached(&steps, back, true)?.contains(at) {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether a call of the callee was made; a jump to it leaves no trace, and nothing follows it.
fn is_made(was_made: &dyn Fn(&Range<u64>) -> bool, at: u64, step: &Step) -> bool {
    step.back.is_none() || was_made(&(at..step.end))
}

fn has_loop(
    parts: &[(u64, &[u8])],
    callees: (&[u64], &CallTargets),
    never_returns: NeverReturns<'_>,
) -> Option<bool> {
    let steps = steps(parts, callees, never_returns)?;
    Some(!in_loops(&steps).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLEE: u64 = 0x2000;
    const ABORTS: u64 = 0x4000;

    fn skip(parts: &[(u64, &[u8])]) -> Option<bool> {
        can_skip(parts, (&[CALLEE], &CallTargets::default()), &|function| function == ABORTS)
    }

    fn check(code: &[u8], expected: Option<bool>) {
        assert_eq!(skip(&[(0x1000, code)]), expected, "{code:02x?}");
    }

    #[test]
    fn a_call_behind_an_early_return_can_be_skipped() {
        // test %edi,%edi; je 1f; call 0x2000; 1: ret
        check(b"\x85\xff\x74\x05\xe8\xf7\x0f\x00\x00\xc3", Some(true));
        // test %edi,%edi; je 1f; nop; 1: call 0x2000; ret
        check(b"\x85\xff\x74\x01\x90\xe8\xf6\x0f\x00\x00\xc3", Some(false));
        // test %edi,%edi; je 0x2000 (in tail position); ret
        check(b"\x85\xff\x0f\x84\xf8\x0f\x00\x00\xc3", Some(true));
        // jmp 0x2000
        check(b"\xe9\xfb\x0f\x00\x00", Some(false));
    }

    #[test]
    fn what_leads_to_itself_is_a_loop() {
        let has_loop = |code: &[u8]| has_loop(&[(0x1000, code)], (&[], &CallTargets::default()), &|_| false);
        // 1: dec %edi; jne 1b; ret
        assert_eq!(has_loop(b"\xff\xcf\x75\xfc\xc3"), Some(true));
        // test %edi,%edi; je 1f; nop; 1: ret
        assert_eq!(has_loop(b"\x85\xff\x74\x01\x90\xc3"), Some(false));
        // test %edi,%edi; je 2f; 1: ret; 2: jmp 1b: a jump backwards to what returns.
        assert_eq!(has_loop(b"\x85\xff\x74\x01\xc3\xeb\xfd"), Some(false));
        // jmp *%rax
        assert_eq!(has_loop(b"\xff\xe0"), None);
    }

    #[test]
    fn what_runs_only_without_a_call_is_the_way_around_it() {
        let around = |code: &[u8]| {
            let ways = ways_around(&[(0x1000, code)], (&[CALLEE], &CallTargets::default()), &|_| false);
            let pairs = |code: Vec<Range<u64>>| code.into_iter().map(|range| (range.start, range.end));
            ways.map(|code| pairs(code).collect::<Vec<_>>())
        };
        // test %edi,%edi; je 1f; call 0x2000; jmp 2f; 1: nop; nop; 2: ret: both ways return at the same place.
        let code = b"\x85\xff\x74\x07\xe8\xf7\x0f\x00\x00\xeb\x02\x90\x90\xc3";
        assert_eq!(around(code), Some(vec![(0x100b, 0x100d)]));
        // test %edi,%edi; je 1f; call 0x2000; ret; 1: nop; ret
        assert_eq!(around(b"\x85\xff\x74\x06\xe8\xf7\x0f\x00\x00\xc3\x90\xc3"), Some(vec![(0x100a, 0x100c)]));
        // test %edi,%edi; je 1f; nop; 1: call 0x2000; ret: none.
        assert_eq!(around(b"\x85\xff\x74\x01\x90\xe8\xf6\x0f\x00\x00\xc3"), Some(Vec::new()));
        // test %edi,%edi; je 1f; call 0x2000; 1: ret: the way around has no instruction of its own.
        assert_eq!(around(b"\x85\xff\x74\x05\xe8\xf7\x0f\x00\x00\xc3"), Some(Vec::new()));
        // Without a call there is no answer: nop; ret.
        assert_eq!(around(b"\x90\xc3"), None);
        // 1: call 0x2000; test %eax,%eax; je 1b; ret: what is between two calls is not around them.
        assert_eq!(around(b"\xe8\xfb\x0f\x00\x00\x85\xc0\x74\xf7\xc3"), Some(Vec::new()));
    }

    #[test]
    fn calls_are_those_of_the_callee_behind_a_jump_through_a_table_too() {
        // call 0x2000; call 0x3000; jmp *%rax; call 0x2000; jmp 0x2000
        let code =
            b"\xe8\xfb\x0f\x00\x00\xe8\xf6\x1f\x00\x00\xff\xe0\xe8\xef\x0f\x00\x00\xe9\xea\x0f\x00\x00";
        let found = calls(&[(0x1000, code)], (&[CALLEE], &CallTargets::default()));
        assert_eq!(found, [0x1000..0x1005, 0x100c..0x1011]);
    }

    #[test]
    fn a_call_right_after_another_is_one_in_a_row() {
        let check = |code: &[u8], expected: usize| {
            let found = calls_in_a_row(&[(0x1000, code)], (&[CALLEE], &CallTargets::default()));
            assert_eq!(found, expected, "{code:02x?}");
        };
        // call 0x2000; test %eax,%eax; jne 1f; call 0x2000; 1: ret
        check(b"\xe8\xfb\x0f\x00\x00\x85\xc0\x75\x05\xe8\xf2\x0f\x00\x00\xc3", 1);
        // call 0x2000; test %eax,%eax; je 1f; ret; 1: call 0x2000; ret
        check(b"\xe8\xfb\x0f\x00\x00\x85\xc0\x74\x01\xc3\xe8\xf1\x0f\x00\x00\xc3", 1);
        // One or the other: test %edi,%edi; je 1f; call 0x2000; ret; 1: call 0x2000; ret
        check(b"\x85\xff\x74\x06\xe8\xf7\x0f\x00\x00\xc3\xe8\xf1\x0f\x00\x00\xc3", 0);
        // 1: call 0x2000; dec %edi; jne 1b; ret: the loop says how often.
        check(b"\xe8\xfb\x0f\x00\x00\xff\xcf\x75\xf7\xc3", 0);
        // Behind a jump through a table, too: jmp *%rax; call 0x2000; call 0x2000; ret
        check(b"\xff\xe0\xe8\xf9\x0f\x00\x00\xe8\xf4\x0f\x00\x00\xc3", 1);
        // call 0x2000; jmp 0x2000 (in tail position)
        check(b"\xe8\xfb\x0f\x00\x00\xe9\xf6\x0f\x00\x00", 1);
        // Far away.
        let mut code = b"\xe8\xfb\x0f\x00\x00".to_vec();
        code.extend([0x90; 70]);
        code.extend(b"\xe8\xb0\x0f\x00\x00\xc3");
        check(&code, 0);
    }

    #[test]
    fn a_call_that_may_follow_another_repeats() {
        let with = |code: &[u8], was_made: &dyn Fn(&Range<u64>) -> bool| {
            repeats(&[(0x1000, code)], (&[CALLEE], &CallTargets::default()), &|_| false, was_made)
        };
        let repeats = |code: &[u8]| with(code, &|_| true);
        // 1: call 0x2000; test %eax,%eax; je 1b; ret
        assert_eq!(repeats(b"\xe8\xfb\x0f\x00\x00\x85\xc0\x74\xf7\xc3"), Some(true));
        // call 0x2000; ret, and jmp 0x2000
        assert_eq!(repeats(b"\xe8\xfb\x0f\x00\x00\xc3"), Some(false));
        assert_eq!(repeats(b"\xe9\xfb\x0f\x00\x00"), Some(false));
        // 1: dec %edi; jne 1b; call 0x2000; ret: the loop is before the call.
        assert_eq!(repeats(b"\xff\xcf\x75\xfc\xe8\xf7\x0f\x00\x00\xc3"), Some(false));
        // jmp *%rax
        assert_eq!(repeats(b"\xff\xe0"), None);
        // test %edi,%edi; je 2f; 1: call 0x2000; dec %edi; jne 1b; 2: jmp 0x2000: a loop that did not run says nothing.
        let both = b"\x85\xff\x74\x09\xe8\xf7\x0f\x00\x00\xff\xcf\x75\xf7\xe9\xee\x0f\x00\x00";
        assert_eq!(with(both, &|call| *call == (0x1004..0x1009)), Some(true));
        assert_eq!(with(both, &|_| false), Some(false));
        // 1: call 0x2000; call 0x2000; ret: each counts, if it was made.
        let two = b"\xe8\xfb\x0f\x00\x00\xe8\xf6\x0f\x00\x00\xc3";
        assert_eq!(
            (with(two, &|_| true), with(two, &|call| call.start == 0x1000)),
            (Some(true), Some(false))
        );
    }

    #[test]
    fn a_call_that_may_follow_itself_is_in_a_loop() {
        let in_loop = |code: &[u8], was_made: bool| {
            calls_in_loop(&[(0x1000, code)], (&[CALLEE], &CallTargets::default()), &|_| false, &|_| was_made)
        };
        // 1: call 0x2000; test %eax,%eax; je 1b; ret
        let turning = b"\xe8\xfb\x0f\x00\x00\x85\xc0\x74\xf7\xc3";
        assert_eq!((in_loop(turning, true), in_loop(turning, false)), (Some(true), Some(false)));
        // call 0x2000; call 0x2000; ret: one follows the other.
        assert_eq!(in_loop(b"\xe8\xfb\x0f\x00\x00\xe8\xf6\x0f\x00\x00\xc3", true), Some(false));
        // 1: call 0x2000; call 0x2000; test %eax,%eax; je 1b; ret
        assert_eq!(
            in_loop(b"\xe8\xfb\x0f\x00\x00\xe8\xf6\x0f\x00\x00\x85\xc0\x74\xf2\xc3", true),
            Some(true)
        );
        // 1: dec %edi; jne 1b; jmp 0x2000; and jmp *%rax
        assert_eq!(in_loop(b"\xff\xcf\x75\xfc\xe9\xf7\x0f\x00\x00", true), Some(false));
        assert_eq!(in_loop(b"\xff\xe0", true), None);
    }

    #[test]
    fn a_call_through_a_slot_is_one() {
        let skip = |code: &[u8]| {
            let targets = CallTargets::of_slot(0x5000, CALLEE);
            can_skip(&[(0x1000, code)], (&[CALLEE], &targets), &|_| false)
        };
        // test %edi,%edi; je 1f; call *0x5000; 1: ret
        assert_eq!(skip(b"\x85\xff\x74\x06\xff\x15\xf6\x3f\x00\x00\xc3"), Some(true));
        // call *0x5000; ret
        assert_eq!(skip(b"\xff\x15\xfa\x3f\x00\x00\xc3"), Some(false));
        // jmp *0x5000
        assert_eq!(skip(b"\xff\x25\xfa\x3f\x00\x00"), Some(false));
        // jmp *0x6000, which may lead anywhere
        assert_eq!(skip(b"\xff\x25\xfa\x4f\x00\x00"), None);
        // test %edi,%edi; jne 1f; jmp *0x18(%rdi); 1: call 0x2000; ret
        assert_eq!(skip(b"\x85\xff\x75\x03\xff\x67\x18\xe8\xf4\x0f\x00\x00\xc3"), Some(true));
    }

    #[test]
    fn what_is_not_understood_has_no_answer() {
        // ret
        check(b"\xc3", None);
        // test %edi,%edi; je 1f; call 0x2000; 1: jmp *%rax
        check(b"\x85\xff\x74\x05\xe8\xf7\x0f\x00\x00\xff\xe0", None);
        // test %edi,%edi; je 1f; call 0x2000; 1: nop, and then the code ends
        check(b"\x85\xff\x74\x05\xe8\xf7\x0f\x00\x00\x90", None);
        // test %edi,%edi; je into the next instruction; call 0x2000; ret
        check(b"\x85\xff\x74\x01\xe8\xf7\x0f\x00\x00\xc3", None);
    }

    #[test]
    fn a_call_that_does_not_return_is_no_way_out() {
        // test %edi,%edi; je 1f; call 0x2000; ret; 1: call 0x3000, and then the code ends
        check(b"\x85\xff\x74\x06\xe8\xf7\x0f\x00\x00\xc3\xe8\xf1\x1f\x00\x00", Some(false));
    }

    #[test]
    fn code_behind_a_call_that_is_known_not_to_return_is_not_entered_from_there() {
        // test %edi,%edi; jne 1f; call 0x4000; ret (which nothing reaches); 1: call 0x2000; ret
        check(b"\x85\xff\x75\x06\xe8\xf7\x2f\x00\x00\xc3\xe8\xf1\x0f\x00\x00\xc3", Some(false));
        // The same with a call of 0x3000.
        check(b"\x85\xff\x75\x06\xe8\xf7\x1f\x00\x00\xc3\xe8\xf1\x0f\x00\x00\xc3", Some(true));
        // test %edi,%edi; je 0x4000 (in tail position); call 0x2000; ret
        check(b"\x85\xff\x0f\x84\xf8\x2f\x00\x00\xe8\xf3\x0f\x00\x00\xc3", Some(false));
    }

    #[test]
    fn a_way_through_cold_code_is_one() {
        // test %edi,%edi; je 0x3000; call 0x2000; ret, and at 0x3000: ret
        let hot: &[u8] = b"\x85\xff\x0f\x84\xf8\x1f\x00\x00\xe8\xf3\x0f\x00\x00\xc3";
        assert_eq!(skip(&[(0x1000, hot), (0x3000, b"\xc3")]), Some(true));
        // There: jmp back to the call.
        let back = b"\xe9\x03\xe0\xff\xff";
        assert_eq!(skip(&[(0x1000, hot), (0x3000, back)]), Some(false));
    }
}
