//! Suffixes that a compiler or linker adds to the name of a copy or a piece of a function.
//!
//! In: a symbol. Out: the name in the source and the suffix. A clone (`.constprop.0`), a cold part (`.cold`), a part split
//! off (`.part.0`) and an outlined body (`._omp_fn.0`) all count for the function they were made from. A bare number
//! (`buf.123`, a renamed file-local) is a suffix too, unless the name contains other dots, because in Go `main.run.func1.2`
//! is a separate function; so is Go's `runtime.exit`, while `_Z1fv.exit` is a piece of `f`.

/// Words that begin one piece of a suffix; numbers or hashes may follow each.
const CLONE_WORDS: [&str; 12] = [
    "__uniq",
    "_omp_cpyfn",
    "_omp_fn",
    "cold",
    "constprop",
    "ifunc",
    "isra",
    "llvm",
    "localalias",
    "lto_priv",
    "resolver",
    "simdclone",
];

/// Words that do so, too, but that without a number end mangled names only: after a plain name they are functions of a
/// package.
const CLONE_WORDS_OF_MANGLED: [&str; 12] = [
    "actor",
    "clone",
    "destroy",
    "exit",
    "hot",
    "part",
    "resume",
    "specialized",
    "startup",
    "unlikely",
    "variant",
    "warm",
];

/// The opening of a demangler's own form, `foo(int) [clone .cold]`.
const CLONE_NOTE: &str = " [clone ";

/// Whether a symbol is that of a part that the compiler split off a function, which goes on there.
///
/// ```
/// use pdiff_profile::names::is_split_part;
///
/// assert!(is_split_part("sum.part.0") && is_split_part("f(int) [clone .cold]") && !is_split_part("sum.constprop.0"));
/// ```
#[must_use]
pub fn is_split_part(symbol: &str) -> bool {
    symbol.contains(".part.") || symbol.trim_end_matches(']').ends_with(".cold")
}

/// Splits a symbol, mangled or not, into its base and its clone suffix (empty when there is none); the two joined
/// are the input.
///
/// ```
/// use pdiff_profile::names::split_clone_suffix;
///
/// assert_eq!(split_clone_suffix("fold.constprop.0.isra.0"), ("fold", ".constprop.0.isra.0"));
/// assert_eq!(split_clone_suffix("f(int) [clone .cold]"), ("f(int)", " [clone .cold]"));
/// ```
pub fn split_clone_suffix(symbol: &str) -> (&str, &str) {
    if !symbol.contains('.') && !symbol.ends_with(']') {
        return (symbol, "");
    }
    let base = without_dotted_suffix(without_clone_notes(symbol));
    symbol.split_at_checked(base.len()).unwrap_or((symbol, ""))
}

fn without_clone_notes(symbol: &str) -> &str {
    let mut base = symbol;
    while let Some(body) = base.strip_suffix(']') {
        match body.rfind(CLONE_NOTE) {
            Some(at) if at > 0 => base = base.get(..at).unwrap_or(base),
            _ => break,
        }
    }
    base
}

fn without_dotted_suffix(symbol: &str) -> &str {
    let mut base = symbol;
    let mut rest = symbol;
    // `rest` runs ahead over numbers; they belong to the suffix only when a clone word is before them.
    while let Some((head, piece)) = rest.rsplit_once('.').filter(|(head, _)| !head.is_empty()) {
        let has_number = rest.len() < base.len();
        let may_be_function = !has_number && is_package_path(head);
        if CLONE_WORDS.contains(&piece) || !may_be_function && CLONE_WORDS_OF_MANGLED.contains(&piece) {
            base = head;
        } else if !is_clone_number(piece) {
            break;
        }
        rest = head;
    }
    without_bare_number(base)
}

/// Digits, or the hexadecimal hash of `.llvm.HASH`.
fn is_clone_number(piece: &str) -> bool {
    !piece.is_empty()
        && piece.bytes().all(|b| b.is_ascii_hexdigit())
        && piece.starts_with(|c: char| c.is_ascii_digit())
        || piece.len() >= 16 && piece.bytes().all(|b| b.is_ascii_hexdigit())
}

fn without_bare_number(symbol: &str) -> &str {
    match symbol.rsplit_once('.') {
        Some((head, digits))
            if is_identifier(head) && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) =>
        {
            head
        }
        _ => symbol,
    }
}

/// Whether a name may be a package and what is in it, as Go writes them: `runtime`, `net/http.(*conn)`.
fn is_package_path(name: &str) -> bool {
    let is_mangled = ["_Z", "_R"].iter().any(|mark| name.starts_with(mark));
    let is_demangled = name.contains("::") || name.ends_with(')') && !name.contains(".(");
    !is_mangled && !is_demangled
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$')
}
