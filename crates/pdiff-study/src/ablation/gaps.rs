//! The gap as a function of the setting, and sums of it: every attribution is such a sum.
//!
//! In logarithms a sum of gaps is a contrast of cells. In points the gap is 100 (exp(L) - 1), so a sum's variance is that
//! of the contrast with each coefficient times the derivative, 100 exp(L) (the delta method). A cell that is in several
//! gaps, as that of a build that lacks a factor, is one cell: what cancels has no variance.

use crate::{RunsTable, Setting};
use pdiff_profile::{PerSide, Side};

use super::cells::{Cells, Measure};
use super::contrast::Contrast;
use super::estimate::{Effect, Estimate, GapAt};

/// A sum of gaps, each times a number.
pub(super) type Weights = Vec<(Setting, f64)>;

/// The cells of two builds, in all measures there are.
pub(super) struct Gaps {
    pub(super) throughput: Cells,
    efficiency: Option<Cells>,
    utilisation: Option<Cells>,
}

impl Gaps {
    pub(super) fn new(table: &RunsTable, builds: PerSide<usize>, restart: Setting) -> Option<Self> {
        let cells = |measure| Cells::new(table, builds, restart, measure);
        Some(Self {
            throughput: cells(Measure::Throughput)?,
            efficiency: cells(Measure::Efficiency),
            utilisation: cells(Measure::Utilisation),
        })
    }

    /// Whether both builds were measured under a setting.
    pub(super) fn is_measured(&self, setting: Setting) -> bool {
        self.throughput.log_gap(setting).is_some()
    }

    /// Both builds under a setting.
    pub(super) fn at(&self, setting: Setting) -> Option<GapAt> {
        let cells = &self.throughput;
        let log = log_sum(cells, &[(setting, 1.0)])?;
        Some(GapAt {
            before: cells.mean(Side::Before, setting)?.exp(),
            after: cells.mean(Side::After, setting)?.exp(),
            pct: log.into_percent(),
            log,
        })
    }

    /// A sum of gaps; `None` where one of them was not measured.
    pub(super) fn sum(&self, weights: &[(Setting, f64)]) -> Option<Effect> {
        let of = |cells: &Option<Cells>| cells.as_ref().and_then(|cells| log_sum(cells, weights));
        Some(Effect {
            points: self.points(weights)?,
            log: log_sum(&self.throughput, weights)?,
            cost_log: of(&self.efficiency),
            utilisation_log: of(&self.utilisation),
        })
    }

    /// What the gap changes by from one setting to another.
    pub(super) fn change(&self, from: Setting, to: Setting) -> Option<Effect> {
        self.sum(&[(from, -1.0), (to, 1.0)])
    }

    /// The logarithm of a change at another level of error than usual.
    pub(super) fn log_change_at(&self, from: Setting, to: Setting, alpha: f64) -> Option<Estimate> {
        let contrast = log_contrast(&self.throughput, &[(from, -1.0), (to, 1.0)])?;
        Some(self.throughput.estimate_at(self.throughput.value(&contrast), &contrast, alpha))
    }

    /// What one build's throughput changes by, in percent, averaged over pairs of settings.
    pub(super) fn of_build(&self, of: Side, pairs: &[(Setting, Setting)]) -> Option<Estimate> {
        self.log_of_build(of, &weights_of_pairs(pairs)).map(Estimate::into_percent)
    }

    /// A sum of one build's log throughput.
    pub(super) fn log_of_build(&self, of: Side, weights: &[(Setting, f64)]) -> Option<Estimate> {
        let mut contrast = Contrast::new();
        for (setting, weight) in weights {
            self.throughput.add(&mut contrast, of, *setting, *weight)?;
        }
        Some(self.throughput.estimate(self.throughput.value(&contrast), &contrast))
    }

    fn points(&self, weights: &[(Setting, f64)]) -> Option<Estimate> {
        let cells = &self.throughput;
        let mut contrast = Contrast::new();
        let mut value = 0.0;
        for (setting, weight) in weights {
            let log = cells.log_gap(*setting)?;
            value += weight * 100.0 * log.exp_m1();
            let slope = weight * 100.0 * log.exp();
            cells.add(&mut contrast, Side::After, *setting, slope)?;
            cells.add(&mut contrast, Side::Before, *setting, -slope)?;
        }
        Some(cells.estimate(value, &contrast))
    }
}

/// The mean change over pairs of settings, as weights.
pub(super) fn weights_of_pairs(pairs: &[(Setting, Setting)]) -> Weights {
    let each = 1.0 / pairs.len() as f64;
    pairs.iter().flat_map(|(from, to)| [(*from, -each), (*to, each)]).collect()
}

fn log_contrast(cells: &Cells, weights: &[(Setting, f64)]) -> Option<Contrast> {
    let mut contrast = Contrast::new();
    for (setting, weight) in weights {
        cells.add(&mut contrast, Side::After, *setting, *weight)?;
        cells.add(&mut contrast, Side::Before, *setting, -*weight)?;
    }
    Some(contrast)
}

fn log_sum(cells: &Cells, weights: &[(Setting, f64)]) -> Option<Estimate> {
    let contrast = log_contrast(cells, weights)?;
    Some(cells.estimate(cells.value(&contrast), &contrast))
}
