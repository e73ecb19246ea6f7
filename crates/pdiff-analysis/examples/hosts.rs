//! How often a change of one function is found among many machines, and how often one is found that is not there.
//!
//! ```text
//! cargo run --release -p pdiff-analysis --example hosts -- [STORES [SEED]]
//! ```

#[path = "../tests/support/fleet.rs"]
mod fleet;
#[path = "../tests/support/random.rs"]
#[allow(dead_code, reason = "each program takes what it needs of it")]
mod random;

use std::io::Write as _;

use fleet::Fleet;
use pdiff_analysis::noise::{Floor, NoiseSettings, judge};
use rayon::prelude::*;

const FLEET: Fleet = Fleet {
    hosts: 200,
    runs_of_host: 1,
    hosts_on_both: 0,
    samples: 20_000.0,
    host_cv: 0.08,
    run_cv: 0.05,
    cv_differs: 0.0,
    change: 1.05,
};

/// What is tried.
const FLEETS: [(&str, Fleet); 7] = [
    ("other hosts", FLEET),
    ("other hosts, 60,000 samples", Fleet { samples: 60_000.0, ..FLEET }),
    ("the same hosts", Fleet { hosts_on_both: 200, ..FLEET }),
    ("half of the hosts the same", Fleet { hosts_on_both: 100, ..FLEET }),
    ("the same hosts, CVs differ", Fleet { hosts_on_both: 200, cv_differs: 0.6, ..FLEET }),
    ("20 other hosts, 5 runs of each", Fleet { hosts: 20, runs_of_host: 5, ..FLEET }),
    ("5 same hosts, 3 runs of each", Fleet { hosts: 5, hosts_on_both: 5, runs_of_host: 3, ..FLEET }),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers = std::env::args().skip(1).map(|number| number.parse::<u64>());
    let numbers = numbers.collect::<Result<Vec<u64>, _>>()?;
    let stores = numbers.first().copied().unwrap_or(100);
    let seed = numbers.get(1).copied().unwrap_or(1);
    let mut out = std::io::stdout();
    writeln!(out, "{stores} stores a line, seed {seed}")?;
    writeln!(
        out,
        "| stores | +5 % of 1 % found % | with a false row % | intervals that contain it % | equal builds with any row % |"
    )?;
    writeln!(out, "|---|---|---|---|---|")?;
    let floor = Floor { points: 0.0, relative: 0.0 };
    let settings = NoiseSettings { floor, ..NoiseSettings::default() };
    for (name, fleet) in FLEETS {
        let count = |fleet: Fleet| {
            let store = |store: u64| {
                let (denominator, rows) = fleet.record(seed * 1_000_003 + store);
                let rows = judge(&[denominator], &rows, &settings).rows;
                let truth = 100.0 * (0.01 * fleet.change / (0.99 + 0.01 * fleet.change) - 0.01);
                let found = rows[0].significant;
                // A change takes share from all others, so a heavy row that is significant with it may be right.
                let others = rows.iter().skip(1).filter(|row| row.significant).count();
                let contains = rows[0].ci_low_pp <= truth && truth <= rows[0].ci_high_pp;
                [found, others > 0, contains, found || others > 0].map(u32::from)
            };
            let sums = (0..stores).into_par_iter().map(store);
            sums.reduce(|| [0; 4], |a, b| std::array::from_fn(|at| a[at] + b[at]))
        };
        let (changed, equal) = (count(fleet), count(Fleet { change: 1.0, ..fleet }));
        let percent = |count: u32| {
            let part = f64::from(count) / stores as f64;
            format!("{:.1} ± {:.1}", 100.0 * part, 100.0 * (part * (1.0 - part) / stores as f64).sqrt())
        };
        let [found, others, contains, _] = changed.map(percent);
        writeln!(out, "| {name} | {found} | {others} | {contains} | {} |", percent(equal[3]))?;
    }
    Ok(())
}
