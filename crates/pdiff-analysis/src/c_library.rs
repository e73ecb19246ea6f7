//! Names of the C library that mean something to a comparison: how programs and threads start, and what programs call what it
//! calls otherwise inside.

/// Functions in which programs start, which call `main`.
const PROGRAM_STARTS: [&str; 2] = ["_start", "__libc_start"];

/// Functions in which threads start.
const THREAD_STARTS: [&str; 4] = ["start_thread", "clone", "__clone", "__GI___clone"];

/// How programs get memory and give it back.
const MEMORY: [&str; 14] = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "cfree",
    "strdup",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "operator new",
    "operator new[]",
    "operator delete",
    "operator delete[]",
];

/// What the library does for that (glibc).
const INSIDE_MEMORY: [&str; 20] = [
    "_int_malloc",
    "_int_free",
    "_int_free_chunk",
    "_int_free_merge_chunk",
    "_int_free_consolidate_top",
    "_int_realloc",
    "_int_memalign",
    "_mid_memalign",
    "malloc_consolidate",
    "unlink_chunk",
    "sysmalloc",
    "systrim",
    "sbrk",
    "brk",
    "brk_call",
    "munmap_chunk",
    "mremap_chunk",
    "checked_request2size",
    "arena_for_chunk",
    "tcache_put",
];

/// What stands before the names of functions that are the library's inside.
const INSIDE: [&str; 3] = ["__GI_", "__libc_", "__"];

/// Whether an object, as rows call it, is a C library.
pub(crate) fn is_c_library(object: &str) -> bool {
    object.strip_prefix("libc").is_some_and(|rest| rest.starts_with(['.', '-']))
}

/// Whether programs start in a function of this name.
pub(crate) fn is_program_start(name: &str) -> bool {
    PROGRAM_STARTS.iter().any(|start| name.starts_with(start))
}

/// Whether programs or threads start in a function of this name, so that it tells nothing of what they do.
pub(crate) fn is_start(name: &str) -> bool {
    is_program_start(name) || THREAD_STARTS.iter().any(|start| name.starts_with(start))
}

/// The name under which programs call a function that has another one inside (`__GI___libc_write`).
pub(crate) fn exported(name: &str) -> Option<&str> {
    let without = INSIDE.iter().fold(name, |name, prefix| name.strip_prefix(prefix).unwrap_or(name));
    (without.len() < name.len()).then_some(without)
}

/// Whether a function gets memory for programs, gives it back, or does the library's part of that.
pub(crate) fn is_of_memory(name: &str) -> bool {
    let plain = name.split(".part.").next().unwrap_or(name);
    let plain = plain.split(".constprop.").next().unwrap_or(plain);
    let plain = exported(plain).unwrap_or(plain);
    MEMORY.contains(&plain) || INSIDE_MEMORY.contains(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_call_what_is_inside_by_its_plain_name() {
        assert_eq!(exported("__GI___libc_write"), Some("write"));
        assert_eq!(exported("__poll"), Some("poll"));
        assert_eq!(exported("memcpy"), None);
    }

    #[test]
    fn what_a_memory_manager_does_is_known_by_its_names() {
        for name in [
            "malloc",
            "__libc_malloc",
            "_int_free",
            "__brk",
            "sysmalloc",
            "operator delete[]",
            "unlink_chunk.constprop.0",
        ] {
            assert!(is_of_memory(name), "{name}");
        }
        assert!(!["memcpy", "freeaddrinfo", "my_malloc"].into_iter().any(is_of_memory));
    }

    #[test]
    fn libraries_of_a_like_name_are_others() {
        assert!(is_c_library("libc.so") && is_c_library("libc-2.31.so"));
        assert!(!is_c_library("libcrypto.so") && !is_c_library("libc++.so"));
    }
}
