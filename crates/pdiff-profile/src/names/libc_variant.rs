//! Names that glibc gives to one public function: its hidden alias and its variants per instruction set.
//!
//! In: a plain C name. Out: the name a reader knows, `__memmove_avx_unaligned_erms_rtm` and
//! `__memmove_sse2_unaligned_erms` both `memmove`: the dynamic linker picks the variant by CPU, and two recordings on
//! two machines differ in it. Rule: two underscores, a name of the memory and string families, then a word that names
//! an instruction set; all from that word on is dropped. `memcpy` and `memmove` stay two names although their code
//! may be one. Other aliases (`__libc_write`, `write`) are knowledge for an alias file.

/// The prefix of glibc's hidden aliases for calls inside the library.
const HIDDEN_ALIAS: &str = "__GI_";

/// The first letters of the functions that have variants.
const FAMILIES: [&str; 8] = ["mem", "str", "stp", "wcs", "wcp", "wmem", "rawmem", "bcmp"];

/// First letters of the words for instruction sets: x86, ARM, POWER, s390.
const INSTRUCTION_SETS: [&str; 18] = [
    "sse", "ssse", "avx", "evex", "erms", "generic", "asimd", "simd", "sve", "mops", "zva", "thunderx",
    "falkor", "a64fx", "oryon", "power", "z13", "z196",
];

/// The name a reader knows a C function of glibc by; other names come back unchanged.
pub(super) fn reader_name(symbol: &str) -> &str {
    let name = match symbol.strip_prefix(HIDDEN_ALIAS) {
        Some(rest) if !rest.is_empty() => rest,
        _ => symbol,
    };
    without_instruction_set(name).unwrap_or(name)
}

fn without_instruction_set(name: &str) -> Option<&str> {
    let public = name.strip_prefix("__")?;
    if !FAMILIES.iter().any(|family| public.starts_with(family)) {
        return None;
    }
    let (cut, _) = public.match_indices('_').find(|(at, _)| {
        let word = public.get(at + 1..).unwrap_or("");
        INSTRUCTION_SETS.iter().any(|set| word.starts_with(set))
    })?;
    let base = public.get(..cut)?;
    // The public name of a checked function begins with the underscores: `__memmove_chk`.
    if base.ends_with("_chk") { name.get(..cut + 2) } else { Some(base) }
}
