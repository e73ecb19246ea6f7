//! Linkage names back to names of the source: C++ (Itanium ABI) and Rust (legacy and v0).
//!
//! In: a linkage name. Out: its signature and its qualified name in their one spelling, or nothing if the name is not
//! mangled, not well formed or exceeds a limit. Hashes of Rust names are dropped: they change with every build. Output
//! beyond the limit is refused, not cut.

use std::fmt::Write;

use super::bounded_text::{BoundedText, MAX_NAME_BYTES};
use super::clone_suffix::split_clone_suffix;
use super::demangled::Demangled;
use super::itanium;
use super::parameters::split_spelled;
use super::plain_itanium;
use super::special_name::split_keyed;
use super::spelling::{normalize, spell};
use super::symbol_version::split_version;

/// `17h`, 16 digits and `E`: the hash at the end of a legacy Rust name.
const LEGACY_HASH_BYTES: usize = 20;

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
    // The class of a lambda reads like any other in a plain name.
    let plain = if base.contains("$_") { None } else { plain_itanium::demangle(base) };
    plain.or_else(|| demangle_cpp(base))
}

/// Any C++ name, by the general demangler.
pub(super) fn demangle_cpp(base: &str) -> Option<Demangled> {
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

/// Whether a linkage name without suffix and version is Rust's: v0 names have a prefix of their own, legacy names are C++ names
/// that end in a hash.
#[must_use]
pub fn is_rust(base: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Plain names of every kind that is read in one pass, of MySQL, LLVM and libstdc++.
    const PLAIN: [&str; 39] = [
        "_Z3foov",
        "_ZL10plain_datai",
        "_ZN11CSET_STRINGC2EPKcmPK12CHARSET_INFO",
        "_ZNK17Ndb_binlog_client11log_warningEjPKcz",
        "_ZNSt10_Head_baseILm3E12Json_wrapperLb0EE7_M_headERKS1_",
        "_ZNSt7__cxx1110_List_baseIPSt8functionIFvvEESaIS4_EEC2Ev",
        "_Z9LookupTagRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEPKcS8_",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EPKcRKS3_",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev",
        "_ZN3fooERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIS4_SaIS4_EE",
        "_ZThn136_N29Transaction_payload_log_event14do_apply_eventEPK14Relay_log_info",
        "_ZTv0_n24_N3foo3barEv",
        "_ZSt14__copy_move_a1ILb0EPPN3gis20Cartesian_linearringES3_ET1_T0_S5_S4_",
        "_ZN5boost6spirit6traits6detail19compensate_roundoffIdmEEvRT_T0_",
        "_ZNSt6vectorI12Ndb_DDL_stmtSaIS0_EEixEm",
        "_ZNSt6vectorIPN2dd5cache13Cache_elementINS0_17Column_statisticsEEESaIS5_EE5beginEv",
        "_ZN9__gnu_cxx5__ops14_Iter_comp_valIN3xpl7Is_lessEEclIPKPKcS8_EEbT_RT0_",
        "_ZNKSt8__detail15_Hash_code_baseISt10shared_ptrI3fooES3_NS_9_IdentityESt4hashIS3_ENS_18_Mod_range_hashingENS_20_Default_ranged_hashELb1EE12_M_hash_codeERKS3_",
        "_ZN12_GLOBAL__N_13foo3barEi",
        "_ZN4llvm12_GLOBAL__N_13fooE",
        "_ZN15Tablespace_dirs11find_by_numB5cxx11EjRj",
        "_ZN3foo3barILN2ns4kindE2ELin5ELc97ELm16EEEvv",
        "_ZlsRSoRK3foo",
        "_ZN3foonwEm",
        "_ZN3foodaEPv",
        "_ZN3fooltERKS_",
        "_ZltIiEbRK3fooIT_ES4_",
        "_ZN3fooptEv",
        "_Z4sortPFiPKvS0_E",
        "_Z3addDnDsDi",
        "_ZNSt3__16vectorIiNS_9allocatorIiEEE9push_backERKi",
        "_ZNSt6chrono3_V212system_clock3nowEv",
        "_ZN5tupleIJicEE3getEv",
        "_ZN5tupleIiJEE3getEv",
        "_Z1fKPKc",
        "_ZN3foo3barESaIcESs",
        "_ZN3fooD0Ev",
        "_ZN5tupleIJiEEC2IiEEOT_",
        "_Z1fN1bI1bI1bI1bI1bI1bI1bI1bIiEEEEEEEEE",
    ];

    fn check(name: &str) -> bool {
        let plain = plain_itanium::demangle(name);
        assert!(
            plain.is_none() || plain == demangle_cpp(name),
            "{name}: {plain:?}, {:?}",
            demangle_cpp(name)
        );
        plain.is_some()
    }

    #[test]
    fn plain_names_are_spelled_as_the_general_demangler_spells_them() {
        let others: Vec<&str> = PLAIN.into_iter().filter(|name| !check(name)).collect();
        assert!(others.is_empty(), "{others:?}");
    }

    /// The general demangler takes these types for members of references, and is asked.
    #[test]
    fn its_faults_are_its_own() {
        for name in [
            "_ZN4llvm21RAIIDelegateInstallerC1ERNS_15MachineFunctionEPNS1_8DelegateE",
            "_ZNSt15__uniq_ptr_implINSt13__future_base12_Result_baseENS1_8_DeleterEEC2IS2_EEPS1_OT_",
            "_ZN6icu_721fIKN3gis1aEKNS2_1bEEEvv",
            "_ZN5boost4cass2C1IdEET_v",
        ] {
            assert_eq!(plain_itanium::demangle(name), None, "{name}");
        }
    }

    #[test]
    fn damaged_names_are_read_alike() {
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let bytes = b"_Z0123456789EISTNKPROJLCDFMAbcdilmvjxyzB";
        let mut plain = 0;
        for _ in 0..20_000 {
            let mut name = PLAIN[random(PLAIN.len())].as_bytes().to_vec();
            for _ in 0..=random(2) {
                let at = 2 + random(name.len() - 2);
                let byte = bytes[random(bytes.len())];
                match random(4) {
                    0 => name[at] = byte,
                    1 => name.insert(at, byte),
                    2 if name.len() > 4 => _ = name.remove(at),
                    _ => {
                        let other = PLAIN[random(PLAIN.len())].as_bytes();
                        name.truncate(at);
                        name.extend_from_slice(&other[2 + random(other.len() - 2)..]);
                    }
                }
            }
            plain += usize::from(check(std::str::from_utf8(&name).unwrap()));
        }
        assert!(plain > 1000, "{plain}");
    }
}
