//! Which runs distinguish the factors, and how many of each.

use pdiff_profile::{PerSide, Side};

/// The most repeats that a plan asks for by itself.
const MOST_REPLICATES: usize = 12;

/// Fewer repeats say too little of noise.
const LEAST_REPLICATES: usize = 3;

/// Quantiles of the normal distribution: 95 % intervals, and power 0.9.
const INTERVAL_QUANTILE: f64 = 1.96;
const POWER_QUANTILE: f64 = 1.2816;

/// Effects smaller than this are not what repeats are planned for, in logarithms of throughput.
pub(super) const LEAST_EFFECT: f64 = 0.05;

/// Which runs are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Design {
    /// Every combination of the factors.
    Factorial,
    /// Each factor alone, and one after the other.
    OneByOne,
}

impl Design {
    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Factorial => "factorial",
            Self::OneByOne => "one-by-one",
        }
    }
}

/// One run of the plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedRun {
    /// 0 for the base, 1 for the other build.
    pub build: Side,
    /// Which repeat, from 1.
    pub replicate: usize,
    /// By factor: whether it is changed; `None` where the build lacks it.
    pub levels: Vec<Option<bool>>,
}

/// Builds, factors and runs of each.
pub(super) struct Layout<'a> {
    pub(super) design: Design,
    /// By factor: builds that have it.
    pub(super) on: &'a [PerSide<bool>],
    /// Variation of one run's logarithm of throughput.
    pub(super) sd: f64,
}

impl Layout<'_> {
    /// The settings that are run, one bit a factor.
    pub(super) fn cells(&self) -> Vec<u32> {
        let count = self.on.len();
        let mut cells: Vec<u32> = match self.design {
            Design::Factorial => (0..1_u32 << count).collect(),
            Design::OneByOne => {
                let alone = (0..count).map(|factor| 1_u32 << factor);
                let path = (0..=count).map(|length| (1_u32 << length) - 1);
                path.chain(alone).collect()
            }
        };
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// The settings that a build is run under: factors that it lacks do not count.
    fn cells_of(&self, build: Side) -> Vec<u32> {
        let lacks: u32 = (0..self.on.len()).filter(|at| !self.on[*at][build]).map(|at| 1_u32 << at).sum();
        let mut cells: Vec<u32> = self.cells().into_iter().map(|cell| cell & !lacks).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// All runs, repeat by repeat.
    pub(super) fn runs(&self, replicates: usize) -> Vec<PlannedRun> {
        let count = self.on.len();
        let run = |replicate: usize, build: Side, cell: u32| PlannedRun {
            build,
            replicate,
            levels: (0..count).map(|at| self.on[at][build].then_some(cell & (1 << at) != 0)).collect(),
        };
        let of_repeat = |replicate: usize| {
            Side::BOTH.into_iter().flat_map(move |build| {
                self.cells_of(build).into_iter().map(move |cell| (replicate, build, cell))
            })
        };
        (1..=replicates)
            .flat_map(of_repeat)
            .map(|(replicate, build, cell)| run(replicate, build, cell))
            .collect()
    }

    /// Half of the 95 % interval of a factor's measured effect alone: two cells a build that has it.
    pub(super) fn half_alone(&self, factor: usize, replicates: usize) -> f64 {
        INTERVAL_QUANTILE * self.se_alone(factor, replicates)
    }

    fn se_alone(&self, factor: usize, replicates: usize) -> f64 {
        let builds = self.builds_with(factor);
        self.sd * (2.0 * builds / replicates.max(1) as f64).sqrt()
    }

    /// The same of its average over all orders, where every cell takes part.
    pub(super) fn half_average(&self, factor: usize, replicates: usize) -> f64 {
        INTERVAL_QUANTILE * self.se_average(factor, replicates)
    }

    fn se_average(&self, factor: usize, replicates: usize) -> f64 {
        let builds = Side::BOTH.into_iter().filter(|build| self.on[factor][*build]);
        let runs = |build: Side| (self.cells_of(build).len() * replicates.max(1)) as f64;
        self.sd * builds.map(|build| 4.0 / runs(build)).sum::<f64>().sqrt()
    }

    fn builds_with(&self, factor: usize) -> f64 {
        self.on[factor].iter().filter(|(_, on)| **on).count() as f64
    }

    /// The smallest effect that these runs find with power 0.9.
    pub(super) fn detectable(&self, factor: usize, replicates: usize) -> f64 {
        let se = match self.design {
            Design::Factorial => self.se_average(factor, replicates),
            Design::OneByOne => self.se_alone(factor, replicates),
        };
        (INTERVAL_QUANTILE + POWER_QUANTILE) * se
    }

    /// Repeats with which each effect that matters is found with power 0.9, as far as a plan goes by itself.
    pub(super) fn replicates(&self, effects: &[f64]) -> usize {
        let is_enough = |replicates: &usize| {
            effects.iter().enumerate().all(|(factor, effect)| {
                effect.abs() < LEAST_EFFECT || self.detectable(factor, *replicates) <= effect.abs()
            })
        };
        (LEAST_REPLICATES..=MOST_REPLICATES).find(is_enough).unwrap_or(MOST_REPLICATES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(design: Design) -> Layout<'static> {
        Layout {
            design,
            on: &[PerSide { before: false, after: true }, PerSide { before: true, after: true }],
            sd: 0.1,
        }
    }

    #[test]
    fn a_factorial_has_every_setting_once_a_repeat() {
        let runs = layout(Design::Factorial).runs(3);
        assert_eq!(runs.iter().filter(|run| run.build == Side::Before).count(), 2 * 3);
        assert_eq!(runs.iter().filter(|run| run.build == Side::After).count(), 4 * 3);
        assert!(runs.iter().filter(|run| run.build == Side::Before).all(|run| run.levels[0].is_none()));
    }

    #[test]
    fn one_by_one_has_each_alone_and_the_path() {
        let layout =
            Layout { design: Design::OneByOne, on: &[PerSide { before: true, after: true }; 3], sd: 0.1 };
        assert_eq!(layout.cells(), [0b000, 0b001, 0b010, 0b011, 0b100, 0b111]);
    }

    #[test]
    fn small_effects_need_more_repeats_and_tiny_ones_none() {
        let layout = layout(Design::OneByOne);
        assert_eq!(layout.replicates(&[0.0, 0.0]), LEAST_REPLICATES);
        assert!(layout.replicates(&[0.2, 0.0]) > layout.replicates(&[0.9, 0.0]));
    }
}
