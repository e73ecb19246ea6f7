//! Linkage names back to names of the source: C++ (Itanium ABI) and Rust (legacy and v0).
//!
//! In: a linkage name. Out: its signature and its qualified name in their one spelling, or nothing when the name is
//! not mangled, not well formed or past a limit. Hashes of Rust names are dropped: they change with every build.
//! Hostile names can blow up by repeated substitutions, so nesting, input and output are limited, and what a
//! demangler prints past the limit is refused, not cut.

use std::fmt::{self, Write};

use cpp_demangle::{BorrowedSymbol, DemangleOptions, ParseOptions};

use super::clone_suffix::split_clone_suffix;
use super::function_name::MAX_NAME_BYTES;
use super::parameters::split_parameters;
use super::special_name::{respell_special, split_keyed};
use super::spelling::normalize;
use super::symbol_version::split_version;

/// Deepest nesting that the C++ demangler follows, parsing and printing; real names of template libraries need over
/// a hundred.
const MAX_RECURSION: u32 = 256;
/// Most places in a malformed symbol where its name may end; a try costs a parse.
const MAX_NAME_ENDS: usize = 32;
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
        Some((meaning, key)) => format!("{meaning}{}", print_cpp(key).as_deref().unwrap_or(key)),
        None => print_cpp(base).or_else(|| print_name_only(base))?,
    };
    let (text, _) = split_clone_suffix(&text);
    let signature = normalize(text);
    let qualified = split_parameters(&signature).map_or(signature.as_ref(), |split| split.qualified).to_owned();
    Some(Demangled { qualified, signature: signature.into_owned() }).filter(|name| !name.qualified.is_empty())
}

fn print_cpp(base: &str) -> Option<String> {
    if !base.starts_with("_Z") && !base.starts_with("__Z") {
        return None;
    }
    let parse = ParseOptions::default().recursion_limit(MAX_RECURSION);
    let print = DemangleOptions::new().no_return_type().recursion_limit(MAX_RECURSION);
    let symbol = BorrowedSymbol::new_with_options(base.as_bytes(), &parse).ok()?;
    let mut out = BoundedText(String::with_capacity(base.len() * 2));
    symbol.structured_demangle(&mut out, &print).ok()?;
    Some(respell_special(base, out.0))
}

/// Some types that older compilers mangled in their own way defeat the demangler. They stand in the parameters as a
/// rule, and the shortest beginning of the symbol that is well formed is the function's name.
fn print_name_only(base: &str) -> Option<String> {
    let is_function = base.starts_with("_ZN") || base.starts_with("_ZSt");
    let ends = base.match_indices('E').map(|(at, _)| at + 1).take(MAX_NAME_ENDS);
    ends.filter(|_| is_function).find_map(|end| base.get(..end).and_then(print_cpp))
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
    let mut out = BoundedText(String::new());
    write!(out, "{name:#}").ok()?;
    let qualified = normalize(&out.0).into_owned();
    (!qualified.is_empty()).then(|| Demangled { signature: qualified.clone(), qualified })
}

/// Text that refuses to grow past [`MAX_NAME_BYTES`].
struct BoundedText(String);

impl Write for BoundedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_NAME_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}
