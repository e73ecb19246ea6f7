//! The reason for a verdict, in one line.

use std::cmp::Ordering;

use pdiff_analysis::classify::{EnteredBy, FamilyCost, OtherCode, Reason, SelfChange, SetMember, TwinSearch};
use pdiff_profile::{PerSide, Side};

use super::condition::conditions_text;
use super::limit::unseen;
use super::{calls_and_time, cost, measure, own_cost, setting};

/// Shares that add up to more than their functions have together by so much are not left to be added up.
const SHOWN_TWICE_PCT: f64 = 0.05;

/// How many modules of a side are named.
const MODULES: usize = 3;

/// Why a verdict is what it is.
#[must_use]
pub fn reason_text(of: &Reason) -> String {
    match of {
        Reason::WithinNoise { detectable_pp, untested_pct } => {
            let untested = untested_pct.map_or_else(String::new, |pct| {
                format!("; {pct:+.0} % per operation, which is not tested with one run a side")
            });
            format!("not more than noise; {}{untested}", unseen(*detectable_pp))
        }
        Reason::SameBinary => "both sides ran the same binary: the runs differ, not the code".to_owned(),
        Reason::NoFunction => {
            "weight without a function: give the binary or its debug file by --binary-before/-after"
                .to_owned()
        }
        Reason::NotVisible { hidden } => {
            format!("sampled {} only; the {hidden} binary cannot show whether it contains it", hidden.other())
        }
        Reason::InlinedWithoutInstance { hidden } => {
            format!(
                "sampled {} only; in the {hidden} build the compiler inlined it, and debug information shows no copy",
                hidden.other()
            )
        }
        Reason::SwitchedOn { active, setting: of } => {
            format!("sampled {active} only; a setting switches it on there: {}", setting(of))
        }
        Reason::Renamed { before, after, net_pp } => {
            format!("renamed from {before} to {after}; net {net_pp:+.2} points")
        }
        Reason::KnownRename { before, after } => {
            format!("renamed from {before} to {after} (known rename); its share moved with the whole profile")
        }
        Reason::Flipped { inlined_on, caller, more_callers, booked_pp, body_pp, family } => {
            let rest = match more_callers {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!(
                "inlined in {caller}{rest} {inlined_on}, called {}: self by symbol {booked_pp:+.2} points, cost of its body \
                 {body_pp:+.2}{}",
                inlined_on.other(),
                family.as_ref().map_or_else(String::new, family_cost)
            )
        }
        Reason::CalleesFlipped { callees, inlined_on, booked_pp } => format!(
            "{} was inlined in it {inlined_on} and is called {}: self by symbol {booked_pp:+.2} points",
            callees.join(", "),
            inlined_on.other()
        ),
        Reason::InNoForm { without, caller, by_pointer, search } => {
            let under = caller.as_ref().map_or_else(String::new, |caller| match by_pointer {
                true => format!(", called through a pointer, by {caller} or below it"),
                false => format!(", called from {caller}"),
            });
            let code = if *without == Side::Before { "new code" } else { "code that is gone" };
            match search {
                TwinSearch::Nothing => {
                    format!("{code}: the {without} binary has no symbol, inlined copy or rename of it{under}")
                }
                TwinSearch::NotDone => {
                    format!("{code}: the {without} binary has no symbol or inlined copy of this name{under}")
                }
                TwinSearch::LikeNamed(other) => format!(
                    "{code}: the {without} binary has no symbol or inlined copy of this name, but it alone has {other}{under}"
                ),
            }
        }
        Reason::Succession { before, after, net_pp } => {
            format!("before: {}; after: {}; net {net_pp:+.2} points", members(before), members(after))
        }
        Reason::OneRunEntered { active, bound_pct, why } => entered(*active, *bound_pct, why),
        Reason::GoesOn { callees, total_pp, self_pp } => format!(
            "total {total_pp:+.2} points, self {self_pp:+.2}: now also calls {} (a fifth or less of \
             that was sampled before)",
            callees.join(", ")
        ),
        Reason::OwnWorkCalled { callee, own_pp, called_pct, net_pp } => format!(
            "its own code did what it calls {callee} for now: self by symbol {own_pp:+.2} points, {called_pct:.2} % in {callee}; \
             together {net_pp:+.2} points"
        ),
        Reason::DoesItself { callee, own_pp, called_pct, net_pp } => format!(
            "it does itself what it called {callee} for: self by symbol {own_pp:+.2} points, {called_pct:.2} % in {callee} before; together \
             {net_pp:+.2} points"
        ),
        Reason::LessCode { self_pp, bytes: PerSide { before, after }, asks } => {
            format!(
                "self by symbol {self_pp:+.2} points: {} of its checks are gone ({}), and saved work; its code has {after} bytes instead \
                 of {before}, and no new call or check",
                asks.len(),
                conditions_text(asks)
            )
        }
        Reason::GoesOnMore { callee, pct: PerSide { before, after }, calls, total_pp } => {
            let code = match calls {
                Some(calls) => {
                    format!("its code has {} calls of it instead of {}", calls.after, calls.before)
                }
                None => "and its own code differs".to_owned(),
            };
            format!("total {total_pp:+.2} points: calls {callee} more ({before:.2} to {after:.2} %), {code}")
        }
        Reason::NewEdge { caller, after_pct, code } => {
            let code = other_code(caller, *code);
            format!("{after_pct:.2} % under {caller}, a fifth or less before: {caller} calls it more; {code}")
        }
        Reason::MoreOnEdge { caller, pct, calls, has_copies, code, is_proved } => {
            let code = match calls.after > calls.before {
                true => {
                    let what = if *has_copies { "calls and copies" } else { "calls" };
                    format!(
                        "the code of {caller} has {} {what} of it instead of {}",
                        calls.after, calls.before
                    )
                }
                false => other_code(caller, *code),
            };
            let why = match is_proved {
                _ if calls.after > calls.before => "",
                true => ": that calls it more",
                false => ": that calls it more, or a call costs more",
            };
            format!("{:.2} to {:.2} % under {caller}{why}; {code}", pct.before, pct.after)
        }
        Reason::UnseenCalls { caller, calls, grown_pp } => format!(
            "{grown_pp:+.2} points, its code is the same, and the code of {caller} has {} calls of it instead of {}; the \
             stacks do not show who calls it",
            calls.after, calls.before
        ),
        Reason::Below { function: Some(function), caller, grown_pp } => {
            format!(
                "{grown_pp:+.2} points under {function}, which costs more under {caller}: one finding with it"
            )
        }
        Reason::Below { function: None, caller, grown_pp } => {
            format!("{grown_pp:+.2} points under {caller}, where it costs more: one finding with it")
        }
        Reason::QuickWayGone { gone, caller, pct: PerSide { before, after } } => {
            let gone = gone.join(", ");
            let how = match caller {
                Some(caller) => format!("before, {caller} used {gone} instead, which is gone"),
                None => format!("before, it called {gone} for this, which nothing calls any more"),
            };
            format!("{how}: the two together {before:.2} to {after:.2} %")
        }
        Reason::GoesOnUnseen { callee, after_pct } => format!(
            "now also calls {callee} ({after_pct:.2} %; no such call was sampled before); the chains lost it \
             as the caller"
        ),
        Reason::MoreCalls { calls, time, time_of, caller } => {
            let by = caller
                .as_ref()
                .map_or_else(String::new, |caller| format!("; {caller} makes most of the added calls"));
            format!("{}{by}", calls_and_time(*calls, *time, *time_of))
        }
        Reason::CostChanged { judged, change, share_pp, other_way } => {
            let share = match other_way {
                true => "its share went the other way because others changed more",
                false => "its share shows no change",
            };
            format!(
                "{} costs {} per operation{}; {share} ({share_pp:+.2} points)",
                measure(*judged),
                cost(change),
                own_cost(change)
            )
        }
        Reason::CostOfCallees { judged, change, callees } => format!(
            "{} costs {} per operation{}, in what it calls: {}",
            measure(*judged),
            cost(change),
            own_cost(change),
            callees.join(", ")
        ),
        Reason::CostNotTold { judged, change } => {
            format!("{} costs {} per operation, its share is within noise", measure(*judged), cost(change))
        }
        Reason::CostAgainstShare { judged, change, share_pp } => format!(
            "{} {share_pp:+.2} points, because others changed more; per operation it costs {}",
            measure(*judged),
            cost(change)
        ),
        Reason::CostShared { judged, change } => format!(
            "{} costs {} per operation; without the change of the typical function, that is within noise",
            measure(*judged),
            cost(change)
        ),
        Reason::OtherCode { judged, delta_pp } => {
            format!("the same source, compiled to other code; {} {delta_pp:+.2} points", measure(*judged))
        }
        Reason::HiddenInBuild { hidden } => {
            format!(
                "the same source: the {hidden} build does not show it, which does not mean that it did not run"
            )
        }
        Reason::CalledElsewhere { inlined_on } => {
            format!("inlined {inlined_on}, called in another object {}", inlined_on.other())
        }
        Reason::CommonShift { judged, delta_pp, factor, with_inlined, other_way } => {
            let what = match (other_way, with_inlined) {
                (true, _) => "less than the share of a function at the same cost changed",
                (false, false) => "no more than the change that all functions share",
                (false, true) => {
                    "between it and what is inlined into it; both together no more than the change that all functions share"
                }
            };
            format!("{} {delta_pp:+.2} points, {what} (factor {factor:.2})", measure(*judged))
        }
        Reason::WithinPlace { place, self_pp } => format!(
            "self {self_pp:+.2} points, inlined in {place}, whose self by symbol did not change that way: only the \
             lines that its samples belong to"
        ),
        Reason::SelfChanged { self_pp, under: Some((caller, pp)), .. } => {
            format!(
                "same code; {pp:+.2} points under {caller}, whose code differs; self {self_pp:+.2} points"
            )
        }
        Reason::SelfChanged { self_pp, code, under: None } => {
            let how = match code {
                SelfChange::SameCode => "same code, other time: calls, cache or contention not separable",
                SelfChange::OneSided => "no samples on one side, and its callers do not explain why",
                SelfChange::InBoth => "in both builds",
            };
            format!("{how}; self {self_pp:+.2} points")
        }
        Reason::OtherFile { before, after, net_pp } => {
            format!(
                "its source moved from {before} to {after}, and its code is as before or nearly so; net {net_pp:+.2} points"
            )
        }
        Reason::CallersChanged { judged, delta_pp, callers } => {
            let names = named_changes(callers);
            let names = if names.is_empty() { "callers that are not known".to_owned() } else { names };
            format!("the same code; {} {delta_pp:+.2} points, under {names}", measure(*judged))
        }
        Reason::ReplacedModules { before, after, net_pp } => {
            format!("before: {}; after: {}; net {net_pp:+.2} points", modules(before), modules(after))
        }
        Reason::InBetween { more, callees, self_pp } => {
            let (callees, other) = (callees.join(", "), more.other());
            format!(
                "more stacks lead through it {more}, to {callees}, reached without it {other}; self {self_pp:+.2} points"
            )
        }
        Reason::PartOf { judged, own_pp, functions } => {
            let names = named_changes(functions);
            format!("{} {own_pp:+.2} points without the common factor, under {names}", measure(*judged))
        }
        Reason::CalleesChanged { judged, delta_pp, self_pp, callees } => {
            let names = named_changes(callees);
            let names = if names.is_empty() { "no callee stands out".to_owned() } else { names };
            format!("{} {delta_pp:+.2} points, self {self_pp:+.2}: {names}", measure(*judged))
        }
    }
}

/// What is known of a caller's code.
fn other_code(caller: &str, code: OtherCode) -> String {
    match code {
        OtherCode::Differs => format!("the code of {caller} differs"),
        OtherCode::InlinedOnly(side) => {
            format!("the code of {caller} cannot be compared, because it is only inlined {side}")
        }
    }
}

/// Functions with changes in points.
fn named_changes(of: &[(String, f64)]) -> String {
    let named: Vec<String> = of.iter().map(|(name, change_pp)| format!("{name} {change_pp:+.2}")).collect();
    named.join(", ")
}

/// The heaviest modules, with their shares.
fn modules(of: &[(String, f64)]) -> String {
    let named: Vec<String> =
        of.iter().take(MODULES).map(|(name, pct)| format!("{name} ({pct:.2} %)")).collect();
    let more = of.len().saturating_sub(MODULES);
    if more == 0 { named.join(", ") } else { format!("{} and {more} more", named.join(", ")) }
}

/// The functions of a set, with their shares.
fn members(of: &[SetMember]) -> String {
    let named = |inside: bool| -> Vec<String> {
        let of = of.iter().filter(|of| of.is_inside == inside);
        of.map(|of| format!("{} ({:.2} %)", of.name, of.total_pct)).collect()
    };
    let (outer, inner) = (named(false).join(" + "), named(true).join(" + "));
    let inner = if inner.is_empty() { inner } else { format!(" with {inner} inside") };
    // A part of one may be inside another.
    let shown: f64 = of.iter().filter(|of| !of.is_inside).map(|of| of.total_pct).sum();
    let whole: f64 = of.iter().map(|of| of.outer_pct).sum();
    let whole = match shown - whole >= SHOWN_TWICE_PCT {
        true => format!(", together {whole:.2} %"),
        false => String::new(),
    };
    format!("{outer}{inner}{whole}")
}

/// What a change of inlining costs.
fn family_cost(of: &FamilyCost) -> String {
    let what = match (of.is_more(), of.is_less()) {
        (true, _) => "it costs",
        (_, true) => {
            return format!(
                "; with its callers it saves {:.2} points (+/- {:.2})",
                -of.net_pp, of.half_width_pp
            );
        }
        _ => "no cost beyond noise:",
    };
    format!("; with its callers {what} {:+.2} points (+/- {:.2})", of.net_pp, of.half_width_pp)
}

fn entered(active: Side, bound_pct: f64, why: &EnteredBy) -> String {
    let idle = active.other();
    let why = match why {
        EnteredBy::Setting(of) => {
            format!("{}: the settings differ; the code may differ, too", setting(of))
        }
        EnteredBy::CallOfOneBuild { name } => match active {
            Side::Before => format!("the code of {name} no longer calls it"),
            Side::After => format!("the code of {name} calls it in the after build alone"),
        },
        EnteredBy::LostCaller { changed: Some((name, calls)) } => {
            let of_code = match calls.before.cmp(&calls.after) {
                Ordering::Equal => String::new(),
                _ => format!(", with {} -> {} calls of it", calls.before, calls.after),
            };
            format!(
                "the stacks lack its caller; of the functions that call it, {name} alone has other code{of_code}"
            )
        }
        EnteredBy::LostCaller { changed: None } => {
            "the stacks lack its caller: another path is taken there, or settings or data differ".to_owned()
        }
        EnteredBy::Caller { is_unnamed: true, .. } => {
            "its caller has no name: another path is taken there, or settings differ".to_owned()
        }
        EnteredBy::Caller { name, same_code, .. } => match same_code {
            Some(true) => format!("the code of {name} is the same: a setting or the data differ"),
            Some(false) => format!(
                "the code of {name} is not the same: another path is taken, or settings or data differ"
            ),
            None => format!("another path is taken in {name}, or settings differ"),
        },
    };
    format!("in both builds, but sampled only {active} (at most {bound_pct:.3} % {idle}); {why}")
}
