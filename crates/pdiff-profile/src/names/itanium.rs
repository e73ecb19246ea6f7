//! The printed form of a C++ name of the Itanium ABI.
//!
//! In: a mangled name without clone suffix. Out: what the C++ demangler prints for it, without return type. Two of its
//! faults are corrected: it fails on names with an expression in the parameters that an older compiler mangled in its own
//! way (the result is then the name without parameters), and it reads the first parameter of a constructor template as a
//! return type. Nesting, length and what may be read in two ways are limited.

use cpp_demangle::{BorrowedSymbol, DemangleOptions, ParseOptions};

use super::bounded_text::BoundedText;
use super::forks;
use super::special_name::respell_special;
use super::well_formed;

/// Deepest nesting that the demangler follows, parsing and printing. Names of template libraries reach 150; the worst
/// symbol (nested expressions) then takes under 1 MiB of stack in an optimised build, half of a thread's.
const MAX_RECURSION: u32 = 192;
/// Most places in a symbol where its name may end that are tried; a try costs a parse.
const MAX_NAME_ENDS: usize = 32;

/// Prints a mangled name; `None` when it is not one, not well formed or past a limit.
pub(super) fn print(mangled: &str) -> Option<String> {
    if !mangled.starts_with("_Z") && !mangled.starts_with("__Z") {
        return None;
    }
    let returning = with_return_type(mangled);
    let printed =
        print_as_is(returning.as_deref().unwrap_or(mangled)).or_else(|| print_name_only(mangled))?;
    Some(respell_special(mangled, printed))
}

fn print_as_is(mangled: &str) -> Option<String> {
    let print = DemangleOptions::new().no_return_type().recursion_limit(MAX_RECURSION);
    let symbol = parse(mangled)?;
    let mut out = BoundedText::with_capacity(mangled.len() * 4);
    symbol.structured_demangle(&mut out, &print).ok()?;
    Some(out.into_string())
}

/// Reads a name; `None` where it is not well formed or past a limit.
fn parse(mangled: &str) -> Option<BorrowedSymbol<'_>> {
    let options = ParseOptions::default().recursion_limit(MAX_RECURSION);
    (forks::are_few(mangled) || well_formed::is_nested_template(mangled)).then_some(())?;
    BorrowedSymbol::new_with_options(mangled.as_bytes(), &options).ok()
}

fn print_name_only(mangled: &str) -> Option<String> {
    let is_function = mangled.starts_with("_ZN") || mangled.starts_with("_ZSt");
    let end = name_end(mangled, 0, "E").filter(|_| is_function)?;
    mangled.get(..end).and_then(print_as_is)
}

/// Gives a constructor template (`C1I..`) or a conversion template (`cvT_I..`) the return type that the demangler
/// expects.
fn with_return_type(mangled: &str) -> Option<String> {
    let at = last_mark(mangled)?;
    // The arguments end, and with them the nested name that they are in.
    let end = name_end(mangled, at, "EE")?;
    let (name, parameters) = mangled.split_at_checked(end)?;
    (mangled.starts_with("_ZN") && !parameters.is_empty()).then(|| format!("{name}v{parameters}"))
}

/// Where the template's arguments are marked: the last position of the first mark that occurs.
fn last_mark(mangled: &str) -> Option<usize> {
    const MARKS: [&str; 4] = ["C1I", "C2I", "C4I", "cvT_I"];
    let mut places = [None; MARKS.len()];
    for (at, pair) in mangled.as_bytes().windows(2).enumerate() {
        // Each mark ends in one of these; names have an `I` for each list of arguments.
        if !matches!(pair, [b'1' | b'2' | b'4' | b'_', b'I']) {
            continue;
        }
        let head = mangled.get(..at + 2).unwrap_or("");
        for (mark, place) in MARKS.iter().zip(&mut places) {
            *place = if head.ends_with(mark) { Some(at + 2 - mark.len()) } else { *place };
        }
    }
    places.into_iter().flatten().next()
}

/// Where the name ends and the parameters begin: the shortest well-formed beginning of the symbol that ends behind
/// `from`, and with `last`.
fn name_end(mangled: &str, from: usize, last: &str) -> Option<usize> {
    let ends = mangled.get(from..)?.match_indices('E').map(|(at, _)| from + at + 1);
    // No type begins with an `E`, so parameters do not.
    let split = ends.filter_map(|end| mangled.split_at_checked(end));
    let may_end = split.filter(|(name, parameters)| name.ends_with(last) && !parameters.starts_with('E'));
    let beginnings = may_end.map(|(name, _)| name);
    beginnings.take(MAX_NAME_ENDS).find(|beginning| parse(beginning).is_some()).map(str::len)
}
