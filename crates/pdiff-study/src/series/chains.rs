//! Rows of many comparisons as chains: one function or subsystem through all builds.
//!
//! Rows of consecutive comparisons are chained by object and name, through renames: the name after in one is the name
//! before in the next.

use std::collections::{BTreeSet, HashMap};

use pdiff_profile::Side;

use super::build_cost::BuildCost;
use super::cost_change::{self, INTERVAL_ALPHA, RowChange};
use pdiff_analysis::Comparison;

/// Two builds compared, by their places in the order.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The base build.
    pub from: usize,
    /// The build compared with it.
    pub to: usize,
    /// The comparison.
    pub comparison: Comparison,
}

/// A function or subsystem through all builds.
pub(super) struct Chain {
    pub(super) name: String,
    pub(super) object: String,
    pub(super) unresolved: bool,
    pub(super) costs: Vec<BuildCost>,
    /// What is known about its change from one build to another, for the pairs that were compared.
    pub(super) changes: HashMap<(usize, usize), RowChange>,
    /// Half of the 95 % interval of its growth from the first build to the last, in the unit of its costs; `None` where runs
    /// do not repeat, or where several rows make up the chain.
    pub(super) growth_half: Option<f64>,
}

impl Chain {
    /// Whether its change from one build to another is beyond noise.
    pub(super) fn is_significant(&self, from: usize, to: usize) -> bool {
        self.changes.get(&(from, to)).is_some_and(|change| change.significant)
    }

    /// Adds a row's change. Of a sum of rows it is not known how well its change is known.
    fn add_change(&mut self, step: (usize, usize), change: RowChange) {
        self.changes
            .entry(step)
            .and_modify(|own| {
                *own = RowChange { significant: own.significant || change.significant, error: None };
            })
            .or_insert(change);
    }
}

/// Object and name.
type Key = (String, String);

/// The false discovery rate to keep in each comparison, so that the chance of any false change in the whole series is no
/// more than the rate asked for where nothing changed (Bonferroni).
fn rate_of_each(steps: &[Step]) -> f64 {
    let rate = steps.iter().map(|step| step.comparison.noise.q_threshold).fold(1.0, f64::min);
    rate / steps.len().max(1) as f64
}

/// Chains the rows: first those of consecutive builds, in order, then those of others. `ends` compares the first build with
/// the last.
pub(super) fn chains(steps: &[Step], ends: Option<&Comparison>, per_operation: bool) -> Vec<Chain> {
    let builds = steps.iter().map(|step| step.to + 1).max().unwrap_or(0);
    let mut chains: Vec<Chain> = Vec::new();
    let rate = rate_of_each(steps);
    let mut known: HashMap<Key, usize> = HashMap::new();
    let mut names_at: HashMap<usize, HashMap<Key, usize>> = HashMap::new();
    let (consecutive, others): (Vec<&Step>, Vec<&Step>) =
        steps.iter().partition(|step| step.to == step.from + 1);
    for step in consecutive {
        let mut next: HashMap<Key, usize> = HashMap::new();
        let changes = cost_change::row_changes(&step.comparison, per_operation, rate);
        for (row, change) in step.comparison.rows.iter().zip(changes) {
            let key = |name: &str| (row.object.to_string(), name.to_owned());
            let of_before: BTreeSet<usize> =
                row.names_on(Side::Before).filter_map(|name| known.get(&key(name)).copied()).collect();
            let at = of_before.first().copied().unwrap_or_else(|| {
                chains.push(Chain {
                    name: row.name.to_string(),
                    object: row.object.to_string(),
                    unresolved: row.unresolved,
                    costs: vec![BuildCost::default(); builds],
                    changes: HashMap::new(),
                    growth_half: None,
                });
                chains.len() - 1
            });
            // Names that became one: so do their chains.
            for other in of_before.into_iter().skip(1) {
                join(&mut chains, at, other);
                let maps = names_at.values_mut().chain([&mut known, &mut next]);
                let places = maps.flat_map(HashMap::values_mut);
                places.filter(|place| **place == other).for_each(|place| *place = at);
            }
            for name in row.names_on(Side::Before) {
                known.entry(key(name)).or_insert(at);
            }
            next.extend(row.names_on(Side::After).map(|name| (key(name), at)));
            let Some(chain) = chains.get_mut(at) else { continue };
            chain.name = row.name.to_string();
            if let Some(cost) = chain.costs.get_mut(step.from).filter(|_| step.from == 0) {
                cost.add((&row.before).into());
            }
            if let Some(cost) = chain.costs.get_mut(step.to) {
                cost.add((&row.after).into());
            }
            chain.add_change((step.from, step.to), change);
        }
        // What this step does not refer to keeps its place: it may come back.
        for (key, chain) in known {
            next.entry(key).or_insert(chain);
        }
        names_at.insert(step.to, next.clone());
        known = next;
    }
    for step in others {
        let Some(names) = names_at.get(&step.to) else { continue };
        let changes = cost_change::row_changes(&step.comparison, per_operation, rate);
        for (row, change) in step.comparison.rows.iter().zip(changes) {
            let after = &row.name;
            let chain = names.get(&(row.object.to_string(), after.to_string()));
            if let Some(chain) = chain.and_then(|at| chains.get_mut(*at)) {
                chain.add_change((step.from, step.to), change);
            }
        }
    }
    if let Some((ends, names)) = ends.zip(names_at.get(&(builds.saturating_sub(1)))) {
        set_growth(&mut chains, ends, names, per_operation);
    }
    chains.retain(|chain| !chain.costs.is_empty());
    chains
}

/// Sets how well the growth from the first build to the last is known.
fn set_growth(chains: &mut [Chain], ends: &Comparison, names: &HashMap<Key, usize>, per_operation: bool) {
    let mut seen = BTreeSet::new();
    for (row, error) in ends.rows.iter().zip(cost_change::errors(ends, per_operation)) {
        let at = names.get(&(row.object.to_string(), row.name.to_string())).copied();
        if let Some(chain) = at.and_then(|at| chains.get_mut(at)) {
            let is_first = at.is_some_and(|at| seen.insert(at));
            chain.growth_half = error.filter(|_| is_first).map(|error| error.half(INTERVAL_ALPHA));
        }
    }
}

/// Adds the chain at `other` to the one at `at`; it is left without costs.
fn join(chains: &mut [Chain], at: usize, other: usize) {
    let Some(joined) = chains.get_mut(other) else { return };
    let (costs, changes) = (std::mem::take(&mut joined.costs), std::mem::take(&mut joined.changes));
    let Some(chain) = chains.get_mut(at) else { return };
    chain.costs.iter_mut().zip(costs).for_each(|(sum, cost)| sum.add(cost));
    for (step, change) in changes {
        chain.add_change(step, change);
    }
}
