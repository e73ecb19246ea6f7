//! The false discovery rate of many tests (Benjamini and Hochberg 1995, J. R. Stat. Soc. B 57:289).
//!
//! The procedure holds for independent tests and for positively dependent ones. Rows of one profile share a
//! denominator and share their runs; what that costs is dealt with where variances are made (`model.rs`).

/// The q-value of each p-value, in the same order: the smallest false discovery rate at which it is a finding.
/// Equal p-values get equal q-values.
pub fn q_values(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    let p = |index: usize| p_values.get(index).copied().unwrap_or(1.0);
    order.sort_by(|&a, &b| p(b).total_cmp(&p(a)).then(b.cmp(&a)));
    let tests = p_values.len() as f64;
    let mut q = vec![1.0; p_values.len()];
    let mut smallest = 1.0_f64;
    for (from_largest, &index) in order.iter().enumerate() {
        let rank = tests - from_largest as f64;
        smallest = smallest.min(p(index) * tests / rank);
        if let Some(slot) = q.get_mut(index) {
            *slot = smallest;
        }
    }
    q
}

/// The test of a row that is shown only if its change passes the floor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tested {
    /// Two-sided p-value of "no change".
    pub(crate) p: f64,
    /// The chance that chance alone makes a change as large as the floor.
    pub(crate) floor_p: f64,
    /// Whether the change passes the floor.
    pub(crate) passes: bool,
}

/// The q-value of each row among those that pass the floor, in the same order; 1 for the others.
///
/// Rows below the floor are not shown, so they must not count as discoveries that make room for false ones. Without a
/// change, a row is shown at level t with a chance of at most min(t, `floor_p`). The rate of false rows among those shown
/// at t is therefore estimated as the sum of these chances over all rows, divided by the number of rows shown
/// (Benjamini-Hochberg for tests whose p-values cannot take every value: Heyse 2011, "A false discovery rate procedure for
/// categorical data").
pub(crate) fn q_values_above_floor(tests: &[Tested]) -> Vec<f64> {
    let mut caps: Vec<f64> = tests.iter().map(|test| test.floor_p.clamp(0.0, 1.0)).collect();
    caps.sort_by(f64::total_cmp);
    let sums: Vec<f64> = std::iter::once(0.0)
        .chain(caps.iter().scan(0.0, |sum, cap| {
            *sum += cap;
            Some(*sum)
        }))
        .collect();
    let expected_false = |level: f64| {
        let capped = caps.partition_point(|cap| *cap <= level);
        sums.get(capped).copied().unwrap_or(0.0) + (caps.len() - capped) as f64 * level
    };
    let mut shown: Vec<(usize, f64)> = tests
        .iter()
        .enumerate()
        .filter(|(_, test)| test.passes)
        .map(|(index, test)| (index, test.p))
        .collect();
    shown.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    let mut q = vec![1.0; tests.len()];
    let mut smallest = 1.0_f64;
    for (from_largest, &(index, p)) in shown.iter().enumerate() {
        let rank = (shown.len() - from_largest) as f64;
        smallest = smallest.min(expected_false(p) / rank);
        if let Some(slot) = q.get_mut(index) {
            *slot = smallest;
        }
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tested(p: f64, floor_p: f64, passes: bool) -> Tested {
        Tested { p, floor_p, passes }
    }

    #[test]
    fn without_a_floor_it_is_benjamini_hochberg() {
        let p = [0.01, 0.04, 0.03, 0.005];
        let tests: Vec<Tested> = p.iter().map(|p| tested(*p, 1.0, true)).collect();
        for (got, want) in q_values_above_floor(&tests).iter().zip(q_values(&p)) {
            assert!((got - want).abs() < 1e-12, "{got} {want}");
        }
    }

    #[test]
    fn rows_below_the_floor_make_no_room_for_false_ones() {
        // 120 light rows that surely changed by less than the floor, 100 rows of noise of which one looks significant.
        let mut tests = vec![tested(1e-9, 1e-9, false); 120];
        tests.push(tested(0.001, 0.5, true));
        tests.extend(vec![tested(0.6, 0.5, false); 99]);
        let all: Vec<f64> = tests.iter().map(|test| test.p).collect();
        assert!(q_values(&all)[120] < 0.05);
        assert!(q_values_above_floor(&tests)[120] > 0.05);
        assert_eq!(q_values_above_floor(&tests)[0], 1.0);
    }

    #[test]
    fn rows_that_cannot_reach_the_floor_by_chance_cost_no_power() {
        let mut tests = vec![tested(0.01, 1.0, true)];
        tests.extend(vec![tested(0.5, 1e-6, false); 500]);
        assert!((q_values_above_floor(&tests)[0] - (0.01 + 500.0 * 1e-6)).abs() < 1e-9);
    }

    fn check(p: &[f64], expected: &[f64]) {
        let q = q_values(p);
        assert_eq!(q.len(), expected.len());
        for (got, want) in q.iter().zip(expected) {
            assert!((got - want).abs() < 1e-12, "{p:?} gave {q:?}");
        }
    }

    #[test]
    fn q_is_the_smallest_rate_that_finds_the_row() {
        check(&[], &[]);
        check(&[0.2], &[0.2]);
        check(&[0.01, 0.04, 0.03, 0.005], &[0.02, 0.04, 0.04, 0.02]);
        check(&[1.0, 1.0, 0.9], &[1.0, 1.0, 1.0]);
        check(&[0.02, 0.02], &[0.02, 0.02]);
    }
}
