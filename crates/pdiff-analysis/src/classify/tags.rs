//! What is known of a function beside its cause.

use pdiff_profile::Side;
use pdiff_profile::census::Spin;

use super::case::Case;
use super::cause::{Cause, Tag};
use super::context::Context;
use super::evidence::{Evidence, EvidenceKind};
use crate::settings_diff::SettingGate;

/// A sign of busy waiting tells of the whole function only if there is little else in it; in a large one it may stand
/// in a branch that never runs.
const SPIN_BODY_BYTES: u64 = 256;

/// Settings named of those that switch a function.
const MOST_GATES: usize = 4;

/// The tags of a case, and what they rest on.
pub(super) fn tags(context: &Context<'_>, case: &Case<'_>, cause: Cause) -> (Vec<Tag>, Vec<Evidence>) {
    let (mut tags, mut evidence) = (Vec::new(), Vec::new());
    let mut add = |tag: Tag, fact: Evidence| {
        tags.push(tag);
        evidence.push(fact);
    };
    if let Some(fact) = spin(context, case) {
        add(Tag::SpinWait, fact);
    }
    if let Some(rule) = context.input.knowledge.architectural.rule(&case.row.name) {
        let text = format!("{}: {}", rule.name(), rule.reason());
        add(Tag::Architectural, Evidence::new(EvidenceKind::Rule, text));
    }
    if cause != Cause::Noise {
        let gates = context.gates(case);
        let text = |gate: &SettingGate<'_>| format!("{}: {}", gate.text, gate.why);
        let fact = |gate: &SettingGate<'_>| Evidence::new(EvidenceKind::Settings, text(gate));
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

fn spin(context: &Context<'_>, case: &Case<'_>) -> Option<Evidence> {
    let pct = case.row.after.total_pct.max(case.row.before.total_pct);
    let what = if context.input.knowledge.spin.is_spin(&case.row.name) {
        "the spin list names it".to_owned()
    } else {
        let sign = Side::BOTH.into_iter().find_map(|side| sign(context, case, side))?;
        format!("its code {sign}")
    };
    // Freeing the spin alone is worth at most 1 / (1 - share) - 1.
    let worth_pct = if pct < 100.0 { 100.0 * (1.0 / (1.0 - pct / 100.0) - 1.0) } else { f64::INFINITY };
    let text = format!(
        "busy waiting ({what}), {pct:.2} % of CPU: CPU saved outside the awaited section may turn into more spinning; \
         freeing the spin alone is worth at most {worth_pct:+.1} %"
    );
    Some(Evidence::new(EvidenceKind::Spin, text).with(&[("share_pct", pct), ("worth_pct", worth_pct)]))
}

fn sign(context: &Context<'_>, case: &Case<'_>, side: Side) -> Option<&'static str> {
    let census = context.builds.census(side)?;
    let functions = case.ids[side.index()].iter().filter_map(|id| census.function(*id));
    let small = functions.filter(|function| function.code_bytes() <= SPIN_BODY_BYTES);
    small.filter_map(|function| function.spin()).next().map(|spin| match spin {
        Spin::Pause => "pauses for spinning",
        Spin::ExchangeLoop => "exchanges in a short loop",
    })
}
