//! Symbols that the compiler makes for something else: thunks, virtual tables, static constructors.
//!
//! In: the mangled name, and what the C++ demangler printed for it. Out: the spelling of GNU demanglers, which
//! profilers print (`non-virtual thunk to f(int)`), in place of the demangler's own
//! (`{virtual override thunk({offset(-8)}, f(int))}`).

/// Mangled prefix, the demangler's opening, and the meaning.
const FORMS: [(&str, &str, &str); 5] = [
    ("_ZTV", "{vtable(", "vtable for "),
    ("_ZTT", "{vtt(", "VTT for "),
    ("_ZTh", "{virtual override thunk(", "non-virtual thunk to "),
    ("_ZTv", "{virtual override thunk(", "virtual thunk to "),
    ("_ZTc", "{virtual override thunk(", "covariant return thunk to "),
];

/// The end of one offset of a thunk in the demangler's text.
const OFFSET_END: &str = ")}, ";

/// Symbols of static constructors and destructors: mangled prefix and meaning.
const KEYED: [(&str, &str); 2] =
    [("_GLOBAL__I_", "global constructors keyed to "), ("_GLOBAL__D_", "global destructors keyed to ")];

/// Respells the text printed for a special symbol; returns other text unchanged.
pub(super) fn respell_special(mangled: &str, printed: String) -> String {
    let Some((_, opening, meaning)) = FORMS.iter().find(|(prefix, ..)| mangled.starts_with(prefix)) else {
        return printed;
    };
    let inside = printed.strip_prefix(opening).and_then(|rest| rest.strip_suffix(")}"));
    inside.map(without_offsets).map(|name| format!("{meaning}{name}")).unwrap_or(printed)
}

fn without_offsets(inside: &str) -> &str {
    let mut name = inside;
    while name.starts_with("{offset(") || name.starts_with("{virtual offset(") {
        match name.split_once(OFFSET_END) {
            Some((_, rest)) => name = rest,
            None => break,
        }
    }
    name
}

/// Splits the symbol of a static constructor into its meaning and the symbol it is keyed to.
pub(super) fn split_keyed(mangled: &str) -> Option<(&'static str, &str)> {
    KEYED.iter().find_map(|(prefix, meaning)| mangled.strip_prefix(prefix).map(|key| (*meaning, key)))
}
