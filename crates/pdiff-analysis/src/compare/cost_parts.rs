//! A cost per operation as a count times a price: instructions times cycles per instruction.
//!
//! Both are ratios of weights, so the change of the cost divides into the part of the count and the part of the price, on a
//! logarithmic scale: with L = (after - before) / ln(after / before), the count's part is L ln(count ratio) and the price's
//! L ln(price ratio). They sum to the change exactly.

use pdiff_profile::PerSide;

/// A part that is less of a change than this is not what made it.
const MAIN_PART: f64 = 0.5;

/// A comparison divided by a second event.
#[derive(Clone, PartialEq, Debug)]
pub struct Beside {
    /// The event compared.
    pub event: String,
    /// The second event.
    pub beside: String,
    /// All samples together; `None` if a side has none of one event.
    pub whole: Option<CostParts>,
    /// The rows that both sides sampled by both events, in the comparison's order.
    pub rows: Vec<BesideRow>,
}

/// One row of both events.
#[derive(Clone, PartialEq, Debug)]
pub struct BesideRow {
    /// The row's name.
    pub name: String,
    /// The row's object.
    pub object: String,
    /// Its cost by self, divided up.
    pub parts: CostParts,
}

/// The cost of an operation, divided into a count and a price.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CostParts {
    /// Weight of the event compared, per operation.
    pub cost: PerSide<f64>,
    /// Weight of the second event, per operation.
    pub count: PerSide<f64>,
    /// Change of cost per operation that comes from the count.
    pub by_count: f64,
    /// Change of cost per operation that comes from the price.
    pub by_price: f64,
    /// 95 % interval of the ratio of counts, after over before.
    pub count_ratio: Interval,
    /// The same of the ratio of prices.
    pub price_ratio: Interval,
    /// The price changed beyond that of the typical row, in which a slow machine cancels.
    pub is_price_own: bool,
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The number.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What made a cost change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CostReason {
    /// It does more.
    MoreWork,
    /// It does less.
    LessWork,
    /// The same work takes longer.
    Slower,
    /// The same work takes less time.
    Faster,
    /// Neither is beyond noise.
    Unclear,
}

impl CostReason {
    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MoreWork => "more work",
            Self::LessWork => "less work",
            Self::Slower => "same work, slower",
            Self::Faster => "same work, faster",
            Self::Unclear => "unclear",
        }
    }
}

impl CostParts {
    /// Price of one unit of the second event: cycles per instruction.
    #[must_use]
    pub fn price(&self) -> PerSide<f64> {
        PerSide { before: self.cost.before / self.count.before, after: self.cost.after / self.count.after }
    }

    /// The part that explains the change of cost: it has the same sign, is beyond noise and makes up half of it.
    #[must_use]
    pub fn reason(&self) -> CostReason {
        let change = self.cost.after - self.cost.before;
        let is_main = |part: f64, is_sure: bool| {
            part * change > 0.0 && part.abs() >= MAIN_PART * change.abs() && is_sure
        };
        let by_count = is_main(self.by_count, self.count_ratio.excludes_one());
        let by_price = is_main(self.by_price, self.price_ratio.excludes_one() || self.is_price_own);
        match (by_count && self.by_count.abs() >= self.by_price.abs(), by_price, change > 0.0) {
            (true, _, true) => CostReason::MoreWork,
            (true, _, false) => CostReason::LessWork,
            (false, true, true) => CostReason::Slower,
            (false, true, false) => CostReason::Faster,
            (false, false, _) => CostReason::Unclear,
        }
    }

    /// `halves` are those of the 95 % intervals of the logarithms of the ratios of counts and of prices.
    pub(super) fn new(cost: PerSide<f64>, count: PerSide<f64>, halves: [f64; 2]) -> Option<Self> {
        let all = [cost.before, cost.after, count.before, count.after];
        if !all.iter().all(|weight| *weight > 0.0 && weight.is_finite()) {
            return None;
        }
        let log_cost = (cost.after / cost.before).ln();
        let log_count = (count.after / count.before).ln();
        let log_price = log_cost - log_count;
        // The logarithmic mean; of two equal costs it is the cost.
        let mean = if log_cost.abs() < 1e-9 { cost.before } else { (cost.after - cost.before) / log_cost };
        Some(Self {
            cost,
            count,
            by_count: mean * log_count,
            by_price: mean * log_price,
            count_ratio: Interval::of_log(log_count, halves[0]),
            price_ratio: Interval::of_log(log_price, halves[1]),
            is_price_own: false,
        })
    }
}

impl Interval {
    fn of_log(log: f64, half: f64) -> Self {
        Self { value: log.exp(), low: (log - half).exp(), high: (log + half).exp() }
    }

    fn excludes_one(self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(cost: [f64; 2], count: [f64; 2]) -> CostParts {
        let pair = |[before, after]: [f64; 2]| PerSide { before, after };
        CostParts::new(pair(cost), pair(count), [0.05, 0.07]).unwrap()
    }

    #[test]
    fn count_and_price_sum_to_the_change() {
        for (cost, count) in [([100.0, 150.0], [200.0, 300.0]), ([100.0, 90.0], [50.0, 80.0])] {
            let parts = parts(cost, count);
            assert!((parts.by_count + parts.by_price - (cost[1] - cost[0])).abs() < 1e-9, "{parts:?}");
        }
        let same = parts([100.0, 100.0], [50.0, 100.0]);
        assert!((same.by_count + same.by_price).abs() < 1e-9, "{same:?}");
        assert!((same.by_count - 100.0 * 2_f64.ln()).abs() < 1e-9, "{same:?}");
    }

    #[test]
    fn more_instructions_at_one_price_are_more_work() {
        assert_eq!(parts([100.0, 150.0], [200.0, 300.0]).reason(), CostReason::MoreWork);
        assert_eq!(parts([150.0, 100.0], [300.0, 200.0]).reason(), CostReason::LessWork);
    }

    #[test]
    fn the_same_instructions_at_a_higher_price_are_slower() {
        assert_eq!(parts([100.0, 150.0], [200.0, 200.0]).reason(), CostReason::Slower);
        assert_eq!(parts([150.0, 100.0], [200.0, 200.0]).reason(), CostReason::Faster);
        assert_eq!(parts([100.0, 101.0], [200.0, 200.0]).reason(), CostReason::Unclear);
    }

    #[test]
    fn what_was_not_sampled_is_not_divided() {
        let pair = |before, after| PerSide { before, after };
        assert_eq!(CostParts::new(pair(0.0, 1.0), pair(1.0, 1.0), [0.1, 0.1]), None);
        assert_eq!(CostParts::new(pair(1.0, 1.0), pair(1.0, 0.0), [0.1, 0.1]), None);
    }
}
