//! Callers that contain a function inlined in one build and call it in the other, or contain fewer copies there.

use pdiff_profile::census::{BodyPart, Census, Function, FunctionId, InlinedInto};
use pdiff_profile::{PerSide, Side};

use super::fact::CallsThere;
use super::places::{names_above, places};
use crate::inlines::{Flip, confirmed_flips};
use crate::matching::{FoundBy, Match, Matching};

/// A caller in which a function is inlined on one side and called on the other.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct CallerFlip {
    /// The caller's name on each side.
    pub(super) names: PerSide<String>,
    /// The file that declares it on each side.
    pub(super) files: PerSide<Option<String>>,
    /// Inlined instances in it, on the side that has them.
    pub(super) sites: u64,
    /// How the caller was found on both sides.
    pub(super) level: FoundBy,
    /// Whether one build has the function only inlined and the other only out of line, whoever contains and calls it.
    pub(super) is_moved_out: bool,
    /// Whether the caller also has copies of it on the side that calls it, only fewer.
    pub(super) is_partial: bool,
    /// What calls it on the side that calls.
    pub(super) calls_there: CallsThere,
    /// The caller on the side that calls, and whether it is the only one there that does.
    pub(super) called_in: (FunctionId, bool),
}

impl CallerFlip {
    /// Whether nothing but stacks can show who calls the function where it is not inlined.
    pub(super) fn is_by_pointer(&self) -> bool {
        self.calls_there == CallsThere::ThroughPointers
    }
}

/// What both builds contain and call.
#[derive(Clone, Copy)]
pub(super) struct Inlining<'a> {
    pub(super) before: &'a Census,
    pub(super) after: &'a Census,
    pub(super) matching: &'a Matching,
}

impl Inlining<'_> {
    /// The callers that a function left, or entered, as an inlined copy.
    pub(super) fn flips(&self, found: &Match, inlined_on: Side) -> Vec<CallerFlip> {
        let mut flips =
            std::mem::take(&mut confirmed_flips(self.before, self.after, self.matching, found)[inlined_on]);
        let is_moved_out = self.is_moved_out(found, inlined_on);
        let known: Vec<FunctionId> = flips.iter().map(|flip| flip.caller_before).collect();
        let more = if is_moved_out {
            self.holders_above(found, inlined_on)
        } else if self.is_called_through_pointers(found, inlined_on.other()) {
            self.holders_alone(found, inlined_on)
        } else if self.is_split(found, inlined_on) {
            self.holders_that_call(found, inlined_on)
        } else {
            self.holders_inlined_there(found, inlined_on)
        };
        flips.extend(more.into_iter().filter(|flip| !known.contains(&flip.caller_before)));
        // One that it left altogether shows that the compiler decided anew, and so does a function that had no code of its own: then others
        // may have lost some of their copies.
        let is_decided_anew =
            !known.is_empty() || (flips.is_empty() && self.is_inlined_only(found, inlined_on));
        let fewer = if is_decided_anew { self.holders_of_fewer(found, inlined_on) } else { Vec::new() };
        let with_caller = |flip| self.caller(found, flip, inlined_on);
        let whole = flips.iter().filter_map(with_caller).map(|flip| CallerFlip { is_moved_out, ..flip });
        let partial =
            fewer.iter().filter_map(with_caller).map(|flip| CallerFlip { is_partial: true, ..flip });
        whole.chain(partial).collect()
    }

    /// A side's build, and the function there.
    fn on(&self, found: &Match, side: Side) -> (&Census, FunctionId) {
        match side {
            Side::Before => (self.before, found.before),
            Side::After => (self.after, found.after),
        }
    }

    /// Whether a side's build has the function in copies alone.
    fn is_inlined_only(&self, found: &Match, side: Side) -> bool {
        let (census, function) = self.on(found, side);
        is_inlined_only(census, function)
    }

    /// Whether the function is only inlined on `inlined_on`, and only out of line on the other side: whoever calls it now,
    /// for what called it may have left its caller, too.
    fn is_moved_out(&self, found: &Match, inlined_on: Side) -> bool {
        self.is_inlined_only(found, inlined_on) && self.has_no_copy(found, inlined_on.other())
    }

    /// Whether the function is only inlined on `inlined_on`, and on the other side the compiler made a function of a part of it, so that
    /// what contains its beginning calls the rest.
    fn is_split(&self, found: &Match, inlined_on: Side) -> bool {
        let (census, inlined) = self.on(found, inlined_on);
        let (there, called) = self.on(found, inlined_on.other());
        let is_part = |called: Function<'_>| {
            let mut parts = called.bodies().iter().filter(|body| body.part != BodyPart::Cold).peekable();
            parts.peek().is_some() && parts.all(|body| body.part == BodyPart::Part)
        };
        is_inlined_only(census, inlined) && there.function(called).is_some_and(is_part)
    }

    /// Whether a side's build has no copy of a function, and no other code there calls it directly, as far as code was read for calls.
    fn is_called_through_pointers(&self, found: &Match, side: Side) -> bool {
        let (census, function) = self.on(found, side);
        let is_read = || census.functions().any(|function| !census.calls_from(function.id()).is_empty());
        self.has_no_copy(found, side) && !is_called_directly(census, function) && is_read()
    }

    /// Whether a side's build surely has no copy of a function that was found on both sides by its full name.
    fn has_no_copy(&self, found: &Match, side: Side) -> bool {
        let (census, called) = self.on(found, side);
        let sees = is_whole(census) && self.before.sees_inlines() && self.after.sees_inlines();
        let is_found = found.level.is_exact() && !found.is_ambiguous;
        is_found
            && sees
            && census.function(called).is_some_and(|of| of.is_described() && of.inlined_instances() == 0)
    }

    /// The functions that contain copies on `inlined_on`, as callers that flipped.
    fn holders(&self, found: &Match, inlined_on: Side) -> Vec<Flip> {
        let (census, function) = self.on(found, inlined_on);
        let flip = |into: InlinedInto| {
            let partner = match inlined_on {
                Side::Before => self.matching.after_of(into.caller),
                Side::After => self.matching.before_of(into.caller),
            };
            let caller = partner.filter(|partner| !partner.is_ambiguous)?;
            Some(Flip { caller_before: caller.before, caller_after: caller.after, sites: into.sites })
        };
        census.inlined_into(function).filter_map(flip).collect()
    }

    /// Those of the functions that contain copies on `inlined_on` which do not call the function there as well, and of which debug
    /// information tells on the other side what they contain.
    fn holders_alone(&self, found: &Match, inlined_on: Side) -> Vec<Flip> {
        let is_alone = |flip: &Flip| {
            let callers = PerSide::new(flip.caller_before, flip.caller_after);
            let (here, function) = self.on(found, inlined_on);
            let (there, _) = self.on(found, inlined_on.other());
            here.call(callers[inlined_on], function).is_none()
                && there.function(callers[inlined_on.other()]).is_some_and(|there| there.is_described())
        };
        self.holders(found, inlined_on).into_iter().filter(is_alone).collect()
    }

    /// Those of the functions that contain copies on `inlined_on` which call the function in the code of the other side.
    fn holders_that_call(&self, found: &Match, inlined_on: Side) -> Vec<Flip> {
        let (there, function) = self.on(found, inlined_on.other());
        let calls = |flip: &Flip| {
            let callers = PerSide::new(flip.caller_before, flip.caller_after);
            there.call(callers[inlined_on.other()], function).is_some()
        };
        self.holders(found, inlined_on).into_iter().filter(calls).collect()
    }

    /// Those of the functions that contain copies on `inlined_on` and no call, and that have fewer copies on the other side, with at least as
    /// many calls as copies are gone.
    fn holders_of_fewer(&self, found: &Match, inlined_on: Side) -> Vec<Flip> {
        let (here, copied) = self.on(found, inlined_on);
        let (there, called) = self.on(found, inlined_on.other());
        let has_fewer = |flip: &Flip| {
            let callers = PerSide::new(flip.caller_before, flip.caller_after);
            let left: u64 = there
                .sites_in(called, callers[inlined_on.other()])
                .iter()
                .map(|site| u64::from(site.count))
                .sum();
            let calls = there.call(callers[inlined_on.other()], called).map_or(0, |edge| edge.calls);
            here.call(callers[inlined_on], copied).is_none()
                && (1..flip.sites).contains(&left)
                && u64::from(calls) >= flip.sites - left
        };
        self.holders(found, inlined_on).into_iter().filter(has_fewer).collect()
    }

    /// Those of the functions that contain copies on `inlined_on` which are only inlined themselves on the other side, into functions that
    /// call the function there, contain no copy of it, and had nothing to do with it here.
    fn holders_inlined_there(&self, found: &Match, inlined_on: Side) -> Vec<Flip> {
        let (here, copied) = self.on(found, inlined_on);
        let (there, called) = self.on(found, inlined_on.other());
        let calls_for_it = |container: FunctionId| {
            let partner = match inlined_on {
                Side::Before => self.matching.before_of(container).map(|found| found.before),
                Side::After => self.matching.after_of(container).map(|found| found.after),
            };
            let is_free = |partner: FunctionId| {
                here.call(partner, copied).is_none() && here.sites_in(copied, partner).is_empty()
            };
            there.call(container, called).is_some()
                && there.sites_in(called, container).is_empty()
                && partner.is_some_and(is_free)
        };
        let is_one = |flip: &Flip| {
            let callers = PerSide::new(flip.caller_before, flip.caller_after);
            let (holder, holder_there) = (callers[inlined_on], callers[inlined_on.other()]);
            let mut containers = there.inlined_into(holder_there).map(|into| into.caller);
            holder != copied
                && here.call(holder, copied).is_none()
                && is_inlined_only(there, holder_there)
                && containers.any(calls_for_it)
        };
        self.holders(found, inlined_on).into_iter().filter(is_one).collect()
    }

    /// Those of the functions that contain copies on `inlined_on` which lead to the function in the code of the other side.
    fn holders_above(&self, found: &Match, inlined_on: Side) -> Vec<Flip> {
        let (called_in, called) = match inlined_on {
            Side::Before => (self.after, found.after),
            Side::After => (self.before, found.before),
        };
        // What contains copies here, and does not lead to it there, may contain another overload of it.
        let callers = names_above(called_in, called);
        let leads_to_it = |flip: &Flip| {
            let caller = match inlined_on {
                Side::Before => flip.caller_after,
                Side::After => flip.caller_before,
            };
            // What contains the caller calls what the caller did.
            let mut bodies = places(called_in, &[caller]).into_iter();
            let is_above = |id| {
                let function = called_in.function(id);
                callers.as_ref().is_none_or(|callers| function.is_some_and(|of| callers.contains(of.name())))
            };
            bodies.any(is_above)
        };
        self.holders(found, inlined_on).into_iter().filter(leads_to_it).collect()
    }

    fn caller(&self, found: &Match, flip: &Flip, inlined_on: Side) -> Option<CallerFlip> {
        let before = self.before.function(flip.caller_before)?;
        let after = self.after.function(flip.caller_after)?;
        let (census, callee, caller) = match inlined_on {
            Side::Before => (self.after, found.after, flip.caller_after),
            Side::After => (self.before, found.before, flip.caller_before),
        };
        let calls_it = census.call(caller, callee).is_some();
        let is_only_caller = calls_it && census.calls_to(callee).all(|edge| edge.caller == caller);
        Some(CallerFlip {
            is_moved_out: false,
            is_partial: false,
            calls_there: match calls_it {
                true => CallsThere::InCaller,
                false if is_called_directly(census, callee) => CallsThere::InOthers,
                false => CallsThere::ThroughPointers,
            },
            called_in: (caller, is_only_caller),
            names: PerSide::new(before.name().to_owned(), after.name().to_owned()),
            files: PerSide::new(before, after).map(|function| function.file().map(str::to_owned)),
            sites: flip.sites,
            level: self.matching.after_of(flip.caller_before)?.level,
        })
    }
}

/// Whether every unit of a build was read, with what is inlined in it.
pub(super) fn is_whole(census: &Census) -> bool {
    let coverage = census.coverage();
    census.sees_inlines() && coverage.unreadable_units == 0 && coverage.split_units == 0
}

/// Whether a build has a function in copies alone.
fn is_inlined_only(census: &Census, function: FunctionId) -> bool {
    census.function(function).is_some_and(|of| of.bodies().is_empty() && of.inlined_instances() > 0)
}

/// Whether the code of another function calls a function directly.
fn is_called_directly(census: &Census, function: FunctionId) -> bool {
    census.calls_to(function).any(|edge| edge.caller != function)
}
