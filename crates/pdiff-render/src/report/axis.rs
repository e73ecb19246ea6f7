//! Round values along the bars of a table, for the heading of their column.

use crate::document::number::fixed;
use crate::plots::axis::{plain_texts, ticks_at_most};

/// Steps that an axis is divided into, at most and one more.
const MOST_STEPS: usize = 4;

/// The first and the last round value between `low` and `high`, and zero: a narrow page has room for no more. In the unit of
/// the bars; changes have a sign.
pub(super) fn axis(low: f64, high: f64, are_changes: bool) -> String {
    let ticks = ticks_at_most(low, high, MOST_STEPS);
    let last = ticks.len().saturating_sub(1);
    let place = |tick: f64| fixed((100.0 * (tick - low) / (high - low)).clamp(0.0, 100.0), 2);
    let is_shown = |(at, (tick, _)): &(usize, (&f64, String))| *at == 0 || *at == last || **tick == 0.0;
    let text = |(_, (tick, text)): (usize, (&f64, String))| {
        let sign = if are_changes && *tick > 0.0 { "+" } else { "" };
        format!("<span style=\"left:{}%\">{sign}{text}</span>", place(*tick))
    };
    let texts: String =
        ticks.iter().zip(plain_texts(&ticks)).enumerate().filter(is_shown).map(text).collect();
    format!("<span class=\"axis\">{texts}</span>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(low: f64, high: f64, expected: &[(&str, &str)]) {
        let span = |(left, text): &(&str, &str)| format!("<span style=\"left:{left}%\">{text}</span>");
        let spans: String = expected.iter().map(span).collect();
        assert_eq!(axis(low, high, true), format!("<span class=\"axis\">{spans}</span>"), "{low}..{high}");
    }

    #[test]
    fn values_are_where_the_bars_have_them() {
        check(-100.0, 300.0, &[("0.00", "-100"), ("25.00", "0"), ("100.00", "+300")]);
        check(-220.0, 405.0, &[("3.20", "-200"), ("35.20", "0"), ("99.20", "+400")]);
        check(0.0, 1.6, &[("0.00", "0.0"), ("93.75", "+1.5")]);
        assert!(axis(0.0, 100.0, false).contains("<span style=\"left:100.00%\">100</span>"));
    }
}
