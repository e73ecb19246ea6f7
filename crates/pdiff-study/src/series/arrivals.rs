//! In which build each cost arrived.

use super::build_cost::BuildCost;
use super::chains::{Chain, Step, chains};
use super::visibility::Visibility;
use pdiff_analysis::Comparison;

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
    /// For each build after the first: whether its change from the build before is beyond noise: of cost per operation where
    /// that is known of all builds, else of share.
    pub significant: Vec<bool>,
    /// Where it grew most, beyond noise.
    pub arrived: Arrived,
    /// Half of the 95 % interval of its growth from the first build to the last, in nanoseconds per operation, or in points
    /// where arrivals are judged by share; known where the runs of both builds repeat.
    pub growth_half: Option<f64>,
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

    fn of(chain: Chain, visibility: &Visibility, per_operation: bool) -> Self {
        let hidden: Vec<bool> = (0..chain.costs.len()).map(|at| is_hidden(&chain, visibility, at)).collect();
        let significant =
            |from: usize, to: usize| chain.significant.get(&(from, to)).copied().unwrap_or(false);
        let steps: Vec<bool> = (1..chain.costs.len()).map(|to| significant(to - 1, to)).collect();
        let arrived =
            if chain.unresolved { Arrived::Nowhere } else { arrived(&chain, &hidden, per_operation) };
        Self {
            name: chain.name,
            object: chain.object,
            costs: chain.costs,
            hidden,
            significant: steps,
            arrived,
            growth_half: chain.growth_half,
        }
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

/// The largest growth beyond noise among builds that show the row.
fn arrived(chain: &Chain, hidden: &[bool], per_operation: bool) -> Arrived {
    let cost = |at: usize| {
        let cost = chain.costs.get(at).copied().unwrap_or_default();
        if per_operation { cost.self_per_op_ns.unwrap_or(0.0) } else { cost.self_pct }
    };
    let significant = |from: usize, to: usize| chain.significant.get(&(from, to)).copied().unwrap_or(false);
    let visible: Vec<usize> =
        (0..chain.costs.len()).filter(|at| !hidden.get(*at).copied().unwrap_or(false)).collect();
    let step = |pair: &[usize]| match pair {
        [from, to] => {
            let growth = cost(*to) - cost(*from);
            (growth > 0.0 && significant(*from, *to)).then_some((*from, *to, growth))
        }
        _ => None,
    };
    let largest = visible.windows(2).filter_map(step).max_by(|a, b| a.2.total_cmp(&b.2));
    // What is hidden from the start may have been there always; its first step is no arrival, yet may be the largest.
    let unseen = visible.first().copied().filter(|first| *first > 0).and_then(|first| {
        let growth = cost(first) - cost(first - 1);
        (growth > 0.0 && significant(first - 1, first)).then_some((first, growth))
    });
    match (largest, unseen) {
        (Some((.., growth)), Some((first, unseen))) if unseen > growth => Arrived::UnseenBefore(first),
        (Some((from, to, _)), _) if to == from + 1 => Arrived::In(to),
        (Some((from, to, _)), _) => Arrived::Between(from + 1, to),
        (None, Some((first, _))) => Arrived::UnseenBefore(first),
        (None, None) => Arrived::Nowhere,
    }
}

/// Chains the rows of comparisons: of each build with the one before it, and of the builds around those that hide functions
/// ([`Visibility::around_hidden`]). `ends` is the first build compared with the last, which tells how well the growth
/// between them is known. Sorted by that growth, largest first, then by name.
#[must_use]
pub fn arrivals(steps: &[Step], ends: Option<&Comparison>, visibility: &Visibility) -> Vec<Arrival> {
    let per_operation = are_per_operation(steps);
    let chains = chains(steps, ends, per_operation);
    let mut rows: Vec<Arrival> =
        chains.into_iter().map(|chain| Arrival::of(chain, visibility, per_operation)).collect();
    let growth = |row: &Arrival| {
        if per_operation { row.growth_ns().unwrap_or_default() } else { row.growth_pp() }
    };
    rows.sort_by(|a, b| {
        growth(b).total_cmp(&growth(a)).then_with(|| (&a.name, &a.object).cmp(&(&b.name, &b.object)))
    });
    rows
}

/// Whether arrivals are judged by cost per operation: it is known of all builds.
#[must_use]
pub fn are_per_operation(steps: &[Step]) -> bool {
    let is_time = |step: &Step| step.comparison.cost.as_ref().is_some_and(|cost| cost.is_time);
    !steps.is_empty() && steps.iter().all(is_time)
}
