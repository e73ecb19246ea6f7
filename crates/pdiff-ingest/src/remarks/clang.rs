//! Clang's optimization records in YAML (`-fsave-optimization-record`).
//!
//! ```text
//! --- !Missed
//! Pass:            inline
//! Name:            TooCostly
//! DebugLoc:        { File: a.cc, Line: 9, Column: 49 }
//! Function:        _Z1gi
//! Args:
//!   - String:          ''''
//!   - Callee:          _Z1fi
//!     DebugLoc:        { File: a.cc, Line: 8, Column: 0 }
//!   - String:          ''' not inlined into '''
//!   - Caller:          _Z1gi
//!   - String:          ''' because too costly to inline '
//!   - Cost:            '275'
//!   - Threshold:       '225'
//! ...
//! ```
//!
//! LLVM writes one form of YAML only: a key a line, strings plain or quoted, and maps in braces that may go on in the next
//! line. So lines are read, not YAML at large.

use pdiff_profile::names::FunctionName;
use pdiff_profile::{InlineRemark, RemarkName, RemarkPlace};

use super::RemarksError;

pub(super) fn is_format(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with("--- !"))
}

pub(super) fn parse(text: &str) -> Result<Vec<InlineRemark>, RemarksError> {
    let mut remarks = Vec::new();
    let mut record = Record::default();
    for (index, line) in text.lines().enumerate() {
        if let Some(kind) = line.strip_prefix("--- !") {
            remarks.extend(std::mem::take(&mut record).remark());
            record.kind = kind.trim();
        } else {
            record.take(line).ok_or(RemarksError::Malformed {
                line: index + 1,
                expected: "a line of an optimization record",
            })?;
        }
    }
    remarks.extend(record.remark());
    Ok(remarks)
}

/// A record while it is read.
#[derive(Default)]
struct Record<'a> {
    kind: &'a str,
    pass: &'a str,
    place: String,
    /// A map in braces that is not closed yet: whether it is that of the record.
    open: Option<bool>,
    /// Keys and values of what is said.
    said: Vec<(&'a str, String)>,
}

impl<'a> Record<'a> {
    /// Takes a line; `None` if there is none like it.
    fn take(&mut self, line: &'a str) -> Option<()> {
        if let Some(is_own) = self.open {
            if is_own {
                self.place.push_str(line.trim());
            }
            self.open = (!line.contains('}')).then_some(is_own);
            return Some(());
        }
        if line.trim().is_empty() || line == "..." {
            return Some(());
        }
        let (is_said, pair) = match line.strip_prefix("  - ") {
            Some(pair) => (true, pair),
            None => (false, line),
        };
        let (key, value) = pair.split_once(':')?;
        let (key, value) = (key.trim(), value.trim());
        if key == "DebugLoc" {
            let is_own = !line.starts_with(' ');
            if is_own {
                value.clone_into(&mut self.place);
            }
            self.open = (!value.contains('}')).then_some(is_own);
        } else if is_said {
            self.said.push((key, unquoted(value)));
        } else if key == "Pass" {
            self.pass = value;
        }
        Some(())
    }

    /// The remark on a call, if the record is about one.
    fn remark(self) -> Option<InlineRemark> {
        let is_inlined = match self.kind {
            "Passed" => true,
            "Missed" => false,
            _ => return None,
        };
        if !self.pass.contains("inline") {
            return None;
        }
        let value = |key: &str| self.said.iter().find(|(known, _)| *known == key).map(|(_, value)| &**value);
        let name = |key| Some(RemarkName { name: FunctionName::parse(value(key)?), lacks_scope: false });
        let number = |key| value(key)?.parse().ok();
        let (caller, callee) = (name("Caller")?, name("Callee")?);
        let behind = self.said.iter().skip_while(|(key, _)| !matches!(*key, "Caller" | "Callee"));
        let behind = behind.skip(1).skip_while(|(key, _)| !matches!(*key, "Caller" | "Callee")).skip(1);
        let words: String = behind.map(|(_, value)| &**value).collect();
        Some(InlineRemark {
            caller,
            callee,
            place: place(&self.place)?,
            is_inlined,
            is_early: false,
            words: words.trim_start_matches('\'').trim().into(),
            cost: number("Cost"),
            threshold: number("Threshold"),
        })
    }
}

/// `{ File: a.cc, Line: 9, Column: 49 }`. A file's name may hold commas if it is quoted.
fn place(map: &str) -> Option<RemarkPlace> {
    let inside = map.trim().strip_prefix('{')?.strip_suffix('}')?;
    let (file, numbers) = inside.rsplit_once("Line:")?;
    let (line, column) = numbers.split_once("Column:")?;
    let number = |text: &str| text.trim_matches([' ', ',']).parse().ok();
    let file = file.trim().strip_prefix("File:")?.trim().trim_end_matches(',');
    Some(RemarkPlace { file: unquoted(file).into(), line: number(line)?, column: number(column)? })
}

/// A plain, single-quoted or double-quoted string.
fn unquoted(value: &str) -> String {
    let within = |quote| value.strip_prefix(quote).and_then(|rest: &str| rest.strip_suffix(quote));
    match (within('\''), within('"')) {
        (Some(text), _) => text.replace("''", "'"),
        (None, Some(text)) => text.replace("\\\"", "\"").replace("\\\\", "\\"),
        (None, None) => value.to_owned(),
    }
}
