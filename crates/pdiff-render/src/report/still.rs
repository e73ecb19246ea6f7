//! The content of a page if its script does not run: a picture of the widest frames, and the functions that changed most.

use pdiff_analysis::{Quantities, Row};

use super::ReportInput;
use super::measure::Measure;
use super::text::escaped;
use crate::document::number::fixed;
use crate::flame::{CostTerms, FlameInput, still_picture};

/// Functions in the table.
const MOST_FUNCTIONS: usize = 20;

/// The flame graph for readers without scripts.
pub(super) fn picture(input: &ReportInput<'_>) -> String {
    let flame = FlameInput { comparison: input.comparison, tree: input.tree, verdicts: None };
    format!(
        "<noscript><p>The widest frames of both sides; the page's own script, which does not run here, draws all of them and \
         lets you zoom and search. Orange costs more, blue less, grey is within noise; dashed frames are of one side.</p>\n\
         <div class=\"wide\">{}</div></noscript>\n",
        still_picture(&flame)
    )
}

/// The functions that changed most, for readers without scripts.
pub(super) fn functions(input: &ReportInput<'_>) -> String {
    let measure = Measure::of(input.comparison);
    let terms =
        CostTerms::new(&FlameInput { comparison: input.comparison, tree: input.tree, verdicts: None });
    let is_significant = |row: &Row| terms.of_row(row).map_or(row.significant, |(_, is_beyond)| is_beyond);
    let value = |of: &Quantities| match measure {
        Measure::Cost(_) => of.self_per_op().unwrap_or(0.0),
        Measure::Points => of.self_pct,
    };
    let change = |row: &Row| value(&row.after) - value(&row.before);
    let mut rows: Vec<&Row> = input.comparison.rows.iter().collect();
    rows.sort_by(|a, b| change(b).abs().total_cmp(&change(a).abs()).then_with(|| a.name.cmp(&b.name)));
    let number = |value: f64| match measure {
        Measure::Cost(unit) => unit.fixed(value),
        Measure::Points => fixed(value, 2),
    };
    let mut out = format!(
        "<noscript><p>The {MOST_FUNCTIONS} functions whose own cost changed most, in {}; the data at the end of the file have \
         more.</p>\n<div class=\"wide\"><table><thead><tr><th scope=\"col\">function</th><th scope=\"col\" class=\"number\">self \
         before</th><th scope=\"col\" class=\"number\">self after</th><th scope=\"col\" class=\"number\">change</th>\
         <th scope=\"col\">noise</th></tr></thead>\n<tbody>\n",
        measure.title()
    );
    for row in rows.into_iter().take(MOST_FUNCTIONS) {
        let noise = if is_significant(row) { "beyond" } else { "within" };
        out.push_str(&format!(
            "<tr><td class=\"name\">{} <span class=\"dim\">{}</span></td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td><td>{noise}</td></tr>\n",
            escaped(&row.name),
            escaped(&row.object),
            number(value(&row.before)),
            number(value(&row.after)),
            measure.signed(change(row)),
        ));
    }
    out.push_str("</tbody></table></div></noscript>\n");
    out
}
