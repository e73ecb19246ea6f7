//! What each group of threads costs on each build.

use super::build_cost::BuildCost;
use super::chains::Step;

/// A group of threads over all builds.
#[derive(Clone, PartialEq, Debug)]
pub struct GroupCost {
    /// The group.
    pub name: String,
    /// For each build in order.
    pub costs: Vec<BuildCost>,
}

/// The groups of comparisons by thread group, of each build with the one before it; those with most on any build first.
#[must_use]
pub fn group_costs(steps: &[Step], builds: usize) -> Vec<GroupCost> {
    let mut groups: Vec<GroupCost> = Vec::new();
    for step in steps.iter().filter(|step| step.to == step.from + 1) {
        for row in &step.comparison.rows {
            let found = groups.iter().position(|group| *group.name == *row.name).unwrap_or_else(|| {
                groups.push(GroupCost {
                    name: row.name.to_string(),
                    costs: vec![BuildCost::default(); builds],
                });
                groups.len() - 1
            });
            // What a step says of its first build, the step before it said already.
            let sides = [(step.from, &row.before), (step.to, &row.after)];
            for (build, of) in sides.into_iter().skip(usize::from(step.from > 0)) {
                if let Some(cost) = groups.get_mut(found).and_then(|group| group.costs.get_mut(build)) {
                    *cost = of.into();
                }
            }
        }
    }
    let largest = |group: &GroupCost| group.costs.iter().map(|cost| cost.self_pct).fold(0.0, f64::max);
    groups.sort_by(|a, b| largest(b).total_cmp(&largest(a)).then_with(|| a.name.cmp(&b.name)));
    groups
}
