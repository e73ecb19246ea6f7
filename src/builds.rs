//! The builds behind a comparison: which object is the program, the census of each of its builds, from its binary or from
//! packs, and which objects are the same file on both sides.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pdiff_analysis::ObjectFacts;
use pdiff_analysis::classify::{Foreground, Missing, MissingPart, ObjectBuilds};
use pdiff_ingest::PackedCensus;
use pdiff_profile::census::{Census, Detail};
use pdiff_profile::{Notes, Side, Weight};
use pdiff_symbolize::{ObjectCensus, SymbolizeOptions, Symbolizer, census_of};

use crate::pipeline::{Examined, FoundCode, Run, symbolize_options};
use crate::settings::DebugInfo;

/// What the files of both sides say.
pub(crate) struct ReadBuilds {
    /// What rows call the program; `None` if there is none among the objects.
    program: Option<String>,
    before: Option<Census>,
    after: Option<Census>,
    /// Labels of objects whose file is the same on both sides.
    pub(crate) same_objects: Vec<String>,
    /// Sides of packs without a census.
    lacking: Vec<Side>,
}

/// The censuses that will most likely be asked for, taken before the comparison tells which object is the program.
#[derive(Default)]
pub(crate) struct ReadAhead([Option<TakenAhead>; 2]);

/// A file and its census.
type TakenAhead = (PathBuf, Result<ObjectCensus, pdiff_symbolize::Error>);

impl ReadAhead {
    /// Of each side the one file that is no library; where there are several, none.
    pub(crate) fn read(code: &[FoundCode; 2], debug_info: Option<&DebugInfo>) -> Self {
        let Some(debug_info) = debug_info else { return Self::default() };
        let take = |side: Side, code: &FoundCode| {
            let mut programs = code.files.iter().filter(|file| is_program(&file.path));
            let (Some(found), None) = (programs.next(), programs.next()) else { return None };
            Some((found.file.clone(), census_of(&found.file, &symbolize_options(debug_info, side))))
        };
        let [before, after] = code;
        Self(both(|| take(Side::Before, before), || take(Side::After, after)).into())
    }
}

/// What two functions return, run side by side.
fn both<T: Send>(before: impl FnOnce() -> T + Send, after: impl FnOnce() -> T) -> (T, T) {
    std::thread::scope(|scope| {
        let before = scope.spawn(before);
        let after = after();
        (before.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), after)
    })
}

impl ReadBuilds {
    /// Takes the census of the program's builds, as far as their files were found, and as it was not taken ahead.
    pub(crate) fn read(
        examined: &Examined,
        debug_info: Option<&DebugInfo>,
        ahead: ReadAhead,
        notes: &mut Notes,
    ) -> Result<Self> {
        let program = program(examined);
        let census = |side: Side, ahead| match (&program, debug_info) {
            (Some(program), Some(debug_info)) => take(examined, program, debug_info, side, ahead),
            _ => Ok(None),
        };
        let [ahead_before, ahead_after] = ahead.0;
        let (before, after) =
            both(|| census(Side::Before, ahead_before), || census(Side::After, ahead_after));
        let before = before?;
        let mut keep = |taken: Option<(Census, Notes)>| {
            taken.map(|(census, of_census)| {
                notes.merge(&of_census);
                census
            })
        };
        let (before, after) = (keep(before), keep(after?));
        let same_objects = same_objects(examined);
        let lacks = |side: &Side| {
            let census = if *side == Side::Before { &before } else { &after };
            census.is_none() && examined.code_of(*side).is_packed
        };
        let lacking = Side::BOTH.into_iter().filter(lacks).collect();
        Ok(Self { program, before, after, same_objects, lacking })
    }

    /// Says of the sides whose pack holds no facts of the program's code that it is these which are missing.
    pub(crate) fn set_packed(&self, missing: &mut [Missing]) {
        let is_packed = |of: &&mut Missing| of.what == MissingPart::Binary && self.lacking.contains(&of.side);
        missing.iter_mut().filter(is_packed).for_each(|of| of.what = MissingPart::PackedCode);
    }

    /// As verdicts want it.
    pub(crate) fn of_program(&self) -> Option<ObjectBuilds<'_>> {
        let label = self.program.as_deref()?;
        Some(ObjectBuilds { label, before: self.before.as_ref(), after: self.after.as_ref() })
    }
}

/// Whether the path of an object is that of a file and no library.
fn is_program(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with('/') && !name.ends_with(".so") && !name.contains(".so.")
}

/// The heaviest program among the objects, as rows call it.
fn program(examined: &Examined) -> Option<String> {
    let programs = examined.calls.objects.iter().filter(|object| is_program(&object.path));
    let mut weights: BTreeMap<&str, Weight> =
        programs.map(|object| (object.label.as_str(), Weight::ZERO)).collect();
    for row in &examined.comparison.rows {
        if let Some(weight) = weights.get_mut(row.object.as_str()) {
            *weight += row.before.self_weight + row.after.self_weight;
        }
    }
    weights.into_iter().max_by_key(|(_, weight)| *weight).map(|(label, _)| label.to_owned())
}

fn take(
    examined: &Examined,
    program: &str,
    debug_info: &DebugInfo,
    side: Side,
    ahead: Option<TakenAhead>,
) -> Result<Option<(Census, Notes)>> {
    let code = examined.code_of(side);
    let is_program = |path: &str| {
        let mut objects = examined.calls.objects.iter();
        objects.any(|object| object.side == side && object.label == program && object.path == path)
    };
    let options = symbolize_options(debug_info, side);
    if let Some(found) = code.files.iter().find(|found| is_program(&found.path)) {
        let taken = match ahead {
            Some((file, taken)) if file == found.file => taken,
            _ => census_of(&found.file, &options),
        };
        let taken = taken.with_context(|| format!("functions of {}", found.file.display()))?;
        return Ok(Some((taken.census, taken.notes)));
    }
    if let Some(taken) = given(examined, &is_program, debug_info, side)? {
        return Ok(Some((taken.census, taken.notes)));
    }
    let packed: Vec<&PackedCensus> =
        code.censuses.iter().filter(|(path, _)| is_program(path)).map(|(_, census)| census).collect();
    Ok(unpack_all(&packed)?.map(|census| (census, Notes::new())))
}

/// The binary that the user gives beside packs: one of those that the packs were made of.
fn given(
    examined: &Examined,
    is_program: &dyn Fn(&str) -> bool,
    debug_info: &DebugInfo,
    side: Side,
) -> Result<Option<ObjectCensus>> {
    let binaries = debug_info.binaries(side);
    if !examined.code_of(side).is_packed || binaries.is_empty() {
        return Ok(None);
    }
    let facts = examined.comparison.side(side).objects.iter();
    let known: Vec<_> = facts.filter(|facts| is_program(&facts.path)).collect();
    let Some(path) = known.first().map(|facts| &facts.path) else { return Ok(None) };
    let name = |path: &Path| path.file_name().map(ToOwned::to_owned);
    for binary in binaries {
        let context = || format!("functions of {}", binary.display());
        let opened = Symbolizer::open(binary, &SymbolizeOptions::new()).with_context(context)?;
        let is_it = known.iter().any(|facts| facts.object_id.as_ref() == Some(opened.object_id()));
        let is_named = name(binary) == name(Path::new(path));
        if is_it || is_named && debug_info.allow_mismatch {
            let options = symbolize_options(debug_info, side);
            return census_of(binary, &options).with_context(context).map(Some);
        }
        if is_named {
            bail!(
                "{} is another build than the pack of the {side} side was made of; hint: give that one, or use \
                 --ignore-build-id",
                binary.display()
            );
        }
    }
    Ok(None)
}

/// What the packs of one side hold together.
fn unpack_all(packed: &[&PackedCensus]) -> Result<Option<Census>> {
    let mut joined: Option<Census> = None;
    let mut seen: Vec<&PackedCensus> = Vec::new();
    for census in packed {
        if seen.contains(census) {
            continue;
        }
        seen.push(census);
        let part = unpack(census)?;
        joined = Some(match joined {
            Some(joined) => joined.join(&part),
            None => part,
        });
    }
    Ok(joined)
}

/// The census in a pack.
pub(crate) fn unpack(census: &PackedCensus) -> Result<Census> {
    Census::from_packed_bytes(&census.to_bytes()?).context("the census in a pack")
}

/// The census to pack of a run, and the path of its object: of the program that has most samples. Without `is_full`
/// what the run has nothing to do with is left out.
pub(crate) fn census_to_pack(
    run: &Run,
    debug_info: &DebugInfo,
    is_full: bool,
) -> Result<Option<(String, PackedCensus)>> {
    let examined = run.examine();
    let Some((first, program)) = examined.iter().find_map(|one| Some((one, program(one)?))) else {
        return Ok(None);
    };
    let Some((census, _)) = take(first, &program, debug_info, Side::Before, None)? else { return Ok(None) };
    let rows = examined.iter().flat_map(|one| &one.comparison.rows);
    let sampled = rows.filter(|row| row.object == program && row.before.total_weight.0 > 0);
    let foreground = Foreground::new(&census, sampled.map(|row| row.name.as_str()));
    let least = if is_full { Detail::Rows } else { Detail::None };
    let bytes = census.to_packed_bytes(|function| foreground.detail(function).max(least));
    let mut objects = first.calls.objects.iter();
    let path = objects.find(|object| object.side == Side::Before && object.label == program);
    let packed = PackedCensus::from_bytes(&bytes)?;
    Ok(path.map(|object| (object.path.clone(), packed)))
}

/// Labels of objects with the same identity on both sides.
fn same_objects(examined: &Examined) -> Vec<String> {
    let [before, after] = Side::BOTH.map(|side| identities(examined, side));
    let is_same = |(label, ids): &(&str, Vec<Option<String>>)| {
        let all = after.get(label).map(|others| ids.iter().chain(others));
        all.is_some_and(|mut all| all.all(|id| id.is_some() && Some(id) == ids.first()))
    };
    before.into_iter().filter(is_same).map(|(label, _)| label.to_owned()).collect()
}

/// By label: the identities of one side's objects of that name, `None` where one is not known.
fn identities(examined: &Examined, side: Side) -> BTreeMap<&str, Vec<Option<String>>> {
    let id = |facts: &ObjectFacts| {
        facts.object_id.as_ref().map(ToString::to_string).or_else(|| facts.build_id.clone())
    };
    let facts = examined.comparison.side(side).objects.iter();
    let by_path: BTreeMap<&str, Option<String>> =
        facts.map(|facts| (facts.path.as_str(), id(facts))).collect();
    let mut by_label: BTreeMap<&str, Vec<Option<String>>> = BTreeMap::new();
    for object in examined.calls.objects.iter().filter(|object| object.side == side) {
        if let Some(id) = by_path.get(object.path.as_str()) {
            by_label.entry(&object.label).or_default().push(id.clone());
        }
    }
    by_label
}
