//! The result of attribution. Factors are indices into [`Attribution::factors`].

use crate::{RunMetric, Setting};
use pdiff_profile::PerSide;

use super::estimate::{Effect, Estimate, GapAt};
use super::fraction::FractionAverage;

/// What is asked of a table of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttributeSettings {
    /// Index of the base build.
    pub base: usize,
    /// Index of the build compared with it.
    pub target: usize,
    /// Factors that change by restart only.
    pub restart: Setting,
    /// Pairs to look at for masking: a factor, and what may put a ceiling on it.
    pub masking: Vec<(usize, usize)>,
}

/// The gap of two builds, attributed to factors.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribution {
    /// The file.
    pub path: String,
    /// What was measured.
    pub metric: RunMetric,
    /// Name of the base build.
    pub base: String,
    /// Name of the build compared with it.
    pub target: String,
    /// The factors, in the order of the cumulative path.
    pub factors: Vec<Factor>,
    /// The measured settings, and the number of runs.
    pub design: Design,
    /// What is known about noise.
    pub noise: NoiseSource,
    /// Both builds with nothing changed.
    pub baseline: Option<GapAt>,
    /// Both builds with every factor changed.
    pub end: Option<GapAt>,
    /// One factor after the other, in order.
    pub cumulative: Vec<Step>,
    /// Each factor alone, from the baseline.
    pub independent: Vec<Step>,
    /// Averages over all orders, where every setting of the factors that take part was measured.
    pub shapley: Option<Shapley>,
    /// Averages from a fraction of a factorial; empty where `shapley` is known or the settings are not even.
    pub fraction: Vec<FractionAverage>,
    /// How a factor's effect differs between the settings it was measured under.
    pub ranges: Vec<Range>,
    /// The effect of two factors together beyond the sum of their single effects.
    pub interactions: Vec<Interaction>,
    /// The change from baseline to end minus the factors' own effects: in points and in logarithms.
    pub together: Option<Together>,
    /// The effect of each factor on each build.
    pub builds: Vec<BuildEffect>,
    /// Factors measured with and without a ceiling.
    pub masking: Vec<Masking>,
    /// Runs that are missing for values that could not be computed.
    pub missing: Vec<MissingRun>,
    /// How many runs are missing, listed or not.
    pub missing_count: usize,
}

/// A factor and which builds have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factor {
    /// The setting's name.
    pub name: String,
    /// The base has it.
    pub in_base: bool,
    /// The target has it.
    pub in_target: bool,
    /// It changes by restart only.
    pub restart: bool,
    /// It was measured from the baseline: else it is conditional on other settings.
    pub from_baseline: bool,
}

/// What was measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Design {
    /// Runs of the two builds.
    pub runs: usize,
    /// Different settings of the base, and of the target.
    pub cells: (usize, usize),
    /// Settings under which both builds were measured, over all factors.
    pub settings: usize,
    /// All settings there could be.
    pub possible: usize,
    /// Every step of the cumulative path was measured.
    pub has_path: bool,
    /// Every factor was measured alone.
    pub has_each_alone: bool,
    /// Factors that enter the Shapley value: those measured from the baseline.
    pub core: Setting,
    /// Every setting of the core was measured.
    pub is_full: bool,
}

/// Where intervals come from.
#[derive(Clone, PartialEq, Debug)]
pub enum NoiseSource {
    /// One run per cell: nothing is known about noise.
    None,
    /// The pooled variance of log throughput.
    Pooled {
        /// Standard deviation of one run within a plot.
        sd: f64,
        /// Degrees of freedom of `sd`.
        df: f64,
        /// Variance between restarts, where restarts were named and could be distinguished.
        plots: Option<Plots>,
        /// Repeats that were blocks; `None` if cells have different repeats.
        blocks: Option<usize>,
        /// Repeats left out because some cell lacks them: only of tables too large to be fitted.
        left_out: Vec<String>,
        /// Runs are missing, or builds are not equally noisy: the runs were fitted with weights.
        weighted: bool,
        /// Standard deviations of one run of the base and of the target, where they differ.
        sd_of_builds: Option<PerSide<f64>>,
        /// Factors that nobody named as changing by restart, though the runs look so: they are taken so.
        unnamed_restart: Setting,
    },
}

/// What runs between two restarts share.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plots {
    /// Standard deviation between plots, beyond that within.
    pub sd: f64,
    /// Degrees of freedom.
    pub df: f64,
}

/// One factor changed from one setting.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The factor.
    pub factor: usize,
    /// The setting before; the setting after has the factor, too.
    pub from: Setting,
    /// Both builds after the step.
    pub gap: Option<GapAt>,
    /// What the gap changed by.
    pub effect: Option<Effect>,
}

/// Shapley values of the core.
#[derive(Clone, PartialEq, Debug)]
pub struct Shapley {
    /// The factors that take part.
    pub core: Setting,
    /// Factor and value.
    pub values: Vec<(usize, Effect)>,
    /// The change from baseline to all of the core changed: the sum of the values.
    pub total: Effect,
}

/// A factor's effects under the settings it was measured under.
#[derive(Clone, PartialEq, Debug)]
pub struct Range {
    /// The factor.
    pub factor: usize,
    /// Settings of the others under which it was measured.
    pub contexts: usize,
    /// The smallest effect in points and the setting of the others.
    pub low: (Setting, Effect),
    /// The largest.
    pub high: (Setting, Effect),
    /// Whether the sign depends on the other settings.
    pub sign: Sign,
}

/// What can be said of the sign of a factor's effect over settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// Every effect has the same sign.
    Same,
    /// Both signs occur beyond noise, at a level shared among the settings (Bonferroni).
    Depends,
    /// Both signs occur, but not both beyond noise.
    NotSettled,
    /// Both signs occur in single runs: nothing is known about noise.
    DependsAsMeasured,
}

/// What two factors do together beyond each by itself: positive means more.
#[derive(Clone, PartialEq, Debug)]
pub struct Interaction {
    /// The two factors.
    pub factors: (usize, usize),
    /// Mean over the settings of the others that were measured.
    pub effect: Effect,
    /// How many settings of the others that are.
    pub contexts: usize,
    /// With the others off; `None` if that was not measured.
    pub at_baseline: Option<Effect>,
    /// How the two scales compare.
    pub scale: Scale,
}

/// Whether points and logarithms tell the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// The same sign in both.
    Agrees,
    /// Different signs: whether there is more or less together is a matter of the scale.
    Dependent,
}

impl Scale {
    /// Compares the signs of an effect.
    pub(super) fn of(effect: &Effect) -> Self {
        if effect.points.value * effect.log.value < 0.0 { Self::Dependent } else { Self::Agrees }
    }
}

/// The whole change against the sum of its parts.
#[derive(Clone, PartialEq, Debug)]
pub struct Together {
    /// End less baseline less the sum of the factors' own effects.
    pub interaction: Effect,
    /// Sum of the factors' own effects: alone, or at their place where a factor was not measured alone.
    pub sum: Effect,
    /// Factors taken at their place in the order, because they were not measured alone.
    pub at_place: Vec<usize>,
    /// How the two scales compare.
    pub scale: Scale,
}

/// What a factor does to each build, in percent of its throughput.
#[derive(Clone, PartialEq, Debug)]
pub struct BuildEffect {
    /// The factor.
    pub factor: usize,
    /// From the baseline: base and target. `None` where not measured or where the build lacks the factor.
    pub alone: PerSide<Option<Estimate>>,
    /// At its place in the order.
    pub at_place: PerSide<Option<Estimate>>,
    /// Geometric mean over all settings of the others, where all were measured.
    pub overall: PerSide<Option<Estimate>>,
}

/// A factor measured with a ceiling in place and with the ceiling lifted.
#[derive(Clone, PartialEq, Debug)]
pub struct Masking {
    /// The factor.
    pub factor: usize,
    /// The factor that lifts the ceiling.
    pub ceiling: usize,
    /// Settings of the others under which all four were measured.
    pub contexts: Vec<Setting>,
    /// Its effect on the gap with the ceiling in place.
    pub under: Effect,
    /// Its effect with the ceiling lifted.
    pub lifted: Effect,
    /// Lifted less under.
    pub difference: Effect,
    /// Change of the target's throughput in percent: under the ceiling and lifted.
    pub of_target: [Option<Estimate>; 2],
}

/// A run that would be needed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MissingRun {
    /// The build.
    pub build: String,
    /// Its setting in words.
    pub setting: String,
    /// For what.
    pub needed_for: Need,
}

/// What a missing run would tell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Need {
    /// A step of the cumulative path.
    Cumulative,
    /// A factor alone.
    Independent,
    /// The average over all orders.
    Shapley,
}

impl Need {
    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cumulative => "cumulative",
            Self::Independent => "independent",
            Self::Shapley => "shapley",
        }
    }
}

impl Sign {
    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Depends => "depends",
            Self::NotSettled => "not-settled",
            Self::DependsAsMeasured => "depends-as-measured",
        }
    }
}
