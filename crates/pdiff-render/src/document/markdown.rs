//! A page as markdown (GitHub's): a list of facts, and tables.

use crate::document::visible_text::visible;
use crate::document::{Align, Block, Grid, GridCell};

/// A page as markdown.
pub(crate) fn draw(page: &[Block]) -> String {
    let mut text = String::new();
    let mut in_list = false;
    for block in page {
        let is_line = matches!(block, Block::Line(_) | Block::Command(_));
        if in_list && !is_line && *block != Block::Gap {
            text.push('\n');
        }
        match block {
            Block::Gap => text.push('\n'),
            Block::Line(line) => {
                // A line without a label continues with what the one before began.
                let label = match line.label {
                    "" => "  -".to_owned(),
                    label => format!("- **{}**", escape(label)),
                };
                text.push_str(&format!("{label} {}\n", escape(&visible(&line.text))));
            }
            Block::Command(command) => {
                let label = escape(command.label);
                text.push_str(&format!("- **{label}** {}\n", code(&command.quoted().join(" "))));
            }
            Block::Grid(grid) => push_grid(&mut text, grid),
        }
        in_list = is_line;
    }
    text
}

fn push_grid(text: &mut String, grid: &Grid) {
    let titles = grid.columns.iter().map(|column| escape(column.title.join(" ").trim()));
    push_row(text, titles);
    let sides = grid.columns.iter().map(|column| match column.align {
        Align::Left => ":---".to_owned(),
        Align::Right => "---:".to_owned(),
    });
    push_row(text, sides);
    let first_sum = grid.rows.len().saturating_sub(grid.sums);
    for (at, row) in grid.rows.iter().enumerate() {
        push_row(text, row.iter().map(|cell| cell_text(cell, at >= first_sum)));
    }
}

fn push_row(text: &mut String, cells: impl Iterator<Item = String>) {
    text.push('|');
    for cell in cells {
        text.push(' ');
        text.push_str(&cell);
        text.push_str(" |");
    }
    text.push('\n');
}

fn cell_text(cell: &GridCell, is_sum: bool) -> String {
    let text = visible(&cell.text);
    match (text.is_empty(), cell.is_name, is_sum) {
        (true, ..) => String::new(),
        (_, true, _) => code(&text),
        (_, _, true) => format!("**{}**", escape(&text)),
        // A single tilde strikes nothing out and reads better bare.
        _ if text == "~" => text.into_owned(),
        _ => escape(&text),
    }
}

/// A name as code. What ends code or a cell stands as an entity, which only `<code>` shows as itself.
fn code(name: &str) -> String {
    if name.contains(['`', '|', '\\']) {
        format!("<code>{}</code>", entities(name))
    } else {
        format!("`{name}`")
    }
}

fn entities(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_alphanumeric() || matches!(c, ' ' | ':' | '.' | ',' | '(' | ')') {
            text.push(c);
        } else {
            text.push_str(&format!("&#{};", u32::from(c)));
        }
    }
    text
}

/// Words that markdown shows unchanged.
pub(crate) fn escape(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    let mut before = ' ';
    let mut rest = words.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '_' => {
                let run = 1 + std::iter::from_fn(|| rest.next_if_eq(&'_')).count();
                // Inside of a word it is itself.
                let is_inside = before.is_alphanumeric() && rest.peek().is_some_and(|c| c.is_alphanumeric());
                let shown = if is_inside { "_" } else { "\\_" };
                text.push_str(&shown.repeat(run));
            }
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '|' => text.push_str("&#124;"),
            '`' => text.push_str("&#96;"),
            '\\' | '*' | '[' | ']' | '~' | '#' => {
                text.push('\\');
                text.push(c);
            }
            _ => text.push(c),
        }
        before = c;
    }
    text
}

#[cfg(test)]
mod tests;
