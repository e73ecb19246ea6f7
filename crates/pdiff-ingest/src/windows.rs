//! Windows files: what each recording's run did beside its samples.
//!
//! Tab separated text with a header line. Columns, in any order, others are ignored:
//!
//! ```text
//! capture              the recording's file stem (80-r1 for 80-r1.perf.zst); required
//! operations           operations done inside the window   (also: transactions, window_transactions)
//! tps                  operations per second               (also: qps, ops_per_s)
//! cpu_seconds          CPU seconds of the process inside the window   (also: window_cpu_seconds)
//! window_s             length of the window in seconds
//! ```
//!
//! An empty field or `-` says that the value is not known. Two columns of one meaning are refused: which of them holds?

use std::collections::HashSet;

use pdiff_profile::RunMeasures;

/// The data of a windows file for its recordings.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Windows {
    runs: Vec<(Box<str>, RunMeasures)>,
}

/// An error in a windows file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WindowsError {
    /// The header lacks the column that names recordings.
    #[error("line 1: no column 'capture'; hint: the file is tab separated, its first line names the columns")]
    NoCaptureColumn,
    /// No other column is known.
    #[error(
        "line 1: none of the columns operations, tps, cpu_seconds, window_s; hint: the file is tab separated"
    )]
    NothingMeasured,
    /// Two columns of one meaning.
    #[error("line 1: columns '{first}' and '{second}' mean the same; hint: leave one of them out")]
    SameMeaning {
        /// The one that is first.
        first: Box<str>,
        /// The other.
        second: Box<str>,
    },
    /// A field that is not a positive number.
    #[error("line {line}: {column} '{text}' is not a positive number")]
    NotANumber {
        /// Line, from 1.
        line: usize,
        /// Column.
        column: Box<str>,
        /// What is there.
        text: Box<str>,
    },
    /// A recording that is listed twice.
    #[error("line {line}: capture '{capture}' is listed twice")]
    Twice {
        /// Line, from 1.
        line: usize,
        /// The recording.
        capture: Box<str>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Capture,
    Operations,
    Tps,
    CpuSeconds,
    WindowS,
    Other,
}

impl Column {
    fn named(name: &str) -> Self {
        match name.trim() {
            "capture" => Self::Capture,
            "operations" | "transactions" | "window_transactions" => Self::Operations,
            "tps" | "qps" | "ops_per_s" => Self::Tps,
            "cpu_seconds" | "window_cpu_seconds" => Self::CpuSeconds,
            "window_s" => Self::WindowS,
            _ => Self::Other,
        }
    }
}

impl Windows {
    /// Reads a windows file.
    ///
    /// # Errors
    /// [`WindowsError`] with the line that is wrong.
    ///
    /// ```
    /// let windows = pdiff_ingest::Windows::parse("capture\ttps\nbase-r1\t30158.7\n")?;
    /// assert_eq!(windows.get("base-r1").and_then(|run| run.tps), Some(30158.7));
    /// # Ok::<(), pdiff_ingest::WindowsError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, WindowsError> {
        let mut lines = text.lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line.trim_start_matches('\u{feff}'));
        let names: Vec<&str> = header.split('\t').collect();
        let columns: Vec<Column> = names.iter().map(|name| Column::named(name)).collect();
        if !columns.iter().any(|column| matches!(column, Column::Capture)) {
            return Err(WindowsError::NoCaptureColumn);
        }
        if columns.iter().all(|column| matches!(column, Column::Capture | Column::Other)) {
            return Err(WindowsError::NothingMeasured);
        }
        check_meanings(&names, &columns)?;
        let (mut windows, mut known) = (Self::default(), HashSet::new());
        for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#')) {
            let (capture, measures) = parse_row(line, index + 1, &names, &columns)?;
            if !known.insert(capture.clone()) {
                return Err(WindowsError::Twice { line: index + 1, capture });
            }
            windows.runs.push((capture, measures));
        }
        Ok(windows)
    }

    /// What is known about the recording of this file stem.
    #[must_use]
    pub fn get(&self, capture: &str) -> Option<RunMeasures> {
        self.runs.iter().find(|(name, _)| &**name == capture).map(|(_, measures)| *measures)
    }

    /// The recordings that the file refers to.
    pub fn captures(&self) -> impl Iterator<Item = &str> {
        self.runs.iter().map(|(name, _)| &**name)
    }
}

fn check_meanings(names: &[&str], columns: &[Column]) -> Result<(), WindowsError> {
    let mut known: Vec<(Column, &str)> = Vec::new();
    for (column, name) in columns.iter().zip(names).filter(|(column, _)| **column != Column::Other) {
        if let Some((_, first)) = known.iter().find(|(of_known, _)| of_known == column) {
            let (first, second) = (first.trim().into(), name.trim().into());
            return Err(WindowsError::SameMeaning { first, second });
        }
        known.push((*column, *name));
    }
    Ok(())
}

fn parse_row(
    line: &str,
    number: usize,
    names: &[&str],
    columns: &[Column],
) -> Result<(Box<str>, RunMeasures), WindowsError> {
    let mut capture: Box<str> = "".into();
    let mut measures = RunMeasures::default();
    for ((field, column), name) in line.split('\t').zip(columns).zip(names) {
        let value = match column {
            Column::Capture => {
                capture = field.trim().into();
                continue;
            }
            Column::Other => continue,
            _ => positive(field, number, name)?,
        };
        match column {
            Column::Operations => measures.operations = value,
            Column::Tps => measures.tps = value,
            Column::CpuSeconds => measures.cpu_seconds = value,
            _ => measures.window_s = value,
        }
    }
    Ok((capture, measures))
}

fn positive(field: &str, line: usize, column: &str) -> Result<Option<f64>, WindowsError> {
    let field = field.trim();
    if field.is_empty() || field == "-" {
        return Ok(None);
    }
    match field.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(Some(value)),
        _ => Err(WindowsError::NotANumber { line, column: column.trim().into(), text: field.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_and_others_are_ignored() {
        let text = "capture\tversion\twindow_transactions\ttps\twindow_cpu_seconds\na\t5.7\t10\t2.5\t-\n\n";
        let run = Windows::parse(text).unwrap().get("a").unwrap();
        assert_eq!((run.operations, run.tps, run.cpu_seconds), (Some(10.0), Some(2.5), None));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let check = |text, expected: &str| {
            let error = Windows::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("", "no column 'capture'");
        check("capture\tversion\n", "none of the columns");
        check("capture\ttps\tqps\na\t1\t2\n", "'tps' and 'qps' mean the same; hint:");
        check("capture\ttps\na\t1\nb\tmany\n", "line 3: tps 'many'");
        check("capture\ttps\na\t-1\n", "line 2: tps '-1'");
        check("capture\ttps\na\tNaN\n", "line 2: tps 'NaN'");
        check("capture\ttps\na\t1\na\t2\n", "line 3: capture 'a' is listed twice");
    }
}
