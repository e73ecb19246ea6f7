//! Functions that are gone and may have been the predecessor of one that is there now: entered from the same functions of
//! both builds, of a like size and weight, and not known to be another function. So may one of another library that is still in the
//! build, because something else needs it, but that its callers no longer call; and one of a similar name that no running caller calls.

use super::kinship::{Kinship, SAME_NAME, share};
use crate::classify::case::Case;
use crate::classify::cause::{InBuild, Judged};
use crate::classify::likeness::are_named_alike;
use crate::classify::rules::{calls_in_code, copies_in_code};
use pdiff_profile::Side;
use rustc_hash::{FxHashMap, FxHashSet};

/// Sizes and weights of one function in two versions differ by this factor at most.
const TWIN_FACTOR: f64 = 2.5;

/// How many functions of one build only may be between a function and one that both builds have.
const DEEPEST: usize = 8;

impl Kinship<'_, '_> {
    /// Whether a function of side `with` alone may be one that only the other side has. `renamed` are pairs that are one
    /// function, Before's first; what is linked with others is one of those. `entered` keeps for other functions what leads to
    /// those that are gone.
    pub(super) fn has_vanished_twin(
        &self,
        (row, with): (usize, Side),
        renamed: &[(usize, usize)],
        is_linked: impl Fn(usize) -> bool,
        entered: &mut FxHashMap<(usize, Side), FxHashSet<usize>>,
    ) -> bool {
        let Some(case) = self.context.cases.get(row) else { return false };
        let mut entered_by: Option<FxHashSet<usize>> = None;
        (0..).zip(&self.context.cases).any(|(other, gone)| {
            let is_other = gone.of_program
                && !gone.is_stub()
                && !gone.row.unresolved
                && gone.is_sampled(with.other())
                && !is_linked(other);
            let is_gone = || gone.held_by(with) == InBuild::No || self.is_left_library(gone, case, with);
            let may_be = || {
                (is_gone() && self.is_like((case, with), (gone, with.other())))
                    || self.is_left_variant(gone, case, with)
            };
            if !is_other || !may_be() {
                return false;
            }
            let ours = entered_by.get_or_insert_with(|| self.entered_by(row, with, renamed));
            let gone = (other, with.other());
            let theirs = entered.entry(gone).or_insert_with(|| self.entered_by(gone.0, gone.1, renamed));
            ours.iter().any(|caller| theirs.contains(caller))
        })
    }

    /// Whether a function of another library than `new` has no sample on side `with`, and none of its callers in the other run calls or
    /// contains it in the code of that side.
    fn is_left_library(&self, of: &Case<'_>, new: &Case<'_>, with: Side) -> bool {
        let libraries = library(&of.row.name).zip(library(&new.row.name));
        if libraries.is_none_or(|(ours, theirs)| ours == theirs)
            || of.is_sampled(with)
            || of.held_by(with) != InBuild::Yes
        {
            return false;
        }
        let calls = self.context.calls_to(of.row, with.other()).into_iter();
        let callers: Vec<_> = calls.filter_map(|call| self.context.caller(call)).collect();
        let is_unused = |caller: &Case<'_>| self.uses(caller, of, with) == 0;
        !callers.is_empty()
            && callers.into_iter().all(|caller| caller.held_by(with) == InBuild::Yes && is_unused(caller))
    }

    /// Whether a function of a similar name has no sample on side `with`, although that build has it: none of its callers in the other
    /// run that run there, too, calls or contains it in the code of that side.
    fn is_left_variant(&self, of: &Case<'_>, new: &Case<'_>, with: Side) -> bool {
        if of.is_sampled(with)
            || of.held_by(with) != InBuild::Yes
            || !are_named_alike(&of.row.name, &new.row.name, SAME_NAME)
        {
            return false;
        }
        let calls = self.context.calls_to(of.row, with.other()).into_iter();
        let callers = calls.filter_map(|call| self.context.caller(call));
        let running: Vec<_> = callers.filter(|caller| caller.is_sampled(with)).collect();
        !running.is_empty() && running.into_iter().all(|caller| self.uses(caller, of, with) == 0)
    }

    /// The calls and copies of a function in the code of another one.
    fn uses(&self, caller: &Case<'_>, of: &Case<'_>, side: Side) -> u32 {
        calls_in_code(self.context, caller, of, side) + copies_in_code(self.context, caller, of, side)
    }

    fn is_like(&self, (case, with): (&Case<'_>, Side), (gone, without): (&Case<'_>, Side)) -> bool {
        let factor = |side| if side == Side::Before { self.context.common_shift.factor() } else { 1.0 };
        let is_like = |a: f64, b: f64| a > 0.0 && a <= TWIN_FACTOR * b && b <= TWIN_FACTOR * a;
        let weight = |case: &Case<'_>, side| factor(side) * share(Judged::Total, case.row, side);
        let (ours, theirs) = (self.bytes(case, with), self.bytes(gone, without));
        // What a build contains inlined only has no size.
        let has_size = ours > 0.0 && theirs > 0.0;
        is_like(weight(case, with), weight(gone, without)) && (!has_size || is_like(ours, theirs))
    }

    /// The nearest functions of both builds that lead to a function of one: its callers, and those of callers that the other
    /// build does not have under any name. Of two names, Before's.
    pub(super) fn entered_by(&self, row: usize, side: Side, renamed: &[(usize, usize)]) -> FxHashSet<usize> {
        let mut found = FxHashSet::default();
        let mut seen: FxHashSet<usize> = [row].into_iter().collect();
        let mut open = vec![row];
        for _ in 0..DEEPEST {
            let cases = open.iter().filter_map(|row| self.context.cases.get(*row));
            let callers: Vec<usize> = cases.flat_map(|case| self.callers(case, side)).collect();
            open.clear();
            for caller in callers.into_iter().filter(|caller| seen.insert(*caller)) {
                let pair = renamed.iter().find(|(before, after)| caller == *before || caller == *after);
                let is_known = |case: &Case<'_>| case.held_by(side.other()) == InBuild::Yes;
                match (pair, self.context.cases.get(caller)) {
                    (Some((before, _)), _) => {
                        found.insert(*before);
                    }
                    (None, Some(case)) if is_known(case) => {
                        found.insert(caller);
                    }
                    _ => open.push(caller),
                }
            }
            if open.is_empty() {
                break;
            }
        }
        found
    }
}

/// What a path begins with if that is a package or a namespace, the way most code writes them.
fn library(name: &str) -> Option<&str> {
    let (first, _) = name.split_once("::")?;
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_library = first.starts_with(|c: char| c.is_ascii_lowercase()) && !first.ends_with("_t");
    (is_library && is_word(first)).then_some(first)
}
