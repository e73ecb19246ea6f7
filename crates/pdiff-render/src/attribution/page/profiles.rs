//! Factors beside the CPU of the subsystems that they switch: a cross-check of runs and profiles.

use pdiff_study::ablation::{Compared, Meeting};

use super::{LOG_PLACES, PLACES};
use crate::attribution::view::{AttributionView, bounds, value};
use crate::document::number::{fixed, signed};
use crate::document::ranked_columns::RankedColumns;
use crate::document::{Block, Line, Tone};

/// Factors beside subsystems, and what may explain a difference.
pub(super) fn meeting_blocks(
    view: &AttributionView<'_>,
    meeting: &Meeting,
    width: Option<usize>,
) -> Vec<Block> {
    let rows = &meeting.rows;
    let text = format!(
        "each factor alone, and the profiles' estimate ({} and {}): its subsystem removed from both builds at the same use of CPU",
        meeting.labels.before, meeting.labels.after
    );
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], rows.iter().map(|row| view.name(row.factor).to_owned()));
    columns.names(["", "subsystem"], rows.iter().map(|row| row.subsystem.clone()));
    columns.changes(0, ["measured", "points"], rows.iter().map(|row| Some(row.measured.points)), PLACES);
    columns.numbers(0, ["profile", "points"], rows.iter().map(|row| signed(row.profile_points, PLACES)));
    columns.numbers(3, ["total %", "base"], rows.iter().map(|row| fixed(row.total_pct.before, 2)));
    columns.numbers(3, ["total %", "target"], rows.iter().map(|row| fixed(row.total_pct.after, 2)));
    columns.words(
        2,
        ["measured", "as"],
        rows.iter().map(|row| match row.compared {
            Compared::Cost => "CPU per op".to_owned(),
            Compared::Throughput => "throughput".to_owned(),
        }),
    );
    columns.numbers(
        1,
        ["", "ln"],
        rows.iter().map(|row| {
            let measured = match row.compared {
                Compared::Cost => row.measured.cost_log.unwrap_or(row.measured.log),
                Compared::Throughput => row.measured.log,
            };
            value(&measured, LOG_PLACES)
        }),
    );
    columns.numbers(1, ["profile", "ln"], rows.iter().map(|row| value(&row.profile_log, LOG_PLACES)));
    columns.numbers(0, ["difference", "ln"], rows.iter().map(|row| value(&row.difference, LOG_PLACES)));
    columns.numbers(2, ["difference", "95 %"], rows.iter().map(|row| bounds(&row.difference, LOG_PLACES)));
    columns.words(
        3,
        ["", "remark"],
        rows.iter().map(|row| {
            match row.difference.interval {
                None => "no interval",
                Some(_) if row.difference.is_beyond_noise() => "disagree",
                Some(_) => "no disagreement beyond noise",
            }
            .to_owned()
        }),
    );
    let mut blocks = vec![Line::toned("profiles", text, Tone::Strong), columns.grid(width, 0)];
    if rows.iter().any(|row| row.difference.is_beyond_noise() || row.difference.interval.is_none()) {
        let text = "a difference may come from waiting off the CPU, contention, caches, work elsewhere that the factor causes, or a profile taken under other settings than the baseline; off-CPU profiles or counters would tell which";
        blocks.push(Line::block("possible", text));
    }
    let names = |factors: &[usize]| {
        let names: Vec<&str> = factors.iter().map(|factor| view.name(*factor)).collect();
        names.join(", ")
    };
    if !meeting.untold.is_empty() {
        let text = format!(
            "{}: not measured alone from the baseline, or a side has all its samples in the subsystem",
            names(&meeting.untold)
        );
        blocks.push(Line::block("untold", text));
    }
    if !meeting.without.is_empty() {
        let text = format!("no subsystem named for {}; see --factor-subsystem", names(&meeting.without));
        blocks.push(Line::block("without", text));
    }
    blocks
}
