//! Averages of a factor over all orders, or over what part of a factorial was measured.

use pdiff_study::ablation::{Estimate, FractionAverage, Shapley};

use super::{LOG_PLACES, PLACES, join};
use crate::attribution::view::{AttributionView, bounds, noise_words, sign_words, value};
use crate::document::ranked_columns::RankedColumns;
use crate::document::{Block, Line, Tone};

/// Averages over orders where all settings were measured, else over the fraction that was.
pub(super) fn averages(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let of = view.attribution;
    let Some(shapley) = &of.shapley else {
        let text = "no average over orders: it needs every setting of the factors to be measured; the range over the measured settings is shown above";
        let mut blocks = vec![Line::block("orders", text)];
        blocks.extend(fraction(view, width));
        return blocks;
    };
    let mut text = format!("averages over all orders of {} factors (Shapley values)", shapley.core.count());
    let left: Vec<&str> = (0..of.factors.len())
        .filter(|factor| !shapley.core.has(*factor))
        .map(|factor| view.name(factor))
        .collect();
    if !left.is_empty() {
        text.push_str(&format!("; conditional, and not in it: {}", left.join(", ")));
    }
    vec![Line::toned("orders", text, Tone::Strong), shapley_grid(view, shapley, width)]
}

/// Averages from a fraction of a factorial, and what they cannot be distinguished from.
fn fraction(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let rows = &view.attribution.fraction;
    let Some(first) = rows.first() else { return Vec::new() };
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], rows.iter().map(|row| view.name_and_build(row.factor)));
    columns.changes(0, ["", "points"], rows.iter().map(|row| Some(row.effect.points)), PLACES);
    columns.numbers(1, ["points", "95 %"], rows.iter().map(|row| bounds(&row.effect.points, PLACES)));
    columns.numbers(2, ["", "ln"], rows.iter().map(|row| value(&row.effect.log, LOG_PLACES)));
    let aliases = |row: &FractionAverage| {
        let pairs: Vec<String> =
            row.aliases.iter().map(|(a, b)| format!("{} x {}", view.name(*a), view.name(*b))).collect();
        let told = if pairs.is_empty() {
            String::new()
        } else {
            format!("cannot be separated from {}", pairs.join(", "))
        };
        join(&[noise_words(&row.effect), &told])
    };
    columns.words(1, ["", "remark"], rows.iter().map(aliases));
    let text = format!(
        "mean over the {} settings measured with the factor changed less the mean without; interactions of three or more factors are assumed to be zero",
        first.settings
    );
    vec![Line::toned("fraction", text, Tone::Strong), columns.grid(width, 0)]
}

fn shapley_grid(view: &AttributionView<'_>, shapley: &Shapley, width: Option<usize>) -> Block {
    let of = view.attribution;
    let effects = || shapley.values.iter().map(|(_, effect)| effect).chain(std::iter::once(&shapley.total));
    let mut columns = RankedColumns::default();
    let names = shapley.values.iter().map(|(factor, _)| view.name_and_build(*factor));
    columns.names(["", "factor"], names.chain(std::iter::once("TOTAL".to_owned())));
    columns.changes(0, ["", "points"], effects().map(|effect| Some(effect.points)), PLACES);
    columns.numbers(1, ["points", "95 %"], effects().map(|effect| bounds(&effect.points, PLACES)));
    columns.numbers(2, ["", "ln"], effects().map(|effect| value(&effect.log, LOG_PLACES)));
    columns.numbers(3, ["ln", "95 %"], effects().map(|effect| bounds(&effect.log, LOG_PLACES)));
    if effects().any(|effect| effect.cost_log.is_some()) {
        let part = |part: Option<Estimate>| part.map_or_else(String::new, |part| value(&part, LOG_PLACES));
        columns.numbers(4, ["ln by CPU", "per op"], effects().map(|effect| part(effect.cost_log)));
        columns.numbers(4, ["ln by CPU", "in use"], effects().map(|effect| part(effect.utilisation_log)));
    }
    let remark = |factor: Option<usize>| {
        factor
            .and_then(|factor| of.ranges.iter().find(|range| range.factor == factor))
            .map_or("", |range| sign_words(range.sign))
    };
    let factors = shapley.values.iter().map(|(factor, _)| Some(*factor)).chain(std::iter::once(None));
    columns.words(
        2,
        ["", "remark"],
        effects().zip(factors).map(|(effect, factor)| join(&[noise_words(effect), remark(factor)])),
    );
    columns.grid(width, 1)
}
