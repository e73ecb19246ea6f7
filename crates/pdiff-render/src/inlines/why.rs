//! The compiler's words on calls that are no longer, or were not yet, inlined.

use pdiff_analysis::inlines::{Flip, FunctionComparison};
use pdiff_profile::Side;
use pdiff_profile::census::Function;

use crate::document::visible_text::visible;
use crate::document::{Block, Line};
use crate::inlines::view::InlinesView;

/// Reasons that are quoted for one function; JSON has all of them.
const MOST_REASONS: usize = 3;

/// What the compiler said of the calls of a row that flipped.
pub(crate) fn lines(view: &InlinesView<'_>, row: &FunctionComparison) -> Vec<Block> {
    let lost = row.confirmed_lost.iter().map(|flip| (flip, Side::After));
    let gained = row.confirmed_gained.iter().map(|flip| (flip, Side::Before));
    let mut said: Vec<String> =
        lost.chain(gained).flat_map(|(flip, called_on)| of_flip(view, row, flip, called_on)).collect();
    let left_out = said.len().saturating_sub(MOST_REASONS);
    said.truncate(MOST_REASONS);
    if left_out > 0 {
        said.push(format!("and {left_out} more reasons, in JSON"));
    }
    said.into_iter().map(|text| Line::block("why", text)).collect()
}

fn of_flip(view: &InlinesView<'_>, row: &FunctionComparison, flip: &Flip, called_on: Side) -> Vec<String> {
    let census = view.census(called_on);
    let (caller, callee) = match called_on {
        Side::Before => (flip.caller_before, row.before),
        Side::After => (flip.caller_after, row.after),
    };
    let name = |id| census.function(id).map_or("", Function::name);
    let of = |reason: pdiff_analysis::inlines::InlineReason| {
        let place = reason.places.first()?;
        let more = match reason.places.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (caller, callee) = (visible(name(caller)), visible(name(callee?)));
        let (file, words) = (visible(&place.file), visible(&reason.words));
        Some(format!(
            "{callee} in {caller} ({file}:{}:{}{more}), {called_on}: {words}",
            place.line, place.column
        ))
    };
    view.reasons_of(row, flip, called_on).into_iter().filter_map(of).collect()
}
