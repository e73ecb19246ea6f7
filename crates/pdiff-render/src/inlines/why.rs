//! The compiler's words on calls that are no longer, or were not yet, inlined.

use pdiff_analysis::inlines::{FunctionComparison, InlineReason};
use pdiff_profile::Side;
use pdiff_profile::census::Function;

use crate::document::visible_text::visible;
use crate::document::{Block, Line};
use crate::inlines::view::{FlippedCall, InlinesView};

/// Reasons that are quoted for one function; JSON has all of them.
const MOST_REASONS: usize = 3;

/// What the compiler said of the calls of a row that flipped.
pub(crate) fn lines(view: &InlinesView<'_>, row: &FunctionComparison) -> Vec<Block> {
    let lost = row.confirmed_lost.iter().map(|flip| (flip, Side::After));
    let gained = row.confirmed_gained.iter().map(|flip| (flip, Side::Before));
    let calls = lost.chain(gained).filter_map(|(flip, side)| FlippedCall::of(row, flip, side));
    let mut said: Vec<String> = calls.flat_map(|call| of_call(view, call)).collect();
    let left_out = said.len().saturating_sub(MOST_REASONS);
    said.truncate(MOST_REASONS);
    if left_out > 0 {
        said.push(format!("and {left_out} more reasons, in JSON"));
    }
    said.into_iter().map(|text| Line::block("why", text)).collect()
}

fn of_call(view: &InlinesView<'_>, call: FlippedCall) -> Vec<String> {
    let name = |id| visible(view.census(call.side).function(id).map_or("", Function::name));
    let (caller, callee, side) = (name(call.caller), name(call.callee), call.side);
    let of = |reason: InlineReason| {
        let place = reason.places.first()?;
        let more = match reason.places.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (file, words) = (visible(&place.file), visible(&reason.words));
        Some(format!("{callee} in {caller} ({file}:{}:{}{more}), {side}: {words}", place.line, place.column))
    };
    view.reasons_of(call).into_iter().filter_map(of).collect()
}
