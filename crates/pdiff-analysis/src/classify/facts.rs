//! The facts of a case that do not depend on its verdict: shares, the contents of each build, the match, and the compilers.

use pdiff_profile::census::{Census, Function, FunctionId, TOLD_CALLERS};
use pdiff_profile::{PerSide, Side};
use rustc_hash::FxHashMap;

use super::builds::Builds;
use super::case::{Case, share_pct};
use super::cause::{InBuild, Judged};
use super::context::Context;
use super::evidence::Evidence;
use super::fact::{Fact, InlinedCopies, SampledCaller, SourcePlace};
use super::lost_callers::{has_call, has_caller};
use super::rules::has_no_body;
use crate::compare::{MeasureChange, Pair, Row, SampledCall, has_calls};
use crate::matching::{SourceMove, source_move};

/// How many callers and callees are named.
const NAMED: usize = TOLD_CALLERS;

/// All facts of a case.
pub(super) fn facts(context: &Context<'_>, case: &Case<'_>) -> Vec<Evidence> {
    let mut facts = weights(case.row);
    for side in Side::BOTH {
        facts.extend(code(context, case, side));
    }
    facts.extend(matched(&context.builds, case).into_iter().map(Evidence::from));
    facts.extend(compilers(&context.builds, case).map(Evidence::from));
    for side in Side::BOTH {
        facts.extend(sampled_calls(context, case, side));
    }
    facts
}

/// How often the function is called, where that was counted and the verdict's own evidence does not tell it.
pub(super) fn counted(context: &Context<'_>, case: &Case<'_>, known: &[Evidence]) -> Option<Evidence> {
    let is_told = |of: &Evidence| matches!(of.fact, Fact::Calls { .. } | Fact::CallsAndTime { .. });
    let counts = context.input.counts.filter(|_| !known.iter().any(is_told))?;
    Some(Fact::Calls { calls: counts.get(&case.row.name)?, unit: counts.unit() }.into())
}

/// Both builds' functions for a name without a row.
pub(super) fn facts_of_name(builds: &Builds<'_>, name: &str) -> Vec<Evidence> {
    let held = PerSide::from_fn(|side| builds.find(side, name));
    let fact = |side: Side| {
        let Some(census) = builds.census(side) else {
            return vec![Evidence::of(side, Fact::NoBinary)];
        };
        if builds.is_background(side, name) {
            return vec![Evidence::of(side, Fact::Background)];
        }
        match held[side].as_slice() {
            [] if builds.absence_is_certain(side) => {
                vec![Evidence::of(side, Fact::InNoForm { nor_twin: false })]
            }
            [] => vec![Evidence::of(side, Fact::NotVisible(census.visibility()))],
            ids => code_of(census, ids, side, Places::Files),
        }
    };
    let facts = Side::BOTH.into_iter().flat_map(fact);
    facts.chain(one_sided(builds).map(Evidence::from)).collect()
}

/// Why a function without a row may have samples all the same: those of inlined copies count for the function around
/// them where only one side tells them.
fn one_sided(builds: &Builds<'_>) -> Option<Fact> {
    let sees = |side| builds.census(side).is_some_and(Census::sees_inlines);
    match (sees(Side::Before), sees(Side::After)) {
        (true, false) => Some(Fact::CopiesNotTold { with: Side::Before }),
        (false, true) => Some(Fact::CopiesNotTold { with: Side::After }),
        _ => None,
    }
}

fn weights(row: &Row) -> Vec<Evidence> {
    let of_self = MeasureChange {
        ci_low_pp: row.ci_low_pp,
        ci_high_pp: row.ci_high_pp,
        test: row.test,
        significant: row.significant,
        ..MeasureChange::default()
    };
    let measures = [(Judged::OwnSelf, &of_self), (Judged::Booked, &row.booked), (Judged::Total, &row.total)];
    let fact = |(measure, change): (Judged, &MeasureChange)| {
        let (before, after) = measure.shares(row);
        Evidence::from(Fact::Measure {
            measure,
            pct: Pair { before, after },
            interval_pp: (change.ci_low_pp, change.ci_high_pp),
            q_value: change.test.q(),
            significant: change.significant,
        })
    };
    measures.into_iter().map(fact).collect()
}

/// What one side's build holds.
fn code(context: &Context<'_>, case: &Case<'_>, side: Side) -> Vec<Evidence> {
    let builds = &context.builds;
    if !case.of_program {
        return Vec::new();
    }
    let Some(census) = builds.census(side) else {
        return vec![Evidence::of(side, Fact::NoBinary)];
    };
    let ids = case.ids[side].as_slice();
    if !ids.is_empty() {
        let places = if case.is_sampled(side) { Places::Lines } else { Places::Files };
        return code_of(census, ids, side, places);
    }
    let fact = match case.held_by(side) {
        _ if case.is_background[side] => Fact::Background,
        // What the linker made for no call is not there.
        _ if case.is_stub() => Fact::InNoForm { nor_twin: false },
        InBuild::No if builds.is_inlined_without_instance(side, &case.row.name) => {
            Fact::InlinedWithoutInstance
        }
        InBuild::No => {
            let with = side.other();
            let is_searched = !has_no_body(context, case, with) && context.namesake(case, with).is_none();
            Fact::InNoForm { nor_twin: is_searched }
        }
        _ if case.is_sampled(side) => Fact::NotFoundByName,
        _ => Fact::NotVisible(census.visibility()),
    };
    vec![Evidence::of(side, fact)]
}

/// How places in the source are told: lines of what a run sampled, which is what packs hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Places {
    Files,
    Lines,
}

fn code_of(census: &Census, ids: &[FunctionId], side: Side, places: Places) -> Vec<Evidence> {
    let functions: Vec<Function<'_>> = ids.iter().filter_map(|id| census.function(*id)).collect();
    let out_of_line: usize = functions.iter().map(|f| f.out_of_line()).sum();
    let bytes = functions.iter().map(|f| f.code_bytes()).fold(0, u64::saturating_add);
    let instances: u64 = functions.iter().map(|f| f.inlined_instances()).sum();
    let place = functions.iter().find_map(|f| {
        let line = f.line().filter(|_| places == Places::Lines);
        Some(SourcePlace { file: Some(f.file()?.to_owned()), line })
    });
    let held = Fact::Held {
        out_of_line,
        code_bytes: bytes,
        inlined_instances: instances,
        sees_inlined: census.sees_inlines(),
        place,
    };
    let mut facts = vec![Evidence::of(side, held)];
    facts.extend(inlined_into(census, ids, side, places));
    facts.extend(called_by(census, ids, side));
    facts
}

fn inlined_into(census: &Census, ids: &[FunctionId], side: Side, told: Places) -> Option<Evidence> {
    let mut sites: FxHashMap<FunctionId, u64> = FxHashMap::default();
    for into in ids.iter().flat_map(|id| census.inlined_into(*id)) {
        *sites.entry(into.caller).or_default() += into.sites;
    }
    let place = |caller: FunctionId| {
        let site = ids.iter().flat_map(|id| census.sites_in(*id, caller));
        let site = site.filter(|_| told == Places::Lines).find(|site| site.line > 0)?;
        Some(SourcePlace { file: site.file.map(|file| census.text(file).to_owned()), line: Some(site.line) })
    };
    let more = sites.len().saturating_sub(NAMED);
    let copies = |(caller, sites)| InlinedCopies {
        caller: name_of(census, caller).to_owned(),
        sites,
        place: place(caller),
    };
    let callers: Vec<InlinedCopies> = heaviest(census, sites).into_iter().map(copies).collect();
    (!callers.is_empty()).then(|| Evidence::of(side, Fact::InlinedInto { callers, more }))
}

fn called_by(census: &Census, ids: &[FunctionId], side: Side) -> Option<Evidence> {
    let mut calls: FxHashMap<FunctionId, u64> = FxHashMap::default();
    for edge in ids.iter().flat_map(|id| census.calls_to(*id)) {
        *calls.entry(edge.caller).or_default() += u64::from(edge.calls) + u64::from(edge.tail_jumps);
    }
    let more = calls.len().saturating_sub(NAMED);
    let named = |(caller, count)| (name_of(census, caller).to_owned(), count);
    let callers: Vec<(String, u64)> = heaviest(census, calls).into_iter().map(named).collect();
    (!callers.is_empty()).then(|| Evidence::of(side, Fact::CalledBy { callers, more }))
}

fn name_of(census: &Census, id: FunctionId) -> &str {
    census.function(id).map_or("?", Function::name)
}

/// The functions with the largest counts.
fn heaviest(census: &Census, counts: FxHashMap<FunctionId, u64>) -> Vec<(FunctionId, u64)> {
    let mut counts: Vec<(FunctionId, u64)> = counts.into_iter().collect();
    let order = |a: &(FunctionId, u64), b: &(FunctionId, u64)| {
        b.1.cmp(&a.1).then_with(|| census.name_order(a.0, b.0))
    };
    if counts.len() > NAMED {
        counts.select_nth_unstable_by(NAMED, order);
        counts.truncate(NAMED);
    }
    counts.sort_unstable_by(order);
    counts
}

fn matched(builds: &Builds<'_>, case: &Case<'_>) -> Vec<Fact> {
    let Some(found) = case.found else { return Vec::new() };
    let mut facts = vec![Fact::Matched {
        level: found.level,
        score: found.score,
        ambiguous: found.is_ambiguous,
        other_name: case.other_name.clone(),
    }];
    let file = |side: Side, id: FunctionId| builds.census(side)?.function(id)?.file();
    let moved = source_move(file(Side::Before, found.before), file(Side::After, found.after));
    if !matches!(moved, SourceMove::Unknown | SourceMove::Stayed) {
        facts.push(Fact::SourceMoved(moved));
    }
    if builds.same_code(&case.ids) == Some(true) {
        facts.push(Fact::SameCode);
    }
    facts
}

fn compilers(builds: &Builds<'_>, case: &Case<'_>) -> Option<Fact> {
    let of = |side: Side| Some(builds.producer(side, &case.ids[side])?.text.to_string());
    let (before, after) = (of(Side::Before)?, of(Side::After)?);
    (case.of_program && before != after).then_some(Fact::Compilers { before, after })
}

/// Its callers and callees in the stacks of a side.
fn sampled_calls(context: &Context<'_>, case: &Case<'_>, side: Side) -> Vec<Evidence> {
    let row = case.row;
    // Of others, only their calls of functions that changed are known, and a part looks like all of them.
    if !has_calls(row) {
        return Vec::new();
    }
    let share = |call: &SampledCall| share_pct(row, side, call.weight(side));
    let shown = |calls: Vec<&SampledCall>, name: fn(&SampledCall) -> &str| {
        let calls = calls.into_iter().filter(|call| call.weight(side).0 > 0).take(NAMED);
        calls.map(|call| (name(call).to_owned(), share(call))).collect::<Vec<(String, f64)>>()
    };
    let callers = context.calls_to(row, side).into_iter().filter(|call| call.weight(side).0 > 0).take(NAMED);
    let callers = callers.map(|call| SampledCaller {
        name: call.caller.clone(),
        pct: share(call),
        is_indirect: is_indirect(context, case, call, side),
    });
    let callers = callers.collect();
    let callees = shown(context.calls_from(row, side), |call| &call.callee);
    let facts = [Fact::SampledCallers(callers), Fact::SampledCallees(callees)];
    let is_told = |fact: &Fact| match fact {
        Fact::SampledCallers(callers) => !callers.is_empty(),
        Fact::SampledCallees(named) => !named.is_empty(),
        _ => true,
    };
    facts.into_iter().filter(is_told).map(|fact| Evidence::of(side, fact)).collect()
}

/// Whether the code of a side's build has direct calls of a function, and none in a caller that the stacks show.
fn is_indirect(context: &Context<'_>, case: &Case<'_>, call: &SampledCall, side: Side) -> bool {
    let caller = context.caller(call).filter(|caller| caller.of_program && case.of_program);
    let census = context.builds.census(side);
    census.zip(caller).is_some_and(|(census, caller)| {
        has_caller(census, case, side) && has_call(census, caller, case, side) == Some(false)
    })
}

/// The sides in the order "where more of it is, where less".
pub(super) fn more_and_less(delta_pp: f64) -> (Side, Side) {
    let more = if delta_pp >= 0.0 { Side::After } else { Side::Before };
    (more, more.other())
}
