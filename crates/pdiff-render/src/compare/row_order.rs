//! Which rows a reader sees, and in which order.

use pdiff_analysis::{Comparison, Row};

use crate::document::options::{SortBy, TableOptions};

/// The rows shown, in order, and those that are only summed.
pub(crate) struct Chosen<'a> {
    pub(crate) shown: Vec<&'a Row>,
    pub(crate) rest: Vec<&'a Row>,
}

/// Sorts, then keeps what is large enough, then the first ones.
pub(crate) fn choose<'a>(comparison: &'a Comparison, options: &TableOptions) -> Chosen<'a> {
    let mut shown: Vec<&Row> = comparison.rows.iter().collect();
    // Stable: rows come sorted by change, weight and name, which decides between equals.
    match options.sort {
        SortBy::Name => shown.sort_by(|a, b| a.name.cmp(&b.name)),
        SortBy::Delta => shown.sort_by(|a, b| {
            let is_found = |row: &Row| row.significant || row.has_own_cost_change();
            is_found(b)
                .cmp(&is_found(a))
                .then_with(|| size(b, SortBy::Delta).total_cmp(&size(a, SortBy::Delta)))
        }),
        by => shown.sort_by(|a, b| size(b, by).total_cmp(&size(a, by))),
    }
    let large_enough =
        |row: &Row| options.min_delta_pp.is_none_or(|least| row.delta_self_pp().abs() >= least);
    let (mut shown, mut rest): (Vec<_>, Vec<_>) = shown.into_iter().partition(|row| large_enough(row));
    if let Some(top) = options.top
        && top < shown.len()
    {
        rest.splice(0..0, shown.drain(top..));
    }
    Chosen { shown, rest }
}

/// Self cost per operation, after minus before.
pub(crate) fn delta_per_op(row: &Row) -> Option<f64> {
    Some(row.after.self_per_op()? - row.before.self_per_op()?)
}

/// What a row is sorted by, largest first.
fn size(row: &Row, by: SortBy) -> f64 {
    let value = match by {
        SortBy::Delta => Some(row.delta_self_pp()),
        SortBy::DeltaTotal => Some(row.delta_total_pp()),
        SortBy::DeltaBooked => Some(row.delta_booked_pp()),
        SortBy::DeltaCost => delta_per_op(row),
        SortBy::Gap => row.gap_share_pct(),
        SortBy::Before => Some(row.before.self_pct),
        SortBy::After => Some(row.after.self_pct),
        SortBy::Total => Some(row.before.total_pct.max(row.after.total_pct)),
        SortBy::Name => None,
    };
    value.filter(|value| value.is_finite()).map_or(-1.0, f64::abs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sample;

    fn names(options: &TableOptions) -> (Vec<String>, usize) {
        let comparison = sample::comparison(vec![
            sample::row("flat", (5.0, 5.0)),
            sample::row("noisy", (1.0, 9.0)),
            sample::significant("worse", (1.0, 2.0)),
            sample::significant("better", (4.0, 2.0)),
        ]);
        let chosen = choose(&comparison, options);
        (chosen.shown.iter().map(|row| row.name.to_string()).collect(), chosen.rest.len())
    }

    #[test]
    fn significant_changes_come_first_then_the_largest() {
        let options = sample::options();
        assert_eq!(names(&options).0, ["better", "worse", "noisy", "flat"]);
        assert_eq!(
            names(&TableOptions { sort: SortBy::Before, ..options.clone() }).0,
            ["flat", "better", "noisy", "worse"]
        );
        assert_eq!(
            names(&TableOptions { sort: SortBy::Name, ..options }).0,
            ["better", "flat", "noisy", "worse"]
        );
    }

    #[test]
    fn what_is_not_shown_is_the_rest() {
        let options = TableOptions { top: Some(2), ..sample::options() };
        assert_eq!(names(&options), (vec!["better".into(), "worse".into()], 2));
        let options = TableOptions { min_delta_pp: Some(1.5), ..sample::options() };
        assert_eq!(names(&options), (vec!["better".into(), "noisy".into()], 2));
    }
}
