//! Linkage names back to names of the source: C++ (Itanium ABI) and Rust (legacy and v0).
//!
//! In: a linkage name. Out: its signature and its qualified name in their one spelling, or nothing if the name is not
//! mangled, not well formed or exceeds a limit. Hashes of Rust names are dropped: they change with every build. Output
//! beyond the limit is refused, not cut.

use std::fmt::Write;

use super::bounded_text::{BoundedText, MAX_NAME_BYTES};
use super::clone_suffix::split_clone_suffix;
use super::itanium;
use super::parameters::split_spelled;
use super::special_name::split_keyed;
use super::spelling::{normalize, spell};
use super::symbol_version::split_version;

/// `17h`, 16 digits and `E`: the hash at the end of a legacy Rust name.
const LEGACY_HASH_BYTES: usize = 20;

/// A linkage name brought back to the source's names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demangled {
    /// Qualified name with template arguments, without parameters.
    pub qualified: String,
    /// The qualified name with parameters and qualifiers, without return type.
    pub signature: String,
}

/// Demangles a C++ or Rust linkage name; its clone suffix and symbol version do not count.
///
/// ```
/// use pdiff_profile::names::demangle;
///
/// let name = demangle("_ZNK9THD_guard5enterIiEEvmPKc.isra.0").unwrap();
/// assert_eq!(name.qualified, "THD_guard::enter<int>");
/// assert_eq!(name.signature, "THD_guard::enter<int>(unsigned long, char const*) const");
/// assert_eq!(demangle("main"), None);
/// ```
pub fn demangle(linkage: &str) -> Option<Demangled> {
    let (symbol, _) = split_version(linkage);
    let (base, _) = split_clone_suffix(symbol);
    demangle_base(base)
}

/// Demangles a name that has no version and no suffix.
pub(super) fn demangle_base(base: &str) -> Option<Demangled> {
    if base.len() > MAX_NAME_BYTES {
        return None;
    }
    if is_rust(base) {
        return demangle_rust(base);
    }
    demangle_cpp(base)
}

fn demangle_cpp(base: &str) -> Option<Demangled> {
    let text = match split_keyed(base) {
        Some((meaning, key)) => format!("{meaning}{}", itanium::print(key).as_deref().unwrap_or(key)),
        None => itanium::print(base)?,
    };
    let (text, _) = split_clone_suffix(&text);
    let spelled = spell(text);
    let qualified = split_spelled(&spelled).map_or(&*spelled.text, |split| split.qualified).to_owned();
    Some(Demangled { qualified, signature: spelled.text.into_owned() })
        .filter(|name| !name.qualified.is_empty())
}

/// Rust v0 names have a prefix of their own; legacy names are C++ names that end in a hash.
fn is_rust(base: &str) -> bool {
    if base.starts_with("_R") {
        return true;
    }
    let hash = base.len().checked_sub(LEGACY_HASH_BYTES).and_then(|at| base.get(at..));
    base.starts_with("_ZN")
        && hash
            .and_then(|hash| hash.strip_prefix("17h")?.strip_suffix('E'))
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn demangle_rust(base: &str) -> Option<Demangled> {
    let name = rustc_demangle::try_demangle(base).ok()?;
    let mut out = BoundedText::default();
    write!(out, "{name:#}").ok()?;
    let qualified = normalize(&out.into_string()).into_owned();
    (!qualified.is_empty()).then(|| Demangled { signature: qualified.clone(), qualified })
}
