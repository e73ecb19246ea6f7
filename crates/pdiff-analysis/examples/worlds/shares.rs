//! The tests of shares alone, by the stage of the library that judges them: several times as fast as a whole comparison, and the
//! same result for shares.

use pdiff_analysis::noise::{Denominator, NoiseSettings, Row, RowRun, RunBlocks, judge};

use crate::cells::{Look, Recorded};
use crate::score::{Seen, SeenRow};
use crate::truth::{is_kept, row_name};
use crate::world::{FUNCTIONS, Run, SAMPLE_NS, SECONDS};

pub(crate) fn compare(recorded: &Recorded, look: Look) -> Seen {
    let names: Vec<String> = recorded.truth.rows.iter().map(|row| row.name.to_string()).collect();
    let row_of: Vec<Option<usize>> = (0..FUNCTIONS)
        .map(|function| {
            let name = row_name(function, look);
            names.iter().position(|row| *row == name).filter(|_| is_kept(function, look))
        })
        .collect();
    let mut denominator = Denominator::default();
    let mut rows = vec![Row::default(); names.len()];
    for run in &recorded.before {
        let of_rows = rows.iter_mut().map(|row| &mut row.before);
        denominator.before.push(add(run, look, &row_of, of_rows));
    }
    for run in &recorded.after {
        let of_rows = rows.iter_mut().map(|row| &mut row.after);
        denominator.after.push(add(run, look, &row_of, of_rows));
    }
    let judgement = judge(&[denominator], &rows, &NoiseSettings::default());
    let row = |(name, row): (String, &pdiff_analysis::noise::RowNoise)| SeenRow {
        name,
        interval_pp: row.test.p().map(|_| (row.ci_low_pp, row.ci_high_pp)),
        significant: row.significant,
        has_own_cost: None,
        gap_share_interval_pct: None,
        log_ratio_intervals: None,
    };
    Seen {
        rows: names.into_iter().zip(&judgement.rows).map(row).collect(),
        log_cost_interval: None,
        log_gap_interval: None,
        is_gap_warned: false,
        is_warned: !(judgement.drifting.is_empty() && judgement.phased.is_empty()),
    }
}

/// Adds a run to its rows; gives what their shares are of.
fn add<'a>(
    run: &Run,
    look: Look,
    row_of: &[Option<usize>],
    rows: impl Iterator<Item = &'a mut Vec<RowRun>>,
) -> RunBlocks {
    let seconds = if look == Look::Time { SECONDS / 5..SECONDS - SECONDS / 5 } else { 0..SECONDS };
    let mut rows: Vec<(&mut Vec<RowRun>, Vec<u64>)> = rows.map(|row| (row, vec![0; seconds.len()])).collect();
    for (of_function, row) in run.samples.iter().zip(row_of) {
        let Some((_, in_time)) = row.and_then(|row| rows.get_mut(row)) else { continue };
        let samples = of_function.get(seconds.clone()).unwrap_or_default();
        in_time.iter_mut().zip(samples).for_each(|(sum, samples)| *sum += u64::from(*samples));
    }
    let weights =
        |samples: &[u64]| samples.iter().map(|samples| (samples * SAMPLE_NS) as f64).collect::<Vec<_>>();
    let sums: Vec<u64> =
        (0..seconds.len()).map(|second| rows.iter().map(|(_, in_time)| in_time[second]).sum()).collect();
    let all = weights(&sums);
    for (runs, in_time) in rows {
        runs.push(RowRun::from_blocks(&weights(&in_time), &all, in_time.iter().sum()));
    }
    RunBlocks::from_blocks(&all, sums.iter().sum())
}
