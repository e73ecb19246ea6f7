//! Rows by name: if several functions of an object have the same name, the row in the right file.

use rustc_hash::FxHashMap;

use crate::compare::{Row, SampledCall};
use crate::matching::file_likeness;

/// Finds rows, heaviest changes first.
pub(super) struct RowIndex<'a> {
    rows: &'a [Row],
    by_name: FxHashMap<(&'a str, &'a str), Vec<usize>>,
}

impl<'a> RowIndex<'a> {
    pub(super) fn new(rows: &'a [Row]) -> Self {
        let mut by_name: FxHashMap<(&str, &str), Vec<usize>> = FxHashMap::default();
        for (index, row) in rows.iter().enumerate() {
            by_name.entry((&row.name, &row.object)).or_default().push(index);
        }
        Self { rows, by_name }
    }

    /// The row of a function. Where there are several of its name, the one whose file is most like the one given; the
    /// first, where none is given or like it.
    pub(super) fn find(&self, name: &str, object: &str, file: Option<&str>) -> Option<usize> {
        let found = self.by_name.get(&(name, object))?;
        let likeness = |index: &usize| {
            let own = self.rows.get(*index).and_then(|row| row.file.as_deref());
            if own == file { u32::MAX } else { file_likeness(own, file) }
        };
        // The first of equals: max_by_key would take the last.
        found.iter().rev().copied().max_by_key(likeness)
    }

    /// The place of a row.
    pub(super) fn of(&self, row: &Row) -> Option<usize> {
        self.find(&row.name, &row.object, row.file.as_deref())
    }
}

impl SampledCall {
    pub(super) fn caller_in(&self, rows: &RowIndex<'_>) -> Option<usize> {
        rows.find(&self.caller, &self.caller_object, self.caller_file.as_deref())
    }

    pub(super) fn callee_in(&self, rows: &RowIndex<'_>) -> Option<usize> {
        rows.find(&self.callee, &self.callee_object, self.callee_file.as_deref())
    }
}
