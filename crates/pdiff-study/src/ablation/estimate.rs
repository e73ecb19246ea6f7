//! A number with its interval, and the same effect on the scales it is given in.

/// A value and its 95 % interval; `None` where the runs say nothing about noise (one run per cell).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Lower and upper end.
    pub interval: Option<(f64, f64)>,
}

impl Estimate {
    /// Whether the interval is known and holds zero.
    #[must_use]
    pub fn is_within_noise(&self) -> bool {
        self.interval.is_some_and(|(low, high)| low <= 0.0 && high >= 0.0)
    }

    /// Whether the interval is known and excludes zero.
    #[must_use]
    pub fn is_beyond_noise(&self) -> bool {
        self.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }

    /// A logarithm of a ratio as a change in percent; the interval's ends are transformed with it.
    pub(super) fn into_percent(self) -> Self {
        let percent = |log: f64| 100.0 * log.exp_m1();
        Self {
            value: percent(self.value),
            interval: self.interval.map(|(low, high)| (percent(low), percent(high))),
        }
    }
}

/// A change of the gap. Positive closes it: the target comes nearer to the base, or goes further ahead.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effect {
    /// In points: percent of the base's throughput.
    pub points: Estimate,
    /// In ln(target / base) of throughput: multiplicative speed-ups do not interact there.
    pub log: Estimate,
    /// The part of `log` that is CPU per operation, where costs are given.
    pub cost_log: Option<Estimate>,
    /// The rest: how much of the CPU is put to use.
    pub utilisation_log: Option<Estimate>,
}

/// Both builds under one setting.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GapAt {
    /// Geometric mean of the base's throughput.
    pub before: f64,
    /// Geometric mean of the target's throughput.
    pub after: f64,
    /// 100 (after / before - 1): negative is a loss.
    pub pct: Estimate,
    /// ln(after / before).
    pub log: Estimate,
}
