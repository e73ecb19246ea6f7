//! Rows of many comparisons as chains: one function or subsystem through all builds.
//!
//! Rows of consecutive comparisons are chained by object and name, through renames: the name after in one is the name
//! before in the next.

use std::collections::HashMap;

use super::arrivals::BuildCost;
use super::cost_change;
use crate::compare::Comparison;

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
    /// Whether its change from one build to another is beyond noise, for the pairs that were compared.
    pub(super) significant: HashMap<(usize, usize), bool>,
}

/// Object and name.
type Key = (String, String);

/// Chains the rows: first those of consecutive builds, in order, then those of others.
pub(super) fn chains(steps: &[Step], per_operation: bool) -> Vec<Chain> {
    let builds = steps.iter().map(|step| step.to + 1).max().unwrap_or(0);
    let mut chains: Vec<Chain> = Vec::new();
    let mut known: HashMap<Key, usize> = HashMap::new();
    let mut names_at: HashMap<usize, HashMap<Key, usize>> = HashMap::new();
    let (consecutive, others): (Vec<&Step>, Vec<&Step>) =
        steps.iter().partition(|step| step.to == step.from + 1);
    for step in consecutive {
        let mut next = HashMap::new();
        let significant = cost_change::significant(&step.comparison, per_operation);
        for (row, significant) in step.comparison.rows.iter().zip(significant) {
            let before = row.matched.before_name.as_ref().unwrap_or(&row.name);
            let key = (row.object.clone(), before.clone());
            let at = known.get(&key).copied().unwrap_or_else(|| {
                chains.push(Chain {
                    name: row.name.clone(),
                    object: row.object.clone(),
                    unresolved: row.unresolved,
                    costs: vec![BuildCost::default(); builds],
                    significant: HashMap::new(),
                });
                chains.len() - 1
            });
            known.entry(key).or_insert(at);
            let after = &row.name;
            next.insert((row.object.clone(), after.clone()), at);
            let Some(chain) = chains.get_mut(at) else { continue };
            chain.name.clone_from(after);
            if let Some(cost) = chain.costs.get_mut(step.from).filter(|_| step.from == 0) {
                cost.add(&row.before);
            }
            if let Some(cost) = chain.costs.get_mut(step.to) {
                cost.add(&row.after);
            }
            *chain.significant.entry((step.from, step.to)).or_default() |= significant;
        }
        // What this step does not speak of keeps its place: it may come back.
        for (key, chain) in known {
            next.entry(key).or_insert(chain);
        }
        names_at.insert(step.to, next.clone());
        known = next;
    }
    for step in others {
        let Some(names) = names_at.get(&step.to) else { continue };
        let significant = cost_change::significant(&step.comparison, per_operation);
        for (row, significant) in step.comparison.rows.iter().zip(significant) {
            let after = &row.name;
            let chain = names.get(&(row.object.clone(), after.clone()));
            if let Some(chain) = chain.and_then(|at| chains.get_mut(*at)) {
                *chain.significant.entry((step.from, step.to)).or_default() |= significant;
            }
        }
    }
    chains
}
