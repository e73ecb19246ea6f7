//! Round values along an axis, and their words.

use crate::document::number::{fixed, grouped, signed};

/// Round values between two others, at most `most` and one.
pub(crate) fn ticks_at_most(low: f64, high: f64, most: usize) -> Vec<f64> {
    let rough = (high - low) / most as f64;
    if !rough.is_finite() || rough <= 0.0 {
        return vec![0.0];
    }
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().map(|step| step * power).find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|at| at as f64 * step).collect()
}

/// A value of an axis in percent.
pub(crate) fn tick_text(tick: f64) -> String {
    let text = signed(tick, if tick.fract().abs() > 1e-9 { 1 } else { 0 });
    if tick == 0.0 { "0 %".to_owned() } else { format!("{text} %") }
}

/// The words of all values of an axis, with as many places as tell them apart.
pub(crate) fn plain_texts(ticks: &[f64]) -> Vec<String> {
    let step = ticks.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(f64::INFINITY, f64::min);
    let places = if step.is_finite() && step < 1.0 { (-step.log10()).ceil().max(0.0) as usize } else { 0 };
    let text = |tick: &f64| match places {
        0 if *tick >= 0.0 => grouped(tick.round() as u64),
        _ => fixed(*tick, places.min(9)),
    };
    ticks.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_an_axis_are_round_and_their_words_differ() {
        assert_eq!(ticks_at_most(-30.0, 12.0, 8), [-30.0, -20.0, -10.0, 0.0, 10.0]);
        assert_eq!(ticks_at_most(0.0, 0.07, 8).len(), 8);
        assert_eq!(ticks_at_most(1.0, 1.0, 8), [0.0]);
        assert_eq!(plain_texts(&ticks_at_most(0.0, 12_000.0, 4)), ["0", "5,000", "10,000"]);
        assert_eq!(plain_texts(&ticks_at_most(0.93, 1.06, 5)), ["0.95", "1.00", "1.05"]);
        assert_eq!(plain_texts(&ticks_at_most(0.0, 0.5, 5)), ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
    }
}
