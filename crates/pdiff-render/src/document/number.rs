//! Numbers as readers get them: fixed places, signs on changes, one unit for all costs.

use pdiff_analysis::{Cost, CostScale};

/// What is where there is no number.
pub(crate) const NONE: &str = "-";

/// A number with fixed places.
pub(crate) fn fixed(value: f64, places: usize) -> String {
    if value.is_finite() { unsigned_zero(format!("{value:.places$}")) } else { NONE.to_owned() }
}

/// A change with its sign; one that rounds to nothing is `+0.00`.
pub(crate) fn signed(value: f64, places: usize) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let text = unsigned_zero(format!("{value:.places$}"));
    if text.starts_with('-') { text } else { format!("+{text}") }
}

fn unsigned_zero(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|c| c == b'0' || c == b'.') => rest.to_owned(),
        _ => text,
    }
}

/// An interval of a change.
pub(crate) fn interval((low, high): (f64, f64), places: usize) -> String {
    format!("{}..{}", signed(low, places), signed(high, places))
}

/// The change in percent that the logarithm of a ratio represents.
pub(crate) fn percent_of_log(log_ratio: f64) -> f64 {
    100.0 * log_ratio.exp_m1()
}

/// A whole number with its thousands apart.
pub(crate) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The unit in which costs are given: one for all that a report says of them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct CostUnit {
    /// Its name, `us` or `k`.
    pub(crate) name: &'static str,
    divisor: f64,
    places: usize,
}

impl CostUnit {
    /// The unit of a comparison's costs.
    pub(crate) fn of(cost: &Cost) -> Self {
        cost.scale().into()
    }

    /// The unit that suits where the whole costs `total`.
    pub(crate) fn of_total(total: f64, is_time: bool) -> Self {
        CostScale::of_total(total, is_time).into()
    }

    /// The same unit with one more place, for the many small parts of the whole.
    pub(crate) fn for_parts(self) -> Self {
        Self { places: self.places + 1, ..self }
    }

    /// A cost as a number of this unit.
    #[cfg(feature = "report")]
    pub(crate) fn in_unit(self, value: f64) -> f64 {
        value / self.divisor
    }

    /// A cost in this unit.
    pub(crate) fn fixed(self, value: f64) -> String {
        fixed(value / self.divisor, self.places)
    }

    /// A change of cost in this unit.
    pub(crate) fn signed(self, value: f64) -> String {
        signed(value / self.divisor, self.places)
    }
}

impl From<CostScale> for CostUnit {
    fn from(CostScale { name, divisor, places }: CostScale) -> Self {
        Self { name, divisor, places }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_sign_and_nothing_is_positive() {
        assert_eq!(signed(1.234, 2), "+1.23");
        assert_eq!(signed(-1.235, 1), "-1.2");
        assert_eq!(signed(-0.001, 2), "+0.00");
        assert_eq!(signed(f64::NAN, 2), "-");
        assert_eq!(fixed(-0.0, 2), "0.00");
        assert_eq!(interval((-0.5, 1.0), 1), "-0.5..+1.0");
    }

    #[test]
    fn thousands_stand_apart() {
        let texts = [0, 999, 1_000, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn the_unit_of_costs_is_that_of_the_whole() {
        let unit = CostUnit::of_total(352_000.0, true);
        assert_eq!(
            (unit.name, unit.fixed(352_000.0), unit.signed(-1_250.0)),
            ("us", "352.0".into(), "-1.2".into())
        );
        let parts = unit.for_parts();
        assert_eq!((parts.name, parts.fixed(350.0)), ("us", "0.35".into()));
        assert_eq!(CostUnit::of_total(46_412.0, true).fixed(46_412.0), "46.41");
        assert_eq!(CostUnit::of_total(33_504_930.0, true).fixed(33_504_930.0), "33.50");
        assert_eq!(CostUnit::of_total(5.0, false).name, "");
        assert_eq!(CostUnit::of_total(3e8, false).name, "M");
    }
}
