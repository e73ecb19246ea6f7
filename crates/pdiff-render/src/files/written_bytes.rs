//! Reports as bytes: JSON by serde, CSV by csv. One place for what their writers may refuse.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::Value;

use crate::document::visible_text::{is_hidden, visible};
use crate::error::Error;
use crate::files::column::{Column, Values};

/// A report as one line of JSON.
pub(crate) fn json_line(report: &impl Serialize) -> Result<Vec<u8>, Error> {
    let mut line = Vec::new();
    write_json_line(report, &mut line)?;
    Ok(line)
}

/// Writes a report as one line of JSON, piece by piece: large ones have hundreds of megabytes.
pub(crate) fn write_json_line(report: &impl Serialize, out: impl Write) -> Result<(), Error> {
    let mut out = BufWriter::new(out);
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Escaping);
    report.serialize(&mut serializer).map_err(json_refused)?;
    out.write_all(b"\n").and_then(|()| out.flush()).map_err(|source| Error::Write { source })
}

/// A report as one JSON object in many lines, for readers.
pub(crate) fn json_indented(report: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec_pretty(report).map(with_escapes).map(ended).map_err(json_refused)
}

/// A report as a value of JSON.
pub(crate) fn json_value(report: &impl Serialize) -> Result<Value, Error> {
    serde_json::to_value(report).map_err(json_refused)
}

/// Why JSON was not written.
pub(crate) fn json_refused(error: serde_json::Error) -> Error {
    if error.is_io() {
        Error::Write { source: io::Error::from(error) }
    } else {
        Error::Json { reason: error.to_string() }
    }
}

/// A column of numbers; what is not a number is empty.
pub(crate) fn numbers(name: &str, values: impl Iterator<Item = Option<f64>>) -> Column {
    Column::new(name.to_owned(), values.collect::<Vec<_>>())
}

/// Columns of `height` rows as CSV, a header line first. What is absent is empty.
pub(crate) fn csv_lines(height: usize, columns: Vec<Column>) -> Result<Vec<u8>, Error> {
    let mut lines = Vec::new();
    write_csv_lines([(height, columns)], &mut lines)?;
    Ok(lines)
}

/// Writes the same in parts of so many rows: all cells of large reports together take more memory than what they are made of.
pub(crate) fn write_csv_lines(
    parts: impl IntoIterator<Item = (usize, Vec<Column>)>,
    out: impl Write,
) -> Result<(), Error> {
    let mut writer = csv::Writer::from_writer(out);
    for (number, (height, columns)) in parts.into_iter().enumerate() {
        if number == 0 {
            writer.write_record(columns.iter().map(|column| &column.name)).map_err(csv_refused)?;
        }
        for row in 0..height {
            let cells: Vec<Cell<'_>> = columns.iter().map(|column| Cell::of(&column.values, row)).collect();
            writer.serialize(cells).map_err(csv_refused)?;
        }
    }
    writer.flush().map_err(|source| Error::Write { source })
}

/// Why CSV was not written.
fn csv_refused(error: csv::Error) -> Error {
    let reason = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(source) => Error::Write { source },
        _ => Error::Columns { format: "CSV", reason },
    }
}

/// One value of a line.
#[derive(Serialize)]
#[serde(untagged)]
enum Cell<'a> {
    Word(Option<Cow<'a, str>>),
    Count(Option<u64>),
    Number(Option<f64>),
    Flag(Option<bool>),
}

impl<'a> Cell<'a> {
    fn of(values: &'a Values, row: usize) -> Self {
        match values {
            Values::Words(values) => Self::Word(values.get(row).and_then(Option::as_deref).map(csv_text)),
            Values::Counts(values) => Self::Count(values.get(row).copied().flatten()),
            Values::Numbers(values) => Self::Number(values.get(row).copied().flatten()),
            Values::Flags(values) => Self::Flag(values.get(row).copied().flatten()),
        }
    }
}

/// Text of a cell: what is invisible is spelled out, and what a spreadsheet would run as a formula has an apostrophe in front.
fn csv_text(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    let is_formula = shown.starts_with(['=', '+', '-', '@']) && shown.parse::<f64>().is_err();
    if is_formula { Cow::Owned(format!("'{shown}")) } else { shown }
}

/// Compact JSON with every invisible character of its strings as an escape, which reads back as the character.
struct Escaping;

impl serde_json::ser::Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        match is_plain(fragment.as_bytes()) {
            true => out.write_all(fragment.as_bytes()),
            false => out.write_all(escaped(fragment).as_bytes()),
        }
    }
}

/// The same of JSON that is written. Outside of strings there are none.
fn with_escapes(json: Vec<u8>) -> Vec<u8> {
    if is_plain(&json) {
        return json;
    }
    match std::str::from_utf8(&json) {
        Ok(text) => escaped(text).into_bytes(),
        Err(_) => json,
    }
}

fn is_plain(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n'))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 64);
    let mut units = [0; 2];
    for c in text.chars() {
        if c == '\n' || !is_hidden(c) {
            escaped.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

fn ended(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_and_invisible_characters_do_not_pass() {
        let words = ["=cmd|' /C calc'!A0", "+a1", "-f", "@x", "-1.5", "a\u{1b}[2J\u{9b}\u{202e}b", "plain"];
        let column = Column::new("name".to_owned(), words.map(|word| Some(word.to_owned())).to_vec());
        let csv = String::from_utf8(csv_lines(words.len(), vec![column]).unwrap()).unwrap();
        let lines: Vec<&str> = csv.lines().collect();
        let expected = [
            "name",
            "'=cmd|' /C calc'!A0",
            "'+a1",
            "'-f",
            "'@x",
            "-1.5",
            "a\\x1b[2J\\x9b\\u{202e}b",
            "plain",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn json_has_no_invisible_character_and_reads_back_the_same() {
        let text = "a\u{1b}\u{7f}\u{9b}\u{202e}\u{e0001}é日";
        let json = json_line(&text).unwrap();
        let written = std::str::from_utf8(&json).unwrap();
        assert!(!written.trim_end().chars().any(is_hidden), "{written:?}");
        assert!(written.contains("é日"));
        assert_eq!(serde_json::from_slice::<String>(&json).unwrap(), text);
    }
}
