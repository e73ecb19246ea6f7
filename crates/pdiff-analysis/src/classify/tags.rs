//! Properties of a function beside its cause.

use pdiff_profile::Side;
use pdiff_profile::census::Spin;

use super::case::Case;
use super::cause::{Cause, Tag};
use super::context::Context;
use super::evidence::Evidence;
use super::fact::{Fact, SpinSign};
use super::setting::SettingValues;
use crate::settings_diff::SettingGate;

/// A sign of busy waiting tells of the whole function only if there is little else in it; in a large one it may be in a
/// branch that never runs.
const SPIN_BODY_BYTES: u64 = 256;

/// Settings named of those that switch a function.
const MOST_GATES: usize = 4;

/// The tags of a case, and what they rest on.
pub(super) fn tags(context: &Context<'_>, case: &Case<'_>, cause: Cause) -> (Vec<Tag>, Vec<Evidence>) {
    let (mut tags, mut evidence) = (Vec::new(), Vec::new());
    let mut add = |tag: Tag, fact: Fact| {
        tags.push(tag);
        evidence.push(Evidence::from(fact));
    };
    if let Some(fact) = spin(context, case) {
        add(Tag::SpinWait, fact);
    }
    if let Some(rule) = context.input.knowledge.architectural.rule(&case.row.name) {
        let fact = Fact::Rule { name: rule.name().to_owned(), reason: rule.reason().to_owned() };
        add(Tag::Architectural, fact);
    }
    if cause != Cause::Noise {
        let gates = context.gates(case);
        let fact = |gate: &SettingGate<'_>| {
            Evidence::from(Fact::Setting { setting: SettingValues::of(gate), why: gate.why.to_owned() })
        };
        if gates.iter().any(|gate| gate.differs) {
            tags.push(Tag::Settings);
        }
        evidence.extend(gates.iter().take(MOST_GATES).map(fact));
    }
    let is_changed = !matches!(cause, Cause::Noise | Cause::Unclear);
    if is_changed && case.of_program && context.builds.same_compiler(&case.ids) == Some(false) {
        tags.push(Tag::CompilerChange);
    }
    (tags, evidence)
}

fn spin(context: &Context<'_>, case: &Case<'_>) -> Option<Fact> {
    let share_pct = case.row.after.total_pct.max(case.row.before.total_pct);
    let sign = if context.input.knowledge.spin.is_spin(&case.row.name) {
        SpinSign::Listed
    } else {
        SpinSign::Code(Side::BOTH.into_iter().find_map(|side| sign(context, case, side))?)
    };
    Some(Fact::Spin { sign, share_pct })
}

fn sign(context: &Context<'_>, case: &Case<'_>, side: Side) -> Option<Spin> {
    let census = context.builds.census(side)?;
    let functions = case.ids[side].iter().filter_map(|id| census.function(*id));
    let small = functions.filter(|function| function.code_bytes() <= SPIN_BODY_BYTES);
    small.filter_map(|function| function.spin()).next()
}
