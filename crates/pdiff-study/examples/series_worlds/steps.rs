//! Series of equal builds: how often a step, or a search for change points, shows a row beyond noise.

use pdiff_study::series::{Arrival, Arrived};

use crate::record::{Found, Recorded};
use crate::world::{Change, Nature, World};
use crate::{Arguments, Part, say};

struct Cell {
    name: &'static str,
    builds: usize,
    runs: usize,
    nature: Nature,
}

pub(crate) const fn varying(cv: f64) -> Nature {
    Nature { cv, machine_cv: 0.05, ..CALM }
}

const CALM: Nature = Nature {
    cv: 0.0,
    cv_differs: 0.0,
    heavy_tails: false,
    subsystem_cv: 0.0,
    machine_cv: 0.0,
    drift: 0.0,
    bursts: false,
    phases: crate::world::Phases::None,
    spins: false,
};

pub(crate) const DIFFERING: Nature = Nature { cv_differs: 0.6, ..varying(0.08) };
const SUBSYSTEMS: Nature = Nature { subsystem_cv: 0.08, ..varying(0.08) };

const fn cell(name: &'static str, nature: Nature, builds: usize, runs: usize) -> Cell {
    Cell { name, builds, runs, nature }
}

const CELLS: &[Cell] = &[
    cell("CV 8 %", varying(0.08), 5, 3),
    cell("CV 8 %", varying(0.08), 10, 3),
    cell("CV differs", DIFFERING, 5, 3),
    cell("CV differs", DIFFERING, 10, 3),
    cell("subsystems", SUBSYSTEMS, 10, 3),
    cell("CV 8 %", varying(0.08), 10, 1),
    cell("CV 8 %", varying(0.08), 10, 2),
    cell("CV differs", DIFFERING, 10, 2),
    cell("CV differs", DIFFERING, 30, 3),
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    say(
        "| equal builds | builds | runs | any false function % | any false subsystem % | either % | any false arrival % | any false change point % |",
    )?;
    say("|---|---|---|---|---|---|---|---|")?;
    for cell in CELLS {
        let line = format!("| {} | {} | {} |", cell.name, cell.builds, cell.runs);
        if !line.contains(&arguments.only) {
            continue;
        }
        let [mut functions, mut subsystems, mut either, mut arrived, mut changed] =
            [(); 5].map(|()| Part::default());
        for series in 0..arguments.series {
            let found = cell.record(arguments.seed * 1_000_003 + series);
            let tables = [&found.functions, &found.subsystems];
            let any = |is: fn(&Arrival) -> bool| tables.map(|rows| rows.iter().any(is));
            let [function, subsystem] = any(|row| row.significant.contains(&true));
            functions.add(function);
            subsystems.add(subsystem);
            either.add(function || subsystem);
            arrived.add(any(|row| row.arrived != Arrived::Nowhere).contains(&true));
            let whole = found.whole.is_some_and(|whole| !whole.change_points.is_empty());
            changed.add(whole || any(|row| !row.change_points.is_empty()).contains(&true));
        }
        let rates = [functions, subsystems, either, arrived, changed].map(|part| part.percent()).join(" | ");
        say(&format!("{line} {rates} |"))?;
    }
    Ok(())
}

impl Cell {
    fn record(&self, seed: u64) -> Found {
        let mut world = World::new(seed, self.nature, Change::Nothing);
        let costs = world.before.clone();
        let builds: Vec<Recorded> =
            (0..self.builds).map(|_| Recorded::new(&mut world, &costs, self.runs)).collect();
        Found::new(&builds)
    }
}
