//! Blocks of a page as HTML: the same lines and grids that terminals and markdown show.

use super::text::escaped_within;
use crate::document::number::grouped;
use crate::document::{Align, Block, Grid, Line, Tone};

/// Characters of a line or a cell.
const MOST_CHARACTERS: usize = 2000;

/// Bytes of the lines and grids of one part of the page; what is more is counted.
const MOST_BYTES: usize = 60_000;

/// The blocks, one after the other, as far as a part of the page has room.
pub(super) fn lines(blocks: &[Block]) -> String {
    let mut out = String::new();
    let mut left_out = 0;
    for block in blocks {
        match block {
            Block::Line(line) => push(&mut out, &line_text(line), &mut left_out),
            Block::Grid(grid) => push_grid(grid, &mut out, &mut left_out),
            Block::Command(_) | Block::Gap => {}
        }
    }
    if left_out > 0 {
        let count = grouped(left_out);
        out.push_str(&format!(
            "<p class=\"line dim\">... and {count} more lines; pdiff's own commands list all.</p>\n"
        ));
    }
    out
}

/// Appends what there is room for; what follows the first part without room is left out, too.
fn push(out: &mut String, text: &str, left_out: &mut u64) {
    if *left_out > 0 || out.len() + text.len() > MOST_BYTES {
        *left_out += 1;
    } else {
        out.push_str(text);
    }
}

fn line_text(line: &Line) -> String {
    let label = match line.label {
        "!" | "!!" => "warning",
        label => label,
    };
    format!("<p class=\"line {}\"><b>{}</b> {}</p>\n", class(line.tone), escaped(label), escaped(&line.text))
}

fn push_grid(grid: &Grid, out: &mut String, left_out: &mut u64) {
    out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for column in &grid.columns {
        let [top, bottom] = &column.title;
        let title = format!("{top} {bottom}");
        // A heading without words is none: a screen reader would read out nothing.
        let title = escaped(title.trim());
        match title.is_empty() {
            true => out.push_str("<td></td>"),
            false => {
                out.push_str(&format!("<th scope=\"col\" class=\"{}\">{title}</th>", side(column.align)));
            }
        }
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &grid.rows {
        let mut text = String::from("<tr>");
        for (cell, column) in row.iter().zip(&grid.columns) {
            let class = format!("{} {}", side(column.align), class(cell.tone));
            text.push_str(&format!("<td class=\"{}\">{}</td>", class.trim(), escaped(&cell.text)));
        }
        text.push_str("</tr>\n");
        push(out, &text, left_out);
    }
    out.push_str("</tbody>\n</table></div>\n");
}

fn escaped(text: &str) -> String {
    escaped_within(text, MOST_CHARACTERS)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_page_has_an_end() {
        let line = |at: usize| Line::block("note", format!("line {at} {}", "<".repeat(100)));
        let few: Vec<Block> = (0..10).map(line).collect();
        assert!(lines(&few).contains("line 9") && !lines(&few).contains("more lines"));
        let many: Vec<Block> = (0..1000).map(line).collect();
        let page = lines(&many);
        assert!(page.len() < MOST_BYTES + 200, "{}", page.len());
        let shown = page.matches("<b>note</b>").count();
        assert!(page.ends_with(&format!(
            "... and {} more lines; pdiff's own commands list all.</p>\n",
            1000 - shown
        )));
    }
}
