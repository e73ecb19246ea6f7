//! A load that runs in phases: where they are alike in all runs, what blocks of a run differ by says nothing of runs.

#[path = "support/random.rs"]
#[allow(dead_code, reason = "each program takes what it needs of it")]
mod random;

use pdiff_analysis::noise::{Denominator, Judgement, NoiseSettings, Row, RowRun, RunBlocks, judge};
use random::Rng;

const BLOCKS: usize = 15;
const SAMPLES: f64 = 20_000.0;
const PER_BLOCK: f64 = SAMPLES / BLOCKS as f64;

/// Whether a block is of the phase that lasts a third of the time. Runs hold all phases once if these last `length` = 5 blocks.
fn is_short_phase(block: usize, length: usize) -> bool {
    (block / length) % 3 == 1
}

/// A function whose share of a run is `share_pct`, and which only the short phase calls.
fn only_in_short_phase(share_pct: f64) -> Vec<f64> {
    let in_phase = 3.0 * share_pct / 100.0 * PER_BLOCK;
    (0..BLOCKS).map(|block| if is_short_phase(block, 5) { in_phase.round() } else { 0.0 }).collect()
}

/// A function of a share of 0.8 % that the phases call more and less often, by `swing`. The run begins `start` blocks
/// after the phases, of which each lasts `length`.
fn in_phases(rng: &mut Rng, swing: f64, [start, length]: [usize; 2]) -> Vec<f64> {
    let mean = 0.008 * PER_BLOCK;
    let factor = |block| if is_short_phase(block, length) { 1.0 + 2.0 * swing } else { 1.0 - swing };
    (0..BLOCKS).map(|block| rng.poisson(mean * factor(block + start))).collect()
}

/// Judges three runs a side, each given as the blocks of its functions.
fn judged(runs: &[Vec<Vec<f64>>; 6]) -> Judgement {
    let all = [PER_BLOCK; BLOCKS];
    let denominator = vec![RunBlocks::from_blocks(&all, SAMPLES as u64); 3];
    let of = |runs: &[Vec<Vec<f64>>], row: usize| {
        let run =
            |run: &Vec<Vec<f64>>| RowRun::from_blocks(&run[row], &all, run[row].iter().sum::<f64>() as u64);
        runs.iter().map(run).collect::<Vec<RowRun>>()
    };
    let row = |row| Row { denominator: 0, before: of(&runs[..3], row), after: of(&runs[3..], row) };
    let rows: Vec<Row> = (0..runs[0].len()).map(row).collect();
    let denominators = [Denominator { before: denominator.clone(), after: denominator }];
    judge(&denominators, &rows, &NoiseSettings::default())
}

/// One function that doubled, beside a hundred that did not change.
fn with_one_that_doubled(swing: f64) -> Judgement {
    with_one([0.65, 0.63, 0.54, 1.21, 1.26, 1.22], swing)
}

/// One function that only the short phase calls, with these shares of the runs in percent, beside a hundred that did not change.
fn with_one(shares_pct: [f64; 6], swing: f64) -> Judgement {
    let mut rng = Rng::new(22);
    judged(&shares_pct.map(|share_pct| {
        let others = (0..100).map(|_| in_phases(&mut rng, swing, [0, 5]));
        std::iter::once(only_in_short_phase(share_pct)).chain(others).collect()
    }))
}

#[test]
fn a_function_that_doubled_in_all_runs_is_found_although_the_load_runs_in_phases() {
    for swing in [0.0, 0.9] {
        let judgement = with_one_that_doubled(swing);
        let [doubled, others @ ..] = judgement.rows.as_slice() else { panic!("there are rows") };
        assert!(doubled.significant, "{swing}: {doubled:?}");
        assert!(doubled.ci_low_pp > 0.3 && doubled.ci_high_pp < 0.95, "{swing}: {doubled:?}");
        assert!(others.iter().all(|row| !row.significant), "{swing}");
    }
}

#[test]
fn a_function_of_one_side_alone_is_found_if_a_phase_of_all_its_runs_calls_it() {
    for swing in [0.0, 0.9] {
        let judgement = with_one([0.0, 0.0, 0.0, 0.81, 0.9, 0.82], swing);
        let new = &judgement.rows[0];
        assert!(new.significant && new.ci_low_pp > 0.5 && new.ci_high_pp < 1.2, "{swing}: {new:?}");
        // Its runs differ as much as a phase that begins anywhere makes them.
        let judgement = with_one([0.0, 0.0, 0.0, 0.15, 1.4, 0.6], swing);
        assert!(!judgement.rows[0].significant, "{swing}: {:?}", judgement.rows[0]);
    }
}

#[test]
fn phases_that_are_alike_in_all_runs_are_pointed_out() {
    let phased = with_one_that_doubled(0.9).phased;
    assert!(phased.len() > 90 && phased.contains(&0), "{phased:?}");
    assert!(with_one_that_doubled(0.0).phased.iter().all(|row| *row == 0));
}

#[test]
fn phases_that_begin_anywhere_are_noise_between_runs() {
    let mut wrong = 0;
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let judgement = judged(&[(); 6].map(|()| {
            let start = (rng.uniform() * 9.0) as usize;
            (0..100).map(|_| in_phases(&mut rng, 0.9, [start, 3])).collect()
        }));
        wrong += usize::from(judgement.rows.iter().any(|row| row.significant));
    }
    assert!(wrong <= 2, "{wrong} of 20");
}
