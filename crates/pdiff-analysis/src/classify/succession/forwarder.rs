//! A function of both builds that only leads on to a new one: what it did itself is that function's now, however often each run
//! calls it.

use super::kinship::{INHERITED_PART, Kinship, SHRUNK_PART, share};
use super::replaced_calls::handed_calls;
use crate::classify::cause::{InBuild, Judged};
use crate::compare::Row;
use pdiff_profile::Side;

/// A function leads on to another one if this part of its total is below that one.
const NEARLY_ALL: f64 = 0.9;

/// A function with at most this part of its code left, which no longer calls what the new one calls for it, gave that its code.
const RELIC_PART: f64 = 0.25;

/// If the new function has more than the inverse of this times what it had, that is not the old one's work.
const LEAST_PART: f64 = 0.1;

impl Kinship<'_, '_> {
    /// The function of both builds that leads on to a row of side `with`, and does little of what it did in the other build beside that:
    /// its code is shorter, and half of its weight there is not in the rest of it here.
    pub(super) fn forwarder(&self, row: usize, with: Side) -> Option<usize> {
        let case = self.context.cases.get(row)?;
        let weight = share(Judged::Total, case.row, with);
        let leads_on = |caller: usize, is_relic: bool| {
            let Some(of) = self.context.cases.get(caller).filter(|_| caller != row) else { return false };
            let total = |of: &Row, side: Side| {
                let factor = if side == Side::Before { self.context.common_shift.factor() } else { 1.0 };
                factor * share(Judged::Total, of, side)
            };
            let (here, there) = (total(of.row, with), total(of.row, with.other()));
            let below = self.called_pp(caller, row, with);
            let (bytes_here, bytes_there) = (self.bytes(of, with), self.bytes(of, with.other()));
            let is_shorter = |part: f64| bytes_here > 0.0 && bytes_here <= part * bytes_there;
            let is_all_below = || below >= NEARLY_ALL * here && below >= INHERITED_PART * weight;
            of.held_by(with.other()) == InBuild::Yes
                && of.other_name.is_none()
                && there > 0.0
                && here - below <= (1.0 - INHERITED_PART) * there
                && match is_relic {
                    // Others may call the new function now, so that little of it is below this one.
                    true => {
                        is_shorter(RELIC_PART)
                            && there >= LEAST_PART * total(case.row, with)
                            && handed_calls(self.context, of, case, with)
                    }
                    false => is_all_below() && is_shorter(SHRUNK_PART),
                }
        };
        let callers = self.callers(case, with);
        let found = |is_relic: bool| callers.iter().copied().find(|caller| leads_on(*caller, is_relic));
        found(true).or_else(|| found(false))
    }
}
