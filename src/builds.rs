//! The binaries behind a comparison: which object is the program, the census of each of its builds, and which objects
//! are the same file on both sides.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use pdiff_analysis::classify::ObjectBuilds;
use pdiff_analysis::{ObjectFacts, SideObject};
use pdiff_profile::census::Census;
use pdiff_profile::{Notes, Side};
use pdiff_symbolize::census_of;

use crate::pipeline::{Examined, symbolize_options};
use crate::settings::DebugInfo;

/// What the files of both sides say.
pub(crate) struct ReadBuilds {
    /// What rows call the program; `None` if there is none among the objects.
    program: Option<String>,
    before: Option<Census>,
    after: Option<Census>,
    /// Labels of objects whose file is the same on both sides.
    pub(crate) same_objects: Vec<String>,
}

impl ReadBuilds {
    /// Takes the census of the program's builds, as far as their files were found.
    pub(crate) fn read(
        examined: &Examined,
        debug_info: Option<&DebugInfo>,
        notes: &mut Notes,
    ) -> Result<Self> {
        let program = program(examined);
        let census = |side: Side| match (&program, debug_info) {
            (Some(program), Some(debug_info)) => take(examined, program, debug_info, side),
            _ => Ok(None),
        };
        let (before, after) = std::thread::scope(|scope| {
            let before = scope.spawn(|| census(Side::Before));
            let after = census(Side::After);
            (before.join(), after)
        });
        let before = before.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        let mut keep = |taken: Option<(Census, Notes)>| {
            taken.map(|(census, of_census)| {
                notes.merge(&of_census);
                census
            })
        };
        let (before, after) = (keep(before), keep(after?));
        let same_objects = same_objects(examined);
        Ok(Self { program, before, after, same_objects })
    }

    /// As verdicts want it.
    pub(crate) fn of_program(&self) -> Option<ObjectBuilds<'_>> {
        let label = self.program.as_deref()?;
        Some(ObjectBuilds { label, before: self.before.as_ref(), after: self.after.as_ref() })
    }
}

/// The heaviest object that is a file and no library.
fn program(examined: &Examined) -> Option<String> {
    let is_program = |object: &&SideObject| object.path.starts_with('/') && !object.label.contains(".so");
    let programs = examined.calls.objects.iter().filter(is_program);
    let mut weights: BTreeMap<&str, u64> = programs.map(|object| (object.label.as_str(), 0)).collect();
    for row in &examined.comparison.rows {
        if let Some(weight) = weights.get_mut(row.object.as_str()) {
            *weight += row.before.self_weight.0 + row.after.self_weight.0;
        }
    }
    weights.into_iter().max_by_key(|(_, weight)| *weight).map(|(label, _)| label.to_owned())
}

fn take(
    examined: &Examined,
    program: &str,
    debug_info: &DebugInfo,
    side: Side,
) -> Result<Option<(Census, Notes)>> {
    let files = &examined.files[usize::from(side == Side::After)];
    let is_program = |path: &str| {
        let mut objects = examined.calls.objects.iter();
        objects.any(|object| object.side == side && object.label == program && object.path == path)
    };
    let Some(found) = files.iter().find(|found| is_program(&found.path)) else { return Ok(None) };
    let taken = census_of(&found.file, &symbolize_options(debug_info, side))
        .with_context(|| format!("functions of {}", found.file.display()))?;
    Ok(Some((taken.census, taken.notes)))
}

/// Labels of objects with the same identity on both sides.
fn same_objects(examined: &Examined) -> Vec<String> {
    let identity = |side: Side, label: &str| {
        let objects = examined.calls.objects.iter();
        let paths: Vec<&str> = objects
            .filter(|object| object.side == side && object.label == label)
            .map(|object| object.path.as_str())
            .collect();
        let facts = examined.comparison.side(side).objects.iter();
        let id = |facts: &ObjectFacts| {
            facts.object_id.as_ref().map(ToString::to_string).or_else(|| facts.build_id.clone())
        };
        let ids: Option<Vec<String>> =
            facts.filter(|facts| paths.contains(&facts.path.as_str())).map(id).collect();
        ids.filter(|ids| !ids.is_empty())
    };
    let mut labels: Vec<&str> = examined.calls.objects.iter().map(|object| object.label.as_str()).collect();
    labels.sort_unstable();
    labels.dedup();
    let is_same = |label: &&str| {
        let (before, after) = (identity(Side::Before, label), identity(Side::After, label));
        before
            .zip(after)
            .is_some_and(|(before, after)| before.iter().chain(&after).all(|id| Some(id) == before.first()))
    };
    labels.into_iter().filter(is_same).map(str::to_owned).collect()
}
