//! Changes that follow from others: a function whose own code did not change, and whose change is that of functions with
//! verdicts of their own.
//!
//! Two ways. *Down*: the change of what a function calls or inlines (`R-callees`) is in callees that have a cause, or that
//! follow from such ones themselves. *Up*: the same code runs more or less (`R-heavier`, `R-lighter`, `R-callers`), under
//! functions that have a cause of their own: new code calls or inlines it, or a lost fast path leads to it. A copy of a
//! generic function in such a function is the cost of that function. Both must cover the change within its noise. The cause
//! is then [`Cause::Consequence`]: what is to be looked at is another function.
//!
//! In: all verdicts of a comparison. What is unclear stays so.

use pdiff_profile::Side;
use pdiff_profile::census::{Function, FunctionId};
use rustc_hash::FxHashMap;

use super::case::{Case, share_pct};
use super::cause::{Cause, Confidence, Judged};
use super::context::Context;
use super::limit::Limit;
use super::places::places;
use super::reason::Reason;
use super::rules::{has_same_code, is_inlined_only, is_relaid};
use super::verdict::Verdict;
use crate::compare::SampledCall;
use crate::noise::FLOOR_PP;

/// How many functions are named.
const NAMED: usize = 3;

/// A change of which more than this part is that of the function's own lines is not that of its callees.
const OWN_PART: f64 = 0.5;

/// A callee that changed as a whole by less than this part of its change under one function is called from elsewhere there.
const MOVED_PART: f64 = 0.1;

/// So many functions in a row are followed: real ones are a few, and made ones could exhaust the stack.
const DEEPEST: usize = 256;

/// Marks verdicts on the same code that runs more or less under functions that have a cause, and makes unclear what needs such
/// a function to be more than chance. `rows` are the rows of the verdicts, in their order.
pub(super) fn mark_called(context: &Context<'_>, rows: &[usize], verdicts: &mut [Verdict]) {
    for (verdict, followed) in followed(context, rows, verdicts, Way::Up) {
        if let Some(Followed { own_pp, functions }) = followed {
            verdict.cause = Cause::Consequence;
            verdict.limited_by = Some(Limit::InCallers);
            verdict.callers = functions.iter().map(|(name, _)| name.clone()).collect();
            verdict.judged = Judged::Total;
            verdict.reason = Reason::PartOf { judged: Judged::Total, own_pp, functions };
        } else if matches!(verdict.limited_by, Some(Limit::SameCalls | Limit::Relaid | Limit::SamePlaces)) {
            verdict.confidence = Confidence::Unclear;
        }
    }
}

/// Marks verdicts on functions whose change is that of their callees, which have a cause. Of builds a patch apart, callees
/// without one do not make a cost per operation more than chance either.
pub(super) fn mark_callers(context: &Context<'_>, rows: &[usize], verdicts: &mut [Verdict]) {
    for (verdict, followed) in followed(context, rows, verdicts, Way::Down) {
        let is_cost = matches!(verdict.reason, Reason::CostChanged { .. }) && points_elsewhere(verdict);
        if let Some(Followed { functions: callees, .. }) = followed {
            verdict.cause = Cause::Consequence;
            if let Reason::CostChanged { judged, change, .. } = verdict.reason {
                let callees = callees.into_iter().map(|(name, _)| name).collect();
                verdict.reason = Reason::CostOfCallees { judged, change, callees };
            }
        } else if verdict.confidence > Confidence::Unclear
            && (is_mainly_moved(context, verdict) || is_cost && context.is_patched)
        {
            verdict.confidence = Confidence::Unclear;
            verdict.limited_by = Some(Limit::UnclearCallees);
        }
    }
}

fn followed<'v>(
    context: &Context<'_>,
    rows: &[usize],
    verdicts: &'v mut [Verdict],
    way: Way,
) -> Vec<(&'v mut Verdict, Option<Followed>)> {
    let place = rows.iter().copied().zip(0..).collect();
    let mut search = Search { context, rows, place, verdicts, way, known: vec![None; rows.len()], depth: 0 };
    let mut found: Vec<Option<Followed>> = (0..rows.len()).map(|at| search.followed(at)).collect();
    // Of functions that call each other, one was decided before the other was.
    let mut is_more = true;
    while is_more {
        is_more = false;
        for (at, of) in found.iter_mut().enumerate().filter(|(_, of)| of.is_none()) {
            *of = search.again(at);
            is_more |= of.is_some();
        }
    }
    verdicts.iter_mut().zip(found).collect()
}

/// Where a change may be from: what a function calls, or what calls it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Down,
    Up,
}

/// A change without the common factor, and the functions that it follows from, with their parts of it, in points.
#[derive(Clone)]
struct Followed {
    own_pp: f64,
    functions: Vec<(String, f64)>,
}

struct Search<'a, 'c> {
    context: &'c Context<'a>,
    rows: &'c [usize],
    /// The verdict on each row.
    place: FxHashMap<usize, usize>,
    verdicts: &'c [Verdict],
    way: Way,
    /// What is known of each verdict; until it is decided, and for functions that call each other: that it follows from none.
    known: Vec<Option<Option<Followed>>>,
    /// Functions in a row that are being looked at.
    depth: usize,
}

impl<'a> Search<'a, '_> {
    fn followed(&mut self, at: usize) -> Option<Followed> {
        if let Some(known) = self.known.get(at)? {
            return known.clone();
        }
        if self.depth == DEEPEST {
            return None;
        }
        *self.known.get_mut(at)? = Some(None);
        self.depth += 1;
        let followed = self.find(at);
        self.depth -= 1;
        *self.known.get_mut(at)? = Some(followed.clone());
        followed
    }

    /// The same for a verdict that was found to follow from none, now that all others are decided.
    fn again(&mut self, at: usize) -> Option<Followed> {
        *self.known.get_mut(at)? = None;
        self.followed(at)
    }

    fn find(&mut self, at: usize) -> Option<Followed> {
        let verdict = self.verdicts.get(at).filter(|verdict| verdict.confidence > Confidence::Unclear)?;
        let case = self.context.cases.get(*self.rows.get(at)?)?;
        if !self.may_follow(verdict, case) {
            return None;
        }
        let calls = match self.way {
            Way::Down => self.context.calls_from(case.row, Side::After),
            Way::Up => self.context.calls_to(case.row, Side::After),
        };
        // Callers are known by all that is under them, callees included.
        let judged = if self.way == Way::Up { Judged::Total } else { verdict.judged };
        let (before, after) = judged.shares(case.row);
        let own_pp = self.context.common_shift.own_change_pp(before, after);
        let context = self.context;
        let mut parts: Vec<(String, f64)> = Vec::new();
        let (mut known, mut rest) = (Vec::new(), Vec::new());
        for call in calls {
            let pct = |side| share_pct(case.row, side, call.weight(side));
            let part_pp = context.common_shift.own_change_pp(pct(Side::Before), pct(Side::After));
            // What is called from elsewhere instead did not change itself.
            let is_elsewhere =
                |callee: &Case<'_>| part_pp * own_pp > 0.0 && is_moved(context, callee, part_pp);
            if self.way == Way::Down && context.callee(call).is_some_and(is_elsewhere) {
                continue;
            }
            match self.known_neighbour(call) {
                Some(name) => {
                    known.push(context.callee(call));
                    parts.push((name, part_pp));
                }
                None if call.after.0 > 0 => rest.push((call, part_pp)),
                None => {}
            }
        }
        if self.way == Way::Down {
            // Chains lost a function that has a cause.
            for (call, part_pp) in rest {
                let lost = known
                    .iter()
                    .position(|known| known.is_some_and(|known| is_lost_under(context, case, known, call)));
                if let Some((_, pp)) = lost.and_then(|at| parts.get_mut(at)) {
                    *pp += part_pp;
                }
            }
        }
        let known_pp: f64 = parts.iter().map(|(_, part_pp)| part_pp).sum();
        let of_factor = self.context.common_shift.error() * self.context.common_shift.factor() * before;
        let noise_pp = judged.half_width_pp(case.row).hypot(of_factor).max(FLOOR_PP);
        let is_covered = known_pp * own_pp > 0.0 && (own_pp - known_pp).abs() <= noise_pp;
        parts.retain(|(_, part_pp)| part_pp * own_pp > 0.0);
        parts.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0)));
        parts.truncate(NAMED);
        is_covered.then_some(Followed { own_pp, functions: parts })
    }

    /// Whether the change of a verdict may be that of other functions.
    fn may_follow(&self, verdict: &Verdict, case: &Case<'_>) -> bool {
        match (self.way, verdict.rule_id) {
            (Way::Down, "R-callees") => !is_own_change(self.context, case, verdict.judged),
            (Way::Up, "R-callers") => true,
            (Way::Up, "R-heavier" | "R-lighter") => {
                let context = self.context;
                let is_as_before = has_same_code(context, case) || is_relaid(context, case);
                verdict.judged == Judged::OwnSelf && (is_as_before || is_inlined_only(context, case))
            }
            _ => false,
        }
    }

    /// The name of a callee or caller whose change is known: it has a cause, or follows from functions that do.
    fn known_neighbour(&mut self, call: &SampledCall) -> Option<String> {
        let neighbour = match self.way {
            Way::Down => self.context.callee(call),
            Way::Up => self.context.caller(call),
        };
        let at = *self.place.get(&self.context.row_number(neighbour?.row)?)?;
        let verdict = self.verdicts.get(at)?;
        let has_cause = match self.way {
            Way::Down => is_claim(verdict) && (!points_elsewhere(verdict) || follows(verdict)),
            Way::Up => is_claim(verdict) && is_of_code(verdict.cause),
        };
        (has_cause || self.followed(at).is_some()).then(|| verdict.function.clone())
    }
}

/// Whether the change of a function is mostly that of its own lines.
fn is_own_change(context: &Context<'_>, case: &Case<'_>, judged: Judged) -> bool {
    let change = |of: Judged| {
        let (before, after) = of.shares(case.row);
        context.common_shift.own_change_pp(before, after)
    };
    let (own_pp, all_pp) = (change(Judged::OwnSelf), change(judged));
    judged == Judged::Total
        && case.row.significant
        && own_pp * all_pp > 0.0
        && own_pp.abs() > OWN_PART * all_pp.abs()
}

/// Whether a verdict only names callees, and the first of them did not change itself, or the other way: nothing is to be seen there.
fn is_mainly_moved(context: &Context<'_>, verdict: &Verdict) -> bool {
    let Reason::CalleesChanged { callees, .. } = &verdict.reason else { return false };
    let main =
        callees.first().and_then(|(callee, pp)| Some((context.case(callee, &verdict.object, None)?, *pp)));
    main.is_some_and(|(callee, pp)| is_moved(context, callee, pp))
}

/// Whether a callee as a whole changed by much less than its part under a function.
fn is_moved(context: &Context<'_>, callee: &Case<'_>, part_pp: f64) -> bool {
    let (before, after) = Judged::Total.shares(callee.row);
    let whole_pp = context.common_shift.own_change_pp(before, after);
    part_pp.abs() >= FLOOR_PP && whole_pp * part_pp.signum() < MOVED_PART * part_pp.abs()
}

/// Whether what stacks show as a call of a stub is, in the code, one of another function that the function calls. A stub has no
/// frame, so that chains show the caller of its caller.
fn is_lost_under(context: &Context<'_>, case: &Case<'_>, below: &Case<'_>, call: &SampledCall) -> bool {
    let side = Side::After;
    let Some(census) = context.builds.census(side) else { return false };
    let stubs: Vec<FunctionId> = census.find(&call.callee).map(Function::target).collect();
    let calls = |case: &Case<'_>| {
        let edges = places(census, &case.ids[side]).into_iter().flat_map(|id| census.calls_from(id));
        edges.into_iter().any(|edge| stubs.contains(&edge.callee))
    };
    context.callee(call).is_some_and(Case::is_stub) && calls(below) && !calls(case)
}

fn is_claim(verdict: &Verdict) -> bool {
    verdict.confidence > Confidence::Unclear && !matches!(verdict.cause, Cause::Noise | Cause::Unclear)
}

fn follows(verdict: &Verdict) -> bool {
    verdict.cause == Cause::Consequence
}

/// The verdict itself only says that the change is elsewhere.
fn points_elsewhere(verdict: &Verdict) -> bool {
    matches!(verdict.rule_id, "R-callees" | "R-callers")
}

/// Whether a cause is a change of the code that runs. More or less time alone is none: that of a function and of what is inlined
/// in it may be the same.
fn is_of_code(cause: Cause) -> bool {
    use Cause::{Gone, Merged, MissingFastPath, MoreCalls, NewOverhead, NewlyActive, Split};
    matches!(cause, Gone | Merged | MissingFastPath | MoreCalls | NewOverhead | NewlyActive | Split)
}
