//! Functions that are gone and may have been the predecessor of one that is there now: entered from the same functions of
//! both builds, of a like size and weight or of a like name, and not known to be another function. So may one of another library that is still in the
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

/// What is known of functions that may be gone, by row and the side that still has them in the code.
#[derive(Default)]
pub(super) struct Vanished {
    /// What leads to them on the other side.
    entered: FxHashMap<(usize, Side), FxHashSet<usize>>,
    left: FxHashMap<(usize, Side), Left>,
}

/// Whether callers left a function that a build still has.
#[derive(Clone, Copy, Default)]
struct Left {
    /// No caller of the other run calls or contains it in the code.
    by_all: bool,
    /// None of these that runs, too.
    by_running: bool,
}

impl Kinship<'_, '_> {
    /// Whether a function of side `with` alone may be one that only the other side has. `renamed` are pairs that are one
    /// function, Before's first; what is linked with others is one of those.
    pub(super) fn has_vanished_twin(
        &self,
        (row, with): (usize, Side),
        renamed: &[(usize, usize)],
        is_linked: impl Fn(usize) -> bool,
        known: &mut Vanished,
    ) -> bool {
        let Some(case) = self.context.cases.get(row) else { return false };
        let mut entered_by: Option<FxHashSet<usize>> = None;
        (0..).zip(&self.context.cases).any(|(other, gone)| {
            let is_other = gone.of_program
                && !gone.is_stub()
                && !gone.row.unresolved
                && gone.is_sampled(with.other())
                && !is_linked(other);
            if !is_other {
                return false;
            }
            let is_there = gone.held_by(with) == InBuild::Yes && !gone.is_sampled(with);
            let left = if is_there {
                *known.left.entry((other, with)).or_insert_with(|| self.left(gone, with))
            } else {
                Left::default()
            };
            let is_gone =
                || gone.held_by(with) == InBuild::No || left.by_all && are_of_two_libraries(gone, case);
            let is_variant = || left.by_running && are_named_alike(&gone.row.name, &case.row.name, SAME_NAME);
            let is_named_alike = || are_named_alike(&gone.row.name, &case.row.name, SAME_NAME);
            let is_like = || is_named_alike() || self.is_like((case, with), (gone, with.other()));
            if !(is_gone() && is_like() || is_variant()) {
                return false;
            }
            let ours = entered_by.get_or_insert_with(|| self.entered_by(row, with, renamed));
            let gone = (other, with.other());
            let theirs =
                known.entered.entry(gone).or_insert_with(|| self.entered_by(gone.0, gone.1, renamed));
            ours.iter().any(|caller| theirs.contains(caller))
        })
    }

    /// Whether its callers left a function that the build of side `with` has and its run did not sample: those of a library that took
    /// its place, or that call a variant of it now.
    fn left(&self, of: &Case<'_>, with: Side) -> Left {
        let calls = self.context.calls_to(of.row, with.other()).into_iter();
        let callers: Vec<_> = calls.filter_map(|call| self.context.caller(call)).collect();
        let is_unused = |caller: &&Case<'_>| self.uses(caller, of, with) == 0;
        let running: Vec<&Case<'_>> =
            callers.iter().copied().filter(|caller| caller.is_sampled(with)).collect();
        let are_held = callers.iter().all(|caller| caller.held_by(with) == InBuild::Yes);
        Left {
            by_all: !callers.is_empty() && are_held && callers.iter().all(is_unused),
            by_running: !running.is_empty() && running.iter().all(is_unused),
        }
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

/// Whether both are of a library, and not of the same.
fn are_of_two_libraries(a: &Case<'_>, b: &Case<'_>) -> bool {
    library(&a.row.name).zip(library(&b.row.name)).is_some_and(|(ours, theirs)| ours != theirs)
}

/// What a path begins with if that is a package or a namespace, the way most code writes them.
fn library(name: &str) -> Option<&str> {
    let (first, _) = name.split_once("::")?;
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_library = first.starts_with(|c: char| c.is_ascii_lowercase()) && !first.ends_with("_t");
    (is_library && is_word(first)).then_some(first)
}
