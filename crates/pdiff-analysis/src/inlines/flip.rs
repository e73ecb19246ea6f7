//! Callers for which a change of inlining is confirmed.
//!
//! A flip needs more than two counts: the caller must be the same function on both sides and described by debug information
//! there; on the side with the copy its code must contain no call, on the other side it must contain a direct call and no
//! copy. Calls through pointers are not seen here; the verdicts look for them in the stacks. Function
//! and caller must have been found by name ([`FoundBy::is_exact`](crate::matching::FoundBy)): what was paired by similarity
//! shows in the row's change, and confirms nothing.

use pdiff_profile::census::{Census, FunctionId};

use crate::matching::{Match, Matching};

/// A caller in which a function is inlined on one side and called on the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Flip {
    /// The caller in Before.
    pub caller_before: FunctionId,
    /// The same caller in After.
    pub caller_after: FunctionId,
    /// How many inlined instances the side with copies has in it.
    pub sites: u64,
}

/// One build, and a function of it.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) census: &'a Census,
    pub(super) function: FunctionId,
}

/// A caller that contains copies on one side and calls on the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RawFlip {
    /// The caller that contains copies.
    pub(super) copied_in: FunctionId,
    /// The same caller, on the side where it calls.
    pub(super) called_in: FunctionId,
    pub(super) sites: u64,
    /// Whether it confirms the change: the caller was found by name, and the side with copies contains no call. Where it
    /// does, only a part of its sites flipped, and which is not known.
    pub(super) is_proof: bool,
}

/// The callers that contain copies at `copied` and call at `called`.
pub(super) fn flips(
    copied: Place<'_>,
    called: Place<'_>,
    partner: impl Fn(FunctionId) -> Option<Partner>,
) -> Vec<RawFlip> {
    let mut flips = Vec::new();
    for into in copied.census.inlined_into(copied.function) {
        let Some(partner) = partner(into.caller) else { continue };
        let Some(caller) = called.census.function(partner.function) else { continue };
        let caller_id = caller.target();
        let is_self = into.caller == copied.function || caller_id == called.function;
        let has_copies = !called.census.sites_in(called.function, caller_id).is_empty();
        let calls = called.census.call(caller_id, called.function).is_some();
        if !is_self && caller.is_described() && calls && !has_copies {
            let is_proof = partner.is_exact && copied.census.call(into.caller, copied.function).is_none();
            flips.push(RawFlip { copied_in: into.caller, called_in: caller_id, sites: into.sites, is_proof });
        }
    }
    flips
}

/// A function of the other build that is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Partner {
    function: FunctionId,
    is_exact: bool,
}

impl Partner {
    /// The partner of a function of Before, unless others would do as well.
    pub(super) fn in_after(matching: &Matching, before: FunctionId) -> Option<Self> {
        matching
            .after_of(before)
            .filter(|found| !found.is_ambiguous)
            .map(|found| Self::of(found, found.after))
    }

    /// The partner of a function of After, unless others would do as well.
    pub(super) fn in_before(matching: &Matching, after: FunctionId) -> Option<Self> {
        matching
            .before_of(after)
            .filter(|found| !found.is_ambiguous)
            .map(|found| Self::of(found, found.before))
    }

    fn of(found: &Match, function: FunctionId) -> Self {
        Self { function, is_exact: found.level.is_exact() }
    }
}
