//! Whether a function is of a system or language library: its source is not the program's, and its callers decide what it does.

use super::case::Case;
use crate::findings::is_go_runtime;

/// Names that programs do not choose.
const LIBRARIES: [&str; 10] = [
    "std::",
    "__gnu_cxx::",
    "operator new",
    "operator delete",
    "core::",
    "alloc::",
    "<core::",
    "<alloc::",
    "<std::",
    "hashbrown::",
];

/// Whether the function comes from the headers of a system or language library.
pub(super) fn is_library(case: &Case<'_>) -> bool {
    is_of_library(&case.row.name, case.row.file.as_deref())
}

/// The same for a function's name and file.
pub(super) fn is_of_library(name: &str, file: Option<&str>) -> bool {
    let is_system_file = |file: &str| file.starts_with("/usr/") || file.starts_with("/rustc/");
    LIBRARIES.iter().any(|prefix| name.starts_with(prefix))
        || is_go_runtime(name)
        || file.is_some_and(is_system_file)
}
