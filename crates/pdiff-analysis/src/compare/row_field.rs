//! The fields of a row, each once: name, value, meaning, and whether it can be summed.
//!
//! JSON, CSV, Parquet and gates read this table, and a test compares `docs/json.md` with it. A field is named by its path
//! in JSON, joined by `_`: `self_pct` of `before` is `before_self_pct`.

use std::sync::LazyLock;

use pdiff_profile::Side;
use pdiff_profile::names::MatchLevel;

use super::family::InlineChange;
use super::row::{MatchedBy, Quantities, Row};

/// One field of a row.
#[derive(Debug)]
pub struct RowField {
    name: String,
    group: Option<FieldGroup>,
    key: &'static str,
    read: Read,
    unknown: Unknown,
    sums: bool,
    meaning: &'static str,
}

/// An object of JSON that holds fields of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldGroup {
    /// How the names of the row came together.
    Match,
    /// The quantities of one side.
    Side(Side),
    /// The change of self per operation.
    CostChange,
}

/// A row's value in a field.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FieldValue<'a> {
    /// Words.
    Text(Option<&'a str>),
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Count(Option<u64>),
    /// A real number.
    Number(Option<f64>),
}

/// The JSON form of an unknown value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unknown {
    /// `null`.
    Null,
    /// Nothing: the key is left out.
    LeftOut,
}

/// How a value is read from a row.
#[derive(Clone, Copy, Debug)]
enum Read {
    Text(fn(&Row) -> Option<&str>),
    /// Depends on the level at which names are matched.
    MatchLevel,
    Flag(fn(&Row) -> bool),
    /// A whole number that only names something.
    Id(fn(&Row) -> Option<u64>),
    Number(fn(&Row) -> Option<f64>),
    SideCount(Side, fn(&Quantities) -> u64),
    SideNumber(Side, fn(&Quantities) -> Option<f64>),
}

/// Key, value, what represents an unknown value, whether values may be summed over rows, and the meaning.
type Plain = (&'static str, Read, Unknown, bool, &'static str);

/// Key, value of one side, whether values may be summed over rows, and the meaning.
type Sided<T> = (&'static str, fn(&Quantities) -> T, bool, &'static str);

use Read::{Flag, Id, MatchLevel as Level, Number, Text};
use Unknown::{LeftOut, Null};

const IDENTITY: &[Plain] = &[
    (
        "name",
        Text(|row| Some(&row.name)),
        Null,
        false,
        "the function at the policy's match level, or the group",
    ),
    ("object", Text(|row| Some(&row.object)), Null, false, "its object; empty for groups that span objects"),
    ("file", Text(|row| row.file.as_deref()), LeftOut, false, "its source file"),
    ("subsystem", Text(|row| row.subsystem.as_deref()), LeftOut, false, "the part of the program"),
    (
        "thread_group",
        Text(|row| row.thread_group.as_deref()),
        LeftOut,
        false,
        "its thread group, with `--denominator thread-group`",
    ),
    (
        "presence",
        Text(|row| Some(row.presence.as_str())),
        Null,
        false,
        "the sides on which it was sampled: `both`, `only-before` or `only-after`. It says nothing about the code",
    ),
];

const MATCH: &[Plain] = &[
    (
        "level",
        Level,
        Null,
        false,
        "how its names were matched: the policy's level, `alias` for a known rename, or `structure` where one build has no name for it and its code identified it",
    ),
    ("ambiguous", Flag(|row| row.matched.ambiguous), Null, false, "several functions share the row"),
    (
        "before_name",
        Text(|row| row.name_on(Side::Before)),
        Null,
        false,
        "its name before; `null` if it has no weight there",
    ),
    (
        "after_name",
        Text(|row| row.name_on(Side::After)),
        Null,
        false,
        "its name after; `null` if it has no weight there",
    ),
];

const SIDE_COUNTS: &[Sided<u64>] = &[
    (
        "self_weight",
        |of| of.self_weight.0,
        true,
        "weight where its code is innermost, inlined copies included",
    ),
    (
        "booked_self_weight",
        |of| of.booked_self_weight.0,
        true,
        "weight of self by symbol, as `perf report` shows it",
    ),
    (
        "inlined_self_weight",
        |of| of.inlined_self_weight().0,
        true,
        "the part of `self_weight` in inlined copies",
    ),
    ("total_weight", |of| of.total_weight.0, false, "weight of stacks that contain it"),
    ("x_weight", |of| of.x_weight().0, false, "weight of leaves whose inline chain contains it"),
    ("self_samples", |of| of.samples, true, "samples behind `self_weight`"),
];

const SIDE_NUMBERS: &[Sided<Option<f64>>] = &[
    ("self_pct", |of| Some(of.self_pct), true, "`self_weight` in percent of the denominator"),
    (
        "booked_self_pct",
        |of| Some(of.booked_self_pct),
        true,
        "`booked_self_weight` in percent of the denominator",
    ),
    (
        "inlined_self_pct",
        |of| Some(of.inlined_self_pct()),
        true,
        "`inlined_self_weight` in percent of the denominator",
    ),
    ("total_pct", |of| Some(of.total_pct), false, "`total_weight` in percent of the denominator"),
    ("x_pct", |of| Some(of.x_pct()), false, "`x_weight` in percent of the denominator"),
    ("self_per_op", |of| of.self_per_op(), true, "`self_weight` per operation"),
    (
        "self_per_op_ns",
        |of| of.self_per_op_ns(),
        true,
        "nanoseconds of self per operation, for events that count time",
    ),
];

const CHANGE: &[Plain] = &[
    ("delta_self_pp", Number(|row| Some(row.delta_self_pp())), Null, true, "change of `self_pct`"),
    ("delta_booked_pp", Number(|row| Some(row.delta_booked_pp())), Null, true, "change of `booked_self_pct`"),
    ("delta_total_pp", Number(|row| Some(row.delta_total_pp())), Null, false, "change of `total_pct`"),
    (
        "delta_self_per_op",
        Number(|row| Some(row.after.self_per_op()? - row.before.self_per_op()?)),
        LeftOut,
        true,
        "change of `self_per_op`",
    ),
    (
        "delta_self_per_op_ns",
        Number(|row| Some(row.after.self_per_op_ns()? - row.before.self_per_op_ns()?)),
        LeftOut,
        true,
        "change of `self_per_op_ns`",
    ),
    (
        "ci_low_pp",
        Number(|row| Some(row.ci_low_pp)),
        Null,
        false,
        "lower end of the 95 % confidence interval of `delta_self_pp`",
    ),
    ("ci_high_pp", Number(|row| Some(row.ci_high_pp)), Null, false, "upper end of that interval"),
    (
        "q_value",
        Number(|row| row.test.q()),
        Null,
        false,
        "smallest false discovery rate at which the change of self is significant; `null` if not tested",
    ),
    (
        "significant",
        Flag(|row| row.significant),
        Null,
        false,
        "the change of self is beyond noise and large enough to matter",
    ),
    (
        "selected_ci_low_pp",
        Number(|row| row.selected_interval_pp.as_ref().map(|of| of.0)),
        LeftOut,
        false,
        "of significant rows: lower end of the interval corrected for selection from all tested rows (false coverage rate of 5 %)",
    ),
    (
        "selected_ci_high_pp",
        Number(|row| row.selected_interval_pp.as_ref().map(|of| of.1)),
        LeftOut,
        false,
        "upper end of that interval",
    ),
    (
        "detectable_pp",
        Number(|row| row.detectable.points()),
        LeftOut,
        false,
        "smallest detectable change of self (90 % power)",
    ),
    (
        "family_id",
        Id(|row| row.family().and_then(|id| u64::try_from(id).ok())),
        LeftOut,
        false,
        "the `id` of its family",
    ),
    (
        "inline_change",
        Text(|row| row.inline_change().map(InlineChange::as_str)),
        LeftOut,
        false,
        "`lost` (was inlined, now called) or `gained`, where all sampled callers changed the same way",
    ),
    (
        "gap_share_pct",
        Number(Row::gap_share_pct),
        LeftOut,
        true,
        "percent of the throughput gap caused by its change of cost; known where `gap.parts` is",
    ),
    (
        "gap_share_ci_low_pct",
        Number(|row| Some(row.gap_share_interval_pct()?.0)),
        LeftOut,
        true,
        "lower end of the 95 % confidence interval of `gap_share_pct`",
    ),
    (
        "gap_share_ci_high_pct",
        Number(|row| Some(row.gap_share_interval_pct()?.1)),
        LeftOut,
        true,
        "upper end of that interval",
    ),
    (
        "cpu_change_share_pct",
        Number(Row::cpu_change_share_pct),
        LeftOut,
        true,
        "percent of the change in CPU per operation; known where `gap_share_pct` is",
    ),
];

const COST_CHANGE: &[Plain] = &[
    (
        "pct",
        Number(|row| row.cost_change.as_ref()?.pct),
        Null,
        false,
        "change of self per operation in percent; `null` without weight before",
    ),
    (
        "ci_low_pct",
        Number(|row| row.cost_change.as_ref()?.ci_low_pct),
        Null,
        false,
        "lower end of its 95 % confidence interval",
    ),
    (
        "ci_high_pct",
        Number(|row| row.cost_change.as_ref()?.ci_high_pct),
        Null,
        false,
        "upper end of that interval",
    ),
    (
        "q_value",
        Number(|row| Some(row.cost_change.as_ref()?.q_value)),
        Null,
        false,
        "as above, for the change per operation",
    ),
    (
        "extent",
        Text(|row| row.cost_change.as_ref().map(|of| of.extent.as_str())),
        Null,
        false,
        "`within-noise`, `shared` (changed like the typical function), `not-told-apart` (too few functions to say) or `own`",
    ),
    (
        "own_pct",
        Number(|row| row.cost_change.as_ref()?.own?.pct),
        LeftOut,
        false,
        "change in percent relative to the typical function: what all functions of a run share cancels out",
    ),
    (
        "own_ci_low_pct",
        Number(|row| row.cost_change.as_ref()?.own?.ci_low_pct),
        LeftOut,
        false,
        "lower end of its 95 % confidence interval",
    ),
    (
        "own_ci_high_pct",
        Number(|row| row.cost_change.as_ref()?.own?.ci_high_pct),
        LeftOut,
        false,
        "upper end of that interval",
    ),
    (
        "own_q_value",
        Number(|row| Some(row.cost_change.as_ref()?.own?.q_value)),
        LeftOut,
        false,
        "as above, for the change relative to the typical function; `extent` is `own` at a quarter of the rate or below",
    ),
];

static FIELDS: LazyLock<Vec<RowField>> = LazyLock::new(|| {
    let plain = |group: Option<FieldGroup>| {
        move |&(key, read, unknown, sums, meaning): &Plain| {
            RowField::new(group, key, read, unknown, sums, meaning)
        }
    };
    let side = |side: Side| {
        let group = Some(FieldGroup::Side(side));
        let counts = SIDE_COUNTS.iter().map(move |&(key, value, sums, meaning)| {
            RowField::new(group, key, Read::SideCount(side, value), Null, sums, meaning)
        });
        let numbers = SIDE_NUMBERS.iter().map(move |&(key, value, sums, meaning)| {
            let unknown = if key.contains("per_op") { LeftOut } else { Null };
            RowField::new(group, key, Read::SideNumber(side, value), unknown, sums, meaning)
        });
        counts.chain(numbers)
    };
    let mut fields: Vec<RowField> = IDENTITY.iter().map(plain(None)).collect();
    fields.extend(MATCH.iter().map(plain(Some(FieldGroup::Match))));
    fields.extend(Side::BOTH.into_iter().flat_map(side));
    fields.extend(CHANGE.iter().map(plain(None)));
    fields.extend(COST_CHANGE.iter().map(plain(Some(FieldGroup::CostChange))));
    fields
});

impl RowField {
    /// All fields, in the order in which files hold them; the fields of a group stand together.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &FIELDS
    }

    fn new(
        group: Option<FieldGroup>,
        key: &'static str,
        read: Read,
        unknown: Unknown,
        sums: bool,
        meaning: &'static str,
    ) -> Self {
        let name = group.map_or_else(|| key.to_owned(), |group| format!("{}_{key}", group.key()));
        Self { name, group, key, read, unknown, sums, meaning }
    }

    /// Its name in CSV, Parquet and gates.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The object of JSON that contains it; `None` for the row itself.
    #[must_use]
    pub fn group(&self) -> Option<FieldGroup> {
        self.group
    }

    /// Its key in the object that contains it.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// Whether JSON leaves the key out where the value is not known.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        self.unknown == LeftOut
    }

    /// Whether a sum over rows has a meaning.
    #[must_use]
    pub fn sums(&self) -> bool {
        self.sums
    }

    /// The meaning of the field, in words for the documentation.
    #[must_use]
    pub fn meaning(&self) -> &'static str {
        self.meaning
    }

    /// The type that the documentation names.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self.read {
            Text(_) | Level => "string",
            Flag(_) => "boolean",
            Id(_) | Read::SideCount(..) => "integer",
            Number(_) | Read::SideNumber(..) => "number",
        }
    }

    /// A row's value. A side on which the row has no weight has no quantities.
    #[must_use]
    pub fn value<'a>(&self, row: &'a Row, level: MatchLevel) -> FieldValue<'a> {
        let side = |side: Side| Some(row.side(side)).filter(|of| of.total_weight.0 > 0);
        match self.read {
            Text(value) => FieldValue::Text(value(row)),
            Level => FieldValue::Text(Some(match row.matched.by {
                MatchedBy::Name => level.as_str(),
                MatchedBy::Alias => "alias",
                MatchedBy::Structure => "structure",
            })),
            Flag(value) => FieldValue::Flag(value(row)),
            Id(value) => FieldValue::Count(value(row)),
            Number(value) => FieldValue::Number(value(row)),
            Read::SideCount(of, value) => FieldValue::Count(side(of).map(value)),
            Read::SideNumber(of, value) => FieldValue::Number(side(of).and_then(value)),
        }
    }

    /// Whether it contains a quantity, which gates can compare.
    #[must_use]
    pub fn is_quantity(&self) -> bool {
        matches!(self.read, Number(_) | Read::SideCount(..) | Read::SideNumber(..))
    }

    /// Its quantity in a row. A side without weight of the row has weight 0 and share 0.
    #[must_use]
    pub fn quantity(&self, row: &Row) -> Option<f64> {
        match self.read {
            Number(value) => value(row),
            Read::SideCount(side, value) => Some(value(row.side(side)) as f64),
            Read::SideNumber(side, value) => {
                let of = row.side(side);
                let is_known = of.total_weight.0 > 0 || !self.is_optional();
                is_known.then(|| value(of)).flatten()
            }
            _ => None,
        }
    }
}

impl FieldGroup {
    /// Its key in JSON.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::Side(side) => side.as_str(),
            Self::CostChange => "cost_change",
        }
    }

    /// Whether a row has it. A side that is not there is `null` in JSON, a change of cost is left out.
    #[must_use]
    pub fn is_in(self, row: &Row) -> bool {
        match self {
            Self::Match => true,
            Self::Side(side) => row.side(side).total_weight.0 > 0,
            Self::CostChange => row.cost_change.is_some(),
        }
    }
}
