//! One build: its recordings, its binaries, and what to call it.

use std::path::{Path, PathBuf};

use pdiff_analysis::Pattern;
use pdiff_ingest::{CpuList, TimeWindow, Windows};
use pdiff_profile::PerSide;

use crate::error::Error;
use crate::recording::Recording;

/// One build of the program: recordings of it, and where its code is.
#[derive(Clone, Debug, Default)]
pub struct Build {
    label: Option<String>,
    pub(crate) recordings: Vec<Recording>,
    pub(crate) binaries: Vec<PathBuf>,
    pub(crate) time: TimeWindow,
    pub(crate) cpus: Option<CpuList>,
    pub(crate) cgroups: Vec<Pattern>,
}

impl Build {
    /// A build with these recordings, as replicates of one another.
    #[must_use]
    pub fn recordings(recordings: impl IntoIterator<Item = impl Into<Recording>>) -> Self {
        Self { recordings: recordings.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// A binary or debug file of it, found by build-id or name. May be said of several.
    #[must_use]
    pub fn binary(mut self, path: impl Into<PathBuf>) -> Self {
        self.binaries.push(path.into());
        self
    }

    /// Sets the label. Without it, the label is the common part of the stems of the recordings.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Only the samples of this part of each recording.
    #[must_use]
    pub fn time(mut self, time: TimeWindow) -> Self {
        self.time = time;
        self
    }

    /// Only the samples that were taken on these CPUs.
    #[must_use]
    pub fn cpus(mut self, cpus: CpuList) -> Self {
        self.cpus = Some(cpus);
        self
    }

    /// Keeps only the samples of cgroups whose path matches. May be called for several paths.
    #[must_use]
    pub fn cgroup(mut self, path: Pattern) -> Self {
        self.cgroups.push(path);
        self
    }

    /// Whether one of its recordings is read from standard input.
    #[must_use]
    pub fn reads_stdin(&self) -> bool {
        self.recordings.iter().any(Recording::is_stdin)
    }

    /// What it is called.
    pub(crate) fn name(&self) -> String {
        let of_stems = || common_name(&self.recordings.iter().map(Recording::stem).collect::<Vec<_>>());
        self.label.clone().unwrap_or_else(of_stems)
    }

    /// Both builds, called apart: where files of one name lie in two directories, by these, as `base/perf` and `head/perf`; other
    /// files whose names have the same beginning by their sides.
    pub(crate) fn called_apart(before: Self, after: Self) -> PerSide<Self> {
        let is_one_name = before.label.is_none() && after.label.is_none() && before.name() == after.name();
        let places = [&before, &after].map(|build| build.recordings.first().and_then(Recording::path));
        let directories = |path: &Path| -> Vec<String> {
            let names = path.ancestors().skip(1).filter_map(Path::file_name);
            names.map(|name| name.to_string_lossy().into_owned()).collect()
        };
        let apart = match places {
            [Some(a), Some(b)] if is_one_name => {
                directories(a).into_iter().zip(directories(b)).find(|(a, b)| a != b)
            }
            _ => None,
        };
        match apart {
            Some((a, b)) => {
                let name = before.name();
                PerSide::new(before.label(format!("{a}/{name}")), after.label(format!("{b}/{name}")))
            }
            None if is_one_name && before.paths() != after.paths() => {
                let name = before.name();
                PerSide::new(before.label(format!("{name} before")), after.label(format!("{name} after")))
            }
            None => PerSide { before, after },
        }
    }

    fn paths(&self) -> Vec<Option<&Path>> {
        self.recordings.iter().map(Recording::path).collect()
    }

    /// With what a table of windows says of its recordings.
    pub(crate) fn listed(mut self, windows: &Windows) -> Result<Self, Error> {
        let recordings = self.recordings.into_iter().map(|recording| recording.listed(windows));
        self.recordings = recordings.collect::<Result<_, _>>()?;
        Ok(self)
    }
}

/// What all names begin with, up to a separator or a number: `80-aligned` of `80-aligned-r1` and `80-aligned-r2`, `base` of
/// `base1` and `base2`; else the first name.
fn common_name(names: &[String]) -> String {
    let Some((first, others)) = names.split_first() else { return String::new() };
    let is_common = |end: &usize| others.iter().all(|name| name.get(..*end) == first.get(..*end));
    let mut ends = (0..=first.len()).rev().filter(|end| first.is_char_boundary(*end));
    let common = ends.find(is_common).and_then(|end| first.get(..end)).unwrap_or_default();
    if common.len() == first.len() {
        return first.clone();
    }
    let cut =
        common.rfind(['-', '_', '.', ' ']).and_then(|at| common.get(..at)).filter(|cut| !cut.is_empty());
    let is_numbered = |name: &String| {
        name.get(common.len()..).is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let numbered = common.trim_end_matches(|c: char| c.is_ascii_digit());
    let numbered = Some(numbered).filter(|word| !word.is_empty() && names.iter().all(is_numbered));
    cut.or(numbered).map_or_else(|| first.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_name_are_called_by_their_directories() {
        let check = |before: &str, after: &str, expected: [&str; 2]| {
            let [before, after] = [before, after].map(|path| Build::recordings([path]));
            assert_eq!(Build::called_apart(before, after).map(|build| build.name()).into_array(), expected);
        };
        check("base/perf.data", "head/perf.data", ["base/perf", "head/perf"]);
        check("a/out/perf.data", "b/out/perf.data", ["a/perf", "b/perf"]);
        check("perf.data", "head/perf.data", ["perf before", "perf after"]);
        check("base/a.perf", "head/b.perf", ["a", "b"]);
        check("a/x.perf", "a/x.perf", ["x", "x"]);
        check("a/x-1.perf", "a/x-2.perf", ["x-1", "x-2"]);
        let of = |names: [&str; 2]| Build::recordings(names);
        let names = Build::called_apart(of(["x-1.perf", "x-2.perf"]), of(["x-3.perf", "x-4.perf"]));
        assert_eq!(names.map(|build| build.name()).into_array(), ["x before", "x after"]);
        let labelled = Build::recordings(["a/x.perf"]).label("x");
        let names = Build::called_apart(labelled, Build::recordings(["b/x.perf"])).map(|build| build.name());
        assert_eq!(names.into_array(), ["x", "x"], "what the user said stays");
    }

    #[test]
    fn several_runs_are_called_by_what_their_names_begin_with() {
        let check = |names: &[&str], expected: &str| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(common_name(&names), expected);
        };
        check(&["80-aligned-r1", "80-aligned-r2"], "80-aligned");
        check(&["80-aligned-r1"], "80-aligned-r1");
        check(&["a1", "a2"], "a");
        check(&["base9", "base10", "base11"], "base");
        check(&["571", "572"], "571");
        check(&["alpha", "alps"], "alpha");
        check(&["old_1", "new_1"], "old_1");
        check(&["b", "b"], "b");
        check(&[], "");
    }
}
