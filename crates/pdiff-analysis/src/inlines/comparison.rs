//! [`InlineComparison`]: one row per function of two builds.

use pdiff_profile::census::{Census, Function, FunctionId, Linkage};
use pdiff_profile::{PerSide, Side};
use rayon::prelude::*;

use super::change::Change;
use super::flip::{Flip, Partner, Place, RawFlip, flips};
use crate::matching::{Match, Matching, SourceMove, source_move};

/// The comparison of two builds' inlining.
#[derive(Clone, Debug)]
pub struct InlineComparison<'a> {
    /// Before's facts; ids in rows are of it.
    pub before: &'a Census,
    /// After's facts.
    pub after: &'a Census,
    /// One row per function, by name, then signature and file; those whose names are made when they are asked for come last, by
    /// linkage name.
    pub functions: Vec<FunctionComparison>,
}

/// One function of two builds.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionComparison {
    /// The function in Before's census, if Before has it in any form.
    pub before: Option<FunctionId>,
    /// The function in After's census, if After has it in any form.
    pub after: Option<FunctionId>,
    /// How the two were found to be one; `None` where one side has none.
    pub matched: Option<Match>,
    /// What happened to it.
    pub change: Change,
    /// Callers that contained it inlined in Before, and in After call it and contain no copy.
    pub confirmed_lost: Vec<Flip>,
    /// Callers that call it in Before and in After contain it inlined and call it no more.
    pub confirmed_gained: Vec<Flip>,
    /// Whether its source moved: a flip in the same file is the compiler's decision.
    pub source: SourceMove,
}

impl<'a> InlineComparison<'a> {
    /// A row's function on one side.
    #[must_use]
    pub fn function(&self, row: &FunctionComparison, side: Side) -> Option<Function<'a>> {
        match side {
            Side::Before => row.before.and_then(|id| self.before.function(id)),
            Side::After => row.after.and_then(|id| self.after.function(id)),
        }
    }

    /// The name of a row: After's name, because that code is current; Before's if After has none.
    #[must_use]
    pub fn named(&self, row: &FunctionComparison) -> Option<Function<'a>> {
        self.function(row, Side::After).or_else(|| self.function(row, Side::Before))
    }

    /// How many rows of a change there are.
    #[must_use]
    pub fn count(&self, change: Change) -> usize {
        self.functions.iter().filter(|row| row.change == change).count()
    }

    /// Whether both builds come from the same compilers; if not, they may cause changes of inlining. `None` where those of
    /// either are not known.
    #[must_use]
    pub fn same_compiler(&self) -> Option<bool> {
        let first = |census: &'a Census| census.producers().first();
        first(self.before).zip(first(self.after)).map(|(before, after)| before.same_compiler(after))
    }
}

/// Compares the inlining of two builds.
///
/// ```
/// use pdiff_analysis::Aliases;
/// use pdiff_analysis::inlines::{Change, compare_inlines};
/// use pdiff_analysis::matching::match_functions;
/// use pdiff_profile::ObjectAddr;
/// use pdiff_profile::census::{Body, CensusBuilder, FunctionFacts, Visibility};
///
/// let census = |bytes| {
///     let mut builder = CensusBuilder::new(Visibility::DebugInfo);
///     let name = builder.text("leaf");
///     let leaf = builder.function(FunctionFacts::named(name));
///     builder.body(leaf, Body::at(ObjectAddr(0x1000), bytes));
///     builder.finish()
/// };
/// let (before, after) = (census(100), census(140));
/// let comparison = compare_inlines(&before, &after, &match_functions(&before, &after, &Aliases::default()));
/// assert_eq!(comparison.functions[0].change, Change::Grew);
/// ```
#[must_use]
pub fn compare_inlines<'a>(
    before: &'a Census,
    after: &'a Census,
    matching: &Matching,
) -> InlineComparison<'a> {
    let is_row = |function: &Function<'_>| {
        function.is_present() && function.linkage() != Linkage::Imported && function.alias_of().is_none()
    };
    let comparer = Comparer { before, after, matching };
    let row_of_before = |function: Function<'a>| {
        let partner = matching.after_of(function.id()).and_then(|found| after.function(found.after));
        comparer.row(Some(function), partner.filter(|f| is_callable(*f)))
    };
    let row_of_after = |function: Function<'a>| {
        let partner = matching.before_of(function.id()).and_then(|found| before.function(found.before));
        let has_row = partner.is_some_and(|partner| is_row(&partner));
        (!has_row).then(|| comparer.row(partner.filter(|f| is_callable(*f)), Some(function)))
    };
    let [of_before, of_after] =
        [before, after].map(|census| census.functions().filter(is_row).collect::<Vec<Function<'a>>>());
    let rows: Vec<FunctionComparison> = of_before.into_par_iter().map(row_of_before).collect();
    let (mut in_after, gone): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.after.is_some());
    in_after.par_extend(of_after.into_par_iter().filter_map(row_of_after));
    let mut comparison = InlineComparison { before, after, functions: Vec::new() };
    let key = |row: &FunctionComparison| {
        let facts = comparison.named(row).map(|function| match function.linkage_name() {
            Some(symbol) if function.is_mangled() => (true, symbol, None, function.file()),
            _ => (false, function.name(), function.parameters(), function.file()),
        });
        (facts, row.before, row.after)
    };
    // Ids follow the order of names, so that names need only be compared where the two lists meet.
    in_after.par_sort_unstable_by_key(|row| (row.after, row.before));
    let rows = merged(in_after, gone, |a, b| key(a) <= key(b));
    comparison.functions = rows;
    comparison
}

/// The confirmed flips of one pair of functions, where both builds hold them, by the side on which the function is inlined:
/// losses and gains, those of its row.
pub(crate) fn confirmed_flips(
    before: &Census,
    after: &Census,
    matching: &Matching,
    found: &Match,
) -> PerSide<Vec<Flip>> {
    let pair = before.function(found.before).zip(after.function(found.after));
    let is_clear = |(before, after): &(Function<'_>, Function<'_>)| {
        !found.is_ambiguous && is_callable(*before) && is_callable(*after)
    };
    let comparer = Comparer { before, after, matching };
    let flips = |(before, after)| comparer.flips(before, after, found.level.is_exact());
    pair.filter(is_clear)
        .map(flips)
        .map_or_else(Default::default, |(lost, gained, _)| PerSide::new(lost, gained))
}

/// Whether a build has a function in some form, or calls it in another object.
fn is_callable(function: Function<'_>) -> bool {
    function.is_present() || function.linkage() == Linkage::Imported
}

/// Two sorted lists as one.
fn merged<T>(left: Vec<T>, right: Vec<T>, is_in_order: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut all = Vec::with_capacity(left.len() + right.len());
    let mut left = left.into_iter().peekable();
    for next in right {
        while let Some(before) = left.next_if(|first| is_in_order(first, &next)) {
            all.push(before);
        }
        all.push(next);
    }
    all.extend(left);
    all
}

struct Comparer<'a, 'm> {
    before: &'a Census,
    after: &'a Census,
    matching: &'m Matching,
}

impl Comparer<'_, '_> {
    fn row(&self, before: Option<Function<'_>>, after: Option<Function<'_>>) -> FunctionComparison {
        let matched = match (before, after) {
            (Some(before), Some(_)) => self.matching.after_of(before.id()).copied(),
            _ => None,
        };
        let (confirmed_lost, confirmed_gained, has_flips) = match (before, after, matched) {
            (Some(before), Some(after), Some(found)) if !found.is_ambiguous => {
                self.flips(before, after, found.level.is_exact())
            }
            _ => (Vec::new(), Vec::new(), false),
        };
        let change = self.change(before, after, has_flips);
        // What lies in another object is absent from this one.
        let held = |function: Option<Function<'_>>| {
            function.filter(|function| function.linkage() != Linkage::Imported).map(Function::id)
        };
        FunctionComparison {
            before: held(before),
            after: held(after),
            matched,
            change,
            confirmed_lost,
            confirmed_gained,
            source: source_move(before.and_then(Function::file), after.and_then(Function::file)),
        }
    }

    /// Confirmed losses and gains, and whether there are any, unconfirmed ones included.
    fn flips(
        &self,
        before: Function<'_>,
        after: Function<'_>,
        is_exact: bool,
    ) -> (Vec<Flip>, Vec<Flip>, bool) {
        let here = Place { census: self.before, function: before.target() };
        let there = Place { census: self.after, function: after.target() };
        let lost = flips(here, there, |caller| Partner::in_after(self.matching, caller));
        let gained = flips(there, here, |caller| Partner::in_before(self.matching, caller));
        let has_flips = !lost.is_empty() || !gained.is_empty();
        let confirmed = |flips: Vec<RawFlip>, flip: fn(RawFlip) -> Flip| {
            let mut flips: Vec<Flip> =
                flips.into_iter().filter(|raw| raw.is_proof && is_exact).map(flip).collect();
            flips.sort_unstable();
            flips
        };
        let lost = confirmed(lost, |raw| Flip {
            caller_before: raw.copied_in,
            caller_after: raw.called_in,
            sites: raw.sites,
        });
        let gained = confirmed(gained, |raw| Flip {
            caller_before: raw.called_in,
            caller_after: raw.copied_in,
            sites: raw.sites,
        });
        (lost, gained, has_flips)
    }

    fn change(&self, before: Option<Function<'_>>, after: Option<Function<'_>>, has_flips: bool) -> Change {
        let (before, after) = match (before, after) {
            (Some(before), Some(after)) => (before, after),
            (None, Some(_)) if self.before.sees_inlines() => return Change::New,
            (Some(_), None) if self.after.sees_inlines() => return Change::Gone,
            _ => return Change::NotVisible,
        };
        let by_size = Change::of_sizes(before.code_bytes(), after.code_bytes());
        if !self.before.sees_inlines() || !self.after.sees_inlines() {
            return by_size.unwrap_or(Change::NotVisible);
        }
        match (before.inlined_instances() > 0, after.inlined_instances() > 0) {
            (true, false) => Change::Lost,
            (false, true) => Change::Gained,
            (true, true) if has_flips => Change::Mixed,
            _ => by_size.unwrap_or(Change::Same),
        }
    }
}
