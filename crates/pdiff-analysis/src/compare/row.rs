//! One row of a comparison: its identity, its weights on both sides, and its change.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use pdiff_profile::{PerSide, Presence, Side, Weight};

use super::family::InlineChange;
use super::measure_change::{CostChange, CostExtent, MeasureChange};
use crate::noise::{Detectable, Excess, Test};

/// Gives a type with quantities `before` and `after` a view of each and their differences.
macro_rules! of_both_sides {
    ($of:ty) => {
        impl $of {
            /// One side's quantities.
            #[must_use]
            pub fn side(&self, side: pdiff_profile::Side) -> &$crate::compare::Quantities {
                match side {
                    pdiff_profile::Side::Before => &self.before,
                    pdiff_profile::Side::After => &self.after,
                }
            }

            /// Change of the share of self, in points: after minus before.
            #[must_use]
            pub fn delta_self_pp(&self) -> f64 {
                self.after.self_pct - self.before.self_pct
            }

            /// Change of the share of self by symbol, in points.
            #[must_use]
            pub fn delta_booked_pp(&self) -> f64 {
                self.after.booked_self_pct - self.before.booked_self_pct
            }

            /// Change of the share of total, in points.
            #[must_use]
            pub fn delta_total_pp(&self) -> f64 {
                self.after.total_pct - self.before.total_pct
            }
        }
    };
}
pub(crate) use of_both_sides;

/// How the two names of a row came together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MatchedBy {
    /// The same name at the policy's level.
    Name,
    /// A known rename.
    Alias,
    /// One build has no name for it: it was inferred from the code of both.
    Structure,
}

/// How a row's function was found on both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowMatch {
    /// By name or by alias.
    pub by: MatchedBy,
    /// More than one function is behind the row on some side.
    pub ambiguous: bool,
    /// Its file on each side, where other functions of this name and object have rows of their own.
    pub by_file: Option<Box<PerSide<Option<String>>>>,
    /// The names that a known rename joined in it on each side; `None` where none did.
    pub joined: Option<Box<PerSide<JoinedNames>>>,
}

/// The names that a known rename joined in a row on one side.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JoinedNames {
    names: Vec<String>,
    /// All of them, separated by commas.
    shown: String,
}

impl JoinedNames {
    /// Of these names; none is an empty list.
    #[must_use]
    pub fn new(names: Vec<String>) -> Self {
        Self { shown: names.join(", "), names }
    }

    /// The names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// One row, behind a pointer: there may be hundreds of thousands, and what is large is moved slowly, and in one piece finds no place
/// among the memory that the stages before gave back.
#[derive(Clone, PartialEq, Debug)]
pub struct Row(Box<RowFields>);

impl Deref for Row {
    type Target = RowFields;

    fn deref(&self) -> &RowFields {
        &self.0
    }
}

impl DerefMut for Row {
    fn deref_mut(&mut self) -> &mut RowFields {
        &mut self.0
    }
}

impl From<RowFields> for Row {
    fn from(fields: RowFields) -> Self {
        Self(Box::new(fields))
    }
}

/// What a row says. Texts are those that rows have in common, and what few rows have is boxed.
#[derive(Clone, PartialEq, Debug)]
pub struct RowFields {
    /// Function, or the group's name.
    pub name: Arc<str>,
    /// Label of the object; empty for groups that span several objects.
    pub object: Arc<str>,
    /// Source file, if known.
    pub file: Option<Arc<str>>,
    /// Part of the program, for functions.
    pub subsystem: Option<Arc<str>>,
    /// Thread group, where shares are of thread groups.
    pub thread_group: Option<Arc<str>>,
    /// Its code has no name: one unnamed function, or all code of an object whose functions are not known.
    pub unresolved: bool,
    /// On which sides it has weight anywhere in a stack.
    pub presence: Presence,
    /// How its names came together.
    pub matched: RowMatch,
    /// On the base side; all zero if not present.
    pub before: Quantities,
    /// On the other side; all zero if not present.
    pub after: Quantities,
    /// Lower end of the 95 % interval of the change of self, in points.
    pub ci_low_pp: f64,
    /// Upper end of the 95 % interval of the change of self, in points.
    pub ci_high_pp: f64,
    /// Of a significant row: the interval that allows for its having been picked from many, in points.
    pub selected_interval_pp: Option<Box<(f64, f64)>>,
    /// Standard error of the change of self, in points.
    pub se_pp: f64,
    /// Degrees of freedom of the t distribution that `se_pp` is used with.
    pub degrees_of_freedom: f64,
    /// The test of "self did not change".
    pub test: Test,
    /// Beyond noise, and large enough to matter.
    pub significant: bool,
    /// Smallest change of self that would have been found 9 times in 10.
    pub detectable: Detectable,
    /// The same judgement of self by symbol, on its own.
    pub booked: MeasureChange,
    /// The same judgement of total, on its own.
    pub total: MeasureChange,
    /// How the function was inlined, and how that changed; `None` if it was not.
    pub inline: Option<Box<RowInline>>,
    /// Its part of the throughput gap; only if there is a gap.
    pub gap: Option<Box<RowGap>>,
    /// The change of self beyond the typical function; `None` without operations, without runs to compare, or if the row
    /// was not tested.
    pub beyond_typical: Option<Box<Excess>>,
    /// The change of self per operation; `None` without operations, without runs to compare, or if the row was not tested.
    pub cost_change: Option<Box<CostChange>>,
}

impl Row {
    /// Its names on a side: those that a known rename joined, else its own.
    pub fn names_on(&self, side: Side) -> impl Iterator<Item = &str> {
        let joined = self.joined(side);
        let own = joined.is_empty().then_some(&*self.name);
        joined.iter().map(String::as_str).chain(own)
    }

    /// The names that a known rename joined in it on a side.
    fn joined(&self, side: Side) -> &[String] {
        self.matched.joined.as_ref().map_or(&[], |joined| joined[side].names())
    }

    /// Its name on a side, several joined by a comma; `None` if it has no weight there.
    #[must_use]
    pub fn name_on(&self, side: Side) -> Option<&str> {
        let joined = self.matched.joined.as_ref().map(|joined| &joined[side]);
        let joined = joined.filter(|joined| !joined.names.is_empty());
        (self.side(side).total_weight > Weight::ZERO)
            .then(|| joined.map_or(&*self.name, |joined| &joined.shown))
    }

    /// The machine functions in which it was inlined on a side, heaviest first.
    #[must_use]
    pub fn inlined_into(&self, side: Side) -> &[InlinedInto] {
        self.inline.as_ref().map_or(&[], |inline| match side {
            Side::Before => &inline.before,
            Side::After => &inline.after,
        })
    }

    /// How its inlining in its callers changed; `None` if it did not, or if its callers differ in this.
    #[must_use]
    pub fn inline_change(&self) -> Option<InlineChange> {
        self.inline.as_ref().and_then(|inline| inline.change)
    }

    /// The family it belongs to, by number.
    #[must_use]
    pub fn family(&self) -> Option<usize> {
        self.inline.as_ref().and_then(|inline| inline.family)
    }

    /// The part of the throughput gap that its change of cost causes, in percent; `None` without a gap.
    #[must_use]
    pub fn gap_share_pct(&self) -> Option<f64> {
        self.gap.as_ref().map(|gap| gap.share_pct)
    }

    /// 95 % interval of [`Self::gap_share_pct`].
    #[must_use]
    pub fn gap_share_interval_pct(&self) -> Option<(f64, f64)> {
        self.gap.as_ref().map(|gap| gap.share_interval_pct)
    }

    /// Its part of the change in CPU per operation, in percent; `None` without a gap.
    #[must_use]
    pub fn cpu_change_share_pct(&self) -> Option<f64> {
        self.gap.as_ref().and_then(|gap| gap.cpu_change_share_pct)
    }

    /// Whether self costs more or less per operation, beyond noise and beyond what all functions have in common.
    #[must_use]
    pub fn has_own_cost_change(&self) -> bool {
        self.cost_change.as_ref().is_some_and(|change| change.extent == CostExtent::Own)
    }
}

of_both_sides!(Row);

/// A row's part of the throughput gap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RowGap {
    /// The part that its change of cost causes, in percent.
    pub share_pct: f64,
    /// 95 % interval of `share_pct`.
    pub share_interval_pct: (f64, f64),
    /// Its part of the change in CPU per operation, in percent: what the change is made of, and not what removing it would
    /// gain. `None` if CPU per operation did not change.
    pub cpu_change_share_pct: Option<f64>,
}

/// How a function stood inlined on both sides, as far as sampled addresses show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RowInline {
    /// Machine functions in which it was inlined on the base side, heaviest first.
    pub before: Vec<InlinedInto>,
    /// The same on the other side.
    pub after: Vec<InlinedInto>,
    /// How its inlining in its callers changed; `None` if it did not, or if its callers differ in this.
    pub change: Option<InlineChange>,
    /// The family it belongs to, by number.
    pub family: Option<usize>,
}

/// A machine function that contains an inlined instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlinedInto {
    /// Its name.
    pub caller: Arc<str>,
    /// Its source file, if known.
    pub caller_file: Option<Arc<str>>,
    /// Weight of leaves in the instance, or in what is inlined into it.
    pub weight: Weight,
}

/// One row on one side. Weights are sums over runs, shares are means of the runs' shares.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Quantities {
    /// Weight where the row's function is innermost at the leaf.
    pub self_weight: Weight,
    /// Weight where it is the machine function at the leaf.
    pub booked_self_weight: Weight,
    /// Weight where it is anywhere in the stack.
    pub total_weight: Weight,
    /// Number of samples behind `self_weight`.
    pub samples: u64,
    /// `self_weight` over the denominator, in percent.
    pub self_pct: f64,
    /// `booked_self_weight` over the denominator, in percent.
    pub booked_self_pct: f64,
    /// `total_weight` over the denominator, in percent.
    pub total_pct: f64,
    /// Its part in inline chains; `None` if it is only their machine function.
    pub inlining: Option<Box<InlinedQuantities>>,
    /// Self weight per operation.
    pub per_op: PerOperation,
}

/// What a row has on one side where it is inlined.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct InlinedQuantities {
    /// The part of the self weight where it was inlined.
    pub self_weight: Weight,
    /// Weight where it is anywhere in the leaf's inline chain.
    pub x_weight: Weight,
    /// `self_weight` over the denominator, in percent.
    pub self_pct: f64,
    /// `x_weight` over the denominator, in percent.
    pub x_pct: f64,
}

/// Self weight per operation, in the event's unit.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum PerOperation {
    /// The number of operations is not known.
    #[default]
    Unknown,
    /// Of an event that does not measure time.
    Weight(f64),
    /// Nanoseconds.
    Time(f64),
}

impl Quantities {
    /// The part of `self_weight` where it was inlined.
    #[must_use]
    pub fn inlined_self_weight(&self) -> Weight {
        self.inlining.as_ref().map_or(Weight::ZERO, |inlining| inlining.self_weight)
    }

    /// Weight where it is anywhere in the leaf's inline chain.
    #[must_use]
    pub fn x_weight(&self) -> Weight {
        self.inlining.as_ref().map_or(self.booked_self_weight, |inlining| inlining.x_weight)
    }

    /// [`Self::inlined_self_weight`] over the denominator, in percent.
    #[must_use]
    pub fn inlined_self_pct(&self) -> f64 {
        self.inlining.as_ref().map_or(0.0, |inlining| inlining.self_pct)
    }

    /// Samples of its own lines in its own machine code, in percent: self without what is inlined elsewhere.
    pub(crate) fn own_code_pct(&self) -> f64 {
        self.self_pct - self.inlined_self_pct()
    }

    /// [`Self::x_weight`] over the denominator, in percent.
    #[must_use]
    pub fn x_pct(&self) -> f64 {
        self.inlining.as_ref().map_or(self.booked_self_pct, |inlining| inlining.x_pct)
    }

    /// Self weight per operation, in the event's unit; `None` without operations.
    #[must_use]
    pub fn self_per_op(&self) -> Option<f64> {
        match self.per_op {
            PerOperation::Unknown => None,
            PerOperation::Weight(weight) => Some(weight),
            PerOperation::Time(ns) => Some(ns),
        }
    }

    /// Self time per operation in nanoseconds; `None` without operations or for events that do not measure time.
    #[must_use]
    pub fn self_per_op_ns(&self) -> Option<f64> {
        match self.per_op {
            PerOperation::Time(ns) => Some(ns),
            PerOperation::Unknown | PerOperation::Weight(_) => None,
        }
    }
}
