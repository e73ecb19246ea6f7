//! One row with the contents of both builds for its function.

use pdiff_profile::census::{Census, FunctionId};
use pdiff_profile::{PerSide, Side};

use super::builds::Builds;
use super::cause::InBuild;
use super::named_uses::without_stub;
use crate::compare::{MatchedBy, Row};
use crate::matching::{FoundBy, Match};

/// A row with the functions behind it.
pub(super) struct Case<'a> {
    pub(super) row: &'a Row,
    /// Whether it is of the program whose builds were read.
    pub(super) of_program: bool,
    /// Whether its object is one file on both sides.
    pub(super) of_same_file: bool,
    /// The functions in each build.
    pub(super) ids: PerSide<Vec<FunctionId>>,
    /// Whether a build contains it as background only, so that nothing more is said about it.
    pub(super) is_background: PerSide<bool>,
    /// Whether each build contains it.
    pub(super) in_build: PerSide<InBuild>,
    /// How the two were found to be one, where the builds tell.
    pub(super) found: Option<Match>,
    /// Its name on a side where it is called differently.
    pub(super) other_name: Option<(Side, String)>,
}

impl<'a> Case<'a> {
    pub(super) fn new(row: &'a Row, builds: &Builds<'_>, same_objects: &[String]) -> Self {
        let of_program = builds.is_program(&row.object);
        let of_same_file = same_objects.iter().any(|object| **object == *row.object);
        let mut case = Self {
            row,
            of_program,
            of_same_file,
            ids: PerSide::default(),
            is_background: PerSide::default(),
            in_build: PerSide::new(InBuild::NotVisible, InBuild::NotVisible),
            found: None,
            other_name: None,
        };
        if of_program && !row.unresolved {
            case.find(builds);
        }
        for side in Side::BOTH {
            case.in_build[side] = case.held(side, builds);
        }
        case
    }

    /// Whether a side's build contains the function.
    pub(super) fn held_by(&self, side: Side) -> InBuild {
        self.in_build[side]
    }

    /// Whether the function has samples on a side.
    pub(super) fn is_sampled(&self, side: Side) -> bool {
        self.row.side(side).total_weight.0 > 0
    }

    /// Whether it is a stub that leads to a function of another object, and no function of the program.
    pub(super) fn is_stub(&self) -> bool {
        without_stub(&self.row.name).1
    }

    /// Whether it is of a library that is one file on both sides.
    pub(super) fn is_of_library(&self) -> bool {
        !self.of_program && self.of_same_file
    }

    /// The level that the pair was found at; a name of both builds needs none better than that.
    pub(super) fn level(&self) -> FoundBy {
        match (self.found, self.row.matched.by) {
            (Some(found), _) => found.level,
            (None, MatchedBy::Structure) => FoundBy::Structure,
            (None, MatchedBy::Alias) => FoundBy::Alias,
            (None, MatchedBy::Name) => FoundBy::Qualified,
        }
    }

    /// The bytes of its code in a build.
    pub(super) fn code_bytes(&self, census: &Census, side: Side) -> u64 {
        let functions = self.ids[side].iter().filter_map(|id| census.function(*id));
        functions.map(|function| function.code_bytes()).fold(0, u64::saturating_add)
    }

    fn find(&mut self, builds: &Builds<'_>) {
        let row = self.row;
        self.ids = PerSide::from_fn(|side| {
            let found = row.names_on(side).flat_map(|name| builds.find(side, name));
            let mut ids: Vec<FunctionId> = found.collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        });
        if let Some(files) = &row.matched.by_file {
            for side in Side::BOTH {
                if let Some(file) = files[side].as_deref().or(row.file.as_deref()) {
                    let ids = std::mem::take(&mut self.ids[side]);
                    self.ids[side] = builds.in_file(side, ids, file);
                }
            }
        }
        for side in Side::BOTH.into_iter().filter(|side| row.side(*side).total_weight.0 == 0) {
            self.is_background[side] = builds.is_background(side, &row.name);
            if self.is_background[side] {
                self.ids[side].clear();
            }
        }
        for side in Side::BOTH {
            if self.ids[side].is_empty() && !self.is_background[side] {
                self.find_partner(side, builds);
            }
        }
        let pairs = builds.matches(Side::Before, &self.ids.before);
        let of_both = pairs.into_iter().filter(|found| self.ids.after.contains(&found.after));
        self.found = of_both.min_by_key(|found| (found.level, found.before));
    }

    /// The functions of `side` that the other side's are matched with, under another name.
    fn find_partner(&mut self, side: Side, builds: &Builds<'_>) {
        let matches = builds.matches(side.other(), &self.ids[side.other()]);
        let partner = |found: &Match| match side {
            Side::Before => found.before,
            Side::After => found.after,
        };
        let Some(best) = matches.iter().min_by_key(|found| (found.level, found.before)) else { return };
        self.ids[side] = vec![partner(best)];
        let name = builds.census(side).and_then(|census| census.function(partner(best)));
        self.other_name = name.map(|function| (side, function.name().to_owned()));
    }

    fn held(&self, side: Side, builds: &Builds<'_>) -> InBuild {
        let is_found = !self.ids[side].is_empty() || self.is_background[side];
        if self.is_sampled(side) || is_found || self.of_same_file {
            return InBuild::Yes;
        }
        // Where the name is not found on the side that has samples of it, not finding it here says nothing.
        let is_known_there = !self.ids[side.other()].is_empty() || self.is_background[side.other()];
        let can_tell = self.of_program && is_known_there && builds.absence_is_certain(side);
        if can_tell { InBuild::No } else { InBuild::NotVisible }
    }
}

/// The share of a weight that is under a row, on the row's denominator, in percent.
pub(super) fn share_pct(row: &Row, side: Side, weight: pdiff_profile::Weight) -> f64 {
    let of = row.side(side);
    if of.total_weight.0 == 0 { 0.0 } else { of.total_pct * weight.as_f64() / of.total_weight.as_f64() }
}
