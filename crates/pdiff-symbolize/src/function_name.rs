//! What a linkage name is called.

use pdiff_profile::names::demangle;

/// Demangled, with template arguments, without parameters; a name that is not mangled without its version.
pub(crate) fn display_name(linkage: &str) -> Box<str> {
    if let Some(stub) = linkage.strip_suffix("@plt") {
        return format!("{}@plt", display_name(stub)).into();
    }
    match demangle(linkage) {
        Some(demangled) => demangled.qualified.into(),
        None => without_version(linkage).into(),
    }
}

/// `pthread_cond_broadcast@@GLIBC_2.3.2` without what follows the `@`.
fn without_version(linkage: &str) -> &str {
    match linkage.find('@') {
        Some(at) if at > 0 => linkage.get(..at).unwrap_or(linkage),
        _ => linkage,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linkage_names_become_readable() {
        let check = |linkage, expected| assert_eq!(&*display_name(linkage), expected);
        check("main", "main");
        check("memcpy@@GLIBC_2.14", "memcpy");
        check("memcpy@plt", "memcpy@plt");
        check("_ZN3foo3barEi", "foo::bar");
        check("_ZN3foo3barEi@plt", "foo::bar@plt");
        check("_Zbroken", "_Zbroken");
    }
}
