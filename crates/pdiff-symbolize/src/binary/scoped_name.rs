//! The name of a function without linkage name: its plain name within its namespaces, classes and functions.
//!
//! Both readers of debug information (frames of addresses, census of a build) spell such names here, so that a row finds
//! its function. Lambdas of GCC have no linkage name where their function is static or local to its file: they are named
//! after the function that they are in, with their number among the unnamed classes there. `-g1` keeps no classes at all:
//! what is called `operator()` is then distinguished by the unit's source only.

/// Something around a function. Names are those in the debug information.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Around {
    Namespace(Option<Box<str>>),
    /// With its number among the unnamed classes of what it is in, from 1.
    Class(Option<Box<str>>, u32),
    /// A function around a class; one whose name is not told does not show.
    Function(Option<Box<str>>),
}

/// The function that objects are called by.
pub(crate) const CALL: &str = "operator()";

/// The qualified name of a function; `around` outermost first.
pub(crate) fn plain_name(around: &[Around], name: &str, unit: Option<&str>) -> String {
    let mut parts: Vec<String> = Vec::new();
    if around.is_empty() && name == CALL {
        parts.extend(unit.map(|unit| format!("{{unnamed in {}}}", stem(unit))));
    }
    let mut in_function = false;
    for scope in around {
        parts.extend(match scope {
            Around::Namespace(name) => Some(name.as_deref().unwrap_or("(anonymous namespace)").to_owned()),
            Around::Class(Some(name), _) => Some(name.to_string()),
            Around::Class(None, number) if in_function && name == CALL => {
                Some(format!("{{lambda#{number}}}"))
            }
            Around::Class(None, _) => Some("{unnamed}".to_owned()),
            Around::Function(name) => name.as_deref().map(str::to_owned),
        });
        in_function = matches!(scope, Around::Function(Some(_)));
    }
    parts.push(name.to_owned());
    parts.join("::")
}

/// A path's last part up to its first dot.
fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(name: &str) -> Option<Box<str>> {
        Some(name.into())
    }

    #[test]
    fn lambdas_are_named_after_the_function_they_stand_in() {
        let around =
            [Around::Namespace(some("ns")), Around::Function(some("helper")), Around::Class(None, 2)];
        assert_eq!(
            plain_name(&around, "operator()", some("/x/l.cc").as_deref()),
            "ns::helper::{lambda#2}::operator()"
        );
        assert_eq!(plain_name(&around, "run", None), "ns::helper::{unnamed}::run");
        let global = [Around::Class(None, 1)];
        assert_eq!(plain_name(&global, "operator()", None), "{unnamed}::operator()");
    }

    #[test]
    fn without_scopes_the_unit_tells_call_operators_apart() {
        let unit = some("/home/x/sql/sql_select.cc");
        assert_eq!(plain_name(&[], "operator()", unit.as_deref()), "{unnamed in sql_select}::operator()");
        assert_eq!(plain_name(&[], "operator()", None), "operator()");
        assert_eq!(plain_name(&[], "leaf", unit.as_deref()), "leaf");
        assert_eq!(plain_name(&[Around::Namespace(None)], "leaf", None), "(anonymous namespace)::leaf");
    }
}
