//! Successions: functions that only one build has, and those of the other build whose weight they took over.
//!
//! Examples are a rename that the name does not show, a function split in two, and a branch that became a function: the
//! other build does not contain the function, and yet nothing is new. Kin of such a function are the functions that are at
//! its place in the source (between the same neighbours in the same file), those that call it, and those that its callers
//! called in the other run. If kin lost at least half of its weight, they and the function form one set, and the verdict is
//! on the set. Two functions at one place that match best in size and weight in both directions are one function, renamed;
//! another function can only be a part of it by the weight that the function lost under its new name. Sets that share a
//! function of only one build are joined; a function of both builds can be in several sets.
//!
//! Weight that left for another reason does not count: callers of flipped functions are not kin. All changes are without
//! the common factor.

use pdiff_profile::Side;
use pdiff_profile::census::{Census, FunctionId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::builds::Builds;
use super::case::{Case, share_pct};
use super::cause::{InBuild, Judged};
use super::context::Context;
use super::likeness::{name_likeness, shares_content};
use super::rules::FlippedCallers;
use super::sources::by_file;
use super::succession_sets::{Succession, Successions};
use crate::compare::Row;
use crate::noise::FLOOR_PP;

/// The part of a function's weight that its kin must have lost.
const INHERITED_PART: f64 = 0.5;

/// Kin is added until it lost this part.
const ENOUGH_PART: f64 = 0.8;

/// What a function under two names has in common at least: its size, and its weight; less of the weight where the names
/// are alike to that degree.
const LEAST_SIZE: f64 = 0.4;
const LEAST_WEIGHT: f64 = 0.75;
const LEAST_WEIGHT_NAMED: f64 = 0.25;
const SAME_NAME: f64 = 0.5;

/// Functions of fewer bytes have the same code by chance.
const TELLING_BYTES: u64 = 64;

/// How many callers in a row may be new themselves.
const DEEPEST: usize = 8;

/// The total of a function with most of the program under it tells nothing of what it calls, in percent.
const MOST_OF_ALL_PCT: f64 = 25.0;

/// Code that shrank below this part lost something.
const SHRUNK_PART: f64 = 0.9;

/// Kin that lost a smaller part of the function's weight are left out.
const LEAST_PART: f64 = 0.1;

/// A place in the source holds at most so many functions.
const WIDEST_PLACE: usize = 32;

/// How many callers are looked at.
const MOST_CALLERS: usize = 3;

/// Functions of unlike names are one in another form where sizes and weights are alike to this degree.
const LEAST_UNLIKE: f64 = 0.85;

/// In so many parts at most.
const MOST_PARTS: usize = 2;

/// The relative error of the common factor, where it is not measured.
const ASSUMED_ERROR: f64 = 0.03;

/// What replaced what, computed when the first rule asks.
pub(super) fn successions<'c>(context: &'c Context<'_>, flipped: &FlippedCallers) -> &'c Successions {
    context.successions.get_or_init(|| Successions::new(context, flipped))
}

impl Successions {
    fn new(context: &Context<'_>, flipped: &FlippedCallers) -> Self {
        let fresh: Vec<(usize, Side)> = (0..).zip(&context.cases).filter_map(fresh).collect();
        if fresh.is_empty() {
            return Self::default();
        }
        let kinship = Kinship::new(context, flipped);
        let renamed = kinship.renamed(&fresh);
        let is_renamed = |row: usize| renamed.iter().any(|(before, after)| *before == row || *after == row);
        let mut links = renamed.clone();
        let mut doubtful = FxHashSet::default();
        for (row, with) in fresh.iter().filter(|(row, _)| !is_renamed(*row)) {
            if let Some(of) = kinship.part_of_renamed(*row, *with, &renamed) {
                links.push((*row, of));
                continue;
            }
            let donors = kinship.donors(*row, *with, is_renamed);
            if donors.is_empty() && kinship.is_doubtful(*row, *with) {
                doubtful.insert(*row);
            }
            links.extend(donors.into_iter().map(|donor| (*row, donor)));
        }
        let mut unlike = kinship.replaced(&fresh, &links);
        doubtful.retain(|row| !unlike.iter().any(|(a, b)| a == row || b == row));
        links.append(&mut unlike);
        let one_sided = fresh.iter().map(|(row, _)| *row).collect();
        Self { doubtful, ..Self::of_links(context, &links, &one_sided) }
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
        Self { sets, of_row, doubtful: FxHashSet::default() }
    }
}

/// The larger of a row's self by symbol and total, in percent.
fn weight(context: &Context<'_>, row: usize, side: Side) -> f64 {
    let of = context.cases.get(row).map(|case| case.row.side(side));
    of.map_or(0.0, |of| of.booked_self_pct.max(of.total_pct))
}

/// A row that one side alone has, and nothing else explains.
fn fresh((row, case): (usize, &Case<'_>)) -> Option<(usize, Side)> {
    let without = Side::BOTH.into_iter().find(|side| case.held_by(*side) == InBuild::No)?;
    let is_changed = Judged::ALL.iter().any(|of| of.is_significant(case.row));
    (case.of_program && is_changed && !case.row.unresolved).then_some((row, without.other()))
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

/// What is needed to find kin.
struct Kinship<'c, 'a> {
    context: &'c Context<'a>,
    flipped: FxHashSet<usize>,
    files: [FxHashMap<&'a str, Vec<(u32, FunctionId)>>; 2],
    /// The names of the program's rows.
    names: Vec<&'a str>,
    /// Rows by the function of each build.
    rows: [FxHashMap<FunctionId, usize>; 2],
}

impl<'c, 'a> Kinship<'c, 'a> {
    fn new(context: &'c Context<'a>, flipped: &FlippedCallers) -> Self {
        let of_flips = flipped
            .callees
            .iter()
            .flat_map(|(caller, callees)| callees.iter().map(|callee| callee.row).chain([*caller]));
        let rows = Side::BOTH.map(|side| {
            let ids = (0..).zip(&context.cases).filter(|(_, case)| case.of_program);
            ids.flat_map(|(row, case)| case.ids[side.index()].iter().map(move |id| (*id, row))).collect()
        });
        let files = Side::BOTH.map(|side| context.builds.foreground(side).map(by_file).unwrap_or_default());
        let of_program = context.cases.iter().filter(|case| case.of_program);
        let names = of_program.map(|case| case.row.name.as_str()).collect();
        Self { context, flipped: of_flips.collect(), files, names, rows }
    }

    /// Functions that are one under two names: at one place, each other's best by size and weight.
    fn renamed(&self, fresh: &[(usize, Side)]) -> Vec<(usize, usize)> {
        let vanished: FxHashSet<usize> =
            fresh.iter().filter(|(_, with)| *with == Side::Before).map(|(row, _)| *row).collect();
        let mut alike: Vec<(f64, usize, usize)> = Vec::new();
        for (row, _) in fresh.iter().filter(|(_, with)| *with == Side::After) {
            let Some(case) = self.context.cases.get(*row) else { continue };
            let at_place = self.at_place(case, Side::After).into_iter();
            let others = at_place.chain(self.beside(&self.callers(case, Side::After), Side::After));
            let same = vanished.iter().copied().filter(|other| self.has_same_code(*other, *row));
            let mut others: Vec<usize> =
                others.chain(same).filter(|other| vanished.contains(other)).collect();
            others.sort_unstable();
            others.dedup();
            for other in others {
                alike.extend(self.likeness(other, *row).map(|likeness| (likeness, other, *row)));
            }
        }
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
    fn part_of_renamed(&self, row: usize, with: Side, renamed: &[(usize, usize)]) -> Option<usize> {
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

    /// Functions without like names of which one, or two together, have the size and the weight of one that the other build
    /// alone has, and the same caller in the code. Of those in `links` that is known already.
    fn replaced(&self, fresh: &[(usize, Side)], links: &[(usize, usize)]) -> Vec<(usize, usize)> {
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
        let mut found = Vec::new();
        for count in 1..=MOST_PARTS {
            for side in Side::BOTH {
                for (whole, _) in free.clone().into_iter().filter(|(_, with)| *with == side) {
                    let kin: Vec<usize> =
                        free.iter().filter(|(_, with)| *with != side).map(|(row, _)| *row).collect();
                    let kin: Vec<usize> =
                        kin.into_iter().filter(|row| self.share_caller((whole, side), *row)).collect();
                    let likeness = |parts: &Vec<usize>| {
                        let (ours, theirs) = (measures(&[whole], side), measures(parts, side.other()));
                        let ratios = ours.into_iter().zip(theirs).map(|(a, b)| ratio(a, b));
                        ratios.fold(1.0, f64::min)
                    };
                    let sets = subsets(&kin, count).into_iter();
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

    /// Whether a function of one side and one of the other have a caller in common, by the code.
    fn share_caller(&self, (row, side): (usize, Side), other: usize) -> bool {
        let [ours, theirs] =
            [(row, side), (other, side.other())].map(|(row, side)| self.callers_in_code(row, side));
        ours.iter().any(|caller| theirs.contains(caller))
    }

    fn callers_in_code(&self, row: usize, side: Side) -> Vec<usize> {
        let ids = self.context.cases.get(row).map_or(&[][..], |case| &case.ids[side.index()]);
        let Some(census) = self.context.builds.census(side) else { return Vec::new() };
        let edges = ids.iter().flat_map(|id| census.calls_to(*id));
        edges.filter_map(|edge| self.rows[side.index()].get(&edge.caller).copied()).collect()
    }

    /// What one row has below another one, without the common factor, in points of After's shares.
    fn called_pp(&self, caller: usize, callee: usize, side: Side) -> f64 {
        let cases = self.context.cases.get(caller).zip(self.context.cases.get(callee));
        let Some((caller, callee)) = cases else { return 0.0 };
        let calls = self.context.calls_from(caller.row, side).into_iter();
        let of_callee =
            calls.filter(|call| self.context.callee(call).is_some_and(|of| std::ptr::eq(of, callee)));
        let pct: f64 = of_callee.map(|call| share_pct(caller.row, side, call.weight(side))).sum();
        if side == Side::Before { self.context.common_shift.factor() * pct } else { pct }
    }

    /// How alike a vanished and a new function are in size, weight and name; `None` below what one function is. Names that
    /// are alike may represent a function that does less or more; others must have the weight.
    fn likeness(&self, before: usize, after: usize) -> Option<f64> {
        let has_same_code = self.has_same_code(before, after);
        if !has_same_code && !self.shares_content(before, after) {
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

    /// Whether a function of Before has the same code as one of After, long enough to be so by no chance.
    fn has_same_code(&self, before: usize, after: usize) -> bool {
        let cases = self.context.cases.get(before).zip(self.context.cases.get(after));
        let ids = cases.and_then(|(before, after)| before.ids[0].first().zip(after.ids[1].first()));
        let censuses = self.context.builds.census(Side::Before).zip(self.context.builds.census(Side::After));
        let Some(((before, after), (ours, theirs))) = ids.zip(censuses) else { return false };
        let is_long = ours.function(*before).is_some_and(|function| function.code_bytes() >= TELLING_BYTES);
        is_long && ours.same_code(*before, theirs, *after) == Some(true)
    }

    /// Whether two rows of the two sides have something in common beside their place: name or callees, or, for one that
    /// both builds have, code that it lost.
    fn shares_content(&self, before: usize, after: usize) -> bool {
        let cases = &self.context.cases;
        let Some((before, after)) = cases.get(before).zip(cases.get(after)) else { return false };
        let censuses = self.context.builds.census(Side::Before).zip(self.context.builds.census(Side::After));
        let ids = before.ids[0].first().zip(after.ids[1].first());
        let Some(((a, b), (before, after))) = censuses.zip(ids) else { return false };
        shares_content((a, *before), (b, *after), &self.names)
    }

    /// The same for a row and kin of it.
    fn is_alike(&self, row: usize, kin: usize, with: Side) -> bool {
        let (before, after) = if with == Side::After { (kin, row) } else { (row, kin) };
        let has_lost_code = self.context.cases.get(kin).is_some_and(|case| {
            let (there, here) = (self.bytes(case, with.other()), self.bytes(case, with));
            here > 0.0 && here <= SHRUNK_PART * there
        });
        has_lost_code || self.shares_content(before, after)
    }

    fn bytes(&self, case: &Case<'_>, side: Side) -> f64 {
        self.context.builds.census(side).map_or(0.0, |census| case.code_bytes(census, side) as f64)
    }

    /// The rows whose weight a row of side `with` took over; none, if they lost too little.
    fn donors(&self, row: usize, with: Side, is_renamed: impl Fn(usize) -> bool) -> Vec<usize> {
        let Some(case) = self.context.cases.get(row) else { return Vec::new() };
        let callers = self.callers(case, with);
        for measure in [Judged::Booked, Judged::Total] {
            let weight = share(measure, case.row, with);
            if weight < FLOOR_PP {
                continue;
            }
            let mut lost: Vec<(bool, f64, usize)> = Vec::new();
            for kin in self.kin(case, &callers, measure, with) {
                let lost_pp = self.lost_pp(kin, measure, with);
                let is_kin = kin != row && !self.flipped.contains(&kin) && !is_renamed(kin);
                if is_kin && lost_pp >= LEAST_PART * weight && self.is_alike(row, kin, with) {
                    let is_there = self.context.cases.get(kin).is_some_and(|case| case.is_sampled(with));
                    lost.push((is_there, lost_pp, kin));
                }
            }
            // What left the build first, then what lost most; as many as it takes.
            lost.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
            let mut sum = 0.0;
            let mut donors = Vec::new();
            for (_, lost_pp, kin) in lost {
                if sum >= ENOUGH_PART * weight {
                    break;
                }
                sum += lost_pp;
                donors.push(kin);
            }
            if sum >= INHERITED_PART * weight {
                return donors;
            }
        }
        let took_over = |caller: &usize| {
            self.is_conserved(*caller, case, with)
                && self.may_have_given(*caller, case, with)
                && self.is_alike(row, *caller, with)
                && !is_renamed(*caller)
        };
        callers.into_iter().filter(took_over).take(1).collect()
    }

    /// Whether kin of a row may have lost as much as it has: a caller beyond its noise, or what is like it.
    fn is_doubtful(&self, row: usize, with: Side) -> bool {
        let Some(case) = self.context.cases.get(row) else { return true };
        let callers = self.callers(case, with);
        if self.has_idle_caller(case, &callers, with) || self.wraps(case, &callers, with) {
            return true;
        }
        Judged::ALL.iter().any(|measure| {
            let weight = share(*measure, case.row, with);
            let mut kin = self.kin(case, &callers, *measure, with);
            if *measure != Judged::Total {
                kin.extend(&callers);
            }
            kin.sort_unstable();
            kin.dedup();
            let lost = kin.into_iter().filter(|kin| *kin != row).filter_map(|kin| {
                let of = self.context.cases.get(kin)?.row;
                let lost_pp = self.towards(*measure, of, with);
                let is_caller = callers.contains(&kin) && lost_pp > measure.half_width_pp(of);
                (is_caller || self.is_alike(row, kin, with)).then_some(lost_pp.max(0.0))
            });
            weight >= FLOOR_PP && lost.sum::<f64>() >= INHERITED_PART * weight
        })
    }

    /// Whether the nearest caller that both runs entered costs no more, or takes part in a change of inlining: the row may be
    /// a part of what that caller did before. Of a caller with most of the program under it that is not asked.
    fn has_idle_caller(&self, case: &Case<'_>, callers: &[usize], with: Side) -> bool {
        let weight = share(Judged::Total, case.row, with);
        let mut callers = callers.to_vec();
        for _ in 0..DEEPEST {
            let Some((row, caller)) =
                callers.first().and_then(|row| Some((*row, self.context.cases.get(*row)?)))
            else {
                return false;
            };
            if caller.is_sampled(with.other()) && caller.held_by(with.other()) == InBuild::Yes {
                let grown = -self.towards(Judged::Total, caller.row, with);
                let is_most = share(Judged::Total, caller.row, with) > MOST_OF_ALL_PCT;
                return !is_most && (self.flipped.contains(&row) || grown < INHERITED_PART * weight);
            }
            callers = self.callers(caller, with);
        }
        false
    }

    /// Whether it is a step between its callers and what these called themselves in the other build: much of its weight is
    /// in callees that the callers lost.
    fn wraps(&self, case: &Case<'_>, callers: &[usize], with: Side) -> bool {
        let mut lost: FxHashMap<&str, f64> = FxHashMap::default();
        for caller in callers.iter().filter_map(|row| self.context.cases.get(*row)) {
            for (side, sign) in [(with.other(), 1.0), (with, -1.0)] {
                for call in self.context.calls_from(caller.row, side) {
                    let pct = share_pct(caller.row, side, call.weight(side));
                    *lost.entry(&call.callee).or_default() += sign * pct;
                }
            }
        }
        let calls = self.context.calls_from(case.row, with).into_iter();
        let taken = calls.map(|call| {
            let lost = lost.get(call.callee.as_str()).copied().unwrap_or(0.0);
            share_pct(case.row, with, call.weight(with)).min(lost.max(0.0))
        });
        taken.sum::<f64>() >= INHERITED_PART * share(Judged::Total, case.row, with)
    }

    /// Kin of a row, each once. Of a caller only its own code can have become the row.
    fn kin(&self, case: &Case<'_>, callers: &[usize], measure: Judged, with: Side) -> Vec<usize> {
        let mut kin = self.at_place(case, with);
        kin.extend(self.beside(callers, with));
        if measure == Judged::Booked {
            kin.extend(callers);
        } else {
            kin.retain(|row| !callers.contains(row));
        }
        kin.sort_unstable();
        kin.dedup();
        kin
    }

    /// What a row lost towards side `with`, without the common factor, in points of After's shares; 0 where it is noise.
    fn lost_pp(&self, row: usize, measure: Judged, with: Side) -> f64 {
        let Some(case) = self.context.cases.get(row) else { return 0.0 };
        if !measure.is_significant(case.row) && case.is_sampled(with) {
            return 0.0;
        }
        self.towards(measure, case.row, with)
    }

    /// What a row has less of on side `with`, without the common factor.
    fn towards(&self, measure: Judged, row: &Row, with: Side) -> f64 {
        let (before, after) = measure.shares(row);
        let change = self.context.common_shift.own_change_pp(before, after);
        if with == Side::After { -change } else { change }
    }

    /// Whether a caller costs no more though the row is under it: the row took over what the caller did.
    fn is_conserved(&self, caller: usize, case: &Case<'_>, with: Side) -> bool {
        let Some(caller) = self.context.cases.get(caller) else { return false };
        let weight = share(Judged::Total, case.row, with);
        let grown = -self.towards(Judged::Total, caller.row, with);
        let error = self.context.common_shift_error();
        let error = if error > 0.0 { error } else { ASSUMED_ERROR };
        let unsure =
            Judged::Total.half_width_pp(caller.row).hypot(error * share(Judged::Total, caller.row, with));
        caller.is_sampled(with.other())
            && unsure < (1.0 - INHERITED_PART) * weight
            && grown < INHERITED_PART * weight
    }

    /// Whether the caller's own code may have less by half of the row's: what it did itself is the row's now. A row without
    /// code of its own only is in between; and that other callees made up for a row is not a sign that the caller took it
    /// over.
    fn may_have_given(&self, caller: usize, case: &Case<'_>, with: Side) -> bool {
        let Some(caller) = self.context.cases.get(caller) else { return false };
        let is_inlined = share(Judged::Booked, case.row, with) == 0.0;
        let measure = if is_inlined { Judged::OwnSelf } else { Judged::Booked };
        let (given, weight) = (self.towards(measure, caller.row, with), share(measure, case.row, with));
        let at_most = given + measure.half_width_pp(caller.row);
        weight >= FLOOR_PP && given > 0.0 && at_most >= INHERITED_PART * weight
    }

    /// The rows that call it, in the code or in the stacks, heaviest first.
    fn callers(&self, case: &Case<'_>, with: Side) -> Vec<usize> {
        let calls = self.context.calls_to(case.row, with).into_iter();
        let sampled = calls.filter_map(|call| self.context.row_number(self.context.caller(call)?.row));
        let mut callers: Vec<usize> = sampled.take(MOST_CALLERS).collect();
        if let Some(census) = self.context.builds.census(with) {
            let edges = case.ids[with.index()].iter().flat_map(|id| census.calls_to(*id));
            callers.extend(
                edges.filter_map(|edge| self.rows[with.index()].get(&edge.caller)).take(MOST_CALLERS),
            );
        }
        let of_program = |row: &usize| self.context.cases.get(*row).is_some_and(|case| case.of_program);
        let mut seen = FxHashSet::default();
        callers.retain(|row| of_program(row) && seen.insert(*row));
        callers
    }

    /// The rows that its callers called on the other side, and whose build on this side does not contain them.
    fn beside(&self, callers: &[usize], with: Side) -> Vec<usize> {
        let cases = callers.iter().filter_map(|row| self.context.cases.get(*row));
        let calls = cases.flat_map(|caller| self.context.calls_from(caller.row, with.other()));
        let callees = calls.filter_map(|call| self.context.callee(call));
        let gone = callees.filter(|callee| callee.held_by(with) == InBuild::No);
        gone.filter_map(|callee| self.context.row_number(callee.row)).collect()
    }

    /// The rows at its place in the source of the other build: between the partners of its neighbours, these included.
    fn at_place(&self, case: &Case<'_>, with: Side) -> Vec<usize> {
        let ids = self.place(case, with).unwrap_or_default();
        let rows = &self.rows[with.other().index()];
        ids.iter().filter_map(|id| rows.get(id).copied()).collect()
    }

    fn place(&self, case: &Case<'_>, with: Side) -> Option<Vec<FunctionId>> {
        let builds = &self.context.builds;
        let (census, other) = (builds.census(with)?, builds.census(with.other())?);
        let id = *case.ids[with.index()].first()?;
        let (stem, line) = place_of(census, id)?;
        let functions = self.files[with.index()].get(stem)?;
        let at = functions.partition_point(|(of, id_of)| (*of, *id_of) < (line, id));
        let partner = |(_, id): &(u32, FunctionId)| partner_line(builds, other, with, *id, stem);
        let low = functions.get(..at)?.iter().rev().take(WIDEST_PLACE).find_map(partner);
        let high = functions.get(at + 1..)?.iter().take(WIDEST_PLACE).find_map(partner);
        let others = self.files[with.other().index()].get(stem)?;
        let from = low.map_or(0, |low| others.partition_point(|(line, _)| *line < low));
        let to = high.map_or(others.len(), |high| others.partition_point(|(line, _)| *line <= high));
        let place = others.get(from..to)?;
        (place.len() <= WIDEST_PLACE).then(|| place.iter().map(|(_, id)| *id).collect())
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

fn place_of(census: &Census, id: FunctionId) -> Option<(&str, u32)> {
    let function = census.function(id)?;
    Some((crate::matching::file_stem(function.file()?), function.line()?))
}

/// The line of a function's partner in the same file of the other build.
fn partner_line(builds: &Builds<'_>, other: &Census, with: Side, id: FunctionId, stem: &str) -> Option<u32> {
    let found = builds.matches(with, &[id]).into_iter().next()?;
    let partner = if with == Side::Before { found.after } else { found.before };
    let (partner_stem, line) = place_of(other, partner)?;
    let is_clear = !found.is_ambiguous && partner_stem == stem;
    is_clear.then_some(line)
}

fn share(measure: Judged, row: &Row, side: Side) -> f64 {
    let (before, after) = measure.shares(row);
    if side == Side::Before { before } else { after }
}
