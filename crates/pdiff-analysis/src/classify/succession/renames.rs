//! One function under two names, by place, size, weight and name; its parts; and functions in another form.

use super::kinship::{INHERITED_PART, Kinship, SAME_NAME, WIDEST_PLACE, share};
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::Judged;
use crate::classify::likeness::name_likeness;
use crate::matching::TELLING_BYTES;
use crate::noise::FLOOR_PP;
use pdiff_profile::Side;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What a function under two names has in common at least: its size, and its weight; less of the weight where the names
/// are alike to that degree.
const LEAST_SIZE: f64 = 0.4;
const LEAST_WEIGHT: f64 = 0.75;
const LEAST_WEIGHT_NAMED: f64 = 0.25;

/// Functions of unlike names are one in another form where sizes and weights are alike to this degree.
const LEAST_UNLIKE: f64 = 0.85;

/// Functions that have the same copies in the same functions are one where weights are alike to this degree.
const LEAST_OF_COPIES: f64 = 0.5;

/// One function that has so much of each of two makes them alike.
const MOST_OF_IT: f64 = 0.7;

/// In so many parts at most.
const MOST_PARTS: usize = 2;

impl Kinship<'_, '_> {
    /// Functions that are one under two names: at one place or entered from the same functions, each other's best by size
    /// and weight.
    pub(super) fn renamed(&self, fresh: &[(usize, Side)]) -> Vec<(usize, usize)> {
        let vanished: FxHashSet<usize> =
            fresh.iter().filter(|(_, with)| *with == Side::Before).map(|(row, _)| *row).collect();
        let gone: Vec<usize> = vanished.iter().copied().collect();
        // New code may be in between: `f` called `old`, and calls `middle` now, which calls `new`.
        let entered: Vec<(usize, FxHashSet<usize>)> =
            gone.par_iter().map(|row| (*row, self.entered_by(*row, Side::Before, &[]))).collect();
        let likenesses = |row: &usize| {
            let Some(case) = self.context.cases.get(*row) else { return Vec::new() };
            let at_place = self.at_place(case, Side::After).into_iter();
            let others = at_place.chain(self.beside(&self.callers(case, Side::After), Side::After));
            let ours = self.entered_by(*row, Side::After, &[]);
            let near = entered.iter().filter(|(_, theirs)| theirs.iter().any(|caller| ours.contains(caller)));
            let others = others.chain(near.map(|(other, _)| *other));
            let same = gone.iter().copied().filter(|other| self.has_same_code(*other, *row));
            let mut others: Vec<usize> =
                others.chain(same).filter(|other| vanished.contains(other)).collect();
            others.sort_unstable();
            others.dedup();
            let of = |other: usize| Some((self.likeness(other, *row)?, other, *row));
            others.into_iter().filter_map(of).collect::<Vec<_>>()
        };
        let new: Vec<usize> =
            fresh.iter().filter(|(_, with)| *with == Side::After).map(|(row, _)| *row).collect();
        let mut alike: Vec<(f64, usize, usize)> = new.par_iter().flat_map_iter(likenesses).collect();
        alike.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut taken = FxHashSet::default();
        let mut renamed = Vec::new();
        for (_, before, after) in alike {
            if !taken.contains(&before) && !taken.contains(&after) {
                taken.extend([before, after]);
                renamed.push((before, after));
            }
        }
        renamed
    }

    /// The function under another name that this one is a part of: this one's callers called that one, and call it so much less
    /// under its new name.
    pub(super) fn part_of_renamed(
        &self,
        row: usize,
        with: Side,
        renamed: &[(usize, usize)],
    ) -> Option<usize> {
        let case = self.context.cases.get(row)?;
        let callers = self.callers(case, with);
        let part = |(before, after): &(usize, usize)| {
            let (whole, part) = if with == Side::After { (*before, *after) } else { (*after, *before) };
            let sum = |callee: usize, side: Side| -> f64 {
                callers.iter().map(|caller| self.called_pp(*caller, callee, side)).sum()
            };
            // A step between the callers and the function is not a part of it.
            let here = sum(part, with) + self.called_pp(row, part, with);
            let (left, taken) = (sum(whole, with.other()) - here, sum(row, with));
            let is_part =
                taken >= FLOOR_PP && left >= INHERITED_PART * taken && self.is_alike(row, whole, with);
            is_part.then_some((left, whole))
        };
        renamed.iter().filter_map(part).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, whole)| whole)
    }

    /// Functions that each run alone has and whose names are taken for one function's, Before's first.
    pub(super) fn named_pairs(&self) -> Vec<(usize, usize)> {
        let pair = |(row, case): (usize, &Case<'_>)| {
            let (_, name) = case.other_name.as_ref().filter(|(side, _)| *side == Side::Before)?;
            let twin = self.context.row_number(self.context.program_row(name, None)?)?;
            let is_left = self.context.cases.get(twin).is_some_and(|twin| !twin.is_sampled(Side::After));
            (is_left && !case.is_sampled(Side::Before)).then_some((twin, row))
        };
        (0..).zip(&self.context.cases).filter_map(pair).collect()
    }

    /// The function under two names that called this one's code its own: it calls this one under one name, and has so much less
    /// code of its own there.
    pub(super) fn taken_out_of(
        &self,
        row: usize,
        with: Side,
        named: &[(usize, usize)],
    ) -> Option<(usize, usize)> {
        let case = self.context.cases.get(row)?;
        let callers = self.callers(case, with);
        let is_inlined = share(Judged::Booked, case.row, with) == 0.0;
        let measure = if is_inlined { Judged::OwnSelf } else { Judged::Booked };
        let weight = share(measure, case.row, with);
        let is_whole = |(before, after): &&(usize, usize)| {
            let (whole, rest) = if with == Side::After { (*before, *after) } else { (*after, *before) };
            let cases = self.context.cases.get(whole).zip(self.context.cases.get(rest));
            let left = cases.map_or(0.0, |(whole, rest)| {
                self.towards(measure, whole.row, with) + self.towards(measure, rest.row, with)
            });
            callers.contains(&rest)
                && weight >= FLOOR_PP
                && left >= INHERITED_PART * weight
                && self.is_alike(row, whole, with)
        };
        named.iter().find(is_whole).copied()
    }

    /// Functions without like names of which one, or two together, have the size and the weight of one that the other build
    /// alone has, and the same caller in the code. Of those in `links` that is known already.
    pub(super) fn replaced(&self, fresh: &[(usize, Side)], links: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let is_linked = |row: usize| links.iter().any(|(a, b)| *a == row || *b == row);
        let mut free: Vec<(usize, Side)> =
            fresh.iter().copied().filter(|(row, _)| !is_linked(*row)).collect();
        let measures = |rows: &[usize], side: Side| {
            let cases = rows.iter().filter_map(|row| self.context.cases.get(*row));
            let factor = if side == Side::Before { self.context.common_shift.factor() } else { 1.0 };
            cases.fold([0.0, 0.0], |[bytes, weight], case| {
                [bytes + self.bytes(case, side), weight + factor * share(Judged::Booked, case.row, side)]
            })
        };
        let callers: FxHashMap<usize, Vec<usize>> =
            free.iter().map(|(row, with)| (*row, self.callers_in_code(*row, *with))).collect();
        let share_caller = |a: usize, b: usize| callers[&a].iter().any(|caller| callers[&b].contains(caller));
        let mut found = Vec::new();
        for count in 1..=MOST_PARTS {
            for side in Side::BOTH {
                for (whole, _) in free.clone().into_iter().filter(|(_, with)| *with == side) {
                    let kin: Vec<usize> =
                        free.iter().filter(|(_, with)| *with != side).map(|(row, _)| *row).collect();
                    let kin: Vec<usize> = kin.into_iter().filter(|row| share_caller(whole, *row)).collect();
                    let likeness = |parts: &Vec<usize>| {
                        let (ours, theirs) = (measures(&[whole], side), measures(parts, side.other()));
                        let ratios = ours.into_iter().zip(theirs).map(|(a, b)| ratio(a, b));
                        ratios.fold(1.0, f64::min)
                    };
                    let sets = subsets(&kin, count).into_iter();
                    let sets = sets.filter(|parts| self.has_like_total((whole, side), parts));
                    let best = sets.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
                    if let Some(parts) = best.filter(|parts| likeness(parts) >= LEAST_UNLIKE) {
                        free.retain(|(row, _)| *row != whole && !parts.contains(row));
                        found.extend(parts.into_iter().map(|part| (whole, part)));
                    }
                }
            }
        }
        found
    }

    /// Whether some functions of the other side, or the heaviest of them, have about the total of one function.
    fn has_like_total(&self, (whole, side): (usize, Side), parts: &[usize]) -> bool {
        let total = |row: usize, side: Side| {
            let factor = if side == Side::Before { self.context.common_shift.factor() } else { 1.0 };
            factor * self.context.cases.get(row).map_or(0.0, |case| share(Judged::Total, case.row, side))
        };
        let (ours, theirs) = (total(whole, side), parts.iter().map(|part| total(*part, side.other())));
        let (sum, most) = theirs.fold((0.0, 0.0), |(sum, most): (f64, f64), of| (sum + of, most.max(of)));
        // One part may be below another one.
        ratio(ours, sum).max(ratio(ours, most)) >= LEAST_WEIGHT
    }

    /// The rows that call one in the code of a side.
    fn callers_in_code(&self, row: usize, side: Side) -> Vec<usize> {
        let ids = self.context.cases.get(row).map_or(&[][..], |case| &case.ids[side]);
        let Some(census) = self.context.builds.census(side) else { return Vec::new() };
        let edges = ids.iter().flat_map(|id| census.calls_to(*id));
        edges.filter_map(|edge| self.rows[side].get(&edge.caller).copied()).collect()
    }

    /// How alike a vanished and a new function are in size, weight and name; `None` below what one function is. Names that
    /// are alike may represent a function that does less or more; others must have the weight.
    pub(super) fn likeness(&self, before: usize, after: usize) -> Option<f64> {
        if self.has_same_copies(before, after) {
            return self.likeness_of_copies(before, after);
        }
        let has_same_code = self.has_same_code(before, after);
        let is_alike =
            || self.shares_content(before, after) || self.leads_to_the_same_at_one_place(before, after);
        if !has_same_code && !is_alike() {
            return None;
        }
        let (before, after) = (self.context.cases.get(before)?, self.context.cases.get(after)?);
        let size = ratio(self.bytes(before, Side::Before), self.bytes(after, Side::After));
        let factor = self.context.common_shift.factor();
        let of = |measure: Judged| {
            let (from, to) =
                (share(measure, before.row, Side::Before), share(measure, after.row, Side::After));
            if measure == Judged::Booked && from.max(to) < 2.0 * FLOOR_PP {
                1.0
            } else {
                ratio(factor * from, to)
            }
        };
        let weight = of(Judged::Total).min(of(Judged::Booked));
        let name = name_likeness(&before.row.name, &after.row.name);
        let least = if has_same_code || name >= SAME_NAME { LEAST_WEIGHT_NAMED } else { LEAST_WEIGHT };
        (size >= LEAST_SIZE && weight >= least).then_some(size + weight + name)
    }

    /// Whether two functions are at one place of the source, and most of each is one function that both call or contain.
    fn leads_to_the_same_at_one_place(&self, before: usize, after: usize) -> bool {
        let cases = self.context.cases.get(before).zip(self.context.cases.get(after));
        let Some((old, new)) = cases else { return false };
        let main = |case: &Case<'_>, side: Side| -> Option<usize> {
            let calls = self.context.calls_from(case.row, side);
            let main = calls.into_iter().max_by_key(|call| call.weight(side))?;
            let is_most =
                share_pct(case.row, side, main.weight(side)) >= MOST_OF_IT * case.row.side(side).total_pct;
            let callee = self.context.callee(main).filter(|callee| is_most && callee.of_program)?;
            self.context.row_number(callee.row)
        };
        let common = main(old, Side::Before);
        common.is_some()
            && common == main(new, Side::After)
            && self.at_place(new, Side::After).contains(&before)
    }

    /// Whether two functions have no code of their own, and as many copies in the same functions.
    fn has_same_copies(&self, before: usize, after: usize) -> bool {
        let copies = |row: usize, side: Side| -> Option<BTreeMap<&str, u32>> {
            let (case, census) = (self.context.cases.get(row)?, self.context.builds.census(side)?);
            let mut copies = BTreeMap::new();
            for site in case.ids[side].iter().flat_map(|id| census.sites_of(*id)) {
                *copies.entry(census.function(site.caller)?.name()).or_default() += site.count;
            }
            (case.code_bytes(census, side) == 0).then_some(copies)
        };
        let (ours, theirs) = (copies(before, Side::Before), copies(after, Side::After));
        ours.is_some_and(|ours| !ours.is_empty() && Some(ours) == theirs)
    }

    /// How alike the copies of two functions are in weight and name; `None` where they do not weigh the same.
    fn likeness_of_copies(&self, before: usize, after: usize) -> Option<f64> {
        let (before, after) = (self.context.cases.get(before)?, self.context.cases.get(after)?);
        let factor = self.context.common_shift.factor();
        let weight = [Judged::OwnSelf, Judged::Total]
            .into_iter()
            .map(|of| ratio(factor * share(of, before.row, Side::Before), share(of, after.row, Side::After)));
        let weight = weight.fold(1.0, f64::min);
        (weight >= LEAST_OF_COPIES).then(|| weight + name_likeness(&before.row.name, &after.row.name))
    }

    /// Whether a function of Before has the same code as one of After, long enough to be so by no chance.
    pub(super) fn has_same_code(&self, before: usize, after: usize) -> bool {
        let cases = self.context.cases.get(before).zip(self.context.cases.get(after));
        let ids = cases.and_then(|(before, after)| before.ids.before.first().zip(after.ids.after.first()));
        let censuses = self.context.builds.census(Side::Before).zip(self.context.builds.census(Side::After));
        let Some(((before, after), (ours, theirs))) = ids.zip(censuses) else { return false };
        let is_long = ours.function(*before).is_some_and(|function| function.code_bytes() >= TELLING_BYTES);
        is_long && ours.same_code(*before, theirs, *after) == Some(true)
    }
}

/// The smaller by the greater; 0 where both are nothing.
fn ratio(a: f64, b: f64) -> f64 {
    if a.max(b) > 0.0 { a.min(b) / a.max(b) } else { 0.0 }
}

/// All sets of one or two of some rows, of few of them.
fn subsets(of: &[usize], count: usize) -> Vec<Vec<usize>> {
    let of = of.get(..WIDEST_PLACE).unwrap_or(of);
    let of_one = of.iter().map(|row| vec![*row]);
    let pairs = of.iter().enumerate().flat_map(|(at, a)| of.iter().skip(at + 1).map(|b| vec![*a, *b]));
    if count == 1 { of_one.collect() } else { pairs.collect() }
}
