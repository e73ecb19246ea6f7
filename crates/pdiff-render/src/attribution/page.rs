//! An attribution for readers: the measured runs, each factor alone and at its place, averages over orders, and values that
//! could not be computed.

mod alone_and_placed;
mod builds;
mod foretold;
mod heading;
mod masking;
mod orders;
mod pairs;
mod profiles;
mod steps;

use pdiff_study::ablation::Need;

use crate::attribution::view::AttributionView;
use crate::document::markdown;
use crate::document::table;
use crate::document::table::readable_width;
use crate::document::{Block, Line, Tone, apart};

use alone_and_placed::side_by_side;
use builds::builds;
use foretold::foretold_blocks;
use heading::heading;
use masking::masking;
use orders::averages;
use pairs::interactions;
use profiles::meeting_blocks;
use steps::{cumulative, independent};

pub(crate) use heading::gap_text;

/// Places of points and percents.
const PLACES: usize = 1;

/// Places of logarithms.
const LOG_PLACES: usize = 3;

/// Missing runs named in a table; JSON has more.
const MOST_MISSING: usize = 8;

/// The attribution as tables for a terminal. Names are made safe to show, and columns go where room lacks.
#[must_use]
pub fn attribution_table(view: &AttributionView<'_>, width: Option<usize>, color: bool) -> String {
    let width = readable_width(width);
    table::draw(&page(view, width), width, color)
}

/// The attribution as markdown.
#[must_use]
pub fn attribution_markdown(view: &AttributionView<'_>) -> String {
    markdown::draw(&page(view, None))
}

/// Everything, as blocks.
pub(crate) fn page(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    apart([
        heading(view),
        view.foretold.map_or_else(Vec::new, |of| foretold_blocks(view, of, width)),
        cumulative(view, width),
        independent(view, width),
        side_by_side(view, width),
        averages(view, width),
        interactions(view, width),
        builds(view, width),
        masking(view, width),
        view.meeting.map_or_else(Vec::new, |meeting| meeting_blocks(view, meeting, width)),
        closing(view),
    ])
}

fn closing(view: &AttributionView<'_>) -> Vec<Block> {
    let of = view.attribution;
    let mut blocks = Vec::new();
    if view.has_intervals() {
        let text = "within noise: the 95 % interval of the logarithm contains zero; points by the delta method, t on the degrees of freedom of the variance";
        blocks.push(Line::toned("marks", text, Tone::Dim));
    }
    if of.missing_count == 0 {
        return blocks;
    }
    let text = format!("{} runs are missing; no values are made up for them", of.missing_count);
    blocks.push(Line::toned("missing", text, Tone::Warning));
    for run in of.missing.iter().take(MOST_MISSING) {
        let text = format!("{} with {}, for {}", run.build, run.setting, need_words(run.needed_for));
        blocks.push(Line::block("", text));
    }
    if of.missing_count > MOST_MISSING {
        blocks.push(Line::block("", format!("... and {} more", of.missing_count - MOST_MISSING)));
    }
    blocks
}

fn need_words(need: Need) -> &'static str {
    match need {
        Need::Cumulative => "the path in this order",
        Need::Independent => "a factor alone",
        Need::Shapley => "the average over orders",
    }
}

/// Remarks in one cell.
fn join(words: &[&str]) -> String {
    words.iter().filter(|word| !word.is_empty()).copied().collect::<Vec<_>>().join("; ")
}
