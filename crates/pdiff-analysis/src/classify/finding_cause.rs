//! Causes of findings, from the verdicts on the functions inside, by their weight in the finding's stacks.
//!
//! A new function name alone is not a cause, because the cost may have been another function's before. A finding is new
//! overhead only where its net cost is new.

use std::collections::BTreeMap;

use pdiff_profile::{PerSide, Side};

use super::cause::{Cause, Confidence, InBuild};
use super::finding_origin::{FunctionCause, MAIN_PART, beginning, origin};
use super::limit::{Limit, PartLimit};
use super::reason::Reason;
use super::verdict::{Classification, Verdict, VerdictFamily};
use crate::compare::Quantities;
use crate::findings::{Finding, FindingKind, FindingMember, Findings};

/// Weights of members are of the finding's samples, and those of verdicts of all: their sums differ by so much.
const ROUNDED: f64 = 1.1;

/// A side that has less than this part of the other's cost has next to nothing of it.
const NEXT_TO_NOTHING: f64 = 0.05;

/// New code inside costs at most so many times what the whole part costs more: else it may do what other code of the part did.
const NET_NEW: f64 = 1.25;

/// Why a finding changed.
#[derive(Clone, PartialEq, Debug)]
pub struct FindingCause {
    /// The cause.
    pub cause: Cause,
    /// How sure that is.
    pub confidence: Confidence,
    /// Why it is not more certain.
    pub limited_by: Option<PartLimit>,
    /// Whether the function that it is named by is new code; `None` where that is not known.
    pub code_is_new: Option<bool>,
    /// The function inside that most of it is, where that has a cause, and the finding is named by another one.
    pub inside: Option<FunctionCause>,
    /// The function that most of it begins in, because that calls more, where the finding is named by another one. Findings with the
    /// same one have one cause.
    pub origin: Option<FunctionCause>,
}

/// The cause of each finding, in their order.
#[must_use]
pub fn finding_causes(findings: &Findings, of: &Classification) -> Vec<FindingCause> {
    findings.list.iter().map(|finding| cause_of(finding, findings, of)).collect()
}

fn cause_of(finding: &Finding, findings: &Findings, of: &Classification) -> FindingCause {
    let named = named_verdict(finding, of);
    let code_is_new = named.and_then(Verdict::code_is_new);
    // Code without names is one function to nobody: that a side has none of it says nothing of what ran.
    let (cause, confidence, limited_by) = match finding.kind {
        FindingKind::Unresolved => (Cause::Unclear, Confidence::Unclear, Some(PartLimit::NoNames)),
        _ => {
            let said = one_sided(finding, of, named);
            of_same_source(said.unwrap_or_else(|| of_members(finding, findings, of, named)), finding, of)
        }
    };
    let knows_one =
        |setting: &crate::findings::FindingSetting| setting.values.iter().any(|(_, value)| value.is_none());
    let is_limited = finding.settings.first().is_some_and(knows_one) && confidence == Confidence::Proved;
    let (confidence, limited_by) = match is_limited {
        true => (Confidence::Likely, Some(PartLimit::SettingOfOneSide)),
        false => (confidence, limited_by),
    };
    let inside = main_inside(finding, of);
    // A cause that is another function's is none of the function that names the part.
    let limited_by = match limited_by {
        Some(PartLimit::NoMainCause) if inside.is_some() => Some(PartLimit::CauseInside),
        limited_by => limited_by,
    };
    let is_inside =
        |origin: &FunctionCause| inside.as_ref().is_some_and(|inside| inside.function == origin.function);
    let origin = origin(finding, of).filter(|origin| !is_inside(origin));
    FindingCause { cause, confidence, limited_by, code_is_new, inside, origin }
}

/// The verdict on the function that a finding is named by; an edge is its callee's.
fn named_verdict<'a>(finding: &Finding, of: &'a Classification) -> Option<&'a Verdict> {
    of.verdict_on(finding.function(), &finding.object)
}

/// What is said of a part, where both builds come from the same source: what only one run entered, or what costs more or less for no other
/// reason, was compiled to other code.
fn of_same_source(said: Said, finding: &Finding, of: &Classification) -> Said {
    use Cause::{Gone, Heavier, Lighter, NewOverhead, NewlyActive};
    let is_by_code = of.rebuilt.contains(&finding.object)
        && matches!(said.0, Gone | Heavier | Lighter | NewOverhead | NewlyActive)
        && finding.main_kernel_work().is_none()
        && finding.settings.is_empty();
    if is_by_code { (Cause::CodeQuality, Confidence::Likely, Some(PartLimit::SameSource)) } else { said }
}

type Said = (Cause, Confidence, Option<PartLimit>);

/// Where one side has next to nothing of it: new, newly active, or gone.
fn one_sided(finding: &Finding, of: &Classification, named: Option<&Verdict>) -> Option<Said> {
    let size = |side: Side| finding.side(side).per_op.unwrap_or(finding.side(side).pct);
    let (before, after) = (size(Side::Before), size(Side::After));
    let is_one_sided = before < NEXT_TO_NOTHING * after || after < NEXT_TO_NOTHING * before;
    // It was called before, or is now, and what it costs more is not told by that.
    if named.is_some_and(|verdict| is_beside_inlining(finding, verdict, after > before)) {
        return None;
    }
    let says_where = |cause: Cause| tells_where_from(cause) && is_of_change(cause, after > before);
    if let Some(verdict) = named.filter(|verdict| is_one_sided && says_where(verdict.cause)) {
        return Some((verdict.cause, verdict.confidence, None));
    }
    // A base run that has a little of it here, or more of it elsewhere, did run it, and so did one whose calls of it were counted:
    // the verdict on it says why there is more.
    let is_more = before < NEXT_TO_NOTHING * after;
    let is_elsewhere = named.is_some_and(|verdict| {
        let [before, after] = [&verdict.before, &verdict.after].map(|of| of.total_pct);
        before >= NEXT_TO_NOTHING * after
    });
    let says_why = |cause: Cause| is_cause(cause) && is_of_change(cause, true);
    let is_counted = named.is_some_and(|verdict| {
        verdict.confidence == Confidence::Proved && verdict.cause == Cause::MissingFastPath
    });
    let was_run = before > 0.0 || is_elsewhere || is_counted;
    let told = named.filter(|verdict| is_more && was_run && says_why(cause_here(verdict, of)));
    if let Some(verdict) = told.filter(|verdict| verdict.delta_judged_pp() > 0.0) {
        return Some((cause_here(verdict, of), verdict.confidence, None));
    }
    if is_more && is_elsewhere {
        return Some((Cause::Heavier, Confidence::Likely, Some(PartLimit::SampledElsewhere)));
    }
    let cause = if before < NEXT_TO_NOTHING * after {
        let is_active = named.is_some_and(|verdict| verdict.in_before == InBuild::Yes);
        if is_active { Cause::NewlyActive } else { Cause::NewOverhead }
    } else if after < NEXT_TO_NOTHING * before {
        // Where both builds contain it, only one run entered it.
        let is_held = named.is_some_and(|verdict| verdict.in_after == InBuild::Yes);
        if is_held { Cause::Lighter } else { Cause::Gone }
    } else {
        return None;
    };
    let (here, there) = named.map_or((InBuild::NotVisible, InBuild::NotVisible), |verdict| match cause {
        Cause::Gone | Cause::Lighter => (verdict.in_before, verdict.in_after),
        _ => (verdict.in_after, verdict.in_before),
    });
    let is_shown = here == InBuild::Yes
        && (there == InBuild::No || matches!(cause, Cause::NewlyActive | Cause::Lighter));
    // It costs less here and more elsewhere: its calls went there.
    let went_away = cause == Cause::Lighter && named.is_some_and(|verdict| verdict.delta_judged_pp() > 0.0);
    if went_away {
        return Some((cause, Confidence::Likely, Some(PartLimit::MoreElsewhere)));
    }
    // The verdict on the function looked for what could refute it, which its place in the stacks cannot.
    let doubted = named.filter(|verdict| verdict.confidence < Confidence::Proved);
    Some(if let Some(verdict) = doubted.filter(|_| is_shown) {
        let took_over = matches!(verdict.cause, Cause::Moved | Cause::Split | Cause::Merged);
        let cause = if took_over { verdict.cause } else { cause };
        (
            cause,
            verdict.confidence,
            Some(PartLimit::FunctionDoubted(verdict.limited_by.clone().map(Box::new))),
        )
    } else if cause == Cause::NewlyActive && before > 0.0 {
        (cause, Confidence::Likely, Some(PartLimit::SampledBefore))
    } else if is_shown {
        (cause, Confidence::Proved, None)
    } else {
        // The verdict is unclear for lack of a binary, too, but its row is one name: here all below it is new or gone.
        let is_hidden = [here, there].contains(&InBuild::NotVisible);
        let doubted = doubted.filter(|_| !is_hidden);
        let at_most =
            doubted.map_or(Confidence::Likely, |verdict| verdict.confidence.min(Confidence::Likely));
        (cause, at_most, Some(PartLimit::CodeNotShown))
    })
}

/// The cause that most of the change has among the functions at the leaves; else only that it costs more or less.
fn of_members(finding: &Finding, findings: &Findings, of: &Classification, named: Option<&Verdict>) -> Said {
    // Where each operation costs more, a share may fall of what costs more, too.
    let delta = finding.delta_per_op().unwrap_or(finding.delta_pp());
    let change = |member: &FindingMember| member.delta_per_op().unwrap_or(member.delta_pp());
    let grew = delta > 0.0;
    let mut causes: Vec<(Cause, Confidence, f64)> = Vec::new();
    let mut known = 0.0;
    for member in finding.members.iter().filter(|member| change(member) * delta > 0.0) {
        let verdict = of.verdict_on(&member.name, &member.object);
        // New code is why, where nothing else costs less for it.
        let is_new = |verdict: &Verdict| {
            verdict.cause == Cause::NewOverhead
                && verdict.confidence == Confidence::Proved
                && change(member).abs() <= NET_NEW * delta.abs()
        };
        let is_why = |verdict: &Verdict| {
            let cause = cause_of_member(verdict, of);
            (is_cause(cause) || is_new(verdict)) && is_of_change(cause, grew)
        };
        let is_claim =
            |verdict: &&Verdict| verdict.cause != Cause::Noise && verdict.confidence > Confidence::Unclear;
        known += verdict.filter(is_claim).map_or(0.0, |_| change(member).abs());
        let is_reason = |verdict: &&Verdict| is_why(verdict) && !is_beside_inlining(finding, verdict, grew);
        let Some(verdict) = verdict.filter(is_reason) else { continue };
        let cause = cause_of_member(verdict, of);
        match causes.iter_mut().find(|(known, ..)| *known == cause) {
            Some((_, confidence, sum)) => {
                *confidence = verdict.confidence.min(*confidence);
                *sum += change(member).abs();
            }
            None => causes.push((cause, verdict.confidence, change(member).abs())),
        }
    }
    // Of a part that costs more, a change of inlining in it is one that costs more, if a function inside shows that.
    let costs_so = |(cause, confidence, _): &&(Cause, Confidence, f64)| {
        matches!(cause, Cause::InlineRegression | Cause::InlineGain) && *confidence > Confidence::Unclear
    };
    let of_cost = causes.iter().find(costs_so).map(|(cause, confidence, _)| (*cause, *confidence));
    let main = causes.into_iter().max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.cmp(&a.0)));
    let main = main.filter(|(.., sum)| *sum >= MAIN_PART * delta.abs());
    let main = main.map(|(cause, confidence, sum)| match of_cost {
        Some((of_cost, confidence)) if cause == Cause::InlineChange => (of_cost, confidence, sum),
        _ => (cause, confidence, sum),
    });
    let is_known = main.is_some_and(|(_, confidence, _)| confidence > Confidence::Unclear);
    if !is_known && let Some(said) = entered_more(finding, findings, of) {
        return said;
    }
    let is_why = |verdict: &&Verdict| {
        says_why(verdict)
            && is_of_change(cause_here(verdict, of), grew)
            && !is_beside_inlining(finding, verdict, grew)
            && verdict.delta_judged_pp() * delta > 0.0
    };
    // A cause of the function that the part is named by says more than functions inside that took more time for no known reason.
    let is_most_of_it =
        |verdict: &&Verdict| verdict.delta_judged_pp().abs() >= MAIN_PART * finding.delta_pp().abs();
    let told = named.filter(is_why).filter(|verdict| has_own_cause(verdict)).filter(is_most_of_it);
    // What is called more in it is what a lost fast path goes on to.
    let goes_on = |verdict: &&Verdict, cause: Cause| {
        verdict.cause == Cause::MissingFastPath && cause == Cause::MoreCalls
    };
    let says_more = |verdict: &&Verdict| main.is_some_and(|(cause, ..)| !is_known || goes_on(verdict, cause));
    if let Some(verdict) = told.filter(says_more) {
        return (verdict.cause, verdict.confidence, None);
    }
    if let Some((cause, confidence, _)) = main {
        // What is proved of functions inside is not proved of the one that the part is named by; what is proved of that one is, if it
        // changed by about as much as the part. A part that is the function itself lacks only what is in other parts.
        let points = finding.delta_pp();
        let of_named = named.filter(|verdict| {
            let is_cause = verdict.cause == cause
                || (verdict.cause == Cause::MoreCalls && cause_here(verdict, of) == cause);
            is_cause && verdict.confidence >= confidence
        });
        let is_most = |verdict: &&Verdict| {
            let judged = verdict.delta_judged_pp();
            let is_itself = finding.kind == FindingKind::Region;
            judged * points > 0.0
                && points * delta > 0.0
                && judged.abs() >= MAIN_PART * points.abs()
                && (is_itself || points.abs() >= MAIN_PART * judged.abs())
        };
        return match (of_named, of_named.filter(is_most), confidence) {
            (_, Some(verdict), _) => (cause, verdict.confidence, None),
            (None, _, Confidence::Proved) => (cause, Confidence::Likely, Some(PartLimit::ProvedInside)),
            _ => (cause, confidence, None),
        };
    }
    if let Some(verdict) = named.filter(is_why) {
        return (cause_here(verdict, of), verdict.confidence, None);
    }
    // Where no verdicts on functions inside explain half of it, nothing is known of it but that it changed.
    let confidence = match known >= MAIN_PART * delta.abs() {
        true => Confidence::Likely,
        false => Confidence::Unclear,
    };
    let cause = if grew { Cause::Heavier } else { Cause::Lighter };
    match finding.main_kernel_work() {
        Some(kind) => (cause, Confidence::Likely, Some(PartLimit::KernelWork(kind))),
        None if is_mostly_noise(finding, of, delta) => (cause, confidence, Some(PartLimit::MainIsNoise)),
        None => (cause, confidence, Some(PartLimit::NoMainCause)),
    }
}

/// Whether half of the change or more is a function's whose verdict is noise: it changed no more than all functions may have.
fn is_mostly_noise(finding: &Finding, of: &Classification, delta: f64) -> bool {
    let change = |member: &FindingMember| member.delta_per_op().unwrap_or(member.delta_pp());
    finding.members.iter().any(|member| {
        let verdict = of.verdict_on(&member.name, &member.object);
        change(member) * delta >= MAIN_PART * delta * delta
            && verdict.is_some_and(|verdict| verdict.cause == Cause::Noise)
    })
}

/// The function inside, other than the one that names the finding, whose own cause explains most of the change: what its machine code
/// has there, or, if it is inlined in one build, its lines.
fn main_inside(finding: &Finding, of: &Classification) -> Option<FunctionCause> {
    let unit = Unit::of(finding);
    let change = finding.delta_per_op().unwrap_or(finding.delta_pp());
    let here = |verdict: &Verdict| -> Option<f64> {
        let member = finding.members.iter().find(|member| is_of(member, verdict))?;
        let lines = member.delta_per_op().unwrap_or(member.delta_pp());
        let part = lines / unit.change(verdict, |of| of.self_pct);
        let here = part.clamp(0.0, 1.0) * unit.change(verdict, own_pct(verdict));
        // What is inlined in it may be in other findings.
        let all = finding.members.iter().map(|member| member.delta_per_op().unwrap_or(member.delta_pp()));
        let one_way: f64 = all.filter(|change| change * here > 0.0).map(f64::abs).sum();
        Some(if here.abs() <= ROUNDED * one_way { here } else { lines })
    };
    let is_cause = |verdict: &&Verdict| verdict.function != finding.function() && has_own_cause(verdict);
    let inside = of.verdicts.iter().filter(is_cause).filter_map(|verdict| Some((verdict, here(verdict)?)));
    let main = inside.filter(|(_, here)| here * change > 0.0 && here.abs() >= MAIN_PART * change.abs());
    let (main, _) = main.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    Some(FunctionCause { function: main.function.clone(), cause: main.cause, confidence: main.confidence })
}

/// What a percent of a side's CPU is in a finding: so much per operation where that is known.
struct Unit(PerSide<f64>);

impl Unit {
    fn of(finding: &Finding) -> Self {
        let per_pct = |side: Side| {
            let of = finding.side(side);
            of.per_op.filter(|_| of.pct > 0.0).map(|per_op| per_op / of.pct)
        };
        let (before, after) = (per_pct(Side::Before), per_pct(Side::After));
        // A side without it does not tell.
        let both = before.or(after).zip(after.or(before));
        Self(both.map_or(PerSide::new(1.0, 1.0), |(before, after)| PerSide::new(before, after)))
    }

    fn change(&self, verdict: &Verdict, pct: fn(&Quantities) -> f64) -> f64 {
        self.0.after * pct(&verdict.after) - self.0.before * pct(&verdict.before)
    }
}

/// What of a function's share is its own: its machine code or its lines, whichever is more; if its inlining
/// changed, its lines wherever they are; of new code, also what it calls, unless something says that this ran before.
fn own_pct(verdict: &Verdict) -> fn(&Quantities) -> f64 {
    match verdict.cause {
        Cause::InlineRegression | Cause::InlineGain => Quantities::x_pct,
        Cause::NewOverhead if matches!(verdict.limited_by, None | Some(Limit::NoOwnBody(_))) => {
            |of| of.total_pct
        }
        _ => |of| of.booked_self_pct.max(of.self_pct),
    }
}

fn is_of(member: &FindingMember, verdict: &Verdict) -> bool {
    (&*member.name, &*member.object) == (&*verdict.function, &*verdict.object)
}

/// Whether a verdict gives a cause that is the function's own, and not that of what is above or below it.
fn has_own_cause(verdict: &Verdict) -> bool {
    use Cause::{Gone, InlineGain, InlineRegression, MissingFastPath, MoreCalls, NewOverhead, NewlyActive};
    let is_cause = matches!(
        verdict.cause,
        Gone | InlineGain | InlineRegression | MissingFastPath | MoreCalls | NewOverhead | NewlyActive
    );
    is_cause && verdict.confidence > Confidence::Unclear && verdict.rule_id != "R-below"
}

/// The cause of a function that the one that names the finding calls more, where it costs more by most of the change with what it
/// calls: what each of these costs more may be noise in the whole program. What is in other findings does not count.
fn entered_more(finding: &Finding, findings: &Findings, of: &Classification) -> Option<Said> {
    let unit = Unit::of(finding);
    let change = finding.delta_per_op().unwrap_or(finding.delta_pp());
    let is_entered = |verdict: &&Verdict| {
        matches!(verdict.cause, Cause::MissingFastPath | Cause::MoreCalls)
            && verdict.rule_id == "R-edge"
            && verdict.confidence > Confidence::Unclear
            && verdict.object == finding.object
            && verdict.callers.iter().any(|caller| caller == finding.function())
    };
    let entered = of.verdicts.iter().filter(is_entered);
    let elsewhere = |verdict: &Verdict| -> f64 {
        let is_of = |other: &&Finding| {
            other.function() == verdict.function
                || origin(other, of).is_some_and(|origin| origin.function == verdict.function)
        };
        let others = findings.list.iter().filter(|other| other.rank != finding.rank).filter(is_of);
        others.map(|other| other.delta_per_op().unwrap_or(other.delta_pp())).sum()
    };
    let with_totals =
        entered.map(|verdict| (verdict, unit.change(verdict, |of| of.total_pct) - elsewhere(verdict)));
    let (main, more) = with_totals.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let limit = (main.confidence == Confidence::Proved).then_some(PartLimit::ProvedInside);
    (change > 0.0 && more >= MAIN_PART * change)
        .then(|| (main.cause, main.confidence.min(Confidence::Likely), limit))
}

/// Why a function changed, for a part that it is in: what runs more or less under others for their cause; what follows from others without
/// one cause is more or less time there; what counts show to be called more by what a lost fast path goes on to is on that path, if that
/// is as sure.
fn cause_here(verdict: &Verdict, of: &Classification) -> Cause {
    let time = || if verdict.delta_judged_pp() > 0.0 { Cause::Heavier } else { Cause::Lighter };
    match (verdict.cause, verdict.rule_id) {
        (Cause::Consequence, _) => cause_of_callers(verdict, of).unwrap_or_else(time),
        (Cause::MoreCalls, "R-more-calls") => {
            let is_lost = |begins: &&Verdict| {
                begins.cause == Cause::MissingFastPath && begins.confidence >= verdict.confidence
            };
            beginning(verdict, of).filter(is_lost).map_or(verdict.cause, |begins| begins.cause)
        }
        (cause, _) => cause,
    }
}

/// The same of a function inside a part. What a caller costs more that a callee left is a part of what that costs.
fn cause_of_member(verdict: &Verdict, of: &Classification) -> Cause {
    let is_of_callees = || {
        let in_family = |family: &&VerdictFamily| family.members.contains(&verdict.function);
        let family = of.families.iter().find(in_family)?;
        let of_family = family.members.iter().filter_map(|name| of.verdict_on(name, &verdict.object));
        let left =
            of_family.filter(|of| of.cause == Cause::InlineRegression && of.confidence > Confidence::Unclear);
        let cost = |of: &Verdict| match &of.reason {
            Reason::Flipped { family: Some(cost), .. } => Some(cost.net_pp),
            _ => None,
        };
        // What it costs more than the callees with their callers, it does more itself.
        Some(verdict.delta_booked_pp() <= ROUNDED * left.filter_map(cost).sum::<f64>())
    };
    let cause = cause_here(verdict, of);
    if cause == Cause::Heavier && is_of_callees() == Some(true) { Cause::InlineRegression } else { cause }
}

/// The cause that most of a function's change has by the verdicts on the functions above it.
fn cause_of_callers(verdict: &Verdict, of: &Classification) -> Option<Cause> {
    let Reason::PartOf { functions, .. } = &verdict.reason else { return None };
    let grew = verdict.delta_judged_pp() > 0.0;
    let mut sums: BTreeMap<Cause, f64> = BTreeMap::new();
    for (name, points) in functions {
        let above = of.verdict_on(name, &verdict.object).map(|above| above.cause);
        let is_why =
            |cause: &Cause| is_cause(*cause) && *cause != Cause::Consequence && is_of_change(*cause, grew);
        if let Some(cause) = above.filter(is_why) {
            *sums.entry(cause).or_default() += points.abs();
        }
    }
    let all: f64 = functions.iter().map(|(_, points)| points.abs()).sum();
    let main = sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (main.1 >= MAIN_PART * all).then_some(main.0)
}

/// Whether a cause says where a function's cost was before, or where it went.
fn tells_where_from(cause: Cause) -> bool {
    use Cause::{InlineChange, InlineGain, InlineRegression, Merged, Moved, Split};
    matches!(cause, InlineRegression | InlineGain | InlineChange | Moved | Split | Merged)
}

/// Whether a cause says why a cost changed: new names and gone ones alone do not.
fn is_cause(cause: Cause) -> bool {
    !matches!(cause, Cause::Noise | Cause::Unclear | Cause::Moved | Cause::NewOverhead | Cause::Gone)
}

/// Whether the verdict on the function that names a finding says why its cost changed: a new name does where it is proved that no
/// other code had its cost before.
fn says_why(verdict: &Verdict) -> bool {
    let is_of_one_build = matches!(verdict.cause, Cause::NewOverhead | Cause::Gone);
    is_cause(verdict.cause) || (is_of_one_build && verdict.confidence == Confidence::Proved)
}

/// Whether a verdict tells of a change of inlining, and the function's cost with its callers' changed as well: the inlining alone is no
/// reason for that.
fn is_beside_inlining(finding: &Finding, verdict: &Verdict, grew: bool) -> bool {
    let costs_so = match &verdict.reason {
        Reason::Flipped { family: Some(cost), .. } if grew => cost.is_more(),
        Reason::Flipped { family: Some(cost), .. } => cost.is_less(),
        _ => false,
    };
    verdict.cause == Cause::InlineChange && (finding.with_callers || costs_so)
}

/// Whether a cause explains a change of this direction: what costs less is not heavier, nor what costs more gone.
fn is_of_change(cause: Cause, grew: bool) -> bool {
    use Cause::{
        Gone, Heavier, InlineGain, InlineRegression, Lighter, MissingFastPath, MoreCalls, NewOverhead,
        NewlyActive,
    };
    match cause {
        Heavier | NewOverhead | NewlyActive | MissingFastPath | MoreCalls | InlineRegression => grew,
        Lighter | Gone | InlineGain => !grew,
        _ => true,
    }
}
