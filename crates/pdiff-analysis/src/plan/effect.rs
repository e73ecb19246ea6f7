//! The effect of switching factors on the gap, from the parts of each side's samples that they switch.
//!
//! Without the samples of a set of factors, throughput at the same CPU use would rise by 1 / (1 - p), where p is their
//! share. Sets overlap: samples that two factors switch count once. The gap changes by the difference of both sides, in
//! logarithms.

use pdiff_profile::{PerSide, Side};

use crate::findings::SwitchedPart;

/// The least part of a side that remains: no experiment makes an operation free.
const LEAST_LEFT: f64 = 0.05;

/// How much of a factor's code goes with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goes {
    /// All that runs in it and below it.
    Within,
    /// Its own code only; its callees continue to run.
    Own,
}

/// Both sides' samples, by factors.
pub(super) struct Effects<'a> {
    pub(super) sides: PerSide<&'a [SwitchedPart]>,
    /// By factor: logarithm of what throughput of each side gains beside its samples.
    pub(super) fixed: &'a [PerSide<f64>],
    pub(super) count: usize,
}

impl Effects<'_> {
    /// Change of ln(after / before) of throughput under a set of factors, one bit each.
    pub(super) fn log(&self, set: u32, goes: Goes) -> f64 {
        self.gain(Side::After, set, goes) - self.gain(Side::Before, set, goes)
    }

    /// The middle of both readings.
    pub(super) fn middle(&self, set: u32) -> f64 {
        0.5 * (self.log(set, Goes::Within) + self.log(set, Goes::Own))
    }

    fn gain(&self, side: Side, set: u32, goes: Goes) -> f64 {
        let is_in = |part: &&SwitchedPart| {
            let of = if goes == Goes::Within { part.within } else { part.own };
            of & set != 0
        };
        let share: f64 = self.sides[side].iter().filter(is_in).map(|part| part.share).sum();
        let fixed = self.fixed.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0);
        fixed.map(|(_, gain)| gain[side]).sum::<f64>() - (1.0 - share).max(LEAST_LEFT).ln()
    }

    /// The average over all orders of what a factor changes `value` by.
    pub(super) fn average(&self, factor: usize, value: impl Fn(u32) -> f64) -> f64 {
        let bit = 1_u32 << factor;
        let sets = (0..1_u32 << self.count).filter(|set| set & bit == 0);
        sets.map(|set| self.order_share(set.count_ones()) * (value(set | bit) - value(set))).sum()
    }

    /// The part of all orders in which exactly a given set of so many factors comes first.
    fn order_share(&self, size: u32) -> f64 {
        let others = self.count as u32 - 1;
        let ways = (0..size).fold(1.0, |ways, step| ways * f64::from(others - step) / f64::from(step + 1));
        1.0 / (ways * self.count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(within: u32, own: u32, share: f64) -> SwitchedPart {
        SwitchedPart { within, own, sleeps: false, share }
    }

    #[test]
    fn what_two_factors_share_goes_once_and_averages_sum_to_the_whole() {
        let before = [part(0, 0, 0.9), part(0b10, 0, 0.1)];
        let after = [part(0, 0, 0.5), part(0b11, 0b01, 0.4), part(0b10, 0b10, 0.1)];
        let effects =
            Effects { sides: PerSide::new(&before, &after), fixed: &[PerSide::default(); 2], count: 2 };
        let check =
            |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12, "{value} {expected}");
        check(effects.log(0b01, Goes::Within), -(0.6_f64.ln()));
        check(effects.log(0b11, Goes::Within), 0.9_f64.ln() - 0.5_f64.ln());
        check(effects.log(0b11, Goes::Own), -(0.5_f64.ln()));
        let whole = |set: u32| effects.log(set, Goes::Within);
        check(effects.average(0, whole) + effects.average(1, whole), whole(0b11));
    }

    #[test]
    fn no_factor_makes_an_operation_free() {
        let all = [part(1, 1, 1.0)];
        let effects = Effects { sides: PerSide::new(&[], &all), fixed: &[PerSide::default()], count: 1 };
        assert!(effects.log(1, Goes::Within).is_finite());
    }
}
