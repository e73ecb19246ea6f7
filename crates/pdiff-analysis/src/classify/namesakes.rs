//! Functions that only one build has, by source file: one of the other build that is gone may have such a name now, even if no run
//! entered it.

use pdiff_profile::census::FunctionId;
use pdiff_profile::{PerSide, Side};
use rustc_hash::FxHashMap;

use super::builds::Builds;
use super::case::Case;
use super::likeness::name_likeness;
use crate::matching::file_stem;

/// Names of which this part is common may be those of one function in two versions of a file.
const LIKE_NAME: f64 = 0.6;

/// By side and file, without its folders: the functions that the other build lacks.
#[derive(Debug)]
pub(super) struct Namesakes(PerSide<FxHashMap<String, Vec<FunctionId>>>);

impl Namesakes {
    pub(super) fn new(builds: &Builds<'_>) -> Self {
        let of_side = |side: Side| {
            let mut files: FxHashMap<String, Vec<FunctionId>> = FxHashMap::default();
            let functions = builds.census(side).into_iter().flat_map(|census| census.functions());
            for function in functions.filter(|of| of.is_present() && builds.match_of(side, of.id()).is_none())
            {
                if let Some(file) = function.file() {
                    files.entry(file_stem(file).to_owned()).or_default().push(function.id());
                }
            }
            files
        };
        let (before, after) = rayon::join(|| of_side(Side::Before), || of_side(Side::After));
        Self(PerSide::new(before, after))
    }

    /// Of those that the build without a case has, the one in its file with the most similar name.
    pub(super) fn of<'a>(&self, builds: &Builds<'a>, case: &Case<'_>, with: Side) -> Option<&'a str> {
        let (own, other) = (builds.census(with)?, builds.census(with.other())?);
        let file = case.ids[with].iter().find_map(|id| own.function(*id)?.file()).map(file_stem)?;
        let names = self.0[with.other()].get(file)?.iter().filter_map(|id| Some(other.function(*id)?.name()));
        let likeness = names.map(|name| (name_likeness(name, &case.row.name), name));
        let like = likeness.filter(|(likeness, _)| *likeness >= LIKE_NAME);
        like.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1))).map(|(_, name)| name)
    }
}
