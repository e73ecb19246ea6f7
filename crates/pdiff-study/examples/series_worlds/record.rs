//! Builds recorded and compared in order.

use std::sync::LazyLock;

use pdiff_analysis::{CompareSettings, Comparison, GroupBy, PreparedSides, RunInput, SideInput, Sides};
use pdiff_profile::{EventId, Profile};
use pdiff_study::series::{Arrival, Step, Visibility, WholeCost, arrivals, whole_cost};

use crate::world::{Run, World};

static SETTINGS: LazyLock<CompareSettings> = LazyLock::new(CompareSettings::default);

/// One build's runs.
pub(crate) struct Recorded {
    runs: Vec<Run>,
    profiles: Vec<Profile>,
}

impl Recorded {
    /// Runs of a build whose operations cost what `costs` says.
    pub(crate) fn new(world: &mut World, costs: &[f64], runs: usize) -> Self {
        let runs: Vec<Run> = (0..runs).map(|_| world.run(costs)).collect();
        let profiles = runs.iter().map(Run::profile).collect();
        Self { runs, profiles }
    }

    fn side(&self) -> SideInput<'_> {
        let run = |(run, profile)| RunInput {
            measures: Run::measures(run),
            ..RunInput::new("run", profile, EventId(0))
        };
        SideInput::new("build", self.runs.iter().zip(&self.profiles).map(run).collect())
    }
}

/// Two builds compared by function and by subsystem.
fn compared(before: &Recorded, after: &Recorded) -> [Comparison; 2] {
    let sides = Sides { before: before.side(), after: after.side() };
    let mut settings = SETTINGS.clone();
    let prepared = PreparedSides::new(&sides, &settings);
    [GroupBy::Function, GroupBy::Subsystem].map(|group_by| {
        settings.group_by = group_by;
        prepared.compare_rows(&sides, &settings)
    })
}

/// Each build compared with the one before it.
fn steps(builds: &[Recorded]) -> [Vec<Step>; 2] {
    let mut steps = [Vec::new(), Vec::new()];
    for (from, pair) in builds.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        for (steps, comparison) in steps.iter_mut().zip(compared(before, after)) {
            steps.push(Step { from, to: from + 1, comparison });
        }
    }
    steps
}

/// What a series says of its builds.
pub(crate) struct Found {
    pub(crate) functions: Vec<Arrival>,
    pub(crate) subsystems: Vec<Arrival>,
    pub(crate) whole: Option<WholeCost>,
}

impl Found {
    pub(crate) fn new(builds: &[Recorded]) -> Self {
        let [functions, subsystems] = steps(builds);
        let visibility = Visibility::of(&functions);
        Self {
            functions: arrivals(&functions, None, &visibility),
            subsystems: arrivals(&subsystems, None, &visibility),
            whole: whole_cost(&functions),
        }
    }
}
