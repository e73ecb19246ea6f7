//! Benchmark runs of several builds under settings switched on and off: the input of attribution.
//!
//! One row is one run. A factor is a setting with two levels: as it was (off) and changed (on). A build that does not
//! have the setting lacks the factor. Reading is not done here, and nothing is computed.

use std::fmt;

/// The most factors a table may have: settings are kept as bits, and a full factorial doubles with each.
pub const MAX_FACTORS: usize = 16;

/// Benchmark runs. Every run has a level for every factor.
#[derive(Clone, PartialEq, Debug)]
pub struct RunsTable {
    /// Where it was read from, as errors call it.
    pub path: String,
    /// What was measured.
    pub metric: RunMetric,
    /// Names of the factors, in the order of the cumulative path.
    pub factors: Vec<String>,
    /// Names of the builds, in natural order (5.7 before 5.10).
    pub builds: Vec<RunsBuild>,
    /// The runs, in the order of the file.
    pub runs: Vec<BenchmarkRun>,
}

/// One build of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunsBuild {
    /// Its name.
    pub name: String,
    /// For each factor, whether the build has it.
    pub has: Vec<bool>,
}

/// What a run measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunMetric {
    /// Operations per second: more is better.
    Tps,
    /// Seconds for a fixed amount of work: less is better. Throughput is its inverse.
    Seconds,
}

impl RunMetric {
    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tps => "tps",
            Self::Seconds => "seconds",
        }
    }

    /// The measured value that represents a throughput.
    #[must_use]
    pub fn from_throughput(self, throughput: f64) -> f64 {
        match self {
            Self::Tps => throughput,
            Self::Seconds => 1.0 / throughput,
        }
    }
}

impl fmt::Display for RunMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One run.
#[derive(Clone, PartialEq, Debug)]
pub struct BenchmarkRun {
    /// Row in the file, from 1, the header not counted.
    pub row: usize,
    /// Index of the build.
    pub build: usize,
    /// Which factors were on; one that the build lacks is off.
    pub setting: Setting,
    /// Which repeat it belongs to; `None` where the file has no such column.
    pub replicate: Option<String>,
    /// Operations per second, positive; for [`RunMetric::Seconds`], 1 / seconds.
    pub throughput: f64,
    /// CPU time per operation, positive, in any unit; `None` where the file has no such column.
    pub cost: Option<f64>,
}

/// Which factors are on, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Setting(pub u32);

impl Setting {
    /// Nothing changed.
    pub const BASELINE: Self = Self(0);

    /// Only this factor on.
    #[must_use]
    pub fn only(factor: usize) -> Self {
        Self(1u32.checked_shl(u32::try_from(factor).unwrap_or(u32::MAX)).unwrap_or(0))
    }

    /// The first `count` factors on.
    #[must_use]
    pub fn first(count: usize) -> Self {
        (0..count).fold(Self::BASELINE, Self::with)
    }

    /// With this factor on, too.
    #[must_use]
    pub fn with(self, factor: usize) -> Self {
        self.union(Self::only(factor))
    }

    /// With this factor off.
    #[must_use]
    pub fn without(self, factor: usize) -> Self {
        Self(self.0 & !Self::only(factor).0)
    }

    /// Whether a factor is on.
    #[must_use]
    pub fn has(self, factor: usize) -> bool {
        self.0 & Self::only(factor).0 != 0
    }

    /// On in either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// On in both.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// How many factors are on.
    #[must_use]
    pub fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The factors that are on, in order.
    pub fn factors(self) -> impl Iterator<Item = usize> {
        (0..32).filter(move |factor| self.has(*factor))
    }

    /// All settings of the factors in `self`, in order.
    pub fn subsets(self) -> impl Iterator<Item = Self> {
        let mut next = Some(0u32);
        std::iter::from_fn(move || {
            let subset = next?;
            // The next larger number with bits of `self` only.
            next = (subset != self.0).then(|| (subset.wrapping_sub(self.0)) & self.0);
            Some(Self(subset))
        })
    }
}

impl RunsTable {
    /// The index of a build.
    #[must_use]
    pub fn build(&self, name: &str) -> Option<usize> {
        self.builds.iter().position(|build| build.name == name)
    }

    /// The factors that a build has, as bits.
    #[must_use]
    pub fn factors_of(&self, build: usize) -> Setting {
        let has = self.builds.get(build).map_or(&[][..], |build| &build.has);
        has.iter()
            .enumerate()
            .filter(|(_, has)| **has)
            .fold(Setting::BASELINE, |set, (factor, _)| set.with(factor))
    }

    /// A setting in words: `W=1 P=0`; factors outside `of` are left out.
    #[must_use]
    pub fn describe(&self, setting: Setting, of: Setting) -> String {
        let word = |(factor, name): (usize, &String)| {
            of.has(factor).then(|| format!("{name}={}", u8::from(setting.has(factor))))
        };
        let words: Vec<String> = self.factors.iter().enumerate().filter_map(word).collect();
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_all_and_in_order() {
        let all: Vec<u32> = Setting(0b1010).subsets().map(|setting| setting.0).collect();
        assert_eq!(all, [0, 0b10, 0b1000, 0b1010]);
        assert_eq!(Setting::BASELINE.subsets().count(), 1);
        assert_eq!(Setting::first(MAX_FACTORS).subsets().count(), 1 << MAX_FACTORS);
    }

    #[test]
    fn a_factor_that_cannot_be_is_off() {
        assert_eq!(Setting::only(40), Setting::BASELINE);
        assert!(!Setting(u32::MAX).has(99));
        assert_eq!(Setting::first(3).without(1), Setting(0b101));
    }
}
