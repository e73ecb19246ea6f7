//! Averages from a fraction of a factorial.
//!
//! Where a factor is on in half of the settings measured, and evenly so over the levels of every other factor, the mean gap
//! with it less the mean without it is its average effect (Box, Hunter and Hunter, Statistics for Experimenters, ch. 6). In
//! a fraction that average cannot be distinguished from some interactions: with pairs, those are named; interactions of
//! three or more factors are assumed to be zero.

use std::collections::BTreeSet;

use crate::Setting;

use super::estimate::Effect;
use super::gaps::Gaps;

/// Fewer settings are not a fraction of a factorial.
const LEAST_SETTINGS: usize = 4;

/// A factor's average over the settings measured.
#[derive(Clone, PartialEq, Debug)]
pub struct FractionAverage {
    /// The factor.
    pub factor: usize,
    /// Mean gap with it less mean gap without it.
    pub effect: Effect,
    /// Settings behind it.
    pub settings: usize,
    /// Pairs of other factors whose interaction it cannot be distinguished from.
    pub aliases: Vec<(usize, usize)>,
}

/// The averages of the factors for which the settings measured are even.
pub(super) fn fraction_averages(
    gaps: &Gaps,
    measured: &BTreeSet<Setting>,
    all: Setting,
) -> Vec<FractionAverage> {
    if measured.len() < LEAST_SETTINGS {
        return Vec::new();
    }
    let sign = |setting: &Setting, factor: usize| if setting.has(factor) { 1i64 } else { -1 };
    let sum = |of: &dyn Fn(&Setting) -> i64| measured.iter().map(of).sum::<i64>();
    let varies =
        |factor: &usize| sum(&|setting| sign(setting, *factor)).unsigned_abs() as usize != measured.len();
    let varying: Vec<usize> = all.factors().filter(varies).collect();
    let is_even = |factor: &usize| {
        let others = || varying.iter().filter(|other| *other != factor);
        sum(&|setting| sign(setting, *factor)) == 0
            && others().all(|other| sum(&|setting| sign(setting, *factor) * sign(setting, *other)) == 0)
    };
    let average = |factor: usize| {
        let each = 2.0 / measured.len() as f64;
        let weights: Vec<_> =
            measured.iter().map(|setting| (*setting, each * sign(setting, factor) as f64)).collect();
        let mut aliases = Vec::new();
        for first in varying.iter().filter(|other| **other != factor) {
            for second in varying.iter().filter(|other| **other > *first && **other != factor) {
                let same =
                    sum(&|setting| sign(setting, factor) * sign(setting, *first) * sign(setting, *second));
                if same != 0 {
                    aliases.push((*first, *second));
                }
            }
        }
        Some(FractionAverage { factor, effect: gaps.sum(&weights)?, settings: measured.len(), aliases })
    };
    varying.iter().copied().filter(|factor| is_even(factor)).filter_map(average).collect()
}
