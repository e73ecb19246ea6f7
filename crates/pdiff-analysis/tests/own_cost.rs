//! Functions whose cost per operation changed on its own are found on a noisy machine, and a machine that is slower as a
//! whole is no function's cause.

#[path = "support/random.rs"]
#[allow(dead_code, reason = "each program takes what it needs of it")]
mod random;
#[path = "support/world.rs"]
#[allow(dead_code, reason = "each program takes what it needs of it")]
mod world;

use pdiff_analysis::{CompareSettings, Comparison, RunInput, SideInput, Sides, compare};
use pdiff_profile::EventId;
use world::{Change, Nature, Phases, Run, World};

const MACHINE: Nature = Nature {
    cv: 0.04,
    cv_differs: 0.3,
    heavy_tails: false,
    subsystem_cv: 0.0,
    machine_cv: 0.1,
    drift: 0.0,
    bursts: false,
    phases: Phases::None,
    spins: false,
};

/// Three runs a side.
fn compared(seed: u64, change: Change) -> Comparison {
    let mut world = World::new(seed, MACHINE, change);
    let (before, after) = (world.before.clone(), world.after.clone());
    let [before, after] = [before, after].map(|costs| [(); 3].map(|()| world.run(&costs)));
    let profiles = [&before, &after].map(|runs| runs.each_ref().map(Run::profile));
    let [before, after] = [(before, &profiles[0]), (after, &profiles[1])].map(|(runs, profiles)| {
        let runs = runs.iter().zip(profiles);
        let run = |(run, profile): (&Run, _)| RunInput {
            measures: run.measures(),
            ..RunInput::new("run", profile, EventId(0))
        };
        SideInput::new("side", runs.map(run).collect())
    });
    compare(&Sides { before, after }, &CompareSettings::default())
}

fn with_own_cost(comparison: &Comparison) -> Vec<&str> {
    comparison.rows.iter().filter(|row| row.has_own_cost_change()).map(|row| &*row.name).collect()
}

#[test]
fn a_heavy_function_that_costs_a_fifth_more_is_found() {
    let (mut found, mut others) = (0, 0);
    for seed in 0..12 {
        let comparison = compared(seed, Change::OneHeavy);
        let own = with_own_cost(&comparison);
        found += usize::from(own.contains(&"function_0"));
        others += own.iter().filter(|name| **name != "function_0").count();
    }
    assert!(found >= 6, "{found} of 12");
    assert!(others <= 1, "{others} others");
}

#[test]
fn a_machine_that_is_slower_as_a_whole_is_no_functions_own_cost() {
    for seed in 100..112 {
        let comparison = compared(seed, Change::AllDearer);
        assert!(with_own_cost(&comparison).is_empty(), "{seed}: {:?}", with_own_cost(&comparison));
    }
}
