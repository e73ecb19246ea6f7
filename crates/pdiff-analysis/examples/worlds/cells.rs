//! The worlds, changes and designs that are tried.

use crate::truth::Truth;
use crate::world::{Change, Nature, Phases, Run, World};

/// One line of the table.
pub(crate) struct Cell {
    pub(crate) name: &'static str,
    pub(crate) change: Change,
    pub(crate) runs: [usize; 2],
    pub(crate) look: Look,
    nature: Nature,
}

/// Under which options recordings are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// None.
    Plain,
    /// `--by comm`: one row per subsystem, because each has a thread.
    ByComm,
    /// `--stack-contains subsystem_0`: the subsystem of the function that may be changed.
    Filter,
    /// `--time`: without the first and the last fifth.
    Time,
    /// `--beside instructions`.
    Beside,
}

/// Recordings of both sides, and what is true of them.
pub(crate) struct Recorded {
    pub(crate) before: Vec<Run>,
    pub(crate) after: Vec<Run>,
    pub(crate) truth: Truth,
}

impl Cell {
    pub(crate) fn record(&self, seed: u64) -> Recorded {
        let mut world = World::new(seed, self.nature, self.change);
        let truth = Truth::of(&world, self.change, self.look);
        let (costs_before, costs_after) = (world.before.clone(), world.after.clone());
        let [runs_before, runs_after] = self.runs;
        let mut record = |costs: &[f64]| {
            let mut run = world.run(costs);
            if self.look == Look::Beside {
                world.count_instructions(&mut run);
            }
            run
        };
        Recorded {
            before: (0..runs_before).map(|_| record(&costs_before)).collect(),
            after: (0..runs_after).map(|_| record(&costs_after)).collect(),
            truth,
        }
    }
}

impl Look {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::ByComm => ", by thread",
            Self::Filter => ", filtered",
            Self::Time => ", part of the time",
            Self::Beside => ", two events",
        }
    }
}

impl Change {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::AllDearer => "all cost 20 % more",
            Self::OneHeavy => "30 % costs 20 % more",
            Self::Twenty => "20 functions",
            Self::ManyLight => "120 light functions",
        }
    }
}

/// Nothing but the counting of samples, and a machine that varies by 5 %.
const CALM: Nature = Nature {
    cv: 0.0,
    cv_differs: 0.0,
    heavy_tails: false,
    subsystem_cv: 0.0,
    machine_cv: 0.05,
    drift: 0.0,
    bursts: false,
    phases: Phases::None,
    spins: false,
};

const fn varying(cv: f64) -> Nature {
    Nature { cv, ..CALM }
}

const DIFFERING: Nature = Nature { cv_differs: 0.6, ..varying(0.08) };
const TAILS: Nature = Nature { heavy_tails: true, ..varying(0.08) };
const SUBSYSTEMS: Nature = Nature { subsystem_cv: 0.08, ..varying(0.05) };
const DRIFT: Nature = Nature { drift: 0.2, ..varying(0.08) };
const BURSTS: Nature = Nature { bursts: true, ..varying(0.03) };
const PHASES: Nature = Nature { phases: Phases::Anywhere, ..varying(0.03) };
const PHASES_IN_STEP: Nature = Nature { phases: Phases::InStep, ..varying(0.03) };
const PHASES_ALIKE: Nature = Nature { phases: Phases::Alike, ..varying(0.03) };
const SPINS: Nature = Nature { spins: true, ..varying(0.05) };
const MACHINE: Nature = Nature { machine_cv: 0.1, cv_differs: 0.3, ..varying(0.05) };

const fn cell(name: &'static str, nature: Nature, change: Change, runs: [usize; 2]) -> Cell {
    Cell { name, change, runs, look: Look::Plain, nature }
}

const fn looked_at(look: Look, nature: Nature, change: Change) -> Cell {
    Cell { name: "CV differs", change, runs: [3, 3], look, nature }
}

use Change::{AllDearer, ManyLight, Nothing, OneHeavy, Twenty};

pub(crate) const CELLS: &[Cell] = &[
    cell("CV 0 %", CALM, Nothing, [1, 1]),
    cell("CV 0 %", CALM, Nothing, [3, 3]),
    cell("CV 3 %", varying(0.03), Nothing, [3, 3]),
    cell("CV 8 %", varying(0.08), Nothing, [1, 1]),
    cell("CV 8 %", varying(0.08), Nothing, [3, 3]),
    cell("CV 15 %", varying(0.15), Nothing, [1, 1]),
    cell("CV 15 %", varying(0.15), Nothing, [3, 3]),
    cell("CV 25 %", varying(0.25), Nothing, [3, 3]),
    cell("CV differs", DIFFERING, Nothing, [1, 1]),
    cell("CV differs", DIFFERING, Nothing, [1, 5]),
    cell("CV differs", DIFFERING, Nothing, [2, 2]),
    cell("CV differs", DIFFERING, Nothing, [3, 3]),
    cell("CV differs", DIFFERING, Nothing, [5, 5]),
    cell("heavy tails", TAILS, Nothing, [3, 3]),
    cell("subsystems", SUBSYSTEMS, Nothing, [3, 3]),
    cell("drift", DRIFT, Nothing, [1, 1]),
    cell("drift", DRIFT, Nothing, [3, 3]),
    cell("bursts", BURSTS, Nothing, [1, 1]),
    cell("bursts", BURSTS, Nothing, [3, 3]),
    cell("phases", PHASES, Nothing, [1, 1]),
    cell("phases", PHASES, Nothing, [3, 3]),
    cell("phases in step", PHASES_IN_STEP, Nothing, [3, 3]),
    cell("phases alike", PHASES_ALIKE, Nothing, [3, 3]),
    cell("spinning row", SPINS, Nothing, [3, 3]),
    cell("CV 5 %", varying(0.05), Twenty, [2, 2]),
    cell("CV 5 %", varying(0.05), Twenty, [3, 3]),
    cell("CV differs", DIFFERING, Twenty, [3, 3]),
    cell("subsystems", SUBSYSTEMS, Twenty, [3, 3]),
    cell("phases", PHASES, Twenty, [3, 3]),
    cell("phases in step", PHASES_IN_STEP, Twenty, [3, 3]),
    cell("phases alike", PHASES_ALIKE, Twenty, [3, 3]),
    cell("CV 0 %", CALM, ManyLight, [3, 3]),
    cell("CV 3 %", varying(0.03), ManyLight, [3, 3]),
    cell("machine 10 %", MACHINE, OneHeavy, [3, 3]),
    cell("machine 10 %", MACHINE, AllDearer, [3, 3]),
    cell("machine 10 %", SUBSYSTEMS, AllDearer, [3, 3]),
    cell("machine 10 %", DIFFERING, AllDearer, [3, 3]),
    cell("CV differs", DIFFERING, AllDearer, [1, 1]),
    cell("CV differs", DIFFERING, AllDearer, [2, 2]),
    cell("CV differs", DIFFERING, OneHeavy, [1, 1]),
    cell("CV differs", DIFFERING, OneHeavy, [3, 3]),
    looked_at(Look::ByComm, DIFFERING, Nothing),
    looked_at(Look::Filter, DIFFERING, Nothing),
    looked_at(Look::Time, DIFFERING, Nothing),
    looked_at(Look::Beside, DIFFERING, Nothing),
    looked_at(Look::ByComm, DIFFERING, OneHeavy),
    looked_at(Look::Filter, DIFFERING, OneHeavy),
    looked_at(Look::Time, DIFFERING, OneHeavy),
    looked_at(Look::Beside, DIFFERING, OneHeavy),
];
