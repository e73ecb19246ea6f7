//! Numbers on the command line, each checked against the range that makes sense for it.
//!
//! The bounds are generous: they keep out typing errors, and numbers so large or small that arithmetic loses them.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

/// Operations, operations per second, CPU seconds: more than nothing.
const AMOUNTS: RangeInclusive<f64> = 1e-9..=1e18;

/// Percent of something.
const PERCENTS: RangeInclusive<f64> = 0.0..=100.0;

/// A standard deviation in percent of its mean.
const VARIATIONS: RangeInclusive<f64> = 0.0..=1000.0;

/// A rate of false discoveries: below the least, no row could ever be significant.
const RATES: RangeInclusive<f64> = 1e-6..=0.5;

/// An amount: operations, operations per second, CPU seconds. Options that take several of them would take the recordings
/// behind them, too.
pub(super) fn amount(text: &str) -> Result<f64, String> {
    let is_file = text.contains(['.', '/']) && text.contains(|letter: char| letter.is_alphabetic());
    let hint = |error| if is_file { format!("{error}; recordings come before this option") } else { error };
    number(text, AMOUNTS).map_err(hint)
}

/// A percentage, or a change of one in points.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    number(text, PERCENTS)
}

/// A coefficient of variation in percent.
pub(super) fn variation(text: &str) -> Result<f64, String> {
    number(text, VARIATIONS)
}

/// A rate of false discoveries.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    number(text, RATES)
}

/// How many of something are shown.
pub(super) fn whole(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "not a whole number of 0 or more".to_owned())
}

/// How many of something: at least one.
pub(super) fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "not a whole number of 1 or more".to_owned())
}

fn number(text: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
    let within = text.parse().ok().filter(|number| range.contains(number));
    within
        .ok_or_else(|| format!("not a number from {} to {}", spelled(*range.start()), spelled(*range.end())))
}

/// Large and small numbers with an exponent.
fn spelled(number: f64) -> String {
    if number == 0.0 || (1e-3..1e6).contains(&number) { number.to_string() } else { format!("{number:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused_with_the_range() {
        let refused = |text| amount(text).unwrap_err();
        for text in ["nan", "inf", "-1", "0", "1e-200", "1e308", "", "x", "1,5"] {
            assert_eq!(refused(text), "not a number from 1e-9 to 1e18", "{text}");
        }
        assert!(refused("old.perf").ends_with("; recordings come before this option"));
        assert_eq!(amount("0.5"), Ok(0.5));
        assert_eq!(percent("0"), Ok(0.0));
        assert_eq!(percent("100.1").unwrap_err(), "not a number from 0 to 100");
        assert_eq!(rate("1").unwrap_err(), "not a number from 1e-6 to 0.5");
        for text in ["0", "-1", "1.5", "x", ""] {
            assert_eq!(count(text).unwrap_err(), "not a whole number of 1 or more", "{text}");
        }
        assert_eq!(count("2").map(NonZeroUsize::get), Ok(2));
        assert_eq!((whole("0"), whole("-3")), (Ok(0), Err("not a whole number of 0 or more".to_owned())));
    }
}
