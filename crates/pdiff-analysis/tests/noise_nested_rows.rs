//! Totals of nested functions: what a program always runs through has nearly all samples in every run.

use pdiff_analysis::noise::{Denominator, NoiseSettings, Row, RowRun, RunBlocks, judge};

const BLOCKS: usize = 10;
const SAMPLES: u64 = 2500;

/// A run of a row, its samples spread evenly.
fn run(samples: u64) -> RowRun {
    let blocks = [samples as f64 / BLOCKS as f64; BLOCKS];
    RowRun::from_blocks(&blocks, &[SAMPLES as f64 / BLOCKS as f64; BLOCKS], samples)
}

fn row(before: [u64; 3], after: [u64; 3]) -> Row {
    Row { denominator: 0, before: before.map(run).to_vec(), after: after.map(run).to_vec() }
}

/// Three runs of a row of about `mean` samples, as far apart as independent samples are; `step` walks over patterns.
fn about(mean: u64, step: u64) -> [u64; 3] {
    let spread = (mean as f64).sqrt();
    [0, 1, 2].map(|of| {
        let turn = ((step * 7 + of * 5) % 11) as f64 / 5.0 - 1.0;
        (mean as f64 + 1.6 * spread * turn).round().max(0.0) as u64
    })
}

#[test]
fn rows_of_nearly_everything_do_not_widen_the_intervals_of_light_rows() {
    let all = RunBlocks::from_blocks(&[SAMPLES as f64 / BLOCKS as f64; BLOCKS], SAMPLES);
    let denominator = Denominator { before: vec![all; 3], after: vec![all; 3] };
    let mut rows = vec![row([2, 3, 1], [2, 1, 3])];
    rows.extend((0..20).map(|step| row(about(40 + 20 * step, step), about(40 + 20 * step, step + 3))));
    let alone = judge(std::slice::from_ref(&denominator), &rows, &settings());
    rows.extend((0..12).map(|_| row([2499, 2498, 2499], [2498, 2499, 2499])));
    let nested = judge(&[denominator], &rows, &settings());
    let width = |of: &pdiff_analysis::noise::RowNoise| of.ci_high_pp - of.ci_low_pp;
    for at in 0..21 {
        let (before, after) = (width(&alone.rows[at]), width(&nested.rows[at]));
        assert!(
            (before - after).abs() < 1e-9,
            "row {at}: {before} points alone, {after} with rows around it"
        );
    }
    assert!(width(&nested.rows[0]) < 0.5, "{:?}", nested.rows[0]);
}

fn settings() -> NoiseSettings {
    NoiseSettings::default()
}
