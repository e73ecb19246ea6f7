//! The columns that a table of rows may have: heading, cells, sums, and which go first where there is little room.

use pdiff_analysis::{Comparison, Row, Share};

use crate::compare::legend::{BY_SYMBOL, CPU_CHANGE_SHARE, NOT_SIGNIFICANT, marks};
use crate::compare::row_order::delta_per_op;
use crate::document::number::{CostUnit, fixed, interval, signed};
use crate::document::short_name::with_file;
use crate::document::{Align, GridCell, GridColumn, Tone};

/// Places of percentages and points.
const PLACES: usize = 2;

/// Places of shares of the gap.
const GAP_PLACES: usize = 1;

/// One column of a table of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    SelfBefore,
    SelfAfter,
    SelfDelta,
    /// Both ends of the interval of the change.
    Interval,
    /// Half of its width, if there is no room for both ends.
    HalfInterval,
    BookedBefore,
    BookedAfter,
    BookedDelta,
    TotalBefore,
    TotalAfter,
    TotalDelta,
    CostBefore,
    CostAfter,
    CostDelta,
    CpuChangeShare,
    Marks,
    ThreadGroup,
    Name,
    Object,
}

/// What is less shows as nothing.
const LEAST_VISIBLE_PCT: f64 = 0.005;

impl Field {
    /// All columns that some row or the whole has something for, in their order. What rows are booked with is a column only
    /// where it differs from their self in one of the `shown` rows.
    pub(crate) fn of(comparison: &Comparison, shown: &[&Row]) -> Vec<Self> {
        let rows = &comparison.rows;
        let books = |row: &Row| {
            let sides = [&row.before, &row.after];
            sides.iter().any(|side| (side.booked_self_pct - side.self_pct).abs() >= LEAST_VISIBLE_PCT)
        };
        let booked = shown.iter().any(|row| books(row));
        let costs = comparison.cost.is_some();
        let candidates = [
            (Self::SelfBefore, true),
            (Self::SelfAfter, true),
            (Self::SelfDelta, true),
            (Self::Interval, true),
            (Self::BookedBefore, booked),
            (Self::BookedAfter, booked),
            (Self::BookedDelta, booked),
            (Self::TotalBefore, true),
            (Self::TotalAfter, true),
            (Self::TotalDelta, true),
            (Self::CostBefore, costs),
            (Self::CostAfter, costs),
            (Self::CostDelta, costs),
            (Self::CpuChangeShare, rows.iter().any(|row| row.cpu_change_share_pct().is_some())),
            (Self::Marks, rows.iter().any(|row| !marks(row).is_empty())),
            (Self::ThreadGroup, rows.iter().any(|row| row.thread_group.is_some())),
            (Self::Name, true),
            (Self::Object, rows.iter().any(|row| !row.object.is_empty())),
        ];
        candidates.into_iter().filter(|(_, there)| *there).map(|(field, _)| field).collect()
    }

    /// How early the column goes where there is little room; `None` if it stays.
    pub(crate) fn dropped_at(self) -> Option<u8> {
        match self {
            Self::BookedBefore | Self::BookedAfter => Some(0),
            Self::TotalBefore | Self::TotalAfter => Some(1),
            Self::CostBefore | Self::CostAfter => Some(2),
            Self::BookedDelta => Some(3),
            Self::Object => Some(4),
            Self::Interval => Some(5),
            Self::CostDelta => Some(6),
            Self::CpuChangeShare => Some(7),
            Self::TotalDelta => Some(8),
            Self::Marks => Some(9),
            Self::HalfInterval => Some(10),
            Self::SelfBefore => Some(11),
            _ => None,
        }
    }

    /// Heading and side.
    pub(crate) fn column(self, comparison: &Comparison, unit: CostUnit) -> GridColumn {
        let cost = if unit.name.is_empty() { "per op".to_owned() } else { format!("{}/op", unit.name) };
        let (top, bottom) = match self {
            Self::SelfBefore => ("self %", "before"),
            Self::SelfAfter => ("self %", "after"),
            Self::SelfDelta => ("self", "change"),
            Self::Interval => ("", "95 %"),
            Self::HalfInterval => ("95 %", "+-"),
            Self::BookedBefore => (BY_SYMBOL.0, "before"),
            Self::BookedAfter => (BY_SYMBOL.0, "after"),
            Self::BookedDelta => (BY_SYMBOL.1, "change"),
            Self::TotalBefore => ("total %", "before"),
            Self::TotalAfter => ("total %", "after"),
            Self::TotalDelta => ("total", "change"),
            Self::CostBefore => (cost.as_str(), "before"),
            Self::CostAfter => (cost.as_str(), "after"),
            Self::CostDelta => (cost.as_str(), "change"),
            Self::CpuChangeShare => CPU_CHANGE_SHARE,
            Self::Marks => ("", ""),
            Self::ThreadGroup => ("thread", "group"),
            Self::Name => ("", comparison.group_by.as_str()),
            Self::Object => ("", "object"),
        };
        GridColumn { title: [top.to_owned(), bottom.to_owned()], align: self.align() }
    }

    fn align(self) -> Align {
        match self {
            Self::Marks | Self::ThreadGroup | Self::Name | Self::Object => Align::Left,
            _ => Align::Right,
        }
    }

    /// The cell of one row.
    pub(crate) fn cell(self, row: &Row, unit: CostUnit) -> GridCell {
        match self {
            Self::SelfDelta => GridCell::toned(signed(row.delta_self_pp(), PLACES), tone(row)),
            Self::CostDelta => {
                let value = self.value(row);
                let text = value.map_or_else(String::new, |value| self.text(value, unit));
                GridCell::toned(text, cost_tone(row, value.unwrap_or(0.0)))
            }
            Self::Interval | Self::HalfInterval if !row.significant => {
                GridCell::toned(NOT_SIGNIFICANT, Tone::Dim)
            }
            Self::Interval => GridCell::plain(interval((row.ci_low_pp, row.ci_high_pp), PLACES)),
            Self::HalfInterval => GridCell::plain(fixed((row.ci_high_pp - row.ci_low_pp) / 2.0, PLACES)),
            Self::Marks => GridCell::plain(marks(row)),
            Self::ThreadGroup => GridCell::name(row.thread_group.as_deref().unwrap_or_default()),
            Self::Name => {
                let file = row.file.as_deref().filter(|_| row.matched.by_file.is_some());
                GridCell::name(with_file(&row.name, file))
            }
            Self::Object => GridCell::name(&*row.object),
            _ => GridCell::plain(self.value(row).map_or_else(String::new, |value| self.text(value, unit))),
        }
    }

    /// The cell of the sum of rows; empty where a sum has no meaning.
    pub(crate) fn sum(self, rows: &[&Row], share: Share, unit: CostUnit) -> GridCell {
        let one_denominator = matches!(share, Share::All | Share::Work);
        let sums = match self {
            Self::SelfBefore | Self::SelfAfter | Self::SelfDelta => one_denominator,
            Self::BookedBefore | Self::BookedAfter | Self::BookedDelta => one_denominator,
            Self::CostBefore | Self::CostAfter | Self::CostDelta | Self::CpuChangeShare => true,
            _ => false,
        };
        if !sums {
            return GridCell::default();
        }
        let sum = rows.iter().filter_map(|row| self.value(row)).sum();
        GridCell::plain(self.text(sum, unit))
    }

    fn text(self, value: f64, unit: CostUnit) -> String {
        match self {
            Self::SelfDelta | Self::BookedDelta | Self::TotalDelta => signed(value, PLACES),
            Self::CostBefore | Self::CostAfter => unit.fixed(value),
            Self::CostDelta => unit.signed(value),
            Self::CpuChangeShare => signed(value, GAP_PLACES),
            _ => fixed(value, PLACES),
        }
    }

    /// The number in a row; `None` where there is none, or the row is not on that side.
    fn value(self, row: &Row) -> Option<f64> {
        let before = || (row.before.total_weight.0 > 0).then_some(&row.before);
        let after = || (row.after.total_weight.0 > 0).then_some(&row.after);
        match self {
            Self::SelfBefore => before().map(|side| side.self_pct),
            Self::SelfAfter => after().map(|side| side.self_pct),
            Self::SelfDelta => Some(row.delta_self_pp()),
            Self::BookedBefore => before().map(|side| side.booked_self_pct),
            Self::BookedAfter => after().map(|side| side.booked_self_pct),
            Self::BookedDelta => Some(row.delta_booked_pp()),
            Self::TotalBefore => before().map(|side| side.total_pct),
            Self::TotalAfter => after().map(|side| side.total_pct),
            Self::TotalDelta => Some(row.delta_total_pp()),
            Self::CostBefore => before()?.self_per_op(),
            Self::CostAfter => after()?.self_per_op(),
            Self::CostDelta => delta_per_op(row),
            Self::CpuChangeShare => row.cpu_change_share_pct(),
            _ => None,
        }
    }
}

fn cost_tone(row: &Row, change: f64) -> Tone {
    match (row.has_own_cost_change(), change > 0.0) {
        (false, _) => Tone::Plain,
        (true, true) => Tone::Worse,
        (true, false) => Tone::Better,
    }
}

fn tone(row: &Row) -> Tone {
    match (row.significant, row.delta_self_pp() > 0.0) {
        (false, _) => Tone::Dim,
        (true, true) => Tone::Worse,
        (true, false) => Tone::Better,
    }
}
