//! The line table of one unit: from which address on which file and line.
//!
//! Only rows that reach into wanted ranges are kept. Of rows at one address the last one counts. Line 0 means that the
//! compiler knows none.

use std::ops::Range;

use gimli::LineRow as GimliRow;
use rustc_hash::FxHashMap;

use crate::binary::dwarf::{Dwarf, Unit};
use crate::binary::source_path::join_path;

/// Longest path taken from a line table.
const MAX_PATH_BYTES: usize = 4096;

/// From an address on, a place in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LineRow {
    pub(crate) addr: u64,
    /// File by the line table; `None`: no source from here on.
    pub(crate) file: Option<u64>,
    /// From 1; 0 is unknown.
    pub(crate) line: u32,
}

/// Reads the rows that reach into `ranges` (sorted, not overlapping); sorted by address, each address once.
pub(crate) fn read_rows(unit: &Unit<'_>, ranges: &[Range<u64>]) -> Vec<LineRow> {
    let Some(program) = unit.line_program.clone() else { return Vec::new() };
    let mut collector = Collector { ranges, at: 0, rows: Vec::new(), pending: None };
    let mut rows = program.rows();
    while let Ok(Some((_, row))) = rows.next_row() {
        collector.add(row);
    }
    let mut rows = collector.rows;
    rows.sort_by_key(|row| (row.addr, row.file.is_some()));
    rows.reverse();
    rows.dedup_by_key(|row| row.addr);
    rows.reverse();
    rows
}

struct Collector<'r> {
    ranges: &'r [Range<u64>],
    /// The first range that ends after the pending row.
    at: usize,
    rows: Vec<LineRow>,
    pending: Option<LineRow>,
}

impl Collector<'_> {
    fn add(&mut self, row: &GimliRow) {
        let addr = row.address();
        if let Some(pending) = self.pending.filter(|pending| pending.addr < addr)
            && self.reaches(pending.addr, addr)
        {
            self.rows.push(pending);
            if row.end_sequence() {
                self.rows.push(LineRow { addr, file: None, line: 0 });
            }
        }
        let line = row.line().and_then(|line| u32::try_from(line.get()).ok()).unwrap_or(0);
        self.pending = (!row.end_sequence()).then_some(LineRow { addr, file: Some(row.file_index()), line });
    }

    fn reaches(&mut self, start: u64, end: u64) -> bool {
        let is_before = |range: &Range<u64>| range.end <= start;
        let next_is_before = |at: usize| self.ranges.get(at).is_some_and(is_before);
        if self.at > 0 && !self.ranges.get(self.at - 1).is_some_and(is_before) || next_is_before(self.at) {
            self.at = self.ranges.partition_point(is_before);
        }
        self.ranges.get(self.at).is_some_and(|range| range.start < end)
    }
}

/// The files of a unit's line table as paths, made when asked for.
pub(crate) struct Files<'r, 'a> {
    dwarf: &'r Dwarf<'a>,
    unit: &'r Unit<'a>,
    paths: FxHashMap<u64, Option<String>>,
}

impl<'r, 'a> Files<'r, 'a> {
    pub(crate) fn new(dwarf: &'r Dwarf<'a>, unit: &'r Unit<'a>) -> Self {
        Self { dwarf, unit, paths: FxHashMap::default() }
    }

    /// The path of a file, see [`file_path`].
    pub(crate) fn path(&mut self, index: u64) -> Option<&str> {
        let (dwarf, unit) = (self.dwarf, self.unit);
        self.paths.entry(index).or_insert_with(|| file_path(dwarf, unit, index)).as_deref()
    }
}

/// The path of a file of a unit's line table, joined to its directories, with `.` and `..` folded.
pub(crate) fn file_path<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, index: u64) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    let file = header.file(index)?;
    let text = |value| dwarf.attr_string(unit, value).ok().map(|slice| slice.to_string_lossy());
    let comp_dir = unit.comp_dir.map(|slice| slice.to_string_lossy());
    // Directory 0 is the compilation directory, by convention before DWARF 5 and by the table from then on.
    let directory = match file.directory_index() {
        0 if header.version() <= 4 => None,
        _ => file.directory(header).and_then(text),
    };
    let name = text(file.path_name())?;
    let parts = [comp_dir.as_deref(), directory.as_deref(), Some(&*name)];
    let path = join_path(parts.into_iter().flatten());
    (!path.is_empty() && path.len() <= MAX_PATH_BYTES).then_some(path)
}
