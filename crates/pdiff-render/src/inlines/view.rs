//! What to show of a comparison of two builds' inlining, and how.

use pdiff_analysis::Pattern;
use pdiff_analysis::inlines::{
    Change, Flip, FunctionComparison, InlineComparison, InlineReason, InlineReasons,
};
use pdiff_profile::census::{Census, Function, FunctionId};
use pdiff_profile::{Notes, PerSide, Side};

/// A comparison of inlining, with what is known about the two files.
#[derive(Clone, Copy, Debug)]
pub struct InlinesView<'a> {
    /// The rows.
    pub comparison: &'a InlineComparison<'a>,
    /// The base build's file.
    pub before: &'a BuildFile,
    /// The other build's file.
    pub after: &'a BuildFile,
    /// The compilers' remarks on calls, if their reports were given.
    pub reasons: PerSide<Option<&'a InlineReasons>>,
    /// Which rows are shown, in every form.
    pub filter: &'a InlinesFilter,
    /// What was imperfect.
    pub notes: &'a Notes,
}

/// The file of a build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildFile {
    /// Its path as given.
    pub path: String,
    /// The stable identity of the file.
    pub object_id: String,
    /// Its build-id, in hexadecimal.
    pub build_id: Option<String>,
    /// The file its debug information was found in, where that is another one.
    pub debug_path: Option<String>,
}

/// Which rows are shown.
#[derive(Clone, Debug, Default)]
pub struct InlinesFilter {
    /// Only these changes; empty for all.
    pub changes: Vec<Change>,
    /// Only functions in whose name, of either side, this is found.
    pub function: Option<Pattern>,
}

/// How a table or markdown report is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InlinesOptions {
    /// Columns of the terminal; `None` for as many as it takes. Markdown has no width.
    pub width: Option<usize>,
    /// Whether escape sequences for colour may be written. Markdown has none.
    pub color: bool,
    /// How many rows of each change are shown; `None` for all.
    pub top: Option<usize>,
}

/// The call that a flip leaves on the side that does not inline.
#[derive(Clone, Copy)]
pub(crate) struct FlippedCall {
    /// After for a lost copy, Before for a gained one.
    pub(crate) side: Side,
    pub(crate) caller: FunctionId,
    pub(crate) callee: FunctionId,
}

impl FlippedCall {
    /// The call of a flip of a row; `None` if the function is not in the build that would call it.
    pub(crate) fn of(row: &FunctionComparison, flip: &Flip, side: Side) -> Option<Self> {
        // A row does not show a function of another object; what it was matched with is that function.
        let (caller, callee) = match side {
            Side::Before => (flip.caller_before, row.before.or(row.matched.map(|found| found.before))?),
            Side::After => (flip.caller_after, row.after.or(row.matched.map(|found| found.after))?),
        };
        Some(Self { side, caller, callee })
    }
}

impl InlinesFilter {
    /// Whether rows of a change are shown.
    fn takes_change(&self, change: Change) -> bool {
        self.changes.is_empty() || self.changes.contains(&change)
    }

    fn takes_names<'n>(&self, mut names: impl Iterator<Item = &'n str>) -> bool {
        self.function.as_ref().is_none_or(|pattern| names.any(|name| pattern.is_match(name)))
    }
}

impl<'a> InlinesView<'a> {
    /// The rows that the filter takes, in the comparison's order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &'a FunctionComparison> {
        let (comparison, filter) = (self.comparison, self.filter);
        comparison.functions.iter().filter(move |row| {
            let on = |side| comparison.function(row, side).map(Function::name);
            filter.takes_change(row.change) && filter.takes_names(Side::BOTH.into_iter().filter_map(on))
        })
    }

    /// Why a call of a flip is not inlined, in the compiler's words.
    pub(crate) fn reasons_of(&self, call: FlippedCall) -> Vec<InlineReason> {
        self.reasons[call.side]
            .map_or_else(Vec::new, |said| said.of_call(self.census(call.side), call.caller, call.callee))
    }

    /// One side's file.
    pub(crate) fn file(&self, side: Side) -> &'a BuildFile {
        match side {
            Side::Before => self.before,
            Side::After => self.after,
        }
    }

    /// The facts of one side's build.
    pub(crate) fn census(&self, side: Side) -> &'a Census {
        match side {
            Side::Before => self.comparison.before,
            Side::After => self.comparison.after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inlines::sample::{builds, file, view};

    #[test]
    fn rows_are_taken_by_change_and_by_either_name() {
        let builds = builds();
        let comparison = builds.comparison();
        let (before, after, notes) = (file("a"), file("b"), Notes::new());
        let names = |changes: &[Change], pattern: Option<&str>| -> Vec<&str> {
            let function = pattern.map(|pattern| pattern.parse().unwrap());
            let filter = InlinesFilter { changes: changes.to_vec(), function };
            let view = InlinesView { filter: &filter, ..view(&comparison, &before, &after, &notes) };
            view.rows().map(|row| comparison.named(row).unwrap().name()).collect()
        };
        assert_eq!(names(&[Change::Lost], None), ["leaf"]);
        assert_eq!(names(&[Change::Lost, Change::New], None), ["comes", "leaf"]);
        assert_eq!(names(&[], Some("^goes$")), ["goes"]);
        assert!(names(&[Change::New], Some("leaf")).is_empty());
    }
}
