//! The facts of a case, whatever its verdict: shares, what each build holds, how it was matched, who compiled it.

use pdiff_profile::Side;
use pdiff_profile::census::{Census, Function, FunctionId, TOLD_CALLERS, Visibility};
use rustc_hash::FxHashMap;

use super::builds::Builds;
use super::case::Case;
use super::cause::InBuild;
use super::context::{Context, share_pct};
use super::evidence::{Evidence, EvidenceKind};
use crate::compare::{MeasureChange, Row};
use crate::matching::{SourceMove, source_move};

/// How many callers and callees are named.
const NAMED: usize = TOLD_CALLERS;

/// What is told of background.
const BACKGROUND: &str = "held inlined only: library code that the run has nothing to do with";

/// All facts of a case.
pub(super) fn facts(context: &Context<'_>, case: &Case<'_>) -> Vec<Evidence> {
    let mut facts = weights(case.row);
    for side in Side::BOTH {
        facts.extend(code(&context.builds, case, side));
    }
    facts.extend(matched(&context.builds, case));
    facts.extend(compilers(&context.builds, case));
    for side in Side::BOTH {
        facts.extend(sampled_calls(context, case, side));
    }
    facts
}

/// What both builds hold of a name that has no row.
pub(super) fn facts_of_name(builds: &Builds<'_>, name: &str) -> Vec<Evidence> {
    let held = Side::BOTH.map(|side| builds.find(side, name));
    let fact = |side: Side| {
        let Some(census) = builds.census(side) else {
            return vec![Evidence::new(EvidenceKind::Missing, "no binary of this build was read").of(side)];
        };
        if builds.is_background(side, name) {
            return vec![Evidence::new(EvidenceKind::Code, BACKGROUND).of(side)];
        }
        match held[side.index()].as_slice() {
            [] if builds.absence_is_certain(side) => {
                vec![Evidence::new(EvidenceKind::Code, "in no form in this build").of(side)]
            }
            [] => vec![Evidence::new(EvidenceKind::Code, not_visible(census)).of(side)],
            ids => code_of(census, ids, side, Places::Files),
        }
    };
    let facts = Side::BOTH.into_iter().flat_map(fact);
    facts.chain(one_sided(builds)).collect()
}

/// Why a function without a row may have samples all the same: those of inlined copies count for the function around
/// them where only one side tells them.
fn one_sided(builds: &Builds<'_>) -> Option<Evidence> {
    let sees = |side| builds.census(side).is_some_and(Census::sees_inlines);
    let (with, without) = match (sees(Side::Before), sees(Side::After)) {
        (true, false) => (Side::Before, Side::After),
        (false, true) => (Side::After, Side::Before),
        _ => return None,
    };
    let text = format!(
        "whether its inlined copies were sampled cannot be told: the {without} build does not show what is inlined, so \
         both sides are counted by machine function, also the {with} side"
    );
    Some(Evidence::new(EvidenceKind::Missing, text))
}

fn weights(row: &Row) -> Vec<Evidence> {
    let of_self = MeasureChange {
        ci_low_pp: row.ci_low_pp,
        ci_high_pp: row.ci_high_pp,
        test: row.test,
        significant: row.significant,
        ..MeasureChange::default()
    };
    let measures = [
        ("self", row.before.self_pct, row.after.self_pct, of_self),
        ("booked self", row.before.booked_self_pct, row.after.booked_self_pct, row.booked),
        ("total", row.before.total_pct, row.after.total_pct, row.total),
    ];
    let fact = |(name, before, after, change): (&str, f64, f64, MeasureChange)| {
        let verdict = if change.significant { "beyond noise" } else { "not beyond noise" };
        let q = change.test.q().map_or_else(String::new, |q| format!(", q {q:.2e}"));
        let text = format!(
            "{name} {before:.2} % to {after:.2} %: {:+.2} points, 95 % interval {:+.2}..{:+.2}{q}; {verdict}",
            after - before,
            change.ci_low_pp,
            change.ci_high_pp
        );
        Evidence::new(EvidenceKind::Weight, text).with(&[
            ("before_pct", before),
            ("after_pct", after),
            ("ci_low_pp", change.ci_low_pp),
            ("ci_high_pp", change.ci_high_pp),
        ])
    };
    measures.into_iter().map(fact).collect()
}

/// What one side's build holds.
fn code(builds: &Builds<'_>, case: &Case<'_>, side: Side) -> Vec<Evidence> {
    if !case.of_program {
        return Vec::new();
    }
    let Some(census) = builds.census(side) else {
        let text = "no binary of this build was read: what it holds is not visible";
        return vec![Evidence::new(EvidenceKind::Missing, text).of(side)];
    };
    let ids = case.ids[side.index()].as_slice();
    if !ids.is_empty() {
        let places = if case.is_sampled(side) { Places::Lines } else { Places::Files };
        return code_of(census, ids, side, places);
    }
    let text = match case.held_by(side) {
        _ if case.is_background[side.index()] => BACKGROUND.to_owned(),
        InBuild::No => "in no form in this build: no symbol, no inlined instance, no renamed twin".to_owned(),
        _ if case.is_sampled(side) => "sampled, but not found by this name in the build".to_owned(),
        _ => not_visible(census),
    };
    vec![Evidence::new(EvidenceKind::Code, text).of(side)]
}

fn not_visible(census: &Census) -> String {
    let why = match census.visibility() {
        Visibility::DynamicSymbols => "the file is stripped",
        Visibility::Symbols => "the file has no debug information, so inlined instances cannot be seen",
        Visibility::DebugInfo => "a part of the debug information could not be read",
    };
    format!("not visible: {why}")
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
    let inlined = match (census.sees_inlines(), instances) {
        (false, _) => "inlined instances not visible".to_owned(),
        (true, 0) => "no inlined instance".to_owned(),
        (true, n) => format!("inlined {n} times"),
    };
    let place =
        functions.iter().find_map(|f| Some((f.file()?, f.line().filter(|_| places == Places::Lines))));
    let place = place.map_or_else(String::new, |(file, line)| match line {
        Some(line) => format!(", {file}:{line}"),
        None => format!(", {file}"),
    });
    let text = format!("{out_of_line} out of line ({bytes} bytes), {inlined}{place}");
    let mut facts = vec![Evidence::new(EvidenceKind::Code, text).of(side).with(&[
        ("out_of_line", out_of_line as f64),
        ("code_bytes", bytes as f64),
        ("inlined_instances", instances as f64),
    ])];
    facts.extend(inlined_into(census, ids, side, places));
    facts.extend(called_by(census, ids, side));
    facts
}

fn inlined_into(census: &Census, ids: &[FunctionId], side: Side, told: Places) -> Option<Evidence> {
    let mut sites: FxHashMap<FunctionId, u64> = FxHashMap::default();
    for into in ids.iter().flat_map(|id| census.inlined_into(*id)) {
        *sites.entry(into.caller).or_default() += into.sites;
    }
    let places = |caller: FunctionId| {
        let site = ids.iter().flat_map(|id| census.sites_in(*id, caller));
        let site = site.filter(|_| told == Places::Lines).find(|site| site.line > 0)?;
        Some(format!(" at {}:{}", site.file.map_or("?", |file| census.text(file)), site.line))
    };
    let count = sites.len();
    let named = heaviest(census, sites, |caller, n| {
        format!("{n} in {}{}", name_of(census, caller), places(caller).unwrap_or_default())
    });
    let rest = rest_of(count);
    (count > 0).then(|| {
        Evidence::new(EvidenceKind::Inlined, format!("inlined: {}{rest}", named.join(", "))).of(side)
    })
}

fn called_by(census: &Census, ids: &[FunctionId], side: Side) -> Option<Evidence> {
    let mut calls: FxHashMap<FunctionId, u64> = FxHashMap::default();
    for edge in ids.iter().flat_map(|id| census.calls_to(*id)) {
        *calls.entry(edge.caller).or_default() += u64::from(edge.calls) + u64::from(edge.tail_jumps);
    }
    let count = calls.len();
    let named = heaviest(census, calls, |caller, n| format!("{n} in {}", name_of(census, caller)));
    let rest = rest_of(count);
    let text = format!("direct calls in the code: {}{rest}", named.join(", "));
    (count > 0).then(|| Evidence::new(EvidenceKind::Call, text).of(side).with(&[("callers", count as f64)]))
}

fn name_of(census: &Census, id: FunctionId) -> &str {
    census.function(id).map_or("?", Function::name)
}

/// The functions with the largest counts, in words.
fn heaviest(
    census: &Census,
    counts: FxHashMap<FunctionId, u64>,
    word: impl Fn(FunctionId, u64) -> String,
) -> Vec<String> {
    let mut counts: Vec<(FunctionId, u64)> = counts.into_iter().collect();
    let name = |id| name_of(census, id);
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| name(a.0).cmp(name(b.0)).then(a.0.cmp(&b.0))));
    counts.into_iter().take(NAMED).map(|(id, count)| word(id, count)).collect()
}

fn rest_of(count: usize) -> String {
    if count > NAMED { format!(" and {} more functions", count - NAMED) } else { String::new() }
}

fn matched(builds: &Builds<'_>, case: &Case<'_>) -> Vec<Evidence> {
    let Some(found) = case.found else { return Vec::new() };
    let score = found.score.map_or_else(String::new, |score| format!(", likeness {score:.2}"));
    let ambiguous = if found.is_ambiguous { ", others would have done as well" } else { "" };
    let named = case.other_name.as_ref().map_or_else(String::new, |(side, name)| format!("; {name} {side}"));
    let text = format!("the same function by {} name{score}{ambiguous}{named}", found.level);
    let mut facts = vec![Evidence::new(EvidenceKind::Match, text)];
    let file = |side: Side, id: FunctionId| builds.census(side)?.function(id)?.file();
    let moved = source_move(file(Side::Before, found.before), file(Side::After, found.after));
    if !matches!(moved, SourceMove::Unknown | SourceMove::Stayed) {
        facts.push(Evidence::new(EvidenceKind::Source, format!("its source moved: {}", moved.as_str())));
    }
    if builds.same_code(&case.ids) == Some(true) {
        facts.push(Evidence::new(EvidenceKind::Code, "the code is the same in both builds"));
    }
    facts
}

fn compilers(builds: &Builds<'_>, case: &Case<'_>) -> Vec<Evidence> {
    let of = |side: Side| builds.producer(side, &case.ids[side.index()]).map(|producer| &producer.text);
    match (of(Side::Before), of(Side::After)) {
        (Some(before), Some(after)) if case.of_program && before != after => {
            vec![Evidence::new(EvidenceKind::Compiler, format!("{before} before, {after} after"))]
        }
        _ => Vec::new(),
    }
}

/// Who calls it and what it calls in the stacks of a side.
fn sampled_calls(context: &Context<'_>, case: &Case<'_>, side: Side) -> Vec<Evidence> {
    let row = case.row;
    let share = |call: &crate::compare::SampledCall| share_pct(row, side, call.weight(side));
    let shown = |calls: Vec<&crate::compare::SampledCall>, name: fn(&crate::compare::SampledCall) -> &str| {
        let calls = calls.into_iter().filter(|call| call.weight(side).0 > 0).take(NAMED);
        let words: Vec<String> = calls.map(|call| format!("{} {:.2} %", name(call), share(call))).collect();
        words.join(", ")
    };
    let callers = shown(context.calls_to(row, side), |call| &call.caller);
    let callees = shown(context.calls_from(row, side), |call| &call.callee);
    let fact = |what: &str, names: String| {
        (!names.is_empty())
            .then(|| Evidence::new(EvidenceKind::Sampled, format!("{what} in the stacks: {names}")).of(side))
    };
    fact("callers", callers).into_iter().chain(fact("callees", callees)).collect()
}

/// The sides in the order "where more of it is, where less".
pub(super) fn more_and_less(delta_pp: f64) -> (Side, Side) {
    let more = if delta_pp >= 0.0 { Side::After } else { Side::Before };
    (more, more.other())
}
