//! A report for readers before it has a form: lines and grids. A terminal table and markdown are two forms of one page.
//!
//! Texts in a page are as they came; the forms make them safe to show.

pub(crate) mod markdown;
pub(crate) mod number;
pub(crate) mod options;
pub(crate) mod ranked_columns;
pub(crate) mod short_name;
pub(crate) mod table;
pub(crate) mod visible_text;

/// Spaces between two columns of a grid.
pub(crate) const COLUMN_GAP: usize = 2;

/// What a text says, beside its words: the form may show it as colour, and never as colour alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Tone {
    /// Nothing.
    #[default]
    Plain,
    /// Titles and totals.
    Strong,
    /// What a reader may skip.
    Dim,
    /// More cost than before.
    Worse,
    /// Less cost than before.
    Better,
    /// What may mislead.
    Warning,
    /// What makes the sides incomparable.
    Grave,
}

/// One part of a page.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Block {
    /// A sentence under a short label.
    Line(Line),
    /// A command that a reader may paste into a shell.
    Command(CommandLine),
    /// Rows and columns.
    Grid(Grid),
    /// Room between parts.
    Gap,
}

/// A sentence under a short label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    /// At most [`Line::LABEL_WIDTH`] columns wide, less one.
    pub(crate) label: &'static str,
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

impl Line {
    /// Columns that labels take.
    pub(crate) const LABEL_WIDTH: usize = 9;

    /// A line without a tone.
    pub(crate) fn block(label: &'static str, text: impl Into<String>) -> Block {
        Self::toned(label, text, Tone::Plain)
    }

    /// A line with a tone.
    pub(crate) fn toned(label: &'static str, text: impl Into<String>, tone: Tone) -> Block {
        Block::Line(Self { label, text: text.into(), tone })
    }
}

/// A command under a short label, as words that are not quoted yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CommandLine {
    /// As of a [`Line`].
    pub(crate) label: &'static str,
    pub(crate) words: Vec<String>,
}

impl CommandLine {
    /// Its words as a shell wants them; what moves a terminal's cursor is left out.
    pub(crate) fn quoted(&self) -> Vec<String> {
        self.words.iter().map(|word| quoted(&visible_text::visible(word))).collect()
    }
}

/// A word as a shell wants it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain =
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_:.,/=+@%-".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Rows and columns. Every row has a cell for every column.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Grid {
    pub(crate) columns: Vec<GridColumn>,
    pub(crate) rows: Vec<Vec<GridCell>>,
    /// How many of the last rows are sums.
    pub(crate) sums: usize,
}

impl Grid {
    /// Whether a column has this as the lower line of its title.
    pub(crate) fn has_column(&self, title: &str) -> bool {
        self.columns.iter().any(|column| column.title[1] == title)
    }

    /// Takes columns away, by the lower line of their titles.
    pub(crate) fn drop_columns(&mut self, is_dropped: impl Fn(&str) -> bool) {
        let kept: Vec<bool> = self.columns.iter().map(|column| !is_dropped(&column.title[1])).collect();
        let mut keep = kept.iter();
        self.columns.retain(|_| keep.next().is_some_and(|kept| *kept));
        for row in &mut self.rows {
            let mut keep = kept.iter();
            row.retain(|_| keep.next().is_some_and(|kept| *kept));
        }
    }
}

/// One column's heading and side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GridColumn {
    /// Two lines; either may be empty.
    pub(crate) title: [String; 2],
    pub(crate) align: Align,
}

/// To which side a column is flush.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// One cell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct GridCell {
    pub(crate) text: String,
    pub(crate) tone: Tone,
    /// The text is a name out of a program, not a word of this report.
    pub(crate) is_name: bool,
}

impl GridCell {
    /// A cell without a tone.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A cell with a tone.
    pub(crate) fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone, is_name: false }
    }

    /// A name out of a program.
    pub(crate) fn name(text: impl Into<String>) -> Self {
        Self { text: text.into(), tone: Tone::Plain, is_name: true }
    }
}

/// Sections with room between them; empty ones leave none.
pub(crate) fn apart(sections: impl IntoIterator<Item = Vec<Block>>) -> Vec<Block> {
    let mut page = Vec::new();
    for section in sections.into_iter().filter(|section| !section.is_empty()) {
        if !page.is_empty() {
            page.push(Block::Gap);
        }
        page.extend(section);
    }
    page
}
