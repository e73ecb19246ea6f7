//! The numbers that a gate may look at, by their names in JSON.

use super::GateError;
use crate::compare::{Comparison, Cost, FieldGroup, Row, RowField};

/// One number of a row or of the whole.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    Row(&'static RowField),
    Whole(&'static WholeField),
}

/// A number of the whole.
#[derive(Debug)]
pub(super) struct WholeField {
    name: &'static str,
    value: fn(&Whole<'_>) -> Option<f64>,
    /// The 95 % interval of a change, in the unit of the value.
    interval: fn(&Whole<'_>) -> Option<(f64, f64)>,
}

impl WholeField {
    const fn new(name: &'static str, value: fn(&Whole<'_>) -> Option<f64>) -> Self {
        Self { name, value, interval: |_| None }
    }
}

/// The whole that a gate of scope `total` looks at.
pub(super) struct Whole<'a> {
    pub(super) comparison: &'a Comparison,
    /// The rows to be summed.
    pub(super) rows: &'a [&'a Row],
    /// Whether what is not significant counts.
    pub(super) all: bool,
}

/// The change of a row's cost per operation.
const COST_CHANGE: &str = "cost_change_pct";

/// The quantities of a row, those of the row as a whole first.
fn row_fields() -> impl Iterator<Item = &'static RowField> {
    let quantities = || RowField::all().iter().filter(|field| field.is_quantity());
    let of_row = |field: &&RowField| !matches!(field.group(), Some(FieldGroup::Side(_)));
    quantities().filter(of_row).chain(quantities().filter(move |field| !of_row(field)))
}

/// Numbers of the whole that no row has.
const WHOLE_FIELDS: &[WholeField] = &[
    WholeField { interval: gap_interval_pct, ..WholeField::new("gap_pct", gap_pct) },
    WholeField { interval: cost_interval_pct, ..WholeField::new("cost_change_pct", cost_change_pct) },
    WholeField::new("cost_before_per_op", |whole| Some(whole.cost()?.per_op.before)),
    WholeField::new("cost_after_per_op", |whole| Some(whole.cost()?.per_op.after)),
    WholeField::new("before_unresolved_pct", |whole| Some(whole.comparison.before.unresolved_pct)),
    WholeField::new("after_unresolved_pct", |whole| Some(whole.comparison.after.unresolved_pct)),
    WholeField::new("before_spin_pct", |whole| Some(whole.comparison.before.spin_pct)),
    WholeField::new("after_spin_pct", |whole| Some(whole.comparison.after.spin_pct)),
];

impl Whole<'_> {
    fn cost(&self) -> Option<&Cost> {
        self.comparison.cost.as_ref()
    }

    /// Whether a change with this interval counts; one without an interval is not known to be a change.
    fn counts(&self, interval: Option<(f64, f64)>) -> bool {
        self.all || interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }
}

fn gap_pct(whole: &Whole<'_>) -> Option<f64> {
    let gap = whole.cost()?.gap.as_ref()?;
    Some(if whole.counts(Some(gap.interval_pct)) { gap.gap_pct } else { 0.0 })
}

fn cost_change_pct(whole: &Whole<'_>) -> Option<f64> {
    let cost = whole.cost()?;
    let known = whole.all || cost.log_interval.is_some();
    let change = if whole.counts(cost.log_interval) { cost.log_ratio } else { 0.0 };
    known.then(|| 100.0 * change.exp_m1())
}

fn gap_interval_pct(whole: &Whole<'_>) -> Option<(f64, f64)> {
    Some(whole.cost()?.gap.as_ref()?.interval_pct)
}

fn cost_interval_pct(whole: &Whole<'_>) -> Option<(f64, f64)> {
    let (low, high) = whole.cost()?.log_interval?;
    Some((100.0 * low.exp_m1(), 100.0 * high.exp_m1()))
}

impl Field {
    /// A field by its name, in the scope `total` or in one of rows.
    pub(super) fn parse(name: &str, of_whole: bool) -> Result<Self, GateError> {
        let fields = if of_whole { Self::of_total() } else { row_fields().map(Self::Row).collect() };
        match fields.iter().find(|field| field.name() == name) {
            Some(field) => Ok(*field),
            None => Err(GateError::UnknownField { field: name.to_owned(), fields: Self::names(of_whole) }),
        }
    }

    /// Fields of the scope `total`.
    fn of_total() -> Vec<Self> {
        let sums = row_fields().filter(|field| field.sums()).map(Self::Row);
        WHOLE_FIELDS.iter().map(Self::Whole).chain(sums).collect()
    }

    /// What could have been meant.
    fn names(of_whole: bool) -> Vec<String> {
        if of_whole {
            return Self::of_total().iter().map(|field| field.name().to_owned()).collect();
        }
        let rows = row_fields().map(|field| field.name().to_owned());
        rows.chain(WHOLE_FIELDS.iter().map(|field| format!("total:{}", field.name))).collect()
    }

    /// Whether a row's number counts without `all:`: the row's change is more than noise, for numbers of cost also its
    /// change per operation.
    pub(super) fn is_found(self, row: &Row) -> bool {
        match self.name() {
            COST_CHANGE => row.has_own_cost_change(),
            name if name.contains("per_op") => row.significant || row.has_own_cost_change(),
            _ => row.significant,
        }
    }

    /// Whether it is a change: 0 where nothing happened.
    pub(super) fn is_change(self) -> bool {
        let name = self.name();
        name.starts_with("delta_") || name.starts_with("cost_change") || name == "gap_pct"
    }

    /// Whether it is a difference of a row's sides, which sums over rows.
    pub(super) fn is_difference(self) -> bool {
        matches!(self, Self::Row(_)) && self.name().starts_with("delta_")
    }

    /// Its name.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Row(field) => field.name(),
            Self::Whole(field) => field.name,
        }
    }

    /// Its value in a row.
    pub(super) fn of_row(&self, row: &Row) -> Option<f64> {
        match self {
            Self::Row(field) => field.quantity(row),
            Self::Whole(_) => None,
        }
    }

    /// The interval of a change of the whole that does not count, because it holds zero.
    pub(super) fn interval_around_zero(&self, whole: &Whole<'_>) -> Option<(f64, f64)> {
        let Self::Whole(field) = self else { return None };
        (field.interval)(whole).filter(|interval| !whole.counts(Some(*interval)))
    }

    /// Its value in the whole: the sum over rows, for a field of rows. No row sums to 0; rows without it, to nothing.
    pub(super) fn of_whole(&self, whole: &Whole<'_>) -> Option<f64> {
        match self {
            Self::Whole(field) => (field.value)(whole),
            Self::Row(field) => {
                let values: Vec<f64> = whole.rows.iter().filter_map(|row| field.quantity(row)).collect();
                (whole.rows.is_empty() || !values.is_empty())
                    .then(|| values.iter().fold(0.0, |sum, value| sum + value))
            }
        }
    }
}
