//! Successions: functions that only one build has, and those of the other build whose weight they took over.
//!
//! Examples are a rename that the name does not show, a function split in two, and a branch that became a function: the
//! other build does not contain the function, and yet nothing is new. Kin of such a function are the functions that are at
//! its place in the source (between the same neighbours in the same file), those that call it, and those that its callers
//! called in the other run. If kin lost at least half of its weight, they and the function form one set, and the verdict is
//! on the set. Two functions at one place that match best in size and weight in both directions are one function, renamed;
//! another function can only be a part of it by the weight that the function lost under its new name. Sets that share a
//! function of only one build are joined, and so are functions that together took over what one of both builds lost. Else a
//! function of both builds can be in several sets.
//!
//! A function of both builds that now does nothing but call a new one is one set with it, too: its code is in the new one, however
//! often the run calls it.
//!
//! A function that nothing succeeded for sure is still not said to be new if one that is gone could have been it: entered from
//! where this one is, and alike in size and weight.
//!
//! Weight that left for another reason does not count: callers of flipped functions are not kin. All changes are without
//! the common factor.

mod forwarder;
mod heirs;
mod idle;
mod kinship;
mod known_callers;
mod renames;
mod replaced_calls;
mod spent;
mod vanished;

use pdiff_profile::Side;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use heirs::Heir;
use kinship::{Kinship, weight};
use vanished::Vanished;

pub(super) use known_callers::KnownCallers;
pub(super) use replaced_calls::{
    called_instead, dropped_library_call, took_calls_from_elsewhere, took_over_calls, took_over_calls_of,
};

use super::case::Case;
use super::cause::{InBuild, Judged};
use super::context::Context;
use super::rules::FlippedCallers;
use super::succession_sets::{Succession, Successions};

/// What replaced what, computed when the first rule asks.
pub(super) fn successions<'c>(context: &'c Context<'_>, flipped: &FlippedCallers) -> &'c Successions {
    context.successions.get_or_init(|| Successions::new(context, flipped))
}

/// Where a function of one build may be from.
enum Origin {
    /// It belongs to other rows for sure.
    Links(Vec<(usize, usize)>),
    /// It took over the weight of others; of none, where nothing shows that it is from elsewhere.
    Heirs(Vec<Heir>),
    Doubtful(usize),
}

impl Successions {
    fn new(context: &Context<'_>, flipped: &FlippedCallers) -> Self {
        let fresh: Vec<(usize, Side)> = (0..).zip(&context.cases).filter_map(fresh).collect();
        let kinship = Kinship::new(context, flipped);
        let named = kinship.named_pairs();
        if fresh.is_empty() {
            return Self::default().with_named(named);
        }
        let mut renamed = kinship.renamed(&fresh);
        kinship.exchanged(&fresh, &mut renamed);
        let of_renamed: FxHashSet<usize> =
            renamed.iter().flat_map(|(before, after)| [*before, *after]).collect();
        let is_renamed = |row: usize| of_renamed.contains(&row);
        let mut links = renamed.clone();
        let mut doubtful = FxHashSet::default();
        let mut heirs = Vec::new();
        let open: Vec<(usize, Side)> = fresh.iter().copied().filter(|(row, _)| !is_renamed(*row)).collect();
        let origins = open.par_iter().map(|(row, with)| {
            let part = || Some(vec![(*row, kinship.part_of_renamed(*row, *with, &renamed)?)]);
            let taken_out = || {
                let (before, after) = kinship.taken_out_of(*row, *with, &named)?;
                Some(vec![(*row, before), (*row, after)])
            };
            let forwarded = || Some(vec![(*row, kinship.forwarder(*row, *with)?)]);
            if let Some(links) = part().or_else(taken_out).or_else(forwarded) {
                return Origin::Links(links);
            }
            let (measure, donors) = kinship.donors(*row, *with, is_renamed);
            if donors.is_empty() && kinship.is_doubtful(*row, *with) {
                return Origin::Doubtful(*row);
            }
            let heir = |donor| Heir { row: *row, with: *with, measure, donor };
            Origin::Heirs(donors.into_iter().map(heir).collect())
        });
        for origin in origins.collect::<Vec<Origin>>() {
            match origin {
                Origin::Links(found) => links.extend(found),
                Origin::Doubtful(row) => _ = doubtful.insert(row),
                Origin::Heirs(found) => heirs.extend(found),
            }
        }
        let (heirs, small) = kinship.without_small(&heirs);
        let (heirs, refused) = kinship.conserved(&heirs);
        doubtful.extend(refused);
        let (heirs, without) = kinship.not_spent(&heirs);
        doubtful.extend(without);
        links.extend(kinship.shared(&heirs));
        links.extend(heirs.into_iter().map(|heir| (heir.row, heir.donor)));
        let mut unlike = kinship.replaced(&fresh, &links);
        doubtful.retain(|row| !unlike.iter().any(|(a, b)| a == row || b == row));
        links.append(&mut unlike);
        // What a small function may have become is known, though not for sure.
        let linked: FxHashSet<usize> =
            links.iter().flat_map(|(a, b)| [*a, *b]).chain(small.iter().copied()).collect();
        let is_linked = |row: usize| linked.contains(&row);
        let open: Vec<(usize, Side)> = fresh.iter().copied().filter(|(row, _)| !is_linked(*row)).collect();
        let twins = open.par_iter().map_init(Vanished::default, |known, row| {
            kinship.has_vanished_twin(*row, &renamed, is_linked, known).then_some(row.0)
        });
        doubtful.extend(twins.collect::<Vec<_>>().into_iter().flatten());
        doubtful.extend(small);
        let one_sided = fresh.iter().map(|(row, _)| *row).collect();
        Self { doubtful, ..Self::of_links(context, &links, &one_sided) }.with_named(named)
    }

    fn with_named(mut self, pairs: Vec<(usize, usize)>) -> Self {
        for (at, (before, after)) in pairs.into_iter().enumerate() {
            for row in [before, after] {
                self.named_of_row.entry(row).or_insert(at);
            }
            self.named.push(Succession { before: vec![before], after: vec![after] });
        }
        self
    }

    fn of_links(context: &Context<'_>, links: &[(usize, usize)], one_sided: &FxHashSet<usize>) -> Self {
        let mut sets: Vec<FxHashSet<usize>> = Vec::new();
        for (a, b) in links {
            let shares = |set: &FxHashSet<usize>| {
                [a, b].into_iter().any(|row| one_sided.contains(row) && set.contains(row))
            };
            let (touched, rest): (Vec<_>, Vec<_>) = sets.into_iter().partition(shares);
            sets = rest;
            sets.push(touched.into_iter().flatten().chain([*a, *b]).collect());
        }
        let mut sets: Vec<Succession> = sets.into_iter().map(|rows| succession(context, rows)).collect();
        // A row in several sets is listed in the first: that with the heaviest function.
        let heaviest = |set: &Succession| {
            let of = |rows: &[usize], side| rows.first().map_or(0.0, |row| weight(context, *row, side));
            of(&set.before, Side::Before).max(of(&set.after, Side::After))
        };
        sets.sort_by(|a, b| heaviest(b).total_cmp(&heaviest(a)).then_with(|| a.before.cmp(&b.before)));
        let mut of_row = FxHashMap::default();
        for (at, set) in sets.iter().enumerate() {
            for row in set.before.iter().chain(&set.after) {
                of_row.entry(*row).or_insert(at);
            }
        }
        Self { sets, of_row, ..Self::default() }
    }
}

/// Finds in parallel what rules ask for when they judge functions that one build alone has, and would wait for one after the
/// other.
pub(super) fn look_ahead(context: &Context<'_>, flipped: &FlippedCallers) {
    if (0..).zip(&context.cases).any(|case| fresh(case).is_some()) {
        let look_at_code = || context.input.paths.iter().for_each(|paths| paths.look_ahead());
        rayon::scope(|scope| {
            scope.spawn(|_| _ = successions(context, flipped));
            scope.spawn(|_| _ = context.modules());
            scope.spawn(|_| _ = context.instances());
            scope.spawn(|_| look_at_code());
        });
    }
}

/// A row that one side alone has, and nothing else explains.
fn fresh((row, case): (usize, &Case<'_>)) -> Option<(usize, Side)> {
    let without = Side::BOTH.into_iter().find(|side| case.held_by(*side) == InBuild::No)?;
    let is_changed = Judged::ALL.iter().any(|of| of.is_significant(case.row));
    (case.of_program && is_changed && !case.row.unresolved && !case.is_stub())
        .then_some((row, without.other()))
}

fn succession(context: &Context<'_>, rows: FxHashSet<usize>) -> Succession {
    let on = |side: Side| {
        let mut members: Vec<usize> =
            rows.iter().copied().filter(|row| weight(context, *row, side) > 0.0).collect();
        members
            .sort_by(|a, b| weight(context, *b, side).total_cmp(&weight(context, *a, side)).then(a.cmp(b)));
        members
    };
    Succession { before: on(Side::Before), after: on(Side::After) }
}
