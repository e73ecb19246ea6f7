//! Evidence that is missing for proof, and how to supply it.

use pdiff_analysis::classify::{Missing, MissingPart};

/// What is missing for proof, and how to supply it.
#[must_use]
pub fn missing_text(of: &Missing) -> String {
    let side = of.side;
    let what = match of.what {
        MissingPart::Binary => "no binary was found",
        MissingPart::DebugInfo => "the binary has no debug information",
        MissingPart::Symbols => "the binary is stripped",
        MissingPart::PackedCode => {
            return format!(
                "{side}: the pack has no census of the program's code, so nothing about inlining is proved; hint: make \
                 it where the binary is, with `pdiff pack --binary FILE`, or give the binary with --binary-{side}"
            );
        }
    };
    format!(
        "{side}: {what}, so nothing about inlining is proved; hint: give the build's unstripped binary or its debug file \
         (build with -g1 or -g, or install the -dbgsym/-debuginfo package) with --binary-{side}"
    )
}
