//! Names of the C library that mean something to a comparison: how programs and threads start, and what programs call what it
//! calls otherwise inside.

/// Functions in which programs start, which call `main`.
const PROGRAM_STARTS: [&str; 2] = ["_start", "__libc_start"];

/// Functions in which threads start.
const THREAD_STARTS: [&str; 4] = ["start_thread", "clone", "__clone", "__GI___clone"];

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
    fn libraries_of_a_like_name_are_others() {
        assert!(is_c_library("libc.so") && is_c_library("libc-2.31.so"));
        assert!(!is_c_library("libcrypto.so") && !is_c_library("libc++.so"));
    }
}
