//! A fact in words, and its numbers by name.

use pdiff_analysis::classify::{
    CallInCode, CallUnit, CallsThere, Fact, InlinedCopies, SampledCaller, SourcePlace, SpinSign,
};
use pdiff_analysis::matching::{FoundBy, SourceMove};
use pdiff_profile::census::{Spin, Visibility};
use pdiff_profile::{PerSide, RemarkPlace, Side};

use super::code_difference::code_difference_text;
use super::condition::conditions_text;
use super::{calls_and_time, cost, measure, own_cost, setting};

/// A fact in words.
#[must_use]
pub fn fact_text(of: &Fact) -> String {
    match of {
        Fact::Measure { measure: judged, pct, interval_pp, q_value, significant } => {
            let verdict = if *significant { "beyond noise" } else { "not beyond noise" };
            let q = q_value.map_or_else(String::new, |q| format!(", q {q:.2e}"));
            format!(
                "{} {:.2} % to {:.2} %: {:+.2} points, 95 % interval {:+.2}..{:+.2}{q}; {verdict}",
                measure(*judged),
                pct.before,
                pct.after,
                pct.after - pct.before,
                interval_pp.0,
                interval_pp.1
            )
        }
        Fact::Cost { measure: judged, change, whole_pct } => format!(
            "{} per operation {}, q {:.2e}{}; the whole profile {whole_pct:+.1} %",
            measure(*judged),
            cost(change),
            change.q_value,
            own_cost(change)
        ),
        Fact::Held { out_of_line, code_bytes, inlined_instances, sees_inlined, place } => {
            let inlined = match (sees_inlined, inlined_instances) {
                (false, _) => "inlined instances not visible".to_owned(),
                (true, 0) => "no inlined instance".to_owned(),
                (true, n) => format!("inlined {n} times"),
            };
            let at = place.as_ref().map_or_else(String::new, |place| format!(", {}", place_text(place)));
            format!("{out_of_line} out of line ({code_bytes} bytes), {inlined}{at}")
        }
        Fact::Background => "only inlined: library code that this run does not use".to_owned(),
        Fact::InNoForm { nor_twin: true } => {
            "absent from this binary (no symbol, inlined copy or rename)".to_owned()
        }
        Fact::InNoForm { nor_twin: false } => {
            "absent from this binary by this name (no symbol or inlined copy)".to_owned()
        }
        Fact::NotFoundByName => "sampled, but not found by this name in the build".to_owned(),
        Fact::InlinedWithoutInstance => "inlined by the compiler; debug information shows no copy".to_owned(),
        Fact::NotVisible(visibility) => {
            let why = match visibility {
                Visibility::DynamicSymbols => "the file is stripped",
                Visibility::Symbols => {
                    "the file has no debug information, so inlined instances cannot be seen"
                }
                Visibility::DebugInfo => "a part of the debug information could not be read",
            };
            format!("not visible: {why}")
        }
        Fact::NoBinary => "no binary of this build was read: what it contains is not visible".to_owned(),
        Fact::CopiesNotTold { with } => format!(
            "the {} build does not show inlining, so samples of inlined copies are not known there; both sides, \
             also the {with} side, are counted by machine function",
            with.other()
        ),
        Fact::InlinedInto { callers, more } => {
            let named: Vec<String> = callers.iter().map(copies_text).collect();
            format!("inlined: {}{}", named.join(", "), rest_text(*more))
        }
        Fact::CalledBy { callers, more } => {
            let named: Vec<String> = callers.iter().map(|(name, n)| format!("{n} in {name}")).collect();
            format!("direct calls in the code: {}{}", named.join(", "), rest_text(*more))
        }
        Fact::Matched { level, score, ambiguous, other_name } => {
            matched_text(*level, *score, *ambiguous, other_name.as_ref())
        }
        Fact::SourceMoved(moved) => format!("its source moved: {}", moved.as_str()),
        Fact::InliningDecided(moved) => match moved {
            SourceMove::HeaderToSource => "moved from a header to a source file: decided by the source",
            SourceMove::SourceToHeader => "moved from a source file to a header: decided by the source",
            _ => "in the same source file: decided by the compiler, or by an attribute",
        }
        .to_owned(),
        Fact::SameCode => "the code is the same in both builds".to_owned(),
        Fact::SameCodeOfPair => "the code of both is the same".to_owned(),
        Fact::CodeDiffers(of) => code_difference_text(of),
        Fact::GrownSource { lines } => format!(
            "its source has {} lines up to the next function instead of {}: if it does more, that may be why it is no longer inlined, and to inline \
             it again would save the call alone",
            lines.after, lines.before
        ),
        Fact::CalledAsCopied { callers } => format!(
            "called mostly by {}, at no more places than it was inlined at; their own code costs at most 1.3 times as much and asks what it asked",
            callers.join(", ")
        ),
        Fact::GrownCode { before, after } => format!("its code grew from {before} to {after} bytes"),
        Fact::CompilerSaid { caller, words, place, more } => {
            let RemarkPlace { file, line, column } = place;
            let more = if *more == 0 { String::new() } else { format!(" and {more} more") };
            format!("the compiler on the call in {caller} ({file}:{line}:{column}{more}): {words}")
        }
        Fact::Compilers { before, after } => format!("{before} before, {after} after"),
        Fact::SampledCallers(callers) => {
            let caller = |of: &SampledCaller| {
                let indirect = if of.is_indirect { " (no direct call)" } else { "" };
                format!("{} {:.2} %{indirect}", of.name, of.pct)
            };
            let callers: Vec<String> = callers.iter().map(caller).collect();
            format!("callers in the stacks: {}", callers.join(", "))
        }
        Fact::SampledCallees(named) => format!("callees in the stacks: {}", shares_text(named)),
        Fact::CalleeChange { callee, change_pp } => format!("{callee} under it: {change_pp:+.2} points"),
        Fact::Entered { callee, after_pct, before_code } => {
            let in_code = match before_code {
                CallInCode::Present => "the code of the before build has the call, too",
                CallInCode::Absent => "the code of the before build has no such direct call",
                CallInCode::NoFunction => "the before build has no such function",
                CallInCode::NotVisible => "the before build does not show whether its code has the call",
            };
            format!("{callee}: {after_pct:.2} % under it after; {in_code}")
        }
        Fact::OnlyCaller { callee, caller, .. } => format!(
            "where the stacks show a caller of {callee}, it is {caller}; in other stacks a frameless leaf hides the caller"
        ),
        Fact::NotInSelf { callee, after_pct, self_pp } => format!(
            "{callee} has {after_pct:.2} % under it after and none before; the {self_pp:+.2} points of self do not include that"
        ),
        Fact::Flip { caller, sites, inlined_on, level, still, is_partial: true, .. } => format!(
            "{caller}: {sites} inlined instances {inlined_on}, {still} and calls instead {}; caller found by {level} name",
            inlined_on.other()
        ),
        Fact::Flip { caller, sites, inlined_on, level, calls_there, still, .. } => format!(
            "{caller}: {sites} inlined instance{} {inlined_on}, {} {} but {}; caller found by {level} name",
            if *sites == 1 { "" } else { "s" },
            if *still == 0 { "none" } else { "its beginning alone" },
            inlined_on.other(),
            match calls_there {
                CallsThere::InCaller => "a direct call",
                CallsThere::InOthers => "calls in other functions",
                CallsThere::ThroughPointers => "calls through pointers",
            }
        ),
        Fact::AsOne { pct, net_pp, factor, half_width_pp } => format!(
            "as one function: {:.2} % to {:.2} %, net {net_pp:+.2} points without the common factor {factor:.2}; beyond \
             {half_width_pp:.2} is real",
            pct.before, pct.after
        ),
        Fact::Idle { idle, bound_pct, caller, low_pct } => {
            let caller = caller
                .as_ref()
                .map_or_else(String::new, |(name, samples)| format!(", while {name} had {samples} samples"));
            let active = idle.other();
            format!(
                "no sample {idle}: at most {bound_pct:.4} % (95 %){caller}; lower end {active} {low_pct:.3} %"
            )
        }
        Fact::CountedBy(origin) => format!("calls counted by {origin}"),
        Fact::Calls { calls, unit } => {
            format!("called {} times{} before, {} after", count(calls.before), per(*unit), count(calls.after))
        }
        Fact::CallsAndTime { more_calls, more_time, time_of, .. } => {
            calls_and_time(*more_calls, *more_time, *time_of)
        }
        Fact::Entries { caller, callee, calls, unit, per_call } => {
            let per_call = format!("{:.3} and {:.3} times per call", per_call.before, per_call.after);
            match calls {
                Some(calls) => format!(
                    "{caller} is called {} and {} times{}, and now also calls {callee} {per_call}",
                    count(calls.before),
                    count(calls.after),
                    per(*unit)
                ),
                None => format!("{caller} now also calls {callee} {per_call}"),
            }
        }
        Fact::NoWayAround { caller, callee } => {
            format!(
                "{caller} could return without a call of {callee} before; after, every way through its code leads to that call"
            )
        }
        Fact::MoreLeastCalls { caller, callee, least } => {
            let calls = |count: u32| if count == 1 { "1 call".to_owned() } else { format!("{count} calls") };
            format!(
                "{caller} could return after {} of {callee} before; after, every way through its code makes at least {}",
                calls(least.before),
                least.after
            )
        }
        Fact::NoTurnAround { caller, callee, turns } => {
            let said = format!(
                "the loop in {caller} could go on without a call of {callee} before; after, every turn makes that call"
            );
            match turns.taken {
                0 => said,
                taken => format!(
                    "{said}; {taken} of {} samples before are in code that only turns without it run",
                    turns.all
                ),
            }
        }
        Fact::NeverWentOn { caller, callee, pct, asks, callers } => format!(
            "{caller} could return without a call of {callee} under conditions that are gone ({}); before, it had {:.2} % of that under it, and \
             has {:.2} % after, called as before by {}",
            conditions_text(asks),
            pct.before,
            pct.after,
            callers.join(", ")
        ),
        Fact::LeftPassed { caller, callee, asks, part_pct, times } => format!(
            "{caller} could return without a call of {callee} under conditions that are gone ({}); before, {part_pct:.0} % of its runs or more \
             went past each of those that are left, so that these cannot be why {callee} costs {times:.1} times as much there",
            conditions_text(asks)
        ),
        Fact::CalledAgain { caller, callee, samples } => {
            let counts = |samples: &[u64]| samples.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
            format!(
                "the code of {caller} calls {callee} again right after a call of it, at more places than before; samples under its calls of it: \
                 {} before, {} after",
                counts(&samples.before),
                counts(&samples.after)
            )
        }
        Fact::OwnWorkGone { caller, callee, bytes: PerSide { before, after }, callers } => format!(
            "the code of {caller} had no call of {callee} and has one now; it has {after} bytes instead of {before}, and no new check, and no loop if it had none; \
             {} call it as before",
            callers.join(", ")
        ),
        Fact::FewerWaysAround { caller, callee, ways } => {
            let PerSide { before, after } = ways.conditions;
            let where_taken =
                if ways.is_of_all_ways { "ways without that call" } else { "the ways that are gone" };
            format!(
                "{caller} could return without a call of {callee} under {before} conditions before and can under {after} after, of the same \
                 kinds; {} of {} samples before are on {where_taken} (gone: {})",
                ways.taken,
                ways.all,
                conditions_text(&ways.asks)
            )
        }
        Fact::WayNotTaken { caller, callee, samples } => {
            let PerSide { before, after } = samples;
            format!(
                "{} of {} samples lie on ways through {caller} without a call of {callee} before, and {} of {} after",
                before.around, before.all, after.around, after.all
            )
        }
        Fact::Spin { sign, share_pct } => {
            let what = match sign {
                SpinSign::Listed => "the spin list names it",
                SpinSign::Code(Spin::Pause) => "its code has a pause instruction for spin loops",
                SpinSign::Code(Spin::ExchangeLoop) => "its code has an atomic exchange in a short loop",
            };
            format!(
                "busy waiting ({what}), {share_pct:.2} % of CPU: CPU saved outside the awaited section may turn into more \
                 spinning; removing the spinning gains at most {:+.1} %",
                spin_worth_pct(*share_pct)
            )
        }
        Fact::Setting { setting: of, why } => format!("{}: {why}", setting(of)),
        Fact::Rule { name, reason } => format!("{name}: {reason}"),
    }
}

/// The numbers of a fact by name; what is not finite is left out.
#[must_use]
pub fn fact_numbers(of: &Fact) -> Vec<(&'static str, f64)> {
    let mut numbers = match of {
        Fact::Measure { pct, interval_pp, .. } => vec![
            ("before_pct", pct.before),
            ("after_pct", pct.after),
            ("ci_low_pp", interval_pp.0),
            ("ci_high_pp", interval_pp.1),
        ],
        Fact::Cost { change, whole_pct, .. } => {
            vec![("cost_change_pct", change.pct.unwrap_or(f64::NAN)), ("whole_cost_change_pct", *whole_pct)]
        }
        Fact::Held { out_of_line, code_bytes, inlined_instances, .. } => vec![
            ("out_of_line", *out_of_line as f64),
            ("code_bytes", *code_bytes as f64),
            ("inlined_instances", *inlined_instances as f64),
        ],
        Fact::CalledBy { callers, more } => vec![("callers", (callers.len() + more) as f64)],
        Fact::CalleeChange { change_pp, .. } => vec![("change_pp", *change_pp)],
        Fact::Entered { after_pct, .. }
        | Fact::OnlyCaller { after_pct, .. }
        | Fact::NotInSelf { after_pct, .. } => vec![("after_pct", *after_pct)],
        Fact::Flip { sites, .. } => vec![("sites", *sites as f64)],
        Fact::AsOne { net_pp, half_width_pp, .. } => {
            vec![("net_pp", *net_pp), ("half_width_pp", *half_width_pp)]
        }
        Fact::Idle { bound_pct, low_pct, .. } => vec![("bound_pct", *bound_pct), ("low_pct", *low_pct)],
        Fact::CodeDiffers(of) => {
            vec![("bytes_before", of.bytes.before as f64), ("bytes_after", of.bytes.after as f64)]
        }
        Fact::Calls { calls, .. } | Fact::CallsAndTime { calls, .. } => {
            vec![("calls_before", calls.before), ("calls_after", calls.after)]
        }
        Fact::Entries { per_call, .. } => {
            vec![("per_call_before", per_call.before), ("per_call_after", per_call.after)]
        }
        Fact::Spin { share_pct, .. } => {
            vec![("share_pct", *share_pct), ("worth_pct", spin_worth_pct(*share_pct))]
        }
        _ => Vec::new(),
    };
    numbers.retain(|(_, value)| value.is_finite());
    numbers
}

/// What calls are per, after their number.
fn per(unit: CallUnit) -> &'static str {
    match unit {
        CallUnit::Operation => " per operation",
        CallUnit::Run => "",
    }
}

/// A count, with some digits.
fn count(calls: f64) -> String {
    match calls {
        calls if calls == calls.trunc() || calls >= 100.0 => format!("{calls:.0}"),
        calls if calls >= 1.0 => format!("{calls:.2}"),
        calls if calls >= 0.0001 => format!("{calls:.4}"),
        _ => "less than 0.0001".to_owned(),
    }
}

/// What freeing a spin alone is worth at most: 1 / (1 - share) - 1.
fn spin_worth_pct(share_pct: f64) -> f64 {
    if share_pct < 100.0 { 100.0 * (1.0 / (1.0 - share_pct / 100.0) - 1.0) } else { f64::INFINITY }
}

fn matched_text(
    level: FoundBy,
    score: Option<f64>,
    ambiguous: bool,
    other_name: Option<&(Side, String)>,
) -> String {
    let score = score.map_or_else(String::new, |score| format!(", likeness {score:.2}"));
    let ambiguous = if ambiguous { ", other pairs match as well" } else { "" };
    let named = other_name.map_or_else(String::new, |(side, name)| format!("; {name} {side}"));
    format!("the same function by {level} name{score}{ambiguous}{named}")
}

fn place_text(of: &SourcePlace) -> String {
    let file = of.file.as_deref().unwrap_or("?");
    of.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

fn copies_text(of: &InlinedCopies) -> String {
    let at = of.place.as_ref().map_or_else(String::new, |place| format!(" at {}", place_text(place)));
    format!("{} in {}{at}", of.sites, of.caller)
}

fn rest_text(more: usize) -> String {
    if more > 0 { format!(" and {more} more functions") } else { String::new() }
}

fn shares_text(named: &[(String, f64)]) -> String {
    let words: Vec<String> = named.iter().map(|(name, pct)| format!("{name} {pct:.2} %")).collect();
    words.join(", ")
}
