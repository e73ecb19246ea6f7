//! How a factor's effect depends on the setting of the others, and whether its sign does.

use std::collections::BTreeSet;

use crate::Setting;

use super::attribution::{Range, Sign};
use super::estimate::{Effect, Estimate};
use super::gaps::Gaps;

/// The level of error that all settings of one factor share.
const ALPHA: f64 = 0.05;

/// The range of every factor that was measured under some setting.
pub(super) fn ranges(gaps: &Gaps, measured: &BTreeSet<Setting>, all: Setting) -> Vec<Range> {
    all.factors().filter_map(|factor| range(gaps, measured, factor)).collect()
}

fn range(gaps: &Gaps, measured: &BTreeSet<Setting>, factor: usize) -> Option<Range> {
    let from: Vec<Setting> = edges(measured, factor).collect();
    let effect = |setting: &Setting| Some((*setting, gaps.change(*setting, setting.with(factor))?));
    let effects: Vec<(Setting, Effect)> = from.iter().filter_map(effect).collect();
    let points = |(_, effect): &(Setting, Effect)| effect.points.value;
    let low = effects.iter().min_by(|a, b| points(a).total_cmp(&points(b))).copied()?;
    let high = effects.iter().max_by(|a, b| points(a).total_cmp(&points(b))).copied()?;
    let alpha = ALPHA / from.len() as f64;
    let logs: Vec<Estimate> =
        from.iter().filter_map(|setting| gaps.log_change_at(*setting, setting.with(factor), alpha)).collect();
    Some(Range { factor, contexts: from.len(), low, high, sign: sign(&logs) })
}

/// Settings measured with the factor off, and with nothing else changed, on.
fn edges(measured: &BTreeSet<Setting>, factor: usize) -> impl Iterator<Item = Setting> {
    let both = move |setting: &&Setting| !setting.has(factor) && measured.contains(&setting.with(factor));
    measured.iter().filter(both).copied()
}

fn sign(effects: &[Estimate]) -> Sign {
    let some = |holds: &dyn Fn(&Estimate) -> bool| effects.iter().any(holds);
    if !(some(&|effect| effect.value > 0.0) && some(&|effect| effect.value < 0.0)) {
        return Sign::Same;
    }
    if effects.iter().any(|effect| effect.interval.is_none()) {
        return Sign::DependsAsMeasured;
    }
    let above = some(&|effect| effect.interval.is_some_and(|(low, _)| low > 0.0));
    let below = some(&|effect| effect.interval.is_some_and(|(_, high)| high < 0.0));
    if above && below { Sign::Depends } else { Sign::NotSettled }
}
