//! The name of the function that a linkage name denotes.

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

/// Whether the name perf printed can be that of a symbol. perf leaves out parameters, and its demangler writes templates
/// and clones in its own way, so of names that are not equal the last word decides.
pub(crate) fn names_agree(printed: &str, linkage: &str) -> bool {
    if printed == linkage || printed == without_version(linkage) {
        return true;
    }
    let printed = printed.split(" [clone").next().unwrap_or(printed);
    let word = last_word(printed);
    if word.is_empty() {
        return linkage.starts_with('_') && demangle(linkage).is_some();
    }
    linkage.contains(word) && (linkage.starts_with("_Z") || linkage.starts_with("_R"))
        || linkage.strip_prefix(printed).is_some_and(|rest| rest.starts_with('.'))
}

/// The last word of a qualified name that is not in brackets: `erase` of `std::map<int, X>::erase`.
fn last_word(name: &str) -> &str {
    let name = name.strip_suffix("@plt").unwrap_or(name);
    if name.starts_with("operator") || name.contains("::operator") {
        return "";
    }
    let open = match name.rfind("::") {
        Some(at) => name.get(at + 2..).unwrap_or(name),
        None => name,
    };
    let start = open.find(['<', '(', '[', ' ', '{']).unwrap_or(open.len());
    let word = open.get(..start).unwrap_or("");
    if word.chars().all(|c| c.is_alphanumeric() || c == '_') { word } else { "" }
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
    fn printed_names_are_known_again() {
        let check = |printed, linkage, expected| {
            assert_eq!(names_agree(printed, linkage), expected, "{printed} {linkage}")
        };
        check("main", "main", true);
        check("main", "main2", false);
        check("memcpy", "memcpy@@GLIBC_2.14", true);
        check("foo", "foo.constprop.0", true);
        check("foo::bar", "_ZN3foo3barEi", true);
        check("foo::baz", "_ZN3foo3barEi", false);
        check("std::vector<a::b, c<d> >::push_back", "_ZNSt6vectorI1a1cE9push_backEv", true);
        check("operator new", "_Znwm", true);
        check("write@plt", "write@plt", true);
    }

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
