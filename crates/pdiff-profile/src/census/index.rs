//! Rows grouped by function: where each function's rows begin, and a second order of the rows.

use super::function_facts::FunctionId;

/// Where each function's rows begin in a table sorted by that function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Starts(Vec<u32>);

impl Starts {
    /// From the functions of the rows in order; `None` if they decrease or are not below `functions`.
    pub(super) fn of(rows: impl Iterator<Item = FunctionId>, functions: usize) -> Option<Self> {
        let mut starts = Vec::with_capacity(functions + 1);
        let mut count = 0_u32;
        for function in rows {
            if function.index() + 1 < starts.len() || function.index() >= functions {
                return None;
            }
            starts.resize(function.index() + 1, count);
            count = count.checked_add(1)?;
        }
        starts.resize(functions + 1, count);
        Some(Self(starts))
    }

    /// The rows of a function.
    pub(super) fn slice<T>(&self, rows: &[T], function: FunctionId) -> std::ops::Range<usize> {
        let at = |index: usize| self.0.get(index).map_or(rows.len(), |start| *start as usize);
        let start = at(function.index()).min(rows.len());
        start..at(function.index() + 1).clamp(start, rows.len())
    }
}

/// The numbers of rows, grouped by another function of theirs than the one they are sorted by.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Grouping {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Grouping {
    /// By counting sort, so rows of one function stay in their order. Functions must be below `functions`.
    pub(super) fn of<T>(rows: &[T], functions: usize, function_of: impl Fn(&T) -> FunctionId) -> Self {
        let mut starts = vec![0_u32; functions + 1];
        for row in rows {
            if let Some(count) = starts.get_mut(function_of(row).index() + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut numbers = vec![0_u32; rows.len()];
        for (number, row) in (0_u32..).zip(rows) {
            if let Some(at) = next.get_mut(function_of(row).index()) {
                if let Some(place) = numbers.get_mut(*at as usize) {
                    *place = number;
                }
                *at += 1;
            }
        }
        Self { starts, rows: numbers }
    }

    /// The numbers of a function's rows.
    pub(super) fn rows_of(&self, function: FunctionId) -> &[u32] {
        let at = |index: usize| self.starts.get(index).map_or(self.rows.len(), |start| *start as usize);
        self.rows.get(at(function.index())..at(function.index() + 1)).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_either_function() {
        let rows = [(0, 2), (0, 1), (2, 1)].map(|(a, b)| (FunctionId(a), FunctionId(b)));
        let starts = Starts::of(rows.iter().map(|row| row.0), 3).unwrap();
        assert_eq!(starts.slice(&rows, FunctionId(0)), 0..2);
        assert_eq!(starts.slice(&rows, FunctionId(1)), 2..2);
        assert_eq!(starts.slice(&rows, FunctionId(2)), 2..3);
        assert_eq!(starts.slice(&rows, FunctionId(9)), 3..3);
        let by_second = Grouping::of(&rows, 3, |row| row.1);
        assert_eq!(by_second.rows_of(FunctionId(1)), [1, 2]);
        assert_eq!(by_second.rows_of(FunctionId(9)), []);
    }

    #[test]
    fn unsorted_and_unknown_functions_are_refused() {
        assert_eq!(Starts::of([FunctionId(1), FunctionId(0)].into_iter(), 2), None);
        assert_eq!(Starts::of([FunctionId(2)].into_iter(), 2), None);
    }
}
