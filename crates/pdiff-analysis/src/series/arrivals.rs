//! In which build each cost arrived.
//!
//! Rows of consecutive comparisons are chained by object and name, through renames: the name after in one is the name
//! before in the next.

use std::collections::HashMap;

use crate::compare::{Comparison, Quantities, Row};

/// A function or subsystem over all builds.
#[derive(Clone, PartialEq, Debug)]
pub struct Arrival {
    /// Its name in the last build that has it.
    pub name: String,
    /// Its object; empty for groups.
    pub object: String,
    /// For each build in order.
    pub costs: Vec<BuildCost>,
    /// For each build after the first: whether its change of share from the build before is beyond noise.
    pub significant: Vec<bool>,
    /// The build in which it grew most, beyond noise; `None` if it did in none.
    pub arrived: Option<usize>,
}

/// Self on one build.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct BuildCost {
    /// Percent of the build's samples.
    pub self_pct: f64,
    /// Nanoseconds of CPU per operation, where operations are known and the event is time.
    pub self_per_op_ns: Option<f64>,
}

impl BuildCost {
    fn add(&mut self, quantities: &Quantities) {
        self.self_pct += quantities.self_pct;
        self.self_per_op_ns = match (self.self_per_op_ns, quantities.self_per_op_ns) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
    }
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
        Some(self.costs.last()?.self_per_op_ns? - self.costs.first()?.self_per_op_ns.unwrap_or(0.0))
    }

    fn find_arrival(&mut self) {
        let step = |at: usize| {
            let (before, after) = (self.costs.get(at)?, self.costs.get(at + 1)?);
            let share = after.self_pct - before.self_pct;
            let grew = match (before.self_per_op_ns, after.self_per_op_ns) {
                (None, None) => share,
                (before, after) => after.unwrap_or(0.0) - before.unwrap_or(0.0),
            };
            (*self.significant.get(at)? && grew > 0.0 && share > 0.0).then_some((at + 1, grew))
        };
        let steps = (0..self.significant.len()).filter_map(step);
        self.arrived = steps.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at);
    }
}

/// Chains the rows of consecutive comparisons: the first build with the second, the second with the third, and so on.
/// Sorted by growth from first to last build, largest first, then by name.
#[must_use]
pub fn arrivals(steps: &[Comparison]) -> Vec<Arrival> {
    let builds = steps.len() + 1;
    let mut chains: Vec<Arrival> = Vec::new();
    let mut known: HashMap<(String, String), usize> = HashMap::new();
    for (at, comparison) in steps.iter().enumerate() {
        let mut next = HashMap::new();
        for row in &comparison.rows {
            let before = row.matched.before_name.as_ref().unwrap_or(&row.name);
            let chain = known.get(&(row.object.clone(), before.clone())).copied().unwrap_or_else(|| {
                chains.push(empty(row, builds));
                chains.len() - 1
            });
            known.entry((row.object.clone(), before.clone())).or_insert(chain);
            let after = &row.name;
            next.insert((row.object.clone(), after.clone()), chain);
            let Some(chain) = chains.get_mut(chain) else { continue };
            chain.name.clone_from(after);
            if let Some(cost) = chain.costs.get_mut(at).filter(|_| at == 0) {
                cost.add(&row.before);
            }
            if let Some(cost) = chain.costs.get_mut(at + 1) {
                cost.add(&row.after);
            }
            if let Some(significant) = chain.significant.get_mut(at) {
                *significant |= row.significant;
            }
        }
        // What this step does not speak of keeps its place: it may come back.
        for (key, chain) in known {
            next.entry(key).or_insert(chain);
        }
        known = next;
    }
    chains.iter_mut().for_each(Arrival::find_arrival);
    let growth = |chain: &Arrival| chain.growth_ns().unwrap_or_else(|| chain.growth_pp());
    chains.sort_by(|a, b| {
        growth(b).total_cmp(&growth(a)).then_with(|| (&a.name, &a.object).cmp(&(&b.name, &b.object)))
    });
    chains
}

fn empty(row: &Row, builds: usize) -> Arrival {
    Arrival {
        name: row.name.clone(),
        object: row.object.clone(),
        costs: vec![BuildCost::default(); builds],
        significant: vec![false; builds.saturating_sub(1)],
        arrived: None,
    }
}
