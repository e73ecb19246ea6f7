//! Functions of a stripped build are found in another build of the program by their code.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::{Path, PathBuf};

use pdiff_profile::{ObjectAddr, Resolution};
use pdiff_symbolize::{SymbolizeOptions, names_by_structure, symbolize};

/// A program of functions that texts, constants and calls tell apart; `extra` is one more statement of most of them.
fn source(extra: &str) -> String {
    let mut text = "#include <stdio.h>\nvolatile int sink;\n".to_owned();
    for number in 0..12 {
        let (multiplier, rounds) = (1021 + 97 * number, 3 + number);
        text.push_str(&format!(
            "static __attribute__((noinline)) int step_{number}(int n) {{\n\
             int sum = {multiplier};\n\
             for (int i = 0; i < n + {rounds}; i++) {{ sum = sum * {multiplier} + sink; {extra} }}\n\
             return sum;\n}}\n\
             static __attribute__((noinline)) int report_{number}(int n) {{\n\
             int sum = step_{number}(n);\n\
             if (sum > {multiplier}) puts(\"the sum of step {number} is too large\");\n\
             {extra}\n\
             return sum + n;\n}}\n"
        ));
    }
    text.push_str("int main(int argc, char **argv) {\nint sum = 0;\n");
    (0..12).for_each(|number| text.push_str(&format!("sum += report_{number}(argc);\n")));
    text.push_str("return sum;\n}\n");
    text
}

fn compiled(directory: &Path, name: &str, extra: &str, options: &[&str]) -> Option<PathBuf> {
    let (source_file, program) = (directory.join(format!("{name}.c")), directory.join(name));
    std::fs::write(&source_file, source(extra)).unwrap();
    let mut compiler = pdiff_testing::tool("gcc")?;
    let made = compiler.args(["-O2", "-fasynchronous-unwind-tables", "-fno-ipa-icf"]).args(options);
    assert!(made.arg(&source_file).arg("-o").arg(&program).status().unwrap().success());
    Some(program)
}

#[test]
fn names_given_by_structure_are_right_in_95_percent() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let compiled = |name, extra, options: &[&str]| compiled(directory.path(), name, extra, options);
    let Some(truth) = compiled("truth", "", &[]) else { return };
    let (Some(stripped), Some(named)) =
        (compiled("stripped", "", &["-s"]), compiled("named", "if (n > 77) sink += n;", &[]))
    else {
        return;
    };
    let options = SymbolizeOptions::new();
    let inferred = names_by_structure(&stripped, &named, &options).unwrap();
    let addrs: Vec<ObjectAddr> = inferred.iter().map(|name| ObjectAddr(name.offset)).collect();
    let is = symbolize(&truth, &addrs, &options).unwrap();
    let right = inferred.iter().zip(&is).filter(|(name, is)| match is {
        Resolution::Resolved(chain) => *chain.outermost().name == *name.name,
        Resolution::Unresolved(_) => false,
    });
    let right = right.count();
    assert!(right * 100 >= inferred.len() * 95, "{right} of {}: {inferred:?}", inferred.len());
    let steps =
        inferred.iter().filter(|name| name.name.starts_with("step_") || name.name.starts_with("report_"));
    assert!(steps.count() >= 12, "{inferred:?}");
}
