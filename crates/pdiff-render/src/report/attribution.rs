//! The gap attributed to factors, from benchmark runs: the waterfall, the dots of each factor, the tables of `pdiff attribute`, the matrix of
//! interactions.

use super::blocks;
use crate::attribution;
use crate::attribution::plots::{effects_svg, gap_waterfall_svg, interaction_matrix_svg};
use crate::attribution::view::AttributionView;
use crate::error::Error;

/// The section's body. A picture that the runs do not allow is left out; the tables say which runs are missing.
pub(super) fn section(view: &AttributionView<'_>) -> Result<String, Error> {
    let mut out = String::new();
    push_plot(gap_waterfall_svg(view)?, &mut out);
    push_plot(effects_svg(view)?, &mut out);
    out.push_str(&blocks::lines(&attribution::page::page(view, None)));
    push_plot(interaction_matrix_svg(view)?, &mut out);
    Ok(out)
}

/// Bytes of a picture: some hundred boxes with their numbers.
const MOST_BYTES: usize = 150_000;

fn push_plot(svg: Option<String>, out: &mut String) {
    match svg {
        Some(svg) if svg.len() > MOST_BYTES => {
            out.push_str(
                "<p class=\"line dim\">A picture is too large for this page; pdiff attribute draws it.</p>\n",
            );
        }
        Some(svg) => out.push_str(&format!("<div class=\"plot\">{}</div>\n", svg.trim())),
        None => {}
    }
}
