//! Which rows cost more or less per operation, beyond noise: where operations are known and runs tell how the whole profile's
//! cost varies.
//!
//! A row whose share stays the same while the profile costs more has a higher cost per operation, and the test of its share
//! does not show that. So each row is tested twice. Did its cost change: does its share differ from the old share times the
//! change of the whole profile's cost (with the run-to-run noise of that cost)? And is the change its own: does its share
//! differ from the share of the typical row (`noise::TypicalRow`)? A profile that costs more as a whole (a slower machine,
//! operations counted otherwise) changes all rows alike: none of that is a cause, and none of its noise hides a change
//! beyond it. So a row changed on its own if the second test says so, and its cost went the same way.

use super::comparison::{Comparison, Cost};
use super::measure_change::{CostChange, CostExtent, MeasureChange, OwnCostChange};
use super::row::Row;
use crate::noise::{
    CommonFactor, Excess, Floor, NoiseSettings, RunVariation, SINGLE_RUN_CV, SINGLE_RUN_CV_DF, ShareChange,
    Tested, critical_t, q_values_above_floor,
};

/// The part of the false discovery rate that is kept among the rows whose cost changed on its own. A false cause costs a
/// reader more than one that is missed, and with two runs per side the measured variation is a guess: with all of the rate,
/// 5 of 100 comparisons of equal builds had a false row with three runs per side, and 7 with two.
const RATE_OF_OWN: f64 = 0.25;

/// The least of the rate that is spent on a row, over the average.
const LEAST_WEIGHT: f64 = 0.1;

/// Judges each row's cost per operation; nothing where the noise of the whole profile's cost was not measured.
/// The settings' false discovery rate bounds the false ones among the rows of each measure that are shown.
pub(super) fn set_cost_changes(cost: &Cost, rows: &mut [Row], settings: &NoiseSettings) {
    let Some(whole) = cost.factor_of_shares() else { return };
    let measures: [fn(&mut Row) -> Measured<'_>; 3] = [of_self, of_booked, of_total];
    for measure in measures {
        let tested: Vec<Option<Tests>> = rows
            .iter_mut()
            .map(|row| {
                let of = measure(row);
                Some(Tests { whole: whole.excess(of.share?), typical: of.beyond_typical })
            })
            .collect();
        let changes = judge(&tested, settings);
        for (row, change) in rows.iter_mut().zip(changes) {
            *measure(row).change = change.map(Box::new);
        }
    }
}

impl Cost {
    /// The factor on shares from the change of the whole profile's cost; `None` if its noise was not measured.
    pub fn factor_of_shares(&self) -> Option<CommonFactor> {
        let (low, high) = self.log_interval?;
        let degrees_of_freedom = self.log_degrees_of_freedom;
        let log_se = (high - low) / 2.0 / critical_t(0.05, degrees_of_freedom);
        Some(CommonFactor { ratio: (-self.log_ratio).exp(), log_se, degrees_of_freedom })
    }

    /// The same, or, if its noise was not measured, with an assumed coefficient of variation between runs (a fraction).
    pub fn factor_or_assumed(&self, cv: f64) -> CommonFactor {
        let assumed = CommonFactor {
            ratio: (-self.log_ratio).exp(),
            log_se: cv * std::f64::consts::SQRT_2,
            degrees_of_freedom: SINGLE_RUN_CV_DF,
        };
        self.factor_of_shares().unwrap_or(assumed)
    }

    /// Half of the 95 % interval of a change per operation: what a share changed beyond the factor, times the cost of an
    /// operation after.
    pub fn half_per_op(&self, excess: &Excess) -> f64 {
        excess.half_pp() / 100.0 * self.per_op.after
    }
}

impl Comparison {
    /// The factor on shares from operations: measured, or with the variation between runs that is assumed of one run.
    /// `None` without operations.
    pub fn cost_factor(&self) -> Option<CommonFactor> {
        let cv = match self.noise.run_variation {
            RunVariation::Assumed { cv } => cv,
            RunVariation::Measured { .. } => SINGLE_RUN_CV,
        };
        Some(self.cost.as_ref()?.factor_or_assumed(cv))
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

/// A measure of a row: its change of share, and that beyond the typical row's, where it was tested, and where the outcome
/// goes.
struct Measured<'a> {
    share: Option<ShareChange>,
    beyond_typical: Option<Excess>,
    change: &'a mut Option<Box<CostChange>>,
}

fn of_self(row: &mut Row) -> Measured<'_> {
    Measured {
        share: row.self_change(),
        beyond_typical: row.beyond_typical.as_deref().copied(),
        change: &mut row.cost_change,
    }
}

fn of_booked(row: &mut Row) -> Measured<'_> {
    let shares = (row.before.booked_self_pct, row.after.booked_self_pct);
    Measured {
        share: share_change(&row.booked, shares),
        beyond_typical: row.booked.beyond_typical.as_deref().copied(),
        change: &mut row.booked.cost_change,
    }
}

fn of_total(row: &mut Row) -> Measured<'_> {
    let shares = (row.before.total_pct, row.after.total_pct);
    Measured {
        share: share_change(&row.total, shares),
        beyond_typical: row.total.beyond_typical.as_deref().copied(),
        change: &mut row.total.cost_change,
    }
}

fn share_change(of: &MeasureChange, (before_pct, after_pct): (f64, f64)) -> Option<ShareChange> {
    let (se_pp, degrees_of_freedom) = (of.se_pp, of.degrees_of_freedom);
    of.test.p().map(|_| ShareChange { before_pct, after_pct, se_pp, degrees_of_freedom })
}

/// The change of a row's share beyond the whole profile's cost, and beyond the typical row.
struct Tests {
    whole: Excess,
    typical: Option<Excess>,
}

impl Tests {
    /// The test of "its own". A row that costs less than before, while all others cost still less, is not shown as one
    /// that costs more.
    fn own(&self, floor: &Floor) -> Tested {
        let nothing = Tested { p: 1.0, floor_p: 0.0, passes: false, weight: 1.0 };
        self.typical
            .map_or(nothing, |typical| typical.tested(floor, self.whole.points * typical.points > 0.0))
    }

    fn extent(&self, is_found: bool, is_own: bool) -> CostExtent {
        match (is_own, is_found, self.typical) {
            (true, ..) => CostExtent::Own,
            (false, true, Some(_)) => CostExtent::Shared,
            (false, true, None) => CostExtent::NotToldApart,
            (false, false, _) => CostExtent::WithinNoise,
        }
    }
}

fn judge(tested: &[Option<Tests>], settings: &NoiseSettings) -> Vec<Option<CostChange>> {
    let (rate, floor) = (settings.false_discovery_rate, &settings.floor);
    let whole: Vec<Tested> = tested.iter().flatten().map(|tests| tests.whole.tested(floor, true)).collect();
    let mut own: Vec<Tested> = tested.iter().flatten().map(|tests| tests.own(floor)).collect();
    weigh_by_share(&mut own, tested.iter().flatten());
    let mut q_values = q_values_above_floor(&whole).into_iter().zip(q_values_above_floor(&own));
    let change = |tests: &Option<Tests>| {
        let tests = tests.as_ref()?;
        let (q, own_q) = q_values.next()?;
        let [pct, ci_low_pct, ci_high_pct] = in_percent(&tests.whole);
        let own = |typical: Excess| {
            let [pct, ci_low_pct, ci_high_pct] = in_percent(&typical);
            OwnCostChange { pct, ci_low_pct, ci_high_pct, q_value: own_q }
        };
        Some(CostChange {
            pct,
            ci_low_pct,
            ci_high_pct,
            q_value: q,
            own: tests.typical.map(own),
            extent: tests.extent(q <= rate, own_q <= RATE_OF_OWN * rate),
        })
    };
    tested.iter().map(change).collect()
}

/// Spends the rate in proportion to the square root of shares (weighted p-values: Genovese, Roeder and Wasserman 2006).
/// What a heavy row costs matters most, and there are few of them, so that light ones lose little. The middle of both
/// shares says nothing about their difference, so the rate is kept.
fn weigh_by_share<'a>(own: &mut [Tested], of: impl Iterator<Item = &'a Tests>) {
    let root = |tests: &Tests| tests.typical.map_or(0.0, |typical| typical.mean_share_pct().sqrt());
    let roots: Vec<f64> = of.map(root).collect();
    let mean = roots.iter().sum::<f64>() / roots.len().max(1) as f64;
    for (test, root) in own.iter_mut().zip(roots) {
        let weight = root / mean;
        test.weight = if weight.is_finite() { weight.max(LEAST_WEIGHT) } else { 1.0 };
    }
}

/// An excess and its 95 % interval in percent of what was expected; nothing where nothing was.
fn in_percent(of: &Excess) -> [Option<f64>; 3] {
    let half = of.half_pp();
    [of.points, of.points - half, of.points + half]
        .map(|points| Some(100.0 * points / of.expected_pct).filter(|_| of.expected_pct > 0.0))
}
