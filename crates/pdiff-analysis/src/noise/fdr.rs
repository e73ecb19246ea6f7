//! The false discovery rate of many tests (Benjamini and Hochberg 1995, J. R. Stat. Soc. B 57:289).
//!
//! The procedure is valid for independent tests and for positively dependent ones. Rows of one profile share a denominator
//! and their runs; the variances account for that (`model.rs`).

use super::input::Floor;

/// The q-value of each p-value, in the same order: the smallest false discovery rate at which it is a finding.
/// Equal p-values get equal q-values.
pub(super) fn q_values(p_values: &[f64]) -> Vec<f64> {
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
    /// How much of the rate is spent on it, over that of the average test.
    pub(crate) weight: f64,
}

/// The least weight of a test.
const LEAST_WEIGHT: f64 = 0.1;

/// How much of the rate is spent on a row. A floor keeps changes that do not matter from being shown. Without one, rows share the
/// rate in proportion to their shares: what a heavy row costs matters most, and most rows are light, so that each loses
/// little (weighted p-values: Genovese, Roeder and Wasserman 2006). The middle of both shares says nothing about their difference,
/// so the rate is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weighing {
    /// The mean share of the rows tested, in percent; `None` if all weigh alike.
    mean_pct: Option<f64>,
}

impl Weighing {
    /// For rows of which the middle of both shares is given, in percent.
    pub(super) fn new(floor: &Floor, shares_pct: impl Iterator<Item = f64>) -> Self {
        let (sum, count) = shares_pct.fold((0.0, 0.0), |(sum, count), share| (sum + share, count + 1.0));
        let has_floor = floor.points > 0.0 || floor.relative > 0.0;
        Self { mean_pct: Some(sum / count).filter(|mean| !has_floor && *mean > 0.0) }
    }

    /// The weight of a row, over that of the average one.
    pub(super) fn weight(self, share_pct: f64) -> f64 {
        self.mean_pct.map_or(1.0, |mean| (share_pct / mean).max(LEAST_WEIGHT))
    }
}

/// The q-value of each row among those that pass the floor, in the same order; 1 for the others.
///
/// Rows below the floor are not shown, so they must not count as discoveries that make room for false ones. Without a
/// change, a row is shown at level t with a chance of at most min(t, `floor_p`). The rate of false rows among those shown
/// at t is therefore estimated as the sum of these chances over all rows, divided by the number of rows shown
/// (Benjamini-Hochberg for tests whose p-values cannot take every value: Heyse 2011, "A false discovery rate procedure for
/// categorical data"). A test of weight w is shown at w t, where weights are 1 on average.
pub(crate) fn q_values_above_floor(tests: &[Tested]) -> Vec<f64> {
    let shown = ShownTests::new(tests);
    tests.iter().map(|test| if test.passes { shown.q_of(test.p / test.weight) } else { 1.0 }).collect()
}

/// The tests whose changes pass the floor, with the rate of false ones among them at every level.
pub(crate) struct ShownTests {
    /// `floor_p` over weight of all tests, smallest first, and the sums of the first ones' `floor_p` and weights.
    caps: Vec<f64>,
    sums: Vec<(f64, f64)>,
    /// Sum of all weights.
    weights: f64,
    /// p and q of the tests that pass the floor, smallest first.
    shown: Vec<(f64, f64)>,
}

impl ShownTests {
    /// Ranks the tests that pass the floor.
    pub(crate) fn new(tests: &[Tested]) -> Self {
        let cap = |test: &Tested| (test.floor_p.clamp(0.0, 1.0) / test.weight, test.weight);
        let mut caps: Vec<(f64, f64)> = tests.iter().map(cap).collect();
        caps.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let add = |sum: &mut (f64, f64), (cap, weight): &(f64, f64)| {
            *sum = (sum.0 + weight * cap, sum.1 + weight);
            Some(*sum)
        };
        let nothing = (0.0, 0.0);
        let sums: Vec<(f64, f64)> = std::iter::once(nothing).chain(caps.iter().scan(nothing, add)).collect();
        let mut shown: Vec<(f64, f64)> =
            tests.iter().filter(|test| test.passes).map(|test| (test.p / test.weight, 1.0)).collect();
        shown.sort_by(|a, b| a.0.total_cmp(&b.0));
        let weights = sums.last().map_or(0.0, |(_, weights)| *weights);
        let caps = caps.into_iter().map(|(cap, _)| cap).collect();
        let mut tests = Self { caps, sums, weights, shown: Vec::new() };
        let mut smallest = 1.0_f64;
        for (at, (p, q)) in shown.iter_mut().enumerate().rev() {
            smallest = smallest.min(tests.expected_false(*p) / (at + 1) as f64);
            *q = smallest;
        }
        tests.shown = shown;
        tests
    }

    /// How many rows chance alone would show at a level.
    fn expected_false(&self, level: f64) -> f64 {
        let capped = self.caps.partition_point(|cap| *cap <= level);
        let (sum, weights) = self.sums.get(capped).copied().unwrap_or_default();
        sum + (self.weights - weights).max(0.0) * level
    }

    /// The q-value of a p-value that passes the floor: of one of the tests, or of one more among them.
    pub(crate) fn q_of(&self, p: f64) -> f64 {
        let smaller = self.shown.partition_point(|(shown, _)| *shown < p);
        match self.shown.get(smaller) {
            Some((shown, q)) if *shown == p => *q,
            next => {
                let alone = self.expected_false(p) / (smaller + 1) as f64;
                next.map_or(alone, |(_, q)| alone.min(*q)).min(1.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tested(p: f64, floor_p: f64, passes: bool) -> Tested {
        Tested { p, floor_p, passes, weight: 1.0 }
    }

    #[test]
    fn a_weight_divides_p_values_and_weights_of_one_change_nothing() {
        let weighed = |weights: [f64; 4]| {
            let p = [0.01, 0.04, 0.03, 0.005];
            let of = |(p, weight): (&f64, f64)| Tested { weight, ..tested(*p, 1.0, true) };
            q_values_above_floor(&p.iter().zip(weights).map(of).collect::<Vec<_>>())
        };
        let want = q_values(&[0.01 / 0.5, 0.04 / 2.0, 0.03 / 0.5, 0.005]);
        for (got, want) in weighed([0.5, 2.0, 0.5, 1.0]).iter().zip(want) {
            assert!((got - want).abs() < 1e-12, "{got} {want}");
        }
    }

    #[test]
    fn without_a_floor_heavy_rows_have_more_of_the_rate() {
        let nothing = Floor { points: 0.0, relative: 0.0 };
        let weighing = Weighing::new(&nothing, [0.1, 0.1, 0.1, 0.7].into_iter());
        assert!((weighing.weight(0.7) - 2.8).abs() < 1e-12 && (weighing.weight(0.1) - 0.4).abs() < 1e-12);
        assert_eq!(weighing.weight(0.0), LEAST_WEIGHT);
        let with_floor = Weighing::new(&Floor::default(), [0.1, 0.7].into_iter());
        assert_eq!((with_floor.weight(0.7), with_floor.weight(0.0)), (1.0, 1.0));
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

    #[test]
    fn one_more_test_is_ranked_among_the_others() {
        let tests = [tested(0.001, 1.0, true), tested(0.02, 1.0, true), tested(0.5, 1.0, false)];
        let shown = ShownTests::new(&tests);
        assert!((shown.q_of(0.001) - 0.003).abs() < 1e-12);
        assert!((shown.q_of(0.01) - 0.015).abs() < 1e-12);
        assert!((shown.q_of(0.02) - 0.03).abs() < 1e-12);
        assert_eq!((shown.q_of(0.9), shown.q_of(1.0)), (0.9, 1.0));
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
