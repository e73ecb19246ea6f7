//! Two builds in the form that the analysis needs, and the knowledge about their program.

use pdiff_analysis::{Aliases, CompareSettings, Filters, Knowledge, PreparedSides, Preset, Sides};
use pdiff_profile::PerSide;

use crate::error::Error;
use crate::read::ReadBuild;

/// What holds for any program.
pub(crate) fn neutral() -> Knowledge {
    Knowledge { aliases: Aliases::default(), ..Knowledge::builtin() }
}

/// The preset of the program, by the name of its file on either side.
pub(crate) fn preset_of(sides: &Sides<'_>) -> Preset {
    let names = PreparedSides::program_names(sides);
    let presets = names.into_array().into_iter().flatten().map(|name| Preset::of_program(&name));
    presets.max_by_key(|preset| preset.program().is_some()).unwrap_or_default()
}

/// Two builds as the analysis wants them.
pub(crate) fn sides(builds: &PerSide<ReadBuild>) -> Sides<'_> {
    Sides { before: builds.before.side(), after: builds.after.side() }
}

/// Both builds' samples by the event that was chosen, filtered and named alike.
pub(crate) fn normalised(
    read: &PerSide<ReadBuild>,
    settings: &CompareSettings,
) -> Result<PreparedSides, Error> {
    let sides = sides(read);
    let normal = PreparedSides::new(&sides, settings);
    check_samples(&normal, &sides, read.as_ref(), &settings.filters)?;
    Ok(normal)
}

/// A filter that leaves a side without samples is a mistake, not a result.
pub(crate) fn check_samples(
    normal: &PreparedSides,
    sides: &Sides<'_>,
    builds: PerSide<&ReadBuild>,
    filters: &Filters,
) -> Result<(), Error> {
    for (side, build) in builds {
        if !build.runs.is_empty() && normal.samples(sides, side) == 0 {
            let (filters, threads) = (filters.describe(), build.some_threads());
            return Err(Error::NoSamples { filters, side, threads });
        }
    }
    Ok(())
}
