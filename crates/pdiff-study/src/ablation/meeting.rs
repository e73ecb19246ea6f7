//! Compares factors measured by switching them off with the profile's share of the part of the program that they switch.
//!
//! Without the subsystem's CPU in both builds, cost per operation would become c (1 - p) on each side, where p is the share
//! of samples with the subsystem anywhere in the stack. So ln(target / base) of throughput at the same utilisation would
//! rise by ln((1 - p_base) / (1 - p_target)), whatever c is. That is beside the factor's measured change of cost per
//! operation where the runs have costs, and of throughput where not; utilisation is apart.

use super::attribution::Attribution;
use super::estimate::{Effect, Estimate};
use pdiff_analysis::{Comparison, Row};
use pdiff_profile::PerSide;

/// Factors beside subsystems.
#[derive(Clone, PartialEq, Debug)]
pub struct Meeting {
    /// What the profiles are called.
    pub labels: PerSide<String>,
    /// One row a factor that has a subsystem.
    pub rows: Vec<MeetingRow>,
    /// Part of the samples that busy-wait, in percent, on both sides.
    pub spin_pct: PerSide<f64>,
    /// Factors without a subsystem.
    pub without: Vec<usize>,
    /// Factors with a subsystem that cannot be compared with it: they were not measured alone, or all samples of a side are
    /// in the subsystem.
    pub untold: Vec<usize>,
}

/// One factor beside its subsystem.
#[derive(Clone, PartialEq, Debug)]
pub struct MeetingRow {
    /// The factor.
    pub factor: usize,
    /// The part of the program.
    pub subsystem: String,
    /// The effect of the factor alone, from the baseline.
    pub measured: Effect,
    /// The compared quantity: change of cost, or of throughput if the runs have no costs.
    pub compared: Compared,
    /// Samples with the subsystem anywhere in the stack, in percent, on both sides.
    pub total_pct: PerSide<f64>,
    /// ln((1 - p_base) / (1 - p_target)).
    pub profile_log: Estimate,
    /// The same in points from the baseline's gap.
    pub profile_points: f64,
    /// Measured less profile, in logarithms.
    pub difference: Estimate,
}

/// What of the measured change is set beside the profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// CPU per operation.
    Cost,
    /// Throughput: utilisation is in it.
    Throughput,
}

/// Compares factors with the subsystems that `of_factor` names. The comparison has one row per subsystem.
///
/// # Errors
/// Returns an error if `of_factor` names a subsystem without a row.
pub fn meet(
    attribution: &Attribution,
    comparison: &Comparison,
    of_factor: &[(usize, String)],
) -> Result<Meeting, String> {
    let (mut rows, mut untold) = (Vec::new(), Vec::new());
    for (factor, subsystem) in of_factor {
        let found = comparison.rows.iter().find(|row| *row.name == **subsystem);
        let Some(row) = found else {
            let mut known: Vec<&str> =
                comparison.rows.iter().filter(|row| !row.unresolved).map(|row| &*row.name).collect();
            known.sort_unstable();
            return Err(format!(
                "no sample is in subsystem '{subsystem}'; hint: the profiles have {}",
                known.join(", ")
            ));
        };
        match beside(attribution, *factor, row) {
            Some(row) => rows.push(row),
            None => untold.push(*factor),
        }
    }
    let named = |factor: &usize| of_factor.iter().any(|(of, _)| of == factor);
    Ok(Meeting {
        labels: PerSide::from_fn(|side| comparison.side(side).label.clone()),
        rows,
        spin_pct: PerSide::new(comparison.before.spin_pct, comparison.after.spin_pct),
        without: (0..attribution.factors.len()).filter(|factor| !named(factor)).collect(),
        untold,
    })
}

/// A factor beside the row of its subsystem; `None` where it was not measured alone, or nothing is beside the subsystem.
fn beside(attribution: &Attribution, factor: usize, row: &Row) -> Option<MeetingRow> {
    let alone = attribution.independent.iter().find(|step| step.factor == factor);
    let measured = alone?.effect?;
    let shares = [row.before.total_pct / 100.0, row.after.total_pct / 100.0];
    let rest = 1.0 - shares[0].max(shares[1]);
    if rest <= 0.0 {
        return None;
    }
    let value = ((1.0 - shares[0]) / (1.0 - shares[1])).ln();
    let half = (row.total.ci_high_pp - row.total.ci_low_pp) / 200.0 / rest;
    let interval = (half.is_finite() && half > 0.0).then_some((value - half, value + half));
    let profile_log = Estimate { value, interval };
    let (compared, of_runs) = match measured.cost_log {
        Some(cost) => (Compared::Cost, cost),
        None => (Compared::Throughput, measured.log),
    };
    let base = attribution.baseline.map_or(0.0, |gap| gap.log.value);
    Some(MeetingRow {
        factor,
        subsystem: row.name.to_string(),
        measured,
        compared,
        total_pct: PerSide::new(row.before.total_pct, row.after.total_pct),
        profile_log,
        profile_points: 100.0 * base.exp() * value.exp_m1(),
        difference: difference(of_runs, profile_log),
    })
}

/// Two independent estimates: half widths add in squares.
fn difference(a: Estimate, b: Estimate) -> Estimate {
    let half = |estimate: Estimate| estimate.interval.map(|(low, high)| (high - low) / 2.0);
    let value = a.value - b.value;
    let interval = half(a).zip(half(b)).map(|(a, b)| {
        let half = a.hypot(b);
        (value - half, value + half)
    });
    Estimate { value, interval }
}
