//! Gates as test results: JUnit's XML, which every pipeline reads. A gate that fails is a failure; one that cannot be judged is
//! an error; one that warns passes and says so in its output.
//!
//! Six elements, written here: a package for it brings dates, identifiers and an XML reader along.

use std::fmt::Write;

use super::{CiInput, GateResult, GateStatus};
use crate::document::visible_text::visible;

/// The gates as one test suite.
#[must_use]
pub fn junit_xml(of: &CiInput<'_>) -> String {
    let count = |is: fn(&GateResult) -> bool| of.gates.iter().filter(|gate| is(gate)).count();
    let failures = count(|gate| gate.status == GateStatus::Failed && !gate.is_warning);
    let errors = count(|gate| gate.status == GateStatus::Inconclusive && !gate.is_warning);
    let numbers = format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"", of.gates.len());
    let name = attribute(of.name);
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(xml, "<testsuites name=\"{name}\" {numbers}>");
    let _ = writeln!(xml, "  <testsuite name=\"{name}\" {numbers}>");
    for gate in of.gates {
        let _ = write!(xml, "    <testcase classname=\"{name}\" name=\"{}\"", attribute(&gate.gate));
        let detail = attribute(&gate.detail());
        let element = match (gate.status, gate.is_warning) {
            (GateStatus::Failed, false) => format!("<failure message=\"{detail}\"/>"),
            (GateStatus::Inconclusive, false) => format!("<error message=\"{detail}\"/>"),
            _ if detail.is_empty() => String::new(),
            _ => format!("<system-out>{}: {detail}</system-out>", gate.word()),
        };
        match element.is_empty() {
            true => xml.push_str("/>\n"),
            false => {
                let _ = writeln!(xml, ">{element}</testcase>");
            }
        }
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

/// Text within quotes or between tags.
fn attribute(text: &str) -> String {
    let text = visible(text);
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
}
