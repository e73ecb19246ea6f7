//! The program of each side: the file with the most samples, its version and its build-id. They reveal swapped sides, and
//! runs of two builds on one side.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use pdiff_profile::{ObjectId, ObjectKind, PerSide, Side};

use super::super::input::{ObjectFacts, SideInput, Sides};
use super::super::prepare::{Prepared, PreparedRun};
use super::super::side_fact::{
    BuildName, Concern, NewerBuild, ProgramFile, SeveralBuilds, Severity, SideFact, Subject,
};

/// Whether two names have versions of which neither is a part of the other: 5.7 and 8.0.33, but not 8.0 and 8.0.33.
#[must_use]
pub fn is_other_version(build: &str, program: &str) -> bool {
    let version = |name: &str| name.rsplit('/').find_map(Version::find).map(|version| version.numbers);
    version(build).zip(version(program)).is_some_and(|(a, b)| a.iter().zip(&b).any(|(a, b)| a != b))
}

/// The program of one run.
pub(super) struct Program<'a> {
    pub(super) path: &'a str,
    build_id: Option<String>,
    facts: Option<&'a ObjectFacts>,
}

impl Program<'_> {
    fn version(&self) -> Option<Version> {
        self.path.rsplit('/').find_map(Version::find)
    }
}

/// The file with the most leaf weight; a library only where there is nothing else.
fn program_of<'a>(run: &PreparedRun<'a>, objects: &'a [ObjectFacts]) -> Option<Program<'a>> {
    let objects_of_run = run.input.profile.objects.iter().zip(run.leaf_weights);
    let files = objects_of_run.filter(|(object, _)| object.kind == ObjectKind::File);
    let is_library = |path: &str| path.contains(".so");
    let (object, _) = files
        .filter(|(_, weight)| **weight > 0)
        .max_by_key(|(object, weight)| (!is_library(&object.path), **weight, &object.path))?;
    let facts = objects.iter().find(|facts| *facts.path == *object.path);
    let known = facts.and_then(|facts| facts.build_id.clone().or_else(|| build_id_of_file(facts)));
    let build_id = object.build_id.as_ref().map(ToString::to_string).or(known);
    Some(Program { path: &object.path, build_id, facts })
}

/// The build-id of the file that was read for an object, if that is the one that ran.
fn build_id_of_file(facts: &ObjectFacts) -> Option<String> {
    match &facts.object_id {
        Some(ObjectId::BuildId(id)) if !facts.is_unverified => Some(id.to_string()),
        _ => None,
    }
}

/// The programs of the runs of each side.
pub(super) fn programs<'a>(sides: &'a Sides<'_>, prepared: &'a Prepared<'_>) -> PerSide<Vec<Program<'a>>> {
    PerSide::from_fn(|side| {
        let runs = prepared.runs.iter().filter(|run| run.side == side);
        runs.filter_map(|run| program_of(run, &sides.get(side).objects)).collect()
    })
}

/// The builds that the runs of one side are of, if the programs in them show more than one build.
pub(super) fn builds(programs: &[Program<'_>]) -> Option<SeveralBuilds> {
    let ids: BTreeSet<&String> = programs.iter().filter_map(|program| program.build_id.as_ref()).collect();
    let versions: Vec<Version> = programs.iter().filter_map(Program::version).collect();
    let differ = versions.iter().any(|version| version.order(&versions[0]) != Ordering::Equal);
    if ids.len() < 2 && !differ {
        return None;
    }
    let build = |program: &Program<'_>| match (program.version(), differ, &program.build_id) {
        (Some(version), true, _) => BuildName::Version(version.text),
        (_, _, Some(id)) => BuildName::BuildId(id.clone()),
        _ => BuildName::Path(program.path.to_owned()),
    };
    Some(SeveralBuilds::Programs(programs.iter().map(build).collect()))
}

/// The program of each side, and whether the sides look swapped or the binary of one was not found.
pub(super) fn program(
    sides: &Sides<'_>,
    programs: &PerSide<Vec<Program<'_>>>,
    prepared: &Prepared<'_>,
) -> Option<SideFact> {
    let (before, after) = (programs.before.first()?, programs.after.first()?);
    let files =
        PerSide::new((&sides.before, before), (&sides.after, after)).map(|(side, program)| ProgramFile {
            path: program.path.to_owned(),
            build_id: program.build_id.clone(),
            is_found: is_found(side, program),
            is_other_build: program.facts.is_some_and(|facts| facts.is_other_build),
        });
    let not_found = not_found(&files, prepared);
    let concern = match not_found {
        Some(Concern::ProgramNotFound { is_nameless: true, .. }) => not_found,
        _ => swapped(sides, before, after).map(Concern::LooksSwapped).or(not_found),
    };
    let severity = match concern {
        Some(Concern::ProgramNotFound { is_nameless: true, .. }) => Severity::Incomparable,
        _ => Severity::Suspect,
    };
    let subject = Subject::Program(files);
    Some(match concern {
        Some(concern) => SideFact::new(subject, severity, concern),
        None => SideFact::plain(subject),
    })
}

/// The program that was found on the other side alone.
fn not_found(files: &PerSide<ProgramFile>, prepared: &Prepared<'_>) -> Option<Concern> {
    let is = |side: Side, found| files[side].is_found == Some(found);
    let side = Side::BOTH.into_iter().find(|side| is(*side, false) && is(side.other(), true))?;
    Some(Concern::ProgramNotFound {
        side,
        path: files[side].path.clone(),
        is_other_build: files[side].is_other_build,
        is_nameless: nameless_pct(prepared, side) >= nameless_pct(prepared, side.other()) + NAMELESS_PP,
    })
}

/// If samples without a function are so many more of the one side than of the other, in points, its functions are not known.
const NAMELESS_PP: f64 = 10.0;

/// The part of a side's samples whose leaf has no function, in percent.
fn nameless_pct(prepared: &Prepared<'_>, side: Side) -> f64 {
    let (mut nameless, mut all) = (0_u64, 0_u64);
    for run in prepared.runs.iter().filter(|run| run.side == side) {
        for (key, weight) in run.leaf_functions() {
            all += weight;
            nameless += if prepared.keys.get(key).is_nameless() { weight } else { 0 };
        }
    }
    if all == 0 { 0.0 } else { 100.0 * nameless as f64 / all as f64 }
}

/// Whether the file was read; nothing where files were not looked for.
fn is_found(side: &SideInput<'_>, program: &Program<'_>) -> Option<bool> {
    let is_sought = side.runs.iter().any(|run| run.resolutions.is_some());
    is_sought.then(|| program.facts.is_some_and(|facts| facts.object_id.is_some()))
}

/// The evidence that the before side is newer: versions in the paths of the programs or in the names of the sides, else the
/// build times of the files.
fn swapped(sides: &Sides<'_>, before: &Program<'_>, after: &Program<'_>) -> Option<NewerBuild> {
    let versions = before
        .version()
        .zip(after.version())
        .filter(|(before, after)| before.order(after) != Ordering::Equal)
        .or_else(|| Version::find(&sides.before.label).zip(Version::find(&sides.after.label)));
    if let Some((before, after)) = versions.filter(|(before, after)| before.order(after) != Ordering::Equal) {
        return (before.order(&after) == Ordering::Greater)
            .then(|| NewerBuild::Versions(PerSide::new(before.text, after.text)));
    }
    let is_one_build = before.build_id.is_some() && before.build_id == after.build_id;
    let built = |program: &Program<'_>| program.facts.and_then(|facts| facts.modified_s);
    let (before, after) = built(before).zip(built(after)).filter(|_| !is_one_build)?;
    built_later(before, after)
}

/// Builds made one after the other for a comparison may be made in any order: so many seconds apart, the order says nothing.
const BUILT_TOGETHER_S: u64 = 600;

/// What the times say at which the files of both sides were built.
fn built_later(before_s: u64, after_s: u64) -> Option<NewerBuild> {
    let apart = before_s.checked_sub(after_s).filter(|seconds| *seconds > BUILT_TOGETHER_S)?;
    Some(NewerBuild::BuiltLater(apart))
}

/// A version as it is in names of directories and files: `8.0.33`, `v1.4-12-gabc123`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Version {
    numbers: Vec<u64>,
    text: String,
}

impl Version {
    /// The first one in a name. A name of a library has none of the program.
    fn find(name: &str) -> Option<Self> {
        let digit_or_dot = |c: char| c.is_ascii_digit() || c == '.';
        let mut rest = name;
        while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
            let start = rest.get(at..)?;
            let end = start.find(|c| !digit_or_dot(c)).unwrap_or(start.len());
            let (text, after) = (start.get(..end)?.trim_end_matches('.'), start.get(end..)?);
            if text.contains('.') {
                return Self::parse(text, after);
            }
            rest = after;
        }
        None
    }

    /// With the count of commits that `git describe` puts after it.
    fn parse(text: &str, after: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u64>>>()?;
        let commits = after.strip_prefix('-').and_then(|after| after.split_once("-g"));
        let commits = commits.and_then(|(count, _)| Some((count, count.parse().ok()?)));
        let text = match commits {
            Some((count, number)) => {
                // Past all parts that a version has, so that 1.4-12 is newer than 1.4 and older than 1.4.1.
                numbers.resize(numbers.len().max(4), 0);
                numbers.push(number);
                format!("{text}-{count}")
            }
            None => text.to_owned(),
        };
        Some(Self { numbers, text })
    }

    fn order(&self, other: &Self) -> Ordering {
        let len = self.numbers.len().max(other.numbers.len());
        let number = |version: &Self, at: usize| version.numbers.get(at).copied().unwrap_or(0);
        (0..len)
            .map(|at| number(self, at).cmp(&number(other, at)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_names_and_put_in_order() {
        let find = |name: &str| Version::find(name).map(|version| version.text);
        assert_eq!(find("8.0.33").as_deref(), Some("8.0.33"));
        assert_eq!(find("mysql-8.0.33-linux-glibc2.12-x86_64").as_deref(), Some("8.0.33"));
        assert_eq!(find("app-v1.4-12-gabc123").as_deref(), Some("1.4-12"));
        assert_eq!(find("x86_64"), None);
        assert_eq!(find("run-1."), None);
        let order = |a: &str, b: &str| Version::find(a).unwrap().order(&Version::find(b).unwrap());
        assert_eq!(order("5.7.22", "8.0.33"), Ordering::Less);
        assert_eq!(order("5.10", "5.9.1"), Ordering::Greater);
        assert_eq!(order("v1.4-12-gabc", "v1.4"), Ordering::Greater);
        assert_eq!(order("v1.4-12-gabc", "v1.4.1"), Ordering::Less);
        assert_eq!(order("8.0", "8.0.0"), Ordering::Equal);
    }

    #[test]
    fn builds_that_were_made_together_have_no_order() {
        assert_eq!(built_later(10_000, 9_400), None);
        assert_eq!(built_later(10_000, 9_399), Some(NewerBuild::BuiltLater(601)));
        assert_eq!(built_later(9_000, 10_000), None);
    }
}
