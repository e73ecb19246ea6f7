//! Blocks of a page as HTML: the same lines and grids that terminals and markdown show.

use crate::flame::escaped;
use crate::page::{Align, Block, Grid, Line, Tone};

/// The blocks, one after the other.
pub(super) fn lines(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        match block {
            Block::Line(line) => push_line(line, &mut out),
            Block::Grid(grid) => push_grid(grid, &mut out),
            Block::Gap => {}
        }
    }
    out
}

fn push_line(line: &Line, out: &mut String) {
    let label = match line.label {
        "!" | "!!" => "note well",
        label => label,
    };
    out.push_str(&format!(
        "<p class=\"line {}\"><b>{}</b> {}</p>\n",
        class(line.tone),
        escaped(label),
        escaped(&line.text)
    ));
}

fn push_grid(grid: &Grid, out: &mut String) {
    out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for column in &grid.columns {
        let [top, bottom] = &column.title;
        let title = format!("{top} {bottom}");
        out.push_str(&format!(
            "<th scope=\"col\" class=\"{}\">{}</th>",
            side(column.align),
            escaped(title.trim())
        ));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &grid.rows {
        out.push_str("<tr>");
        for (cell, column) in row.iter().zip(&grid.columns) {
            let class = format!("{} {}", side(column.align), class(cell.tone));
            out.push_str(&format!("<td class=\"{}\">{}</td>", class.trim(), escaped(&cell.text)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
}

fn side(align: Align) -> &'static str {
    match align {
        Align::Left => "text",
        Align::Right => "number",
    }
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Strong => "strong",
        Tone::Dim => "dim",
        Tone::Worse => "worse",
        Tone::Better => "better",
        Tone::Warning => "warning",
        Tone::Grave => "grave",
    }
}
