//! Whatever the numbers, an answer: no panic, no NaN.

use pdiff_analysis::noise::{Denominator, Judgement, NoiseSettings, Row, RowRun, RunBlocks, judge};
use proptest::prelude::*;

fn odd() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-1.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        0.0..1e6_f64
    ]
}

fn row_run() -> impl Strategy<Value = RowRun> {
    (odd(), any::<u64>(), odd(), odd(), odd(), odd()).prop_map(|(weight, samples, a, b, c, d)| RowRun {
        weight,
        samples,
        sum_w2: a,
        sum_wn: b,
        coarse_sum_w2: c,
        coarse_sum_wn: d,
    })
}

fn run_blocks() -> impl Strategy<Value = RunBlocks> {
    (odd(), any::<u64>(), 0..40_usize, odd(), odd(), any::<Option<u8>>()).prop_map(
        |(total, samples, blocks, a, b, host)| RunBlocks {
            total,
            samples,
            blocks,
            sum_n2: a,
            coarse_blocks: blocks / 4,
            coarse_sum_n2: b,
            host: host.map(u32::from),
        },
    )
}

fn check(judgement: &Judgement, rows: usize) {
    assert_eq!(judgement.rows.len(), rows);
    for (index, row) in judgement.rows.iter().enumerate() {
        for value in [row.before_pct, row.after_pct, row.delta_pp, row.se_pp, row.ci_low_pp, row.ci_high_pp] {
            assert!(value.is_finite(), "{row:?}");
        }
        assert!(!row.degrees_of_freedom.is_nan() && row.dispersion.is_finite(), "{row:?}");
        assert!(judgement.detectable_pp(index).is_none_or(f64::is_finite), "{row:?}");
        let in_range = |p: Option<f64>| p.is_none_or(|p| (0.0..=1.0).contains(&p));
        assert!(in_range(row.test.p()) && in_range(row.test.q()), "{row:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_input_has_an_answer(
        denominators in prop::collection::vec(
            (prop::collection::vec(run_blocks(), 0..4), prop::collection::vec(run_blocks(), 0..4)), 0..3),
        rows in prop::collection::vec(
            (0..4_usize, prop::collection::vec(row_run(), 0..5), prop::collection::vec(row_run(), 0..5)), 0..8),
        assumed_cv in odd(),
    ) {
        let denominators: Vec<Denominator> =
            denominators.into_iter().map(|(before, after)| Denominator { before, after }).collect();
        let rows: Vec<Row> =
            rows.into_iter().map(|(denominator, before, after)| Row { denominator, before, after }).collect();
        let settings = NoiseSettings { assumed_cv: Some(assumed_cv), ..NoiseSettings::default() };
        check(&judge(&denominators, &rows, &settings), rows.len());
    }
}
