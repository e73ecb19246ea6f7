//! A comparison by the library.

use pdiff_analysis::{CompareSettings, Comparison, RunInput, SideInput, Sides, compare as compare_sides};
use pdiff_profile::{EventId, Profile};

use crate::cells::Recorded;
use crate::score::{Seen, SeenRow};
use crate::world::Run;

pub(crate) fn compare(recorded: &Recorded) -> Seen {
    let [before, after] =
        [&recorded.before, &recorded.after].map(|runs| runs.iter().map(Run::profile).collect::<Vec<_>>());
    let settings = CompareSettings::default();
    let sides = Sides { before: side(&recorded.before, &before), after: side(&recorded.after, &after) };
    seen(&compare_sides(&sides, &settings))
}

fn side<'a>(runs: &[Run], profiles: &'a [Profile]) -> SideInput<'a> {
    let runs = runs.iter().zip(profiles);
    let run = |(run, profile): (&Run, &'a Profile)| RunInput {
        measures: run.measures(),
        ..RunInput::new("run", profile, EventId(0))
    };
    SideInput::new("side", runs.map(run).collect())
}

fn seen(comparison: &Comparison) -> Seen {
    let rows = comparison.rows.iter().map(|row| SeenRow {
        name: row.name.clone(),
        interval_pp: row.test.p().map(|_| (row.ci_low_pp, row.ci_high_pp)),
        significant: row.significant,
        has_own_cost: row.has_own_cost_change(),
    });
    let cost = comparison.cost.as_ref();
    let noise = &comparison.noise;
    Seen {
        rows: rows.collect(),
        log_cost_interval: cost.and_then(|cost| cost.log_interval),
        is_warned: !noise.drifting.is_empty(),
    }
}
