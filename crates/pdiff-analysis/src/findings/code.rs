//! The kind of code of each function, for findings: the program's own, or code below it.

use pdiff_profile::{ObjectKind, PerSide};
use rustc_hash::FxHashMap;

use super::input::Input;
use crate::c_library::is_start;
use crate::normalize::{Key, KeyId};

/// The kind of code of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    /// Of the program or one of its libraries.
    Own,
    /// Of an own object, but such as toolchains inline everywhere.
    Toolchain,
    /// Of an own object, without a function.
    Unresolved,
    /// Of the C library, the loader, the compiler's runtime, an allocator, the vdso, or of no known object.
    Library,
    /// Of the kernel.
    Kernel,
    /// Kernel code that every system call passes.
    SystemCall,
    /// Kernel entry from a device or another CPU: the code below it is unrelated to the interrupted code.
    Interrupt,
}

impl Code {
    /// Whether the frame lies in an object of the program.
    pub(super) fn is_own_object(self) -> bool {
        matches!(self, Self::Own | Self::Toolchain | Self::Unresolved)
    }
}

/// The kind of every function, by its renamed key.
pub(crate) struct CodeKinds {
    by_key: Vec<Code>,
    /// For keys without a function: the key that represents all of them in their object.
    unresolved: Vec<Option<KeyId>>,
    /// Whether programs or threads start in it.
    starts: Vec<bool>,
}

impl CodeKinds {
    pub(crate) fn new(input: &Input<'_>) -> Self {
        let kinds = object_kinds(input);
        let kind = |key: &Key| kinds.get(&*key.object).copied().unwrap_or(ObjectKind::Unknown);
        let by_key: Vec<Code> = input.keys.iter().map(|(_, key)| code_of(key, kind(key))).collect();
        let with_code = input.keys.iter().zip(&by_key);
        let starts =
            with_code.map(|((_, key), code)| *code == Code::Library && is_start(&key.name)).collect();
        Self { by_key, unresolved: unresolved(input), starts }
    }

    /// Whether it is code of a library in which programs or threads start.
    pub(super) fn is_start(&self, key: KeyId) -> bool {
        self.starts.get(key.0 as usize).copied().unwrap_or(false)
    }

    /// Whether it represents what has no function.
    pub(super) fn is_unresolved(&self, key: KeyId) -> bool {
        self.unresolved.get(key.0 as usize).is_none_or(Option::is_some)
    }

    /// The key that represents all code without a function in the same object.
    pub(super) fn unresolved_of(&self, key: KeyId) -> KeyId {
        self.unresolved.get(key.0 as usize).copied().flatten().unwrap_or(key)
    }

    /// How many functions there are.
    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    pub(crate) fn get(&self, key: KeyId) -> Code {
        self.by_key.get(key.0 as usize).copied().unwrap_or(Code::Library)
    }
}

/// Whether nothing is known about a function but where it is in one build. Of one build on both sides it is a function like
/// any.
fn is_unresolved(key: &Key) -> bool {
    key.is_nameless() && !(key.unnamed.is_some() && key.seen == PerSide::new(true, true))
}

/// By key: of what has no function, the first of its object by name.
fn unresolved(input: &Input<'_>) -> Vec<Option<KeyId>> {
    let mut first: FxHashMap<&str, (&str, KeyId)> = FxHashMap::default();
    for (id, key) in input.keys.iter().filter(|(_, key)| is_unresolved(key)) {
        let known = first.entry(&key.object).or_insert((&key.name, id));
        *known = (*known).min((&key.name, id));
    }
    let of = |key: &Key| first.get(&*key.object).filter(|_| is_unresolved(key)).map(|(_, id)| *id);
    input.keys.iter().map(|(_, key)| of(key)).collect()
}

/// The kinds of both sides' objects, by their labels in rows.
fn object_kinds(input: &Input<'_>) -> FxHashMap<String, ObjectKind> {
    let mut kinds = FxHashMap::default();
    for run in &input.runs {
        for object in &run.profile.objects {
            kinds.entry(input.keys.label(object, run.side)).or_insert(object.kind);
        }
    }
    kinds
}

fn code_of(key: &Key, kind: ObjectKind) -> Code {
    let is_unresolved = is_unresolved(key);
    match kind {
        ObjectKind::Kernel | ObjectKind::KernelModule if is_interrupt(&key.qualified) => Code::Interrupt,
        ObjectKind::Kernel if is_system_call(&key.qualified) => Code::SystemCall,
        ObjectKind::Kernel | ObjectKind::KernelModule => Code::Kernel,
        ObjectKind::Vdso => Code::Library,
        // Folded stacks name no objects, and code made at run time has names, but no file.
        ObjectKind::Anonymous | ObjectKind::Unknown if is_unresolved => Code::Library,
        ObjectKind::File if is_system_library(&key.object) => Code::Library,
        _ if is_unresolved => Code::Unresolved,
        _ if is_go_start(&key.qualified) => Code::Library,
        _ if is_toolchain(&key.qualified) => Code::Toolchain,
        _ => Code::Own,
    }
}

/// Libraries that every program is built on, by file name up to the version.
const SYSTEM_LIBRARIES: &[&str] = &[
    "libc",
    "libm",
    "libdl",
    "librt",
    "libpthread",
    "libresolv",
    "libstdc++",
    "libc++",
    "libc++abi",
    "libgcc_s",
    "libunwind",
    "libatomic",
    "libgomp",
    "libomp",
    "libjemalloc",
    "libtcmalloc",
    "libtcmalloc_minimal",
    "libmimalloc",
];

/// Whether a row's object is a library of the system, whose functions belong to those that call them: the C library, the loader, an
/// allocator or the compiler's runtime.
#[must_use]
pub fn is_system_library(label: &str) -> bool {
    // Two builds of one library stand as `libc.so`, or as `libc-2.31.so` with the version in the name.
    let stem = label.split(".so").next().unwrap_or(label);
    let unversioned =
        stem.rsplit_once('-').filter(|(_, version)| version.starts_with(|c: char| c.is_ascii_digit()));
    let stem = unversioned.map_or(stem, |(stem, _)| stem);
    let is_library = label.contains(".so");
    is_library
        && (SYSTEM_LIBRARIES.contains(&stem)
            || stem.starts_with("ld-linux")
            || stem.starts_with("ld-musl")
            || stem == "ld")
}

/// Scopes of the standard libraries, which are inlined everywhere, and operators.
fn is_toolchain(name: &str) -> bool {
    const SCOPES: [&str; 7] =
        ["std::", "core::", "alloc::", "hashbrown::", "__gnu_cxx::", "__cxxabiv1::", "boost::"];
    let in_scope = |name: &str| SCOPES.iter().any(|scope| name.starts_with(scope));
    if let Some(mut paths) = paths_of_rust_method(name) {
        // `<usize>::checked_sub` has no path: the language's own types and what is generic.
        return paths.all(|path| !path.contains("::") || in_scope(path));
    }
    in_scope(name) || name.starts_with("operator") || is_go_runtime(name) || name.contains("::operator")
}

/// The type and the trait of a Rust method: `<regex::Error as core::fmt::Debug>::fmt`. It is the program's if one of them is.
fn paths_of_rust_method(name: &str) -> Option<impl Iterator<Item = &str>> {
    let (inside, _) = name.strip_prefix('<')?.split_once(">::")?;
    Some(inside.splitn(2, " as ").map(path_of_type))
}

/// The path of a type, without references and what it is generic in.
fn path_of_type(text: &str) -> &str {
    let text = text.trim_start_matches(|first: char| !first.is_ascii_alphabetic());
    let path = ["mut ", "const ", "dyn "].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    path.split('<').next().unwrap_or("")
}

/// Go's runtime, and what it shares with the standard library. In other languages no dot follows the name of a scope.
pub(crate) fn is_go_runtime(name: &str) -> bool {
    const PACKAGES: [&str; 5] = ["runtime.", "runtime/", "internal/", "sync.", "sync/"];
    PACKAGES.iter().any(|package| name.starts_with(package))
}

/// Where stacks of Go begin, and where they change: above what a thread does, like the loader and the starts of the C library.
fn is_go_start(name: &str) -> bool {
    const STARTS: [&str; 9] =
        ["goexit", "main", "mstart", "mstart0", "mstart1", "mcall", "morestack", "rt0_go", "systemstack"];
    let in_runtime = name.strip_prefix("runtime.").map(|name| name.strip_suffix(".abi0").unwrap_or(name));
    // The compiler's wrapper of a call that a goroutine begins with has the name of the function that starts it.
    let is_wrapper = |name: &str| {
        name.rsplit_once(".gowrap")
            .is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    in_runtime.is_some_and(|name| STARTS.contains(&name) || is_wrapper(name))
}

/// Kernel entries that come from outside the thread, on x86 and arm64; exceptions and system calls are its own doing.
pub(crate) fn is_interrupt(name: &str) -> bool {
    const PREFIXES: [&str; 3] = ["asm_sysvec_", "asm_common_interrupt", "common_interrupt"];
    const NAMES: [&str; 9] = [
        "apic_timer_interrupt",
        "reschedule_interrupt",
        "call_function_interrupt",
        "call_function_single_interrupt",
        "ret_from_intr",
        "el0t_64_irq",
        "el1h_64_irq",
        "el0_irq",
        "el1_irq",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || NAMES.contains(&name)
}

/// Where the kernel sorts system calls, before the one that was asked for.
fn is_system_call(name: &str) -> bool {
    const PREFIXES: [&str; 6] =
        ["entry_SYSCALL", "do_syscall", "x64_sys_call", "syscall_", "invoke_syscall", "el0"];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || ["do_el0_svc", "system_call_fastpath"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::is_toolchain;

    #[test]
    fn a_rust_method_is_the_programs_if_its_type_or_its_trait_is() {
        for name in [
            "<usize>::checked_sub",
            "<u8 as ConvertVec>::to_vec::<alloc::alloc::Global>",
            "<alloc::raw_vec::RawVecInner>::try_allocate_in",
            "<alloc::vec::Vec<weblog::Row> as core::ops::drop::Drop>::drop",
            "<[u8]>::copy_within::<core::ops::range::Range<usize>>",
            "<&mut F as core::ops::function::FnOnce<A>>::call_once",
            "<*const T>::add",
            "core::slice::cmp::<impl core::cmp::PartialEq<[U]> for [T]>::eq",
            "hashbrown::map::HashMap<K, V, S, A>::insert",
        ] {
            assert!(is_toolchain(name), "{name}");
        }
        for name in [
            "<weblog::agg::Aggregator>::add",
            "<regex::Error as core::fmt::Debug>::fmt",
            "<&weblog::Row as core::cmp::PartialEq>::eq",
            "<alloc::vec::Vec<u8> as weblog::Append>::append",
            "<dyn weblog::Sink>::put",
            "weblog::parse::parse_line",
        ] {
            assert!(!is_toolchain(name), "{name}");
        }
    }
}
