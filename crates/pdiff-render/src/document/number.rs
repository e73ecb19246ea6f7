//! Numbers as readers get them: fixed places, signs on changes, one unit per column.

/// What stands where there is no number.
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

/// The change in percent that the logarithm of a ratio stands for.
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

/// The unit in which a column of costs is given.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct CostUnit {
    /// Its name, `us` or `k`.
    pub(crate) name: &'static str,
    divisor: f64,
    places: usize,
}

/// Times in nanoseconds.
const TIMES: [(&str, f64); 4] = [("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0)];

/// Weights of events that are no time.
const COUNTS: [(&str, f64); 4] = [("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0)];

/// A total has at least this many of the unit, so that small rows still show.
const LEAST_UNITS: f64 = 100.0;

impl CostUnit {
    /// The unit that suits a column whose largest value is `largest`.
    pub(crate) fn for_column(largest: f64, is_time: bool) -> Self {
        let units = if is_time { TIMES } else { COUNTS };
        let fits = |(_, divisor): &&(&str, f64)| largest / divisor >= LEAST_UNITS;
        let (name, divisor) =
            units.iter().find(fits).copied().unwrap_or((if is_time { "ns" } else { "" }, 1.0));
        let places = match largest / divisor {
            units if units >= 10_000.0 => 0,
            units if units >= 1_000.0 => 1,
            _ => 2,
        };
        Self { name, divisor, places }
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
    fn a_column_of_costs_has_one_unit() {
        let unit = CostUnit::for_column(352_000.0, true);
        assert_eq!(
            (unit.name, unit.fixed(350.0), unit.signed(-352_000.0)),
            ("us", "0.35".into(), "-352.00".into())
        );
        assert_eq!(CostUnit::for_column(42_000.0, true).fixed(85.2), "85");
        assert_eq!(CostUnit::for_column(5.0, false).name, "");
        assert_eq!(CostUnit::for_column(3e8, false).name, "M");
    }
}
