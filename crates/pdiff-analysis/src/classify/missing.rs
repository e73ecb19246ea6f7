//! Evidence that is missing for proof: [`Missing`]. Its words are in `pdiff-render`.

use pdiff_profile::Side;
use pdiff_profile::census::Visibility;

use super::builds::Builds;
use super::input::ClassifyInput;

/// Why nothing on inlining is proved of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The side.
    pub side: Side,
    /// What its build lacks.
    pub what: MissingPart,
}

/// Evidence that a build lacks for proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MissingPart {
    /// No binary was found.
    Binary,
    /// It comes from a pack, which contains no facts of the program's code.
    PackedCode,
    /// The binary has no debug information.
    DebugInfo,
    /// The binary is stripped.
    Symbols,
}

/// Evidence that is missing from both builds.
pub(super) fn missing(input: &ClassifyInput<'_>, builds: &Builds<'_>) -> Vec<Missing> {
    let of = |side: Side| {
        let what = match builds.visibility(side) {
            Some(Visibility::DebugInfo) => return None,
            None if input.packs_without_census[side] => MissingPart::PackedCode,
            None => MissingPart::Binary,
            Some(Visibility::Symbols) => MissingPart::DebugInfo,
            Some(Visibility::DynamicSymbols) => MissingPart::Symbols,
        };
        Some(Missing { side, what })
    };
    Side::BOTH.into_iter().filter_map(of).collect()
}
