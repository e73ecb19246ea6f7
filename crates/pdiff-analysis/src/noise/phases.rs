//! Phases: variation inside runs that does not show up between them.
//!
//! A load that runs in phases makes blocks of a run differ, and the variance from blocks counts that as noise. If the
//! phases begin at any time, runs contain more or less of each, and it is noise. If all runs repeat the phases, it is not:
//! then shares of runs vary by independent samples and by the differences between runs, as the runs themselves show. With
//! [`LEAST_RUNS`] runs on each side there are two accounts of a phased row's variance, therefore: with the variance from
//! blocks, and with that of independent samples. Before anything is seen they are equally likely, and the row's own runs
//! say which explains them better. If the account with blocks is true throughout, an even chance makes false findings at
//! most twice as frequent as asked for, and only among phased rows. Other rows' runs are not asked: rows that a phase moves
//! together agree even where they mislead. (With the evidence of six other rows, loads whose phases move all functions at
//! once, and begin anywhere, had a false row in 6 of 100 comparisons of equal builds; without it in 2 to 4.)
//!
//! Deliberately not here: rows whose blocks hardly vary more than independent samples. Their variance is never below that from
//! blocks.

use pdiff_profile::PerSide;

use super::fdr::q_values;
use super::input::MIN_SAMPLES;
use super::side::SideShare;
use super::student::f_upper_tail;

/// Runs that each side needs: the variance between two runs has one degree of freedom and explains nothing.
const LEAST_RUNS: f64 = 3.0;

/// A row is phased if its variance from blocks is this many times that of independent samples, on each side that has enough samples to
/// tell: what only one of two such sides has are bursts, or a change of the pattern, and no phases of the load. Of rows whose blocks are
/// independent, next to none is: 15 blocks a run leave a standard deviation of 0.2 in the ratio of three runs.
const PHASED_RATIO: f64 = 3.0;

/// Rows below this share of their denominator are not pointed out.
const TOLD_MIN_SHARE: f64 = 0.005;

/// The variance from blocks is pointed out if it is this many times that between runs.
const TOLD_MIN_RATIO: f64 = 3.0;

/// False discovery rate among the rows that are pointed out.
const TOLD_FALSE_DISCOVERY_RATE: f64 = 0.05;

/// Whether there are two accounts of the row's variance.
pub(super) fn is_phased(row: &PerSide<SideShare>) -> bool {
    let has_runs = |side: &SideShare| side.runs >= LEAST_RUNS && side.has_blocks;
    let mut telling = row.values().filter(|side| side.samples >= MIN_SAMPLES).peekable();
    row.values().all(has_runs)
        && telling.peek().is_some()
        && telling.all(|side| side.within >= PHASED_RATIO * side.sampling)
}

/// The row with the variance of independent samples, if it is phased.
pub(super) fn without_phases(row: &PerSide<SideShare>) -> PerSide<SideShare> {
    let as_samples = |side: &SideShare| SideShare { within: side.sampling, ..*side };
    if is_phased(row) { row.as_ref().map(as_samples) } else { *row }
}

/// Finds the heavy rows (by index) whose shares vary inside the runs several times as much as between them, beyond chance.
pub(super) fn find_phased<'a>(rows: impl Iterator<Item = &'a PerSide<SideShare>>) -> Vec<usize> {
    let compared: Vec<(usize, f64, f64)> = rows
        .enumerate()
        .filter_map(|(index, row)| inside_over_between(row).map(|(ratio, p)| (index, ratio, p)))
        .collect();
    let q = q_values(&compared.iter().map(|(.., p)| *p).collect::<Vec<_>>());
    let told = compared
        .iter()
        .zip(q)
        .filter(|((_, ratio, _), q)| *ratio >= TOLD_MIN_RATIO && *q <= TOLD_FALSE_DISCOVERY_RATE);
    told.map(|((index, ..), _)| *index).collect()
}

/// The variance inside a heavy row's runs over that between them, and the chance of such a ratio if both are the same.
fn inside_over_between(row: &PerSide<SideShare>) -> Option<(f64, f64)> {
    let PerSide { before, after } = row;
    if before.share.max(after.share) < TOLD_MIN_SHARE || !is_phased(row) {
        return None;
    }
    let df = before.residual_df() + after.residual_df();
    let between = row
        .values()
        .filter(|side| side.residual_df() > 0.0)
        .map(|side| side.between_squares / side.within)
        .sum::<f64>();
    let ratio = df / between;
    Some((ratio, f_upper_tail(ratio, before.within_df + after.within_df, df))).filter(|_| ratio.is_finite())
}
