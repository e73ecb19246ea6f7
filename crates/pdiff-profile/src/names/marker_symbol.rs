//! Symbols that mark a place and name no function.
//!
//! In: a name of a symbol table. Out: whether it is such a marker. It knows names only: a caller that has the
//! symbol's type (`NOTYPE`, `SECTION`) should drop those before it asks.

/// Prefixes of assembler labels, section names and the notes that the annobin compiler plugin leaves.
const MARKER_PREFIXES: [&str; 9] =
    [".annobin", "_annobin", "annobin_", ".L", ".text", ".init", ".fini", ".plt", ".str"];

/// Whether `name` marks a place in an object and is not a function: annobin notes, local labels, section names and the
/// mapping symbols `$x`, `$d` of ARM and RISC-V.
///
/// ```
/// use pdiff_profile::names::is_marker_symbol;
///
/// assert!(is_marker_symbol(".annobin_AccLock.cpp"));
/// assert!(!is_marker_symbol("row_search_mvcc"));
/// ```
pub fn is_marker_symbol(name: &str) -> bool {
    is_mapping_symbol(name) || MARKER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// `$a`, `$t`, `$x` start code and `$d` data; `$x.12` and `$xrv64i2p1` say more of the same.
fn is_mapping_symbol(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('$') else { return false };
    let Some(tail) = rest.strip_prefix(['a', 'd', 't', 'x']) else { return false };
    tail.is_empty() || tail.starts_with('.') || tail.starts_with("rv")
}
