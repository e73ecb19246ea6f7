//! The meaning of marks and columns of the rows; only those that occur are explained.

use pdiff_analysis::{Comparison, MatchedBy, Row};
use pdiff_profile::Presence;

use crate::compare::families;
use crate::compare::row_order::Chosen;
use crate::document::{Block, Grid, Line, Tone};

/// What represents a change that is not significant.
pub(crate) const NOT_SIGNIFICANT: &str = "~";

/// The heading of a row's part of the change in CPU per operation.
pub(crate) const CPU_CHANGE_SHARE: (&str, &str) = ("share of", "CPU change %");

/// The headings of self by symbol, in percent and as a change.
pub(crate) const BY_SYMBOL: (&str, &str) = ("symbol %", "symbol");

/// The mark of a row that has no weight before.
const NEW: &str = "new";

/// The mark of a row that has no weight after.
const GONE: &str = "gone";

/// The mark of a row whose name before is another one.
const ALIAS: &str = "=";

/// The mark of a row whose name one build does not have: it is inferred.
const INFERRED: &str = "inferred";

/// The mark of a row whose cost per operation changed on its own, while its share is within noise.
const COST: &str = "/op";

/// The mark of a row that represents more than one function.
const AMBIGUOUS: &str = "?";

/// The marks of one row.
pub(crate) fn marks(row: &Row) -> String {
    let presence = match row.presence {
        Presence::Both => None,
        Presence::OnlyBefore => Some(GONE),
        Presence::OnlyAfter => Some(NEW),
    };
    let alias = match row.matched.by {
        MatchedBy::Name => None,
        MatchedBy::Alias => Some(ALIAS),
        MatchedBy::Structure => Some(INFERRED),
    };
    let ambiguous = row.matched.ambiguous.then_some(AMBIGUOUS);
    let family = row.family().map(families::mark);
    let cost = is_marked_by_cost(row).then_some(COST);
    let words = [presence, alias, ambiguous, cost].into_iter().flatten().chain(family.as_deref());
    words.collect::<Vec<_>>().join(" ")
}

fn is_marked_by_cost(row: &Row) -> bool {
    !row.significant && row.has_own_cost_change()
}

/// One line for the marks that the rows shown carry, and for the columns that have room in their grid.
pub(crate) fn blocks(comparison: &Comparison, chosen: &Chosen<'_>, grid: &Grid) -> Vec<Block> {
    let has_share = grid.columns.iter().any(|column| column.title[1] == CPU_CHANGE_SHARE.1);
    let has_symbol =
        grid.columns.iter().any(|column| [BY_SYMBOL.0, BY_SYMBOL.1].contains(&&*column.title[0]));
    let any = |holds: fn(&Row) -> bool| chosen.shown.iter().any(|row| holds(row));
    let percent = 100.0 * comparison.noise.q_threshold;
    let meanings = [
        (
            any(|row| !row.significant),
            format!("{NOT_SIGNIFICANT} within noise (false discoveries {percent} %) or too small"),
        ),
        (
            any(|row| row.significant),
            "95 %: confidence interval of the change (+-: half of its width); significant rows were picked, so they tend to look larger than they are"
                .to_owned(),
        ),
        (any(|row| row.presence == Presence::OnlyAfter), format!("{NEW} sampled only after")),
        (any(|row| row.presence == Presence::OnlyBefore), format!("{GONE} sampled only before")),
        (any(|row| row.matched.by == MatchedBy::Alias), format!("{ALIAS} known rename, see notes")),
        (
            any(|row| row.matched.by == MatchedBy::Structure),
            format!("{INFERRED}: one build is stripped, and the name is inferred from the code of the other"),
        ),
        (
            has_symbol,
            "self counts inlined code for the inlined function; symbol is self by symbol, which counts it for the function that it is \
             inlined into, as perf report does"
                .to_owned(),
        ),
        (
            has_share,
            "share of CPU change is the row's part of the change in CPU per operation; removing it may gain more or less".to_owned(),
        ),
        (
            any(is_marked_by_cost),
            format!(
                "{COST} its cost per operation changed beyond noise, and differently from the whole profile"
            ),
        ),
        (any(|row| row.matched.ambiguous), format!("{AMBIGUOUS} several functions share the name")),
    ];
    let texts: Vec<String> = meanings.into_iter().filter(|(there, _)| *there).map(|(_, text)| text).collect();
    if texts.is_empty() { Vec::new() } else { vec![Line::toned("marks", texts.join("; "), Tone::Dim)] }
}
