//! Change points: the builds from which on a level differs from that of the builds before, whatever single steps show.
//!
//! Divisive, as E-divisive is (Matteson, James 2014, J. Am. Stat. Assoc. 109:334), with the distance that tells means (its
//! exponent 2), which is the binary segmentation of Scott and Knott (1974, Biometrics 30:507): a stretch of builds is split
//! where the difference of means on both sides says most, if that is more than permuted builds say, and its parts are
//! looked at in turn. So is a stretch whose middle differs from both sides. Builds are permuted whole, so what the runs of one build share is noise, as it should be.
//!
//! Of many rows, each permutation is one for all of them, and the row that says most is what others must exceed (Westfall,
//! Young 1993, Resampling-Based Multiple Testing, min-p): where nothing changed, the chance of any change point in any row
//! is at most `level`, however rows depend on each other and whatever their noise is like, if builds could be in any order.
//! Slow drift over builds breaks that.
//!
//! Where the change is, lies in the builds that have 95 % of the posterior of a change of mean in normal noise (Smith 1975,
//! Biometrika 62:407).
//!
//! Cost: rows x permutations x builds additions a round, 60 million for 1,000 rows of 30 builds, and half the square of
//! builds for bumps, where permutations end as soon as no row can be found any more. Rounds are as many as changes are nested.

use std::collections::BTreeMap;
use std::ops::Range;

use pdiff_analysis::noise::{critical_t, two_sided_p};

/// Fewer builds are not searched: so few have too few orders to be permuted.
pub const LEAST_BUILDS: usize = 10;

/// A change that a single build shows is not a change point: that is what steps are for.
const LEAST_STRETCH: usize = 2;

/// Orders of the builds that are tried. The chance of a false change point is then known to 0.3 points at 2 %.
const PERMUTATIONS: usize = 1_999;

/// Intervals contain the truth this often.
const LEVEL: f64 = 0.95;

/// From one build on, a level differs from that before.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChangePoint {
    /// The first build of the new level.
    pub at: usize,
    /// The 95 % interval of `at`: the first and the last build that it may be.
    pub interval: (usize, usize),
    /// The level after less the one before, in the unit of the values. Levels are means of the builds up to the next change
    /// points.
    pub change: f64,
    /// Half of the 95 % interval of `change`.
    pub change_half: f64,
    /// The level after over the one before, less 1, in percent; with its 95 % interval. `None` if some value is zero.
    pub change_pct: Option<(f64, [f64; 2])>,
}

/// The change points of each row of values, one per build. Where nothing changed, there is one in any row with a chance of
/// at most `level`. Positive values are judged by their logarithms, rows with a zero unchanged.
///
/// ```
/// use pdiff_study::series::change_points;
/// let costs = [10.0, 10.1, 9.9, 10.0, 10.1, 9.9, 12.0, 12.1, 11.9, 12.0, 12.1, 11.9].to_vec();
/// let found = change_points(&[&costs], 0.05);
/// assert_eq!(found[0].iter().map(|change| change.at).collect::<Vec<_>>(), [6]);
/// ```
#[must_use]
pub fn change_points(rows: &[&[f64]], level: f64) -> Vec<Vec<ChangePoint>> {
    let scaled: Vec<Vec<f64>> = rows.iter().map(|row| scaled(row)).collect();
    let mut bounds: Vec<Vec<usize>> = rows.iter().map(|row| vec![0, row.len()]).collect();
    let mut open: Vec<Stretch> = rows
        .iter()
        .enumerate()
        .map(|(row, values)| Stretch { row, builds: 0..values.len() })
        .filter(Stretch::is_searched)
        .collect();
    while !open.is_empty() {
        let mut parts = Vec::new();
        for (stretch, places) in splits(&scaled, open, level) {
            let ends = places.iter().copied().chain([stretch.builds.end]);
            let starts = std::iter::once(stretch.builds.start).chain(places.iter().copied());
            parts.extend(
                starts.zip(ends).map(|(start, end)| Stretch { row: stretch.row, builds: start..end }),
            );
            if let Some(bounds) = bounds.get_mut(stretch.row) {
                bounds.extend(places);
                bounds.sort_unstable();
            }
        }
        parts.retain(Stretch::is_searched);
        open = parts;
    }
    let rows = rows.iter().zip(&scaled).zip(bounds);
    rows.map(|((values, scaled), bounds)| described(values, scaled, bounds)).collect()
}

/// Some builds of a row.
struct Stretch {
    row: usize,
    builds: Range<usize>,
}

impl Stretch {
    fn is_searched(&self) -> bool {
        self.builds.len() >= LEAST_BUILDS
    }
}

/// Logarithms where all are positive.
fn scaled(values: &[f64]) -> Vec<f64> {
    if has_logs(values) { values.iter().map(|value| value.ln()).collect() } else { values.to_vec() }
}

fn has_logs(values: &[f64]) -> bool {
    values.iter().all(|value| *value > 0.0)
}

/// How a stretch differs from a level one.
#[derive(Clone, Copy)]
enum Shape {
    /// Another level from some build on.
    Step,
    /// Another level from some build on, and the old one again from a later one. A step hardly shows in that
    /// (Olshen and others 2004, Biostatistics 5:557, circular binary segmentation).
    Bump,
}

/// The part of the level that is kept for bumps.
const PART_FOR_BUMPS: f64 = 0.2;

/// The stretches that are split, each with the first builds of its other parts.
fn splits(rows: &[Vec<f64>], open: Vec<Stretch>, level: f64) -> Vec<(Stretch, Vec<usize>)> {
    let steps = found(rows, &open, Shape::Step, (1.0 - PART_FOR_BUMPS) * level);
    let bumps = found(rows, &open, Shape::Bump, PART_FOR_BUMPS * level);
    let splits = open.into_iter().zip(steps).zip(bumps);
    splits.filter_map(|((stretch, step), bump)| Some((stretch, step.or(bump)?))).collect()
}

/// For each stretch: where it is split, if that says more than permuted builds do.
fn found(rows: &[Vec<f64>], open: &[Stretch], shape: Shape, level: f64) -> Vec<Option<Vec<usize>>> {
    // Deviations from the stretch's mean, and their squares, which are those of every order.
    let prepared: Vec<(Vec<f64>, f64)> = open.iter().map(|stretch| deviations(rows, stretch)).collect();
    let tested: Vec<(f64, Best)> = prepared
        .iter()
        .map(|(values, squares)| {
            let best = Best::of(values, shape);
            (p_of_split(best.explained, *squares, values.len()), best)
        })
        .collect();
    let mut orders = Orders::new(rows.iter().map(Vec::len).max().unwrap_or(0));
    let mut at_least_as_sure = vec![1usize; open.len()];
    let most_of = level * (PERMUTATIONS + 1) as f64;
    let is_open = |count: &usize| *count as f64 <= most_of;
    let mut permuted = Vec::new();
    for _ in 0..PERMUTATIONS {
        // What is settled needs no more orders.
        if !at_least_as_sure.iter().any(is_open) {
            break;
        }
        orders.shuffle();
        // Of stretches of one length the one that explains most has the smallest p.
        let mut most: BTreeMap<usize, f64> = BTreeMap::new();
        for (stretch, (values, squares)) in open.iter().zip(&prepared) {
            if *squares <= 0.0 {
                continue;
            }
            let order = orders.of(&stretch.builds);
            permuted.clear();
            permuted.extend(order.iter().filter_map(|at| values.get(*at).copied()));
            let explained = Best::of(&permuted, shape).explained / squares;
            let most = most.entry(values.len()).or_default();
            *most = most.max(explained);
        }
        let smallest =
            most.iter().map(|(length, explained)| p_of_split(*explained, 1.0, *length)).fold(1.0, f64::min);
        for (count, (p, _)) in at_least_as_sure.iter_mut().zip(&tested) {
            // Equal orders must be equal whatever the rounding.
            *count += usize::from(smallest <= p * (1.0 + 1e-6));
        }
    }
    let stretches = open.iter().zip(at_least_as_sure).zip(tested);
    stretches
        .map(|((stretch, count), (_, best))| {
            let places = best.places.into_iter().flatten();
            is_open(&count).then(|| places.map(|at| stretch.builds.start + at).collect())
        })
        .collect()
}

fn deviations(rows: &[Vec<f64>], stretch: &Stretch) -> (Vec<f64>, f64) {
    let values = rows.get(stretch.row).and_then(|row| row.get(stretch.builds.clone())).unwrap_or_default();
    let mean = mean(values);
    let deviations: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let squares: f64 = deviations.iter().map(|deviation| deviation * deviation).sum();
    // What rounding leaves of equal values is not noise.
    let is_noise = squares > 1e-24 * mean * mean * values.len() as f64;
    (deviations, if is_noise { squares } else { 0.0 })
}

/// The split with the largest sum of squares between its parts.
struct Best {
    explained: f64,
    /// The numbers of values before each of its places.
    places: [Option<usize>; 2],
}

impl Best {
    /// The values sum to 0.
    fn of(values: &[f64], shape: Shape) -> Self {
        let mut best = Self { explained: 0.0, places: [None; 2] };
        let length = values.len();
        let last = length.saturating_sub(LEAST_STRETCH);
        let sums = values.iter().scan(0.0, |sum, value| {
            *sum += value;
            Some(*sum)
        });
        let mut keep = |sum: f64, size: usize, places| {
            let explained = sum * sum * length as f64 / (size * (length - size)) as f64;
            if explained > best.explained {
                best = Self { explained, places };
            }
        };
        let places = (1..).zip(sums).take(last).skip(LEAST_STRETCH - 1);
        match shape {
            Shape::Step => places.for_each(|(at, sum)| keep(sum, at, [Some(at), None])),
            Shape::Bump => {
                let places: Vec<(usize, f64)> = places.collect();
                for (index, (first, before)) in places.iter().enumerate() {
                    for (second, sum) in places.iter().skip(index + LEAST_STRETCH) {
                        keep(sum - before, second - first, [Some(*first), Some(*second)]);
                    }
                }
            }
        }
        best
    }
}

/// The p-value of Student's t for that split alone: comparable between stretches, whatever their length.
fn p_of_split(explained: f64, squares: f64, length: usize) -> f64 {
    if squares <= 0.0 {
        return 1.0;
    }
    let df = length as f64 - 2.0;
    let part = (explained / squares).min(1.0);
    // Without a rest t is infinite and p zero, which would make all such alike.
    two_sided_p((part * df / (1.0 - part).max(1e-12)).sqrt(), df)
}

/// Random orders of builds. Each build has a random key, and a stretch is ordered by the keys of its builds: rows whose
/// stretches are the same are ordered alike.
struct Orders {
    state: u64,
    keys: Vec<u64>,
    of: BTreeMap<(usize, usize), Vec<usize>>,
}

impl Orders {
    fn new(builds: usize) -> Self {
        Self { state: 0, keys: vec![0; builds], of: BTreeMap::new() }
    }

    fn shuffle(&mut self) {
        let state = &mut self.state;
        self.keys.iter_mut().for_each(|key| *key = split_mix(state));
        self.of.clear();
    }

    /// The places in the stretch, in its order.
    fn of(&mut self, builds: &Range<usize>) -> &[usize] {
        let keys = &self.keys;
        self.of.entry((builds.start, builds.end)).or_insert_with(|| {
            let mut order: Vec<usize> = (0..builds.len()).collect();
            order.sort_unstable_by_key(|at| keys.get(builds.start + at));
            order
        })
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014) from a fixed seed: the same values give the same change points.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The change points that bounds are, the first and the last aside.
fn described(values: &[f64], scaled: &[f64], bounds: Vec<usize>) -> Vec<ChangePoint> {
    let triples = bounds.windows(3).filter_map(|triple| <[usize; 3]>::try_from(triple).ok());
    triples.filter_map(|[start, at, end]| describe(values, scaled, start, at, end)).collect()
}

fn describe(values: &[f64], scaled: &[f64], start: usize, at: usize, end: usize) -> Option<ChangePoint> {
    let parts = |values| Parts::new(values, start, at, end);
    let own = parts(values)?;
    let logs = if has_logs(values) { Some(parts(scaled)?) } else { None };
    let percent = |log: f64| 100.0 * log.exp_m1();
    Some(ChangePoint {
        at,
        interval: likely(scaled, start, at, end),
        change: own.change,
        change_half: own.half,
        change_pct: logs.map(|logs| {
            (percent(logs.change), [percent(logs.change - logs.half), percent(logs.change + logs.half)])
        }),
    })
}

/// The difference of the means on both sides of a split, and half of its 95 % interval (Student's t, pooled variance).
struct Parts {
    change: f64,
    half: f64,
}

impl Parts {
    fn new(values: &[f64], start: usize, at: usize, end: usize) -> Option<Self> {
        let (before, after) = (values.get(start..at)?, values.get(at..end)?);
        let [of_before, of_after] = [before, after].map(squares_about_mean);
        let counts = [before, after].map(|part| part.len() as f64);
        let df = counts[0] + counts[1] - 2.0;
        let variance = (of_before + of_after) / df * (1.0 / counts[0] + 1.0 / counts[1]);
        let half = critical_t(1.0 - LEVEL, df) * variance.sqrt();
        half.is_finite().then(|| Self { change: mean(after) - mean(before), half })
    }
}

/// The first and the last of the builds that have 95 % of the posterior of the place of a change of mean, all places being
/// as likely beforehand.
fn likely(values: &[f64], start: usize, found: usize, end: usize) -> (usize, usize) {
    let count = (end - start) as f64;
    let log_weight = |at: usize| {
        let (before, after) = (values.get(start..at)?, values.get(at..end)?);
        let rest = squares_about_mean(before) + squares_about_mean(after);
        let sizes = (before.len() * after.len()) as f64;
        Some(-0.5 * sizes.ln() - 0.5 * (count - 2.0) * rest.max(f64::MIN_POSITIVE).ln())
    };
    let places = start + LEAST_STRETCH..=end.saturating_sub(LEAST_STRETCH);
    let mut weights: Vec<(usize, f64)> = places.filter_map(|at| Some((at, log_weight(at)?))).collect();
    weights.sort_by(|a, b| b.1.total_cmp(&a.1));
    let top = weights.first().map_or(0.0, |(_, weight)| *weight);
    let total: f64 = weights.iter().map(|(_, weight)| (weight - top).exp()).sum();
    let (mut first, mut last, mut sum) = (found, found, 0.0);
    for (at, weight) in weights {
        if sum >= LEVEL * total {
            break;
        }
        sum += (weight - top).exp();
        first = first.min(at);
        last = last.max(at);
    }
    (first, last)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn squares_about_mean(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers about 0 with a variance of 1, none of them far off: sums of uniform ones.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> f64 {
            let mut uniform = || (split_mix(&mut self.0) >> 11) as f64 / (1u64 << 53) as f64;
            (0..12).map(|_| uniform()).sum::<f64>() - 6.0
        }

        fn series(&mut self, sd: f64, levels: &[(usize, f64)]) -> Vec<f64> {
            let of_level = levels.iter().flat_map(|(builds, level)| std::iter::repeat_n(*level, *builds));
            of_level.map(|level| level * (sd * self.next()).exp()).collect()
        }
    }

    fn places(values: &[f64]) -> Vec<usize> {
        change_points(&[values], 0.025)[0].iter().map(|change| change.at).collect()
    }

    #[test]
    fn levels_are_told_from_noise() {
        let mut noise = Noise(7);
        assert_eq!(places(&noise.series(0.02, &[(14, 100.0), (16, 115.0)])), [14]);
        assert_eq!(places(&noise.series(0.02, &[(10, 100.0), (10, 120.0), (10, 100.0)])), [10, 20]);
        assert_eq!(places(&noise.series(0.02, &[(28, 100.0), (2, 120.0)])), [28]);
        // A function that is new has no logarithm before.
        assert_eq!(places(&noise.series(0.02, &[(15, 0.0), (15, 3.0)])), [15]);
        // One build alone is not a level.
        assert_eq!(places(&noise.series(0.001, &[(14, 100.0), (1, 150.0), (15, 100.0)])), [] as [usize; 0]);
    }

    #[test]
    fn few_builds_and_equal_ones_have_no_change_point() {
        let few = [&[1.0; 4][..], &[9.0; 5]].concat();
        assert_eq!((few.len() + 1, places(&few)), (LEAST_BUILDS, vec![]));
        assert_eq!(places(&[[1.0; 5], [9.0; 5]].concat()), [5], "without noise it is certain");
        assert_eq!(places(&[0.1 + 0.2; 30]), [] as [usize; 0]);
        assert_eq!(places(&[0.0; 30]), [] as [usize; 0]);
        assert_eq!(change_points(&[], 0.05), [] as [Vec<ChangePoint>; 0]);
        assert_eq!(places(&[]), [] as [usize; 0]);
    }

    #[test]
    fn a_change_has_the_size_and_the_interval_of_two_means() {
        // Means 10 and 20 of six values each, whose squares about them sum to 4 on both sides: a standard error of
        // sqrt(8 / 10 / 3), and Student's t of 2.228 on 10 degrees of freedom.
        let low = [9.0, 11.0, 9.0, 11.0, 10.0, 10.0];
        let values: Vec<f64> = low.into_iter().chain(low.map(|value| value + 10.0)).collect();
        let [found] = change_points(&[&values], 0.05)[0][..] else { panic!("there is one") };
        assert_eq!((found.at, found.change), (6, 10.0));
        assert!((found.change_half - 2.228_139 * (0.8_f64 / 3.0).sqrt()).abs() < 1e-5, "{found:?}");
        let (pct, [lower, upper]) = found.change_pct.unwrap();
        assert!((pct - 100.503_78).abs() < 1e-4 && lower < pct && pct < upper, "{found:?}");
    }

    #[test]
    fn where_the_change_is_not_clear_more_builds_are_named() {
        let values = [10.0, 10.3, 9.8, 10.1, 9.7, 10.2, 11.0, 12.0, 11.8, 12.3, 12.1, 11.9];
        let [found] = change_points(&[&values], 0.05)[0][..] else { panic!("there is one") };
        assert_eq!(found.interval, (6, 7), "the seventh may be of either level: {found:?}");
    }

    /// In a quarter more of the series than the level there would be a fault.
    #[test]
    fn of_series_without_a_change_few_have_a_change_point_however_many_rows() {
        let mut noise = Noise(11);
        for (rows, builds) in [(1, 10), (1, 30), (20, 12)] {
            let mut any = || {
                let rows: Vec<Vec<f64>> = (0..rows).map(|_| noise.series(0.05, &[(builds, 100.0)])).collect();
                let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
                change_points(&rows, 0.1).iter().any(|found| !found.is_empty())
            };
            let any_false = (0..100).filter(|_| any()).count();
            // Ten of 100 are expected; 18 or more have a chance of 1 %.
            assert!(any_false < 18, "{any_false} of 100 with {rows} rows of {builds} builds");
        }
    }
}
