//! Shapley values: the effect of a factor on the gap, averaged over all orders in which the factors can be changed.
//!
//! A factor's value is the sum over settings S of the others of |S|! (n - |S| - 1)! / n! times its effect there (Shapley
//! 1953). That needs every setting to be measured; the values sum to the change from baseline to end exactly.

use crate::Setting;

use super::gaps::Weights;

/// The weights of a factor's Shapley value among `core`, the factors that take part; the others stay off.
pub(super) fn shapley_weights(factor: usize, core: Setting) -> Weights {
    let count = core.count();
    let others = core.without(factor);
    let by_size: Vec<f64> = (0..count).map(|size| order_share(size, count)).collect();
    others
        .subsets()
        .flat_map(|setting| {
            let share = by_size.get(setting.count()).copied().unwrap_or(0.0);
            [(setting, -share), (setting.with(factor), share)]
        })
        .collect()
}

/// size! (count - size - 1)! / count!: the share of orders in which exactly a given set of `size` comes first.
fn order_share(size: usize, count: usize) -> f64 {
    let mut share = 1.0 / count as f64;
    // 1 / binomial(count - 1, size), factor by factor.
    for step in 1..=size {
        share *= step as f64 / (count - step) as f64;
    }
    share
}
