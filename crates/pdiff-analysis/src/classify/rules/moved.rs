//! `R-moved`: a function that only Before's run has and a function that only After's run has are the same one, renamed or
//! moved.
//!
//! A function that kept its name and its code may be in another file of the source. Both are reported even where the cost
//! is the same.
//!
//! The two are compared as a pair. If the pair changed by more than both rows' intervals together allow, the cause is
//! heavier or lighter, and the new name is reported.

use pdiff_profile::{PerSide, Side};

use super::inline_flip;
use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::common_shift::CommonShift;
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::{CodeLikeness, Limit};
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;
use crate::classify::succession::successions;
use crate::compare::{Pair, Row};
use crate::matching::{FoundBy, SourceMove, TELLING_BYTES, source_move};
use crate::noise::{FLOOR_PP, FLOOR_RELATIVE};

/// The code of a function that only moved is at most this many times as large.
const LIKE_SIZE: f64 = 1.1;

/// A function of whose total this part is in the machine code that contains it calls next to nothing.
const MOST_OF_TOTAL: f64 = 0.9;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let (side, name) = case.other_name.as_ref()?;
    let set = context.row_number(case.row).and_then(|row| successions(context, flipped).of_row(row));
    if inline_flip::has_flipped(context, case) || is_called_elsewhere(context, case) {
        return None;
    }
    let twin = context.program_row(name, None)?;
    let twin_row = context.row_number(twin);
    if set.is_some_and(|set| {
        Side::BOTH.iter().any(|side| set.of(*side).iter().any(|row| Some(*row) == twin_row))
    }) {
        // A third function has a part of it.
        return None;
    }
    let is_of = |row: &Row, side: Side| {
        row.side(side).total_weight.0 > 0 && row.side(side.other()).total_weight.0 == 0
    };
    if !is_of(twin, *side) || !is_of(case.row, side.other()) {
        return None;
    }
    let judged = changed(case)?;
    let [before, after] = if *side == Side::Before { [twin, case.row] } else { [case.row, twin] };
    let (net_pp, half_pp, larger) = net(context.common_shift, before, after);
    let is_real = net_pp.abs() > half_pp && net_pp.abs() >= FLOOR_PP.max(FLOOR_RELATIVE * larger);
    // Of builds a patch apart, the same code that costs more is called more, or waits longer.
    let is_same = context.is_patched && has_code_of_pair(context, case);
    let cause = match (is_real && !is_same, net_pp > 0.0) {
        (false, _) => Cause::Moved,
        (true, true) => Cause::Heavier,
        (true, false) => Cause::Lighter,
    };
    let reason = Reason::Renamed { before: before.name.to_string(), after: after.name.to_string(), net_pp };
    let (from, to) = shares(before, after);
    let pair = Fact::AsOne {
        pct: Pair { before: from, after: to },
        net_pp,
        factor: context.common_shift.factor(),
        half_width_pp: half_pp,
    };
    let finding = Finding::new("R-moved", cause, judged, reason).with([pair]);
    let finding =
        if is_real && is_same { finding.limited(Confidence::Likely, Limit::CallsOrCost) } else { finding };
    Some(limited(finding, context, case))
}

/// Whether the code of a pair is the same, and enough to tell that.
fn has_code_of_pair(context: &Context<'_>, case: &Case<'_>) -> bool {
    let bytes = PerSide::from_fn(|side| {
        context.builds.census(side).map_or(0, |census| case.code_bytes(census, side))
    });
    bytes.before.min(bytes.after) >= TELLING_BYTES && context.builds.same_code(&case.ids) == Some(true)
}

/// Whether one build calls the function in another object: the stub that leads there is not the function.
fn is_called_elsewhere(context: &Context<'_>, case: &Case<'_>) -> bool {
    let is_stub = |side: Side| context.builds.is_imported(side, &case.ids[side]);
    is_stub(Side::Before) != is_stub(Side::After)
}

/// A function of builds that are a patch apart whose source moved to another file while its code stayed as it was, however
/// its cost changed.
pub(super) fn to_other_file(context: &Context<'_>, case: &Case<'_>) -> Option<Finding> {
    in_other_file(context, case).filter(|_| context.has_like_code(case))
}

/// The same for a function that nothing else is to be said of: within noise, or changed as all functions did. Then its code may
/// differ by what another file changes, which is little: its neighbours, and the places in the source that it contains.
pub(super) fn at_no_cost(context: &Context<'_>, case: &Case<'_>) -> Option<Finding> {
    let bytes = PerSide::from_fn(|side| {
        context.builds.census(side).map_or(0, |census| case.code_bytes(census, side))
    });
    let (small, large) = (bytes.before.min(bytes.after), bytes.before.max(bytes.after));
    let is_like = small >= TELLING_BYTES && large as f64 <= LIKE_SIZE * small as f64;
    let moved = in_other_file(context, case).filter(|_| is_like || context.has_like_code(case))?;
    Some(moved).filter(|finding| finding.confidence().0 >= Confidence::Likely)
}

fn in_other_file(context: &Context<'_>, case: &Case<'_>) -> Option<Finding> {
    let found = case.found.filter(|_| context.is_patched)?;
    let file = |side: Side, id| context.builds.census(side)?.function(id)?.file();
    let (before, after) = (file(Side::Before, found.before), file(Side::After, found.after));
    if matches!(source_move(before, after), SourceMove::Stayed | SourceMove::Unknown) {
        return None;
    }
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let own = Judged::OwnSelf;
    let (from, to) = own.shares(case.row);
    let reason = Reason::OtherFile {
        before: name(before?),
        after: name(after?),
        net_pp: context.common_shift.own_change_pp(from, to),
    };
    let finding = Finding::new("R-moved", Cause::Moved, own, reason);
    let finding = finding.limited(Confidence::Likely, Limit::CallsOrCost);
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}

/// The pair's own change of the measure that is compared, what it must exceed, and the larger share.
fn net(shift: CommonShift, before: &Row, after: &Row) -> (f64, f64, f64) {
    let measure = compared(before, after);
    let (from, to) = shares(before, after);
    let half_pp = measure.half_width_pp(before).hypot(measure.half_width_pp(after));
    (shift.own_change_pp(from, to), half_pp, from.max(to))
}

/// What is compared: self by symbol. A function that runs only inlined has none: its total, if hardly more than it and what is
/// inlined in it is in that, because samples of one line count now for it and now for what is inlined there; else self.
fn compared(before: &Row, after: &Row) -> Judged {
    let sides = [&before.before, &after.after];
    if sides.iter().all(|side| side.booked_self_pct > 0.0) {
        Judged::Booked
    } else if sides.iter().all(|side| side.x_pct() >= MOST_OF_TOTAL * side.total_pct) {
        Judged::Total
    } else {
        Judged::OwnSelf
    }
}

/// The shares that are compared.
fn shares(before: &Row, after: &Row) -> (f64, f64) {
    let measure = compared(before, after);
    (measure.shares(before).0, measure.shares(after).1)
}

fn limited(finding: Finding, context: &Context<'_>, case: &Case<'_>) -> Finding {
    // The code may be that of another function that reads other data.
    if case.level() == FoundBy::Code {
        return finding.limited(Confidence::Likely, Limit::Found(FoundBy::Code));
    }
    if has_code_of_pair(context, case) {
        let finding = finding.with([Fact::SameCodeOfPair]);
        // The same code proves which function it is, and not why it costs more or less.
        return match finding.cause {
            Cause::Moved => finding,
            _ => finding.limited(Confidence::Likely, Limit::CallsOrCost),
        };
    }
    let Some(found) = case.found else {
        return finding.limited(Confidence::Unclear, Limit::UnknownMatch);
    };
    let at_most = if found.is_ambiguous { Confidence::Unclear } else { Confidence::Likely };
    let code = match context.builds.same_code(&case.ids) {
        Some(true) => CodeLikeness::SameButShort,
        Some(false) => CodeLikeness::Differs,
        None => CodeLikeness::Unknown,
    };
    finding.limited(at_most, Limit::Matched { level: found.level, code })
}
