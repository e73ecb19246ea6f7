//! What verdicts are made of.

use pdiff_profile::census::Census;
use pdiff_profile::{PerSide, Side};

use super::code_paths::CodePaths;
use super::counts::CallCounts;
use crate::compare::{Comparison, SampledCalls};
use crate::inlines::InlineReasons;
use crate::knowledge::{Aliases, Architectural, SettingsKnowledge, SpinList};
use crate::matching::Matching;
use crate::settings_diff::SettingsDiff;

/// The two builds of one object, as far as their files could be read.
#[derive(Clone, Copy, Debug)]
pub struct ObjectBuilds<'a> {
    /// What rows call the object.
    pub label: &'a str,
    /// Facts of Before's build.
    pub before: Option<&'a Census>,
    /// Facts of After's build.
    pub after: Option<&'a Census>,
    /// The pairs of functions of both builds, where they were found before; else they are found for the verdicts.
    pub matching: Option<&'a Matching>,
}

impl<'a> ObjectBuilds<'a> {
    /// One side's facts.
    #[must_use]
    pub fn side(&self, side: Side) -> Option<&'a Census> {
        match side {
            Side::Before => self.before,
            Side::After => self.after,
        }
    }
}

/// Everything that is known about a comparison.
#[derive(Clone, Copy, Debug)]
pub struct ClassifyInput<'a> {
    /// Rows by function, at the level of qualified names, inlines expanded.
    pub comparison: &'a Comparison,
    /// Callers and callees in the sampled stacks.
    pub calls: &'a SampledCalls,
    /// The program compared; `None` if no build of it could be read.
    pub builds: Option<ObjectBuilds<'a>>,
    /// Labels of objects whose file is the same on both sides.
    pub same_objects: &'a [String],
    /// Sides whose recordings are packs that hold nothing about the program's code, base first.
    pub packs_without_census: PerSide<bool>,
    /// Calls per operation, where counted.
    pub counts: Option<&'a CallCounts>,
    /// The ways through the program's code, where its files are there.
    pub paths: Option<&'a dyn CodePaths>,
    /// The compilers' remarks on calls, if their reports were given.
    pub inline_reasons: PerSide<Option<&'a InlineReasons>>,
    /// How the servers' settings differ, where they are given.
    pub settings: Option<&'a SettingsDiff>,
    /// The knowledge about the program.
    pub knowledge: ClassifyKnowledge<'a>,
    /// Whether claims on inlining need proof from debug information on both sides.
    pub demands: Demands,
}

/// Knowledge about a program.
#[derive(Clone, Copy, Debug)]
pub struct ClassifyKnowledge<'a> {
    /// Renames.
    pub aliases: &'a Aliases,
    /// Busy waiting.
    pub spin: &'a SpinList,
    /// Costs of design.
    pub architectural: &'a Architectural,
    /// What settings switch.
    pub settings: &'a SettingsKnowledge,
}

/// How much proof is demanded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Demands {
    /// Verdicts may rest on names and profile.
    Any,
    /// Without debug information on both sides no cause is more than unclear where inlining could explain it.
    InlineProof,
}
