//! The result for a function: [`Verdict`], with its evidence.

use pdiff_profile::{PerSide, Presence, Side};

use super::cause::{Cause, Confidence, InBuild, Judged, Tag};
use super::evidence::Evidence;
use super::limit::Limit;
use super::missing::Missing;
use super::reason::Reason;
use crate::compare::{CostChange, Quantities, RenamedFunction, Row, of_both_sides};
use crate::settings_diff::SettingsDiff;

/// The cause of one function's change, with confidence and evidence.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// The function, as rows name it.
    pub function: String,
    /// Label of its object.
    pub object: String,
    /// Source file, if known.
    pub file: Option<String>,
    /// Other functions of this name and object have verdicts of their own, distinguished by file.
    pub is_by_file: bool,
    /// Which rule matched; `docs/verdicts.md` lists them.
    pub rule_id: &'static str,
    /// Why its cost changed.
    pub cause: Cause,
    /// How sure that is.
    pub confidence: Confidence,
    /// Why the confidence is not higher.
    pub limited_by: Option<Limit>,
    /// Why.
    pub reason: Reason,
    /// The measure whose change the verdict is about.
    pub judged: Judged,
    /// On the base side.
    pub before: Quantities,
    /// On the other side.
    pub after: Quantities,
    /// Lower end of the 95 % interval of the change of self, in points.
    pub ci_low_pp: f64,
    /// Upper end of it.
    pub ci_high_pp: f64,
    /// The q-value of the change of self, where it was tested.
    pub q_value: Option<f64>,
    /// The change of the judged measure per operation, where that was tested.
    pub cost_change: Option<CostChange>,
    /// New or saved cost per operation, in nanoseconds: of the function, or of its set or inlining family together; `None`
    /// without operations, for events that do not measure time, and for callers that inline other functions than before: the
    /// verdicts on these functions have it.
    pub net_new_per_op_ns: Option<f64>,
    /// The family it belongs to, by number.
    pub family: Option<usize>,
    /// Callers that the verdict names.
    pub callers: Vec<String>,
    /// Properties beside its cause.
    pub tags: Vec<Tag>,
    /// On which sides it has samples anywhere in a stack.
    pub presence: Presence,
    /// Whether Before's build contains it.
    pub in_before: InBuild,
    /// Whether After's build contains it.
    pub in_after: InBuild,
    /// The build that has it under another name, and that name.
    pub other_name: Option<(Side, String)>,
    /// The facts.
    pub evidence: Vec<Evidence>,
}

impl Verdict {
    /// Whether the function has samples on a side.
    #[must_use]
    pub fn is_sampled(&self, side: Side) -> bool {
        self.side(side).total_weight.0 > 0
    }

    /// Whether a side's build contains the function.
    #[must_use]
    pub fn in_build(&self, side: Side) -> InBuild {
        match side {
            Side::Before => self.in_before,
            Side::After => self.in_after,
        }
    }

    /// Whether it is code that Before's build does not have; `None` where that cannot be said.
    #[must_use]
    pub fn code_is_new(&self) -> Option<bool> {
        match (self.in_before, self.in_after) {
            (InBuild::NotVisible, _) => None,
            (in_before, in_after) => Some(in_before == InBuild::No && in_after == InBuild::Yes),
        }
    }

    /// The change that the verdict is about, in points.
    #[must_use]
    pub fn delta_judged_pp(&self) -> f64 {
        match self.judged {
            Judged::OwnSelf => self.delta_self_pp(),
            Judged::Booked => self.delta_booked_pp(),
            Judged::Total => self.delta_total_pp(),
        }
    }
}

of_both_sides!(Verdict);

/// Functions between which weight moved because inlining changed, by the code of both builds.
#[derive(Clone, PartialEq, Debug)]
pub struct VerdictFamily {
    /// Number, from 0.
    pub id: usize,
    /// Names of its rows.
    pub members: Vec<String>,
    /// Change of the members' self by symbol together, without what all functions have in common, in points: the real change.
    pub booked_delta_pp: f64,
    /// Weight that only changed rows inside, in points.
    pub moved_pp: f64,
    /// The part of `booked_delta_pp` that is the flipped functions' own code, in points.
    pub body_pp: f64,
    /// The rest: calls, and what the callers' code lost or gained, in points.
    pub call_overhead_pp: f64,
}

/// How far two builds of a program are from each other, by the functions that both runs sampled; if these are too few, by all that
/// both builds have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuildDistance {
    /// Whether both runs sampled them.
    pub is_of_sampled: bool,
    /// Those of which the codes could be compared.
    pub compared: usize,
    /// Those with the same code, or that of another layout of a record.
    pub same: usize,
    /// Whether the builds are a patch apart, which some rules need; `None` if too few functions were compared to tell.
    pub is_patch: Option<bool>,
}

/// All verdicts of a comparison.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Classification {
    /// One per function over the floor, in the order of the comparison's rows.
    pub verdicts: Vec<Verdict>,
    /// Inlining families.
    pub families: Vec<VerdictFamily>,
    /// What is missing for proof.
    pub missing: Vec<Missing>,
    /// How far the builds are from each other; `None` if no functions could be compared.
    pub distance: Option<BuildDistance>,
    /// Objects that both builds compiled from the same source, but not in the same way.
    pub rebuilt: Vec<String>,
    /// How the servers' settings differ, where they are given.
    pub settings: Option<SettingsDiff>,
}

impl Classification {
    /// The verdict on a function by either of its names: a row has one, and the stacks of one run alone may have the other.
    pub(super) fn verdict_on(&self, name: &str, object: &str) -> Option<&Verdict> {
        let in_object = || self.verdicts.iter().filter(|verdict| verdict.object == object);
        let has_other_name =
            |verdict: &&Verdict| verdict.other_name.as_ref().is_some_and(|(_, other)| other == name);
        in_object().find(|verdict| verdict.function == name).or_else(|| in_object().find(has_other_name))
    }

    /// The functions that have another name after: those of pairs of which one took the place of the other.
    #[must_use]
    pub fn renamed(&self) -> Vec<RenamedFunction> {
        let of = |verdict: &Verdict| {
            let names = match &verdict.reason {
                Reason::Renamed { before, after, .. } => PerSide::new(before, after),
                Reason::Succession { before, after, .. } => match (&before[..], &after[..]) {
                    ([before], [after]) => PerSide::new(&before.name, &after.name),
                    _ => return None,
                },
                _ => return None,
            };
            let is_claimed = verdict.confidence > Confidence::Unclear && names.before != names.after;
            is_claimed
                .then(|| RenamedFunction { object: verdict.object.clone(), names: names.map(String::clone) })
        };
        let mut renamed: Vec<RenamedFunction> = self.verdicts.iter().filter_map(of).collect();
        renamed.sort_unstable();
        renamed.dedup();
        renamed
    }
}

/// The measures of a row over the floor of the table: what is below this on both sides, in percent of the denominator,
/// is left out, for no change of it passes the practical floor.
const VERDICT_FLOOR_PCT: f64 = crate::noise::FLOOR_PP;

/// Whether a row gets a verdict.
pub(super) fn is_over_floor(row: &Row) -> bool {
    let largest = |of: &Quantities| of.total_pct.max(of.booked_self_pct).max(of.self_pct);
    largest(&row.before).max(largest(&row.after)) >= VERDICT_FLOOR_PCT
}
