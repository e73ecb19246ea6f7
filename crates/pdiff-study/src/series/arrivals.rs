//! In which build each cost arrived.

use super::build_cost::BuildCost;
use super::chains::{Chain, Step, chains};
use super::change_points::{ChangePoint, change_points};
use super::cost_change::{ChangeError, INTERVAL_ALPHA};
use super::visibility::Visibility;
use pdiff_analysis::{Comparison, is_nameless};

/// The chance of a change point in any function where nothing changed, and in any subsystem. With that of the whole cost
/// ([`super::COST_CHANGE_POINT_RATE`]), 5 of 100 series have a false one.
const ROW_CHANGE_POINT_RATE: f64 = 0.0125;

/// A function or subsystem over all builds.
#[derive(Clone, PartialEq, Debug)]
pub struct Arrival {
    /// Its name in the last build that has it.
    pub name: String,
    /// Its object; empty for groups.
    pub object: String,
    /// For each build in order.
    pub costs: Vec<BuildCost>,
    /// For each build: it may have had more there than is seen, since the build's symbols are missing.
    pub hidden: Vec<bool>,
    /// For each build after the first: whether its change from the build before is beyond noise, in cost per operation if
    /// that is known for all builds, else in share.
    pub significant: Vec<bool>,
    /// Where it grew most, beyond noise.
    pub arrived: Arrived,
    /// The growth in the build of arrival.
    pub brought: Option<Brought>,
    /// The builds from which on its cost was another, in order; see [`change_points`]. Empty if some build hides it.
    pub change_points: Vec<ChangePoint>,
    /// Half of the 95 % interval of its growth from the first build to the last, in nanoseconds per operation, or in points
    /// where arrivals are judged by share; known where the runs of both builds repeat.
    pub growth_half: Option<f64>,
}

/// The growth in which a cost arrived.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Brought {
    /// In nanoseconds per operation, or in points where arrivals are judged by share.
    pub growth: f64,
    /// Half of its interval, where the runs of a build repeat. Growth is looked at because it is large, so intervals are
    /// wide enough that 95 % of all that are given in a series contain the truth (Benjamini and Yekutieli 2005, J. Am.
    /// Stat. Assoc. 100:71).
    pub half: Option<f64>,
}

/// Where a cost arrived, by places in the order of builds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrived {
    /// It grew in no build beyond noise.
    Nowhere,
    /// In this build.
    In(usize),
    /// In one of these builds, both ends included: those before the last hide it.
    Between(usize, usize),
    /// It is not visible in any build before this one, so it may have been there always.
    UnseenBefore(usize),
}

impl Arrival {
    /// Growth from the first build to the last, in points of share.
    #[must_use]
    pub fn growth_pp(&self) -> f64 {
        let ends = self.costs.first().zip(self.costs.last());
        ends.map_or(0.0, |(first, last)| last.self_pct - first.self_pct)
    }

    /// Growth from the first build to the last, in nanoseconds per operation.
    #[must_use]
    pub fn growth_ns(&self) -> Option<f64> {
        let (first, last) = (self.costs.first()?.self_per_op_ns, self.costs.last()?.self_per_op_ns);
        first.or(last).map(|_| last.unwrap_or(0.0) - first.unwrap_or(0.0))
    }

    fn of(chain: Chain, visibility: &Visibility, per_operation: bool) -> (Self, Option<ArrivedGrowth>) {
        let hidden: Vec<bool> = (0..chain.costs.len()).map(|at| is_hidden(&chain, visibility, at)).collect();
        let steps: Vec<bool> = (1..chain.costs.len()).map(|to| chain.is_significant(to - 1, to)).collect();
        let (arrived, growth) = match chain.unresolved {
            true => (Arrived::Nowhere, None),
            false => arrived(&chain, &hidden, per_operation),
        };
        let row = Self {
            name: chain.name,
            object: chain.object,
            costs: chain.costs,
            hidden,
            significant: steps,
            arrived,
            brought: None,
            change_points: Vec::new(),
            growth_half: chain.growth_half,
        };
        (row, growth)
    }

    /// What it costs on each build: nanoseconds per operation, or percent of the samples.
    fn values(&self, per_operation: bool) -> Vec<f64> {
        self.costs.iter().map(|cost| cost.value(per_operation)).collect()
    }
}

/// Half of its growth to the next build, or of its decline from the one before, may be what the build hides.
fn is_hidden(chain: &Chain, visibility: &Visibility, at: usize) -> bool {
    let share = |at: usize| chain.costs.get(at).map_or(0.0, |cost| cost.self_pct);
    let hidden = visibility.hidden_pct(at, &chain.object, &chain.name, share(at));
    let neighbours = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
    hidden > 0.0
        && neighbours.map(|other| share(other) - share(at)).any(|more| more > 0.0 && more <= 2.0 * hidden)
}

/// The growth in which a row arrived, and how well it is known.
struct ArrivedGrowth {
    growth: f64,
    error: Option<ChangeError>,
}

/// The largest growth beyond noise among builds that show the row.
fn arrived(chain: &Chain, hidden: &[bool], per_operation: bool) -> (Arrived, Option<ArrivedGrowth>) {
    let growth = |from: usize, to: usize| {
        let cost = |at: usize| chain.costs.get(at).map_or(0.0, |cost| cost.value(per_operation));
        Some(cost(to) - cost(from)).filter(|growth| *growth > 0.0 && chain.is_significant(from, to))
    };
    let visible: Vec<usize> =
        (0..chain.costs.len()).filter(|at| !hidden.get(*at).copied().unwrap_or(false)).collect();
    let step = |pair: &[usize]| match pair {
        [from, to] => growth(*from, *to).map(|growth| (*from, *to, growth)),
        _ => None,
    };
    let largest = visible.windows(2).filter_map(step).max_by(|a, b| a.2.total_cmp(&b.2));
    // What is hidden from the start may have been there always; its first step is not an arrival, yet may be the largest.
    let unseen = visible.first().copied().filter(|first| *first > 0);
    let unseen = unseen.and_then(|first| Some((first, growth(first - 1, first)?)));
    match (largest, unseen) {
        (Some((.., growth)), Some((first, unseen))) if unseen > growth => {
            (Arrived::UnseenBefore(first), None)
        }
        (Some((from, to, growth)), _) => {
            let arrived = if to == from + 1 { Arrived::In(to) } else { Arrived::Between(from + 1, to) };
            let error = chain.changes.get(&(from, to)).and_then(|change| change.error);
            (arrived, Some(ArrivedGrowth { growth, error }))
        }
        (None, Some((first, _))) => (Arrived::UnseenBefore(first), None),
        (None, None) => (Arrived::Nowhere, None),
    }
}

/// Chains the rows of comparisons: of each build with the one before it, and of the builds around those that hide functions
/// ([`Visibility::around_hidden`]). `ends` is the first build compared with the last, which tells how well the growth
/// between them is known. Sorted by that growth, largest first, then by name.
#[must_use]
pub fn arrivals(steps: &[Step], ends: Option<&Comparison>, visibility: &Visibility) -> Vec<Arrival> {
    let per_operation = are_per_operation(steps);
    let chains = chains(steps, ends, per_operation);
    let tests: usize = chains.iter().map(|chain| chain.changes.len()).sum();
    let (mut rows, growths): (Vec<Arrival>, Vec<Option<ArrivedGrowth>>) =
        chains.into_iter().map(|chain| Arrival::of(chain, visibility, per_operation)).unzip();
    let shown = growths.iter().flatten().count();
    let alpha = INTERVAL_ALPHA * shown as f64 / tests.max(1) as f64;
    for (row, growth) in rows.iter_mut().zip(growths) {
        row.brought = growth.map(|of| Brought {
            growth: of.growth,
            half: of.error.map(|error| error.half(alpha)).filter(|half| half.is_finite()),
        });
    }
    set_change_points(&mut rows, steps, per_operation);
    let growth = |row: &Arrival| {
        if per_operation { row.growth_ns().unwrap_or_default() } else { row.growth_pp() }
    };
    rows.sort_by(|a, b| {
        growth(b).total_cmp(&growth(a)).then_with(|| (&a.name, &a.object).cmp(&(&b.name, &b.object)))
    });
    rows
}

/// Searches the rows that every build shows, and that are above the floor of shares on average.
fn set_change_points(rows: &mut [Arrival], steps: &[Step], per_operation: bool) {
    let floor = steps.iter().map(|step| step.comparison.noise.floor.points).fold(f64::INFINITY, f64::min);
    let is_heavy = |row: &Arrival| {
        let sum: f64 = row.costs.iter().map(|cost| cost.self_pct).sum();
        sum >= floor * row.costs.len() as f64
    };
    let is_searched = |row: &Arrival| !row.hidden.contains(&true) && !is_nameless(&row.name) && is_heavy(row);
    let searched: Vec<&mut Arrival> = rows.iter_mut().filter(|row| is_searched(row)).collect();
    let values: Vec<Vec<f64>> = searched.iter().map(|row| row.values(per_operation)).collect();
    let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
    for (row, found) in searched.into_iter().zip(change_points(&values, ROW_CHANGE_POINT_RATE)) {
        row.change_points = found;
    }
}

/// Whether arrivals are judged by cost per operation: it is known about all builds.
#[must_use]
pub fn are_per_operation(steps: &[Step]) -> bool {
    let is_time = |step: &Step| step.comparison.cost.as_ref().is_some_and(|cost| cost.is_time);
    !steps.is_empty() && steps.iter().all(is_time)
}
