//! Symbol versions (`memcpy@GLIBC_2.14`, `pthread_cond_wait@@GLIBC_2.3.2`) and the mark of a PLT stub (`@plt`).
//!
//! In: a symbol. Out: the symbol without its version, and whether it names a PLT stub. A stub is code of its own and
//! keeps its mark; a version only says which of several compatible interfaces was linked.

/// The mark of a stub in the procedure linkage table.
pub(super) const PLT_MARK: &str = "@plt";

/// Splits off the version and the PLT mark; says whether the mark was there.
pub(super) fn split_version(symbol: &str) -> (&str, bool) {
    let (name, is_plt) = match symbol.strip_suffix(PLT_MARK) {
        Some(name) if !name.is_empty() => (name, true),
        _ => (symbol, false),
    };
    match name.split_once('@') {
        Some((base, version)) if !base.is_empty() && is_version(version.trim_start_matches('@')) => {
            (base, is_plt)
        }
        _ => (name, is_plt),
    }
}

/// A version node of a linker script: a word with a digit in it.
fn is_version(version: &str) -> bool {
    version.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
        && version.bytes().any(|b| b.is_ascii_digit())
}
