//! Which rows cost more or less per operation, beyond noise: where operations are known and runs tell how the whole profile's
//! cost varies.
//!
//! A share that holds while the profile costs more is a row that costs more per operation, and the test of its share says
//! nothing of that. So two questions are asked of each row. Did its cost change: is its share off the old share times the
//! change of the whole profile's cost (with the noise of that, from run to run)? And is the change its own: is its share off
//! what happened to the share of the median function? A profile that costs more as a whole (a slower machine, operations
//! counted otherwise) changes all rows alike: none of that is a cause. Only a row that both tests find, in the same
//! direction, changed on its own.

use super::comparison::Cost;
use super::measure_change::{CostChange, CostExtent, MeasureChange};
use super::row::Row;
use crate::noise::{
    CommonFactor, Excess, Floor, MIN_SAMPLES, NoiseSettings, ShareChange, critical_t, q_values,
};

/// A median of fewer rows says nothing of what all have in common.
const LEAST_ROWS: usize = 8;

/// The standard error of a median over that of a mean, for normal values; and the standard deviation over the median
/// absolute deviation.
const MEDIAN_ERROR: f64 = 1.2533;
const DEVIATION_FROM_MEDIAN: f64 = 1.4826;

/// Judges each row's cost per operation; nothing where the noise of the whole profile's cost was not measured.
/// The settings' false discovery rate bounds false findings among the rows of each measure.
pub(super) fn set_cost_changes(cost: &Cost, rows: &mut [Row], settings: &NoiseSettings) {
    let Some(whole) = cost.factor_of_shares() else { return };
    let typical = typical_row(rows);
    let measures: [fn(&mut Row) -> Measured<'_>; 3] = [of_self, of_booked, of_total];
    for measure in measures {
        let tested: Vec<Option<Tests>> = rows
            .iter_mut()
            .map(|row| {
                let of = measure(row);
                let share = of.share?;
                Some(Tests {
                    whole: whole.excess(share),
                    typical: typical.map(|factor| factor.excess(share)),
                })
            })
            .collect();
        let changes = judge(&tested, settings);
        for (row, change) in rows.iter_mut().zip(changes) {
            *measure(row).change = change;
        }
    }
}

impl Cost {
    /// What the change of the whole profile's cost makes of shares; `None` where its noise was not measured.
    pub fn factor_of_shares(&self) -> Option<CommonFactor> {
        let (low, high) = self.log_interval?;
        let degrees_of_freedom = self.log_degrees_of_freedom;
        let log_se = (high - low) / 2.0 / critical_t(0.05, degrees_of_freedom);
        Some(CommonFactor { ratio: (-self.log_ratio).exp(), log_se, degrees_of_freedom })
    }
}

impl Row {
    /// The change of self, where it was tested.
    pub fn self_change(&self) -> Option<ShareChange> {
        self.test.p().map(|_| ShareChange {
            before_pct: self.before.self_pct,
            after_pct: self.after.self_pct,
            se_pp: self.se_pp,
            degrees_of_freedom: self.degrees_of_freedom,
        })
    }
}

/// A measure of a row: its change of share, where it was tested, and where the outcome goes.
struct Measured<'a> {
    share: Option<ShareChange>,
    change: &'a mut Option<CostChange>,
}

fn of_self(row: &mut Row) -> Measured<'_> {
    Measured { share: row.self_change(), change: &mut row.cost_change }
}

fn of_booked(row: &mut Row) -> Measured<'_> {
    let shares = (row.before.booked_self_pct, row.after.booked_self_pct);
    Measured { share: share_change(&row.booked, shares), change: &mut row.booked.cost_change }
}

fn of_total(row: &mut Row) -> Measured<'_> {
    let shares = (row.before.total_pct, row.after.total_pct);
    Measured { share: share_change(&row.total, shares), change: &mut row.total.cost_change }
}

fn share_change(of: &MeasureChange, (before_pct, after_pct): (f64, f64)) -> Option<ShareChange> {
    let (se_pp, degrees_of_freedom) = (of.se_pp, of.degrees_of_freedom);
    of.test.p().map(|_| ShareChange { before_pct, after_pct, se_pp, degrees_of_freedom })
}

/// What happened to the share of the median row that both sides sampled well.
fn typical_row(rows: &[Row]) -> Option<CommonFactor> {
    let is_sampled = |row: &&Row| !row.unresolved && row.before.samples.min(row.after.samples) >= MIN_SAMPLES;
    let log_ratio = |row: &Row| (row.after.self_pct / row.before.self_pct).ln();
    typical_factor(rows.iter().filter(is_sampled).map(log_ratio).collect())
}

/// The factor of the median of many shares, each given as the logarithm of its new value over its old one; `None` for a few.
pub(crate) fn typical_factor(mut logs: Vec<f64>) -> Option<CommonFactor> {
    logs.retain(|log| log.is_finite());
    let count = logs.len();
    if count < LEAST_ROWS {
        return None;
    }
    let middle = median(&mut logs);
    let mut deviations: Vec<f64> = logs.iter().map(|log| (log - middle).abs()).collect();
    let spread = DEVIATION_FROM_MEDIAN * median(&mut deviations);
    Some(CommonFactor {
        ratio: middle.exp(),
        log_se: MEDIAN_ERROR * spread / (count as f64).sqrt(),
        degrees_of_freedom: (count - 1) as f64,
    })
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or(0.0);
    f64::midpoint(at(values.len().saturating_sub(1) / 2), at(values.len() / 2))
}

/// What a row's share changed beyond the whole profile's cost, and beyond the typical row.
struct Tests {
    whole: Excess,
    typical: Option<Excess>,
}

impl Tests {
    /// The p-value of "its own": both must speak.
    fn own_p(&self) -> f64 {
        self.typical.map_or(1.0, |typical| typical.p().max(self.whole.p()))
    }

    fn extent(&self, q: f64, own_q: f64, rate: f64, floor: &Floor) -> CostExtent {
        let Some(typical) = self.typical else {
            let is_found = q <= rate && self.whole.is_large(floor);
            return if is_found { CostExtent::NotToldApart } else { CostExtent::WithinNoise };
        };
        let agrees = self.whole.points * typical.points > 0.0;
        let is_own = own_q <= rate && agrees && typical.is_large_part(floor);
        match (q <= rate && self.whole.is_large(floor), is_own) {
            (true, true) if typical.is_large(floor) => CostExtent::Own,
            // Its own, and too small to matter once what all have in common is taken out.
            (_, true) | (false, false) => CostExtent::WithinNoise,
            (true, false) => CostExtent::Shared,
        }
    }
}

fn judge(tested: &[Option<Tests>], settings: &NoiseSettings) -> Vec<Option<CostChange>> {
    let rate = settings.false_discovery_rate;
    let p: Vec<f64> = tested.iter().flatten().map(|tests| tests.whole.p()).collect();
    let own_p: Vec<f64> = tested.iter().flatten().map(Tests::own_p).collect();
    let mut q = q_values(&p).into_iter().zip(q_values(&own_p));
    let change = |tests: &Option<Tests>| {
        let tests = tests.as_ref()?;
        let (q, own_q) = q.next()?;
        let whole = &tests.whole;
        let pct =
            |points: f64| Some(100.0 * points / whole.expected_pct).filter(|_| whole.expected_pct > 0.0);
        Some(CostChange {
            pct: pct(whole.points),
            ci_low_pct: pct(whole.points - whole.half_pp()),
            ci_high_pct: pct(whole.points + whole.half_pp()),
            q_value: q,
            extent: tests.extent(q, own_q, rate, &settings.floor),
        })
    };
    tested.iter().map(change).collect()
}
