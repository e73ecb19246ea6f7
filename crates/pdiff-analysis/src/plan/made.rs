//! Makes a [`Plan`] from findings and from the settings that the user wants to switch.

use pdiff_profile::{PerSide, Side};

use super::design::{Design, LEAST_EFFECT, Layout, PlannedRun};
use super::effect::{Effects, Goes};
use super::factor::{Doubt, Experiment, Forecast, NotPlanned, PlannedFactor, WantedFactor, WhyNotPlanned};
use crate::compare::{Comparison, Cost};
use crate::findings::{Finding, FindingKind, MOST_SWITCHES, Switched, SwitchedCode};
use crate::knowledge::SettingsKnowledge;
use crate::noise::{NoiseSettings, critical_t};
use crate::settings_diff::{SettingsDiff, is_off, same_value};

/// The most factors that are switched in all combinations by default: runs double with each.
const MOST_IN_FACTORIAL: usize = 4;

/// The most factors that a plan takes from findings by itself.
const MOST_FROM_FINDINGS: usize = 4;

/// The most repeats of a plan: more runs than anybody makes.
const MOST_REPLICATES: usize = 1_000;

/// An expectation whose interval is wider says too little, in points of the gap.
const MOST_WIDTH_POINTS: f64 = 25.0;

/// A part of so much of a factor's samples that sleeps is a doubt: what it waits is in no profile. In percent.
const MOST_ASLEEP_PCT: f64 = 5.0;

/// The request for a plan.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlanSettings {
    /// The factors; those of findings where none are named.
    pub factors: Vec<WantedFactor>,
    /// The design of the runs; `None` chooses it by the number of factors.
    pub design: Option<Design>,
    /// Findings that lost inlining or were compiled to worse code, by rank: the build is the experiment.
    pub rebuilds: Vec<usize>,
    /// The number of repeats of each run; `None` chooses it by the expected effects.
    pub replicates: Option<usize>,
}

/// Experiments that would tell causes, with what is expected of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The names of the builds.
    pub labels: PerSide<String>,
    /// The factors, in the order in which they are changed.
    pub factors: Vec<PlannedFactor>,
    /// Which runs.
    pub design: Design,
    /// How often each is repeated.
    pub replicates: usize,
    /// The runs, repeat by repeat.
    pub runs: Vec<PlannedRun>,
    /// By factor: the smallest effect that the runs find with power 0.9, as a logarithm of throughput.
    pub detectable_log: Vec<f64>,
    /// ln(after / before) of throughput while the recordings were made.
    pub gap_log: Option<f64>,
    /// Variation of one run's throughput, as a part of it.
    pub run_cv: f64,
    /// Whether that variation is assumed: there was one recording per side.
    pub is_cv_assumed: bool,
    /// CPU cores in use, where known.
    pub cores: Option<PerSide<f64>>,
    /// Whether the servers' settings were given.
    pub knows_settings: bool,
    /// Findings without an experiment.
    pub not_planned: Vec<NotPlanned>,
}

/// Why no plan can be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The user's factor represents nothing that is known.
    #[error("'{what}' is neither a known setting nor a part of the program; hint: parts are {parts}")]
    UnknownFactor {
        /// The user's definition of the factor.
        what: String,
        /// Parts of the program.
        parts: String,
    },
    /// Neither findings nor the user give a factor.
    #[error(
        "no finding is known to depend on a setting; hint: name settings to switch, such as --factors P=performance_schema, or give --settings-before and --settings-after"
    )]
    NoFactor,
    /// More factors than can be planned.
    #[error("{count} factors are too many to plan; hint: name at most {MOST_SWITCHES}")]
    TooManyFactors {
        /// How many.
        count: usize,
    },
    /// More repeats than anybody makes.
    #[error(
        "{count} replicates are too many to plan; hint: ask for at most {MOST_REPLICATES}; effects that need more are too small to matter"
    )]
    TooManyReplicates {
        /// How many.
        count: usize,
    },
    /// A name twice.
    #[error("two factors are called '{name}'")]
    NamedTwice {
        /// The name.
        name: String,
    },
}

/// The inputs of a plan.
pub(crate) struct PlanInput<'a> {
    pub(crate) comparison: &'a Comparison,
    pub(crate) settings: Option<&'a SettingsDiff>,
    pub(crate) knowledge: &'a SettingsKnowledge,
    pub(crate) noise: NoiseSettings,
    /// By key: qualified name and part of the program, and whether a thread begins there.
    pub(crate) functions: Vec<(&'a str, &'a str, bool)>,
}

/// A factor before it is measured in the samples.
struct Candidate {
    name: String,
    experiment: Experiment,
    on: PerSide<bool>,
    finding_ranks: Vec<usize>,
    /// Logarithm of what throughput of each side gains, where it is not code that is switched.
    fixed: PerSide<f64>,
}

/// Makes the plan; `sort` sorts both sides' samples by the code of factors.
pub(crate) fn make(
    input: &PlanInput<'_>,
    wanted: &PlanSettings,
    sort: impl FnOnce(&[SwitchedCode]) -> Switched,
) -> Result<Plan, PlanError> {
    let candidates = if wanted.factors.is_empty() {
        input.of_findings(&wanted.rebuilds)
    } else {
        wanted.factors.iter().map(|factor| input.of_wanted(factor)).collect::<Result<_, _>>()?
    };
    check(&candidates)?;
    if let Some(count) = wanted.replicates.filter(|count| *count > MOST_REPLICATES) {
        return Err(PlanError::TooManyReplicates { count });
    }
    let codes: Vec<SwitchedCode> = candidates.iter().map(|candidate| input.code(candidate)).collect();
    let switched = sort(&codes);
    let fixed: Vec<PerSide<f64>> = candidates.iter().map(|candidate| candidate.fixed).collect();
    let effects =
        Effects { sides: switched.sides.as_ref().map(Vec::as_slice), fixed: &fixed, count: candidates.len() };
    let on: Vec<PerSide<bool>> = candidates.iter().map(|candidate| candidate.on).collect();
    let few = candidates.len() <= MOST_IN_FACTORIAL;
    let design = wanted.design.unwrap_or(if few { Design::Factorial } else { Design::OneByOne });
    let (sd, is_cv_assumed) = run_variation(input);
    let layout = Layout { design, on: &on, sd };
    let alone: Vec<f64> = (0..candidates.len()).map(|at| effects.middle(1 << at)).collect();
    let replicates = wanted.replicates.unwrap_or_else(|| layout.replicates(&alone)).max(1);
    let cost = input.comparison.cost.as_ref();
    let gap = cost.and_then(|cost| cost.gap.as_ref());
    let forecaster = Forecaster {
        effects: &effects,
        layout: &layout,
        replicates,
        gap_log: gap.map(|gap| (gap.tps.after / gap.tps.before).ln()),
        switched: &switched,
    };
    let factors: Vec<PlannedFactor> = candidates
        .into_iter()
        .enumerate()
        .map(|(at, candidate)| input.planned(at, candidate, &forecaster))
        .collect();
    let not_planned = input.not_planned(&factors);
    Ok(Plan {
        labels: PerSide::from_fn(|side| input.comparison.side(side).label.clone()),
        design,
        replicates,
        runs: layout.runs(replicates),
        detectable_log: (0..factors.len()).map(|at| layout.detectable(at, replicates)).collect(),
        gap_log: forecaster.gap_log,
        run_cv: sd,
        is_cv_assumed,
        cores: gap.map(|gap| gap.cores),
        knows_settings: input.settings.is_some(),
        factors,
        not_planned,
    })
}

fn check(candidates: &[Candidate]) -> Result<(), PlanError> {
    if candidates.is_empty() {
        return Err(PlanError::NoFactor);
    }
    if candidates.len() > MOST_SWITCHES {
        return Err(PlanError::TooManyFactors { count: candidates.len() });
    }
    let twice = candidates
        .iter()
        .enumerate()
        .find(|(at, candidate)| candidates.iter().take(*at).any(|other| other.name == candidate.name));
    twice.map_or(Ok(()), |(_, candidate)| Err(PlanError::NamedTwice { name: candidate.name.clone() }))
}

/// How much one run's throughput varies, and whether that is assumed.
fn run_variation(input: &PlanInput<'_>) -> (f64, bool) {
    let measured = || {
        let cost = input.comparison.cost.as_ref()?;
        let (low, high) = cost.log_interval?;
        let runs = [&input.comparison.before, &input.comparison.after].map(|side| side.runs.len() as f64);
        let se = (high - low) / 2.0 / critical_t(0.05, cost.log_degrees_of_freedom);
        let sd = se / (1.0 / runs[0] + 1.0 / runs[1]).sqrt();
        sd.is_finite().then_some(sd)
    };
    measured().map_or((input.noise.single_run_cv(), true), |sd| (sd, false))
}

impl PlanInput<'_> {
    /// Settings that switch findings, then functions whose cost is new or more.
    fn of_findings(&self, rebuilds: &[usize]) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = Vec::new();
        for finding in &self.comparison.findings.list {
            let Some(setting) = finding.settings.first() else { continue };
            match candidates.iter_mut().find(|candidate| candidate.name == setting.name) {
                Some(known) => known.finding_ranks.push(finding.rank),
                None => {
                    let mut candidate = self.setting(&setting.name, &setting.name, None);
                    candidate.finding_ranks.push(finding.rank);
                    candidates.push(candidate);
                }
            }
        }
        let reverts = self.comparison.findings.list.iter().filter(|finding| can_be_reverted(finding));
        candidates
            .extend(reverts.filter_map(|finding| self.revert(finding, rebuilds.contains(&finding.rank))));
        candidates.truncate(MOST_FROM_FINDINGS);
        candidates
    }

    fn revert(&self, finding: &Finding, is_of_compiler: bool) -> Option<Candidate> {
        let more = match (finding.delta_per_op(), self.comparison.cost.as_ref()) {
            (Some(delta), Some(Cost { per_op, .. })) => delta / per_op.after,
            _ => finding.delta_pp() / 100.0,
        };
        let function = finding.name.clone();
        let (verb, experiment) = match is_of_compiler {
            true => ("rebuild", Experiment::Rebuild { function }),
            false => ("revert", Experiment::Revert { function }),
        };
        (more > 0.0 && more < 1.0).then(|| Candidate {
            name: format!("{verb}_{}", finding.rank),
            experiment,
            on: PerSide::new(false, true),
            finding_ranks: vec![finding.rank],
            fixed: PerSide::new(0.0, -(1.0 - more).ln()),
        })
    }

    fn of_wanted(&self, wanted: &WantedFactor) -> Result<Candidate, PlanError> {
        if self.knowledge.setting(&wanted.what).is_some() {
            let mut candidate = self.setting(&wanted.name, &wanted.what, wanted.value.clone());
            let is_of = |finding: &&Finding| finding.settings.iter().any(|of| of.name == wanted.what);
            let ranks = self.comparison.findings.list.iter().filter(is_of).map(|finding| finding.rank);
            candidate.finding_ranks = ranks.collect();
            return Ok(candidate);
        }
        let is_part = self.functions.iter().any(|(_, part, _)| *part == wanted.what);
        if is_part {
            return Ok(Candidate {
                name: wanted.name.clone(),
                experiment: Experiment::Part { subsystem: wanted.what.clone() },
                on: PerSide::new(true, true),
                finding_ranks: Vec::new(),
                fixed: PerSide::default(),
            });
        }
        let mut parts: Vec<&str> =
            self.functions.iter().map(|(_, part, _)| *part).filter(|part| !part.is_empty()).collect();
        parts.sort_unstable();
        parts.dedup();
        Err(PlanError::UnknownFactor { what: wanted.what.clone(), parts: parts.join(", ") })
    }

    fn setting(&self, name: &str, setting: &str, to: Option<String>) -> Candidate {
        let (values, on) = self.values(setting);
        let is_switch = values
            .iter()
            .all(|(_, value)| value.as_ref().is_none_or(|value| same_value(value, "ON") || is_off(value)));
        let to = to.or_else(|| is_switch.then(|| "OFF".to_owned()));
        Candidate {
            name: name.to_owned(),
            experiment: Experiment::Setting { name: setting.to_owned(), values, to },
            on,
            finding_ranks: Vec::new(),
            fixed: PerSide::default(),
        }
    }

    /// The values of a setting on both sides, and the sides on which it can be switched: they know it, and it is not off.
    fn values(&self, setting: &str) -> (PerSide<Option<String>>, PerSide<bool>) {
        let Some(diff) = self.settings else { return (PerSide::default(), PerSide::new(true, true)) };
        if let Some(change) = diff.differs.iter().find(|change| change.name == setting) {
            let values = PerSide::new(change.before.clone(), change.after.clone());
            let on = values.as_ref().map(|value| !is_off(value));
            return (values.map(Some), on);
        }
        let values = diff
            .only
            .as_ref()
            .map(|only| only.iter().find(|only| only.name == setting).map(|only| only.value.clone()));
        match (&values.before, &values.after) {
            (None, None) => (values, PerSide::new(true, true)),
            _ => {
                let on = values.as_ref().map(|value| value.as_ref().is_some_and(|value| !is_off(value)));
                (values, on)
            }
        }
    }

    /// The functions that a factor switches. Where a thread begins is not a part of it.
    fn code(&self, candidate: &Candidate) -> SwitchedCode {
        let is_switched = |name: &str, part: &str| match &candidate.experiment {
            Experiment::Setting { name: setting, .. } => {
                let known = self.knowledge.setting(setting);
                known.is_some_and(|(_, known)| known.switches(name, part))
            }
            Experiment::Part { subsystem } => part == subsystem,
            Experiment::Revert { .. } | Experiment::Rebuild { .. } => false,
        };
        let functions =
            self.functions.iter().map(|(name, part, is_start)| !is_start && is_switched(name, part));
        SwitchedCode { functions: functions.collect(), on: candidate.on }
    }

    fn planned(&self, at: usize, candidate: Candidate, forecaster: &Forecaster<'_>) -> PlannedFactor {
        let bit = 1_u32 << at;
        let share = |side: Side, is_in: &dyn Fn(u32, u32, bool) -> bool| -> f64 {
            let parts = forecaster.switched.sides[side].iter();
            let parts = parts.filter(|part| is_in(part.within & bit, part.own & bit, part.sleeps));
            100.0 * parts.map(|part| part.share).sum::<f64>().max(0.0)
        };
        let of_sides = |is_in: &dyn Fn(u32, u32, bool) -> bool| PerSide::from_fn(|side| share(side, is_in));
        // A factor that no setting switches has the shares of its parts.
        let is_of = |finding: &&Finding| candidate.finding_ranks.contains(&finding.rank);
        let of_parts = PerSide::from_fn(|side| {
            self.comparison.findings.list.iter().filter(is_of).map(|finding| finding.side(side).pct).sum()
        });
        let is_code = matches!(candidate.experiment, Experiment::Revert { .. } | Experiment::Rebuild { .. });
        let of_code = |is_in: &dyn Fn(u32, u32, bool) -> bool| match is_code {
            true => of_parts,
            false => of_sides(is_in),
        };
        let within_pct = of_code(&|within, _, _| within != 0);
        let own_pct = of_code(&|_, own, _| own != 0);
        let sleeps_pct = of_sides(&|within, _, sleeps| within != 0 && sleeps);
        let alone = forecaster.alone(at);
        let average = forecaster.average(at);
        let mut factor = PlannedFactor {
            name: candidate.name,
            experiment: candidate.experiment,
            on: candidate.on,
            finding_ranks: candidate.finding_ranks,
            within_pct,
            own_pct,
            sleeps_pct,
            alone,
            average,
            doubts: Vec::new(),
        };
        factor.doubts = doubts(&factor, forecaster.layout.detectable(at, forecaster.replicates));
        factor
    }

    fn not_planned(&self, factors: &[PlannedFactor]) -> Vec<NotPlanned> {
        let is_planned = |rank: usize| factors.iter().any(|factor| factor.finding_ranks.contains(&rank));
        let of = |finding: &Finding| NotPlanned {
            rank: finding.rank,
            name: finding.name.clone(),
            why: match finding.kind {
                FindingKind::Interrupts => WhyNotPlanned::KernelWork,
                FindingKind::NoCaller => WhyNotPlanned::NoCallers,
                FindingKind::Unresolved => WhyNotPlanned::NoSymbols,
                FindingKind::Spread => WhyNotPlanned::Spread,
                _ if finding.delta_per_op().unwrap_or(finding.delta_pp()) < 0.0 => WhyNotPlanned::Gain,
                _ if !finding.settings.is_empty() => WhyNotPlanned::PlanIsFull,
                _ => WhyNotPlanned::NoFactor,
            },
        };
        let list = self.comparison.findings.list.iter();
        list.filter(|finding| !is_planned(finding.rank)).map(of).collect()
    }
}

/// Whether the change of a finding could be taken out of the new build.
fn can_be_reverted(finding: &Finding) -> bool {
    let is_place = matches!(
        finding.kind,
        FindingKind::Region | FindingKind::Edge | FindingKind::Replaced | FindingKind::CrossCutting
    );
    is_place && finding.settings.is_empty()
}

fn doubts(factor: &PlannedFactor, detectable_log: f64) -> Vec<Doubt> {
    let sleeps = Side::BOTH.into_iter().any(|side| {
        factor.within_pct[side] > 0.0
            && 100.0 * factor.sleeps_pct[side] / factor.within_pct[side] >= MOST_ASLEEP_PCT
    });
    let shown = factor.average.unwrap_or(factor.alone);
    let is_wide = shown.width_points().is_some_and(|width| width > MOST_WIDTH_POINTS);
    let is_small = shown.log.abs() < LEAST_EFFECT;
    let doubts = [
        sleeps.then_some(Doubt::Sleeps),
        is_wide.then_some(Doubt::WiderThan(MOST_WIDTH_POINTS)),
        is_small.then_some(Doubt::Undetectable { detectable_log }),
    ];
    doubts.into_iter().flatten().collect()
}

/// Predicts the effect of each factor.
struct Forecaster<'a> {
    effects: &'a Effects<'a>,
    layout: &'a Layout<'a>,
    replicates: usize,
    gap_log: Option<f64>,
    switched: &'a Switched,
}

impl Forecaster<'_> {
    fn alone(&self, factor: usize) -> Forecast {
        let set = 1_u32 << factor;
        let readings = [Goes::Within, Goes::Own].map(|goes| self.effects.log(set, goes));
        let half = self.share_half(factor).hypot(self.layout.half_alone(factor, self.replicates));
        let log = self.effects.middle(set);
        let (low, high) = ends(readings, half);
        let level = self.gap_log.map(|gap| 100.0 * gap.exp());
        let points = |log: f64| level.map(|level| level * log.exp_m1());
        Forecast {
            log,
            log_interval: (low, high),
            points: points(log),
            points_interval: points(low).zip(points(high)),
        }
    }

    /// The average over all orders, where the runs tell it.
    fn average(&self, factor: usize) -> Option<Forecast> {
        if self.layout.design != Design::Factorial {
            return None;
        }
        let effects = self.effects;
        let readings =
            [Goes::Within, Goes::Own].map(|goes| effects.average(factor, |set| effects.log(set, goes)));
        let log = 0.5 * (readings[0] + readings[1]);
        let alone = effects.middle(1 << factor);
        let part = if alone == 0.0 { 1.0 } else { (log / alone).abs().min(1.0) };
        let half = (part * self.share_half(factor)).hypot(self.layout.half_average(factor, self.replicates));
        let points = self.gap_log.map(|gap| {
            let level = |log: f64| 100.0 * (gap + log).exp();
            let of = |goes: Goes| effects.average(factor, |set| level(effects.log(set, goes)));
            let readings = [of(Goes::Within), of(Goes::Own)];
            let sets = 0..1_u32 << effects.count;
            let mean =
                sets.map(|set| level(effects.middle(set))).sum::<f64>() / f64::from(1_u32 << effects.count);
            (0.5 * (readings[0] + readings[1]), ends(readings, mean * half))
        });
        Some(Forecast {
            log,
            log_interval: ends(readings, half),
            points: points.map(|(value, _)| value),
            points_interval: points.map(|(_, interval)| interval),
        })
    }

    /// Half of the 95 % interval that the shares of a factor's code give its effect. What varies from run to run is the
    /// weight of the code beside the rest, so a share has less room to vary the larger it is: by p (1 - p), and the
    /// logarithm of the rest by p.
    fn share_half(&self, factor: usize) -> f64 {
        let Some(noise) = self.switched.noise.get(factor) else { return 0.0 };
        let half = (noise.ci_high_pp - noise.ci_low_pp) / 200.0;
        if half.is_finite() { half } else { 0.0 }
    }
}

/// From the lower reading less its error to the upper one more its error.
fn ends(readings: [f64; 2], half: f64) -> (f64, f64) {
    (readings[0].min(readings[1]) - half, readings[0].max(readings[1]) + half)
}
