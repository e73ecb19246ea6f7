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

#[cfg(test)]
mod tests {
    use super::*;

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
