//! A comparison by the library.

use pdiff_analysis::noise::SINGLE_RUN_CV;
use pdiff_analysis::{
    Beside, CompareSettings, Comparison, GroupBy, PreparedSides, Row, RunInput, SideInput, Sides, beside,
};
use pdiff_profile::{EventId, Profile};

use crate::cells::{Look, Recorded};
use crate::score::{Seen, SeenRow};
use crate::world::{Run, SECONDS};

const CPU_CLOCK: EventId = EventId(0);
const INSTRUCTIONS: EventId = EventId(1);

/// The options of a comparison. Most of its time goes into patterns of names, so it is made once for many worlds.
pub(crate) fn settings(look: Look) -> CompareSettings {
    let mut settings = CompareSettings::default();
    match look {
        Look::ByComm => settings.group_by = GroupBy::Comm,
        Look::Filter => settings.filters.stack_contains.extend("subsystem_0".parse()),
        Look::Plain | Look::Time | Look::Beside => {}
    }
    settings
}

pub(crate) fn compare(recorded: &Recorded, look: Look, settings: &CompareSettings) -> Seen {
    let [before, after] = [&recorded.before, &recorded.after].map(|runs| profiles(runs, look));
    let rows = |event: EventId| {
        let sides = Sides {
            before: side(&recorded.before, &before, event),
            after: side(&recorded.after, &after, event),
        };
        PreparedSides::new(&sides, settings).bare_rows(&sides, settings)
    };
    let comparison = rows(CPU_CLOCK);
    let is_beside = look == Look::Beside;
    let beside = is_beside.then(|| beside(&comparison, &rows(INSTRUCTIONS), SINGLE_RUN_CV)).flatten();
    seen(&comparison, beside.as_ref())
}

fn profiles(runs: &[Run], look: Look) -> Vec<Profile> {
    let profile = |run: &Run| match look {
        Look::Time => run.part(SECONDS / 5..SECONDS - SECONDS / 5).profile(),
        _ => run.profile(),
    };
    runs.iter().map(profile).collect()
}

fn side<'a>(runs: &[Run], profiles: &'a [Profile], event: EventId) -> SideInput<'a> {
    let runs = runs.iter().zip(profiles);
    let run = |(run, profile): (&Run, &'a Profile)| RunInput {
        measures: run.measures(),
        ..RunInput::new("run", profile, event)
    };
    SideInput::new("side", runs.map(run).collect())
}

fn seen(comparison: &Comparison, beside: Option<&Beside>) -> Seen {
    let ratios = |name: &str| {
        let of_row = beside?.rows.iter().find(|row| &*row.name == name)?;
        Some(
            [of_row.parts.count_ratio, of_row.parts.price_ratio]
                .map(|ratio| (ratio.low.ln(), ratio.high.ln())),
        )
    };
    let row = |row: &Row| SeenRow {
        interval_pp: row.test.p().map(|_| (row.ci_low_pp, row.ci_high_pp)),
        significant: row.significant,
        has_own_cost: row.cost_change.as_ref().map(|_| row.has_own_cost_change()),
        gap_share_interval_pct: row.gap_share_interval_pct(),
        log_ratio_intervals: ratios(&row.name),
        name: row.name.to_string(),
    };
    let cost = comparison.cost.as_ref();
    let log = |pct: f64| (pct / 100.0).ln_1p();
    Seen {
        rows: comparison.rows.iter().map(row).collect(),
        log_cost_interval: cost.and_then(|cost| cost.log_interval),
        log_gap_interval: cost
            .and_then(|cost| cost.gap)
            .map(|gap| (log(gap.interval_pct.0), log(gap.interval_pct.1))),
        is_gap_warned: cost.and_then(|cost| cost.gap).is_some_and(|gap| gap.barely_significant),
        is_warned: !(comparison.noise.drifting.is_empty() && comparison.noise.phased.is_empty()),
    }
}
