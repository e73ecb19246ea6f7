//! One build: its recordings, its binaries, and what to call it.

use std::path::PathBuf;

use pdiff_ingest::{TimeWindow, Windows};

use crate::error::Error;
use crate::recording::Recording;

/// One build of the program: recordings of it, and where its code is.
#[derive(Clone, Debug, Default)]
pub struct Build {
    label: Option<String>,
    pub(crate) recordings: Vec<Recording>,
    pub(crate) binaries: Vec<PathBuf>,
    pub(crate) time: TimeWindow,
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

    /// What to call it. Else it is called by what the stems of its recordings have in common.
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
