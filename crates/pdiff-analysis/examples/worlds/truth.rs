//! What is true of a world, as a comparison under some options shows it.

use crate::cells::Look;
use crate::world::{Change, World, function_name, subsystem_name, thread_name};

/// The truth about a world.
pub(crate) struct Truth {
    pub(crate) change: Change,
    pub(crate) rows: Vec<TrueRow>,
    /// Logarithm of the cost of an operation after over that before, of what the filters keep.
    pub(crate) log_cost: f64,
    /// Logarithm of the throughput after over that before: the machine is always busy.
    pub(crate) log_gap: f64,
}

/// The truth about a row.
pub(crate) struct TrueRow {
    pub(crate) name: String,
    /// Change of its share, in points.
    pub(crate) delta_pp: f64,
    /// Its part of the gap, in percent, if there is a gap.
    pub(crate) gap_share_pct: Option<f64>,
    /// Logarithm of its cost after over that before. Instructions did not change, so it is that of their price, too.
    pub(crate) log_cost: f64,
    pub(crate) has_own_cost: bool,
}

impl Truth {
    pub(crate) fn of(world: &World, change: Change, look: Look) -> Self {
        let names: Vec<String> = (0..world.before.len()).map(|function| row_name(function, look)).collect();
        let is_kept = |function: usize| is_kept(function, look);
        let sum = |costs: &[f64], is_counted: &dyn Fn(usize) -> bool| -> f64 {
            costs.iter().enumerate().filter(|(function, _)| is_counted(*function)).map(|(_, cost)| cost).sum()
        };
        let both = |is_counted: &dyn Fn(usize) -> bool| {
            (sum(&world.before, is_counted), sum(&world.after, is_counted))
        };
        let ((all_before, all_after), (before, after)) = (both(&|_| true), both(&is_kept));
        let mut distinct: Vec<&String> =
            names.iter().zip(0..).filter(|(_, at)| is_kept(*at)).map(|(name, _)| name).collect();
        distinct.sort();
        distinct.dedup();
        let has_gap = (all_after - all_before).abs() > 1e-9 * all_before;
        let row = |name: &String| {
            let (of_before, of_after) = both(&|function| names.get(function) == Some(name));
            let has_cost_change = (of_after - of_before).abs() > 1e-9 * of_before;
            TrueRow {
                name: name.clone(),
                delta_pp: 100.0 * (of_after / after - of_before / before),
                gap_share_pct: has_gap.then(|| 100.0 * (of_after - of_before) / (all_after - all_before)),
                log_cost: (of_after / of_before).ln(),
                has_own_cost: change != Change::AllDearer && has_cost_change,
            }
        };
        Self {
            change,
            rows: distinct.into_iter().map(row).collect(),
            log_cost: (after / before).ln(),
            log_gap: -(all_after / all_before).ln(),
        }
    }
}

/// Whether the filters keep a function.
pub(crate) fn is_kept(function: usize, look: Look) -> bool {
    look != Look::Filter || subsystem_name(function) == subsystem_name(0)
}

/// The row of a function.
pub(crate) fn row_name(function: usize, look: Look) -> String {
    if look == Look::ByComm { thread_name(function) } else { function_name(function) }
}
