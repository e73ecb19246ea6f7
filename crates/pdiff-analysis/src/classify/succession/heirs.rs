//! What a function took over from others: whose weight it has, and whether that can be.

use super::kinship::{INHERITED_PART, Kinship, SAME_NAME, share, weight};
use super::known_callers::KnownCallers;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{InBuild, Judged};
use crate::classify::likeness::{are_named_alike, shares_content};
use crate::classify::nesting::{MOSTLY, part_below};
use crate::compare::Row;
use crate::matching::file_stem;
use crate::noise::FLOOR_PP;
use pdiff_profile::Side;
use pdiff_profile::census::{Census, FunctionId};
use rustc_hash::FxHashMap;

/// Kin is added until it lost this part.
const ENOUGH_PART: f64 = 0.8;

/// The heirs of a function that left the build have at least this part of its weight, unless their names are alike.
const LEAST_LEFT: f64 = 0.4;

/// Kin that lost a smaller part of the function's weight are left out.
const LEAST_PART: f64 = 0.1;

/// Kin that may have lost this part of the function's weight cast doubt on new code, where not only a patch is between the builds.
const DOUBTFUL_PART: f64 = 0.25;

/// What callers call less is like a row's total up to this factor; it casts doubt on new code up to the second. What heirs took
/// over is what one function lost up to the first.
pub(super) const LIKE_LOSS: f64 = 1.5;
const DOUBTFUL_LOSS: f64 = 2.5;

/// Names of which this part is common may be those of one function that a caller calls in both builds.
const LIKE_NAME: f64 = 0.3;

/// The relative error of the common factor, where it is not measured.
const ASSUMED_ERROR: f64 = 0.03;

/// A row of side `with` that took over what another one lost by a measure.
#[derive(Clone, Copy)]
pub(super) struct Heir {
    pub(super) row: usize,
    pub(super) with: Side,
    pub(super) measure: Judged,
    pub(super) donor: usize,
}

impl<'c> Kinship<'c, '_> {
    /// The rows whose weight a row of side `with` took over; none, if they lost too little.
    pub(super) fn donors(
        &self,
        row: usize,
        with: Side,
        is_renamed: impl Fn(usize) -> bool,
    ) -> (Judged, Vec<usize>) {
        let Some(case) = self.context.cases.get(row) else { return (Judged::Total, Vec::new()) };
        let callers = self.callers(case, with);
        for measure in [Judged::Booked, Judged::Total] {
            // What functions that have another name now have of it went there.
            let led = if measure == Judged::Total { self.led_pp(case, with, &is_renamed) } else { 0.0 };
            let weight = share(measure, case.row, with) - led;
            if weight < FLOOR_PP {
                continue;
            }
            let mut lost: Vec<(bool, bool, f64, usize)> = Vec::new();
            for kin in self.kin(case, &callers, measure, with) {
                // Where its inlining changed, most of its own code is in its callers, or was.
                let left_family = self.left_family_pp(kin, with);
                let lost_pp = self.lost_pp(kin, measure, with).min(left_family.unwrap_or(f64::INFINITY));
                let is_told = left_family.is_none() || measure == Judged::Total;
                let is_kin = kin != row && is_told && !is_renamed(kin);
                let is_kin = is_kin && !self.is_inside(kin, row, with);
                // The rest of a function that led to renamed ones did not become a much larger function.
                let is_rest = led == 0.0 || !self.is_fresh(kin, with) || weight >= LEAST_PART * lost_pp;
                let is_kin = is_kin && is_rest;
                if is_kin && lost_pp >= LEAST_PART * weight && self.is_alike(row, kin, with) {
                    let is_there = self.context.cases.get(kin).is_some_and(|case| case.is_sampled(with));
                    lost.push((is_there, !self.is_named_alike(row, kin), lost_pp, kin));
                }
            }
            // What left the build first, then what has a like name, then what lost most; as many as it takes, and nothing of another
            // name if those of a like one lost enough.
            lost.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.total_cmp(&a.2)).then(a.3.cmp(&b.3)));
            let mut sum = 0.0;
            let mut donors = Vec::new();
            let mut are_alike = false;
            for (_, is_unlike, lost_pp, kin) in lost {
                let enough = if are_alike && is_unlike { INHERITED_PART } else { ENOUGH_PART };
                if sum >= enough * weight {
                    break;
                }
                are_alike = !is_unlike;
                sum += lost_pp;
                donors.push(kin);
            }
            if sum >= INHERITED_PART * weight {
                return (measure, donors);
            }
        }
        let gave = |caller: &usize, part: f64| {
            self.is_conserved(*caller, case, with)
                && self.may_have_given(*caller, case, part, with)
                && (self.is_alike(row, *caller, with) || self.was_part_of(row, *caller, part, with))
                && !is_renamed(*caller)
        };
        // A caller gave it no more than it has under that caller.
        let total = self.total_pp(case, with);
        let under = callers.iter().map(|caller| (*caller, self.called_pp(*caller, row, with)));
        let givers: Vec<(usize, f64)> =
            under.filter(|(caller, pp)| *pp > 0.0 && gave(caller, (pp / total).min(1.0))).collect();
        if givers.iter().map(|(_, pp)| pp).sum::<f64>() >= INHERITED_PART * total {
            return (Judged::Booked, givers.into_iter().map(|(caller, _)| caller).collect());
        }
        let beyond = self.beyond_new_code(case, with).into_iter();
        (Judged::Booked, beyond.filter(|caller| gave(caller, 1.0)).take(1).collect())
    }

    /// A row's total, without the common factor, in points of After's shares.
    fn total_pp(&self, case: &Case<'_>, with: Side) -> f64 {
        self.context.common_shift.without(share(Judged::Total, case.row, with), with)
    }

    /// Whether two rows have like names.
    fn is_named_alike(&self, row: usize, kin: usize) -> bool {
        let cases = self.context.cases.get(row).zip(self.context.cases.get(kin));
        cases.is_some_and(|(case, kin)| are_named_alike(&case.row.name, &kin.row.name, SAME_NAME))
    }

    /// Whether the build of a side does not contain a row's function.
    fn is_fresh(&self, row: usize, with: Side) -> bool {
        self.context.cases.get(row).is_some_and(|case| case.held_by(with) == InBuild::No)
    }

    /// What a function has below callees that have another name now, in percent: it led to them.
    fn led_pp(&self, case: &Case<'_>, with: Side, is_renamed: impl Fn(usize) -> bool) -> f64 {
        let calls = self.context.calls_from(case.row, with).into_iter();
        let renamed = calls.filter(|call| {
            let callee = self.context.callee(call).and_then(|callee| self.context.row_number(callee.row));
            callee.is_some_and(&is_renamed)
        });
        renamed.map(|call| share_pct(case.row, with, call.weight(with))).sum()
    }

    /// Heirs without links of small functions to large ones of the other build that have another one, for these are not what they
    /// became; and the rows of these small functions.
    pub(super) fn without_small(&self, heirs: &[Heir]) -> (Vec<Heir>, Vec<usize>) {
        let is_small = |heir: &Heir| {
            let weight = self
                .context
                .cases
                .get(heir.row)
                .map_or(0.0, |case| share(Judged::Booked, case.row, heir.with));
            self.is_fresh(heir.donor, heir.with)
                && weight < LEAST_PART * self.lost_pp(heir.donor, Judged::Booked, heir.with)
        };
        let has_other = |heir: &Heir| {
            heirs.iter().any(|of| {
                of.row == heir.donor || (of.donor == heir.donor && of.row != heir.row && !is_small(of))
            })
        };
        let (small, kept): (Vec<Heir>, Vec<Heir>) =
            heirs.iter().copied().partition(|heir| is_small(heir) && has_other(heir));
        (kept, small.iter().map(|heir| heir.row).collect())
    }

    /// Heirs that can have had what their donors lost, and the rows of those that cannot. A total that is inside another
    /// heir's of the same donor went to that one; and a function that the run no longer
    /// enters left all of it to its heirs, or other code took it over.
    pub(super) fn conserved(&self, heirs: &[Heir]) -> (Vec<Heir>, Vec<usize>) {
        let is_inside = |heir: &Heir| {
            let others = heirs.iter().filter(|of| of.donor == heir.donor && of.row != heir.row);
            let others: Vec<usize> = others.map(|of| of.row).collect();
            heir.measure == Judged::Total
                && !others.is_empty()
                && part_below(self.context, heir.row, &others, heir.with) >= MOSTLY
        };
        let (inside, outer): (Vec<Heir>, Vec<Heir>) = heirs.iter().copied().partition(is_inside);
        let weight =
            |row: usize, side: Side| self.context.common_shift.without(weight(self.context, row, side), side);
        let is_part = |heir: &Heir| {
            let has_left = self.context.cases.get(heir.donor).is_some_and(|case| !case.is_sampled(heir.with));
            let all = outer.iter().filter(|of| of.donor == heir.donor);
            let taken: f64 = all.map(|of| weight(of.row, heir.with)).sum();
            let lost = weight(heir.donor, heir.with.other());
            let names =
                [heir.row, heir.donor].map(|row| self.context.cases.get(row).map(|case| &case.row.name));
            let is_named = matches!(names, [Some(a), Some(b)] if are_named_alike(a, b, SAME_NAME));
            let given =
                outer.iter().filter(|of| of.row == heir.row).map(|of| weight(of.donor, of.with.other()));
            let is_alike =
                taken >= LEAST_LEFT * lost && given.sum::<f64>() >= LEAST_LEFT * weight(heir.row, heir.with);
            !has_left || is_named || is_alike
        };
        let (kept, strange): (Vec<Heir>, Vec<Heir>) = outer.iter().copied().partition(is_part);
        let refused = inside.iter().map(|heir| heir.row);
        let refused = refused.chain(strange.iter().flat_map(|heir| [heir.row, heir.donor])).collect();
        (kept, refused)
    }

    /// Pairs of functions that took over parts of what one function lost, which both builds have: together no more than it lost.
    pub(super) fn shared(&self, heirs: &[Heir]) -> Vec<(usize, usize)> {
        let mut of_donor: FxHashMap<(usize, Side), Vec<&Heir>> = FxHashMap::default();
        for heir in heirs {
            of_donor.entry((heir.donor, heir.with)).or_default().push(heir);
        }
        let mut pairs = Vec::new();
        for ((donor, with), of) in of_donor {
            let is_left =
                self.context.cases.get(donor).is_some_and(|donor| donor.held_by(with) != InBuild::No);
            let (Some(first), true) = (of.first(), is_left && of.len() > 1) else { continue };
            let taken: f64 = of.iter().map(|heir| weight(self.context, heir.row, with)).sum();
            let lost = |measure: &Judged| self.lost_pp(donor, *measure, with);
            if taken <= LIKE_LOSS * Judged::ALL.iter().map(lost).fold(0.0, f64::max) {
                pairs.extend(of.iter().skip(1).map(|heir| (first.row, heir.row)));
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// Whether half of a function's total is a callee's that the other build calls elsewhere: what that callee lost went there
    /// with it.
    pub(super) fn is_inside(&self, callee: usize, row: usize, with: Side) -> bool {
        let total = self.context.cases.get(row).map_or(0.0, |case| self.total_pp(case, with));
        total > 0.0 && self.called_pp(row, callee, with) >= INHERITED_PART * total
    }

    /// Whether kin of a row may have lost as much as it has: a caller beyond its noise, or what is like it.
    pub(super) fn is_doubtful(&self, row: usize, with: Side) -> bool {
        let Some(case) = self.context.cases.get(row) else { return true };
        let callers = self.callers(case, with);
        if self.has_idle_caller(case, &callers, with)
            || self.is_mostly_under_idle(case, with)
            || self.wraps(case, &callers, with)
            || self.has_unseen_predecessor(&callers, with)
            || self.has_twin_in_code(case, with)
            || self.may_replace_beyond_new_code(row, case, &callers, with)
        {
            return true;
        }
        let less = self.called_less(case, &callers, with, DOUBTFUL_LOSS);
        let name = |row: usize| self.context.cases.get(row).map_or("", |case| &*case.row.name);
        if less.into_iter().any(|kin| are_named_alike(name(row), name(kin), SAME_NAME)) {
            return true;
        }
        let least = if self.context.is_patched { INHERITED_PART } else { DOUBTFUL_PART };
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
                let lost_pp = self.lost_by_family(kin, with).map_or(lost_pp, |most| lost_pp.min(most));
                let is_caller = callers.contains(&kin) && lost_pp > measure.half_width_pp(of);
                (is_caller || self.is_alike(row, kin, with)).then_some(lost_pp.max(0.0))
            });
            weight >= FLOOR_PP && lost.sum::<f64>() >= least * weight
        })
    }

    /// Whether only new code calls the row, and a function of both builds that leads to that code called one of a like name with about
    /// the row's weight, which this run does not enter.
    fn may_replace_beyond_new_code(
        &self,
        row: usize,
        case: &Case<'_>,
        callers: &[usize],
        with: Side,
    ) -> bool {
        if callers.is_empty() || !callers.iter().all(|caller| self.is_fresh(*caller, with.other())) {
            return false;
        }
        let leading: Vec<usize> = self.entered_by(row, with, &[]).into_iter().collect();
        let less = self.called_less(case, &leading, with, DOUBTFUL_LOSS);
        less.iter()
            .filter_map(|kin| self.context.cases.get(*kin))
            .any(|kin| !kin.is_sampled(with) && are_named_alike(&case.row.name, &kin.row.name, LIKE_NAME))
    }

    /// Whether the other run entered none of the callers that both builds have, and one of them calls a function in the code of that
    /// build that this build lacks, or that the caller no longer calls: the stacks do not show what the row replaced.
    fn has_unseen_predecessor(&self, callers: &[usize], with: Side) -> bool {
        let without = with.other();
        let known: Vec<&Case<'_>> = callers
            .iter()
            .filter_map(|row| self.context.cases.get(*row))
            .filter(|caller| caller.held_by(without) == InBuild::Yes)
            .collect();
        let Some(census) = self.context.builds.census(without) else { return false };
        let is_gone = |id: FunctionId| {
            let has_body = census.function(id).is_some_and(|function| !function.bodies().is_empty());
            has_body && self.context.builds.matches(without, &[id]).is_empty()
        };
        let calls_gone = |caller: &&Case<'_>| {
            let edges = caller.ids[without].iter().flat_map(|id| census.calls_from(*id));
            edges
                .into_iter()
                .any(|edge| is_gone(edge.callee) || self.is_called_no_more(caller, edge.callee, with))
        };
        known.iter().all(|caller| !caller.is_sampled(without)) && known.iter().any(calls_gone)
    }

    /// Whether a caller neither calls nor contains a function of the other build on side `with` any more.
    fn is_called_no_more(&self, caller: &Case<'_>, callee: FunctionId, with: Side) -> bool {
        let Some(census) = self.context.builds.census(with) else { return false };
        let found = self.context.builds.matches(with.other(), &[callee]).into_iter().next();
        let partner = found.map(|found| if with == Side::After { found.after } else { found.before });
        partner.is_some_and(|partner| {
            let has_code = census.function(partner).is_some_and(|function| !function.bodies().is_empty());
            has_code
                && caller.ids[with]
                    .iter()
                    .all(|id| census.call(*id, partner).is_none() && census.sites_in(partner, *id).is_empty())
        })
    }

    /// Whether a caller of the row calls another function in the code of the build that lacks the row: one of the same source file, that
    /// this build lacks, whose name is like the row's, and that the run hardly entered. It may be the same function, which
    /// costs next to nothing there.
    fn has_twin_in_code(&self, case: &Case<'_>, with: Side) -> bool {
        let without = with.other();
        let builds = &self.context.builds;
        let Some((own, other)) = builds.census(with).zip(builds.census(without)) else { return false };
        let Some(id) = case.ids[with].first().copied() else { return false };
        let Some(own_file) = stem(own, id) else { return false };
        let callers = own.calls_to(id).flat_map(|edge| builds.matches(with, &[edge.caller]));
        let callers = callers.map(|found| if with == Side::After { found.before } else { found.after });
        let called = callers.flat_map(|caller| other.calls_from(caller)).map(|edge| edge.callee);
        let is_quiet = |id: FunctionId| {
            let row = self.rows[without].get(&id).and_then(|row| self.context.cases.get(*row));
            row.is_none_or(|case| !Judged::ALL.iter().any(|of| of.is_significant(case.row)))
        };
        called.into_iter().any(|callee| {
            stem(other, callee) == Some(own_file)
                && is_quiet(callee)
                && builds.matches(without, &[callee]).is_empty()
                && other
                    .function(callee)
                    .is_some_and(|of| are_named_alike(of.name(), &case.row.name, LIKE_NAME))
                && shares_content((own, id), (other, callee), &self.names)
        })
    }

    /// The row that a function has under its name in the other build, of which that run has samples.
    pub(super) fn under_other_name(&self, case: &Case<'_>, with: Side) -> Option<&'c Row> {
        let (_, name) = case.other_name.as_ref().filter(|(side, _)| *side == with.other())?;
        let row = self.context.program_row(name, None)?;
        (share(Judged::Total, row, with.other()) > 0.0).then_some(row)
    }

    /// Whether it is a step between its callers and what these called themselves in the other build: much of its weight is
    /// in callees that the callers lost.
    pub(super) fn wraps(&self, case: &Case<'_>, callers: &[usize], with: Side) -> bool {
        let mut lost: FxHashMap<&str, f64> = FxHashMap::default();
        for caller in callers.iter().filter_map(|row| self.context.cases.get(*row)) {
            for (side, sign) in [(with.other(), 1.0), (with, -1.0)] {
                for call in self.context.calls_from(caller.row, side) {
                    let pct = share_pct(caller.row, side, call.weight(side));
                    *lost.entry(&call.callee).or_default() += sign * pct;
                }
            }
        }
        let known = KnownCallers::of(self.context, case, with);
        let calls = self.context.calls_from(case.row, with).into_iter();
        let taken = calls.map(|call| {
            let lost = lost.get(call.callee.as_str()).copied().unwrap_or(0.0);
            let of_known = self.context.callee(call).map_or(0.0, |of| known.lost_pct(self.context, of));
            share_pct(case.row, with, call.weight(with)).min(lost.max(of_known).max(0.0))
        });
        taken.sum::<f64>() >= INHERITED_PART * share(Judged::Total, case.row, with)
    }

    /// Functions whose code may have become the row's, each once. A caller can only have lost its own code to the row. A function
    /// with the same callers can have lost part of its work, and still exist.
    pub(super) fn kin(&self, case: &Case<'_>, callers: &[usize], measure: Judged, with: Side) -> Vec<usize> {
        let mut kin = self.at_place(case, with);
        kin.extend(self.beside(callers, with));
        if measure == Judged::Booked {
            kin.extend(callers);
        } else {
            // A caller that is new itself called nothing before; those that lead to it did.
            let row = self.context.row_number(case.row);
            let leading =
                row.map_or_else(Vec::new, |row| self.entered_by(row, with, &[]).into_iter().collect());
            let leading = [callers, &*leading].concat();
            let less = self.called_less(case, &leading, with, LIKE_LOSS).into_iter();
            kin.extend(less.filter(|kin| self.has_longer_name(case, *kin)));
            kin.retain(|row| !callers.contains(row));
        }
        kin.sort_unstable();
        kin.dedup();
        kin
    }

    /// The nearest functions of both builds that lead to a row by way of new code, if most of what their own code lost can be the
    /// row's: their body is further down now.
    fn beyond_new_code(&self, case: &Case<'_>, with: Side) -> Vec<usize> {
        let Some(row) = self.context.row_number(case.row) else { return Vec::new() };
        let is_inlined = share(Judged::Booked, case.row, with) == 0.0;
        let measure = if is_inlined { Judged::OwnSelf } else { Judged::Booked };
        let weight = share(measure, case.row, with);
        let is_mostly_below = |kin: &usize| part_below(self.context, row, &[*kin], with) >= INHERITED_PART;
        let is_body = |kin: &usize| {
            let lost_pp =
                self.context.cases.get(*kin).map_or(0.0, |kin| self.towards(measure, kin.row, with));
            let is_like = weight >= INHERITED_PART * lost_pp && lost_pp >= INHERITED_PART * weight;
            weight >= FLOOR_PP && is_like && is_mostly_below(kin)
        };
        let mut leading: Vec<usize> = self.entered_by(row, with, &[]).into_iter().filter(is_body).collect();
        leading.sort_unstable();
        leading
    }

    /// What a row lost towards side `with`, without the common factor, in points of After's shares; 0 where it is noise.
    pub(super) fn lost_pp(&self, row: usize, measure: Judged, with: Side) -> f64 {
        let Some(case) = self.context.cases.get(row) else { return 0.0 };
        if !measure.is_significant(case.row) && case.is_sampled(with) {
            return 0.0;
        }
        self.towards(measure, case.row, with)
    }

    /// Whether a caller costs no more though the row is under it: the row took over what the caller did.
    pub(super) fn is_conserved(&self, caller: usize, case: &Case<'_>, with: Side) -> bool {
        let Some(caller) = self.context.cases.get(caller) else { return false };
        let weight = share(Judged::Total, case.row, with);
        let grown = -self.towards(Judged::Total, caller.row, with);
        let error = self.context.common_shift.error();
        let error = if error > 0.0 { error } else { ASSUMED_ERROR };
        let unsure =
            Judged::Total.half_width_pp(caller.row).hypot(error * share(Judged::Total, caller.row, with));
        caller.is_sampled(with.other())
            && unsure < (1.0 - INHERITED_PART) * weight
            && grown < INHERITED_PART * weight
    }

    /// Whether the caller's own code may have less by half of a part of the row's: what it did itself is the row's now. A row without
    /// code of its own only is in between; and that other callees made up for a row is not a sign that the caller took it
    /// over.
    fn may_have_given(&self, caller: usize, case: &Case<'_>, part: f64, with: Side) -> bool {
        let Some(caller) = self.context.cases.get(caller) else { return false };
        let is_inlined = share(Judged::Booked, case.row, with) == 0.0;
        let measure = if is_inlined { Judged::OwnSelf } else { Judged::Booked };
        let (given, weight) =
            (self.towards(measure, caller.row, with), part * share(measure, case.row, with));
        let at_most = given + measure.half_width_pp(caller.row);
        weight >= FLOOR_PP && given > 0.0 && at_most >= INHERITED_PART * weight
    }

    /// Whether an inlined function has what an inlined caller of it has less of its own, beyond the noise of that: a part that
    /// got a name. Neither has code of its own that could be looked at.
    fn was_part_of(&self, row: usize, caller: usize, part: f64, with: Side) -> bool {
        let cases = self.context.cases.get(row).zip(self.context.cases.get(caller));
        let Some((case, caller)) = cases else { return false };
        let is_inlined =
            |case: &Case<'_>| Side::BOTH.into_iter().all(|side| share(Judged::Booked, case.row, side) == 0.0);
        let own = Judged::OwnSelf;
        let given = self.towards(own, caller.row, with) - own.half_width_pp(caller.row);
        is_inlined(case) && is_inlined(caller) && given >= INHERITED_PART * part * share(own, case.row, with)
    }

    /// Whether one of two names is the other one with more words: `greedy_row` for `greedy`.
    pub(super) fn has_longer_name(&self, case: &Case<'_>, kin: usize) -> bool {
        let Some(kin) = self.context.cases.get(kin) else { return false };
        let (a, b) = (&*case.row.name, &*kin.row.name);
        a.contains(b) || b.contains(a)
    }
}

/// The name of a function's source file, without its folder and ending.
fn stem(census: &Census, id: FunctionId) -> Option<&str> {
    census.function(id)?.file().map(file_stem)
}
