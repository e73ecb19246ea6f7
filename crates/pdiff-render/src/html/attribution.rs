//! What each factor makes of the gap, by benchmark runs: the waterfall, the tables of `pdiff attribute`, the matrix of
//! interactions.

use super::blocks;
use crate::attribution_page;
use crate::attribution_plots::{gap_waterfall_svg, interaction_matrix_svg};
use crate::attribution_view::AttributionView;
use crate::error::Error;

/// The section's body. A picture that the runs do not allow is left out; the tables say which runs are missing.
pub(super) fn section(view: &AttributionView<'_>) -> Result<String, Error> {
    let mut out = String::new();
    push_plot(gap_waterfall_svg(view)?, &mut out);
    out.push_str(&blocks::lines(&attribution_page::page(view, None)));
    push_plot(interaction_matrix_svg(view)?, &mut out);
    Ok(out)
}

fn push_plot(svg: Option<String>, out: &mut String) {
    if let Some(svg) = svg {
        out.push_str(&format!("<div class=\"plot\">{}</div>\n", svg.trim()));
    }
}
