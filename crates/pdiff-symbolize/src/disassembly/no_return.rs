//! Which functions of x86-64 code do not return to their caller.
//!
//! In: a file, and where a function begins. A function does not return if it is one of the C and C++ runtimes' that never do, or if
//! its code has no return and no jump that leaves it, other than to such a function: compilers leave the return away behind a call
//! that does not come back. A function with a return that no way reaches counts as one that returns.
//!
//! Cost: the symbols once; then the code of the function up to its first return.

use iced_x86::{Decoder, DecoderOptions, FlowControl};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::binary::call_targets::{CallTargets, ways_out};
use crate::binary::elf_file::ElfFile;
use crate::binary::symbol_entries::SymbolEntries;

/// Functions of the runtimes of C and C++ that do not return.
const NAMES: [&str; 21] = [
    "_Exit",
    "_Unwind_Resume",
    "__assert_fail",
    "__assert_perror_fail",
    "__chk_fail",
    "__clang_call_terminate",
    "__cxa_bad_cast",
    "__cxa_bad_typeid",
    "__cxa_call_unexpected",
    "__cxa_pure_virtual",
    "__cxa_rethrow",
    "__cxa_throw",
    "__longjmp_chk",
    "__stack_chk_fail",
    "_exit",
    "_longjmp",
    "_ZSt9terminatev",
    "abort",
    "exit",
    "longjmp",
    "siglongjmp",
];
/// The functions of libstdc++ that throw: `std::__throw_length_error(char const*)`.
const THROWS: (&str, &str) = ("_ZSt", "__throw_");

/// Code behind this many jumps from function to function is not looked at.
const MAX_JUMPS: u32 = 4;
/// A function without a return in this many bytes may have one later.
const MAX_CODE_BYTES: u64 = 1 << 16;

/// What is needed to answer for one file.
#[derive(Debug)]
pub(super) struct NoReturn {
    /// Where functions begin that are known by name.
    named: FxHashSet<u64>,
    /// Sizes of the file's functions, by where they begin.
    sizes: FxHashMap<u64, u64>,
}

impl NoReturn {
    /// Reads the symbols of a file.
    pub(super) fn new(file: &ElfFile) -> Self {
        let imports = ways_out(file).into_iter().filter(|way| never_returns(&way.function));
        let symbols = SymbolEntries::read(file, None);
        let is_named = |name: u32| std::str::from_utf8(symbols.names.get(name)).is_ok_and(never_returns);
        let own = symbols.entries.iter().filter(|entry| is_named(entry.name)).map(|entry| entry.addr);
        let sized = symbols.entries.iter().filter(|entry| entry.size > 0);
        // With room for all from the start: a table that grows is hashed again each time.
        let mut sizes = FxHashMap::with_capacity_and_hasher(symbols.entries.len(), FxBuildHasher);
        sizes.extend(sized.map(|entry| (entry.addr, entry.size)));
        Self { named: imports.map(|way| way.start).chain(own).collect(), sizes }
    }

    /// Whether the function that begins at an address is known not to return.
    pub(super) fn is_at(&self, (file, targets): (&ElfFile, &CallTargets), function: u64) -> bool {
        self.is_behind((file, targets), function, 0)
    }

    fn is_behind(&self, (file, targets): (&ElfFile, &CallTargets), function: u64, jumps: u32) -> bool {
        if self.named.contains(&function) {
            return true;
        }
        let Some(size) = self.sizes.get(&function).filter(|size| **size <= MAX_CODE_BYTES) else {
            return false;
        };
        let code = file.instructions(function, *size);
        let goes_on = |target: u64| jumps < MAX_JUMPS && self.is_behind((file, targets), target, jumps + 1);
        has_no_way_back(function, code, (targets, &goes_on))
    }
}

fn never_returns(name: &str) -> bool {
    // Nearly all symbols of C++.
    if name.starts_with("_ZN") {
        return false;
    }
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    NAMES.contains(&name) || (name.starts_with(THROWS.0) && name.contains(THROWS.1))
}

/// Whether code has no return, and only jumps that stay in it or lead to what never returns either.
fn has_no_way_back(
    start: u64,
    code: &[u8],
    (targets, never_returns): (&CallTargets, &dyn Fn(u64) -> bool),
) -> bool {
    let range = start..start.saturating_add(code.len() as u64);
    let mut ends = false;
    for instruction in Decoder::with_ip(64, code, start, DecoderOptions::NONE) {
        let (target, flow) = targets.step(&instruction);
        let stays = || target.is_some_and(|to| range.contains(&to) || never_returns(to));
        let is_known = match flow {
            FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch => stays(),
            FlowControl::Return | FlowControl::IndirectBranch | FlowControl::XbeginXabortXend => false,
            FlowControl::Next
            | FlowControl::Interrupt
            | FlowControl::Call
            | FlowControl::IndirectCall
            | FlowControl::Exception => !instruction.is_invalid(),
        };
        if !is_known {
            return false;
        }
        ends = matches!(
            flow,
            FlowControl::UnconditionalBranch
                | FlowControl::Call
                | FlowControl::IndirectCall
                | FlowControl::Exception
        );
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &[u8], expected: bool) {
        assert_eq!(
            has_no_way_back(0x1000, code, (&CallTargets::default(), &|to| to == 0x2000)),
            expected,
            "{code:02x?}"
        );
    }

    #[test]
    fn a_jump_through_a_slot_to_what_never_returns_does_not_return() {
        let check = |code: &[u8], expected: bool| {
            let targets = CallTargets::of_slot(0x5000, 0x2000);
            assert_eq!(has_no_way_back(0x1000, code, (&targets, &|to| to == 0x2000)), expected);
        };
        // jmp *0x5000
        check(b"\xff\x25\xfa\x3f\x00\x00", true);
        // jmp *0x6000
        check(b"\xff\x25\xfa\x4f\x00\x00", false);
    }

    #[test]
    fn a_function_without_a_return_does_not_return() {
        // push %rbp; call 0x3000, and then the code ends
        check(b"\x55\xe8\xfa\x1f\x00\x00", true);
        // 1: call 0x3000; jmp 1b
        check(b"\xe8\xfb\x1f\x00\x00\xeb\xf9", true);
        // test %edi,%edi; je 1f; call 0x3000; 1: ret
        check(b"\x85\xff\x74\x05\xe8\xf7\x1f\x00\x00\xc3", false);
        // push %rbp, and then the code ends
        check(b"\x55", false);
        // jmp *%rax
        check(b"\xff\xe0", false);
        check(b"", false);
    }

    #[test]
    fn a_jump_to_a_function_that_does_not_return_is_no_way_back() {
        // jmp 0x2000, and jmp 0x3000
        check(b"\xe9\xfb\x0f\x00\x00", true);
        check(b"\xe9\xfb\x1f\x00\x00", false);
    }

    #[test]
    fn names_of_the_runtimes_that_do_not_return() {
        assert!(
            ["abort", "exit@GLIBC_2.2.5", "_ZSt20__throw_length_errorPKc"]
                .iter()
                .all(|name| never_returns(name))
        );
        assert!(["atexit", "_ZSt4move", "aborted", ""].iter().all(|name| !never_returns(name)));
    }
}
